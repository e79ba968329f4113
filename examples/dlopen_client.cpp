// A client that links none of the libraries and finds everything at run time, as plug-ins and
// language bindings do. The headers serve for the types only.
//
// Names are asked for through the handle of libopapi.so, those of the runtime through
// libascendcl.so; an operator that the library does not have is simply not found.

#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "acl/acl.h"
#include "aclnnop/aclnn_adaptive_avg_pool2d_backward.h"

namespace {

void* Load(const char* library) {
  void* handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
  }
  return handle;
}

template <typename Function>
bool Find(void* handle, const char* name, Function* function) {
  *function = reinterpret_cast<Function>(dlsym(handle, name));
  if (*function == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
  }
  return *function != nullptr;
}

// The functions this program needs.
struct Api {
  decltype(&aclInit) init;
  decltype(&aclFinalize) finalize;
  decltype(&aclrtSetDevice) setDevice;
  decltype(&aclrtResetDevice) resetDevice;
  decltype(&aclrtMalloc) malloc;
  decltype(&aclrtFree) free;
  decltype(&aclrtMemcpy) memcpy;
  decltype(&aclrtSynchronizeStream) synchronizeStream;
  decltype(&aclGetRecentErrMsg) recentError;
  decltype(&aclCreateTensor) createTensor;
  decltype(&aclDestroyTensor) destroyTensor;
  decltype(&aclDestroyAclOpExecutor) destroyExecutor;
  decltype(&aclnnAdaptiveAvgPool2dBackwardGetWorkspaceSize) poolWorkspaceSize;
  decltype(&aclnnAdaptiveAvgPool2dBackward) pool;
};

bool FindAll(Api* api) {
  void* runtime = Load("libascendcl.so");
  void* operators = Load("libopapi.so");
  return runtime != nullptr && operators != nullptr && Find(runtime, "aclInit", &api->init) &&
         Find(runtime, "aclFinalize", &api->finalize) &&
         Find(runtime, "aclrtSetDevice", &api->setDevice) &&
         Find(runtime, "aclrtResetDevice", &api->resetDevice) &&
         Find(runtime, "aclrtMalloc", &api->malloc) && Find(runtime, "aclrtFree", &api->free) &&
         Find(runtime, "aclrtMemcpy", &api->memcpy) &&
         Find(runtime, "aclrtSynchronizeStream", &api->synchronizeStream) &&
         Find(runtime, "aclGetRecentErrMsg", &api->recentError) &&
         Find(operators, "aclCreateTensor", &api->createTensor) &&
         Find(operators, "aclDestroyTensor", &api->destroyTensor) &&
         Find(operators, "aclDestroyAclOpExecutor", &api->destroyExecutor) &&
         Find(operators, "aclnnAdaptiveAvgPool2dBackwardGetWorkspaceSize",
              &api->poolWorkspaceSize) &&
         Find(operators, "aclnnAdaptiveAvgPool2dBackward", &api->pool);
}

bool Succeeded(const Api& api, int code, const char* call) {
  if (code != 0) {
    const char* details = api.recentError();
    std::fprintf(stderr, "%s returned %d: %s\n", call, code, details != nullptr ? details : "");
  }
  return code == 0;
}

bool Compute(const Api& api, const aclTensor* gradOutput, const aclTensor* self, aclTensor* out) {
  uint64_t workspaceSize = 0;
  aclOpExecutor* executor = nullptr;
  const aclnnStatus planned =
      api.poolWorkspaceSize(gradOutput, self, out, &workspaceSize, &executor);
  if (!Succeeded(api, planned, "phase one")) {
    return false;
  }
  void* workspace = nullptr;
  if (workspaceSize > 0) {
    const aclError allocated = api.malloc(&workspace, workspaceSize, ACL_MEM_MALLOC_HUGE_FIRST);
    if (!Succeeded(api, allocated, "aclrtMalloc")) {
      api.destroyExecutor(executor);
      return false;
    }
  }
  const bool done =
      Succeeded(api, api.pool(workspace, workspaceSize, executor, nullptr), "phase two") &&
      Succeeded(api, api.synchronizeStream(nullptr), "aclrtSynchronizeStream");
  if (workspace != nullptr) {
    api.free(workspace);
  }
  return done;
}

bool Run(const Api& api, std::vector<float>* result) {
  const std::vector<float> gradient = {1, 2, 3, 4, 5, 6};
  const std::vector<int64_t> pooled = {1, 1, 3, 2};
  const std::vector<int64_t> image = {1, 1, 4, 2};
  const size_t gradBytes = gradient.size() * sizeof(float);
  const size_t outBytes = result->size() * sizeof(float);

  // One allocation for both tensors; `out` begins at element 16 of it, by its offset.
  const int64_t outOffset = 16;
  const size_t bytes = static_cast<size_t>(outOffset) * sizeof(float) + outBytes;
  void* memory = nullptr;
  if (!Succeeded(api, api.malloc(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc")) {
    return false;
  }
  float* outMemory = static_cast<float*>(memory) + outOffset;
  const std::vector<int64_t> storage = {outOffset + static_cast<int64_t>(result->size())};
  const auto wrap = [&](const std::vector<int64_t>& shape, int64_t offset, void* data) {
    return api.createTensor(shape.data(), shape.size(), ACL_FLOAT, nullptr, offset, ACL_FORMAT_NCHW,
                            storage.data(), storage.size(), data);
  };
  aclTensor* gradOutput = wrap(pooled, 0, memory);
  aclTensor* self = wrap(image, 0, nullptr);  // only its shape is looked at
  aclTensor* out = wrap(image, outOffset, memory);
  const aclError written =
      api.memcpy(memory, bytes, gradient.data(), gradBytes, ACL_MEMCPY_HOST_TO_DEVICE);
  bool done = Succeeded(api, written, "aclrtMemcpy") && Compute(api, gradOutput, self, out);
  if (done) {
    const aclError read =
        api.memcpy(result->data(), outBytes, outMemory, outBytes, ACL_MEMCPY_DEVICE_TO_HOST);
    done = Succeeded(api, read, "aclrtMemcpy");
  }
  api.destroyTensor(out);
  api.destroyTensor(self);
  api.destroyTensor(gradOutput);
  api.free(memory);
  return done;
}

}  // namespace

int main() {
  Api api;
  if (!FindAll(&api) || !Succeeded(api, api.init(nullptr), "aclInit")) {
    return 1;
  }
  std::vector<float> result(8);
  bool done = false;
  if (Succeeded(api, api.setDevice(0), "aclrtSetDevice")) {
    done = Run(api, &result);
    api.resetDevice(0);
  }
  api.finalize();
  if (!done) {
    return 1;
  }
  std::printf("dlopen_client:");
  for (float value : result) {
    std::printf(" %g", static_cast<double>(value));
  }
  std::printf("\n");
  return 0;
}
