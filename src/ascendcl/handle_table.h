#ifndef ACLNN_CPU_ASCENDCL_HANDLE_TABLE_H_
#define ACLNN_CPU_ASCENDCL_HANDLE_TABLE_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "base/light_mutex.h"

namespace aclnn_cpu {

enum class HandleKind : uintptr_t { kContext = 1, kStream = 2, kEvent = 3, kExecutor = 4 };

// A number that has never been a handle before in this process, shaped so that it can be no
// address: bit 62 is set, which no user-space pointer of x86-64 or AArch64 has. Never reused, so a
// stale handle stays unknown for ever.
inline void* NewHandle(HandleKind kind) {
  static constinit std::atomic<uintptr_t> serial{0};  // survives fork, unlike the tables
  const uintptr_t number = serial.fetch_add(1, std::memory_order_relaxed) + 1;
  return reinterpret_cast<void*>((uintptr_t{1} << 62) | (static_cast<uintptr_t>(kind) << 56) |
                                 (number << 4));
}

// The live objects of one kind behind the opaque handles that callers hold. Thread-safe. A handle
// that is unknown, destroyed or not ours is simply not found; nothing that a caller passes is ever
// dereferenced.
//
// Open addressing: handles are numbered, so their low bits spread them nearly perfectly, and a call
// that makes and uses up an executor allocates nothing here.
template <typename T>
class HandleTable {
 public:
  explicit HandleTable(HandleKind kind) : kind_(kind) {}

  void* Insert(std::shared_ptr<T> object) {
    void* const handle = NewHandle(kind_);
    InsertAs(handle, std::move(object));
    return handle;
  }

  // For objects that know their own handle, a fresh one from NewHandle().
  void InsertAs(void* handle, std::shared_ptr<T> object) {
    const std::lock_guard lock(mutex_);
    if (2 * (count_ + 1) > slots_.size()) Grow();
    Place({handle, std::move(object)});
    ++count_;
  }

  std::shared_ptr<T> Find(const void* handle) const {
    const std::lock_guard lock(mutex_);
    const size_t found = IndexOf(handle);
    return found == kNone ? nullptr : slots_[found].object;
  }

  // The object, which stays in only if `stays(const T&)` holds; nullptr if the handle is not live.
  template <typename Predicate>
  std::shared_ptr<T> FindOrRemove(const void* handle, Predicate stays) {
    const std::lock_guard lock(mutex_);
    const size_t found = IndexOf(handle);
    if (found == kNone) return nullptr;
    if (stays(static_cast<const T&>(*slots_[found].object))) return slots_[found].object;
    return TakeOut(found);
  }

  // Takes the object out; nullptr if the handle is not live.
  std::shared_ptr<T> Remove(const void* handle) {
    return FindOrRemove(handle, [](const T& /*object*/) { return false; });
  }

  // Takes out all objects for which `unwanted(const T&)` holds.
  template <typename Predicate>
  std::vector<std::shared_ptr<T>> RemoveIf(Predicate unwanted) {
    const std::lock_guard lock(mutex_);
    // Room for all at first: were memory short between two of them, the ones taken out were lost.
    std::vector<const void*> handles;
    handles.reserve(count_);
    for (const Slot& slot : slots_) {
      if (slot.handle != nullptr && unwanted(static_cast<const T&>(*slot.object)))
        handles.push_back(slot.handle);
    }
    std::vector<std::shared_ptr<T>> removed;
    removed.reserve(handles.size());
    for (const void* handle : handles) removed.push_back(TakeOut(IndexOf(handle)));
    return removed;
  }

  std::vector<std::shared_ptr<T>> All() const {
    const std::lock_guard lock(mutex_);
    std::vector<std::shared_ptr<T>> objects;
    objects.reserve(count_);
    for (const Slot& slot : slots_) {
      if (slot.handle != nullptr) objects.push_back(slot.object);
    }
    return objects;
  }

 private:
  struct Slot {
    const void* handle = nullptr;  // null: free
    std::shared_ptr<T> object;
  };
  static constexpr size_t kNone = SIZE_MAX;
  static constexpr size_t kFirstSize = 16;

  // Where the search for a handle starts; it goes on to the next free slot.
  size_t Home(const void* handle) const {
    return (reinterpret_cast<uintptr_t>(handle) >> 4) & (slots_.size() - 1);
  }
  size_t After(size_t slot) const { return (slot + 1) & (slots_.size() - 1); }

  size_t IndexOf(const void* handle) const {
    if (slots_.empty()) return kNone;
    for (size_t i = Home(handle); slots_[i].handle != nullptr; i = After(i)) {
      if (slots_[i].handle == handle) return i;
    }
    return kNone;
  }

  void Place(Slot entry) {
    size_t i = Home(entry.handle);
    while (slots_[i].handle != nullptr) i = After(i);
    slots_[i] = std::move(entry);
  }

  std::shared_ptr<T> TakeOut(size_t hole) {
    std::shared_ptr<T> object = std::move(slots_[hole].object);
    // Entries behind that the search would not reach any more move up.
    for (size_t i = After(hole); slots_[i].handle != nullptr; i = After(i)) {
      const size_t mask = slots_.size() - 1;
      const size_t from_home = (i - Home(slots_[i].handle)) & mask;
      if (from_home < ((i - hole) & mask)) continue;
      slots_[hole] = std::move(slots_[i]);
      hole = i;
    }
    slots_[hole] = Slot();
    --count_;
    return object;
  }

  void Grow() {
    std::vector<Slot> old(slots_.empty() ? kFirstSize : 2 * slots_.size());
    slots_.swap(old);
    for (Slot& slot : old) {
      if (slot.handle != nullptr) Place(std::move(slot));
    }
  }

  const HandleKind kind_;
  mutable LightMutex mutex_;
  std::vector<Slot> slots_;  // as many as a power of two, half of them free
  size_t count_ = 0;
};

}  // namespace aclnn_cpu

#endif  // ACLNN_CPU_ASCENDCL_HANDLE_TABLE_H_
