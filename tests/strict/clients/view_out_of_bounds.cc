// A tensor or a copy reaches beyond its allocation.
#include "client.h"

namespace {

// The offset moves the view behind the end.
void Offset(bool fault) {
  const Session session;
  Pool pool;
  aclDestroyTensor(pool.grad);
  pool.grad = MakeTensor(3, 3, pool.grad_memory, fault ? 1 : 0);
  pool.Run(session.stream);
}

void SmallAllocation(bool fault) {
  const Session session;
  Pool pool;
  void* const small = Allocate(Pool::kOutBytes - (fault ? 4 : 0));
  aclDestroyTensor(pool.out);
  pool.out = MakeTensor(5, 5, small);
  pool.Run(session.stream);
  MUST(aclrtFree(small));
}

// Strides with gaps, whose storage is said to be bigger than the memory is.
void Storage(bool fault) {
  const Session session;
  Pool pool;
  void* const memory = Allocate(400);
  const int64_t dims[] = {1, 2, 5, 5};
  const int64_t strides[] = {100, 50, 10, 1};
  const int64_t storage[] = {fault ? 200 : 100};
  aclDestroyTensor(pool.out);
  pool.out = aclCreateTensor(dims, 4, ACL_FLOAT, strides, 0, ACL_FORMAT_NCHW, storage, 1, memory);
  pool.Run(session.stream);
  MUST(aclrtFree(memory));
}

void Copy(bool fault) {
  const Session session;
  void* const memory = Allocate(64);
  const char host[80] = {};
  const size_t count = fault ? 80 : 64;
  MUST(aclrtMemcpy(memory, count, host, count, ACL_MEMCPY_HOST_TO_DEVICE));
  MUST(aclrtFree(memory));
}

// Below a block, whether others lie there or not.
void CopyBelow(bool fault) {
  const Session session;
  char* const memory = static_cast<char*>(AllocateFilled(64));
  char host[64];
  char* const from = memory - (fault ? 4 : 0);
  MUST(aclrtMemcpy(host, 60, from, 60, ACL_MEMCPY_DEVICE_TO_HOST));
  MUST(aclrtFree(memory));
}

void CopyBelowTheSecond(bool fault) {
  const Session session;
  void* const first = AllocateFilled(64);
  char* const second = static_cast<char*>(AllocateFilled(64));
  char host[64];
  char* const from = second - (fault ? 4 : 0);
  MUST(aclrtMemcpy(host, 60, from, 60, ACL_MEMCPY_DEVICE_TO_HOST));
  MUST(aclrtFree(first));
  MUST(aclrtFree(second));
}

}  // namespace

int main(int argc, char** argv) {
  return RunCase(argc, argv,
                 {{"offset", Offset},
                  {"small_allocation", SmallAllocation},
                  {"storage", Storage},
                  {"copy", Copy},
                  {"copy_below", CopyBelow},
                  {"copy_below_the_second", CopyBelowTheSecond}});
}
