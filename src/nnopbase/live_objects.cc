#include "nnopbase/live_objects.h"

#include <mutex>

#include "nnopbase/state.h"

namespace aclnn_cpu {

LiveObject::LiveObject(ObjectKind kind) : kind_(kind), state_(&State()) {
  const std::lock_guard lock(state_->objects_mutex);
  next_ = state_->first_object;
  if (next_ != nullptr) next_->previous_ = this;
  state_->first_object = this;
}

LiveObject::~LiveObject() {
  if (state_ != &State()) return;
  const std::lock_guard lock(state_->objects_mutex);
  if (next_ != nullptr) next_->previous_ = previous_;
  (previous_ != nullptr ? previous_->next_ : state_->first_object) = next_;
}

int64_t CountLiveObjects(ObjectKind kind) {
  NnopState& state = State();
  const std::lock_guard lock(state.objects_mutex);
  int64_t count = 0;
  for (const LiveObject* object = state.first_object; object != nullptr; object = object->next_) {
    if (object->kind_ == kind) ++count;
  }
  return count;
}

int64_t CountLiveExecutors() { return static_cast<int64_t>(State().executors.All().size()); }

}  // namespace aclnn_cpu
