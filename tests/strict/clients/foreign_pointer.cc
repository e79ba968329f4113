// aclrtFree, copies and operators get addresses that are none of an allocation.
#include "client.h"

namespace {

void FreeInside(bool fault) {
  const Session session;
  char* const memory = static_cast<char*>(Allocate(64));
  if (fault) MUST(aclrtFree(memory + 32) == ACL_ERROR_RT_PARAM_INVALID ? 0 : 1);
  MUST(aclrtFree(memory));
}

void FreeHeap(bool fault) {
  const Session session;
  void* const memory = std::malloc(64);
  if (fault) MUST(aclrtFree(memory) == ACL_ERROR_RT_PARAM_INVALID ? 0 : 1);
  std::free(memory);
}

void FreeOtherKind(bool fault) {
  const Session session;
  void* memory = nullptr;
  MUST(aclrtMallocHost(&memory, 64));
  if (fault) MUST(aclrtFree(memory) == ACL_ERROR_RT_PARAM_INVALID ? 0 : 1);
  MUST(aclrtFreeHost(memory));
}

void CopyFromNowhere(bool fault) {
  const Session session;
  char* const memory = static_cast<char*>(AllocateFilled(64));
  char host[64];
  const char* const source = fault ? memory + 2 * 4096 : memory;
  MUST(aclrtMemcpy(host, sizeof(host), source, sizeof(host), ACL_MEMCPY_DEVICE_TO_HOST));
  MUST(aclrtFree(memory));
}

// An operator, which works on it all the same in report mode. Without strict mode nothing may lie
// there at all.
void LaunchNowhere(bool fault) {
  fault = fault && std::getenv("ACLNN_CPU_STRICT") != nullptr && *std::getenv("ACLNN_CPU_STRICT");
  const Session session;
  Pool pool;
  char* const memory = static_cast<char*>(AllocateFilled(64));
  aclDestroyTensor(pool.grad);
  pool.grad = MakeTensor(3, 3, fault ? memory + 64 * 4096 : pool.grad_memory);
  pool.Run(session.stream);
  MUST(aclrtFree(memory));
}

}  // namespace

int main(int argc, char** argv) {
  return RunCase(argc, argv,
                 {{"free_inside", FreeInside},
                  {"free_heap", FreeHeap},
                  {"free_other_kind", FreeOtherKind},
                  {"copy_from_nowhere", CopyFromNowhere},
                  {"launch_nowhere", LaunchNowhere}});
}
