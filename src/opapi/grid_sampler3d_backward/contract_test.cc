#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "acl/acl_rt.h"
#include "aclnnop/aclnn_grid_sampler3d_backward.h"
#include "ascendcl/soc_table.h"
#include "nnopbase/tensor.h"
#include "opapi/grid_sampler3d_backward/test_util.h"

namespace aclnn_cpu::grid_sampler3d_backward {
namespace {

// Public codes, written out: they are what callers see.
constexpr int32_t kNullptr = 161001;
constexpr int32_t kInvalid = 161002;
constexpr int32_t kNoKernel = 561003;
constexpr int32_t kInnerNullptr = 561103;

struct TensorSpec {
  Int64s shape;
  aclDataType dtype = ACL_FLOAT;
  aclFormat format = ACL_FORMAT_NCDHW;
  bool is_null = false;
  bool leaves_storage = false;

  HostTensor Make() const {
    TensorBuilder builder(dtype, shape);
    builder.Format(format).WithoutData();
    if (leaves_storage) builder.InLayout(Layout::kGaps).ClaimStorage({1});
    return builder.Build();
  }
};

enum Argument { kGradOutput, kInput, kGrid, kInputGrad, kGridGrad };
constexpr const char* kNames[] = {"gradOutput", "input", "grid", "inputGrad", "gridGrad"};

// The arguments of phase one as data; valid until a test changes something.
struct PhaseOne {
  TensorSpec tensors[5] = {{{2, 3, 7, 2, 4}},
                           {{2, 3, 4, 5, 6}},
                           {{2, 7, 2, 4, 3}},
                           {{2, 3, 4, 5, 6}},
                           {{2, 7, 2, 4, 3}}};
  int64_t interpolation_mode = 0;
  int64_t padding_mode = 0;
  std::vector<bool> mask = {true, true};
  bool null_mask = false;
  bool null_workspace_size = false;
  bool null_executor = false;
  const char* soc = "Ascend910B1";

  TensorSpec& operator[](Argument argument) { return tensors[argument]; }
  void SetDtype(aclDataType dtype) {
    for (TensorSpec& tensor : tensors) tensor.dtype = dtype;
  }
  // input and what belongs to it, axis by axis.
  void SetInputDim(size_t axis, int64_t extent) {
    tensors[kInput].shape[axis] = tensors[kInputGrad].shape[axis] = extent;
  }

  struct Outcome {
    int32_t code;
    std::string message;
    uint64_t workspace_size;
  };
  // Through the public function. In every outcome, results are written on success and only then.
  Outcome Run() const {
    static char somewhere;
    aclOpExecutor* const unwritten = reinterpret_cast<aclOpExecutor*>(&somewhere);
    constexpr uint64_t kUnwritten = 0x5a5a5a5a5a5a5a5a;
    ForceSocForTest(soc);
    std::vector<HostTensor> made;
    aclTensor* pointers[5] = {};
    for (size_t i = 0; i < 5; ++i) {
      made.push_back(tensors[i].Make());
      if (!tensors[i].is_null) pointers[i] = made.back().acl();
    }
    bool values[4] = {};
    for (size_t i = 0; i < mask.size(); ++i) values[i] = mask[i];
    const BoolArray array(aclCreateBoolArray(values, mask.size()));
    uint64_t size = kUnwritten;
    aclOpExecutor* executor = unwritten;
    aclGetRecentErrMsg();  // forgets older messages
    const int32_t code = aclnnGridSampler3DBackwardGetWorkspaceSize(
        pointers[kGradOutput], pointers[kInput], pointers[kGrid], interpolation_mode, padding_mode,
        false, null_mask ? nullptr : array.get(), pointers[kInputGrad], pointers[kGridGrad],
        null_workspace_size ? nullptr : &size, null_executor ? nullptr : &executor);
    const char* const message = aclGetRecentErrMsg();
    ForceSocForTest(nullptr);
    EXPECT_EQ(code == 0, size != kUnwritten);
    EXPECT_EQ(code == 0, executor != unwritten);
    EXPECT_EQ(code == 0, message == nullptr);
    if (code == 0) {
      EXPECT_EQ(aclDestroyAclOpExecutor(executor), 0);
    }
    return {code, message == nullptr ? "" : message, size};
  }
};

// A way to break a call, or to leave it without work: what phase one then returns, and words by
// which its message differs from those of the others.
struct Fault {
  std::string name;  // begins with the row of contract.md 2.2
  int32_t code;
  std::string words;
  std::function<void(PhaseOne&)> apply;
};

void AddNullsAndDtypes(std::vector<Fault>* faults) {
  faults->push_back({"1 workspaceSize null", kNullptr, "workspaceSize",
                     [](PhaseOne& c) { c.null_workspace_size = true; }});
  faults->push_back(
      {"1 executor null", kNullptr, "executor", [](PhaseOne& c) { c.null_executor = true; }});
  faults->push_back({"2 outputMask null", 0, "", [](PhaseOne& c) { c.null_mask = true; }});
  for (Argument i : {kGradOutput, kInput, kGrid, kInputGrad, kGridGrad}) {
    faults->push_back({std::string("3 null ") + kNames[i], kNullptr, kNames[i],
                       [i](PhaseOne& c) { c[i].is_null = true; }});
  }
  for (Argument i : {kGradOutput, kGrid, kInputGrad, kGridGrad}) {
    faults->push_back({std::string("4 dtype of ") + kNames[i], kInvalid,
                       std::string(kNames[i]) + " is FLOAT16, must be",
                       [i](PhaseOne& c) { c[i].dtype = ACL_FLOAT16; }});
  }
  faults->push_back({"5 dtype of all", kInvalid, "is INT32, must be FLOAT",
                     [](PhaseOne& c) { c.SetDtype(ACL_INT32); }});
  faults->push_back(
      {"6 paddingMode 3", kInvalid, "paddingMode is 3", [](PhaseOne& c) { c.padding_mode = 3; }});
  faults->push_back({"6 interpolationMode 2", kInvalid, "interpolationMode is 2",
                     [](PhaseOne& c) { c.interpolation_mode = 2; }});
}

void AddShapes(std::vector<Fault>* faults) {
  for (Argument i : {kInput, kGrid, kGradOutput}) {
    faults->push_back({std::string("7 rank of ") + kNames[i], kInvalid,
                       std::string(kNames[i]) + " has 4 dimensions",
                       [i](PhaseOne& c) { c[i].shape.resize(4, 2); }});
  }
  const auto add = [faults](const char* row, Argument i, size_t axis, int64_t extent) {
    faults->push_back(
        {std::string(row) + " of " + kNames[i], kInvalid,
         "dimension " + std::to_string(axis) + " of " + kNames[i] + " is " + std::to_string(extent),
         [i, axis, extent](PhaseOne& c) {
           c[i].shape.resize(5, 2);
           c[i].shape[axis] = extent;
         }});
  };
  add("8 N", kGrid, 0, 91);
  add("8 N", kGradOutput, 0, 92);
  add("9 C", kGradOutput, 1, 93);
  add("10 D", kGrid, 1, 94);
  add("10 H", kGrid, 2, 95);
  add("10 W", kGrid, 3, 96);
  add("11 xyz", kGrid, 4, 2);
  for (Argument i : {kInputGrad, kGridGrad}) {
    faults->push_back({std::string("12 shape of ") + kNames[i], kInvalid,
                       std::string("shape of ") + kNames[i],
                       [i](PhaseOne& c) { c[i].shape.push_back(1); }});
  }
  faults->push_back({"13 outputMask of 1", kInvalid, "size of outputMask is 1",
                     [](PhaseOne& c) { c.mask.resize(1); }});
}

void AddEmptyAndGraph(std::vector<Fault>* faults) {
  faults->push_back({"14 no points", 0, "", [](PhaseOne& c) {
                       c[kGradOutput].shape = {2, 3, 7, 0, 4};
                       c[kGrid].shape = c[kGridGrad].shape = {2, 7, 0, 4, 3};
                     }});
  faults->push_back({"14 no voxels", 0, "", [](PhaseOne& c) { c.SetInputDim(3, 0); }});
  faults->push_back({"14 nothing wanted", 0, "", [](PhaseOne& c) { c.mask = {false, false}; }});
  for (Argument i : {kGradOutput, kInput, kGrid, kInputGrad, kGridGrad}) {
    faults->push_back({std::string("15 bounds of ") + kNames[i], kInnerNullptr,
                       std::string("the view of ") + kNames[i] + " ",
                       [i](PhaseOne& c) { c[i].leaves_storage = true; }});
  }
  faults->push_back(
      {"15 no kernel", kNoKernel, "Ascend310B1", [](PhaseOne& c) { c.soc = "Ascend310B1"; }});
}

// In the order of the contract's checks.
std::vector<Fault> Faults() {
  std::vector<Fault> faults;
  AddNullsAndDtypes(&faults);
  AddShapes(&faults);
  AddEmptyAndGraph(&faults);
  return faults;
}

void ExpectFault(const PhaseOne& call, const Fault& fault) {
  const PhaseOne::Outcome outcome = call.Run();
  EXPECT_EQ(outcome.code, fault.code) << outcome.message;
  EXPECT_NE(outcome.message.find(fault.words), std::string::npos) << outcome.message;
  EXPECT_TRUE(fault.code != 0 || outcome.workspace_size == 0);
}

TEST(GridSampler3DBackwardContract, EachFaultGivesItsCodeAndNamesItsArgument) {
  EXPECT_EQ(PhaseOne{}.Run().code, 0);  // what the faults start from
  for (const Fault& fault : Faults()) {
    SCOPED_TRACE(fault.name);
    PhaseOne call;
    fault.apply(call);
    ExpectFault(call, fault);
  }
}

TEST(GridSampler3DBackwardContract, OfTwoFaultsTheFirstCheckDecides) {
  const std::vector<Fault> faults = Faults();
  for (size_t first = 0; first < faults.size(); ++first) {
    for (size_t second = first + 1; second < faults.size(); ++second) {
      SCOPED_TRACE(faults[first].name + " and " + faults[second].name);
      PhaseOne call;
      faults[second].apply(call);
      faults[first].apply(call);  // last, so that it certainly holds
      ExpectFault(call, faults[first]);
    }
  }
}

TEST(GridSampler3DBackwardContract, NullMaskSucceedsWithoutAnyArgument) {
  PhaseOne call;
  for (TensorSpec& tensor : call.tensors) tensor.is_null = true;
  call.null_mask = true;
  call.interpolation_mode = call.padding_mode = 99;
  call.soc = "Ascend310P3";
  EXPECT_EQ(call.Run().code, 0);
}

TEST(GridSampler3DBackwardContract, MaskedOutOutputsAreCheckedLikeWantedOnes) {
  for (const std::vector<bool>& mask :
       {std::vector<bool>{true, false}, std::vector<bool>{false, true},
        std::vector<bool>{false, false}}) {
    for (Argument i : {kInputGrad, kGridGrad}) {
      PhaseOne call;
      call.mask = mask;
      EXPECT_EQ(call.Run().code, 0);
      call[i].is_null = true;
      EXPECT_EQ(call.Run().code, kNullptr);
      call[i].is_null = false;
      call[i].shape[1] += 1;
      EXPECT_EQ(call.Run().code, kInvalid);
      call[i].shape[1] -= 1;
      call[i].dtype = ACL_DOUBLE;
      EXPECT_EQ(call.Run().code, kInvalid);
    }
  }
}

// Of outputs only those that are written have their bounds checked; of inputs all.
TEST(GridSampler3DBackwardContract, BoundsOfMaskedOutOutputsAreFree) {
  for (int wanted : {0, 1}) {
    PhaseOne call;
    call.mask = {wanted == 0, wanted == 1};
    call[wanted == 0 ? kGridGrad : kInputGrad].leaves_storage = true;
    EXPECT_EQ(call.Run().code, 0);
    call[kInput].leaves_storage = true;
    EXPECT_EQ(call.Run().code, kInnerNullptr);
  }
}

TEST(GridSampler3DBackwardContract, MaskHasTwoEntries) {
  PhaseOne call;
  for (size_t size : {0u, 1u, 3u, 4u}) {
    call.mask.resize(size, true);
    EXPECT_EQ(call.Run().code, kInvalid) << size;
  }
}

TEST(GridSampler3DBackwardContract, ModesOutsideTheirRangesAreRejected) {
  for (int64_t mode :
       {int64_t{-1}, int64_t{2}, int64_t{3}, INT64_MIN, INT64_MAX, int64_t{1} << 32}) {
    PhaseOne call;
    call.interpolation_mode = mode;
    EXPECT_EQ(call.Run().code, kInvalid) << mode;
    call.interpolation_mode = 1;
    call.padding_mode = mode;
    EXPECT_EQ(call.Run().code, mode == 2 ? 0 : kInvalid) << mode;
  }
}

TEST(GridSampler3DBackwardContract, EveryTensorHasFiveAxes) {
  for (size_t rank : {0u, 1u, 4u, 6u, 8u}) {
    for (Argument i : {kInput, kGrid, kGradOutput}) {
      PhaseOne call;
      call[i].shape.assign(rank, 2);
      EXPECT_EQ(call.Run().code, kInvalid) << rank << " " << kNames[i];
    }
    PhaseOne call;
    for (TensorSpec& tensor : call.tensors) tensor.shape.assign(rank, 2);
    EXPECT_EQ(call.Run().code, kInvalid) << rank;
  }
}

// input tagged NDHWC moves the channel axis of input, gradOutput and inputGrad; no other tag does,
// and the tags of the other tensors never do.
TEST(GridSampler3DBackwardContract, OnlyTheFormatOfInputDecidesTheAxes) {
  for (int format : {-1, 0, 1, 2, 3, 4, 16, 27, 29, 30, 32, 33, 35, 47, 50, 54}) {
    for (Argument tagged : {kGradOutput, kInput, kGrid, kInputGrad, kGridGrad}) {
      PhaseOne call;
      call[tagged].format = static_cast<aclFormat>(format);
      const bool moves = format == ACL_FORMAT_NDHWC && tagged == kInput;
      EXPECT_EQ(call.Run().code, moves ? kInvalid : 0) << format << " " << kNames[tagged];
      call[kGradOutput].shape = {2, 7, 2, 4, 3};
      call[kInput].shape = call[kInputGrad].shape = {2, 4, 5, 6, 3};
      EXPECT_EQ(call.Run().code, moves ? 0 : kInvalid) << format << " " << kNames[tagged];
    }
  }
}

// Every relation between extents, one axis off by one at a time, for both axis orders.
TEST(GridSampler3DBackwardContract, EachExtentMustMatch) {
  for (bool channels_last : {false, true}) {
    PhaseOne valid;
    if (channels_last) {
      valid[kInput].format = ACL_FORMAT_NDHWC;
      valid[kGradOutput].shape = {2, 7, 2, 4, 3};
      valid[kInput].shape = valid[kInputGrad].shape = {2, 4, 5, 6, 3};
    }
    EXPECT_EQ(valid.Run().code, 0);
    for (Argument i : {kGradOutput, kInput, kGrid, kInputGrad, kGridGrad}) {
      for (size_t axis = 0; axis < 5; ++axis) {
        for (int64_t change : {-1, 1}) {
          PhaseOne call = valid;
          call[i].shape[axis] += change;
          EXPECT_EQ(call.Run().code, kInvalid) << kNames[i] << " axis " << axis;
        }
      }
    }
  }
}

TEST(GridSampler3DBackwardContract, ZeroExtentsSucceedWithoutWork) {
  for (size_t axis = 1; axis < 5; ++axis) {
    PhaseOne call;
    call.SetInputDim(axis, 0);
    if (axis == 1) call[kGradOutput].shape[1] = 0;
    call.soc = "Ascend310B1";  // the product comes after
    EXPECT_EQ(call.Run().code, 0) << axis;
  }
  PhaseOne no_samples;
  for (TensorSpec& tensor : no_samples.tensors) tensor.shape[0] = 0;
  EXPECT_EQ(no_samples.Run().code, 0);
  PhaseOne half_empty;
  half_empty[kGradOutput].shape[0] = 0;
  EXPECT_EQ(half_empty.Run().code, kInvalid);
}

TEST(GridSampler3DBackwardContract, NegativeAndHugeExtentsAreRejected) {
  PhaseOne call;
  for (int64_t depth : {int64_t{-4}, int64_t{1} << 60}) {
    call.SetInputDim(2, depth);
    EXPECT_EQ(call.Run().code, kInnerNullptr);
  }
  call = {};
  for (Argument i : {kGradOutput, kGrid, kGridGrad}) {
    call[i].shape[i == kGradOutput ? 3 : 2] = int64_t{1} << 58;
  }
  EXPECT_EQ(call.Run().code, kInnerNullptr);
  for (TensorSpec& tensor : call.tensors) tensor.shape[0] = -2;
  EXPECT_EQ(call.Run().code, kInnerNullptr);
}

// The product matrix of the contract, independent of the table in the code.
TEST(GridSampler3DBackwardContract, ProductsFollowTheMatrix) {
  PhaseOne call;
  for (aclDataType dtype : test::kFloatDtypes) {
    call.SetDtype(dtype);
    for (const char* soc :
         {"Ascend910A", "Ascend910B1", "Ascend910B4", "Ascend910_9391", "Ascend950"}) {
      call.soc = soc;
      EXPECT_EQ(call.Run().code, 0) << soc << " " << DtypeName(dtype);
    }
    for (const char* soc : {"Ascend310P3", "Ascend310B1"}) {
      call.soc = soc;
      EXPECT_EQ(call.Run().code, kNoKernel) << soc << " " << DtypeName(dtype);
    }
  }
}

TEST(GridSampler3DBackwardContract, EveryDtypeOnEveryProductFollowsTheSupportTable) {
  for (const SocName& soc : SocNames()) {
    for (int dtype = -1; dtype <= 41; ++dtype) {
      PhaseOne call;
      call.soc = soc.long_name;
      call.SetDtype(static_cast<aclDataType>(dtype));
      int32_t expected = kInvalid;
      for (const SupportRow& row : Info().support) {
        if (row.dtype == dtype && (row.accepted & SocBit(soc.soc)) != 0) expected = 0;
      }
      const bool has_kernel = (Info().supported_socs & SocBit(soc.soc)) != 0;
      if (expected == 0 && !has_kernel) expected = kNoKernel;
      EXPECT_EQ(call.Run().code, expected) << soc.long_name << " " << dtype;
    }
  }
}

}  // namespace
}  // namespace aclnn_cpu::grid_sampler3d_backward
