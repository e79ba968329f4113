#ifndef ACLNN_CPU_ASCENDCL_EVENT_H_
#define ACLNN_CPU_ASCENDCL_EVENT_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "base/status.h"

namespace aclnn_cpu {

class Stream;
struct OrderPoint;

// One aclrtRecordEvent call: a point of a stream that is reached once. Shared by the event, the
// task that reaches it and the streams that wait for it, so an event may be destroyed at any time.
class EventRecord {
 public:
  // True once the point was reached, or can never be reached any more.
  bool finished() const { return state_.load(std::memory_order_acquire) != State::kPending; }
  bool reached() const { return state_.load(std::memory_order_acquire) == State::kReached; }
  // True once aclrtRecordEvent was called for it. Before, only the wait for a later record knows
  // it.
  bool ordered() const { return ordered_.load(std::memory_order_acquire); }
  void SetOrdered(bool ordered) { ordered_.store(ordered, std::memory_order_release); }
  // Monotonic clock when the point was reached; only after finished().
  int64_t time_ns() const { return time_ns_; }

  // The point is reached: wakes the streams that wait. Called without any lock held.
  void Finish();
  // The point can never be reached.
  void Abandon();

  // Calls stream->Poke() when the record finishes; nothing if it has finished already.
  void PokeWhenFinished(std::weak_ptr<Stream> stream);

  std::shared_ptr<OrderPoint> order_point;  // strict mode only, which guards it

 private:
  enum class State : uint32_t { kPending, kReached, kAbandoned };

  void End(State state);

  std::atomic<State> state_{State::kPending};
  std::atomic<bool> ordered_{false};
  int64_t time_ns_ = 0;  // written before state_ leaves kPending
  std::mutex mutex_;
  std::vector<std::weak_ptr<Stream>> waiting_;  // guarded by mutex_
};

// The waits for one event, of which each that is not over holds a share.
struct EventWaits {
  // What has happened once none is open; strict mode only, which guards it.
  std::shared_ptr<OrderPoint> order_point;
};

// What a stream needs to wait for an event. The wait is over when the object is gone.
struct EventWait {
  std::shared_ptr<EventRecord> record;
  std::shared_ptr<EventWaits> waits;
};

// The object behind an aclrtEvent.
class Event {
 public:
  enum class Origin { kCreateEvent, kCreateEventWithFlag };

  // `flags` are ACL_EVENT_ bits; unused for kCreateEvent, whose events can do everything.
  Event(Origin origin, uint32_t flags) : origin_(origin), flags_(flags) {}
  // A stream that waits for a record that nobody ordered would wait for ever: its wait fails.
  ~Event();
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  // Recording, in two steps because putting the task on the stream can fail or take long.
  std::shared_ptr<EventRecord> BeginRecord();
  void CommitRecord(std::shared_ptr<EventRecord> record, std::weak_ptr<Stream> stream,
                    uint64_t ticket);
  void CancelRecord(std::shared_ptr<EventRecord> record);

  // The last record as it is now: a later one does not change what this wait waits for. Counts as
  // an open wait. Fails with the code of aclrtStreamWaitEvent.
  StatusOr<EventWait> BeginWait();

  // Back to "never recorded". Fails with the code of aclrtResetEvent.
  Status Reset();

  // The last record; `record` is null if there is none.
  struct Mark {
    std::shared_ptr<EventRecord> record;
    std::weak_ptr<Stream> stream;
    uint64_t ticket = 0;
  };
  Mark Last() const;

  // True while a stream has not got past a wait for this event.
  bool HasOpenWaits() const { return waits_.use_count() > 1; }
  EventWaits& waits() const { return *waits_; }

 private:
  Status CheckStreamsCanWait() const;

  const Origin origin_;
  const uint32_t flags_;
  const std::shared_ptr<EventWaits> waits_ = std::make_shared<EventWaits>();
  mutable std::mutex mutex_;
  Mark last_;  // guarded by mutex_, as is the next one
  // The record that waits on a never recorded event wait for; the next record becomes this one.
  std::shared_ptr<EventRecord> promised_;
};

}  // namespace aclnn_cpu

#endif  // ACLNN_CPU_ASCENDCL_EVENT_H_
