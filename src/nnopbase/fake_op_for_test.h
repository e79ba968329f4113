#ifndef ACLNN_CPU_NNOPBASE_FAKE_OP_FOR_TEST_H_
#define ACLNN_CPU_NNOPBASE_FAKE_OP_FOR_TEST_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "acl/acl.h"
#include "aclnn/acl_meta.h"
#include "nnopbase/executor.h"
#include "nnopbase/tensor_for_test.h"

namespace aclnn_cpu {

inline constexpr OpInfo kFakeOp{.stem = "fake",
                                .api = "aclnnFake",
                                .op_type = "Fake",
                                .supported_socs = kAllSocs,
                                .support = {},
                                .formats = "ND",
                                .page_forbids = {}};

// What the kernel of FakePlan saw.
struct FakeRun {
  std::vector<void*> args;
  std::byte* workspace;
};

// out[i] = 2 * in[i] for one axis of floats, in ascending order of i. Arguments: in, out, and any
// that are not accessed.
class FakePlan : public OpPlan {
 public:
  struct Options {
    std::vector<WorkspaceItem> workspace = {};
    double estimated_us = 0.1;
    std::function<void(const FakeRun&)> before = {};
  };

  FakePlan(StridedView in, StridedView out, Options options)
      : in_(in), out_(out), options_(std::move(options)) {}

  void Run(std::span<void* const> args, std::byte* workspace) const override {
    if (options_.before) options_.before({{args.begin(), args.end()}, workspace});
    for (const WorkspaceItem& item : options_.workspace) {
      std::memset(workspace, 0x5a, static_cast<size_t>(item.bytes));
    }
    const auto* in = static_cast<const float*>(args[0]);
    auto* out = static_cast<float*>(args[1]);
    const int64_t count = in_.extents.size() == 0 ? 1 : in_.extents[0];
    for (int64_t i = 0; i < count; ++i) out[i * out_.strides[0]] = 2 * in[i * in_.strides[0]];
  }

  std::span<const WorkspaceItem> Workspace() const override { return options_.workspace; }
  double EstimatedMicroseconds() const override { return options_.estimated_us; }
  std::string Describe() const override { return "fake"; }

 private:
  const StridedView in_;
  const StridedView out_;
  const Options options_;
};

inline OpTask FakeTask(const TensorPtr& in, const TensorPtr& out, FakePlan::Options options = {}) {
  const TensorArg in_arg({"in", in.get()}, TensorUse::kRead);
  const TensorArg out_arg({"out", out.get()}, TensorUse::kWrite);
  auto plan = std::make_shared<FakePlan>(in_arg.view, out_arg.view, std::move(options));
  return {&kFakeOp, {in_arg, out_arg}, plan};
}

inline OpTask EmptyTask() { return {&kFakeOp, {}, nullptr}; }

// One phase one.
struct Created {
  uint64_t workspace_size = 0;
  aclOpExecutor* executor = nullptr;
};

inline Created Create(OpTask task) {
  Created created;
  const Status status = CreateExecutor(std::move(task), &created.workspace_size, &created.executor);
  return status.ok() ? created : Created{};
}

inline int32_t LaunchCode(const Created& created, aclrtStream stream = nullptr,
                          void* workspace = nullptr, uint64_t workspace_size = 0) {
  return Launch(workspace, workspace_size, created.executor, stream).code();
}

}  // namespace aclnn_cpu

#endif  // ACLNN_CPU_NNOPBASE_FAKE_OP_FOR_TEST_H_
