// To be preloaded: a system without memfd_create().
#include <errno.h>

int memfd_create(const char* name, unsigned flags) {
  (void)name;
  (void)flags;
  errno = ENOSYS;
  return -1;
}
