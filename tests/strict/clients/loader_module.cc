// Calls the library while the dynamic loader runs the constructors.
#include <unistd.h>

#include "acl/acl.h"

namespace {

struct OnLoad {
  OnLoad() {
    aclrtSetDevice(0);
    usleep(20000);  // so that others wait for the loader meanwhile
    void* memory = nullptr;
    if (aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST) != 0) return;
    static_cast<volatile char*>(memory)[0] = 1;
    aclrtFree(memory);
    aclrtResetDevice(0);
  }
};
const OnLoad on_load;

}  // namespace
