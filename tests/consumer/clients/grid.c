/* The gradients of sampling a 2 x 2 x 2 volume at its centre. */
#include "aclnnop/aclnn_grid_sampler3d_backward.h"
#include "client.h"

/* A tensor of five dimensions in device memory; *data receives its address. */
static aclTensor* MakeTensor(const int64_t* dims, aclFormat format, const float* values,
                             void** data) {
  const size_t bytes = sizeof(float) * (size_t)(dims[0] * dims[1] * dims[2] * dims[3] * dims[4]);
  aclTensor* tensor;
  REQUIRE(aclrtMalloc(data, bytes, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_SUCCESS);
  if (values != NULL) {
    REQUIRE(aclrtMemcpy(*data, bytes, values, bytes, ACL_MEMCPY_HOST_TO_DEVICE) == ACL_SUCCESS);
  }
  tensor = aclCreateTensor(dims, 5, ACL_FLOAT, NULL, 0, format, dims, 5, *data);
  REQUIRE(tensor != NULL);
  return tensor;
}

int main(int argc, char** argv) {
  const int64_t grad_dims[] = {1, 1, 1, 1, 1};
  const int64_t input_dims[] = {1, 1, 2, 2, 2};
  const int64_t grid_dims[] = {1, 1, 1, 1, 3};
  const float grad[] = {8};
  const float input[] = {0, 1, 2, 3, 4, 5, 6, 7};
  const float grid[] = {0, 0, 0};
  const bool mask[] = {true, true};
  float input_grad[8], grid_grad[3];
  void* data[5];
  aclTensor* tensors[5];
  aclBoolArray* output_mask;
  void* workspace = NULL;
  aclOpExecutor* executor = NULL;
  uint64_t workspace_size = 0;
  aclrtStream stream = NULL;
  int i;

  (void)argv;
  if (argc > 1) return 0;
  REQUIRE(aclInit(NULL) == ACL_SUCCESS);
  REQUIRE(aclrtSetDevice(0) == ACL_SUCCESS);
  REQUIRE(aclrtCreateStream(&stream) == ACL_SUCCESS);
  tensors[0] = MakeTensor(grad_dims, ACL_FORMAT_NCDHW, grad, &data[0]);
  tensors[1] = MakeTensor(input_dims, ACL_FORMAT_NCDHW, input, &data[1]);
  tensors[2] = MakeTensor(grid_dims, ACL_FORMAT_NDHWC, grid, &data[2]);
  tensors[3] = MakeTensor(input_dims, ACL_FORMAT_NCDHW, NULL, &data[3]);
  tensors[4] = MakeTensor(grid_dims, ACL_FORMAT_NDHWC, NULL, &data[4]);
  output_mask = aclCreateBoolArray(mask, 2);
  REQUIRE(output_mask != NULL);

  REQUIRE(aclnnGridSampler3DBackwardGetWorkspaceSize(tensors[0], tensors[1], tensors[2], 0, 0, true,
                                                     output_mask, tensors[3], tensors[4],
                                                     &workspace_size, &executor) == 0);
  if (workspace_size > 0) {
    REQUIRE(aclrtMalloc(&workspace, workspace_size, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_SUCCESS);
  }
  REQUIRE(aclnnGridSampler3DBackward(workspace, workspace_size, executor, stream) == 0);
  REQUIRE(aclrtSynchronizeStream(stream) == ACL_SUCCESS);
  REQUIRE(aclrtMemcpy(input_grad, sizeof(input_grad), data[3], sizeof(input_grad),
                      ACL_MEMCPY_DEVICE_TO_HOST) == ACL_SUCCESS);
  REQUIRE(aclrtMemcpy(grid_grad, sizeof(grid_grad), data[4], sizeof(grid_grad),
                      ACL_MEMCPY_DEVICE_TO_HOST) == ACL_SUCCESS);
  for (i = 0; i < 8; ++i) printf("%g ", input_grad[i]);
  printf("| %g %g %g\n", grid_grad[0], grid_grad[1], grid_grad[2]);

  for (i = 0; i < 5; ++i) {
    aclDestroyTensor(tensors[i]);
    aclrtFree(data[i]);
  }
  aclDestroyBoolArray(output_mask);
  if (workspace != NULL) aclrtFree(workspace);
  REQUIRE(aclrtDestroyStream(stream) == ACL_SUCCESS);
  REQUIRE(aclrtResetDevice(0) == ACL_SUCCESS);
  REQUIRE(aclFinalize() == ACL_SUCCESS);
  return 0;
}
