#include "ascendcl/strict_findings.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace aclnn_cpu {
namespace {

struct Stored {
  FindingKind kind;
  std::optional<std::string> api;
  std::optional<std::string> argument;
  std::string message;
  std::optional<FindingMemory> memory;
  std::optional<CallStack> stack;
  const char* stack_title;
};

template <typename T>
std::optional<T> Copied(const T* value) {
  return value != nullptr ? std::optional<T>(*value) : std::nullopt;
}

std::optional<std::string> Copied(const char* text) {
  return text != nullptr ? std::optional<std::string>(text) : std::nullopt;
}

template <typename T>
const T* PointerTo(const std::optional<T>& value) {
  return value ? &*value : nullptr;
}

const char* PointerTo(const std::optional<std::string>& text) {
  return text ? text->c_str() : nullptr;
}

}  // namespace

struct FindingList::List {
  std::vector<Stored> findings;
};

void FindingList::Add(const Finding& finding) {
  if (list_ == nullptr) list_ = new List;
  list_->findings.push_back({finding.kind, Copied(finding.api), Copied(finding.argument),
                             std::string(finding.message), Copied(finding.memory),
                             Copied(finding.stack), finding.stack_title});
}

void FindingList::Report() noexcept {
  const std::unique_ptr<List> list(list_);
  list_ = nullptr;
  for (const Stored& stored : list->findings) {
    const Finding finding{.kind = stored.kind,
                          .api = PointerTo(stored.api),
                          .argument = PointerTo(stored.argument),
                          .message = stored.message,
                          .memory = PointerTo(stored.memory),
                          .stack = PointerTo(stored.stack),
                          .stack_title = stored.stack_title};
    ReportLeak(time_, finding);
  }
}

}  // namespace aclnn_cpu
