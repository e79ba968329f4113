/* The pooling operator from C99: the headers need no C++ compiler.
 *
 * Resources are freed in the opposite order of their creation; every step remembers in `code` what
 * went wrong, and later steps do nothing once it is set. */

#include <stdio.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_adaptive_avg_pool2d_backward.h"

enum { kGradients = 6, kPixels = 8 };

static int code = 0;

static int Ok(void) { return code == 0; }

static void Note(int returned, const char *call) {
  if (returned != 0 && code == 0) {
    const char *details = aclGetRecentErrMsg();
    code = returned;
    fprintf(stderr, "%s returned %d: %s\n", call, returned, details != NULL ? details : "");
  }
}

static void *Allocate(size_t bytes) {
  void *memory = NULL;
  if (Ok()) {
    Note(aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
  }
  return memory;
}

static void Free(void *memory) {
  if (memory != NULL) {
    Note(aclrtFree(memory), "aclrtFree");
  }
}

static aclTensor *Wrap(const int64_t *shape, void *memory) {
  aclTensor *tensor = NULL;
  if (Ok()) {
    tensor = aclCreateTensor(shape, 4, ACL_FLOAT, NULL, 0, ACL_FORMAT_NCHW, shape, 4, memory);
    Note(tensor == NULL, "aclCreateTensor");
  }
  return tensor;
}

static void Compute(const aclTensor *gradOutput, const aclTensor *self, aclTensor *out) {
  uint64_t workspaceSize = 0;
  aclOpExecutor *executor = NULL;
  void *workspace = NULL;
  if (!Ok()) {
    return;
  }
  Note(aclnnAdaptiveAvgPool2dBackwardGetWorkspaceSize(gradOutput, self, out, &workspaceSize,
                                                      &executor),
       "aclnnAdaptiveAvgPool2dBackwardGetWorkspaceSize");
  if (Ok() && workspaceSize > 0) {
    workspace = Allocate(workspaceSize);
  }
  if (Ok()) {
    /* A null stream is the default stream of the device. */
    Note(aclnnAdaptiveAvgPool2dBackward(workspace, workspaceSize, executor, NULL),
         "aclnnAdaptiveAvgPool2dBackward");
    Note(aclrtSynchronizeStream(NULL), "aclrtSynchronizeStream");
  }
  Free(workspace);
}

static void Run(float *result) {
  const int64_t pooled[] = {1, 1, 3, 2};
  const int64_t image[] = {1, 1, 4, 2};
  const float gradient[kGradients] = {1, 2, 3, 4, 5, 6};
  const size_t resultBytes = kPixels * sizeof(float);

  void *gradMemory = Allocate(sizeof(gradient));
  void *outMemory = Allocate(resultBytes);
  aclTensor *gradOutput = Wrap(pooled, gradMemory);
  aclTensor *self = Wrap(image, NULL); /* only its shape is looked at */
  aclTensor *out = Wrap(image, outMemory);
  if (Ok()) {
    Note(aclrtMemcpy(gradMemory, sizeof(gradient), gradient, sizeof(gradient),
                     ACL_MEMCPY_HOST_TO_DEVICE),
         "aclrtMemcpy");
  }
  Compute(gradOutput, self, out);
  if (Ok()) {
    Note(aclrtMemcpy(result, resultBytes, outMemory, resultBytes, ACL_MEMCPY_DEVICE_TO_HOST),
         "aclrtMemcpy");
  }
  aclDestroyTensor(out);
  aclDestroyTensor(self);
  aclDestroyTensor(gradOutput);
  Free(outMemory);
  Free(gradMemory);
}

int main(void) {
  float result[kPixels] = {0};
  int i;
  Note(aclInit(NULL), "aclInit");
  if (Ok()) {
    Note(aclrtSetDevice(0), "aclrtSetDevice");
    Run(result);
    aclrtResetDevice(0);
    aclFinalize();
  }
  if (!Ok()) {
    return 1;
  }
  printf("plain_c_client:");
  for (i = 0; i < kPixels; ++i) {
    printf(" %g", (double)result[i]);
  }
  printf("\n");
  return 0;
}
