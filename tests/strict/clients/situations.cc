// Ways for a process to meet strict mode that have nothing to do with one kind of finding: signals,
// the loader, limits of the system.
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "client.h"

namespace {

void Touch(void* memory) { static_cast<volatile char*>(memory)[0] = 1; }

// Findings are made while another thread is in the dynamic loader, whose lock they need, and calls
// the library from there.
void Loader(bool) {
  const Session session;
  const char* const library = getenv("ACLNN_CPU_TEST_MODULE");
  std::atomic<bool> done{false};
  std::thread finder([&] {
    MUST(aclrtSetDevice(0));
    while (!done.load()) {
      void* const memory = Allocate(64);
      char host[64];
      MUST(aclrtMemcpy(host, 64, memory, 64, ACL_MEMCPY_DEVICE_TO_HOST));  // uninitialised
      Touch(memory);
      MUST(aclrtFree(memory));
    }
    MUST(aclrtResetDevice(0));
  });
  for (int i = 0; i < 20; ++i) {
    void* const module = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    MUST(module != nullptr ? 0 : 1);
    dlclose(module);
  }
  done = true;
  finder.join();
}

// More blocks than the system has mappings for.
void ManyOpened(bool) {
  const Session session;
  std::vector<void*> blocks;
  for (int i = 0; i < 40000; ++i) {
    blocks.push_back(Allocate(64));
    Touch(blocks.back());
  }
  for (void* block : blocks) MUST(aclrtFree(block));
}

// Device memory comes from the heap if there is no address space, and goes back to it.
void HeapReuse(bool) {
  const Session session;
  for (int i = 0; i < 50; ++i) {
    void* const device = Allocate(4096);
    MUST(aclrtFree(device));
    void* host = nullptr;
    MUST(posix_memalign(&host, 64, 4160));
    std::memset(host, 1, 4096);
    void* const target = Allocate(4096);
    MUST(aclrtMemcpy(target, 4096, host, 4096, ACL_MEMCPY_HOST_TO_DEVICE));
    MUST(aclrtFree(target));
    std::free(host);
  }
}

void SlowHandler(int) { usleep(300000); }

// While one thread dies of its finding, the others are as correct as before.
void AbortWithThreads(bool) {
  signal(SIGABRT, SlowHandler);
  const Session session;
  std::thread([] {
    MUST(aclrtSetDevice(0));
    char* const memory = static_cast<char*>(AllocateFilled(64));
    char host[64];
    for (;;) MUST(aclrtMemcpy(host, 64, memory, 64, ACL_MEMCPY_DEVICE_TO_HOST));
  }).detach();
  usleep(20000);
  int value = 0;
  MUST(aclrtFree(&value));
}

// SIGSEGV that is ignored, sent by somebody: nothing happens.
void IgnoredSignal(bool) {
  signal(SIGSEGV, SIG_IGN);
  const Session session;
  MUST(aclrtFree(Allocate(64)));
  raise(SIGSEGV);
}

void SentSignal(bool) {
  const Session session;
  MUST(aclrtFree(Allocate(64)));
  raise(SIGSEGV);
}

void NullPointer(bool) {
  const Session session;
  MUST(aclrtFree(Allocate(64)));
  Touch(nullptr);
}

void LateHandler(int) { _exit(5); }

// A handler that comes later replaces ours.
void HandlerAfter(bool) {
  const Session session;
  void* const memory = Allocate(64);
  signal(SIGSEGV, LateHandler);
  Touch(memory);
}

// Behind the end of a block, but in its last page.
void TailOfThePage(bool) {
  const Session session;
  char* const memory = static_cast<char*>(Allocate(64));
  Touch(memory + 1000);
  for (int i = 0; i < 64; ++i) Touch(memory + i);
  char host[64];
  MUST(aclrtMemcpy(host, 64, memory, 64, ACL_MEMCPY_DEVICE_TO_HOST));
  MUST(aclrtFree(memory));
}

// No device memory at all.
void OnlyTensors(bool) { MakeTensor(3, 3, nullptr); }

}  // namespace

int main(int argc, char** argv) {
  return RunCase(argc, argv,
                 {{"loader", Loader},
                  {"many_opened", ManyOpened},
                  {"heap_reuse", HeapReuse},
                  {"abort_with_threads", AbortWithThreads},
                  {"ignored_signal", IgnoredSignal},
                  {"sent_signal", SentSignal},
                  {"null_pointer", NullPointer},
                  {"handler_after", HandlerAfter},
                  {"tail_of_the_page", TailOfThePage},
                  {"only_tensors", OnlyTensors}});
}
