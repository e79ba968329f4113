// Ways in which strict mode meets a process: loaded late, many threads, a handler of its own, a
// forked child.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "client.h"

namespace {

// Many threads touch device memory at once: one block each, and one that they share.
void Threads(bool) {
  const Session session;
  void* const shared = AllocateFilled(64);
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([shared] {
      MUST(aclrtSetDevice(0));
      char* const own = static_cast<char*>(AllocateFilled(64));
      static_cast<volatile char*>(own)[1] = 1;
      MUST(static_cast<volatile char*>(shared)[2] == 0 ? 0 : 1);
      MUST(aclrtFree(own));
      MUST(aclrtResetDevice(0));
    });
  }
  for (std::thread& thread : threads) thread.join();
  MUST(aclrtFree(shared));
}

void OwnHandler(int) {
  const char text[] = "the client's own handler\n";
  if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0) _exit(6);
  _exit(5);
}

// A handler that the client installed before gets what is not ours.
void NullPointer(bool) {
  signal(SIGSEGV, OwnHandler);
  const Session session;
  void* const memory = Allocate(64);
  volatile char* nowhere = nullptr;
  nowhere[0] = 1;
  MUST(aclrtFree(memory));
}

void ExitFromHandler(int) { exit(7); }

// A handler of SIGABRT that ends the process in the ordinary way.
void AbortHandler(bool) {
  signal(SIGABRT, ExitFromHandler);
  const Session session;
  void* const memory = AllocateFilled(4096);
  MUST(aclrtMemsetAsync(memory, 4096, 1, 4096, session.stream));
  MUST(aclrtFree(memory));  // before the stream got there
}

struct sigaction before_chain;

void ChainingHandler(int signal, siginfo_t* info, void* context) {
  before_chain.sa_sigaction(signal, info, context);
}

// A handler that the client has put before ours and that passes on to it outlives aclFinalize.
void ChainOverFinalize(bool) {
  signal(SIGSEGV, OwnHandler);
  for (int round = 0; round < 2; ++round) {
    const Session session;
    MUST(aclrtFree(AllocateFilled(64)));
    if (round > 0) break;
    struct sigaction chaining {};
    chaining.sa_sigaction = ChainingHandler;
    chaining.sa_flags = SA_SIGINFO;
    MUST(sigaction(SIGSEGV, &chaining, &before_chain));
  }
  volatile char* nowhere = nullptr;
  nowhere[0] = 1;
}

// With abort our message comes first, then the client's handler.
void HandlerBefore(bool) {
  signal(SIGSEGV, OwnHandler);
  const Session session;
  void* const memory = Allocate(64);
  static_cast<volatile char*>(memory)[0] = 1;
  MUST(aclrtFree(memory));
}

unsigned char memory_of_parent;

// The report file stays where the process was at first.
void ReportFile(bool) {
  const Session session;
  MUST(aclrtFree(Allocate(64)));
  MUST(chdir("/"));
  void* const memory = Allocate(64);
  static_cast<volatile char*>(memory)[0] = 1;
  MUST(aclrtFree(memory));
}

// The handler runs on a stack as small as that, printing included.
void SmallStack(bool) {
  static char memory_of_stack[12288];
  stack_t stack{};
  stack.ss_sp = memory_of_stack;
  stack.ss_size = sizeof(memory_of_stack);
  MUST(sigaltstack(&stack, nullptr));
  HandlerBefore(true);
}

// The child has its own device memory and its own findings.
void Fork(bool) {
  const Session session;
  unsigned char* const memory = static_cast<unsigned char*>(AllocateFilled(4096));
  static_cast<volatile unsigned char*>(memory)[0] = 1;
  unsigned char* const other = static_cast<unsigned char*>(AllocateFilled(100));
  const pid_t child = fork();
  if (child == 0) {
    MUST(aclInit(nullptr));
    MUST(aclrtSetDevice(0));
    void* const own = Allocate(4096);
    MUST(aclrtMemset(own, 4096, 7, 4096));
    static_cast<volatile char*>(own)[0] = 1;
    MUST(aclrtFree(own));
    // What the parent has allocated is not for the child.
    char value = 0;
    MUST(aclrtMemcpy(&value, 1, memory + 100, 1, ACL_MEMCPY_DEVICE_TO_HOST));
    memory_of_parent = static_cast<volatile unsigned char*>(other)[64];
    MUST(aclrtResetDevice(0));
    MUST(aclFinalize());
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  MUST(status);
  unsigned char value = 1;
  MUST(aclrtMemcpy(&value, 1, memory + 100, 1, ACL_MEMCPY_DEVICE_TO_HOST));
  MUST(value == 0 ? 0 : 1);
  MUST(aclrtFree(memory));
  MUST(aclrtFree(other));
}

}  // namespace

int main(int argc, char** argv) {
  return RunCase(argc, argv,
                 {{"threads", Threads},
                  {"null_pointer", NullPointer},
                  {"handler_before", HandlerBefore},
                  {"abort_handler", AbortHandler},
                  {"chain_over_finalize", ChainOverFinalize},
                  {"report_file", ReportFile},
                  {"small_stack", SmallStack},
                  {"fork", Fork}});
}
