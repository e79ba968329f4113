#include "ascendcl/strict_signal.h"

#include <fmt/format.h>
#include <signal.h>
#include <time.h>
#include <ucontext.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <string_view>

#include "ascendcl/strict.h"
#include "ascendcl/strict_state.h"

namespace aclnn_cpu {
namespace {

constinit std::atomic<bool> installed{false};
constinit std::atomic<bool> warned{false};
constinit std::atomic<bool> opened_all{false};
constinit std::atomic<int> printing{0};
constinit struct sigaction previous {};

enum class AccessWay { kUnknown, kRead, kWrite };

struct Fault {
  uintptr_t address;
  AccessWay way;
  uintptr_t instruction;
};

Fault FaultOf(const siginfo_t& info, const void* context) {
  Fault fault{reinterpret_cast<uintptr_t>(info.si_addr), AccessWay::kUnknown, 0};
  const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  constexpr greg_t kWriteBit = 2;  // of the page-fault error code
  fault.way = (machine.gregs[REG_ERR] & kWriteBit) != 0 ? AccessWay::kWrite : AccessWay::kRead;
  fault.instruction = static_cast<uintptr_t>(machine.gregs[REG_RIP]);
#elif defined(__aarch64__)
  fault.instruction = machine.pc;
#endif
  return fault;
}

// Starts at the instruction that faulted rather than here.
CallStack StackOfFault(uintptr_t instruction) {
  CallStack stack = CaptureStack();
  auto* const begin = stack.frames.begin();
  auto* const end = begin + stack.depth;
  auto* const first = std::find(begin, end, reinterpret_cast<void*>(instruction));
  if (first == end) return stack;
  stack.depth = static_cast<int>(end - first);
  std::copy(first, end, begin);
  // A return address would lie behind its instruction, and is printed as such.
  stack.frames[0] = reinterpret_cast<void*>(instruction + 1);
  return stack;
}

std::string_view Verb(AccessWay way) {
  return way == AccessWay::kRead ? "reads" : way == AccessWay::kWrite ? "writes" : "touches";
}

using MessageBuffer = std::array<char, 256>;

std::string_view Message(MessageBuffer& buffer, const Fault& fault, const MemoryRecord* record,
                         bool is_inherited) {
  const void* const address = reinterpret_cast<const void*>(fault.address);
  const auto write = [&](auto format, const auto&... values) -> std::string_view {
    const auto result = fmt::format_to_n(buffer.data(), buffer.size(), format, values...);
    return {buffer.data(), std::min(result.size, buffer.size())};
  };
  if (record == nullptr)
    return write(
        FMT_STRING("the host {} {}, an address of the device at which nothing is allocated"),
        Verb(fault.way), address);
  if (fault.address < record->base)
    return write(FMT_STRING("the host {} {}, {} bytes before the start of device memory"),
                 Verb(fault.way), address, record->base - fault.address);
  const uintptr_t offset = fault.address - record->base;
  if (offset >= record->bytes)
    return write(FMT_STRING("the host {} {}, {} bytes past the end of device memory"),
                 Verb(fault.way), address, offset - record->bytes);
  return write(
      FMT_STRING(
          "the host {} {}, byte {} of {}device memory{}, which only copies and operators reach"),
      Verb(fault.way), address, offset, record->live.load() ? "" : "freed ",
      is_inherited ? " of the process that this one was forked from" : "");
}

void PrintHostAccess(const Fault& fault, const MemoryRecord* record, bool is_inherited) {
  MessageBuffer buffer;
  const FindingMemory memory = record != nullptr ? Describe(*record) : FindingMemory{};
  const CallStack stack = StackOfFault(fault.instruction);
  PrintFinding({.kind = FindingKind::kHostAccess,
                .api = nullptr,
                .argument = nullptr,
                .message = Message(buffer, fault, record, is_inherited),
                .memory = record != nullptr ? &memory : nullptr,
                .stack = &stack,
                .stack_title = "accessed from"});
}

// False if the instruction would fault again.
bool Open(StrictArena& arena, const MemoryRecord* record, uintptr_t address) {
  if (!arena.OpenToHost(record, address)) return false;
  if (arena.all_opened() && !opened_all.exchange(true))
    PrintStrictNote(
        "strict mode: the system refuses to open single blocks of device memory any more, so all "
        "are open; further accesses by the host cannot be seen");
  return true;
}

// The process must not end before another thread has said why. That one may wait for a lock of
// ours, so not for ever.
void WaitForPrinters() {
  constexpr timespec kMillisecond = {0, 1'000'000};
  for (int i = 0; i < 1000 && printing.load() != 0; ++i) nanosleep(&kMillisecond, nullptr);
}

void PassOn(int signal, siginfo_t* info, void* context) {
  if ((previous.sa_flags & SA_SIGINFO) != 0) {
    previous.sa_sigaction(signal, info, context);
  } else if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
    previous.sa_handler(signal);
  } else if (previous.sa_handler == SIG_IGN && info->si_code <= 0) {
    return;
  } else {
    // The instruction faults again and the process dies with the right address. A signal that
    // somebody sent has to be sent again.
    struct sigaction action {};
    action.sa_handler = SIG_DFL;
    sigaction(signal, &action, nullptr);
    if (info->si_code <= 0) raise(signal);
  }
}

void OnFault(int signal, siginfo_t* info, void* context) {
  const bool by_instruction = info->si_code > 0;
  const Fault fault = FaultOf(*info, context);
  const DeviceArena found = by_instruction ? FindArena(fault.address) : DeviceArena{};
  if (found.arena != nullptr) {
    MemoryRecord* const record = found.arena->Find(fault.address);
    const bool inside = record != nullptr && StrictArena::HasPage(*record, fault.address);
    // Of several threads that meet the same block, one reports.
    printing.fetch_add(1);
    const bool first = !inside || !record->opened.exchange(true);
    if (first) PrintHostAccess(fault, record, found.is_inherited);
    printing.fetch_sub(1);
    const int saved_errno = errno;
    if (CurrentStrictMode() == StrictMode::kReport && Open(*found.arena, record, fault.address)) {
      errno = saved_errno;
      return;
    }
    if (!first) WaitForPrinters();
  }
  PassOn(signal, info, context);
}

}  // namespace

void InstallHostAccessHandler() {
  if (installed.load()) return;
  // What there is has to be known before ours can be called.
  struct sigaction old {};
  if (sigaction(SIGSEGV, nullptr, &old) != 0) return;
  if (old.sa_sigaction != OnFault) previous = old;
  struct sigaction action {};
  action.sa_sigaction = OnFault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  if (sigaction(SIGSEGV, &action, nullptr) != 0) return;
  installed.store(true);
  // Sanitizers may ignore the installation without saying so.
  struct sigaction now {};
  sigaction(SIGSEGV, nullptr, &now);
  if (now.sa_sigaction != OnFault && !warned.exchange(true)) {
    PrintStrictNote(
        "strict mode: the handler of SIGSEGV was not installed (a sanitizer with "
        "allow_user_segv_handler=0?); accesses by the host end the process without a finding");
  }
}

void RemoveHostAccessHandler() {
  if (!installed.load()) return;
  struct sigaction now {};
  // A handler that the program has put before ours may pass on to ours, which therefore stays: to
  // install it again on top would make the two call each other for ever.
  if (sigaction(SIGSEGV, nullptr, &now) != 0 || now.sa_sigaction != OnFault) return;
  sigaction(SIGSEGV, &previous, nullptr);
  installed.store(false);
}

}  // namespace aclnn_cpu
