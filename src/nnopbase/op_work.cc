#include "nnopbase/op_work.h"

#include <cstring>
#include <utility>

namespace aclnn_cpu {
namespace {

// What a plain memcpy reaches on one thread, roughly; only decides whether the work is queued.
constexpr double kCopyBytesPerMicrosecond = 5000.0;

// Addresses are numbers here: what a caller describes need not be one object, and may wrap.
uintptr_t Number(const void* address) { return reinterpret_cast<uintptr_t>(address); }

uintptr_t Displaced(uintptr_t base, int64_t elements, int64_t element_bytes) {
  return base + static_cast<uintptr_t>(elements) * static_cast<uintptr_t>(element_bytes);
}

// [begin, end) around everything that a view touches.
struct ByteRange {
  uintptr_t begin = 0;
  uintptr_t end = 0;

  bool Intersects(const ByteRange& other) const { return begin < other.end && other.begin < end; }
};

ByteRange BoundingRange(const TensorArg& arg, const void* base) {
  if (!arg.IsUsed()) return {};
  return {Number(base) + static_cast<uintptr_t>(arg.low_byte),
          Number(base) + static_cast<uintptr_t>(arg.end_byte)};
}

}  // namespace

OpWork::OpWork(const OpTask& task, std::span<void* const> bases, std::byte* workspace,
               bool notes_accesses)
    : api_(task.info->api),
      plan_(task.plan.get()),
      address_count_(task.args.size()),
      workspace_(workspace) {
  for (size_t i = 0; i < task.args.size(); ++i) {
    const TensorArg& arg = task.args[i];
    if (!arg.IsUsed()) continue;
    addresses_[i] =
        reinterpret_cast<void*>(Displaced(Number(bases[i]), arg.offset, arg.element_bytes));
  }
  if (notes_accesses) NoteAccesses(task, bases);
  CopyOverlappingInputs(task, bases);
}

OpWork::OpWork(OpWork&& other, std::shared_ptr<const OpPlan> plan)
    : api_(other.api_),
      plan_(other.plan_),
      owned_plan_(std::move(plan)),
      addresses_(other.addresses_),
      address_count_(other.address_count_),
      accesses_(std::move(other.accesses_)),
      copies_(std::move(other.copies_)),
      workspace_(other.workspace_) {}

void OpWork::NoteAccesses(const OpTask& task, std::span<void* const> bases) {
  for (size_t i = 0; i < task.args.size(); ++i) {
    const TensorArg& arg = task.args[i];
    if (!arg.IsUsed()) continue;
    accesses_.push_back({arg.name, addresses_[i], arg.view, arg.element_bytes,
                         arg.use == TensorUse::kWrite, bases[i]});
  }
  const int64_t workspace_bytes = plan_->WorkspaceBytes();
  if (workspace_bytes > 0) {
    accesses_.push_back({"workspace", workspace_, {{workspace_bytes}, {1}}, 1, true});
  }
}

void OpWork::CopyOverlappingInputs(const OpTask& task, std::span<void* const> bases) {
  for (size_t i = 0; i < task.args.size(); ++i) {
    if (task.args[i].use != TensorUse::kRead) continue;
    const ByteRange input = BoundingRange(task.args[i], bases[i]);
    bool overlaps = false;
    for (size_t j = 0; j < task.args.size() && !overlaps; ++j) {
      overlaps = task.args[j].use == TensorUse::kWrite &&
                 input.Intersects(BoundingRange(task.args[j], bases[j]));
    }
    if (!overlaps) continue;
    AlignedBuffer copy(input.end - input.begin);
    std::byte* const first = copy.data() + (Number(addresses_[i]) - input.begin);
    copies_.push_back({reinterpret_cast<const std::byte*>(input.begin), std::move(copy)});
    addresses_[i] = first;
  }
}

// Addresses of copies are none of the caller's and stay.
void OpWork::UseTwins(Twin twin) {
  for (void*& address : addresses_) address = twin(address);
  for (InputCopy& input : copies_) {
    input.source = static_cast<const std::byte*>(twin(input.source));
  }
  workspace_ = static_cast<std::byte*>(twin(workspace_));
}

Status OpWork::Run() {
  for (const InputCopy& input : copies_) {
    std::memcpy(input.copy.data(), input.source, input.copy.size());
  }
  plan_->Run(std::span(addresses_.data(), address_count_), workspace_);
  return Status();
}

double OpWork::EstimatedMicroseconds() const {
  return plan_->EstimatedMicroseconds() +
         static_cast<double>(CopiedBytes()) / kCopyBytesPerMicrosecond;
}

int64_t OpWork::CopiedBytes() const {
  int64_t bytes = 0;
  for (const InputCopy& input : copies_) bytes += static_cast<int64_t>(input.copy.size());
  return bytes;
}

}  // namespace aclnn_cpu
