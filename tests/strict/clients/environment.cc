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

// With abort our message comes first, then the client's handler.
void HandlerBefore(bool) {
  signal(SIGSEGV, OwnHandler);
  const Session session;
  void* const memory = Allocate(64);
  static_cast<volatile char*>(memory)[0] = 1;
  MUST(aclrtFree(memory));
}

// The child has its own device memory and its own findings.
void Fork(bool) {
  const Session session;
  unsigned char* const memory = static_cast<unsigned char*>(AllocateFilled(4096));
  const pid_t child = fork();
  if (child == 0) {
    MUST(aclInit(nullptr));
    MUST(aclrtSetDevice(0));
    void* const own = Allocate(4096);
    MUST(aclrtMemset(own, 4096, 7, 4096));
    static_cast<volatile char*>(own)[0] = 1;
    MUST(aclrtFree(own));
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  MUST(status);
  unsigned char value = 1;
  MUST(aclrtMemcpy(&value, 1, memory + 100, 1, ACL_MEMCPY_DEVICE_TO_HOST));
  MUST(value == 0 ? 0 : 1);
  MUST(aclrtFree(memory));
}

}  // namespace

int main(int argc, char** argv) {
  return RunCase(argc, argv,
                 {{"threads", Threads},
                  {"null_pointer", NullPointer},
                  {"handler_before", HandlerBefore},
                  {"fork", Fork}});
}
