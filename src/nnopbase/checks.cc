#include "nnopbase/checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "aclnn/opdev/op_errno.h"
#include "ascendcl/soc_table.h"
#include "nnopbase/arguments.h"

namespace aclnn_cpu {
namespace {

int64_t DimOf(NamedTensor tensor, int64_t axis) {
  return tensor.state().view_dims[static_cast<size_t>(axis)];
}

std::string ShapeText(NamedTensor tensor) {
  return fmt::format("({})", fmt::join(tensor.state().view_dims, ", "));
}

// "A, B or C".
std::string AnyOf(const std::vector<std::string>& names) {
  if (names.size() < 2) return fmt::format("{}", fmt::join(names, ""));
  return fmt::format("{} or {}", fmt::join(names.begin(), names.end() - 1, ", "), names.back());
}

}  // namespace

Status RequireResultPointers(const uint64_t* workspace_size, aclOpExecutor* const* executor) {
  return RequirePointers(ACLNN_ERR_PARAM_NULLPTR,
                         {{"workspaceSize", workspace_size}, {"executor", executor}});
}

Status RequireNotNull(std::initializer_list<NamedTensor> tensors) {
  for (const NamedTensor& argument : tensors) {
    RETURN_IF_ERROR(RequirePointers(ACLNN_ERR_PARAM_NULLPTR, {{argument.name, argument.tensor}}));
  }
  return Status();
}

Status RequireRank(NamedTensor tensor, int64_t rank) { return RequireRankOneOf(tensor, {rank}); }

Status RequireRankOneOf(NamedTensor tensor, std::initializer_list<int64_t> ranks) {
  const int64_t rank = tensor.state().rank();
  if (std::find(ranks.begin(), ranks.end(), rank) != ranks.end()) return Status();
  FAIL(ACLNN_ERR_PARAM_INVALID, "{} has {} dimensions, must have {}", tensor.name, rank,
       fmt::join(ranks, " or "));
}

Status RequireSameRank(NamedTensor tensor, NamedTensor reference) {
  const int64_t rank = tensor.state().rank();
  const int64_t expected = reference.state().rank();
  if (rank == expected) return Status();
  FAIL(ACLNN_ERR_PARAM_INVALID, "{} has {} dimensions, must have {} like {}", tensor.name, rank,
       expected, reference.name);
}

Status RequireDimsNotNegative(NamedTensor tensor) {
  for (int64_t axis = 0; axis < tensor.state().rank(); ++axis) {
    if (DimOf(tensor, axis) < 0) {
      FAIL(ACLNN_ERR_PARAM_INVALID, "dimension {} of {} is {}, must not be negative", axis,
           tensor.name, DimOf(tensor, axis));
    }
  }
  return Status();
}

Status RequireDim(NamedTensor tensor, int64_t axis, int64_t expected) {
  if (DimOf(tensor, axis) == expected) return Status();
  FAIL(ACLNN_ERR_PARAM_INVALID, "dimension {} of {} is {}, must be {}", axis, tensor.name,
       DimOf(tensor, axis), expected);
}

Status RequireSameDim(NamedTensor tensor, int64_t axis, NamedTensor reference,
                      int64_t reference_axis) {
  const int64_t expected = DimOf(reference, reference_axis);
  if (DimOf(tensor, axis) == expected) return Status();
  FAIL(ACLNN_ERR_PARAM_INVALID, "dimension {} of {} is {}, must be {} like dimension {} of {}",
       axis, tensor.name, DimOf(tensor, axis), expected, reference_axis, reference.name);
}

Status RequireSameShape(NamedTensor tensor, NamedTensor reference) {
  if (tensor.state().view_dims == reference.state().view_dims) return Status();
  FAIL(ACLNN_ERR_PARAM_INVALID, "shape of {} is {}, must be {} like that of {}", tensor.name,
       ShapeText(tensor), ShapeText(reference), reference.name);
}

Status RequireSupportedDtype(const OpInfo& info, NamedTensor tensor) {
  const SocSet soc = SocBit(CurrentSoc());
  for (const SupportRow& row : info.support) {
    if ((row.accepted & soc) != 0 && row.dtype == tensor.state().dtype) return Status();
  }
  std::vector<std::string> accepted;
  for (const SupportRow& row : info.support) {
    if ((row.accepted & soc) != 0) accepted.push_back(DtypeName(row.dtype));
  }
  FAIL(ACLNN_ERR_PARAM_INVALID, "dtype of {} is {}, must be {} on {}", tensor.name,
       DtypeName(tensor.state().dtype), AnyOf(accepted), CurrentSocName());
}

Status RequireSameDtype(NamedTensor tensor, NamedTensor reference) {
  if (tensor.state().dtype == reference.state().dtype) return Status();
  FAIL(ACLNN_ERR_PARAM_INVALID, "{} is {}, must be {} like {}", tensor.name,
       DtypeName(tensor.state().dtype), DtypeName(reference.state().dtype), reference.name);
}

Status RequireSameFormat(NamedTensor tensor, NamedTensor reference) {
  if (tensor.state().format == reference.state().format) return Status();
  FAIL(ACLNN_ERR_PARAM_INVALID, "format of {} is {}, must be {} like that of {}", tensor.name,
       FormatName(tensor.state().format), FormatName(reference.state().format), reference.name);
}

Status RequirePublicFormat(NamedTensor tensor) {
  if (!IsPrivateFormat(tensor.state().format)) return Status();
  FAIL(ACLNN_ERR_PARAM_INVALID,
       "format of {} is {}, must be a public one such as ND, NCHW, NHWC, NCL, NCDHW, NDHWC",
       tensor.name, FormatName(tensor.state().format));
}

Status RequireAttribute(const char* name, int64_t value, int64_t lowest, int64_t highest) {
  if (lowest <= value && value <= highest) return Status();
  FAIL(ACLNN_ERR_PARAM_INVALID, "{} is {}, must be in {}..{}", name, value, lowest, highest);
}

Status RequireSupportedSoc(const OpInfo& info) {
  if ((info.supported_socs & SocBit(CurrentSoc())) != 0) return Status();
  std::vector<const char*> supported;
  for (const SocFamily& family : SocFamilies()) {
    if ((info.supported_socs & SocBit(family.soc)) != 0) supported.push_back(family.short_name);
  }
  FAIL(ACLNN_ERR_INNER_FIND_KERNEL_ERROR, "{} has no kernel for {}, the product must be one of {}",
       info.api, CurrentSocName(), fmt::join(supported, ", "));
}

bool IsEmptyTensor(NamedTensor tensor) { return IsEmpty(tensor.state().view_dims); }

StridedView ViewOf(NamedTensor tensor) {
  const TensorState& state = tensor.state();
  return {Dims(std::span<const int64_t>(state.view_dims)),
          Dims(std::span<const int64_t>(state.strides))};
}

}  // namespace aclnn_cpu
