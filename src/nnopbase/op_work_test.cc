#include "nnopbase/op_work.h"

#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <vector>

#include "nnopbase/fake_op_for_test.h"

namespace aclnn_cpu {
namespace {

std::vector<void*> DataPointers(const OpTask& task) {
  std::vector<void*> pointers;
  for (const TensorArg& arg : task.args) pointers.push_back(arg.tensor->data);
  return pointers;
}

// Ten floats 0..9 that both views lie in.
class OverlapTest : public testing::Test {
 protected:
  void SetUp() override { std::iota(data_.begin(), data_.end(), 0.0f); }

  TensorPtr View(int64_t count, int64_t stride, int64_t offset) {
    return MakeTensor({.dims = {count},
                       .strides = {stride},
                       .offset = offset,
                       .storage = {10},
                       .data = data_.data()});
  }
  // Runs the fake operator and returns how much was copied.
  int64_t RunFake(const TensorPtr& in, const TensorPtr& out) {
    const OpTask task = FakeTask(in, out);
    OpWork work(task, DataPointers(task), nullptr, false);
    EXPECT_TRUE(work.Run().ok());
    return work.CopiedBytes();
  }

  std::array<float, 10> data_;
};

TEST_F(OverlapTest, AnInputThatIsTheOutputIsCopied) {
  EXPECT_EQ(RunFake(View(10, 1, 0), View(10, 1, 0)), 40);
  EXPECT_EQ(data_, (std::array<float, 10>{0, 2, 4, 6, 8, 10, 12, 14, 16, 18}));
}

// Without the copy each write would change the next input.
TEST_F(OverlapTest, ShiftedViews) {
  EXPECT_EQ(RunFake(View(5, 1, 1), View(5, 1, 2)), 20);
  EXPECT_EQ(data_, (std::array<float, 10>{0, 1, 2, 4, 6, 8, 10, 7, 8, 9}));
}

TEST_F(OverlapTest, NegativeStrides) {
  EXPECT_EQ(RunFake(View(10, -1, 9), View(10, 1, 0)), 40);
  EXPECT_EQ(data_, (std::array<float, 10>{18, 16, 14, 12, 10, 8, 6, 4, 2, 0}));
}

TEST_F(OverlapTest, GapsAreCopiedWithTheirElements) {
  EXPECT_EQ(RunFake(View(4, 3, 0), View(4, 1, 3)), 40);
  EXPECT_EQ(data_, (std::array<float, 10>{0, 1, 2, 0, 6, 12, 18, 7, 8, 9}));
}

TEST_F(OverlapTest, AnExpandedInput) {
  EXPECT_EQ(RunFake(View(4, 0, 5), View(4, 1, 4)), 4);
  EXPECT_EQ(data_, (std::array<float, 10>{0, 1, 2, 3, 10, 10, 10, 10, 8, 9}));
}

TEST_F(OverlapTest, InterleavedViewsKeepTheirNeighboursElements) {
  EXPECT_EQ(RunFake(View(5, 2, 0), View(5, 2, 1)), 36);
  EXPECT_EQ(data_, (std::array<float, 10>{0, 0, 2, 4, 4, 8, 6, 12, 8, 16}));
}

TEST_F(OverlapTest, NeighboursAreNotCopied) {
  EXPECT_EQ(RunFake(View(5, 1, 0), View(5, 1, 5)), 0);
  EXPECT_EQ(RunFake(View(5, 1, 5), View(5, 1, 0)), 0);
}

TEST_F(OverlapTest, OnlyInputsThatAreReadAreCopied) {
  std::array<float, 10> elsewhere{};
  const TensorPtr in = MakeTensor({.dims = {10}, .data = elsewhere.data()});
  const TensorPtr self = View(10, 1, 0);
  OpTask task = FakeTask(in, self);
  task.args.push_back(TensorArg({"self", self.get()}, TensorUse::kNotAccessed));
  task.args.push_back(TensorArg({"empty", MakeTensor({.dims = {0}}).get()}, TensorUse::kRead));
  EXPECT_EQ(OpWork(task, DataPointers(task), nullptr, false).CopiedBytes(), 0);
  task.args.push_back(TensorArg({"grid", self.get()}, TensorUse::kRead));
  EXPECT_EQ(OpWork(task, DataPointers(task), nullptr, false).CopiedBytes(), 40);
}

TEST_F(OverlapTest, TheCopyIsMadeWhenTheWorkRuns) {
  const OpTask task = FakeTask(View(3, 1, 0), View(3, 1, 1));
  OpWork work(task, DataPointers(task), nullptr, false);
  data_ = {5, 6, 7, 0, 0, 0, 0, 0, 0, 0};  // as earlier work of the stream would
  EXPECT_TRUE(work.Run().ok());
  EXPECT_EQ(data_, (std::array<float, 10>{5, 10, 12, 14, 0, 0, 0, 0, 0, 0}));
}

TEST_F(OverlapTest, CopyingCountsAsTime) {
  const OpTask apart = FakeTask(View(5, 1, 0), View(5, 1, 5));
  EXPECT_EQ(OpWork(apart, DataPointers(apart), nullptr, false).EstimatedMicroseconds(), 0.1);
  const OpTask same = FakeTask(View(10, 1, 0), View(10, 1, 0));
  EXPECT_GT(OpWork(same, DataPointers(same), nullptr, false).EstimatedMicroseconds(), 0.1);
}

TEST(OpWork, KernelsGetTheFirstElementsOfAllArguments) {
  std::array<double, 4> unused{};
  std::array<float, 20> data{};
  const TensorPtr in =
      MakeTensor({.dims = {2}, .strides = {-3}, .offset = 7, .storage = {20}, .data = &data[0]});
  const TensorPtr out = MakeTensor({.dims = {2}, .offset = 10, .storage = {20}, .data = &data[1]});
  const TensorPtr self = MakeTensor({.dims = {4}, .dtype = ACL_DOUBLE, .data = unused.data()});
  FakeRun seen{};
  OpTask task = FakeTask(in, out, {.before = [&seen](const FakeRun& run) { seen = run; }});
  task.args.push_back(TensorArg({"self", self.get()}, TensorUse::kNotAccessed));
  OpWork work(task, DataPointers(task), nullptr, false);
  EXPECT_TRUE(work.Run().ok());
  EXPECT_EQ(seen.args, (std::vector<void*>{&data[7], &data[11], nullptr}));
}

TEST(OpWork, AccessesNameEveryRangeThatIsReadOrWritten) {
  std::array<float, 20> data{};
  alignas(64) std::array<std::byte, 64> workspace{};
  const TensorPtr in =
      MakeTensor({.dims = {2}, .strides = {3}, .offset = 1, .storage = {20}, .data = &data[0]});
  const TensorPtr out = MakeTensor({.dims = {2}, .offset = 10, .storage = {20}, .data = &data[0]});
  const TensorPtr empty = MakeTensor({.dims = {0}});
  OpTask task = FakeTask(in, out, {.workspace = {{"sums", 50}}});
  task.args.push_back(TensorArg({"self", in.get()}, TensorUse::kNotAccessed));
  task.args.push_back(TensorArg({"empty", empty.get()}, TensorUse::kRead));
  const OpWork work(task, DataPointers(task), workspace.data(), true);

  const std::span<const MemoryAccess> accesses = work.Accesses();
  ASSERT_EQ(accesses.size(), 3u);
  EXPECT_STREQ(accesses[0].argument, "in");
  EXPECT_EQ(accesses[0].address, &data[1]);
  EXPECT_EQ(accesses[0].view.extents, (Dims{2}));
  EXPECT_EQ(accesses[0].view.strides, (Dims{3}));
  EXPECT_EQ(accesses[0].element_bytes, 4);
  EXPECT_FALSE(accesses[0].is_write);
  EXPECT_STREQ(accesses[1].argument, "out");
  EXPECT_EQ(accesses[1].address, &data[10]);
  EXPECT_TRUE(accesses[1].is_write);
  EXPECT_STREQ(accesses[2].argument, "workspace");
  EXPECT_EQ(accesses[2].address, workspace.data());
  EXPECT_EQ(accesses[2].view.extents, (Dims{64}));
  EXPECT_EQ(accesses[2].element_bytes, 1);
  EXPECT_TRUE(accesses[2].is_write);
}

}  // namespace
}  // namespace aclnn_cpu
