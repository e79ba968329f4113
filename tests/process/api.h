#ifndef ACLNN_CPU_TESTS_PROCESS_API_H_
#define ACLNN_CPU_TESTS_PROCESS_API_H_

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

#include "acl/acl.h"

// The functions the client uses, reached in one of the two ways in which programs reach them: by
// the linker, or by dlopen when the program runs.
struct Api {
  decltype(&aclInit) Init = nullptr;
  decltype(&aclFinalize) Finalize = nullptr;
  decltype(&aclrtSetDevice) SetDevice = nullptr;
  decltype(&aclrtResetDevice) ResetDevice = nullptr;
  decltype(&aclrtCreateStream) CreateStream = nullptr;
  decltype(&aclrtSynchronizeStream) SynchronizeStream = nullptr;
  decltype(&aclrtStreamQuery) StreamQuery = nullptr;
  decltype(&aclrtMalloc) Malloc = nullptr;
  decltype(&aclrtFree) Free = nullptr;
  decltype(&aclrtMemsetAsync) MemsetAsync = nullptr;
  decltype(&aclrtMemcpy) Memcpy = nullptr;
  void* library = nullptr;  // of dlopen
};

#ifdef ACLNN_CPU_LINKED

inline Api OpenApi() {
  return Api{aclInit,          aclFinalize,       aclrtSetDevice,
             aclrtResetDevice, aclrtCreateStream, aclrtSynchronizeStream,
             aclrtStreamQuery, aclrtMalloc,       aclrtFree,
             aclrtMemsetAsync, aclrtMemcpy,       nullptr};
}

#else

template <typename Function>
void Load(void* library, const char* name, Function* function) {
  *function = reinterpret_cast<Function>(dlsym(library, name));
  if (*function != nullptr) return;
  std::fprintf(stderr, "no symbol %s\n", name);
  std::_Exit(90);
}

inline Api OpenApi() {
  Api api;
  api.library = dlopen(ACLNN_CPU_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (api.library == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    std::_Exit(91);
  }
  Load(api.library, "aclInit", &api.Init);
  Load(api.library, "aclFinalize", &api.Finalize);
  Load(api.library, "aclrtSetDevice", &api.SetDevice);
  Load(api.library, "aclrtResetDevice", &api.ResetDevice);
  Load(api.library, "aclrtCreateStream", &api.CreateStream);
  Load(api.library, "aclrtSynchronizeStream", &api.SynchronizeStream);
  Load(api.library, "aclrtStreamQuery", &api.StreamQuery);
  Load(api.library, "aclrtMalloc", &api.Malloc);
  Load(api.library, "aclrtFree", &api.Free);
  Load(api.library, "aclrtMemsetAsync", &api.MemsetAsync);
  Load(api.library, "aclrtMemcpy", &api.Memcpy);
  return api;
}

#endif  // ACLNN_CPU_LINKED

#endif  // ACLNN_CPU_TESTS_PROCESS_API_H_
