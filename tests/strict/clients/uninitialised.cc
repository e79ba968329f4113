// Memory is read that nothing has written.
#include "client.h"

namespace {

void Input(bool fault) {
  const Session session;
  Pool pool;
  void* const fresh = Allocate(Pool::kGradBytes);
  if (!fault) MUST(aclrtMemset(fresh, Pool::kGradBytes, 0, Pool::kGradBytes));
  aclDestroyTensor(pool.grad);
  pool.grad = MakeTensor(3, 3, fresh);
  pool.Run(session.stream);
  MUST(aclrtFree(fresh));
}

void HalfWritten(bool fault) {
  const Session session;
  void* const memory = Allocate(64);
  const size_t written = fault ? 60 : 64;
  MUST(aclrtMemset(memory, 64, 0, written));
  char host[64];
  MUST(aclrtMemcpy(host, sizeof(host), memory, sizeof(host), ACL_MEMCPY_DEVICE_TO_HOST));
  MUST(aclrtFree(memory));
}

}  // namespace

int main(int argc, char** argv) {
  return RunCase(argc, argv, {{"input", Input}, {"half_written", HalfWritten}});
}
