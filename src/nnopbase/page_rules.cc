#include "nnopbase/page_rules.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "ascendcl/soc_table.h"
#include "ascendcl/strict_report.h"

namespace aclnn_cpu {
namespace {

void Report(const OpInfo& info, NamedTensor tensor, const std::string& message) {
  const std::string api = std::string(info.api) + "GetWorkspaceSize";
  ReportFinding({.kind = FindingKind::kPageForbids,
                 .api = api.c_str(),
                 .argument = tensor.name,
                 .message = message});
}

}  // namespace

void PageCheck::Dtype(NamedTensor tensor) const {
  if (tensor.tensor == nullptr) return;
  for (const SupportRow& row : info_.support) {
    if (row.dtype != tensor.state().dtype || (row.page & SocBit(CurrentSoc())) != 0) continue;
    Report(
        info_, tensor,
        fmt::format("dtype {} on {}: {}", DtypeName(row.dtype), CurrentSocName(), row.page_note));
  }
}

void PageCheck::Rule(const char* id, NamedTensor tensor, bool broken) const {
  if (!broken || tensor.tensor == nullptr) return;
  const auto rule =
      std::find_if(info_.page_forbids.begin(), info_.page_forbids.end(),
                   [&](const PageRule& row) { return std::string_view(row.id) == id; });
  const char* const reason =
      rule != info_.page_forbids.end() ? rule->reason : "The operator's page forbids this.";
  const TensorState& state = tensor.state();
  Report(info_, tensor,
         fmt::format("{} {} has dtype {} and format {}. ({})", reason, tensor.name,
                     DtypeName(state.dtype), FormatName(state.format), id));
}

void PageCheck::FormatIsOneOf(const char* id, NamedTensor tensor,
                              std::initializer_list<aclFormat> allowed) const {
  if (tensor.tensor == nullptr) return;
  const bool listed =
      std::find(allowed.begin(), allowed.end(), tensor.state().format) != allowed.end();
  Rule(id, tensor, !listed);
}

void PageCheck::SameFormat(const char* id, NamedTensor tensor, NamedTensor reference) const {
  if (tensor.tensor == nullptr || reference.tensor == nullptr) return;
  Rule(id, tensor, tensor.state().format != reference.state().format);
}

}  // namespace aclnn_cpu
