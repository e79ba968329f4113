// A data pointer or workspace that is no multiple of 32. Where the offset leads does not matter.
#include "client.h"

namespace {

void Pointer(bool fault) {
  const Session session;
  Pool pool;
  char* const memory = static_cast<char*>(AllocateFilled(4096));
  aclDestroyTensor(pool.grad);
  pool.grad = fault ? MakeTensor(3, 3, memory + 16) : MakeTensor(3, 3, memory, 4);
  pool.Run(session.stream);
  MUST(aclrtFree(memory));
}

void Workspace(bool fault) {
  const Session session;
  Pool pool;
  char* const memory = static_cast<char*>(Allocate(1 << 16));
  pool.workspace = memory + (fault ? 16 : 32);
  pool.Run(session.stream);
  pool.workspace = memory;
}

}  // namespace

int main(int argc, char** argv) {
  return RunCase(argc, argv, {{"pointer", Pointer}, {"workspace", Workspace}});
}
