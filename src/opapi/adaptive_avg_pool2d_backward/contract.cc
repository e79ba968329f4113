#include "aclnn/opdev/op_errno.h"
#include "base/checked_math.h"
#include "nnopbase/checks.h"
#include "nnopbase/page_rules.h"
#include "opapi/adaptive_avg_pool2d_backward/problem.h"

namespace aclnn_cpu::adaptive_avg_pool2d_backward {
namespace {

// The code's dtype list has BFLOAT16 where ASCEND910B <= product <= ASCEND910E, and is the same for
// products that it cannot run on.
constexpr SocSet kBFloat16Socs = SocBit(Soc::kAscend910B) | SocBit(Soc::kAscend910_93) |
                                 SocBit(Soc::kAscend950) | SocBit(Soc::kAscend910E);
constexpr SocSet kPageSocs = SocBit(Soc::kAscend910) | SocBit(Soc::kAscend910B) |
                             SocBit(Soc::kAscend910_93) | SocBit(Soc::kAscend950) |
                             SocBit(Soc::kAscend310P);
// The page marks only Ascend310B as unsupported; Ascend310 and Ascend910E it does not mention, so
// they work.
constexpr SocSet kSupportedSocs = kAllSocs & ~SocBit(Soc::kAscend310B);

constexpr char kNotOnPage[] = "the operator page does not list this product";

constexpr SupportRow kSupport[] = {
    {ACL_FLOAT, kAllSocs, kPageSocs, kNotOnPage},
    {ACL_FLOAT16, kAllSocs, kPageSocs, kNotOnPage},
    {ACL_BF16, kBFloat16Socs, kBFloat16Socs& kPageSocs, kNotOnPage},
};

constexpr PageRule kPageForbids[] = {
    {"format-not-listed", "The page lists the formats ND, NCHW and NCL only."},
    {"out-format", "The page wants out to have the format of self."},
    {"out-dtype-1x1", "The page wants out to have the dtype of self, also for a 1x1 gradOutput."},
};

constexpr OpInfo kInfo{
    .stem = "adaptive_avg_pool2d_backward",
    .api = "aclnnAdaptiveAvgPool2dBackward",
    .op_type = "AdaptiveAvgPool2dGrad",
    .supported_socs = kSupportedSocs,
    .support = kSupport,
    .formats = "ND, NCHW, NCL",
    .page_forbids = kPageForbids,
};

int64_t DimFromEnd(NamedTensor tensor, int64_t from_end) {
  const std::vector<int64_t>& dims = tensor.state().view_dims;
  return dims[dims.size() - static_cast<size_t>(from_end)];
}
int64_t HeightOf(NamedTensor tensor) { return DimFromEnd(tensor, 2); }
int64_t WidthOf(NamedTensor tensor) { return DimFromEnd(tensor, 1); }

bool IsGlobal(NamedTensor grad) { return HeightOf(grad) == 1 && WidthOf(grad) == 1; }

// Row 7: out first, axis by axis.
Status RequireSameLeadingDims(NamedTensor grad, NamedTensor self, NamedTensor out) {
  for (int64_t axis = 0; axis < self.state().rank() - 2; ++axis) {
    RETURN_IF_ERROR(RequireSameDim(out, axis, self, axis));
    RETURN_IF_ERROR(RequireSameDim(grad, axis, self, axis));
  }
  return {};
}

// Bounds of what is touched or described: 561103. An out whose H or W is negative has no bounds to
// check; it is turned away by its shape afterwards, with the same code.
Status RequireViewsInStorage(NamedTensor grad, NamedTensor self, NamedTensor out) {
  RETURN_IF_ERROR(RequireViewInStorage(grad));
  RETURN_IF_ERROR(RequireViewInStorage(self));
  if (HeightOf(out) < 0 || WidthOf(out) < 0) return {};
  return RequireViewInStorage(out);
}

Status RequireCastableDtype(NamedTensor out) {
  switch (out.state().dtype) {
    case ACL_FLOAT:
    case ACL_FLOAT16:
    case ACL_BF16:
    case ACL_DOUBLE:
      return {};
    default:
      FAIL(ACLNN_ERR_INNER_NULLPTR,
           "dtype of {} is {}, must be FLOAT, FLOAT16, BFLOAT16 or DOUBLE when H and W of "
           "gradOutput are 1",
           out.name, DtypeName(out.state().dtype));
  }
}

// On Ascend910 and Ascend310P the general path multiplies by matrices outH x H, W x outW and
// outH x outW, which are limited in size.
Status RequireMatricesFit(NamedTensor grad, NamedTensor self) {
  constexpr int64_t kLimit = 536870911;
  const SocSet limited = SocBit(Soc::kAscend910) | SocBit(Soc::kAscend310P);
  if ((limited & SocBit(CurrentSoc())) == 0) return {};
  const int64_t factors[][2] = {{HeightOf(grad), HeightOf(self)},
                                {WidthOf(self), WidthOf(grad)},
                                {HeightOf(grad), WidthOf(grad)}};
  for (const auto& [a, b] : factors) {
    int64_t product = 0;
    if (!CheckedMul(a, b, &product) || product > kLimit) {
      FAIL(ACLNN_ERR_INNER_NULLPTR,
           "{} x {} of H, W of gradOutput and self is more than {}, the limit on {}", a, b, kLimit,
           CurrentSocName());
    }
  }
  return {};
}

// The conflicts of out that CANN meets when it builds the graph: 561103. The format of out is let
// through, whatever it is: the documents want self's, the code rejects others on some products
// only, and its own unit tests pass them. H x W equal in product only, which the code of some
// products happens to accept, is rejected.
Status RequireOutFits(NamedTensor grad, NamedTensor self, NamedTensor out) {
  if (IsGlobal(grad)) {
    // The documents want self's dtype; the code casts.
    RETURN_IF_ERROR(RequireCastableDtype(out));
  } else {
    RETURN_IF_ERROR(RequireMatricesFit(grad, self));
    if (out.state().dtype != self.state().dtype) {
      FAIL(ACLNN_ERR_INNER_NULLPTR, "dtype of {} is {}, must be that of {}, {}", out.name,
           DtypeName(out.state().dtype), self.name, DtypeName(self.state().dtype));
    }
  }
  if (HeightOf(out) != HeightOf(self) || WidthOf(out) != WidthOf(self)) {
    FAIL(ACLNN_ERR_INNER_NULLPTR, "H, W of {} are {}, {}, must be those of {}, {}, {}", out.name,
         HeightOf(out), WidthOf(out), self.name, HeightOf(self), WidthOf(self));
  }
  return {};
}

// [C, H, W] becomes [1, C, H, W].
StridedView WithBatchAxis(const StridedView& view) {
  if (view.extents.size() == 4) return view;
  StridedView result{{1}, {0}};
  for (int axis = 0; axis < view.extents.size(); ++axis) {
    result.extents.push_back(view.extents[axis]);
    result.strides.push_back(view.strides[axis]);
  }
  return result;
}

}  // namespace

const OpInfo& Info() { return kInfo; }

// Nothing is compared between H, W of gradOutput and self: the sentence about broadcasting in
// older documents describes no check, and CANN's own example would fail it.
StatusOr<Problem> CheckContract(const Args& args) {
  const NamedTensor grad{"gradOutput", args.gradOutput};
  const NamedTensor self{"self", args.self};
  const NamedTensor out{"out", args.out};

  RETURN_IF_ERROR(RequireResultPointers(args.workspaceSize, args.executor));
  RETURN_IF_ERROR(RequireNotNull({grad, self, out}));  // the documents leave out `out`
  RETURN_IF_ERROR(RequireSameRank(grad, self));
  RETURN_IF_ERROR(RequireDimsNotNegative(self));
  RETURN_IF_ERROR(RequireDimsNotNegative(grad));
  RETURN_IF_ERROR(RequireRankOneOf(out, {3, 4}));
  RETURN_IF_ERROR(RequireSameRank(out, self));
  RETURN_IF_ERROR(RequireSameLeadingDims(grad, self, out));
  RETURN_IF_ERROR(RequireSupportedDtype(kInfo, grad));
  RETURN_IF_ERROR(RequireSupportedDtype(kInfo, self));
  RETURN_IF_ERROR(RequireSameDtype(grad, self));
  // Any public format, for either rank, though the documents list ND, NCHW and NCL: the last two
  // axes are H and W whatever the format says.
  RETURN_IF_ERROR(RequireSameFormat(grad, self));
  RETURN_IF_ERROR(RequirePublicFormat(grad));
  // Some documents reject empty tensors; the code succeeds and leaves out untouched.
  if (IsEmptyTensor(self) || IsEmptyTensor(grad)) {
    Problem nothing;
    nothing.is_empty = true;
    return nothing;
  }
  RETURN_IF_ERROR(RequireViewsInStorage(grad, self, out));
  RETURN_IF_ERROR(RequireSupportedSoc(kInfo));
  RETURN_IF_ERROR(RequireOutFits(grad, self, out));

  return Problem{.is_empty = false,
                 .grad_dtype = grad.state().dtype,
                 .out_dtype = out.state().dtype,
                 .grad = WithBatchAxis(ViewOf(grad)),
                 .out = WithBatchAxis(ViewOf(out))};
}

void CheckPage(const Args& args) {
  const NamedTensor grad{"gradOutput", args.gradOutput};
  const NamedTensor self{"self", args.self};
  const NamedTensor out{"out", args.out};
  const PageCheck page(kInfo);
  page.Dtype(grad);
  for (NamedTensor tensor : {grad, self, out})
    page.FormatIsOneOf("format-not-listed", tensor,
                       {ACL_FORMAT_ND, ACL_FORMAT_NCHW, ACL_FORMAT_NCL});
  page.SameFormat("out-format", out, self);
  page.Rule("out-dtype-1x1", out, IsGlobal(grad) && out.state().dtype != self.state().dtype);
}

}  // namespace aclnn_cpu::adaptive_avg_pool2d_backward
