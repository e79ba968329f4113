#include "nnopbase/live_objects.h"

#include <fmt/core.h>

#include <iterator>
#include <mutex>
#include <string>

#include "ascendcl/strict.h"
#include "ascendcl/strict_findings.h"
#include "nnopbase/state.h"

namespace aclnn_cpu {
namespace {

// In the order of ObjectKind.
constexpr const char* kNames[] = {"Tensor",    "Scalar",     "IntArray",  "FloatArray",
                                  "BoolArray", "TensorList", "ScalarList"};
static_assert(std::size(kNames) == static_cast<size_t>(ObjectKind::kScalarList) + 1);

}  // namespace

LiveObject::LiveObject(ObjectKind kind) : kind_(kind), state_(&State()) {
  if (StrictOn()) created_ = new CallStack(CaptureStack());
  const std::lock_guard lock(state_->objects_mutex);
  next_ = state_->first_object;
  if (next_ != nullptr) next_->previous_ = this;
  state_->first_object = this;
}

LiveObject::~LiveObject() {
  if (state_ == &State()) {
    const std::lock_guard lock(state_->objects_mutex);
    if (next_ != nullptr) next_->previous_ = previous_;
    (previous_ != nullptr ? previous_->next_ : state_->first_object) = next_;
  }
  // Now that it is out of the list, no report of leaks looks at it any more.
  if (created_ != nullptr) [[unlikely]]
    delete created_;
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

void ReportLiveObjects(LeakTime time) {
  NnopState& state = State();
  FindingList findings;
  findings.ReportAt(time);
  const std::lock_guard lock(state.objects_mutex);
  for (LiveObject* object = state.first_object; object != nullptr; object = object->next_) {
    if (object->created_ == nullptr) continue;
    const char* const name = kNames[static_cast<size_t>(object->kind_)];
    const std::string api = fmt::format("aclCreate{}", name);
    // The node is the first member of the object that the caller holds.
    const std::string message =
        fmt::format("acl{} {} was not destroyed with aclDestroy{} {}", name,
                    static_cast<const void*>(object), name, LeakTimeText(time));
    findings.Add({.kind = FindingKind::kLeak,
                  .api = api.c_str(),
                  .argument = nullptr,
                  .message = message,
                  .stack = object->created_,
                  .stack_title = "created from"});
    delete object->created_;  // once is enough
    object->created_ = nullptr;
  }
}

int64_t CountLiveExecutors() { return static_cast<int64_t>(State().executors.All().size()); }

}  // namespace aclnn_cpu
