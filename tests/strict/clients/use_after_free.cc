// Device memory is used after aclrtFree.
#include "client.h"

namespace {

void Copy(bool fault) {
  const Session session;
  void* const memory = AllocateFilled(64);
  char host[64];
  if (fault) MUST(aclrtFree(memory));
  MUST(aclrtMemcpy(host, sizeof(host), memory, sizeof(host), ACL_MEMCPY_DEVICE_TO_HOST));
  if (!fault) MUST(aclrtFree(memory));
}

// An asynchronous copy refuses what it takes for host memory at both ends.
void CopyAsync(bool fault) {
  const Session session;
  void* const memory = AllocateFilled(64);
  char host[64];
  if (fault) MUST(aclrtFree(memory));
  const aclError code = aclrtMemcpyAsync(host, sizeof(host), memory, sizeof(host),
                                         ACL_MEMCPY_DEVICE_TO_HOST, session.stream);
  MUST(fault == (code != ACL_SUCCESS) ? 0 : 1);
  MUST(aclrtSynchronizeStream(session.stream));
  if (!fault) MUST(aclrtFree(memory));
}

void Launch(bool fault) {
  const Session session;
  Pool pool;
  pool.PhaseOne();
  if (fault) {
    MUST(aclrtFree(pool.grad_memory));
    pool.grad_memory = nullptr;
  }
  MUST(pool.PhaseTwo(session.stream));
  MUST(aclrtSynchronizeStream(session.stream));
}

}  // namespace

int main(int argc, char** argv) {
  return RunCase(argc, argv, {{"copy", Copy}, {"copy_async", CopyAsync}, {"launch", Launch}});
}
