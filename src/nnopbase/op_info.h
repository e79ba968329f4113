#ifndef ACLNN_CPU_NNOPBASE_OP_INFO_H_
#define ACLNN_CPU_NNOPBASE_OP_INFO_H_

#include <span>

#include "acl/acl_base.h"
#include "ascendcl/soc_table.h"

namespace aclnn_cpu {

// One dtype of an operator: the products whose code accepts it in phase one, and the products whose
// operator page lists it. Where the page is narrower, the call works and strict mode reports
// `page_note`.
struct SupportRow {
  aclDataType dtype;
  SocSet accepted;
  SocSet page;
  const char* page_note;  // reason to print where accepted and page differ, or nullptr
};

// A use that the code lets through and the operator page forbids.
struct PageRule {
  const char* id;      // "double-ndhwc"
  const char* reason;  // one sentence
};

// What varies between operators and products, as data: read by the checks and their messages, by
// `aclnn-cpu support`, by the documentation test and by the accept/reject test generator.
struct OpInfo {
  const char* stem;       // "grid_sampler3d_backward": folder, header, tests, bench, documents
  const char* api;        // "aclnnGridSampler3DBackward"
  const char* op_type;    // "GridSampler3DGrad"
  SocSet supported_socs;  // elsewhere phase one ends with 561003
  std::span<const SupportRow> support;
  const char* formats;  // as the page lists them, for print
  std::span<const PageRule> page_forbids;
};

}  // namespace aclnn_cpu

#endif  // ACLNN_CPU_NNOPBASE_OP_INFO_H_
