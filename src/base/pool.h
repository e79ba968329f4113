#ifndef ACLNN_CPU_BASE_POOL_H_
#define ACLNN_CPU_BASE_POOL_H_

#include <pthread.h>
#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "base/function_ref.h"
#include "base/threads.h"

namespace aclnn_cpu {

// The threads behind ParallelFor: one pool for the process, shared by all that open regions. A
// region lives on its opener's stack. The opener runs blocks itself, so nothing ever waits for a
// worker that has not joined; workers help any open region that has room.
class Pool {
 public:
  // A worker without a region looks for one this long before it sleeps.
  static constexpr int64_t kLookNs = 50'000;

  // The process's pool, made at the first call and never freed; nullptr if memory is short. A
  // forked child makes its own.
  static Pool* Get();
  // The same if there is one already, else nullptr.
  static Pool* GetIfMade();

  // True in a body that a region with workers runs.
  static bool InsideRegion();

  // Runs all blocks on the calling thread and up to `helpers` workers. With `may_wake`, sleeping
  // workers are woken and missing ones created; else only those help that are awake and free.
  void Run(int64_t blocks, int helpers, bool may_wake, FunctionRef<void(int64_t)> body);

  // For tests: the same with exactly `helpers` (< blocks) workers, each of which runs at least one
  // block. False, and nothing is run, if the threads cannot be had. Not inside a region: its
  // workers could wait for each other.
  bool RunWithAll(int64_t blocks, int helpers, FunctionRef<void(int64_t)> body);

  // True if a worker is looking for a region just now, so that it would join one without a wake.
  bool HasFreeWorker() const { return looking_.load(std::memory_order_relaxed) > 0; }

  // Joins all workers. New ones may be started at the same time.
  void Stop();

 private:
  struct Region;

  struct Worker {
    Pool* pool = nullptr;
    pthread_t thread{};
    pid_t tid = 0;
    int index = 0;  // in workers_; chooses its share of a region's blocks, the same every time
    std::atomic<uint32_t> awake{1};  // futex
    Placement placement;
    bool stop = false;            // guarded by mutex_
    Worker* next_idle = nullptr;  // guarded by mutex_, or of whoever took it off the stack
  };

  static void* WorkerMain(void* worker);
  Region* LookForRegion(Worker* self, std::unique_lock<std::mutex>* lock);
  void Sleep(Worker* self, std::unique_lock<std::mutex>* lock);

  void Open(Region* region);
  void CloseAndWait(Region* region);
  static void RunBlocks(Region* region, int participant, int share);
  void Leave(Region* region);

  Region* FirstRegionWithRoom() const;
  Worker* TakeSleepers(int most);
  bool StartWorkers(int wanted);
  static void WakeAll(Worker* sleepers);

  std::mutex mutex_;  // guards what follows, up to the blank line
  Region* first_open_ = nullptr;
  Worker* first_idle_ = nullptr;  // the last to fall asleep, so the likeliest to be warm
  std::vector<std::unique_ptr<Worker>> workers_;
  int reserved_ = 0;  // workers that open RunWithAll regions count on

  // Written under mutex_, read without.
  std::atomic<int> looking_{0};        // workers awake without a region
  std::atomic<uint32_t> sequence_{0};  // changes whenever a region opens

  // Futex that changes whenever the last helper leaves a region. It lives here because the region
  // may be gone by the time that helper signals.
  std::atomic<uint32_t> completions_{0};
  std::atomic<int> waiters_{0};  // threads that sleep on it or are about to
};

}  // namespace aclnn_cpu

#endif  // ACLNN_CPU_BASE_POOL_H_
