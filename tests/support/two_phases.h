#ifndef ACLNN_CPU_TESTS_SUPPORT_TWO_PHASES_H_
#define ACLNN_CPU_TESTS_SUPPORT_TWO_PHASES_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "acl/acl.h"
#include "aclnn/acl_meta.h"
#include "support/rng.h"

namespace aclnn_cpu::test {

// Memory for a workspace, filled with random bytes anew at each call: no result may depend on what
// a workspace holds.
class DirtyWorkspace {
 public:
  explicit DirtyWorkspace(uint64_t seed) : rng_(seed) {}

  void* Make(uint64_t bytes) {
    words_.resize((bytes + 7) / 8);
    for (uint64_t& word : words_) word = rng_.Bits();
    return bytes == 0 ? nullptr : words_.data();
  }

 private:
  Rng rng_;
  std::vector<uint64_t> words_;
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
