#ifndef ACLNN_CPU_TESTS_STRESS_WORKLOAD_H_
#define ACLNN_CPU_TESTS_STRESS_WORKLOAD_H_

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "acl/acl.h"
#include "aclnn/acl_meta.h"
#include "support/tensor_builder.h"
#include "support/two_phases.h"

namespace aclnn_cpu::test {

enum class Op { kPool, kSampler };

// Tiny work runs inside phase two if its stream is idle; big work is queued and worth sharing out
// among threads that are awake, huge work among sleeping ones too.
enum class Size { kTiny, kBig, kHuge };

struct Kind {
  Op op;
  Size size;
  aclDataType dtype;
};

// Both operators, both sizes, every way of accumulating.
inline constexpr Kind kKinds[] = {
    {Op::kPool, Size::kTiny, ACL_FLOAT},   {Op::kPool, Size::kBig, ACL_FLOAT},
    {Op::kPool, Size::kBig, ACL_BF16},     {Op::kSampler, Size::kTiny, ACL_DOUBLE},
    {Op::kSampler, Size::kBig, ACL_FLOAT}, {Op::kSampler, Size::kBig, ACL_FLOAT16},
};

std::string Label(const Kind& kind);

// Of argument `index`, as the operator pages want it.
aclFormat FormatOf(Op op, size_t index);
inline void PrintTo(const Kind& kind, std::ostream* out) { *out << Label(kind); }

// The tensors and arrays of one call; destroyed with it, the memory they describe is not.
class Arguments {
 public:
  // Prototype order: gradOutput, self, out or gradOutput, input, grid, inputGrad, gridGrad.
  Arguments(Op op, std::vector<HostTensor> tensors);

  Op op() const { return op_; }
  aclTensor* tensor(size_t index) const { return tensors_[index].acl(); }

  // The sampler is called bilinear, with border padding and corners not aligned.
  aclnnStatus PhaseOne(uint64_t* size, aclOpExecutor** executor) const;

 private:
  struct DestroyMask {
    void operator()(aclBoolArray* mask) const { aclDestroyBoolArray(mask); }
  };

  Op op_;
  std::vector<HostTensor> tensors_;
  std::unique_ptr<aclBoolArray, DestroyMask> mask_;
};

aclnnStatus PhaseTwo(Op op, void* workspace, uint64_t size, aclOpExecutor* executor,
                     aclrtStream stream);

// Everything one call needs, with random inputs: the same for the same kind and seed.
class Workload {
 public:
  // Gradients are multiplied by `scale`.
  explicit Workload(const Kind& kind, uint64_t seed = 1, double scale = 1);

  const Kind& kind() const { return kind_; }
  // In the order of Arguments.
  const HostTensor& memory(size_t index) const { return memory_[index]; }
  HostTensor& memory(size_t index) { return memory_[index]; }
  size_t first_output() const { return kind_.op == Op::kPool ? 2 : 3; }

  Arguments MakeArguments() const;

  // Both phases, on fresh arguments that are gone when this returns. Outputs are garbage before,
  // the workspace too: the launch before must have ended.
  aclnnStatus Launch(aclrtStream stream);

  // Launch() and a wait for the stream.
  aclnnStatus Run(aclrtStream stream);

  void SpoilResults();

  // All outputs, end to end.
  std::vector<std::byte> Results() const;
  ::testing::AssertionResult ResultsAre(const std::vector<std::byte>& want) const;

 private:
  Kind kind_;
  std::vector<HostTensor> memory_;
  DirtyWorkspace workspace_;
};

// One workload of each of kKinds, and what they give when this thread runs them one by one.
std::vector<Workload> AllWorkloads(uint64_t seed = 1);
std::vector<std::vector<std::byte>> ResultsOfOneThread(uint64_t seed = 1);

}  // namespace aclnn_cpu::test

#endif  // ACLNN_CPU_TESTS_STRESS_WORKLOAD_H_
