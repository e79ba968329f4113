#ifndef ACLNN_CPU_ASCENDCL_HANDLE_TABLE_H_
#define ACLNN_CPU_ASCENDCL_HANDLE_TABLE_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

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
    objects_.emplace(handle, std::move(object));
  }

  std::shared_ptr<T> Find(const void* handle) const {
    const std::lock_guard lock(mutex_);
    const auto found = objects_.find(handle);
    return found == objects_.end() ? nullptr : found->second;
  }

  // The object, which stays in only if `stays(const T&)` holds; nullptr if the handle is not live.
  template <typename Predicate>
  std::shared_ptr<T> FindOrRemove(const void* handle, Predicate stays) {
    const std::lock_guard lock(mutex_);
    const auto found = objects_.find(handle);
    if (found == objects_.end()) return nullptr;
    if (stays(static_cast<const T&>(*found->second))) return found->second;
    std::shared_ptr<T> object = std::move(found->second);
    objects_.erase(found);
    return object;
  }

  // Takes the object out; nullptr if the handle is not live.
  std::shared_ptr<T> Remove(const void* handle) {
    return FindOrRemove(handle, [](const T& /*object*/) { return false; });
  }

  // Takes out all objects for which `unwanted(const T&)` holds.
  template <typename Predicate>
  std::vector<std::shared_ptr<T>> RemoveIf(Predicate unwanted) {
    const std::lock_guard lock(mutex_);
    std::vector<std::shared_ptr<T>> removed;
    for (auto entry = objects_.begin(); entry != objects_.end();) {
      if (!unwanted(static_cast<const T&>(*entry->second))) {
        ++entry;
        continue;
      }
      removed.push_back(std::move(entry->second));
      entry = objects_.erase(entry);
    }
    return removed;
  }

  std::vector<std::shared_ptr<T>> All() const {
    const std::lock_guard lock(mutex_);
    std::vector<std::shared_ptr<T>> objects;
    objects.reserve(objects_.size());
    for (const auto& [handle, object] : objects_) objects.push_back(object);
    return objects;
  }

 private:
  const HandleKind kind_;
  mutable std::mutex mutex_;
  std::unordered_map<const void*, std::shared_ptr<T>> objects_;
};

}  // namespace aclnn_cpu

#endif  // ACLNN_CPU_ASCENDCL_HANDLE_TABLE_H_
