/* pool.c as a client that links nothing of CANN: it opens the library named by its argument and
 * looks up everything through that one handle. */
#include <dlfcn.h>
#include <string.h>

#include "aclnnop/aclnn_adaptive_avg_pool2d_backward.h"
#include "aclnnop/aclnn_grid_sampler3d_backward.h"
#include "client.h"

#define FUNCTIONS(X)                                \
  X(aclInit)                                        \
  X(aclFinalize)                                    \
  X(aclrtSetDevice)                                 \
  X(aclrtResetDevice)                               \
  X(aclrtCreateStream)                              \
  X(aclrtDestroyStream)                             \
  X(aclrtSynchronizeStream)                         \
  X(aclrtMalloc)                                    \
  X(aclrtFree)                                      \
  X(aclrtMemcpy)                                    \
  X(aclCreateTensor)                                \
  X(aclDestroyTensor)                               \
  X(aclnnAdaptiveAvgPool2dBackwardGetWorkspaceSize) \
  X(aclnnAdaptiveAvgPool2dBackward)                 \
  X(aclnnGridSampler3DBackwardGetWorkspaceSize)     \
  X(aclnnGridSampler3DBackward)

#define DECLARE(name) static __typeof__(&name) loaded_##name;
FUNCTIONS(DECLARE)

/* Converting an object pointer to a function pointer is not ISO C, hence the memcpy. */
#define LOOK_UP(name)                                   \
  {                                                     \
    void* address = dlsym(library, #name);              \
    if (address == NULL) {                              \
      fprintf(stderr, "no %s in %s\n", #name, argv[1]); \
      return 1;                                         \
    }                                                   \
    memcpy(&loaded_##name, &address, sizeof(address));  \
  }

static int RunPool(int argc, char** argv);

int main(int argc, char** argv) {
  void* library;
  int code;
  REQUIRE(argc == 2);
  library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  FUNCTIONS(LOOK_UP)
  code = RunPool(1, argv);
  REQUIRE(dlclose(library) == 0);
  return code;
}

#define aclInit loaded_aclInit
#define aclFinalize loaded_aclFinalize
#define aclrtSetDevice loaded_aclrtSetDevice
#define aclrtResetDevice loaded_aclrtResetDevice
#define aclrtCreateStream loaded_aclrtCreateStream
#define aclrtDestroyStream loaded_aclrtDestroyStream
#define aclrtSynchronizeStream loaded_aclrtSynchronizeStream
#define aclrtMalloc loaded_aclrtMalloc
#define aclrtFree loaded_aclrtFree
#define aclrtMemcpy loaded_aclrtMemcpy
#define aclCreateTensor loaded_aclCreateTensor
#define aclDestroyTensor loaded_aclDestroyTensor
#define aclnnAdaptiveAvgPool2dBackwardGetWorkspaceSize \
  loaded_aclnnAdaptiveAvgPool2dBackwardGetWorkspaceSize
#define aclnnAdaptiveAvgPool2dBackward loaded_aclnnAdaptiveAvgPool2dBackward
#define main RunPool
#include "pool.c"
