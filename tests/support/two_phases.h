#ifndef ACLNN_CPU_TESTS_SUPPORT_TWO_PHASES_H_
#define ACLNN_CPU_TESTS_SUPPORT_TWO_PHASES_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "acl/acl.h"
#include "aclnn/acl_meta.h"
#include "support/rng.h"

namespace aclnn_cpu::test {

// Device memory for a workspace, filled with random bytes anew at each call: no result may depend
// on what a workspace holds. Needs a current context.
class DirtyWorkspace {
 public:
  explicit DirtyWorkspace(uint64_t seed) : rng_(seed) {}
  DirtyWorkspace(DirtyWorkspace&& other) noexcept
      : rng_(other.rng_),
        words_(std::move(other.words_)),
        memory_(std::exchange(other.memory_, nullptr)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  DirtyWorkspace& operator=(DirtyWorkspace&&) = delete;
  ~DirtyWorkspace() {
    if (memory_ != nullptr) aclrtFree(memory_);
  }

  // Null for 0 bytes, or if there is no memory.
  void* Make(uint64_t bytes) {
    if (bytes == 0) return nullptr;
    words_.resize((bytes + 7) / 8);
    for (uint64_t& word : words_) word = rng_.Bits();
    if (bytes > capacity_) {
      if (memory_ != nullptr) aclrtFree(memory_);
      capacity_ = 0;
      memory_ = nullptr;
      if (aclrtMalloc(&memory_, bytes, ACL_MEM_MALLOC_HUGE_FIRST) != 0) return nullptr;
      capacity_ = bytes;
    }
    aclrtMemcpy(memory_, bytes, words_.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE);
    return memory_;
  }

 private:
  Rng rng_;
  std::vector<uint64_t> words_;
  void* memory_ = nullptr;
  uint64_t capacity_ = 0;
};

// phase_one(&size, &executor), phase_two(workspace, size, executor, stream), then a wait for the
// stream. Returns the first code that is not 0.
template <typename PhaseOne, typename PhaseTwo>
aclnnStatus RunTwoPhases(PhaseOne phase_one, PhaseTwo phase_two, DirtyWorkspace& workspace,
                         aclrtStream stream) {
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  aclnnStatus code = phase_one(&size, &executor);
  if (code == 0) code = phase_two(workspace.Make(size), size, executor, stream);
  return code == 0 ? aclrtSynchronizeStream(stream) : code;
}

}  // namespace aclnn_cpu::test

#endif  // ACLNN_CPU_TESTS_SUPPORT_TWO_PHASES_H_
