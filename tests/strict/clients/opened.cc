// Finds the library when it runs, and leaves it open or closes it before the process ends.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

#include "acl/acl.h"

namespace {

template <typename Function>
Function Find(void* library, const char* name) {
  void* const symbol = dlsym(library, name);
  if (symbol == nullptr) std::exit(4);
  return reinterpret_cast<Function>(symbol);
}

}  // namespace

int main(int argc, char** argv) {
  void* const library = dlopen(argv[argc - 1], RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    return 3;
  }
  void* memory = nullptr;
  if (Find<decltype(&aclrtSetDevice)>(library, "aclrtSetDevice")(0) != 0) return 5;
  if (Find<decltype(&aclrtMalloc)>(library, "aclrtMalloc")(&memory, 64,
                                                           ACL_MEM_MALLOC_HUGE_FIRST) != 0)
    return 6;
  static_cast<volatile char*>(memory)[5] = 1;  // host-access; and never freed: leak
  return dlclose(library);
}
