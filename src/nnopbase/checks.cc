#include "nnopbase/checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "aclnn/opdev/op_errno.h"
#include "nnopbase/arguments.h"

namespace aclnn_cpu {
namespace {

std::string ShapeText(NamedTensor tensor) {
  return fmt::format("({})", fmt::join(tensor.state().view_dims, ", "));
}

// "A, B or C".
std::string AnyOf(const std::vector<std::string>& names) {
  if (names.size() < 2) return fmt::format("{}", fmt::join(names, ""));
  return fmt::format("{} or {}", fmt::join(names.begin(), names.end() - 1, ", "), names.back());
}

}  // namespace

Status NullPointer(const char* name) {
  return RequirePointers(ACLNN_ERR_PARAM_NULLPTR, {{name, nullptr}});
}

Status WrongRank(NamedTensor tensor, std::initializer_list<int64_t> ranks) {
  FAIL(ACLNN_ERR_PARAM_INVALID, "{} has {} dimensions, must have {}", tensor.name,
       tensor.state().rank(), fmt::join(ranks, " or "));
}

Status RankDiffers(NamedTensor tensor, NamedTensor reference) {
  FAIL(ACLNN_ERR_PARAM_INVALID, "{} has {} dimensions, must have {} like {}", tensor.name,
       tensor.state().rank(), reference.state().rank(), reference.name);
}

Status DimNegative(NamedTensor tensor, int64_t axis) {
  FAIL(ACLNN_ERR_PARAM_INVALID, "dimension {} of {} is {}, must not be negative", axis, tensor.name,
       DimOf(tensor, axis));
}

Status WrongDim(NamedTensor tensor, int64_t axis, int64_t expected) {
  FAIL(ACLNN_ERR_PARAM_INVALID, "dimension {} of {} is {}, must be {}", axis, tensor.name,
       DimOf(tensor, axis), expected);
}

Status DimDiffers(NamedTensor tensor, int64_t axis, NamedTensor reference, int64_t reference_axis) {
  FAIL(ACLNN_ERR_PARAM_INVALID, "dimension {} of {} is {}, must be {} like dimension {} of {}",
       axis, tensor.name, DimOf(tensor, axis), DimOf(reference, reference_axis), reference_axis,
       reference.name);
}

Status RequireSameShape(NamedTensor tensor, NamedTensor reference) {
  if (tensor.state().view_dims == reference.state().view_dims) return Status();
  FAIL(ACLNN_ERR_PARAM_INVALID, "shape of {} is {}, must be {} like that of {}", tensor.name,
       ShapeText(tensor), ShapeText(reference), reference.name);
}

Status DtypeUnsupported(const OpInfo& info, NamedTensor tensor) {
  const SocSet soc = SocBit(CurrentSoc());
  std::vector<std::string> accepted;
  for (const SupportRow& row : info.support) {
    if ((row.accepted & soc) != 0) accepted.push_back(DtypeName(row.dtype));
  }
  FAIL(ACLNN_ERR_PARAM_INVALID, "dtype of {} is {}, must be {} on {}", tensor.name,
       DtypeName(tensor.state().dtype), AnyOf(accepted), CurrentSocName());
}

Status DtypeDiffers(NamedTensor tensor, NamedTensor reference) {
  FAIL(ACLNN_ERR_PARAM_INVALID, "{} is {}, must be {} like {}", tensor.name,
       DtypeName(tensor.state().dtype), DtypeName(reference.state().dtype), reference.name);
}

Status FormatDiffers(NamedTensor tensor, NamedTensor reference) {
  FAIL(ACLNN_ERR_PARAM_INVALID, "format of {} is {}, must be {} like that of {}", tensor.name,
       FormatName(tensor.state().format), FormatName(reference.state().format), reference.name);
}

Status RequirePublicFormat(NamedTensor tensor) {
  if (!IsPrivateFormat(tensor.state().format)) return Status();
  FAIL(ACLNN_ERR_PARAM_INVALID,
       "format of {} is {}, must be a public one such as ND, NCHW, NHWC, NCL, NCDHW, NDHWC",
       tensor.name, FormatName(tensor.state().format));
}

Status WrongAttribute(const char* name, int64_t value, int64_t lowest, int64_t highest) {
  FAIL(ACLNN_ERR_PARAM_INVALID, "{} is {}, must be in {}..{}", name, value, lowest, highest);
}

Status SocUnsupported(const OpInfo& info) {
  std::vector<const char*> supported;
  for (const SocFamily& family : SocFamilies()) {
    if ((info.supported_socs & SocBit(family.soc)) != 0) supported.push_back(family.short_name);
  }
  FAIL(ACLNN_ERR_INNER_FIND_KERNEL_ERROR, "{} has no kernel for {}, the product must be one of {}",
       info.api, CurrentSocName(), fmt::join(supported, ", "));
}

}  // namespace aclnn_cpu
