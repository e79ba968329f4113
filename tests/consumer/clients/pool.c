/* The gradient of a 1 x 2 adaptive pooling of a 2 x 4 plane. "--only-start" ends at once, for
 * libraries that have the functions but not their meaning. */
#include "aclnnop/aclnn_adaptive_avg_pool2d_backward.h"
#include "client.h"

static aclTensor* MakeTensor(const int64_t* dims, void* data) {
  aclTensor* tensor = aclCreateTensor(dims, 3, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, dims, 3, data);
  REQUIRE(tensor != NULL);
  return tensor;
}

int main(int argc, char** argv) {
  const int64_t grad_dims[] = {1, 1, 2};
  const int64_t self_dims[] = {1, 2, 4};
  const float grad[] = {4, 8};
  float out[8];
  void *grad_data, *self_data, *out_data, *workspace = NULL;
  aclTensor *grad_tensor, *self_tensor, *out_tensor;
  aclOpExecutor* executor = NULL;
  uint64_t workspace_size = 0;
  aclrtStream stream = NULL;
  int i;

  (void)argv;
  if (argc > 1) return 0;
  REQUIRE(aclInit(NULL) == ACL_SUCCESS);
  REQUIRE(aclrtSetDevice(0) == ACL_SUCCESS);
  REQUIRE(aclrtCreateStream(&stream) == ACL_SUCCESS);
  REQUIRE(aclrtMalloc(&grad_data, sizeof(grad), ACL_MEM_MALLOC_HUGE_FIRST) == ACL_SUCCESS);
  REQUIRE(aclrtMalloc(&self_data, sizeof(out), ACL_MEM_MALLOC_HUGE_FIRST) == ACL_SUCCESS);
  REQUIRE(aclrtMalloc(&out_data, sizeof(out), ACL_MEM_MALLOC_HUGE_FIRST) == ACL_SUCCESS);
  REQUIRE(aclrtMemcpy(grad_data, sizeof(grad), grad, sizeof(grad), ACL_MEMCPY_HOST_TO_DEVICE) ==
          ACL_SUCCESS);
  grad_tensor = MakeTensor(grad_dims, grad_data);
  self_tensor = MakeTensor(self_dims, self_data);
  out_tensor = MakeTensor(self_dims, out_data);

  REQUIRE(aclnnAdaptiveAvgPool2dBackwardGetWorkspaceSize(grad_tensor, self_tensor, out_tensor,
                                                         &workspace_size, &executor) == 0);
  if (workspace_size > 0) {
    REQUIRE(aclrtMalloc(&workspace, workspace_size, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_SUCCESS);
  }
  REQUIRE(aclnnAdaptiveAvgPool2dBackward(workspace, workspace_size, executor, stream) == 0);
  REQUIRE(aclrtSynchronizeStream(stream) == ACL_SUCCESS);
  REQUIRE(aclrtMemcpy(out, sizeof(out), out_data, sizeof(out), ACL_MEMCPY_DEVICE_TO_HOST) ==
          ACL_SUCCESS);
  for (i = 0; i < 8; ++i) printf("%s%g", i == 0 ? "" : " ", out[i]);
  printf("\n");

  aclDestroyTensor(grad_tensor);
  aclDestroyTensor(self_tensor);
  aclDestroyTensor(out_tensor);
  if (workspace != NULL) aclrtFree(workspace);
  aclrtFree(grad_data);
  aclrtFree(self_data);
  aclrtFree(out_data);
  REQUIRE(aclrtDestroyStream(stream) == ACL_SUCCESS);
  REQUIRE(aclrtResetDevice(0) == ACL_SUCCESS);
  REQUIRE(aclFinalize() == ACL_SUCCESS);
  return 0;
}
