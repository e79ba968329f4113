#ifndef ACLNN_CPU_ASCENDCL_STREAM_H_
#define ACLNN_CPU_ASCENDCL_STREAM_H_

#include <pthread.h>
#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "ascendcl/event.h"
#include "ascendcl/work.h"
#include "base/light_mutex.h"
#include "base/status.h"
#include "base/threads.h"

namespace aclnn_cpu {

// One entry of a stream. Exactly one of the three is set.
struct StreamTask {
  std::unique_ptr<Work> work;
  std::shared_ptr<EventRecord> record;  // finished when reached
  EventWait wait;                       // holds up the stream until its record has finished
};

// A queue whose tasks run in order, one at a time: on the stream's worker, on a thread that waits
// for the stream, or, if the stream is idle and the task tiny, on the thread that enqueues it.
// Whoever finds a runnable head and nothing running may run it. No lock is held while a task runs.
//
// The worker sleeps when there is nothing to do and is started by the first task that is not run at
// once. Invariant: if the head is runnable and nothing runs, the worker is awake or a waiting
// thread is about to run it. A caller that leaves a wait by longjmp while it helps breaks the
// stream.
class Stream : public std::enable_shared_from_this<Stream> {
 public:
  enum class Help { kForbidden, kAllowed };  // whether a waiting thread may run tasks itself
  enum class Queued { kFinish, kDrop };      // what Close() does with tasks that have not started
  static constexpr int64_t kNoDeadline = -1;

  // `context` is the handle of the context it belongs to.
  Stream(const void* context, int32_t device) : context_(context), device_(device) {}
  ~Stream() { Close(Queued::kFinish); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  const void* context() const { return context_; }
  int32_t device() const { return device_; }

  // The caller's handle, for messages; null for a default stream.
  const void* handle() const { return handle_; }
  void SetHandle(const void* handle) { handle_ = handle; }

  // Adds a task and returns its ticket: tasks are numbered from 1 in the order in which they run.
  // Waits, helping, while the queue is full. Fails with 107017 once the stream is closed.
  StatusOr<uint64_t> Enqueue(StreamTask task);

  // Does what Enqueue() would do if the stream is idle and `work` is tiny, without an allocation
  // for the task; false, and nothing has happened, if not, if the stream is closed, and in strict
  // mode.
  bool RunIfTiny(Work& work);

  // Ticket of the last task enqueued.
  uint64_t LastTicket() const { return submitted_.load(std::memory_order_acquire); }

  bool IsIdle() const { return IsDone(LastTicket()); }

  // The task `ticket` and all before it have ended.
  bool IsDone(uint64_t ticket) const {
    return completed_.load(std::memory_order_acquire) >= ticket;
  }

  // Waits until the task `ticket` and all before it have ended; false if the deadline (of the
  // monotonic clock) came first.
  bool WaitFor(uint64_t ticket, Help help, int64_t deadline_ns = kNoDeadline);
  // The same, but strict mode does not take it as the program's wait for the stream.
  bool WaitUntilDone(uint64_t ticket, Help help, int64_t deadline_ns);

  // The first failure since the last call among the tasks up to `ticket`.
  Status TakeError(uint64_t ticket);

  // An event that the head may wait for has finished.
  void Poke();

  // From now on, waits for an event that nobody has recorded yet fail instead of holding up the
  // stream: called before somebody waits for all streams, who could wait for ever.
  void GiveUpOpenWaits();
  // Takes that back.
  void KeepOpenWaits();

  uint32_t order_agent = 0;  // who the stream is in strict mode, which guards it

  // Joins the worker once the queue is empty; a later task starts a new one.
  void StopWorker();

  // Refuses new tasks, gives up open waits, finishes or drops what is queued, and joins the worker.
  // Dropped tasks count as done, their events as reached. May be called again.
  void Close(Queued queued);

 private:
  using Lock = std::unique_lock<LightMutex>;

  uint64_t NewTicket();
  bool IsRunnable(const StreamTask& task) const;
  bool HeadIsRunnable() const;
  size_t Capacity() const;
  Status MakeRoom(Lock& lock);
  void GrowRing();
  void Push(StreamTask task);
  StreamTask Pop();
  void RunUnlocked(Lock& lock, StreamTask task);
  void EndTask(Lock& lock, Status status);
  void CountDone(Lock& lock, uint64_t tasks);
  void Sleep(Lock& lock, uint64_t ticket, int64_t deadline_ns);
  void DropQueued();
  Status StartWorker();
  void WakeWorker(Lock& lock);
  void WorkerLoop();

  const void* const context_;
  const int32_t device_;
  const void* handle_ = nullptr;

  mutable LightMutex mutex_;
  std::vector<StreamTask> ring_;  // empty until the first task is queued; guarded, as all up to
  size_t head_ = 0;               // completed_, by mutex_
  size_t queued_ = 0;
  bool running_ = false;  // someone runs the task that was the head
  bool closed_ = false;
  bool gives_up_open_waits_ = false;
  Status error_;
  uint64_t error_ticket_ = 0;

  bool worker_exists_ = false;
  bool worker_asleep_ = false;
  bool worker_shall_stop_ = false;
  pthread_t worker_{};
  pid_t worker_tid_ = 0;
  Placement placement_;  // of the worker

  int sleepers_ = 0;               // threads in Sleep()
  uint64_t wake_at_ = UINT64_MAX;  // the smallest ticket a sleeper waits for

  std::atomic<uint64_t> submitted_{0};  // written under mutex_, as the next two
  std::atomic<uint64_t> completed_{0};
  std::atomic<bool> has_error_{false};    // set before completed_ gets past the failed task
  std::atomic<uint32_t> done_word_{0};    // sleepers sleep on this
  std::atomic<uint32_t> worker_word_{0};  // the worker sleeps on this
  std::mutex join_mutex_;                 // one StopWorker() at a time; taken before mutex_
};

}  // namespace aclnn_cpu

#endif  // ACLNN_CPU_ASCENDCL_STREAM_H_
