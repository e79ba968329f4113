// The gradient of 2-D adaptive average pooling, called as on an Ascend card.
//
// A 4x2 image was pooled to 3x2: three windows of two rows each, overlapping by one row. Every
// element of the incoming gradient goes in equal shares to the elements of its window, so
//   out = [[1/2, 2/2], [(1+3)/2, (2+4)/2], [(3+5)/2, (4+6)/2], [5/2, 6/2]].

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "acl/acl.h"
#include "aclnnop/aclnn_adaptive_avg_pool2d_backward.h"

namespace {

// True for code 0; otherwise prints the call, its code and the library's explanation.
bool Succeeded(int code, const char* call) {
  if (code == ACL_SUCCESS) {
    return true;
  }
  const char* details = aclGetRecentErrMsg();
  std::fprintf(stderr, "%s returned %d: %s\n", call, code, details != nullptr ? details : "");
  return false;
}

// A contiguous float tensor and the device memory behind it.
struct DeviceTensor {
  void* memory = nullptr;
  aclTensor* tensor = nullptr;
};

size_t BytesOf(const std::vector<float>& values) { return values.size() * sizeof(float); }

bool Create(const std::vector<int64_t>& shape, const std::vector<float>& values,
            DeviceTensor* result) {
  const size_t bytes = BytesOf(values);
  if (!Succeeded(aclrtMalloc(&result->memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc")) {
    return false;
  }
  const aclError copied =
      aclrtMemcpy(result->memory, bytes, values.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE);
  if (!Succeeded(copied, "aclrtMemcpy")) {
    return false;
  }
  // No strides given: row-major. The storage is exactly the tensor.
  result->tensor = aclCreateTensor(shape.data(), shape.size(), ACL_FLOAT, nullptr, 0,
                                   ACL_FORMAT_NCHW, shape.data(), shape.size(), result->memory);
  return result->tensor != nullptr;
}

void Destroy(DeviceTensor* tensor) {
  aclDestroyTensor(tensor->tensor);
  if (tensor->memory != nullptr) {
    aclrtFree(tensor->memory);
  }
}

bool Read(const DeviceTensor& tensor, std::vector<float>* values) {
  const size_t bytes = BytesOf(*values);
  const aclError copied =
      aclrtMemcpy(values->data(), bytes, tensor.memory, bytes, ACL_MEMCPY_DEVICE_TO_HOST);
  return Succeeded(copied, "aclrtMemcpy");
}

// Phase one tells how much workspace is needed, phase two puts the work into the stream.
bool Compute(const DeviceTensor& gradOutput, const DeviceTensor& self, const DeviceTensor& out,
             aclrtStream stream) {
  uint64_t workspaceSize = 0;
  aclOpExecutor* executor = nullptr;
  const aclnnStatus planned = aclnnAdaptiveAvgPool2dBackwardGetWorkspaceSize(
      gradOutput.tensor, self.tensor, out.tensor, &workspaceSize, &executor);
  if (!Succeeded(planned, "aclnnAdaptiveAvgPool2dBackwardGetWorkspaceSize")) {
    return false;
  }
  void* workspace = nullptr;
  if (workspaceSize > 0) {
    const aclError allocated = aclrtMalloc(&workspace, workspaceSize, ACL_MEM_MALLOC_HUGE_FIRST);
    if (!Succeeded(allocated, "aclrtMalloc")) {
      aclDestroyAclOpExecutor(executor);
      return false;
    }
  }
  const aclnnStatus queued =
      aclnnAdaptiveAvgPool2dBackward(workspace, workspaceSize, executor, stream);
  const bool done = Succeeded(queued, "aclnnAdaptiveAvgPool2dBackward") &&
                    Succeeded(aclrtSynchronizeStream(stream), "aclrtSynchronizeStream");
  if (workspace != nullptr) {
    aclrtFree(workspace);
  }
  return done;
}

bool Run(aclrtStream stream) {
  const std::vector<float> gradient = {1, 2, 3, 4, 5, 6};
  const std::vector<float> image(8, 0.0f);  // only its shape matters to this operator
  std::vector<float> result(8, 0.0f);

  DeviceTensor gradOutput, self, out;
  const bool done = Create({1, 1, 3, 2}, gradient, &gradOutput) &&
                    Create({1, 1, 4, 2}, image, &self) && Create({1, 1, 4, 2}, result, &out) &&
                    Compute(gradOutput, self, out, stream) && Read(out, &result);
  Destroy(&out);
  Destroy(&self);
  Destroy(&gradOutput);
  if (!done) {
    return false;
  }
  std::printf("adaptive_avg_pool2d_backward:");
  for (float value : result) {
    std::printf(" %g", static_cast<double>(value));
  }
  std::printf("\n");
  return true;
}

}  // namespace

int main() {
  const int32_t device = 0;
  if (!Succeeded(aclInit(nullptr), "aclInit")) {
    return 1;
  }
  bool done = false;
  if (Succeeded(aclrtSetDevice(device), "aclrtSetDevice")) {
    aclrtStream stream = nullptr;
    if (Succeeded(aclrtCreateStream(&stream), "aclrtCreateStream")) {
      done = Run(stream);
      aclrtDestroyStream(stream);
    }
    aclrtResetDevice(device);
  }
  aclFinalize();
  return done ? 0 : 1;
}
