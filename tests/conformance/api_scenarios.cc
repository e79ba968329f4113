#include "api_scenarios.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <thread>

#include "aclnn/opdev/op_errno.h"
#include "aclnnop/aclnn_adaptive_avg_pool2d_backward.h"
#include "aclnnop/aclnn_grid_sampler3d_backward.h"
#include "op_call.h"
#include "op_check.h"
#include "support/memory_use.h"

namespace conformance {
namespace {

// Small valid calls of either operator.
OpCase PoolCase() { return ParseOpCase(CaseNamed("AP18")); }
OpCase GridCase() { return ParseOpCase(CaseNamed("GS19")); }

// A contiguous float pooling case of these shapes whose gradient is `gradient` everywhere.
OpCase UniformPool(const std::vector<int64_t>& pooled, const std::vector<int64_t>& image,
                   double gradient) {
  return ParseOpCase({{"id", "uniform"},
                      {"op", kPool},
                      {"dtype", "float32"},
                      {"format", "NCHW"},
                      {"tensors",
                       {{"gradOutput", {{"shape", pooled}, {"fill", gradient}}},
                        {"self", {{"shape", image}, {"fill", 0}}}}},
                      {"outputs", {{"out", {{"shape", image}, {"prefill", -777}}}}},
                      {"expected", Json::object()},
                      {"tol", {{"rtol", 0}, {"atol", 0}}}});
}

std::vector<double> OutputOf(OpCall* call, const std::string& name) {
  CaseTensor* tensor = call->tensor(name);
  return tensor->ViewOf(tensor->Now());
}

void PhaseOneWithoutExecutor(Expectation* expected, aclrtStream) {
  const OpCase op_case = GridCase();
  OpCall call(op_case);
  uint64_t workspace_size = 12345;
  EXPECT_EQ(call.PhaseOne(&workspace_size, nullptr), (*expected)["ret"]);
  EXPECT_EQ(workspace_size, 12345U);
}

void PhaseTwoWithoutExecutor(Expectation* expected, aclrtStream stream) {
  EXPECT_EQ(aclnnAdaptiveAvgPool2dBackward(nullptr, 0, nullptr, stream), (*expected)["ret"]);
}

void PhaseTwoWithoutWorkspace(Expectation* expected, aclrtStream stream) {
  const OpCase op_case = GridCase();
  OpCall call(op_case);
  uint64_t workspace_size = 0;
  aclOpExecutor* executor = nullptr;
  ASSERT_EQ(call.PhaseOne(&workspace_size, &executor), ACLNN_SUCCESS);
  EXPECT_EQ(call.PhaseTwo(nullptr, 1024, executor, stream), (*expected)["ret"]);
  // The failed call used the executor up.
  EXPECT_EQ(call.PhaseTwo(nullptr, 0, executor, stream), ACLNN_ERR_INNER);
  EXPECT_EQ(call.tensor("inputGrad")->Now(), call.tensor("inputGrad")->before());
}

void PhaseTwoTwice(Expectation* expected, aclrtStream stream) {
  const OpCase op_case = PoolCase();
  OpCall call(op_case);
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  ASSERT_EQ(call.PhaseOne(&size, &executor), ACLNN_SUCCESS);
  DeviceBuffer workspace(size + 64);
  EXPECT_EQ(call.PhaseTwo(workspace.data(), size, executor, stream), (*expected)["first"]);
  // The case leaves the second code open; section "Decided" of its README says 561000.
  EXPECT_TRUE((*expected)["second"].is_string());
  EXPECT_EQ(call.PhaseTwo(workspace.data(), size, executor, stream), ACLNN_ERR_INNER);
  ASSERT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
  EXPECT_EQ(Json(OutputOf(&call, "out")), op_case.expected.at("out"));
}

void RepeatableExecutor(Expectation* expected, aclrtStream stream) {
  const OpCase op_case = UniformPool({1, 1, 1, 1}, {1, 1, 2, 2}, 4);
  OpCall call(op_case);
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  ASSERT_EQ(call.PhaseOne(&size, &executor), ACLNN_SUCCESS);
  ASSERT_EQ(aclSetAclOpExecutorRepeatable(executor), ACLNN_SUCCESS);
  DeviceBuffer workspace(size + 64);
  ASSERT_EQ(call.PhaseTwo(workspace.data(), size, executor, stream), ACLNN_SUCCESS);
  ASSERT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
  EXPECT_EQ(Json(OutputOf(&call, "out")), (*expected)["out_first"]);

  call.tensor("gradOutput")->Fill(8);
  ASSERT_EQ(call.PhaseTwo(workspace.data(), size, executor, stream), ACLNN_SUCCESS);
  ASSERT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
  EXPECT_EQ(Json(OutputOf(&call, "out")), (*expected)["out_second"]);
  EXPECT_EQ(aclDestroyAclOpExecutor(executor), ACLNN_SUCCESS);
}

void RepeatableNull(Expectation* expected, aclrtStream) {
  EXPECT_EQ(aclSetAclOpExecutorRepeatable(nullptr), (*expected)["ret"]);
}

void TensorAddrIndexOutOfRange(Expectation* expected, aclrtStream) {
  const OpCase op_case = PoolCase();
  OpCall call(op_case);
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  ASSERT_EQ(call.PhaseOne(&size, &executor), ACLNN_SUCCESS);
  CaseTensor* grad_output = call.tensor("gradOutput");
  EXPECT_EQ(aclSetTensorAddr(executor, 3, grad_output->get(), grad_output->data()),
            (*expected)["ret"]);
  EXPECT_EQ(aclDestroyAclOpExecutor(executor), ACLNN_SUCCESS);
}

void MemcpyBeyondDestination(Expectation* expected, aclrtStream) {
  DeviceBuffer destination(16);
  const std::vector<std::byte> before(16, std::byte{0x5A});
  destination.Write(before);
  const std::array<char, 20> source{};
  EXPECT_EQ(aclrtMemcpy(destination.data(), 16, source.data(), 20, ACL_MEMCPY_HOST_TO_DEVICE),
            (*expected)["ret"]);
  EXPECT_EQ((*expected)["dst"], "unchanged");
  EXPECT_EQ(destination.Read(), before);
}

void MemcpyOfNothing(Expectation* expected, aclrtStream) {
  DeviceBuffer destination(16);
  const std::array<char, 16> source{};
  for (aclrtMemcpyKind kind : {ACL_MEMCPY_HOST_TO_HOST, ACL_MEMCPY_HOST_TO_DEVICE,
                               ACL_MEMCPY_DEVICE_TO_HOST, ACL_MEMCPY_DEVICE_TO_DEVICE}) {
    EXPECT_EQ(aclrtMemcpy(destination.data(), 16, source.data(), 0, kind), (*expected)["ret"]);
  }
}

void MallocOfNothing(Expectation* expected, aclrtStream) {
  void* memory = nullptr;
  EXPECT_EQ(aclrtMalloc(&memory, 0, ACL_MEM_MALLOC_HUGE_FIRST), (*expected)["ret"]);
  EXPECT_EQ(memory, nullptr);
}

void CreateTensorWithoutDims(Expectation* expected, aclrtStream) {
  const int64_t storage[] = {1};
  EXPECT_EQ((*expected)["ret"], "nullptr");
  EXPECT_EQ(aclCreateTensor(nullptr, 4, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, storage, 1, nullptr),
            nullptr);
}

void NullStridesAreRowMajor(Expectation* expected, aclrtStream) {
  const int64_t dims[] = {2, 3};
  aclTensor* tensor =
      aclCreateTensor(dims, 2, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, dims, 2, nullptr);
  ASSERT_NE(tensor, nullptr);
  int64_t* strides = nullptr;
  uint64_t count = 0;
  ASSERT_EQ(aclGetViewStrides(tensor, &strides, &count), ACLNN_SUCCESS);
  EXPECT_EQ(Json(std::vector<int64_t>(strides, strides + count)), (*expected)["strides"]);
  delete[] strides;
  EXPECT_EQ(aclDestroyTensor(tensor), ACLNN_SUCCESS);
}

void DestroyNull(Expectation* expected, aclrtStream) {
  EXPECT_EQ(aclDestroyTensor(nullptr), (*expected)["ret"]);
}

void ManyCallsKeepMemory(Expectation* expected, aclrtStream stream) {
  constexpr int kWarmUp = 2000;
  constexpr int kCalls = 100000;
  const OpCase op_case = UniformPool({1, 1, 2, 2}, {1, 1, 4, 4}, 4);
  OpCall call(op_case);
  const auto run = [&](int times) {
    int failed = 0;
    for (int i = 0; i < times; ++i) {
      for (const char* name : {"gradOutput", "self", "out"}) {
        call.tensor(name)->Recreate();
      }
      failed += call.Run(stream) != 0;
    }
    return failed;
  };
  ASSERT_EQ(run(kWarmUp), 0);
  const int64_t before = aclnn_cpu::test::MemoryInUse();
  ASSERT_EQ(run(kCalls), 0);
  const int64_t growth = aclnn_cpu::test::MemoryInUse() - before;
  const auto most = (*expected)["rss_growth_bytes_max"].get<int64_t>();
  // Strict mode remembers every allocation, also after it was freed.
  EXPECT_LE(growth, std::getenv("ACLNN_CPU_STRICT") == nullptr ? most : most + (200 << 20));
  EXPECT_EQ(OutputOf(&call, "out"), std::vector<double>(16, 1));
}

// Runs both cases 200 times on a stream of this thread's own; the number of wrong results.
int RunManyOnOwnStream(const OpCase& grid, const OutputBytes& grid_want, const OpCase& pool,
                       const OutputBytes& pool_want) {
  constexpr int kRuns = 200;
  aclrtStream stream = nullptr;
  if (aclrtSetDevice(0) != 0 || aclrtCreateStream(&stream) != 0) return kRuns;
  int wrong = 0;
  for (int run = 0; run < kRuns; ++run) {
    wrong += RunForBytes(grid, stream) != grid_want;
    wrong += RunForBytes(pool, stream) != pool_want;
  }
  wrong += aclrtDestroyStream(stream) != 0;
  wrong += aclrtResetDevice(0) != 0;
  return wrong;
}

void ThreadsWithOwnStreams(Expectation* expected, aclrtStream stream) {
  constexpr size_t kThreads = 8;
  EXPECT_EQ((*expected)["all_results"], "equal to the single-thread result bit for bit");
  const OpCase grid = ParseOpCase(CaseNamed("GS30"));
  const OpCase pool = ParseOpCase(CaseNamed("AP01"));
  const OutputBytes grid_want = RunForBytes(grid, stream);
  const OutputBytes pool_want = RunForBytes(pool, stream);
  std::array<int, kThreads> wrong;
  wrong.fill(-1);
  std::vector<std::thread> threads;
  for (int& result : wrong) {
    threads.emplace_back([&] { result = RunManyOnOwnStream(grid, grid_want, pool, pool_want); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, (std::array<int, kThreads>{}));
}

void FreeWorkspaceAfterSynchronize(Expectation* expected, aclrtStream stream) {
  EXPECT_EQ((*expected)["result"], "correct; no use-after-free under ASan");
  for (const char* id : {"AP01", "GS30"}) {
    const OpCase op_case = ParseOpCase(CaseNamed(id));
    OpCall call(op_case);
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    ASSERT_EQ(call.PhaseOne(&size, &executor), ACLNN_SUCCESS);
    {
      DeviceBuffer workspace(size + 1024);
      ASSERT_EQ(call.PhaseTwo(workspace.data(), size + 1024, executor, stream), ACLNN_SUCCESS);
      ASSERT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
    }
    for (const std::string& name : op_case.outputs) {
      const std::vector<double> got = OutputOf(&call, name);
      const Json& want = op_case.expected.at(name);
      ASSERT_EQ(got.size(), want.size());
      for (size_t i = 0; i < got.size(); ++i) {
        EXPECT_NEAR(got[i], want[i].get<double>(), 1e-5 * (1 + std::abs(got[i]))) << id << name;
      }
    }
  }
}

void InitTwice(Expectation* expected, aclrtStream) {
  ASSERT_EQ(aclFinalize(), ACL_SUCCESS);  // undo the fixture's aclInit
  EXPECT_EQ(aclInit(nullptr), (*expected)["first"]);
  EXPECT_EQ(aclInit(nullptr), (*expected)["second"]);
}

struct Scenario {
  const char* id;
  void (*run)(Expectation*, aclrtStream);
};

constexpr Scenario kScenarios[] = {
    {"AX01a", PhaseOneWithoutExecutor},
    {"AX02a", PhaseTwoWithoutExecutor},
    {"AX03a", PhaseTwoWithoutWorkspace},
    {"AX04a", PhaseTwoTwice},
    {"AX05a", RepeatableExecutor},
    {"AX06a", RepeatableNull},
    {"AX06b", TensorAddrIndexOutOfRange},
    {"AX07a", MemcpyBeyondDestination},
    {"AX07b", MemcpyOfNothing},
    {"AX08a", MallocOfNothing},
    {"AX09a", CreateTensorWithoutDims},
    {"AX09b", NullStridesAreRowMajor},
    {"AX10a", DestroyNull},
    {"AX11a", ManyCallsKeepMemory},
    {"AX12a", ThreadsWithOwnStreams},
    {"AX13a", FreeWorkspaceAfterSynchronize},
    {"AX14a", InitTwice},
};

}  // namespace

bool RunApiScenario(const std::string& id, Expectation* expected, aclrtStream stream) {
  for (const Scenario& scenario : kScenarios) {
    if (id == scenario.id) {
      scenario.run(expected, stream);
      return true;
    }
  }
  return false;
}

}  // namespace conformance
