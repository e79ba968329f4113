#include "aclnn/opdev/op_errno.h"
#include "nnopbase/checks.h"
#include "nnopbase/page_rules.h"
#include "nnopbase/scalar_array.h"
#include "opapi/grid_sampler3d_backward/problem.h"

namespace aclnn_cpu::grid_sampler3d_backward {
namespace {

// The code has one dtype list for all products; the operator page lists BFLOAT16 from A2 on.
constexpr SocSet kBFloat16PageSocs =
    SocBit(Soc::kAscend910B) | SocBit(Soc::kAscend910_93) | SocBit(Soc::kAscend950);
constexpr SocSet kPageSocs = SocBit(Soc::kAscend910) | kBFloat16PageSocs;
// The page marks these two as unsupported. Ascend310 and Ascend910E it does not mention, so they
// work.
constexpr SocSet kSupportedSocs = kAllSocs & ~(SocBit(Soc::kAscend310P) | SocBit(Soc::kAscend310B));

constexpr char kNotOnPage[] = "the operator page does not list this product";
constexpr char kBFloat16NotOnPage[] = "the operator page does not list BFLOAT16 for this product";

constexpr SupportRow kSupport[] = {
    {ACL_FLOAT, kAllSocs, kPageSocs, kNotOnPage},
    {ACL_FLOAT16, kAllSocs, kPageSocs, kNotOnPage},
    {ACL_BF16, kAllSocs, kBFloat16PageSocs, kBFloat16NotOnPage},
    {ACL_DOUBLE, kAllSocs, kPageSocs, kNotOnPage},
};

constexpr PageRule kPageForbids[] = {
    {"double-ndhwc", "The page does not allow DOUBLE when the format of input is NDHWC."},
    {"zero-extent", "The page wants D, H and W of input to be at least 1."},
    {"format-not-listed",
     "The page lists NCDHW and NDHWC for gradOutput, input and inputGrad, NDHWC for grid and "
     "gridGrad."},
    {"format-differs",
     "The page wants gradOutput and inputGrad to have the format of input, gridGrad that of grid."},
};

constexpr OpInfo kInfo{
    .stem = "grid_sampler3d_backward",
    .api = "aclnnGridSampler3DBackward",
    .op_type = "GridSampler3DGrad",
    .supported_socs = kSupportedSocs,
    .support = kSupport,
    .formats = "NCDHW, NDHWC; grid and gridGrad NDHWC",
    .page_forbids = kPageForbids,
};

// The tensors of a call under their names.
struct Tensors {
  explicit Tensors(const Args& args)
      : grad_output{"gradOutput", args.gradOutput},
        input{"input", args.input},
        grid{"grid", args.grid},
        input_grad{"inputGrad", args.inputGrad},
        grid_grad{"gridGrad", args.gridGrad} {}

  NamedTensor grad_output, input, grid, input_grad, grid_grad;
};

// Rows 8 to 12. Where D, H and W lie in gradOutput follows from the format of input; grid has them
// from axis 1 on in any case.
Status RequireShapesMatch(const Tensors& t, bool channels_last) {
  RETURN_IF_ERROR(RequireSameDim(t.grid, 0, t.input, 0));
  RETURN_IF_ERROR(RequireSameDim(t.grad_output, 0, t.input, 0));
  const int64_t channel_axis = channels_last ? 4 : 1;
  RETURN_IF_ERROR(RequireSameDim(t.grad_output, channel_axis, t.input, channel_axis));
  const int64_t depth_axis = channels_last ? 1 : 2;
  for (int64_t axis = 0; axis < 3; ++axis) {
    RETURN_IF_ERROR(RequireSameDim(t.grid, 1 + axis, t.grad_output, depth_axis + axis));
  }
  RETURN_IF_ERROR(RequireDim(t.grid, 4, 3));
  RETURN_IF_ERROR(RequireSameShape(t.input_grad, t.input));
  return RequireSameShape(t.grid_grad, t.grid);
}

Status RequireMaskOfTwo(const aclBoolArray& mask) {
  if (mask.size() == 2) return {};
  FAIL(ACLNN_ERR_PARAM_INVALID, "size of outputMask is {}, must be 2", mask.size());
}

// All inputs, whether their data are needed or not, as CANN puts all of them into the graph; of the
// outputs the ones that are written. Negative extents, which no row of the table looks at, end
// here.
Status RequireViewsInStorage(const Tensors& t, const aclBoolArray& mask) {
  for (NamedTensor tensor : {t.grad_output, t.input, t.grid}) {
    RETURN_IF_ERROR(RequireViewInStorage(tensor));
  }
  if (mask[0]) RETURN_IF_ERROR(RequireViewInStorage(t.input_grad));
  if (mask[1]) RETURN_IF_ERROR(RequireViewInStorage(t.grid_grad));
  return {};
}

// [N, C, D, H, W], whatever the caller's axis order.
StridedView ChannelsFirst(NamedTensor tensor, bool channels_last) {
  const StridedView view = ViewOf(tensor);
  if (!channels_last) return view;
  StridedView result;
  for (int axis : {0, 4, 1, 2, 3}) {
    result.extents.push_back(view.extents[axis]);
    result.strides.push_back(view.strides[axis]);
  }
  return result;
}

// Where all rows along W hold one point, their stride may be anything; it becomes that of the next
// axis with more points, so that kernels step along this one. `d` is the number of the axis D.
void StepAlongPoints(int d, StridedView* view) {
  int axis = d + 2;
  while (axis > d && view->extents[axis] == 1) --axis;
  view->strides[d + 2] = view->strides[axis];
}

Problem MakeProblem(const Args& args, const Tensors& t, bool channels_last) {
  Problem problem;
  problem.dtype = t.input.state().dtype;
  problem.interpolation = static_cast<Interpolation>(args.interpolationMode);
  problem.padding = static_cast<Padding>(args.paddingMode);
  problem.align_corners = args.alignCorners;
  problem.want_input_grad = (*args.outputMask)[0];
  problem.want_grid_grad = (*args.outputMask)[1];
  problem.channels_last = channels_last;
  problem.grad_output = ChannelsFirst(t.grad_output, channels_last);
  problem.input = ChannelsFirst(t.input, channels_last);
  problem.grid = ViewOf(t.grid);
  // The strides of an output that is not wanted may be anything; they stay 0, so that no offset
  // computed from them overflows.
  if (problem.want_input_grad) problem.input_grad = ChannelsFirst(t.input_grad, channels_last);
  if (problem.want_grid_grad) problem.grid_grad = ViewOf(t.grid_grad);
  StepAlongPoints(2, &problem.grad_output);
  StepAlongPoints(1, &problem.grid);
  if (problem.want_grid_grad) StepAlongPoints(1, &problem.grid_grad);
  return problem;
}

Problem NothingToDo() {
  Problem problem;
  problem.is_empty = true;
  return problem;
}

}  // namespace

const OpInfo& Info() { return kInfo; }

StatusOr<Problem> CheckContract(const Args& args) {
  const Tensors t(args);
  RETURN_IF_ERROR(RequireResultPointers(args.workspaceSize, args.executor));
  // Comes before the null checks: success whatever the other arguments are. No document says so.
  if (args.outputMask == nullptr) return NothingToDo();
  // Masked-out outputs must be given too; the documents agree here, the names suggest otherwise.
  RETURN_IF_ERROR(RequireNotNull({t.grad_output, t.input, t.grid, t.input_grad, t.grid_grad}));
  for (NamedTensor tensor : {t.grad_output, t.grid, t.input_grad, t.grid_grad}) {
    RETURN_IF_ERROR(RequireSameDtype(tensor, t.input));
  }
  // BFLOAT16 passes on every product here, although the page excludes Atlas training.
  RETURN_IF_ERROR(RequireSupportedDtype(kInfo, t.input));
  RETURN_IF_ERROR(RequireAttribute("paddingMode", args.paddingMode, 0, 2));
  // Some pages mention bicubic (2) in their text; the parameter tables and the code do not have it.
  RETURN_IF_ERROR(RequireAttribute("interpolationMode", args.interpolationMode, 0, 1));
  RETURN_IF_ERROR(RequireRank(t.input, 5));
  RETURN_IF_ERROR(RequireRank(t.grid, 5));
  RETURN_IF_ERROR(RequireRank(t.grad_output, 5));
  // Only the format of input decides the axis order. The documents want particular formats for all
  // five tensors and equal ones; the code looks at no other, and CANN's example tags all as ND.
  // DOUBLE with NDHWC, which the documents exclude, is computed.
  const bool channels_last = t.input.state().format == ACL_FORMAT_NDHWC;
  RETURN_IF_ERROR(RequireShapesMatch(t, channels_last));
  // Checked by CANN 9.1 and later; before, a wrong size was read out of range.
  RETURN_IF_ERROR(RequireMaskOfTwo(*args.outputMask));
  // Up to CANN 9.0 an all-false mask succeeded before any check; since 9.1 the arguments must be
  // valid. An input without voxels, which the documents forbid, is empty like any other.
  if (IsEmptyTensor(t.grad_output) || IsEmptyTensor(t.input) || IsEmptyTensor(t.grid) ||
      (!(*args.outputMask)[0] && !(*args.outputMask)[1])) {
    return NothingToDo();
  }
  RETURN_IF_ERROR(RequireViewsInStorage(t, *args.outputMask));
  RETURN_IF_ERROR(RequireSupportedSoc(kInfo));
  return MakeProblem(args, t, channels_last);
}

void CheckPage(const Args& args) {
  const Tensors t(args);
  if (t.input.tensor == nullptr) return;  // without a mask any argument may be null
  const TensorState& input = t.input.state();
  const bool channels_last = input.format == ACL_FORMAT_NDHWC;
  const PageCheck page(kInfo);
  page.Dtype(t.input);
  page.Rule("double-ndhwc", t.input, input.dtype == ACL_DOUBLE && channels_last);
  for (int64_t axis = 0; input.rank() == 5 && axis < 3; ++axis) {
    const auto spatial = static_cast<size_t>(axis + (channels_last ? 1 : 2));
    page.Rule("zero-extent", t.input, input.view_dims[spatial] < 1);
  }
  for (NamedTensor tensor : {t.grad_output, t.input, t.input_grad})
    page.FormatIsOneOf("format-not-listed", tensor, {ACL_FORMAT_NCDHW, ACL_FORMAT_NDHWC});
  for (NamedTensor tensor : {t.grid, t.grid_grad})
    page.FormatIsOneOf("format-not-listed", tensor, {ACL_FORMAT_NDHWC});
  for (NamedTensor tensor : {t.grad_output, t.input_grad})
    page.SameFormat("format-differs", tensor, t.input);
  page.SameFormat("format-differs", t.grid_grad, t.grid);
}

}  // namespace aclnn_cpu::grid_sampler3d_backward
