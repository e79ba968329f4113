#include "ascendcl/strict_report.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <sched.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include "ascendcl/strict.h"
#include "ascendcl/strict_text.h"
#include "base/env.h"
#include "base/log.h"

namespace aclnn_cpu {
namespace {

constexpr size_t kKinds = static_cast<size_t>(FindingKind::kCount);
constexpr std::array<const char*, kKinds> kNames = {
    "host-access",  "use-after-free", "double-free",    "foreign-pointer", "view-out-of-bounds",
    "host-pointer", "workspace",      "unsynchronised", "executor",        "leak",
    "page-forbids", "uninitialised",  "unaligned"};

// A fault in a loop would bury everything else; from here on findings of the kind are only counted.
constexpr uint64_t kMostPrinted = 100;

constinit std::array<std::atomic<uint64_t>, kKinds> counts{};
constinit std::atomic<uint64_t> unchecked{0};
constinit std::atomic<bool> report_file_missed{false};
constinit std::atomic<const char*> report_path{nullptr};  // absolute
constinit std::atomic<uint64_t> summarised{0};  // findings of all kinds that a summary has covered

// Not on the stack, which may be small in a signal handler. Several, because who describes a frame
// waits for the lock of the dynamic loader, and whoever holds that may want to report as well.
using Text = FixedText<24576>;
struct SharedText {
  Text text;
  std::atomic<bool> is_taken{false};
};
constinit std::array<SharedText, 8> shared_texts;

// A text of one's own for a while.
class TextTurn {
 public:
  TextTurn() : shared_(&Take()) { shared_->text.Clear(); }
  ~TextTurn() { shared_->is_taken.store(false, std::memory_order_release); }
  TextTurn(const TextTurn&) = delete;
  TextTurn& operator=(const TextTurn&) = delete;

  Text& text() { return shared_->text; }

 private:
  static SharedText& Take() {
    for (;;) {
      for (SharedText& shared : shared_texts) {
        if (!shared.is_taken.exchange(true, std::memory_order_acquire)) return shared;
      }
      sched_yield();
    }
  }

  SharedText* shared_;
};

void AddQuotedOrNull(Text& text, const char* value) {
  if (value != nullptr) {
    AddQuoted(text, value);
  } else {
    text.Add("null");
  }
}

// "program(function+0x12) [0x55d0]" as backtrace_symbols() writes it, without its allocation. Of a
// long path the end matters, of a long name the beginning.
using FrameText = FixedText<512>;
constexpr size_t kMostOfName = 200;

FrameText DescribeFrame(const void* address) {
  FrameText frame;
  Dl_info info;
  // A return address may be the first byte after a function that does not return.
  const auto number = reinterpret_cast<uintptr_t>(address);
  if (dladdr(reinterpret_cast<const void*>(number - 1), &info) == 0) {
    frame.Add("[{}]", address);
    return frame;
  }
  std::string_view path = info.dli_fname;
  const char* dots = "";
  if (path.size() > kMostOfName) {
    path.remove_prefix(path.size() - kMostOfName);
    dots = "...";
  }
  const std::string_view name = info.dli_sname != nullptr ? info.dli_sname : "";
  const void* const from = name.empty() ? info.dli_fbase : info.dli_saddr;
  frame.Add("{}{}({}{}+{:#x}) [{}]", dots, path, name.substr(0, kMostOfName),
            name.size() > kMostOfName ? "..." : "", number - reinterpret_cast<uintptr_t>(from),
            address);
  return frame;
}

const void* ModuleOf(uintptr_t address) {
  Dl_info info;
  return dladdr(reinterpret_cast<const void*>(address), &info) != 0 ? info.dli_fbase : nullptr;
}

constexpr int kMostFramesShown = 12;

struct FrameRange {
  int begin;
  int end;
};

// The frames to show: up to main(), without those on top that belong to the library. A program that
// has the library in itself, as unit tests do, shows those too.
FrameRange FramesToShow(const CallStack& stack) {
  const void* const own = ModuleOf(reinterpret_cast<uintptr_t>(&PrintFinding));
  FrameRange range{0, stack.depth};
  if (own != ModuleOf(getauxval(AT_PHDR))) {
    const auto is_own = [&](int i) {
      const auto address = reinterpret_cast<uintptr_t>(stack.frames[static_cast<size_t>(i)]);
      return ModuleOf(address - 1) == own;
    };
    while (range.begin < stack.depth && is_own(range.begin)) ++range.begin;
    if (range.begin == stack.depth) range.begin = 0;
  }
  range.end = std::min(range.end, range.begin + kMostFramesShown);
  for (int i = range.begin; i < range.end; ++i) {
    Dl_info info;
    const auto address = reinterpret_cast<uintptr_t>(stack.frames[static_cast<size_t>(i)]);
    if (dladdr(reinterpret_cast<const void*>(address - 1), &info) != 0 &&
        info.dli_sname != nullptr && std::string_view(info.dli_sname) == "main")
      range.end = i + 1;
  }
  return range;
}

constexpr const char* kPrefix = "==aclnn-cpu==";
void AddStack(Text& text, const char* title, const CallStack& stack) {
  if (stack.depth == 0) return;
  text.Add("{}   {}\n", kPrefix, title);
  const auto [begin, end] = FramesToShow(stack);
  for (int i = begin; i < end; ++i)
    text.Add("{}     {}\n", kPrefix, DescribeFrame(stack.frames[static_cast<size_t>(i)]).view());
}

void AddBlock(Text& text, const Finding& finding, const CallStack& stack) {
  text.Add("{} {}", kPrefix, FindingName(finding.kind));
  if (finding.api != nullptr) text.Add(": {}", finding.api);
  if (finding.argument != nullptr) text.Add(", argument {}", finding.argument);
  text.Add("\n{}   {}\n", kPrefix, finding.message);
  AddStack(text, finding.stack_title, stack);
  if (finding.memory == nullptr) return;
  const FindingMemory& memory = *finding.memory;
  text.Add("{}   allocation {} of {} bytes ({}{})\n", kPrefix, memory.base, memory.bytes,
           memory.api, memory.freed ? ", freed" : "");
  AddStack(text, "allocated from", memory.allocated);
}

constexpr size_t kMostEscaped = 6;  // bytes of "\\u001f"

void AddJson(Text& text, const Finding& finding, const CallStack& stack) {
  text.Add("{{\"kind\":\"{}\",\"api\":", FindingName(finding.kind));
  AddQuotedOrNull(text, finding.api);
  text.Add(",\"argument\":");
  AddQuotedOrNull(text, finding.argument);
  text.Add(",\"message\":");
  AddQuoted(text, finding.message);
  if (finding.memory != nullptr) {
    text.Add(",\"allocation\":{{\"base\":\"{}\",\"size\":{}}}", finding.memory->base,
             finding.memory->bytes);
  } else {
    text.Add(",\"allocation\":null");
  }
  text.Add(",\"stack\":[");
  const auto [begin, end] = FramesToShow(stack);
  for (int i = begin; i < end; ++i) {
    const FrameText frame = DescribeFrame(stack.frames[static_cast<size_t>(i)]);
    if (text.room() < kMostEscaped * frame.view().size() + 16) break;  // the line stays whole
    if (i != begin) text.AddChar(',');
    AddQuoted(text, frame.view());
  }
  text.Add("]}}\n");
}

// Opened for each line: the descriptors of a process are its own affair, it may close any. Waits
// for nobody to read, if it is a pipe.
void AppendToReportFile(Text& line) {
  const char* path = report_path.load(std::memory_order_acquire);
  if (path == nullptr) path = EnvText(EnvVar::kStrictReport);
  if (path == nullptr) return;
  const int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0644);
  const bool written = file >= 0 && line.WriteTo(file);
  if (file >= 0) close(file);
  if (written || report_file_missed.exchange(true)) return;
  line.Clear();
  line.Add("{} strict mode: the report file {} cannot be written\n", kPrefix, path);
  line.WriteTo(STDERR_FILENO);
}

uint64_t AllFindings() {
  uint64_t sum = 0;
  for (const std::atomic<uint64_t>& count : counts) sum += count.load();
  return sum;
}

}  // namespace

const char* FindingName(FindingKind kind) { return kNames[static_cast<size_t>(kind)]; }

void FixReportPath() {
  const char* const path = EnvText(EnvVar::kStrictReport);
  if (path == nullptr || *path == '/') return;
  char* const folder = getcwd(nullptr, 0);
  if (folder == nullptr) return;
  const std::string whole = fmt::format("{}/{}", folder, path);
  std::free(folder);
  const char* expected = nullptr;
  char* const copy = strdup(whole.c_str());  // kept for good
  if (!report_path.compare_exchange_strong(expected, copy)) std::free(copy);
}

void PrintFinding(const Finding& finding) {
  const int saved_errno = errno;
  const uint64_t before = counts[static_cast<size_t>(finding.kind)].fetch_add(1);
  if (before < kMostPrinted) {
    const CallStack stack = finding.stack != nullptr ? *finding.stack : CaptureStack();
    TextTurn turn;
    Text& text = turn.text();
    AddBlock(text, finding, stack);
    if (before + 1 == kMostPrinted)
      text.Add("{} further findings of this kind are only counted\n", kPrefix);
    text.WriteTo(STDERR_FILENO);
    text.Clear();
    AddJson(text, finding, stack);
    AppendToReportFile(text);
  }
  errno = saved_errno;
}

void ReportFinding(const Finding& finding) noexcept {
  PrintFinding(finding);
  try {
    Log(LogModule::kRuntime, LogLevel::kError, "strict mode: {}: {}: {}", FindingName(finding.kind),
        finding.api != nullptr ? finding.api : "-", finding.message);
  } catch (...) {
    // No memory for a line of the log: it has been printed.
  }
  // A handler of SIGABRT may go on and find more.
  static constinit std::atomic<bool> aborts{false};
  if (CurrentStrictMode() == StrictMode::kAbort && !aborts.exchange(true)) std::abort();
}

const char* LeakTimeText(LeakTime time) {
  return time == LeakTime::kExit ? "when the process ends" : "at aclFinalize";
}

void ReportLeak(LeakTime time, const Finding& finding) {
  if (time == LeakTime::kExit) {
    PrintFinding(finding);
  } else {
    ReportFinding(finding);
  }
}

uint64_t FindingCount(FindingKind kind) { return counts[static_cast<size_t>(kind)].load(); }

void CountUnchecked() { unchecked.fetch_add(1, std::memory_order_relaxed); }

void PrintStrictSummary() {
  const uint64_t all = AllFindings();
  if (summarised.exchange(all) == all) return;
  TextTurn turn;
  Text& text = turn.text();
  text.Add("{} strict mode: {} finding{}:", kPrefix, all, all == 1 ? "" : "s");
  const char* separator = " ";
  for (size_t kind = 0; kind < kKinds; ++kind) {
    const uint64_t count = counts[kind].load();
    if (count == 0) continue;
    text.Add("{}{} {}", separator, count, kNames[kind]);
    separator = ", ";
  }
  const uint64_t skipped = unchecked.load();
  if (skipped != 0) text.Add("; {} accesses not checked", skipped);
  text.Add("\n");
  text.WriteTo(STDERR_FILENO);
}

void PrintStrictNote(std::string_view note) {
  TextTurn turn;
  turn.text().Add("{} {}\n", kPrefix, note);
  turn.text().WriteTo(STDERR_FILENO);
}

void ForgetReportersInForkedChild() {
  for (SharedText& shared : shared_texts) shared.is_taken.store(false, std::memory_order_relaxed);
  // The findings are the parent's.
  for (std::atomic<uint64_t>& count : counts) count.store(0, std::memory_order_relaxed);
  unchecked.store(0, std::memory_order_relaxed);
  summarised.store(0, std::memory_order_relaxed);
}

}  // namespace aclnn_cpu
