// A client that ends, forks or unloads the library in the way its argument names. It checks what it
// can see itself; check_process.sh checks how and when the process ends.
//
// Exit status: 0 as expected, 1 a check failed (printed to standard error).

#include <pthread.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <string>
#include <thread>

#include "api.h"

namespace {

// A fill of this size takes several milliseconds, so `kFills` of them take far longer than what a
// test allows for an exit that must not wait.
constexpr size_t kBufferBytes = size_t{64} << 20;
constexpr int kFills = 400;
constexpr int kFewFills = 20;

Api api;
aclrtStream stream = nullptr;
void* buffer = nullptr;

void Check(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "not true: %s\n", what);
  std::_Exit(1);
}

void CheckOk(aclError code, const char* call) {
  if (code == ACL_SUCCESS) return;
  std::fprintf(stderr, "%s: %d\n", call, code);
  std::_Exit(1);
}

void SleepMs(int ms) {
  const timespec time{ms / 1000, ms % 1000 * 1'000'000L};
  nanosleep(&time, nullptr);
}

void Start() {
  CheckOk(api.Init(nullptr), "aclInit");
  CheckOk(api.SetDevice(0), "aclrtSetDevice");
  CheckOk(api.CreateStream(&stream), "aclrtCreateStream");
  CheckOk(api.Malloc(&buffer, kBufferBytes, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
}

void Fill(int value) {
  CheckOk(api.MemsetAsync(buffer, kBufferBytes, value, kBufferBytes, stream), "aclrtMemsetAsync");
}

void FillManyTimes(int fills) {
  for (int i = 0; i < fills; ++i) Fill(i);
}

// A byte of device memory.
int ByteAt(const void* memory, size_t offset) {
  unsigned char byte = 0;
  CheckOk(api.Memcpy(&byte, 1, static_cast<const unsigned char*>(memory) + offset, 1,
                     ACL_MEMCPY_DEVICE_TO_HOST),
          "aclrtMemcpy");
  return byte;
}

bool BufferHolds(int value) {
  return ByteAt(buffer, 0) == (value & 255) && ByteAt(buffer, kBufferBytes - 1) == (value & 255);
}

bool StreamIsBusy() {
  aclrtStreamStatus status = ACL_STREAM_STATUS_RESERVED;
  CheckOk(api.StreamQuery(stream, &status), "aclrtStreamQuery");
  return status == ACL_STREAM_STATUS_NOT_READY;
}

// Leaves a stream worker behind that has nothing to do.
void StartAndLetTheWorkerSleep() {
  Start();
  FillManyTimes(2);
  CheckOk(api.SynchronizeStream(stream), "aclrtSynchronizeStream");
  SleepMs(20);
}

void ReturnWorkerAsleep() { StartAndLetTheWorkerSleep(); }

void ReturnTaskRunning() {
  Start();
  FillManyTimes(kFills);
  Check(StreamIsBusy(), "work is left when main returns");
}

void AtexitFinalize() {
  Start();
  std::atexit([] {
    Check(StreamIsBusy(), "work is left when the handler is called");
    CheckOk(api.Finalize(), "aclFinalize");
    Check(BufferHolds(kFewFills - 1), "aclFinalize waits for the last fill");
  });
  FillManyTimes(kFewFills);
}

// Constructed before anything of the library is, so destroyed after it: the destructor meets a
// library whose own static objects, if it had any, would be gone.
struct UsesLibraryWhenDestroyed {
  ~UsesLibraryWhenDestroyed() {
    if (!armed) return;
    Fill(77);
    CheckOk(api.SynchronizeStream(stream), "aclrtSynchronizeStream");
    Check(BufferHolds(77), "the fill ran");
    CheckOk(api.Finalize(), "aclFinalize");
    Check(api.Finalize() == ACL_ERROR_REPEAT_FINALIZE, "a second aclFinalize gives 100037");
    std::puts("destructor ran");
    std::fflush(stdout);
  }
  bool armed = false;
};
UsesLibraryWhenDestroyed last_user;

void StaticDestructor() {
  last_user.armed = true;
  StartAndLetTheWorkerSleep();
}

void CloseWorkerAsleep() {
  StartAndLetTheWorkerSleep();
  Check(dlclose(api.library) == 0, "dlclose");
  SleepMs(50);
}

void CloseTaskRunning() {
  Start();
  FillManyTimes(kFewFills);
  Check(StreamIsBusy(), "work is left at dlclose");
  Check(dlclose(api.library) == 0, "dlclose");
  SleepMs(300);
  api = OpenApi();  // the same library: it was never unloaded
  CheckOk(api.SynchronizeStream(stream), "aclrtSynchronizeStream");
  Check(BufferHolds(kFewFills - 1), "the work went on after dlclose");
}

// What a child of a process with a runtime can do. Returns an exit status.
int RunChild() {
  char byte = 0;
  void* memory = nullptr;
  if (api.MemsetAsync(&byte, 1, 0, 1, nullptr) != ACL_ERROR_RT_CONTEXT_NULL) return 11;
  if (api.MemsetAsync(buffer, kBufferBytes, 0, kBufferBytes, stream) != ACL_ERROR_RT_INVALID_HANDLE)
    return 12;
  if (api.SynchronizeStream(nullptr) != ACL_ERROR_RT_CONTEXT_NULL) return 13;
  if (api.SynchronizeStream(stream) != ACL_ERROR_RT_INVALID_HANDLE) return 14;
  if (api.Malloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST) != ACL_ERROR_RT_CONTEXT_NULL) return 15;
  if (api.Free(buffer) != ACL_ERROR_RT_PARAM_INVALID) return 16;

  if (api.Init(nullptr) != ACL_SUCCESS || api.SetDevice(0) != ACL_SUCCESS) return 21;
  aclrtStream own = nullptr;
  constexpr size_t kBytes = 1 << 20;  // too much to be run at once
  if (api.CreateStream(&own) != ACL_SUCCESS) return 22;
  if (api.Malloc(&memory, kBytes, ACL_MEM_MALLOC_HUGE_FIRST) != ACL_SUCCESS) return 23;
  if (api.MemsetAsync(memory, kBytes, 5, kBytes, own) != ACL_SUCCESS) return 24;
  if (api.SynchronizeStream(own) != ACL_SUCCESS) return 25;
  if (ByteAt(memory, kBytes - 1) != 5) return 26;
  if (api.Free(memory) != ACL_SUCCESS || api.ResetDevice(0) != ACL_SUCCESS) return 27;
  return api.Finalize() == ACL_SUCCESS ? 0 : 28;
}

int StatusOfForkedChild() {
  const pid_t child = fork();
  Check(child >= 0, "fork");
  if (child == 0) std::_Exit(RunChild());
  int status = 0;
  Check(waitpid(child, &status, 0) == child, "waitpid");
  return WIFEXITED(status) ? WEXITSTATUS(status) : 256 + WTERMSIG(status);
}

void CheckChild() {
  const int status = StatusOfForkedChild();
  if (status == 0) return;
  std::fprintf(stderr, "child ended with %d\n", status);
  std::_Exit(1);
}

void Fork() {
  Start();
  FillManyTimes(kFewFills);
  CheckChild();
  CheckOk(api.SynchronizeStream(stream), "aclrtSynchronizeStream");
  Check(BufferHolds(kFewFills - 1), "the parent's work is unaffected");
  CheckOk(api.Free(buffer), "aclrtFree");
  CheckOk(api.ResetDevice(0), "aclrtResetDevice");
  CheckOk(api.Finalize(), "aclFinalize");
}

void ForkManyTimes() {
  Start();
  std::atomic<bool> stop{false};
  std::thread worker([&] {
    CheckOk(api.SetDevice(0), "aclrtSetDevice");
    void* memory = nullptr;
    while (!stop) {  // locks of all kinds are held now and then when a fork happens
      CheckOk(api.Malloc(&memory, 1 << 20, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
      CheckOk(api.MemsetAsync(memory, 1 << 20, 1, 1 << 20, stream), "aclrtMemsetAsync");
      CheckOk(api.SynchronizeStream(stream), "aclrtSynchronizeStream");
      CheckOk(api.Free(memory), "aclrtFree");
      api.Free(nullptr);  // an error text
    }
  });
  for (int i = 0; i < 200; ++i) CheckChild();
  stop = true;
  worker.join();
}

void MainEndsByPthreadExit() {
  Start();
  FillManyTimes(kFewFills);
  std::thread([main_thread = pthread_self()] {
    pthread_join(main_thread, nullptr);
    CheckOk(api.SynchronizeStream(stream), "aclrtSynchronizeStream");
    CheckOk(api.SetDevice(0), "aclrtSetDevice");
    Check(BufferHolds(kFewFills - 1), "work goes on after main has ended");
    std::exit(7);
  }).detach();
  pthread_exit(nullptr);
}

struct Situation {
  const char* name;
  void (*run)();
};
constexpr Situation kSituations[] = {
    {"return_worker_asleep", ReturnWorkerAsleep},
    {"return_task_running", ReturnTaskRunning},
    {"atexit_finalize", AtexitFinalize},
    {"static_destructor", StaticDestructor},
    {"dlclose_worker_asleep", CloseWorkerAsleep},
    {"dlclose_task_running", CloseTaskRunning},
    {"fork", Fork},
    {"fork_200_times", ForkManyTimes},
    {"pthread_exit", MainEndsByPthreadExit},
};

}  // namespace

int main(int argc, char** argv) {
  api = OpenApi();
  for (const Situation& situation : kSituations) {
    if (argc != 2 || std::strcmp(argv[1], situation.name) != 0) continue;
    situation.run();
    // When main returns, in microseconds since 1970, as check_process.sh reads the clock.
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    std::printf("main returns at %lld\n",
                static_cast<long long>(now.tv_sec) * 1'000'000 + now.tv_nsec / 1000);
    std::fflush(stdout);
    return 0;
  }
  std::fprintf(stderr, "usage: client SITUATION\n");
  return 2;
}
