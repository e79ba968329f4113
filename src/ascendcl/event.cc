#include "ascendcl/event.h"

#include <utility>

#include "acl/acl_rt.h"
#include "ascendcl/stream.h"
#include "ascendcl/strict.h"
#include "ascendcl/strict_hooks.h"
#include "base/futex.h"

namespace aclnn_cpu {

void EventRecord::Finish() { End(State::kReached); }

void EventRecord::Abandon() {
  if (StrictOn()) StrictOnAbandoned(*this);
  End(State::kAbandoned);
}

void EventRecord::End(State state) {
  std::vector<std::weak_ptr<Stream>> waiting;
  {
    const std::lock_guard lock(mutex_);
    time_ns_ = MonotonicNs();
    state_.store(state, std::memory_order_release);
    waiting.swap(waiting_);
  }
  for (const std::weak_ptr<Stream>& entry : waiting) {
    if (const std::shared_ptr<Stream> stream = entry.lock()) stream->Poke();
  }
}

void EventRecord::PokeWhenFinished(std::weak_ptr<Stream> stream) {
  const std::lock_guard lock(mutex_);
  if (!finished()) waiting_.push_back(std::move(stream));
}

Event::~Event() {
  if (promised_ != nullptr) promised_->Abandon();
}

std::shared_ptr<EventRecord> Event::BeginRecord() {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<EventRecord> record =
      promised_ != nullptr ? std::exchange(promised_, nullptr) : std::make_shared<EventRecord>();
  record->SetOrdered(true);
  return record;
}

void Event::CommitRecord(std::shared_ptr<EventRecord> record, std::weak_ptr<Stream> stream,
                         uint64_t ticket) {
  const std::lock_guard lock(mutex_);
  last_ = Mark{std::move(record), std::move(stream), ticket};
}

void Event::CancelRecord(std::shared_ptr<EventRecord> record) {
  const std::lock_guard lock(mutex_);
  if (promised_ == nullptr) {
    record->SetOrdered(false);
    promised_ = std::move(record);
  } else {
    record->Abandon();
  }
}

StatusOr<EventWait> Event::BeginWait() {
  RETURN_IF_ERROR(CheckStreamsCanWait());
  const std::lock_guard lock(mutex_);
  std::shared_ptr<EventRecord> record = last_.record;
  if (record == nullptr) {
    if (origin_ == Origin::kCreateEvent)
      FAIL(ACL_ERROR_RT_PARAM_INVALID,
           "event was never recorded, must be recorded before a stream can wait for it");
    if (promised_ == nullptr) promised_ = std::make_shared<EventRecord>();
    record = promised_;
  }
  return EventWait{std::move(record), waits_};
}

Status Event::Reset() {
  RETURN_IF_ERROR(CheckStreamsCanWait());
  const std::lock_guard lock(mutex_);
  last_ = Mark();
  return Status();
}

Event::Mark Event::Last() const {
  const std::lock_guard lock(mutex_);
  return last_;
}

Status Event::CheckStreamsCanWait() const {
  if (origin_ == Origin::kCreateEvent || (flags_ & ACL_EVENT_SYNC) != 0) return Status();
  FAIL(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
       "event was created with flag {:#x}, must include ACL_EVENT_SYNC ({:#x})", flags_,
       ACL_EVENT_SYNC);
}

}  // namespace aclnn_cpu
