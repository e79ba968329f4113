#include "base/pool.h"

#include <unistd.h>

#include <new>
#include <utility>

#include "base/block_shares.h"
#include "base/fp_environment.h"
#include "base/futex.h"

namespace aclnn_cpu {
namespace {

// The opener of a region spins this long for its helpers' last blocks before it sleeps.
constexpr int64_t kWaitSpinNs = 10'000;

constinit std::atomic<Pool*> g_pool{nullptr};
constinit std::atomic<bool> g_fork_handler{false};
thread_local int t_regions = 0;  // of which this thread runs bodies now, nested

// The parent's workers do not exist in a child, and its mutex may be locked for good.
void ForgetPool() { g_pool.store(nullptr); }

}  // namespace

struct Pool::Region {
  // The first `dealt` blocks are not handed out: each participant has one from the start.
  Region(FunctionRef<void(int64_t)> body_in, int64_t blocks, int helpers, int dealt)
      : body(body_in), max_helpers(helpers), shares(dealt, blocks, helpers + 1) {}

  bool HasRoom() const { return joined < max_helpers && (all_must_join || shares.Any()); }

  const FunctionRef<void(int64_t)> body;
  const int max_helpers;
  bool may_wake = true;
  bool all_must_join = false;
  int joined = 0;                    // helpers ever; guarded by the pool's mutex
  Region* next_open = nullptr;       // guarded by the pool's mutex
  std::atomic<int> active{0};        // helpers that have joined and not left
  std::atomic<uint32_t> arrived{0};  // participants, if all must join; futex
  BlockShares shares;
};

Pool* Pool::Get() {
  Pool* pool = GetIfMade();
  if (pool != nullptr) return pool;
  Pool* mine = new (std::nothrow) Pool;
  if (mine == nullptr) return nullptr;
  if (!g_fork_handler.exchange(true)) pthread_atfork(nullptr, nullptr, ForgetPool);
  if (g_pool.compare_exchange_strong(pool, mine)) return mine;
  delete mine;  // another thread was first
  return pool;
}

Pool* Pool::GetIfMade() { return g_pool.load(std::memory_order_acquire); }

bool Pool::InsideRegion() { return t_regions > 0; }

void Pool::Run(int64_t blocks, int helpers, bool may_wake, FunctionRef<void(int64_t)> body) {
  Region region(body, blocks, helpers, 0);
  region.may_wake = may_wake;
  Worker* sleeper = nullptr;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    Open(&region);
    if (may_wake) {
      StartWorkers(helpers);
      // One wake at most: the woken worker wakes the next one.
      if (looking_.load(std::memory_order_relaxed) == 0) sleeper = TakeSleepers(1);
    }
  }
  WakeAll(sleeper);
  RunBlocks(&region, 0, 0);
  CloseAndWait(&region);
}

bool Pool::RunWithAll(int64_t blocks, int helpers, FunctionRef<void(int64_t)> body) {
  Region region(body, blocks, helpers, helpers + 1);
  region.all_must_join = true;
  Worker* sleepers = nullptr;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    // Enough for all such regions that are open, or each could hold workers that another waits for.
    if (!StartWorkers(reserved_ + helpers)) return false;
    reserved_ += helpers;
    Open(&region);
    sleepers = TakeSleepers(helpers);
  }
  WakeAll(sleepers);
  RunBlocks(&region, 0, 0);
  CloseAndWait(&region);
  return true;
}

void Pool::RunBlocks(Region* region, int participant, int share) {
  ++t_regions;
  if (region->all_must_join) {
    const auto participants = static_cast<uint32_t>(region->max_helpers) + 1;
    uint32_t arrived = region->arrived.fetch_add(1) + 1;
    if (arrived == participants) FutexWakeAll(region->arrived);
    for (; arrived < participants; arrived = region->arrived.load()) {
      FutexWait(region->arrived, arrived);
    }
    region->body(participant);
  }
  region->shares.RunAll(share, region->body);
  --t_regions;
}

void Pool::Open(Region* region) {
  region->next_open = first_open_;
  first_open_ = region;
  sequence_.fetch_add(1);
}

void Pool::CloseAndWait(Region* region) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    Region** link = &first_open_;
    while (*link != region) link = &(*link)->next_open;
    *link = region->next_open;
    if (region->all_must_join) reserved_ -= region->max_helpers;
  }
  // Nobody can join any more.
  const auto all_left = [region] { return region->active.load(std::memory_order_acquire) == 0; };
  if (SpinUntil(all_left, kWaitSpinNs)) return;
  waiters_.fetch_add(1);
  while (true) {
    const uint32_t seen = completions_.load();
    if (region->active.load() == 0) break;
    FutexWait(completions_, seen);
  }
  waiters_.fetch_sub(1);
}

void Pool::Leave(Region* region) {
  if (region->active.fetch_sub(1) != 1) return;
  // The region may be gone from here on.
  completions_.fetch_add(1);
  if (waiters_.load() > 0) FutexWakeAll(completions_);
}

Pool::Region* Pool::FirstRegionWithRoom() const {
  Region* region = first_open_;
  while (region != nullptr && !region->HasRoom()) region = region->next_open;
  return region;
}

void* Pool::WorkerMain(void* worker) {
  Worker* self = static_cast<Worker*>(worker);
  Pool* pool = self->pool;
  self->tid = gettid();
  pthread_setname_np(pthread_self(), "aclnn-pool");
  const ScopedFpEnvironment fp_environment;
  std::unique_lock<std::mutex> lock(pool->mutex_);
  while (Region* region = pool->LookForRegion(self, &lock)) {
    const int participant = ++region->joined;
    region->active.fetch_add(1);
    // If somebody else is looking already, it will find what is left.
    Region* more = pool->looking_.load() == 0 ? pool->FirstRegionWithRoom() : nullptr;
    Worker* sleeper = more != nullptr && more->may_wake ? pool->TakeSleepers(1) : nullptr;
    lock.unlock();
    WakeAll(sleeper);
    RunBlocks(region, participant, 1 + self->index % region->max_helpers);
    pool->Leave(region);
    lock.lock();
  }
  return nullptr;
}

// Waits for a region with room; nullptr if there is none and the worker is to stop.
Pool::Region* Pool::LookForRegion(Worker* self, std::unique_lock<std::mutex>* lock) {
  while (true) {
    if (Region* region = FirstRegionWithRoom()) return region;
    if (self->stop) return nullptr;
    const uint32_t seen = sequence_.load();
    looking_.fetch_add(1);
    lock->unlock();
    SpinUntil([&] { return sequence_.load(std::memory_order_relaxed) != seen; }, kLookNs);
    lock->lock();
    looking_.fetch_sub(1);
    if (sequence_.load() == seen) Sleep(self, lock);
  }
}

void Pool::Sleep(Worker* self, std::unique_lock<std::mutex>* lock) {
  self->awake.store(0, std::memory_order_relaxed);
  self->next_idle = std::exchange(first_idle_, self);
  lock->unlock();
  while (self->awake.load(std::memory_order_acquire) == 0) FutexWait(self->awake, 0);
  self->placement.Restore();
  lock->lock();
}

// Takes at most `most` workers off the idle stack: a list by next_idle.
Pool::Worker* Pool::TakeSleepers(int most) {
  Worker* taken = first_idle_;
  Worker** end = &taken;
  for (int i = 0; i < most && *end != nullptr; ++i) end = &(*end)->next_idle;
  first_idle_ = std::exchange(*end, nullptr);
  return taken;
}

void Pool::WakeAll(Worker* sleepers) {
  while (sleepers != nullptr) {
    Worker* worker = std::exchange(sleepers, sleepers->next_idle);
    worker->placement.KeepOffThisCpu(worker->tid);
    worker->awake.store(1, std::memory_order_release);
    FutexWakeOne(worker->awake);  // the address alone: the worker may have ended already
  }
}

// Brings the number of workers up to `wanted`; false if the system refuses.
bool Pool::StartWorkers(int wanted) {
  try {
    while (static_cast<int>(workers_.size()) < wanted) {
      auto worker = std::make_unique<Worker>();
      worker->pool = this;
      worker->index = static_cast<int>(workers_.size());
      workers_.reserve(workers_.size() + 1);
      if (!StartThread(&worker->thread, WorkerMain, worker.get())) return false;
      workers_.push_back(std::move(worker));
    }
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

void Pool::Stop() {
  std::vector<std::unique_ptr<Worker>> workers;
  Worker* sleepers = nullptr;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    workers.swap(workers_);
    for (const std::unique_ptr<Worker>& worker : workers) worker->stop = true;
    sleepers = std::exchange(first_idle_, nullptr);
    sequence_.fetch_add(1);
  }
  WakeAll(sleepers);
  for (const std::unique_ptr<Worker>& worker : workers) pthread_join(worker->thread, nullptr);
}

}  // namespace aclnn_cpu
