// Memory is touched while work in a stream that touches it has not been waited for.
#include "client.h"

namespace {

void ReadResult(bool fault) {
  const Session session;
  Pool pool;
  pool.Launch(session.stream);
  if (!fault) MUST(aclrtSynchronizeStream(session.stream));
  ReadBack(pool.out_memory, Pool::kOutBytes);
  MUST(aclrtSynchronizeStream(session.stream));
}

void Overwrite(bool fault) {
  const Session session;
  Pool pool;
  pool.Launch(session.stream);
  if (!fault) MUST(aclrtSynchronizeStream(session.stream));
  MUST(aclrtMemset(pool.grad_memory, Pool::kGradBytes, 1, Pool::kGradBytes));
  MUST(aclrtSynchronizeStream(session.stream));
}

void Free(bool fault) {
  const Session session;
  Pool pool;
  pool.Launch(session.stream);
  if (!fault) MUST(aclrtSynchronizeStream(session.stream));
  MUST(aclrtFree(pool.out_memory));
  pool.out_memory = nullptr;
  MUST(aclrtSynchronizeStream(session.stream));
}

void SecondStream(bool fault) {
  const Session session;
  const Extra second;
  Pool pool;
  pool.Launch(session.stream);
  MUST(aclrtRecordEvent(second.event, session.stream));
  if (!fault) MUST(aclrtStreamWaitEvent(second.stream, second.event));
  MUST(aclrtMemsetAsync(pool.out_memory, Pool::kOutBytes, 1, Pool::kOutBytes, second.stream));
  MUST(aclrtSynchronizeDevice());
}

// The event was recorded before the work that matters.
void EventTooEarly(bool fault) {
  const Session session;
  aclrtEvent event = nullptr;
  MUST(aclrtCreateEvent(&event));
  Pool pool;
  if (fault) MUST(aclrtRecordEvent(event, session.stream));
  pool.Launch(session.stream);
  if (!fault) MUST(aclrtRecordEvent(event, session.stream));
  MUST(aclrtSynchronizeEvent(event));
  ReadBack(pool.out_memory, Pool::kOutBytes);
  MUST(aclrtSynchronizeStream(session.stream));
  MUST(aclrtDestroyEvent(event));
}

// Nobody waits for the event, so that no wait is open says nothing about it.
void NoWaitIsOpen(bool fault) {
  const Session session;
  const Extra second;
  Pool pool;
  pool.Launch(session.stream);
  MUST(aclrtRecordEvent(second.event, session.stream));
  if (!fault) MUST(aclrtStreamWaitEvent(second.stream, second.event));
  aclrtEventWaitStatus status = ACL_EVENT_WAIT_STATUS_NOT_READY;
  while (status != ACL_EVENT_WAIT_STATUS_COMPLETE)
    MUST(aclrtQueryEventWaitStatus(second.event, &status));
  ReadBack(pool.out_memory, Pool::kOutBytes);
  MUST(aclrtSynchronizeDevice());
}

// Pinned host memory is freed while a copy still reads it.
void FreeHost(bool fault) {
  const Session session;
  void* host = nullptr;
  MUST(aclrtMallocHost(&host, 64));
  std::memset(host, 0, 64);
  void* const memory = Allocate(64);
  MUST(aclrtMemcpyAsync(memory, 64, host, 64, ACL_MEMCPY_HOST_TO_DEVICE, session.stream));
  if (!fault) MUST(aclrtSynchronizeStream(session.stream));
  MUST(aclrtFreeHost(host));
  MUST(aclrtSynchronizeStream(session.stream));
  MUST(aclrtFree(memory));
}

}  // namespace

int main(int argc, char** argv) {
  return RunCase(argc, argv,
                 {{"read_back", ReadResult},
                  {"overwrite", Overwrite},
                  {"free", Free},
                  {"second_stream", SecondStream},
                  {"event_too_early", EventTooEarly},
                  {"no_wait_is_open", NoWaitIsOpen},
                  {"free_host", FreeHost}});
}
