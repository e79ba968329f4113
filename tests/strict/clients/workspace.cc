// What can be wrong with a workspace.
#include "client.h"

namespace {

void TooSmall(bool fault) {
  const Session session;
  Pool pool;
  pool.PhaseOne();
  if (fault) {
    --pool.workspace_size;
    MUST(pool.PhaseTwo(session.stream) == 161002 ? 0 : 1);
  } else {
    MUST(pool.PhaseTwo(session.stream));
  }
  MUST(aclrtSynchronizeStream(session.stream));
}

void Null(bool fault) {
  const Session session;
  Pool pool;
  pool.PhaseOne();
  void* const own = pool.workspace;
  if (fault) {
    pool.workspace = nullptr;
    MUST(pool.PhaseTwo(session.stream) == 161001 ? 0 : 1);
  } else {
    MUST(pool.PhaseTwo(session.stream));
  }
  MUST(aclrtSynchronizeStream(session.stream));
  pool.workspace = own;
}

// The size passed on is right, what was allocated is not.
void SmallAllocation(bool fault) {
  const Session session;
  Pool pool;
  pool.workspace = Allocate(1 << 16);
  pool.PhaseOne();
  if (fault) pool.workspace_size = 1 << 17;
  MUST(pool.PhaseTwo(session.stream));
  MUST(aclrtSynchronizeStream(session.stream));
}

// Allocations are bigger than asked for, which the card's next version may not be.
void SmallByOneByte(bool fault) {
  const Session session;
  Pool pool;
  pool.PhaseOne();
  MUST(aclrtFree(pool.workspace));
  pool.workspace = Allocate(pool.workspace_size - (fault ? 1 : 0));
  MUST(pool.PhaseTwo(session.stream));
  MUST(aclrtSynchronizeStream(session.stream));
}

void Overlap(bool fault) {
  const Session session;
  Pool pool;
  char* const both = static_cast<char*>(Allocate(1 << 16));
  aclDestroyTensor(pool.out);
  pool.out = MakeTensor(5, 5, both + 4096);
  pool.workspace = both + (fault ? 0 : 8192);
  pool.PhaseOne();
  if (fault) pool.workspace_size = 8192;
  MUST(pool.PhaseTwo(session.stream));
  MUST(aclrtSynchronizeStream(session.stream));
  pool.workspace = nullptr;
  MUST(aclrtFree(both));
}

void FreedTooEarly(bool fault) {
  const Session session;
  Pool pool;
  pool.Launch(session.stream);
  if (!fault) MUST(aclrtSynchronizeStream(session.stream));
  MUST(aclrtFree(pool.workspace));
  pool.workspace = nullptr;
  MUST(aclrtSynchronizeStream(session.stream));
}

// Two streams at once on one workspace; two calls on one stream may share it.
void SharedByStreams(bool fault) {
  const Session session;
  aclrtStream second = nullptr;
  MUST(aclrtCreateStream(&second));
  Pool a;
  Pool b;
  a.Launch(session.stream);
  b.workspace = a.workspace;
  b.Launch(fault ? second : session.stream);
  b.workspace = nullptr;
  MUST(aclrtSynchronizeStream(session.stream));
  MUST(aclrtSynchronizeStream(second));
  MUST(aclrtDestroyStream(second));
}

}  // namespace

int main(int argc, char** argv) {
  return RunCase(argc, argv,
                 {{"too_small", TooSmall},
                  {"null", Null},
                  {"small_allocation", SmallAllocation},
                  {"small_by_one_byte", SmallByOneByte},
                  {"overlap", Overlap},
                  {"freed_too_early", FreedTooEarly},
                  {"shared_by_streams", SharedByStreams}});
}
