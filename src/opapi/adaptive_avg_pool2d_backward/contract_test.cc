#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "acl/acl_rt.h"
#include "aclnnop/aclnn_adaptive_avg_pool2d_backward.h"
#include "ascendcl/soc_table.h"
#include "nnopbase/tensor.h"
#include "opapi/adaptive_avg_pool2d_backward/problem.h"
#include "support/tensor_builder.h"

namespace aclnn_cpu::adaptive_avg_pool2d_backward {
namespace {

using test::HostTensor;
using test::Int64s;
using test::TensorBuilder;

// Values of public codes, written out: they are what callers see.
constexpr int32_t kNullptr = 161001;
constexpr int32_t kInvalid = 161002;
constexpr int32_t kNoKernel = 561003;
constexpr int32_t kInnerNullptr = 561103;

constexpr uint64_t kUnwrittenSize = 0x5a5a5a5a5a5a5a5a;

aclOpExecutor* UnwrittenExecutor() {
  static char somewhere;
  return reinterpret_cast<aclOpExecutor*>(&somewhere);
}

struct TensorSpec {
  Int64s shape;
  aclDataType dtype = ACL_FLOAT;
  aclFormat format = ACL_FORMAT_NCHW;
  bool is_null = false;
  bool leaves_storage = false;
};

// Arguments of a phase-one call as data, valid until a test changes something.
struct CallSpec {
  TensorSpec grad{{2, 3, 3, 2}};
  TensorSpec self{{2, 3, 5, 4}};
  TensorSpec out{{2, 3, 5, 4}};
  bool null_workspace_size = false;
  bool null_executor = false;
  const char* soc = "Ascend910B1";
};

HostTensor MakeTensor(const TensorSpec& spec) {
  TensorBuilder builder(spec.dtype, spec.shape);
  builder.Format(spec.format).WithoutData();
  if (spec.leaves_storage) builder.InLayout(test::Layout::kGaps).ClaimStorage({1});
  return builder.Build();
}

struct Result {
  int32_t code;
  std::string message;
};

// Phase one through the public function. Also checks what holds for every outcome: results are
// written on success and only then.
Result PhaseOne(const CallSpec& call) {
  ForceSocForTest(call.soc);
  const HostTensor grad = MakeTensor(call.grad);
  const HostTensor self = MakeTensor(call.self);
  const HostTensor out = MakeTensor(call.out);
  uint64_t size = kUnwrittenSize;
  aclOpExecutor* executor = UnwrittenExecutor();
  aclGetRecentErrMsg();  // forgets older messages
  const int32_t code = aclnnAdaptiveAvgPool2dBackwardGetWorkspaceSize(
      call.grad.is_null ? nullptr : grad.acl(), call.self.is_null ? nullptr : self.acl(),
      call.out.is_null ? nullptr : out.acl(), call.null_workspace_size ? nullptr : &size,
      call.null_executor ? nullptr : &executor);
  const char* message = aclGetRecentErrMsg();
  ForceSocForTest(nullptr);
  if (code == 0) {
    EXPECT_NE(size, kUnwrittenSize);
    EXPECT_NE(executor, UnwrittenExecutor());
    EXPECT_NE(executor, nullptr);
    EXPECT_EQ(message, nullptr);
    EXPECT_EQ(aclDestroyAclOpExecutor(executor), 0);
  } else {
    EXPECT_EQ(size, kUnwrittenSize);
    EXPECT_EQ(executor, UnwrittenExecutor());
    EXPECT_NE(message, nullptr);
  }
  return {code, message == nullptr ? "" : message};
}

// One way to break a call: the row of the contract that notices, the code, and words of the message
// by which it differs from the other faults' ones.
struct Fault {
  const char* name;
  int32_t code;
  const char* words;
  std::function<void(CallSpec*)> apply;
};

// In the order of the contract's checks.
const std::vector<Fault>& Faults() {
  static const std::vector<Fault>* const faults = new std::vector<Fault>{
      {"1 workspaceSize null", kNullptr, "workspaceSize",
       [](CallSpec* c) { c->null_workspace_size = true; }},
      {"1 executor null", kNullptr, "executor", [](CallSpec* c) { c->null_executor = true; }},
      {"2 gradOutput null", kNullptr, "gradOutput", [](CallSpec* c) { c->grad.is_null = true; }},
      {"2 self null", kNullptr, "self", [](CallSpec* c) { c->self.is_null = true; }},
      {"2 out null", kNullptr, "out", [](CallSpec* c) { c->out.is_null = true; }},
      {"3 ranks differ", kInvalid, "gradOutput has 3",
       [](CallSpec* c) {
         c->grad.shape = {3, 3, 2};
         c->self.shape = {2, 3, 5, 4};
       }},
      {"4 self dim negative", kInvalid, "of self is -1",
       [](CallSpec* c) { c->self.shape.back() = -1; }},
      {"4 gradOutput dim negative", kInvalid, "of gradOutput is -2",
       [](CallSpec* c) { c->grad.shape.back() = -2; }},
      {"5 out rank", kInvalid, "out has 2",
       [](CallSpec* c) {
         c->out.shape = {5, 4};
       }},
      {"6 out rank differs", kInvalid, "out has 3",
       [](CallSpec* c) {
         c->out.shape = {3, 5, 4};
       }},
      {"7 out axis 0", kInvalid, "dimension 0 of out is 7",
       [](CallSpec* c) { c->out.shape[0] = 7; }},
      {"7 gradOutput axis 0", kInvalid, "dimension 0 of gradOutput is 7",
       [](CallSpec* c) { c->grad.shape[0] = 7; }},
      {"7 out axis 1", kInvalid, "dimension 1 of out is 8",
       [](CallSpec* c) { c->out.shape[1] = 8; }},
      {"7 gradOutput axis 1", kInvalid, "dimension 1 of gradOutput is 8",
       [](CallSpec* c) { c->grad.shape[1] = 8; }},
      {"8 gradOutput dtype", kInvalid, "dtype of gradOutput is DOUBLE, must be",
       [](CallSpec* c) { c->grad.dtype = ACL_DOUBLE; }},
      {"8 self dtype", kInvalid, "dtype of self is INT32, must be",
       [](CallSpec* c) { c->self.dtype = ACL_INT32; }},
      {"9 dtypes differ", kInvalid, "gradOutput is FLOAT16, must be",
       [](CallSpec* c) { c->grad.dtype = ACL_FLOAT16; }},
      {"10 formats differ", kInvalid, "format of gradOutput is NHWC",
       [](CallSpec* c) { c->grad.format = ACL_FORMAT_NHWC; }},
      {"11 private format", kInvalid, "format of gradOutput is NC1HWC0",
       [](CallSpec* c) {
         c->grad.format = ACL_FORMAT_NC1HWC0;
         c->self.format = ACL_FORMAT_NC1HWC0;
       }},
      {"12 self empty", 0, "", [](CallSpec* c) { c->self.shape[2] = 0; }},
      {"12 gradOutput empty", 0, "", [](CallSpec* c) { c->grad.shape[3] = 0; }},
      {"bounds of gradOutput", kInnerNullptr, "gradOutput",
       [](CallSpec* c) { c->grad.leaves_storage = true; }},
      {"bounds of self", kInnerNullptr, "self", [](CallSpec* c) { c->self.leaves_storage = true; }},
      {"bounds of out", kInnerNullptr, "out", [](CallSpec* c) { c->out.leaves_storage = true; }},
      {"product without kernel", kNoKernel, "Ascend310B1",
       [](CallSpec* c) { c->soc = "Ascend310B1"; }},
      {"13 out dtype", kInnerNullptr, "dtype of out is FLOAT16",
       [](CallSpec* c) { c->out.dtype = ACL_FLOAT16; }},
      {"13 out height", kInnerNullptr, "H, W of out",
       [](CallSpec* c) { c->out.shape[c->out.shape.size() - 2] = 6; }},
      {"13 out width", kInnerNullptr, "H, W of out", [](CallSpec* c) { c->out.shape.back() = 3; }},
  };
  return *faults;
}

TEST(AdaptiveAvgPool2dBackwardContract, AcceptsTheCallThatTheFaultsStartFrom) {
  EXPECT_EQ(PhaseOne(CallSpec{}).code, 0);
}

TEST(AdaptiveAvgPool2dBackwardContract, EachFaultGivesItsCodeAndNamesItsArgument) {
  for (const Fault& fault : Faults()) {
    SCOPED_TRACE(fault.name);
    CallSpec call;
    fault.apply(&call);
    const Result result = PhaseOne(call);
    EXPECT_EQ(result.code, fault.code);
    EXPECT_NE(result.message.find(fault.words), std::string::npos) << result.message;
  }
}

TEST(AdaptiveAvgPool2dBackwardContract, OfTwoFaultsTheFirstCheckDecides) {
  const std::vector<Fault>& faults = Faults();
  for (size_t first = 0; first < faults.size(); ++first) {
    for (size_t second = first + 1; second < faults.size(); ++second) {
      SCOPED_TRACE(std::string(faults[first].name) + " and " + faults[second].name);
      CallSpec call;
      faults[second].apply(&call);
      faults[first].apply(&call);  // last, so that it certainly holds
      const Result result = PhaseOne(call);
      EXPECT_EQ(result.code, faults[first].code);
      EXPECT_NE(result.message.find(faults[first].words), std::string::npos) << result.message;
    }
  }
}

TEST(AdaptiveAvgPool2dBackwardContract, HeightAndWidthOfGradOutputAreFree) {
  const Int64s pairs[] = {{1, 1}, {3, 2}, {5, 4}, {97, 113}, {4, 5}, {1, 4}};
  for (const Int64s& hw : pairs) {
    CallSpec call;
    call.grad.shape = {2, 3, hw[0], hw[1]};
    EXPECT_EQ(PhaseOne(call).code, 0) << hw[0] << "x" << hw[1];
  }
}

TEST(AdaptiveAvgPool2dBackwardContract, AcceptsThreeAxes) {
  CallSpec call;
  call.grad.shape = {3, 3, 2};
  call.self.shape = call.out.shape = {3, 5, 4};
  EXPECT_EQ(PhaseOne(call).code, 0);
  call.out.shape = {4, 5, 4};
  EXPECT_EQ(PhaseOne(call).code, kInvalid);
}

TEST(AdaptiveAvgPool2dBackwardContract, RejectsOtherRanks) {
  for (int64_t rank : {0, 1, 2, 5, 6, 8}) {
    CallSpec call;
    call.grad.shape = call.self.shape = call.out.shape = Int64s(static_cast<size_t>(rank), 2);
    EXPECT_EQ(PhaseOne(call).code, kInvalid) << rank;
  }
}

TEST(AdaptiveAvgPool2dBackwardContract, PublicFormatsPassForEitherRankAndPrivateOnesDoNot) {
  const std::vector<int> private_formats = {3, 4, 12, 29, 32, 33, 50, 51, 52, 53, 54};
  for (int format : {-1, 0, 1, 2, 16, 27, 30, 35, 47, 3, 4, 12, 29, 32, 33, 50, 51, 52, 53, 54}) {
    const bool is_private = std::count(private_formats.begin(), private_formats.end(), format) > 0;
    CallSpec call;
    call.grad.format = call.self.format = static_cast<aclFormat>(format);
    EXPECT_EQ(PhaseOne(call).code, is_private ? kInvalid : 0) << format;
    call.grad.shape = {3, 3, 2};
    call.self.shape = call.out.shape = {3, 5, 4};
    EXPECT_EQ(PhaseOne(call).code, is_private ? kInvalid : 0) << format;
  }
}

TEST(AdaptiveAvgPool2dBackwardContract, TheFormatOfOutIsNotLookedAt) {
  for (int format : {1, 2, 3, 29, 30, 47}) {
    CallSpec call;
    call.out.format = static_cast<aclFormat>(format);
    EXPECT_EQ(PhaseOne(call).code, 0) << format;
  }
}

TEST(AdaptiveAvgPool2dBackwardContract, EmptyInputsSucceedBeforeOutIsLookedAt) {
  CallSpec call;
  call.self.shape = call.out.shape = {2, 3, 0, 4};
  EXPECT_EQ(PhaseOne(call).code, 0);
  call = CallSpec{};
  call.grad.shape[2] = 0;
  call.out.shape = {2, 3, 1, 1};
  call.out.dtype = ACL_INT8;
  EXPECT_EQ(PhaseOne(call).code, 0);
  call = CallSpec{};
  call.grad.shape[0] = call.self.shape[0] = call.out.shape[0] = 0;
  call.soc = "Ascend310B1";
  EXPECT_EQ(PhaseOne(call).code, 0);
}

// The contract's product matrix, independent of the table in the code.
TEST(AdaptiveAvgPool2dBackwardContract, DtypesFollowTheProduct) {
  struct Row {
    const char* soc;
    int32_t float_code;
    int32_t bf16_code;
  };
  const Row rows[] = {{"Ascend910A", 0, kInvalid},
                      {"Ascend910B1", 0, 0},
                      {"Ascend910B4", 0, 0},
                      {"Ascend910_9391", 0, 0},
                      {"Ascend950", 0, 0},
                      {"Ascend310P3", 0, kInvalid},
                      {"Ascend310B1", kNoKernel, kInvalid}};
  for (const Row& row : rows) {
    for (aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16}) {
      CallSpec call;
      call.soc = row.soc;
      call.grad.dtype = call.self.dtype = call.out.dtype = dtype;
      EXPECT_EQ(PhaseOne(call).code, dtype == ACL_BF16 ? row.bf16_code : row.float_code)
          << row.soc << " " << DtypeName(dtype);
    }
  }
}

TEST(AdaptiveAvgPool2dBackwardContract, EveryDtypeOnEveryProductFollowsTheSupportTable) {
  for (const SocName& soc : SocNames()) {
    for (int dtype = -1; dtype <= 41; ++dtype) {
      CallSpec call;
      call.soc = soc.long_name;
      call.grad.dtype = call.self.dtype = call.out.dtype = static_cast<aclDataType>(dtype);
      int32_t expected = kInvalid;
      for (const SupportRow& row : Info().support) {
        if (row.dtype == dtype && (row.accepted & SocBit(soc.soc)) != 0) expected = 0;
      }
      const bool has_kernel = (Info().supported_socs & SocBit(soc.soc)) != 0;
      if (expected == 0 && !has_kernel) expected = kNoKernel;
      EXPECT_EQ(PhaseOne(call).code, expected) << soc.long_name << " " << dtype;
    }
  }
}

TEST(AdaptiveAvgPool2dBackwardContract, AGlobalGradOutputLetsOutHaveAnotherFloatDtype) {
  for (int dtype = -1; dtype <= 41; ++dtype) {
    const bool castable =
        dtype == ACL_FLOAT || dtype == ACL_FLOAT16 || dtype == ACL_BF16 || dtype == ACL_DOUBLE;
    CallSpec call;
    call.grad.shape = {2, 3, 1, 1};
    call.out.dtype = static_cast<aclDataType>(dtype);
    EXPECT_EQ(PhaseOne(call).code, castable ? 0 : kInnerNullptr) << dtype;
    call.grad.shape = {2, 3, 1, 2};
    EXPECT_EQ(PhaseOne(call).code, dtype == ACL_FLOAT ? 0 : kInnerNullptr) << dtype;
  }
}

TEST(AdaptiveAvgPool2dBackwardContract, ShapeOfOutMustBeThatOfSelf) {
  const Int64s shapes[] = {{2, 3, 4, 5}, {2, 3, 10, 2}, {2, 3, 0, 4}, {2, 3, 5, -4}, {2, 3, 1, 1}};
  for (const Int64s& shape : shapes) {
    CallSpec call;
    call.out.shape = shape;
    EXPECT_EQ(PhaseOne(call).code, kInnerNullptr) << shape[2] << "x" << shape[3];
  }
}

// Outer products beyond 2^29 - 1, with stride 0 so that nothing overflows and no memory is needed.
TEST(AdaptiveAvgPool2dBackwardContract, OldProductsLimitTheMatrices) {
  struct Row {
    Int64s grad;
    Int64s self;
    bool limited;
  };
  const Row rows[] = {
      {{1, 1, 16384, 1}, {1, 1, 32768, 2}, true},   // outH x H = 2^29
      {{1, 1, 1, 16384}, {1, 1, 2, 32768}, true},   // outW x W
      {{1, 1, 16384, 32768}, {1, 1, 2, 2}, true},   // outH x outW
      {{1, 1, 8191, 1}, {1, 1, 65543, 2}, false},   // 536862713
      {{1, 1, 1, 1}, {1, 1, 536870912, 1}, false},  // the path for 1x1 has no matrices
  };
  for (const Row& row : rows) {
    for (const char* soc : {"Ascend910A", "Ascend310P3", "Ascend910B1", "Ascend910_9391"}) {
      const bool limits = std::string(soc) == "Ascend910A" || std::string(soc) == "Ascend310P3";
      CallSpec call;
      call.soc = soc;
      call.grad.shape = row.grad;
      call.self.shape = call.out.shape = row.self;
      EXPECT_EQ(PhaseOne(call).code, limits && row.limited ? kInnerNullptr : 0)
          << soc << " " << row.grad[2] << "x" << row.grad[3];
    }
  }
}

TEST(AdaptiveAvgPool2dBackwardContract, SizesThatOverflowAreRejected) {
  const int64_t huge = int64_t{1} << 40;
  CallSpec call;
  call.grad.shape = {1, huge, huge, 2};
  call.self.shape = call.out.shape = {1, huge, 4, 4};
  EXPECT_EQ(PhaseOne(call).code, kInnerNullptr);
  call.grad.shape = {1, 1, 2, 2};
  call.self.shape = call.out.shape = {1, 1, huge, huge};
  EXPECT_EQ(PhaseOne(call).code, kInnerNullptr);
  // Elements fit in 63 bits, bytes do not.
  call.self.shape = call.out.shape = {1, 1, int64_t{1} << 31, int64_t{1} << 30};
  EXPECT_EQ(PhaseOne(call).code, kInnerNullptr);
}

TEST(AdaptiveAvgPool2dBackwardContract, ThreeAxesBecomeFourInTheProblem) {
  const HostTensor grad = MakeTensor({.shape = {3, 1, 2}});
  const HostTensor self = MakeTensor({.shape = {3, 5, 4}});
  const HostTensor out = MakeTensor({.shape = {3, 5, 4}});
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  const StatusOr<Problem> problem =
      CheckContract({grad.acl(), self.acl(), out.acl(), &size, &executor});
  ASSERT_TRUE(problem.ok()) << problem.status().message();
  EXPECT_FALSE(problem.value().is_empty);
  EXPECT_EQ(problem.value().grad.extents, (Dims{1, 3, 1, 2}));
  EXPECT_EQ(problem.value().out.extents, (Dims{1, 3, 5, 4}));
  EXPECT_EQ(problem.value().out.strides[2], 4);
  EXPECT_EQ(problem.value().planes(), 3);
}

}  // namespace
}  // namespace aclnn_cpu::adaptive_avg_pool2d_backward
