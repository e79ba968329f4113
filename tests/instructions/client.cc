// Runs one named problem a number of times, for counting its instructions.
//   client <case> <count>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <vector>

#include "acl/acl.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_adaptive_avg_pool2d_backward.h"
#include "aclnnop/aclnn_grid_sampler3d_backward.h"

namespace {

using Shape = std::vector<int64_t>;

void CheckOk(int code, const char* what) {
  if (code == 0) return;
  std::fprintf(stderr, "%s: %d %s\n", what, code, aclGetRecentErrMsg());
  std::exit(1);
}

// Packed, in device memory; nothing is freed, the process ends soon.
aclTensor* MakeTensor(const Shape& shape, aclDataType dtype, const void* values = nullptr) {
  Shape strides(shape.size());
  int64_t elements = 1;
  for (size_t axis = shape.size(); axis-- > 0; elements *= shape[axis]) strides[axis] = elements;
  const size_t bytes = static_cast<size_t>(elements) * aclDataTypeSize(dtype);
  void* memory = nullptr;
  CheckOk(aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
  if (values == nullptr) {
    CheckOk(aclrtMemset(memory, bytes, 0, bytes), "aclrtMemset");
  } else {
    CheckOk(aclrtMemcpy(memory, bytes, values, bytes, ACL_MEMCPY_HOST_TO_DEVICE), "aclrtMemcpy");
  }
  return aclCreateTensor(shape.data(), shape.size(), dtype, strides.data(), 0, ACL_FORMAT_ND,
                         shape.data(), shape.size(), memory);
}

// Counted by name, so it must not be inlined.
[[gnu::noinline]] void OneCall(const aclTensor* grad, aclTensor* out, void* workspace,
                               aclrtStream stream) {
  uint64_t bytes = 0;
  aclOpExecutor* executor = nullptr;
  CheckOk(aclnnAdaptiveAvgPool2dBackwardGetWorkspaceSize(grad, out, out, &bytes, &executor),
          "phase one");
  CheckOk(aclnnAdaptiveAvgPool2dBackward(workspace, bytes, executor, stream), "phase two");
  CheckOk(aclrtSynchronizeStream(stream), "aclrtSynchronizeStream");
}

struct PoolCase {
  const char* name;
  Shape self;
  Shape grad;
  aclDataType dtype;
};

const PoolCase kPoolCases[] = {
    {"pool_tiny", {1, 1, 4, 2}, {1, 1, 2, 1}, ACL_FLOAT},
    {"pool_global", {4, 64, 7, 7}, {4, 64, 1, 1}, ACL_FLOAT},
    {"pool_windows", {4, 64, 14, 14}, {4, 64, 6, 6}, ACL_FLOAT},
    {"pool_windows_bf16", {4, 64, 14, 14}, {4, 64, 6, 6}, ACL_BF16},
    {"pool_planes", {1, 16, 64, 64}, {1, 16, 7, 7}, ACL_FLOAT},
    {"pool_upsampling", {1, 64, 7, 7}, {1, 64, 14, 14}, ACL_FLOAT},
};

void RunPool(const PoolCase& problem, int count) {
  const aclTensor* const grad = MakeTensor(problem.grad, problem.dtype);
  aclTensor* const out = MakeTensor(problem.self, problem.dtype);
  aclrtStream stream = nullptr;
  CheckOk(aclrtCreateStream(&stream), "aclrtCreateStream");
  void* workspace = nullptr;
  CheckOk(aclrtMalloc(&workspace, 1 << 20, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
  for (int i = 0; i < count; ++i) OneCall(grad, out, workspace, stream);
}

struct GridCase {
  const char* name;
  Shape input;
  bool random;
  int64_t interpolation;
};

// As many points as voxels, on the voxels or anywhere.
const GridCase kGridCases[] = {
    {"grid_identity", {1, 1, 16, 16, 32}, false, 0},
    {"grid_random", {1, 1, 16, 16, 32}, true, 0},
    {"grid_channels", {1, 16, 8, 16, 16}, false, 0},
    {"grid_nearest", {1, 1, 16, 16, 32}, false, 1},
};

// Coordinates x, y, z of each point in [-1, 1].
aclTensor* MakeGrid(const GridCase& problem) {
  const Shape& in = problem.input;
  const Shape shape = {in[0], in[2], in[3], in[4], 3};
  std::vector<float> values;
  uint32_t state = 1;
  const auto place = [](int64_t i, int64_t extent) {
    return 2 * static_cast<float>(i) / static_cast<float>(extent - 1) - 1;
  };
  for (int64_t i = 0; i < in[0] * in[2] * in[3] * in[4]; ++i) {
    const float ordered[] = {place(i % in[4], in[4]), place(i / in[4] % in[3], in[3]),
                             place(i / in[4] / in[3] % in[2], in[2])};
    for (const float value : ordered) {
      state = state * 1664525 + 1013904223;  // numbers that look random and are always the same
      values.push_back(problem.random ? static_cast<float>(state >> 8) / 8388608 - 1 : value);
    }
  }
  return MakeTensor(shape, ACL_FLOAT, values.data());
}

void RunGrid(const GridCase& problem, int count) {
  const aclTensor* const input = MakeTensor(problem.input, ACL_FLOAT);
  const aclTensor* const grad = MakeTensor(problem.input, ACL_FLOAT);
  const aclTensor* const grid = MakeGrid(problem);
  aclTensor* const input_grad = MakeTensor(problem.input, ACL_FLOAT);
  aclTensor* const grid_grad = MakeGrid(problem);
  const bool wanted[] = {true, true};
  aclBoolArray* const mask = aclCreateBoolArray(wanted, 2);
  aclrtStream stream = nullptr;
  CheckOk(aclrtCreateStream(&stream), "aclrtCreateStream");
  for (int i = 0; i < count; ++i) {
    uint64_t bytes = 0;
    aclOpExecutor* executor = nullptr;
    CheckOk(aclnnGridSampler3DBackwardGetWorkspaceSize(grad, input, grid, problem.interpolation, 0,
                                                       true, mask, input_grad, grid_grad, &bytes,
                                                       &executor),
            "phase one");
    void* workspace = nullptr;
    if (bytes > 0) {
      CheckOk(aclrtMalloc(&workspace, bytes, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
    }
    CheckOk(aclnnGridSampler3DBackward(workspace, bytes, executor, stream), "phase two");
    CheckOk(aclrtSynchronizeStream(stream), "aclrtSynchronizeStream");
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  CheckOk(aclInit(nullptr), "aclInit");
  CheckOk(aclrtSetDevice(0), "aclrtSetDevice");
  for (const PoolCase& problem : kPoolCases) {
    if (std::strcmp(problem.name, argv[1]) != 0) continue;
    RunPool(problem, std::atoi(argv[2]));
    return 0;
  }
  for (const GridCase& problem : kGridCases) {
    if (std::strcmp(problem.name, argv[1]) != 0) continue;
    RunGrid(problem, std::atoi(argv[2]));
    return 0;
  }
  return 2;
}
