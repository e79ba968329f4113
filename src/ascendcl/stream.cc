#include "ascendcl/stream.h"

#include <unistd.h>

#include <algorithm>
#include <exception>
#include <new>
#include <utility>

#include "acl/acl_base.h"
#include "ascendcl/strict.h"
#include "ascendcl/strict_findings.h"
#include "ascendcl/strict_hooks.h"
#include "base/fp_environment.h"
#include "base/futex.h"

namespace aclnn_cpu {
namespace {

// Tasks that can wait in a stream. An enqueuer that meets a full queue helps to empty it; only
// where it cannot, because the head waits for an event, the queue grows.
constexpr size_t kRingCapacity = 1024;

// Waking a sleeping worker costs the caller 4 to 13 us, so a task of that length is run by the
// caller instead.
constexpr double kRunAtOnceMicroseconds = 10;

// How long a waiting thread spins before it sleeps: about what sleeping and being woken cost.
constexpr int64_t kSpinNs = 20'000;

// A woken thread may be left on its waker's CPU for milliseconds; preventing that costs a
// microsecond or two and pays for work of this length.
constexpr double kPlacementMicroseconds = 200;

// The text of a failure may find no memory, as the work itself did not; then the code has to do.
template <typename... Args>
Status Failure(int32_t code, fmt::format_string<Args...> format, Args&&... args) noexcept {
  try {
    return MakeError(code, format, std::forward<Args>(args)...);
  } catch (...) {
    return Status(code, {});
  }
}

Status RunWork(Work& work) noexcept {
  const ScopedFpEnvironment fp_environment;
  try {
    return work.Run();
  } catch (const std::bad_alloc&) {
    return Failure(ACL_ERROR_RT_MEMORY_ALLOCATION, "out of memory while queued work ran");
  } catch (const std::exception& error) {
    return Failure(ACL_ERROR_RT_INTERNAL_ERROR, "queued work failed: {}", error.what());
  } catch (...) {
    return Failure(ACL_ERROR_RT_INTERNAL_ERROR, "queued work failed");
  }
}

Status RunTask(const StreamTask& task) noexcept {
  if (task.work != nullptr) return RunWork(*task.work);
  if (task.record != nullptr) task.record->Finish();
  if (task.wait.record != nullptr && !task.wait.record->reached())
    return Failure(ACL_ERROR_RT_INTERNAL_ERROR,
                   "the stream waited for an event that was not recorded before the event or the "
                   "stream was destroyed, or aclFinalize was called");
  return Status();
}

bool IsTiny(const Work& work) { return work.EstimatedMicroseconds() <= kRunAtOnceMicroseconds; }

bool IsLong(const StreamTask& task) {
  return task.work != nullptr && task.work->EstimatedMicroseconds() >= kPlacementMicroseconds;
}

}  // namespace

StatusOr<uint64_t> Stream::Enqueue(StreamTask task) {
  const bool tiny = task.work == nullptr || IsTiny(*task.work);
  if (task.wait.record != nullptr) task.wait.record->PokeWhenFinished(weak_from_this());

  FindingList findings;
  if (StrictOn()) StrictBeforeTask(*this, task);
  Lock lock(mutex_);
  RETURN_IF_ERROR(MakeRoom(lock));
  const bool at_once = tiny && !running_ && queued_ == 0 && IsRunnable(task);
  if (!at_once) RETURN_IF_ERROR(StartWorker());
  // Before anybody can run it: what the program has ordered counts, not what happened first.
  if (StrictOn()) StrictOnTask(*this, task, LastTicket() + 1, &findings);
  if (at_once) {
    const uint64_t ticket = NewTicket();
    RunUnlocked(lock, std::move(task));
    WakeWorker(lock);
    return ticket;
  }
  Push(std::move(task));
  const uint64_t ticket = NewTicket();
  WakeWorker(lock);
  return ticket;
}

bool Stream::RunIfTiny(Work& work) {
  if (StrictOn() || !IsTiny(work)) return false;
  Lock lock(mutex_);
  if (closed_ || running_ || queued_ != 0) return false;
  NewTicket();
  running_ = true;
  lock.unlock();
  Status status = RunWork(work);
  lock.lock();
  EndTask(lock, std::move(status));
  WakeWorker(lock);
  return true;
}

uint64_t Stream::NewTicket() {
  const uint64_t ticket = submitted_.load(std::memory_order_relaxed) + 1;
  submitted_.store(ticket, std::memory_order_release);
  return ticket;
}

bool Stream::WaitFor(uint64_t ticket, Help help, int64_t deadline_ns) {
  if (!WaitUntilDone(ticket, help, deadline_ns)) return false;
  if (StrictOn()) StrictOnReached(*this, ticket);
  return true;
}

bool Stream::WaitUntilDone(uint64_t ticket, Help help, int64_t deadline_ns) {
  if (IsDone(ticket)) return true;
  Lock lock(mutex_);
  bool helped = false;
  int64_t spin_end = -1;
  while (!IsDone(ticket)) {
    if (help == Help::kAllowed && HeadIsRunnable()) {
      RunUnlocked(lock, Pop());
      helped = true;
      spin_end = -1;
      continue;
    }
    const int64_t now = MonotonicNs();
    if (deadline_ns != kNoDeadline && now >= deadline_ns) break;
    if (spin_end < 0) spin_end = now + kSpinNs;
    if (now >= spin_end) {
      Sleep(lock, ticket, deadline_ns);
      continue;
    }
    const uint64_t completed = completed_.load(std::memory_order_relaxed);
    lock.unlock();
    SpinUntil([&] { return completed_.load(std::memory_order_acquire) != completed; },
              spin_end - now);
    lock.lock();
  }
  // Others may have enqueued more than this thread was here for.
  if (helped) WakeWorker(lock);
  return IsDone(ticket);
}

Status Stream::TakeError(uint64_t ticket) {
  if (!has_error_.load(std::memory_order_acquire)) return Status();
  const std::lock_guard lock(mutex_);
  if (error_.ok() || error_ticket_ > ticket) return Status();
  has_error_.store(false, std::memory_order_release);
  return std::exchange(error_, Status());
}

void Stream::Poke() {
  Lock lock(mutex_);
  WakeWorker(lock);
}

void Stream::GiveUpOpenWaits() {
  Lock lock(mutex_);
  gives_up_open_waits_ = true;
  WakeWorker(lock);
}

void Stream::KeepOpenWaits() {
  const std::lock_guard lock(mutex_);
  gives_up_open_waits_ = closed_;
}

bool Stream::IsRunnable(const StreamTask& task) const {
  const EventRecord* const record = task.wait.record.get();
  return record == nullptr || record->finished() || (gives_up_open_waits_ && !record->ordered());
}

bool Stream::HeadIsRunnable() const {
  return !running_ && queued_ != 0 && IsRunnable(ring_[head_]);
}

size_t Stream::Capacity() const { return std::max(ring_.size(), kRingCapacity); }

Status Stream::MakeRoom(Lock& lock) {
  while (!closed_ && queued_ == Capacity()) {
    if (!running_ && !HeadIsRunnable()) {
      // The caller may be the one who has to record the event.
      GrowRing();
      break;
    }
    const uint64_t next = completed_.load(std::memory_order_relaxed) + 1;
    lock.unlock();
    WaitUntilDone(next, Help::kAllowed, kNoDeadline);
    lock.lock();
  }
  if (closed_) FAIL(ACL_ERROR_RT_INVALID_HANDLE, "stream is being destroyed");
  return Status();
}

void Stream::GrowRing() {
  std::vector<StreamTask> bigger(2 * ring_.size());
  for (size_t i = 0; i < queued_; ++i) bigger[i] = std::move(ring_[(head_ + i) % ring_.size()]);
  ring_.swap(bigger);
  head_ = 0;
}

void Stream::Push(StreamTask task) {
  if (ring_.empty()) ring_.resize(kRingCapacity);
  ring_[(head_ + queued_) % ring_.size()] = std::move(task);
  ++queued_;
}

StreamTask Stream::Pop() {
  StreamTask task = std::move(ring_[head_]);
  head_ = (head_ + 1) % ring_.size();
  --queued_;
  return task;
}

// Runs a task that is no longer in the ring; `lock` is released meanwhile.
void Stream::RunUnlocked(Lock& lock, StreamTask task) {
  running_ = true;
  lock.unlock();
  Status status = RunTask(task);
  task = StreamTask();  // what the work owns is gone before anybody sees it done
  lock.lock();
  EndTask(lock, std::move(status));
}

void Stream::EndTask(Lock& lock, Status status) {
  running_ = false;
  if (!status.ok() && error_.ok()) {
    error_ = std::move(status);
    error_ticket_ = completed_.load(std::memory_order_relaxed) + 1;
    has_error_.store(true, std::memory_order_release);
  }
  CountDone(lock, 1);
}

void Stream::CountDone(Lock& lock, uint64_t tasks) {
  const uint64_t completed = completed_.load(std::memory_order_relaxed) + tasks;
  completed_.store(completed, std::memory_order_release);
  if (sleepers_ == 0 || completed < wake_at_) return;
  wake_at_ = UINT64_MAX;  // sleepers that still have to wait set it again
  done_word_.fetch_add(1, std::memory_order_relaxed);
  lock.unlock();
  FutexWakeAll(done_word_);
  lock.lock();
}

void Stream::Sleep(Lock& lock, uint64_t ticket, int64_t deadline_ns) {
  ++sleepers_;
  wake_at_ = std::min(wake_at_, ticket);
  const uint32_t word = done_word_.load(std::memory_order_relaxed);
  lock.unlock();
  const int64_t timeout =
      deadline_ns == kNoDeadline ? -1 : std::max<int64_t>(0, deadline_ns - MonotonicNs());
  FutexWait(done_word_, word, timeout);
  lock.lock();
  --sleepers_;
  if (sleepers_ == 0) wake_at_ = UINT64_MAX;
}

void Stream::Close(Queued queued) {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  if (queued == Queued::kDrop) DropQueued();
  GiveUpOpenWaits();
  WaitFor(LastTicket(), Help::kAllowed);
  StopWorker();
  if (StrictOn()) StrictOnClosed(*this);
}

void Stream::DropQueued() {
  Lock lock(mutex_);
  std::vector<StreamTask> dropped;
  dropped.reserve(queued_);
  while (queued_ != 0) dropped.push_back(Pop());
  while (running_) Sleep(lock, completed_.load(std::memory_order_relaxed) + 1, kNoDeadline);
  lock.unlock();
  for (StreamTask& task : dropped) {
    if (task.record != nullptr) task.record->Finish();
    task = StreamTask();
  }
  lock.lock();
  if (!dropped.empty()) CountDone(lock, dropped.size());
}

// ---- worker ----

Status Stream::StartWorker() {
  if (worker_exists_) return Status();
  const bool started = StartThread(
      &worker_,
      [](void* stream) -> void* {
        static_cast<Stream*>(stream)->WorkerLoop();
        return nullptr;
      },
      this);
  if (!started) FAIL(ACL_ERROR_RT_MEMORY_ALLOCATION, "cannot start a thread for the stream");
  worker_exists_ = true;
  return Status();
}

void Stream::WakeWorker(Lock& lock) {
  const bool runnable = HeadIsRunnable();
  if (!worker_asleep_ || (!runnable && !worker_shall_stop_)) return;
  worker_asleep_ = false;
  if (runnable && IsLong(ring_[head_])) placement_.KeepOffThisCpu(worker_tid_);
  worker_word_.fetch_add(1, std::memory_order_relaxed);
  lock.unlock();
  FutexWakeOne(worker_word_);
  lock.lock();
}

void Stream::WorkerLoop() {
  pthread_setname_np(pthread_self(), "aclnn-stream");
  Lock lock(mutex_);
  worker_tid_ = gettid();
  for (;;) {
    if (HeadIsRunnable()) {
      RunUnlocked(lock, Pop());
      continue;
    }
    if (worker_shall_stop_ && queued_ == 0) break;
    worker_asleep_ = true;
    const uint32_t word = worker_word_.load(std::memory_order_relaxed);
    lock.unlock();
    FutexWait(worker_word_, word);
    lock.lock();
    worker_asleep_ = false;
    placement_.Restore();
  }
  worker_exists_ = false;
  worker_shall_stop_ = false;
}

void Stream::StopWorker() {
  const std::lock_guard join_lock(join_mutex_);
  Lock lock(mutex_);
  if (!worker_exists_) return;
  const pthread_t worker = worker_;
  worker_shall_stop_ = true;
  WakeWorker(lock);
  lock.unlock();
  pthread_join(worker, nullptr);
}

}  // namespace aclnn_cpu
