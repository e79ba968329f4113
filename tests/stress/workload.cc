#include "stress/workload.h"

#include <utility>

#include "aclnnop/aclnn_adaptive_avg_pool2d_backward.h"
#include "aclnnop/aclnn_grid_sampler3d_backward.h"
#include "support/compare.h"
#include "support/rng.h"

namespace aclnn_cpu::test {
namespace {

HostTensor RandomTensor(aclDataType dtype, const Int64s& shape, double limit, Rng& rng) {
  return TensorBuilder(dtype, shape)
      .OnDevice()
      .Values(rng.UniformVector(CountOf(shape), -limit, limit))
      .Build();
}

struct PoolShape {
  Int64s grad;
  Int64s out;
};

struct SamplerShape {
  Int64s input;
  Int64s grad;
};

PoolShape PoolShapeOf(Size size) {
  switch (size) {
    case Size::kTiny:
      return {{1, 2, 3, 4}, {1, 2, 7, 5}};
    case Size::kBig:
      return {{1, 24, 31, 33}, {1, 24, 90, 91}};
    default:
      return {{3, 50, 37, 41}, {3, 50, 120, 121}};
  }
}

SamplerShape SamplerShapeOf(Size size) {
  switch (size) {
    case Size::kTiny:
      return {{1, 2, 2, 3, 4}, {1, 2, 1, 2, 3}};
    case Size::kBig:
      return {{1, 8, 5, 12, 13}, {1, 8, 6, 20, 20}};
    default:
      return {{1, 16, 9, 17, 19}, {1, 16, 20, 30, 33}};
  }
}

std::vector<HostTensor> PoolMemory(const Kind& kind, Rng& rng, double scale) {
  const auto [grad, out] = PoolShapeOf(kind.size);
  std::vector<HostTensor> memory;
  memory.push_back(RandomTensor(kind.dtype, grad, scale, rng));
  memory.push_back(TensorBuilder(kind.dtype, out).WithoutData().Build());  // self, never read
  memory.push_back(TensorBuilder(kind.dtype, out).OnDevice().Build());
  return memory;
}

std::vector<HostTensor> SamplerMemory(const Kind& kind, Rng& rng, double scale) {
  const auto [input, grad] = SamplerShapeOf(kind.size);
  const Int64s grid = {1, grad[2], grad[3], grad[4], 3};
  std::vector<HostTensor> memory;
  memory.push_back(RandomTensor(kind.dtype, grad, scale, rng));
  memory.push_back(RandomTensor(kind.dtype, input, 1, rng));
  memory.push_back(RandomTensor(kind.dtype, grid, 1.2, rng));
  memory.push_back(TensorBuilder(kind.dtype, input).OnDevice().Build());
  memory.push_back(TensorBuilder(kind.dtype, grid).OnDevice().Build());
  return memory;
}

}  // namespace

std::string Label(const Kind& kind) {
  const char* const size = kind.size == Size::kTiny  ? "_tiny_"
                           : kind.size == Size::kBig ? "_big_"
                                                     : "_huge_";
  return std::string(kind.op == Op::kPool ? "pool" : "sampler") + size + DtypeLabel(kind.dtype);
}

aclFormat FormatOf(Op op, size_t index) {
  if (op == Op::kPool) return ACL_FORMAT_ND;
  const bool is_grid = index == 2 || index == 4;
  return is_grid ? ACL_FORMAT_NDHWC : ACL_FORMAT_NCDHW;
}

Arguments::Arguments(Op op, std::vector<HostTensor> tensors)
    : op_(op), tensors_(std::move(tensors)) {
  if (op_ == Op::kPool) return;
  const bool both[] = {true, true};
  mask_.reset(aclCreateBoolArray(both, 2));
}

aclnnStatus Arguments::PhaseOne(uint64_t* size, aclOpExecutor** executor) const {
  if (op_ == Op::kPool) {
    return aclnnAdaptiveAvgPool2dBackwardGetWorkspaceSize(tensor(0), tensor(1), tensor(2), size,
                                                          executor);
  }
  constexpr int64_t kBilinear = 0;
  constexpr int64_t kBorder = 1;
  return aclnnGridSampler3DBackwardGetWorkspaceSize(tensor(0), tensor(1), tensor(2), kBilinear,
                                                    kBorder, false, mask_.get(), tensor(3),
                                                    tensor(4), size, executor);
}

aclnnStatus PhaseTwo(Op op, void* workspace, uint64_t size, aclOpExecutor* executor,
                     aclrtStream stream) {
  return op == Op::kPool ? aclnnAdaptiveAvgPool2dBackward(workspace, size, executor, stream)
                         : aclnnGridSampler3DBackward(workspace, size, executor, stream);
}

Workload::Workload(const Kind& kind, uint64_t seed, double scale) : kind_(kind), workspace_(seed) {
  Rng rng(seed);
  memory_ = kind.op == Op::kPool ? PoolMemory(kind, rng, scale) : SamplerMemory(kind, rng, scale);
}

Arguments Workload::MakeArguments() const {
  std::vector<HostTensor> tensors;
  for (const HostTensor& memory : memory_) {
    TensorBuilder builder(memory.dtype(), memory.shape());
    builder.Format(FormatOf(kind_.op, tensors.size()));
    if (memory.data() == nullptr) {
      builder.WithoutData();
    } else {
      builder.SharingStorageOf(memory);
    }
    tensors.push_back(builder.Build());
  }
  return Arguments(kind_.op, std::move(tensors));
}

aclnnStatus Workload::Launch(aclrtStream stream) {
  SpoilResults();
  const Arguments arguments = MakeArguments();
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  const aclnnStatus code = arguments.PhaseOne(&size, &executor);
  if (code != 0) return code;
  return PhaseTwo(kind_.op, workspace_.Make(size), size, executor, stream);
}

aclnnStatus Workload::Run(aclrtStream stream) {
  const aclnnStatus code = Launch(stream);
  return code == 0 ? aclrtSynchronizeStream(stream) : code;
}

void Workload::SpoilResults() {
  for (size_t i = first_output(); i < memory_.size(); ++i) {
    const size_t bytes = memory_[i].byte_count();
    EXPECT_EQ(aclrtMemset(memory_[i].data(), bytes, 0xa5, bytes), 0);
  }
}

std::vector<std::byte> Workload::Results() const {
  std::vector<std::byte> results;
  for (size_t i = first_output(); i < memory_.size(); ++i) {
    const std::vector<std::byte> bytes = memory_[i].CopyOfBytes();
    results.insert(results.end(), bytes.begin(), bytes.end());
  }
  return results;
}

::testing::AssertionResult Workload::ResultsAre(const std::vector<std::byte>& want) const {
  const ::testing::AssertionResult same = SameBits(kind_.dtype, Results(), want);
  return same ? same : ::testing::AssertionFailure() << Label(kind_) << ": " << same.message();
}

std::vector<Workload> AllWorkloads(uint64_t seed) {
  std::vector<Workload> workloads;
  for (const Kind& kind : kKinds) workloads.emplace_back(kind, seed);
  return workloads;
}

std::vector<std::vector<std::byte>> ResultsOfOneThread(uint64_t seed) {
  std::vector<std::vector<std::byte>> results;
  for (Workload& workload : AllWorkloads(seed)) {
    EXPECT_EQ(workload.Run(nullptr), 0);
    results.push_back(workload.Results());
  }
  return results;
}

}  // namespace aclnn_cpu::test
