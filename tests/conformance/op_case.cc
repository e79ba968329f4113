#include "op_case.h"

#include <cmath>
#include <fstream>
#include <limits>
#include <set>
#include <stdexcept>

namespace conformance {
namespace {

[[noreturn]] void Refuse(const std::string& what) { throw std::invalid_argument(what); }

void RequireKnownKeys(const Json& json, const std::set<std::string>& known) {
  for (const auto& item : json.items()) {
    if (known.count(item.key()) == 0) {
      Refuse("the runner does not know the key " + item.key());
    }
  }
}

std::vector<int64_t> RowMajorStrides(const std::vector<int64_t>& shape) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t axis = shape.size(); axis-- > 1;) {
    strides[axis - 1] = strides[axis] * shape[axis];
  }
  return strides;
}

size_t CountOf(const std::vector<int64_t>& shape) {
  int64_t count = 1;
  for (int64_t dim : shape) {
    count *= dim;
  }
  return static_cast<size_t>(count);
}

aclFormat FormatNamed(const std::string& name) {
  static const std::map<std::string, aclFormat> formats = {
      {"ND", ACL_FORMAT_ND},   {"NCHW", ACL_FORMAT_NCHW},   {"NHWC", ACL_FORMAT_NHWC},
      {"NCL", ACL_FORMAT_NCL}, {"NCDHW", ACL_FORMAT_NCDHW}, {"NDHWC", ACL_FORMAT_NDHWC},
  };
  const auto found = formats.find(name);
  if (found == formats.end()) {
    Refuse("unknown format " + name);
  }
  return found->second;
}

std::vector<double> Values(const Json& json, size_t count) {
  std::vector<double> values;
  for (const Json& value : json) {
    values.push_back(ParseValue(value));
  }
  if (values.size() != count) {
    Refuse("there are " + std::to_string(values.size()) + " values for " + std::to_string(count) +
           " elements");
  }
  return values;
}

// v[i] = ((a*i + b) mod m) * scale + shift
std::vector<double> FromRecipe(const Json& recipe, size_t count) {
  if (recipe.at("kind") != "affine_mod") {
    Refuse("unknown recipe " + recipe.at("kind").dump());
  }
  RequireKnownKeys(recipe, {"kind", "a", "b", "m", "scale", "shift"});
  const uint64_t a = recipe.at("a");
  const uint64_t b = recipe.at("b");
  const uint64_t m = recipe.at("m");
  std::vector<double> values(count);
  for (size_t i = 0; i < count; ++i) {
    const double step = static_cast<double>((a * i + b) % m);
    values[i] = step * recipe.at("scale").get<double>() + recipe.at("shift").get<double>();
  }
  return values;
}

std::vector<double> FromTile(const Json& tile, size_t count) {
  const std::vector<double> period = Values(tile, tile.size());
  std::vector<double> values(count);
  for (size_t i = 0; i < count; ++i) {
    values[i] = period[i % period.size()];
  }
  return values;
}

// The storage of a tensor: exactly one of the forms that the case file uses.
std::vector<double> StorageValues(const Json& json, size_t count) {
  if (json.contains("data")) return Values(json["data"], count);
  if (json.contains("storage_data")) return Values(json["storage_data"], count);
  if (json.contains("recipe")) return FromRecipe(json["recipe"], count);
  if (json.contains("tile")) return FromTile(json["tile"], count);
  for (const char* one_value : {"fill", "prefill"}) {
    if (json.contains(one_value)) {
      return std::vector<double>(count, ParseValue(json[one_value]));
    }
  }
  Refuse("a tensor without values");
}

void RequireExact(const TensorSpec& spec) {
  for (double value : spec.storage) {
    std::byte element[8];
    Encode(*spec.type, value, element);
    const double back = Decode(*spec.type, element);
    if (back != value && !(std::isnan(back) && std::isnan(value))) {
      Refuse(std::to_string(value) + " is not a " + spec.type->name);
    }
  }
}

TensorSpec ParseTensor(const Json& json, const ElementType& type, aclFormat format) {
  RequireKnownKeys(json,
                   {"shape", "strides", "offset", "storage_shape", "data", "storage_data", "recipe",
                    "tile", "fill", "prefill", "must_stay_prefill", "untouched_outside_view"});
  TensorSpec spec;
  spec.type = &type;
  spec.format = format;
  spec.shape = json.at("shape").get<std::vector<int64_t>>();
  spec.strides = json.contains("strides") ? json["strides"].get<std::vector<int64_t>>()
                                          : RowMajorStrides(spec.shape);
  spec.offset = json.value("offset", int64_t{0});
  spec.storage_shape = json.contains("storage_shape")
                           ? json["storage_shape"].get<std::vector<int64_t>>()
                           : spec.shape;
  spec.storage = StorageValues(json, CountOf(spec.storage_shape));
  RequireExact(spec);
  return spec;
}

// "dtype" and "format" of "args" are one name for all tensors, or one per tensor, or absent.
std::string NameFor(const Json& args, const char* key, const std::string& tensor,
                    const char* fallback) {
  if (!args.contains(key)) return fallback;
  const Json& value = args[key];
  return value.is_string() ? value.get<std::string>() : value.at(tensor).get<std::string>();
}

// In "args" a tensor is a shape or null; an output that is left out has the shape of `like`.
std::optional<TensorSpec> TensorFromArgs(const Json& args, const std::string& name,
                                         const std::string& like) {
  const Json& shape = args.contains(name) ? args[name] : args.at(like);
  if (shape.is_null()) return std::nullopt;
  const Json tensor = {{"shape", shape}, {"fill", args.value("prefill", 0.0)}};
  return ParseTensor(tensor, ElementTypeNamed(NameFor(args, "dtype", name, "")),
                     FormatNamed(NameFor(args, "format", name, "ND")));
}

void ParseArgs(const Json& args, OpCase* result) {
  RequireKnownKeys(
      args, {"dtype", "format", "prefill", "gradOutput", "input", "grid", "inputGrad", "gridGrad",
             "self", "out", "interpolationMode", "paddingMode", "alignCorners", "outputMask"});
  const std::map<std::string, std::string> like = {
      {"inputGrad", "input"}, {"gridGrad", "grid"}, {"out", "self"}};
  for (const std::string& name : result->inputs) {
    result->tensors[name] = TensorFromArgs(args, name, name);
  }
  for (const std::string& name : result->outputs) {
    result->tensors[name] = TensorFromArgs(args, name, like.at(name));
  }
}

// A case has one format, that of the volumes; points are NDHWC, as the operator page wants it.
aclFormat FormatFor(const std::string& tensor, aclFormat format) {
  return tensor == "grid" || tensor == "gridGrad" ? ACL_FORMAT_NDHWC : format;
}

void ParseTensors(const Json& json, OpCase* result) {
  const ElementType& type = ElementTypeNamed(json.at("dtype"));
  const aclFormat format = FormatNamed(json.at("format"));
  RequireKnownKeys(json.at("tensors"), {result->inputs.begin(), result->inputs.end()});
  RequireKnownKeys(json.at("outputs"), {result->outputs.begin(), result->outputs.end()});
  for (const std::string& name : result->inputs) {
    result->tensors[name] = ParseTensor(json["tensors"].at(name), type, FormatFor(name, format));
  }
  for (const std::string& name : result->outputs) {
    result->tensors[name] = ParseTensor(json["outputs"].at(name), type, FormatFor(name, format));
    if (json["outputs"][name].value("must_stay_prefill", false) &&
        (json.at("expected").contains(name) || json["expected"].contains(name + "_all"))) {
      Refuse(name + " must stay as it was and has expected values");
    }
  }
  result->rtol = json.at("tol").at("rtol");
  result->atol = json["tol"].at("atol");
}

void ParseModes(const Json& json, OpCase* result) {
  result->interpolation_mode = json.at("interpolationMode");
  result->padding_mode = json.at("paddingMode");
  result->align_corners = json.at("alignCorners");
  if (!json.at("outputMask").is_null()) {
    result->output_mask = json["outputMask"].get<std::vector<bool>>();
  }
}

}  // namespace

double ParseValue(const Json& json) {
  if (json == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (json == "inf") return std::numeric_limits<double>::infinity();
  if (json == "-inf") return -std::numeric_limits<double>::infinity();
  return json.get<double>();
}

const std::vector<Json>& AllCases() {
  static const std::vector<Json> cases = [] {
    std::ifstream file(ACLNN_CPU_SOURCE_DIR "/tests/data/public-reports.json");
    return Json::parse(file).at("cases").get<std::vector<Json>>();
  }();
  return cases;
}

std::vector<std::string> AllCaseIds() {
  std::vector<std::string> ids;
  for (const Json& json : AllCases()) {
    ids.push_back(json.at("id"));
  }
  return ids;
}

const Json& CaseNamed(const std::string& id) {
  for (const Json& json : AllCases()) {
    if (json.at("id") == id) return json;
  }
  Refuse("no case " + id);
}

OpCase ParseOpCase(const Json& json) {
  RequireKnownKeys(json, {"id",          "op",           "kind",
                          "dtype",       "format",       "tensors",
                          "outputs",     "args",         "interpolationMode",
                          "paddingMode", "alignCorners", "outputMask",
                          "expected",    "tol",          "sources",
                          "note",        "repeat",       "threads",
                          "optional",    "accept_also"});
  OpCase result;
  result.id = json.at("id");
  result.op = json.at("op");
  if (result.op == kPool) {
    result.inputs = {"gradOutput", "self"};
    result.outputs = {"out"};
  } else if (result.op == kGrid) {
    result.inputs = {"gradOutput", "input", "grid"};
    result.outputs = {"inputGrad", "gridGrad"};
  } else {
    Refuse("unknown operator " + result.op);
  }
  result.expected = json.at("expected");
  result.repeat = json.value("repeat", 1);
  result.compare_thread_counts = json.contains("threads");
  if (json.contains("tensors") == json.contains("args")) {
    Refuse("a case has either tensors or args");
  }
  if (json.contains("tensors")) {
    ParseTensors(json, &result);
  } else {
    ParseArgs(json["args"], &result);
  }
  if (result.op == kGrid) {
    ParseModes(json.contains("args") ? json["args"] : json, &result);
  }
  return result;
}

}  // namespace conformance
