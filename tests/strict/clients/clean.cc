// Correct programs of the kinds that a checker could take for wrong. None may be reported.
#include <thread>

#include "client.h"

namespace {

// Producer and consumer on two streams, there and back, the event recorded again each time.
void EventsOrderStreams(bool) {
  const Session session;
  Extra second;
  aclrtEvent back = nullptr;
  MUST(aclrtCreateEventWithFlag(&back, ACL_EVENT_SYNC));
  {
    Pool pool;
    for (int round = 0; round < 5; ++round) {
      pool.Launch(session.stream);
      MUST(aclrtRecordEvent(second.event, session.stream));
      MUST(aclrtStreamWaitEvent(second.stream, second.event));
      MUST(aclrtMemsetAsync(pool.out_memory, Pool::kOutBytes, 1, Pool::kOutBytes, second.stream));
      MUST(aclrtRecordEvent(back, second.stream));
      MUST(aclrtStreamWaitEvent(session.stream, back));
    }
    MUST(aclrtSynchronizeStream(second.stream));
    ReadBack(pool.out_memory, Pool::kOutBytes);
    MUST(aclrtSynchronizeStream(session.stream));
  }
  MUST(aclrtDestroyEvent(back));
}

// The wait is enqueued before the record: CANN's flag for events between streams.
void WaitBeforeRecord(bool) {
  const Session session;
  Extra second;
  aclrtEvent event = nullptr;
  MUST(aclrtCreateEventWithFlag(&event, ACL_EVENT_SYNC));
  void* const memory = Allocate(64);
  void* const copy = Allocate(64);
  MUST(aclrtStreamWaitEvent(second.stream, event));
  MUST(aclrtMemcpyAsync(copy, 64, memory, 64, ACL_MEMCPY_DEVICE_TO_DEVICE, second.stream));
  MUST(aclrtMemsetAsync(memory, 64, 1, 64, session.stream));
  MUST(aclrtRecordEvent(event, session.stream));
  MUST(aclrtSynchronizeStream(second.stream));
  ReadBack(copy, 64);
  MUST(aclrtFree(copy));
  MUST(aclrtFree(memory));
  MUST(aclrtDestroyEvent(event));
}

void SynchronizeDevice(bool) {
  const Session session;
  Extra second;
  Pool a;
  Pool b;
  a.Launch(session.stream);
  b.Launch(second.stream);
  MUST(aclrtSynchronizeDevice());
  ReadBack(a.out_memory, Pool::kOutBytes);
  ReadBack(b.out_memory, Pool::kOutBytes);
}

// Each thread uses what another has enqueued on the same stream.
void StreamOfSeveralThreads(bool) {
  const Session session;
  Pool pool;
  for (int i = 0; i < 4; ++i) {
    std::thread([&] {
      MUST(aclrtSetDevice(0));
      pool.Launch(session.stream);
      MUST(aclrtResetDevice(0));
    }).join();
  }
  std::thread([&] { MUST(aclrtSynchronizeStream(session.stream)); }).join();
  ReadBack(pool.out_memory, Pool::kOutBytes);
}

void DefaultStream(bool) {
  const Session session;
  Pool pool;
  pool.Launch(nullptr);
  pool.Launch(nullptr);
  MUST(aclrtSynchronizeStream(nullptr));
  ReadBack(pool.out_memory, Pool::kOutBytes);
}

void RepeatedExecutor(bool) {
  const Session session;
  Pool pool;
  pool.PhaseOne();
  MUST(aclSetAclOpExecutorRepeatable(pool.executor));
  for (int i = 0; i < 3; ++i) MUST(pool.PhaseTwo(session.stream));
  MUST(aclrtSynchronizeStream(session.stream));
  void* const other = Allocate(Pool::kOutBytes);
  MUST(aclSetOutputTensorAddr(pool.executor, 0, pool.out, other));
  MUST(pool.PhaseTwo(session.stream));
  MUST(aclrtSynchronizeStream(session.stream));
  ReadBack(other, Pool::kOutBytes);
  MUST(aclDestroyAclOpExecutor(pool.executor));
  MUST(aclrtFree(other));
}

// The host fills and reads pinned memory itself.
void PinnedMemory(bool) {
  const Session session;
  void* host = nullptr;
  MUST(aclrtMallocHost(&host, 64));
  std::memset(host, 1, 64);
  void* const memory = Allocate(64);
  MUST(aclrtMemcpyAsync(memory, 64, host, 64, ACL_MEMCPY_HOST_TO_DEVICE, session.stream));
  MUST(aclrtMemcpyAsync(host, 64, memory, 64, ACL_MEMCPY_DEVICE_TO_HOST, session.stream));
  MUST(aclrtSynchronizeStream(session.stream));
  MUST(static_cast<char*>(host)[63] == 1 ? 0 : 1);
  MUST(aclrtFree(memory));
  MUST(aclrtFreeHost(host));
}

// A copy with ordinary host memory is done when the call returns.
void OrdinaryHostMemory(bool) {
  const Session session;
  char host[64] = {};
  void* const memory = Allocate(64);
  MUST(aclrtMemcpyAsync(memory, 64, host, 64, ACL_MEMCPY_HOST_TO_DEVICE, session.stream));
  MUST(aclrtMemcpyAsync(host, 64, memory, 64, ACL_MEMCPY_DEVICE_TO_HOST, session.stream));
  MUST(aclrtFree(memory));
}

// Asking until the answer is yes is a way to wait.
void Polling(bool) {
  const Session session;
  Extra second;
  Pool pool;
  pool.Launch(session.stream);
  aclrtStreamStatus status = ACL_STREAM_STATUS_NOT_READY;
  while (status != ACL_STREAM_STATUS_COMPLETE) MUST(aclrtStreamQuery(session.stream, &status));
  ReadBack(pool.out_memory, Pool::kOutBytes);
  pool.Launch(session.stream);
  MUST(aclrtRecordEvent(second.event, session.stream));
  aclrtEventRecordedStatus recorded = ACL_EVENT_RECORDED_STATUS_NOT_READY;
  while (recorded != ACL_EVENT_RECORDED_STATUS_COMPLETE)
    MUST(aclrtQueryEventStatus(second.event, &recorded));
  ReadBack(pool.out_memory, Pool::kOutBytes);
}

// A wait that is over has been for an event that was reached, even if it was reset meanwhile.
void WaitStatus(bool) {
  const Session session;
  Extra second;
  Pool pool;
  for (const bool reset : {false, true}) {
    pool.Launch(session.stream);
    MUST(aclrtRecordEvent(second.event, session.stream));
    MUST(aclrtStreamWaitEvent(second.stream, second.event));
    if (reset) MUST(aclrtResetEvent(second.event, session.stream));
    aclrtEventWaitStatus status = ACL_EVENT_WAIT_STATUS_NOT_READY;
    while (status != ACL_EVENT_WAIT_STATUS_COMPLETE)
      MUST(aclrtQueryEventWaitStatus(second.event, &status));
    ReadBack(pool.out_memory, Pool::kOutBytes);
  }
}

// Whoever gets the time between two events knows that both were reached.
void ElapsedTime(bool) {
  const Session session;
  Extra start;
  Extra end;
  Pool pool;
  MUST(aclrtRecordEvent(start.event, session.stream));
  pool.Launch(session.stream);
  MUST(aclrtRecordEvent(end.event, session.stream));
  float ms = 0;
  while (aclrtEventElapsedTime(&ms, start.event, end.event) != 0) {
  }
  ReadBack(pool.out_memory, Pool::kOutBytes);
}

// Two streams write the two channels of one buffer, whose rows lie between each other.
void InterleavedViews(bool) {
  const Session session;
  Extra second;
  void* const both = Allocate(2 * Pool::kOutBytes);
  {
    Pool pools[2];
    for (int i = 0; i < 2; ++i) {
      const int64_t dims[] = {1, 2, 5, 5};
      const int64_t strides[] = {100, 50, 10, 1};
      const int64_t storage[] = {100};
      aclDestroyTensor(pools[i].out);
      pools[i].out =
          aclCreateTensor(dims, 4, ACL_FLOAT, strides, 5 * i, ACL_FORMAT_NCHW, storage, 1, both);
      pools[i].Launch(i == 0 ? session.stream : second.stream);
    }
    MUST(aclrtSynchronizeDevice());
  }
  ReadBack(both, 2 * Pool::kOutBytes);
  MUST(aclrtFree(both));
}

// A block goes from call to call on one stream, as caching allocators have it.
void ReuseInStreamOrder(bool) {
  const Session session;
  Pool a;
  Pool b;
  b.workspace = Allocate(1 << 16);
  a.workspace = b.workspace;
  a.Launch(session.stream);
  b.Launch(session.stream);
  MUST(aclrtMemsetAsync(b.workspace, 1 << 16, 0, 1 << 16, session.stream));
  MUST(aclrtSynchronizeStream(session.stream));
  a.workspace = nullptr;
}

// The tensors go as soon as phase two has returned.
void TensorsGoEarly(bool) {
  const Session session;
  Pool pool;
  pool.Launch(session.stream);
  for (aclTensor** tensor : {&pool.grad, &pool.self, &pool.out}) {
    MUST(aclDestroyTensor(*tensor));
    *tensor = nullptr;
  }
  MUST(aclrtSynchronizeStream(session.stream));
}

// Streams end the work on them, and new ones take their places.
void StreamsComeAndGo(bool) {
  const Session session;
  Pool pool;
  for (int i = 0; i < 20; ++i) {
    Extra own;
    pool.Launch(own.stream);
    MUST(aclrtDestroyStream(own.stream));
    MUST(aclrtCreateStream(&own.stream));
    ReadBack(pool.out_memory, Pool::kOutBytes);
  }
}

// self of this operator gives its shape only.
void UnusedDataMayBeAnything(bool) {
  const Session session;
  Pool pool;
  int on_the_stack = 0;
  aclDestroyTensor(pool.self);
  pool.self = MakeTensor(5, 5, &on_the_stack);
  pool.Run(session.stream);
}

// More addresses than are kept apart at once, so that freed memory goes back and comes again.
void ManyAllocations(bool) {
  const Session session;
  for (int i = 0; i < 20000; ++i) MUST(aclrtFree(AllocateFilled(4096)));
  for (int i = 0; i < 40; ++i) MUST(aclrtFree(AllocateFilled(size_t{64} << 20)));
}

// Threads with a stream each, all at once, and some memory that all read.
void ThreadsAtOnce(bool) {
  const Session session;
  void* const shared = AllocateFilled(Pool::kGradBytes);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([shared] {
      MUST(aclrtSetDevice(0));
      for (int round = 0; round < 20; ++round) {
        Extra own;
        Pool pool;
        aclDestroyTensor(pool.grad);
        pool.grad = MakeTensor(3, 3, shared);
        pool.Launch(own.stream);
        MUST(aclrtRecordEvent(own.event, own.stream));
        MUST(aclrtSynchronizeEvent(own.event));
        ReadBack(pool.out_memory, Pool::kOutBytes);
      }
      MUST(aclrtResetDevice(0));
    });
  }
  for (std::thread& thread : threads) thread.join();
  MUST(aclrtFree(shared));
}

// A call that fails has touched nothing.
void RefusedCopy(bool) {
  const Session session;
  void* pinned = nullptr;
  MUST(aclrtMallocHost(&pinned, 64));
  void* const memory = AllocateFilled(64);
  char host[64] = {};
  MUST(aclrtMemcpyAsync(pinned, 64, memory, 64, ACL_MEMCPY_DEVICE_TO_HOST, session.stream));
  MUST(aclrtMemcpyAsync(host, 64, pinned, 64, ACL_MEMCPY_DEVICE_TO_HOST, session.stream) != 0 ? 0
                                                                                              : 1);
  MUST(aclrtSynchronizeStream(session.stream));
  MUST(aclrtFree(memory));
  MUST(aclrtFreeHost(pinned));
}

// A repeatable executor ends with the launch that fails.
void FailedLaunch(bool) {
  const Session session;
  Pool pool;
  pool.PhaseOne();
  MUST(aclSetAclOpExecutorRepeatable(pool.executor));
  MUST(pool.PhaseTwo(&pool) != 0 ? 0 : 1);  // no stream
}

void FinalizeAndStartAgain(bool) {
  for (int i = 0; i < 3; ++i) {
    const Session session;
    Pool pool;
    pool.Run(session.stream);
    ReadBack(pool.out_memory, Pool::kOutBytes);
  }
}

}  // namespace

int main(int argc, char** argv) {
  return RunCase(argc, argv,
                 {{"events_order_streams", EventsOrderStreams},
                  {"wait_before_record", WaitBeforeRecord},
                  {"synchronize_device", SynchronizeDevice},
                  {"stream_of_several_threads", StreamOfSeveralThreads},
                  {"default_stream", DefaultStream},
                  {"repeated_executor", RepeatedExecutor},
                  {"pinned_memory", PinnedMemory},
                  {"ordinary_host_memory", OrdinaryHostMemory},
                  {"polling", Polling},
                  {"wait_status", WaitStatus},
                  {"elapsed_time", ElapsedTime},
                  {"interleaved_views", InterleavedViews},
                  {"reuse_in_stream_order", ReuseInStreamOrder},
                  {"tensors_go_early", TensorsGoEarly},
                  {"streams_come_and_go", StreamsComeAndGo},
                  {"unused_data_may_be_anything", UnusedDataMayBeAnything},
                  {"many_allocations", ManyAllocations},
                  {"threads_at_once", ThreadsAtOnce},
                  {"refused_copy", RefusedCopy},
                  {"failed_launch", FailedLaunch},
                  {"finalize_and_start_again", FinalizeAndStartAgain}});
}
