// Host memory is given where device memory is needed.
#include "client.h"

namespace {

void Heap(bool fault) {
  const Session session;
  Pool pool;
  std::vector<float> values(Pool::kGradBytes / sizeof(float), 1.0f);
  if (fault) {
    aclDestroyTensor(pool.grad);
    pool.grad = MakeTensor(3, 3, values.data());
  }
  pool.Run(session.stream);
}

// A card cannot run an operator on it either.
void MallocHost(bool fault) {
  const Session session;
  Pool pool;
  void* memory = nullptr;
  MUST(aclrtMallocHost(&memory, Pool::kOutBytes));
  if (fault) {
    aclDestroyTensor(pool.out);
    pool.out = MakeTensor(5, 5, memory);
  }
  pool.Run(session.stream);
  MUST(aclrtFreeHost(memory));
}

void Workspace(bool fault) {
  const Session session;
  Pool pool;
  pool.PhaseOne();
  void* heap = nullptr;
  MUST(posix_memalign(&heap, 64, pool.workspace_size));  // unaligned is a fault of its own
  void* const own = pool.workspace;
  if (fault) pool.workspace = heap;
  MUST(pool.PhaseTwo(session.stream));
  MUST(aclrtSynchronizeStream(session.stream));
  pool.workspace = own;
  std::free(heap);
}

}  // namespace

int main(int argc, char** argv) {
  return RunCase(argc, argv,
                 {{"heap", Heap}, {"malloc_host", MallocHost}, {"workspace", Workspace}});
}
