#ifndef ACLNN_CPU_TESTS_CONFORMANCE_OP_CASE_H_
#define ACLNN_CPU_TESTS_CONFORMANCE_OP_CASE_H_

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "acl/acl_base.h"
#include "element.h"

namespace conformance {

using Json = nlohmann::json;

inline constexpr char kPool[] = "AdaptiveAvgPool2dBackward";
inline constexpr char kGrid[] = "GridSampler3DBackward";

// One tensor of a case: a view (element units) and the values of its whole storage.
struct TensorSpec {
  const ElementType* type = nullptr;
  aclFormat format = ACL_FORMAT_ND;
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;
  int64_t offset = 0;
  std::vector<int64_t> storage_shape;
  std::vector<double> storage;
};

// A case that calls one of the operators. Arguments that the case passes as null are nullopt.
struct OpCase {
  std::string id;
  std::string op;                    // kPool or kGrid
  std::vector<std::string> inputs;   // names of the input tensors, in the prototype's order
  std::vector<std::string> outputs;  // likewise
  std::map<std::string, std::optional<TensorSpec>> tensors;
  int64_t interpolation_mode = 0;
  int64_t padding_mode = 0;
  bool align_corners = false;
  std::optional<std::vector<bool>> output_mask;
  Json expected;
  double rtol = 0;
  double atol = 0;
  int repeat = 1;
  bool compare_thread_counts = false;
};

// The cases of tests/data/public-reports.json, by id in the file's order.
const std::vector<Json>& AllCases();
std::vector<std::string> AllCaseIds();
const Json& CaseNamed(const std::string& id);

// Reads a case with "tensors" (data and expected values) or "args" (shapes only). Throws
// std::invalid_argument for anything it does not understand, so that no part of a case is ignored
// silently.
OpCase ParseOpCase(const Json& json);

// A number, or one of the strings "nan", "inf", "-inf".
double ParseValue(const Json& json);

// Calls visit(storage index) for each element of the view in row-major order.
template <typename Visit>
void ForEachElement(const TensorSpec& spec, Visit visit) {
  int64_t count = 1;
  for (int64_t dim : spec.shape) {
    count *= dim;
  }
  for (int64_t flat = 0; flat < count; ++flat) {
    int64_t rest = flat;
    int64_t at = spec.offset;
    for (size_t axis = spec.shape.size(); axis-- > 0;) {
      at += rest % spec.shape[axis] * spec.strides[axis];
      rest /= spec.shape[axis];
    }
    visit(static_cast<size_t>(at));
  }
}

}  // namespace conformance

#endif  // ACLNN_CPU_TESTS_CONFORMANCE_OP_CASE_H_
