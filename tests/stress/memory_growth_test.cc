#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <vector>

#include "stress/device_test.h"
#include "stress/workload.h"
#include "support/memory_use.h"

namespace aclnn_cpu::test {
namespace {

// Strict mode remembers every allocation, also after it was freed.
const int64_t kMostGrowth = int64_t{std::getenv("ACLNN_CPU_STRICT") == nullptr ? 4 : 200} << 20;

class StressMemory : public DeviceTest {};

// Memory that `count` calls of body(i) leave behind after a tenth as many to warm up.
template <typename Body>
int64_t Growth(int count, Body body) {
  for (int i = 0; i < count / 10; ++i) body(i);
  const int64_t before = aclnn_cpu::test::MemoryInUse();
  for (int i = 0; i < count; ++i) body(i);
  return aclnn_cpu::test::MemoryInUse() - before;
}

TEST_F(StressMemory, TinyCallsLeaveNothingBehind) {
  const Stream stream;
  Workload pool({Op::kPool, Size::kTiny, ACL_FLOAT16});
  Workload sampler({Op::kSampler, Size::kTiny, ACL_FLOAT});
  const int64_t growth = Growth(
      100'000, [&](int i) { ASSERT_EQ((i % 2 == 0 ? pool : sampler).Run(stream.get()), 0); });
  EXPECT_LE(growth, kMostGrowth);
}

TEST_F(StressMemory, QueuedCallsLeaveNothingBehind) {
  const Stream stream;
  std::vector<Workload> workloads = AllWorkloads();
  constexpr int kRounds = 2'000 / static_cast<int>(std::size(kKinds));
  const int64_t growth = Growth(kRounds, [&](int) {
    for (Workload& workload : workloads) ASSERT_EQ(workload.Launch(stream.get()), 0);
    ASSERT_EQ(aclrtSynchronizeStream(stream.get()), 0);
  });
  EXPECT_LE(growth, kMostGrowth);
}

TEST_F(StressMemory, FailedCallsLeaveNothingBehind) {
  Workload workload({Op::kSampler, Size::kTiny, ACL_FLOAT});
  int dummy = 0;
  const aclrtStream unknown = &dummy;
  const int64_t growth = Growth(20'000, [&](int i) {
    const Arguments arguments = workload.MakeArguments();
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    if (i % 2 == 0) {
      ASSERT_NE(arguments.PhaseOne(nullptr, &executor), 0);
    } else {
      DirtyWorkspace workspace(1);
      ASSERT_EQ(arguments.PhaseOne(&size, &executor), 0);
      ASSERT_NE(PhaseTwo(Op::kSampler, workspace.Make(size), size, executor, unknown), 0);
    }
    ASSERT_NE(aclGetRecentErrMsg(), nullptr);
  });
  EXPECT_LE(growth, kMostGrowth);
}

// Each stream gets a thread of its own by the work.
TEST_F(StressMemory, BusyStreamsLeaveNothingBehind) {
  Workload workload({Op::kPool, Size::kBig, ACL_FLOAT});
  const int64_t growth = Growth(500, [&](int) {
    const Event event;
    const Stream stream;
    ASSERT_EQ(workload.Launch(stream.get()), 0);
    ASSERT_EQ(aclrtRecordEvent(event.get(), stream.get()), 0);
    ASSERT_EQ(aclrtSynchronizeEvent(event.get()), 0);
  });
  EXPECT_LE(growth, kMostGrowth);
}

TEST_F(StressMemory, HandlesLeaveNothingBehind) {
  const int64_t growth = Growth(50'000, [&](int) {
    aclrtContext context = nullptr;
    ASSERT_EQ(aclrtCreateContext(&context, 0), 0);
    {
      const Event event;
      const Stream stream;
      ASSERT_EQ(aclrtRecordEvent(event.get(), stream.get()), 0);
      ASSERT_EQ(aclrtStreamWaitEvent(nullptr, event.get()), 0);
    }
    ASSERT_EQ(aclrtDestroyContext(context), 0);
  });
  ASSERT_EQ(aclrtSetDevice(0), 0);
  ASSERT_EQ(aclrtResetDevice(0), 0);
  EXPECT_LE(growth, kMostGrowth);
}

}  // namespace
}  // namespace aclnn_cpu::test
