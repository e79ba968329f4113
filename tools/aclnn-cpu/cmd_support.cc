#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "commands.h"
#include "library.h"

namespace aclnn_cpu_tool {
namespace {

std::string Text(const Json& json, const char* key) { return json.at(key).get<std::string>(); }

bool Lists(const Json& list, const std::string& name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

std::string Joined(const Json& list, const char* key) {
  std::string result;
  for (const Json& element : list) {
    result += (result.empty() ? "" : ", ") + Text(element, key);
  }
  return result;
}

// Keeps the elements for which `keep` holds; it is bad arguments if there are none.
template <typename Keep>
Json Select(const Json& list, const char* what, const std::string& name, const char* key,
            Keep keep) {
  Json kept = Json::array();
  std::copy_if(list.begin(), list.end(), std::back_inserter(kept), keep);
  if (kept.empty()) {
    throw BadArguments(
        fmt::format("{} is \"{}\", must be one of {}", what, name, Joined(list, key)));
  }
  return kept;
}

std::string Cell(const Json& op, const Json& dtype, const std::string& soc) {
  if (!Lists(op.at("supported"), soc)) return "-";
  if (!Lists(dtype.at("accepted"), soc)) return "161002";
  return Lists(dtype.at("page"), soc) ? "yes" : "yes (1)";
}

void PrintTable(const Json& op, const Json& products) {
  fmt::print("### `{}`\n\n| `ACLNN_CPU_SOC` | product |", Text(op, "api"));
  for (const Json& dtype : op.at("dtypes")) {
    fmt::print(" {} |", Text(dtype, "dtype"));
  }
  fmt::print("\n|---|---|");
  for (size_t i = 0; i < op.at("dtypes").size(); ++i) {
    fmt::print("---|");
  }
  fmt::print("\n");
  for (const Json& product : products) {
    const std::string soc = Text(product, "soc");
    fmt::print("| {} | {} |", soc, Text(product, "marketing_name"));
    for (const Json& dtype : op.at("dtypes")) {
      fmt::print(" {} |", Cell(op, dtype, soc));
    }
    fmt::print("\n");
  }
  fmt::print("\nFormats on the operator page: {}.\n\n", Text(op, "formats"));
}

}  // namespace

void PrintSupport(const SupportOptions& options) {
  Json support = AskLibrary("support");
  if (!options.op.empty()) {
    support["operators"] = Select(
        support["operators"], "operator", options.op, "stem",
        [&](const Json& op) { return op.at("stem") == options.op || op.at("api") == options.op; });
  }
  if (!options.soc.empty()) {
    support["products"] =
        Select(support["products"], "--soc", options.soc, "soc", [&](const Json& product) {
          return product.at("soc") == options.soc || Lists(product.at("long_names"), options.soc);
        });
  }
  if (options.format == "json") {
    fmt::print("{}\n", support.dump(2));
    return;
  }
  for (const Json& op : support["operators"]) {
    PrintTable(op, support["products"]);
  }
  fmt::print(
      "yes: works. yes (1): works, although the operator page does not list it. 161002: phase one\n"
      "refuses the dtype with this code. `-`: phase one ends with 561003, as the product cannot "
      "run "
      "the operator.\n");
}

}  // namespace aclnn_cpu_tool
