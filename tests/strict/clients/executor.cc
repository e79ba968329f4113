// The life of an executor: one launch, or repeatable and destroyed.
#include "client.h"

namespace {

void LaunchedTwice(bool fault) {
  const Session session;
  Pool pool;
  pool.Run(session.stream);
  if (fault) MUST(pool.PhaseTwo(session.stream) == 561000 ? 0 : 1);
}

void NeverLaunched(bool fault) {
  const Session session;
  Pool pool;
  pool.PhaseOne();
  if (!fault) MUST(aclDestroyAclOpExecutor(pool.executor));
}

void NeverDestroyed(bool fault) {
  const Session session;
  Pool pool;
  pool.PhaseOne();
  MUST(aclSetAclOpExecutorRepeatable(pool.executor));
  MUST(pool.PhaseTwo(session.stream));
  MUST(pool.PhaseTwo(session.stream));
  MUST(aclrtSynchronizeStream(session.stream));
  if (!fault) MUST(aclDestroyAclOpExecutor(pool.executor));
}

void TensorDestroyed(bool fault) {
  const Session session;
  Pool pool;
  pool.PhaseOne();
  if (fault) {
    MUST(aclDestroyTensor(pool.out));
    pool.out = nullptr;
  }
  MUST(pool.PhaseTwo(session.stream));
  MUST(aclrtSynchronizeStream(session.stream));
}

void DestroyedTwice(bool fault) {
  const Session session;
  Pool pool;
  pool.PhaseOne();
  MUST(aclDestroyAclOpExecutor(pool.executor));
  if (fault) MUST(aclDestroyAclOpExecutor(pool.executor) != 0 ? 0 : 1);
}

}  // namespace

int main(int argc, char** argv) {
  return RunCase(argc, argv,
                 {{"launched_twice", LaunchedTwice},
                  {"never_launched", NeverLaunched},
                  {"never_destroyed", NeverDestroyed},
                  {"tensor_destroyed", TensorDestroyed},
                  {"destroyed_twice", DestroyedTwice}});
}
