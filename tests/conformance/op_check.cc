#include "op_check.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <set>
#include <stdexcept>

#include "op_call.h"

namespace conformance {
namespace {

constexpr char kChildFlag[] = "--run-case";

// At most this many wrong elements of one tensor are listed.
constexpr int kMaxListed = 5;

bool Near(double got, double want, const OpCase& op_case) {
  if (std::isnan(want)) return std::isnan(got);
  if (std::isinf(want)) return got == want;
  return std::fabs(got - want) <= op_case.atol + op_case.rtol * std::fabs(want);
}

void ExpectNear(const std::string& what, double got, double want, const OpCase& op_case) {
  EXPECT_TRUE(Near(got, want, op_case)) << what << " is " << got << ", must be " << want;
}

// Compares with want(i), an expected value for each flat index.
void ExpectValues(const std::string& name, const std::vector<double>& got, const OpCase& op_case,
                  const std::function<double(size_t)>& want) {
  int wrong = 0;
  for (size_t i = 0; i < got.size(); ++i) {
    if (!Near(got[i], want(i), op_case) && ++wrong <= kMaxListed) {
      ADD_FAILURE() << name << "[" << i << "] is " << got[i] << ", must be " << want(i);
    }
  }
  EXPECT_EQ(wrong, 0) << "wrong elements of " << name << " out of " << got.size();
}

void ExpectUntouched(const CaseTensor& tensor, const std::string& name,
                     const std::vector<std::byte>& now) {
  EXPECT_EQ(now, tensor.before()) << name << " was written";
}

void ExpectUntouchedOutsideView(const CaseTensor& tensor, const std::string& name,
                                const std::vector<std::byte>& now) {
  std::vector<bool> may_change(now.size(), false);
  ForEachElement(tensor.spec(), [&](size_t element) {
    const auto first = may_change.begin() + static_cast<ptrdiff_t>(tensor.PositionOf(element));
    std::fill(first, first + static_cast<ptrdiff_t>(tensor.spec().type->bytes), true);
  });
  for (size_t i = 0; i < now.size(); ++i) {
    if (!may_change[i] && now[i] != tensor.before()[i]) {
      ADD_FAILURE() << "byte " << i << " of " << name << " lies outside the view and was written";
      return;
    }
  }
}

double Sum(const std::vector<double>& values) {
  double sum = 0;
  for (double value : values) sum += value;
  return sum;
}

double AbsSum(const std::vector<double>& values) {
  double sum = 0;
  for (double value : values) sum += std::fabs(value);
  return sum;
}

using Views = std::map<std::string, std::vector<double>>;

void CheckInvariant(const std::string& invariant, const Views& views, const OpCase& op_case) {
  if (invariant == "no crash") {
    return;  // we are still here
  }
  if (invariant == "all outputs finite") {
    for (const auto& [name, values] : views) {
      for (double value : values) EXPECT_TRUE(std::isfinite(value)) << name;
    }
  } else if (invariant == "sum(inputGrad) is 0 or 6") {
    const double sum = Sum(views.at("inputGrad"));
    EXPECT_TRUE(Near(sum, 0, op_case) || Near(sum, 6, op_case)) << sum;
  } else if (invariant == "gridGrad all 0") {
    ExpectValues("gridGrad", views.at("gridGrad"), op_case, [](size_t) { return 0.0; });
  } else {
    ADD_FAILURE() << "the runner does not know the invariant " << invariant;
  }
}

// True if this key of "expected" says something about the values of an output.
bool Describes(const std::string& key, const std::string& output, const OpCase& op_case) {
  if (key == "samples" || key == "sum" || key == "abs_sum") {
    return output == op_case.outputs.front();
  }
  return key == output || key == output + "_all" || key == output + "_tile" || key == "invariants";
}

void CheckSamples(const Json& samples, const std::string& name, const std::vector<double>& values,
                  const OpCase& op_case) {
  for (const auto& sample : samples.items()) {
    ExpectNear(name + "[" + sample.key() + "]", values.at(std::stoul(sample.key())),
               ParseValue(sample.value()), op_case);
  }
}

// Checks what one key of "expected" says about an output that it describes.
void CheckExpectation(const std::string& key, const Json& want, const std::string& name,
                      const std::vector<double>& values, const OpCase& op_case) {
  if (key == "samples") {
    CheckSamples(want, name, values, op_case);
  } else if (key == "sum" || key == "abs_sum") {
    ExpectNear(key, key == "sum" ? Sum(values) : AbsSum(values), ParseValue(want), op_case);
  } else if (key == name) {
    EXPECT_EQ(values.size(), want.size());
    ExpectValues(name, values, op_case, [&](size_t i) { return ParseValue(want.at(i)); });
  } else if (key == name + "_all") {
    ExpectValues(name, values, op_case, [&](size_t) { return ParseValue(want); });
  } else if (key == name + "_tile") {
    ExpectValues(name, values, op_case,
                 [&](size_t i) { return ParseValue(want.at(i % want.size())); });
  }
}

// Every expectation; an output that none describes must not have been written at all.
void CheckOutputs(const OpCase& op_case, OpCall* call) {
  std::set<std::string> keys_left;
  for (const auto& item : op_case.expected.items()) keys_left.insert(item.key());
  keys_left.erase("phase1");
  keys_left.erase("phase2");
  const std::set<std::string> keys = keys_left;
  Views views;
  for (const std::string& name : op_case.outputs) {
    const CaseTensor* tensor = call->tensor(name);
    if (tensor == nullptr) continue;
    const std::vector<std::byte> now = tensor->Now();
    for (const std::string& key : keys) {
      if (!Describes(key, name, op_case)) continue;
      keys_left.erase(key);
      if (views.count(name) == 0) views[name] = tensor->ViewOf(now);
      CheckExpectation(key, op_case.expected[key], name, views[name], op_case);
    }
    if (views.count(name) == 0) {
      ExpectUntouched(*tensor, name, now);
    } else {
      ExpectUntouchedOutsideView(*tensor, name, now);
    }
  }
  EXPECT_EQ(keys_left, std::set<std::string>{}) << "the runner does not know these expectations";
  for (const Json& invariant : op_case.expected.value("invariants", Json::array())) {
    CheckInvariant(invariant, views, op_case);
  }
}

// Phase one of a case that must fail: the code, nothing written, a text for the user.
void CheckRefusal(const OpCase& op_case, OpCall* call) {
  constexpr uint64_t kUnwritten = 0xDEADBEEF;
  int marker = 0;
  uint64_t workspace_size = kUnwritten;
  aclOpExecutor* const no_executor = reinterpret_cast<aclOpExecutor*>(&marker);
  aclOpExecutor* executor = no_executor;
  const int want = op_case.expected.at("phase1");
  EXPECT_EQ(call->PhaseOne(&workspace_size, &executor), want);
  EXPECT_EQ(workspace_size, kUnwritten);
  EXPECT_EQ(executor, no_executor);
  const char* text = aclGetRecentErrMsg();
  ASSERT_NE(text, nullptr);
  EXPECT_NE(std::string(text).find("EZ1001"), std::string::npos) << text;
}

void RunAndCheckOnce(const OpCase& op_case, aclrtStream stream) {
  OpCall call(op_case);
  if (op_case.expected.at("phase1") != 0) {
    CheckRefusal(op_case, &call);
  } else {
    EXPECT_EQ(op_case.expected.value("phase2", 0), 0);
    const aclnnStatus status = call.Run(stream);
    const char* text = status != 0 ? aclGetRecentErrMsg() : nullptr;
    ASSERT_EQ(status, 0) << (text != nullptr ? text : "");
  }
  CheckOutputs(op_case, &call);
  for (const std::string& name : op_case.inputs) {
    if (const CaseTensor* tensor = call.tensor(name)) {
      ExpectUntouched(*tensor, name, tensor->Now());
    }
  }
}

std::string PathOfThisProgram() {
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof(path));
  if (length <= 0) throw std::runtime_error("cannot read /proc/self/exe");
  return std::string(path, static_cast<size_t>(length));
}

}  // namespace

OutputBytes RunForBytes(const OpCase& op_case, aclrtStream stream) {
  OpCall call(op_case);
  if (const aclnnStatus status = call.Run(stream); status != 0) {
    throw std::runtime_error(op_case.id + " returned " + std::to_string(status));
  }
  OutputBytes result;
  for (const std::string& name : op_case.outputs) {
    result[name] = call.tensor(name)->Now();
  }
  return result;
}

OutputBytes RunInChild(const OpCase& op_case, int threads) {
  const std::string command = "ACLNN_CPU_NUM_THREADS=" + std::to_string(threads) + " exec '" +
                              PathOfThisProgram() + "' " + kChildFlag + " " + op_case.id;
  FILE* child = popen(command.c_str(), "r");
  if (child == nullptr) throw std::runtime_error("cannot run " + command);
  std::vector<std::byte> all;
  std::byte block[4096];
  for (size_t read = 0; (read = fread(block, 1, sizeof(block), child)) > 0;) {
    all.insert(all.end(), block, block + read);
  }
  if (pclose(child) != 0) throw std::runtime_error(command + " failed");
  OutputBytes result;
  auto at = all.begin();
  for (const std::string& name : op_case.outputs) {
    const size_t bytes = CaseTensor(*op_case.tensors.at(name)).before().size();
    if (all.end() - at < static_cast<ptrdiff_t>(bytes)) {
      throw std::runtime_error(command + " wrote too little");
    }
    result[name].assign(at, at + static_cast<ptrdiff_t>(bytes));
    at += static_cast<ptrdiff_t>(bytes);
  }
  return result;
}

int ChildMain(const std::string& id) {
  const OpCase op_case = ParseOpCase(CaseNamed(id));
  if (aclInit(nullptr) != 0 || aclrtSetDevice(0) != 0) return 1;
  const OutputBytes result = RunForBytes(op_case, nullptr);
  for (const std::string& name : op_case.outputs) {
    const std::vector<std::byte>& bytes = result.at(name);
    if (fwrite(bytes.data(), 1, bytes.size(), stdout) != bytes.size()) return 1;
  }
  aclrtResetDevice(0);
  return aclFinalize();
}

void CheckOpCase(const OpCase& op_case, aclrtStream stream) {
  RunAndCheckOnce(op_case, stream);
  if (op_case.repeat == 1 && !op_case.compare_thread_counts) {
    return;
  }
  const OutputBytes first = RunForBytes(op_case, stream);
  for (int run = 1; run < op_case.repeat; ++run) {
    EXPECT_EQ(RunForBytes(op_case, stream), first) << "run " << run;
  }
  if (op_case.compare_thread_counts) {
    for (int threads : {1, 2, 7}) {
      EXPECT_EQ(RunInChild(op_case, threads), first) << threads << " threads";
    }
  }
}

}  // namespace conformance
