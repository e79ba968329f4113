// The same memory is freed twice.
#include "client.h"

namespace {

void Device(bool fault) {
  const Session session;
  void* const memory = Allocate(64);
  MUST(aclrtFree(memory));
  if (fault) MUST(aclrtFree(memory) == ACL_ERROR_RT_PARAM_INVALID ? 0 : 1);
}

void Host(bool fault) {
  const Session session;
  void* memory = nullptr;
  MUST(aclrtMallocHost(&memory, 64));
  MUST(aclrtFreeHost(memory));
  if (fault) MUST(aclrtFreeHost(memory) == ACL_ERROR_RT_PARAM_INVALID ? 0 : 1);
}

}  // namespace

int main(int argc, char** argv) {
  return RunCase(argc, argv, {{"device", Device}, {"host", Host}});
}
