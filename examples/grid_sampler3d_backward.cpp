// The gradients of 3-D grid sampling, called as on an Ascend card.
//
// A volume of one slice with the values 1..9 is sampled at four points; the gradient that comes in
// is 1 at each. With alignCorners = false the coordinates -1 and 1 are the outer faces of the
// border voxels. All four points lie on such faces, so half of their weight or more is lost: the
// sum of inputGrad is 1.375, not 4.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "acl/acl.h"
#include "aclnnop/aclnn_grid_sampler3d_backward.h"

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

bool Create(const std::vector<int64_t>& shape, aclFormat format, const std::vector<float>& values,
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
  result->tensor = aclCreateTensor(shape.data(), shape.size(), ACL_FLOAT, nullptr, 0, format,
                                   shape.data(), shape.size(), result->memory);
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

struct Arguments {
  DeviceTensor gradOutput, input, grid, inputGrad, gridGrad;
};

// Phase one tells how much workspace is needed, phase two puts the work into the stream.
bool Compute(const Arguments& a, aclrtStream stream) {
  const int64_t bilinear = 0;  // in three dimensions: trilinear
  const int64_t zeros = 0;     // what lies outside the volume counts as 0
  const bool alignCorners = false;
  const bool wanted[2] = {true, true};  // inputGrad, gridGrad
  aclBoolArray* outputMask = aclCreateBoolArray(wanted, 2);

  uint64_t workspaceSize = 0;
  aclOpExecutor* executor = nullptr;
  const aclnnStatus planned = aclnnGridSampler3DBackwardGetWorkspaceSize(
      a.gradOutput.tensor, a.input.tensor, a.grid.tensor, bilinear, zeros, alignCorners, outputMask,
      a.inputGrad.tensor, a.gridGrad.tensor, &workspaceSize, &executor);
  aclDestroyBoolArray(outputMask);
  if (!Succeeded(planned, "aclnnGridSampler3DBackwardGetWorkspaceSize")) {
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
  const aclnnStatus queued = aclnnGridSampler3DBackward(workspace, workspaceSize, executor, stream);
  const bool done = Succeeded(queued, "aclnnGridSampler3DBackward") &&
                    Succeeded(aclrtSynchronizeStream(stream), "aclrtSynchronizeStream");
  if (workspace != nullptr) {
    aclrtFree(workspace);
  }
  return done;
}

void Print(const std::vector<float>& values) {
  for (float value : values) {
    std::printf(" %g", static_cast<double>(value));
  }
}

bool Run(aclrtStream stream) {
  const std::vector<float> gradient = {1, 1, 1, 1};
  const std::vector<float> volume = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  // One point per line, (x, y, z): positions along W, H and D of the volume.
  const std::vector<float> points = {
      -1, -1, 0,   // outer corner of the voxel with value 1
      -1, 1,  -1,  // outer corner of the voxel with value 7, on the slice's front face
      -1, 0,  0,   // outer face of the voxel with value 4
      0,  1,  0,   // outer face of the voxel with value 8
  };
  std::vector<float> inputGrad(volume.size());
  std::vector<float> gridGrad(points.size());

  Arguments a;
  const bool done = Create({1, 1, 1, 2, 2}, ACL_FORMAT_NCDHW, gradient, &a.gradOutput) &&
                    Create({1, 1, 1, 3, 3}, ACL_FORMAT_NCDHW, volume, &a.input) &&
                    Create({1, 1, 2, 2, 3}, ACL_FORMAT_NDHWC, points, &a.grid) &&
                    Create({1, 1, 1, 3, 3}, ACL_FORMAT_NCDHW, inputGrad, &a.inputGrad) &&
                    Create({1, 1, 2, 2, 3}, ACL_FORMAT_NDHWC, gridGrad, &a.gridGrad) &&
                    Compute(a, stream) && Read(a.inputGrad, &inputGrad) &&
                    Read(a.gridGrad, &gridGrad);
  Destroy(&a.gridGrad);
  Destroy(&a.inputGrad);
  Destroy(&a.grid);
  Destroy(&a.input);
  Destroy(&a.gradOutput);
  if (!done) {
    return false;
  }
  std::printf("grid_sampler3d_backward:");
  Print(inputGrad);
  std::printf(" |");
  Print(gridGrad);
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
