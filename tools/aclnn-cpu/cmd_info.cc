#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <string>

#include "commands.h"
#include "library.h"

namespace aclnn_cpu_tool {
namespace {

std::string TargetLine(const Json& targets) {
  std::string line;
  for (const Json& target : targets) {
    const char* state = target.at("chosen")   ? " (chosen)"
                        : target.at("usable") ? ""
                                              : " (not usable)";
    line += fmt::format("{}{}{}", line.empty() ? "" : ", ", target.at("name").get<std::string>(),
                        state);
  }
  return line;
}

void PrintVariable(const Json& row) {
  const std::string name = row.at("name");
  if (row.at("value").is_null()) {
    fmt::print("  {} is unset\n", name);
  } else {
    fmt::print("  {}={}{}\n", name, row.at("value").get<std::string>(),
               row.at("accepted") ? "" : "  (rejected: counts as unset)");
  }
  fmt::print("      {}; default: {}\n", row.at("meaning").get<std::string>(),
             row.at("default").get<std::string>());
}

}  // namespace

void PrintInfo(const InfoOptions& options) {
  const Json info = AskLibrary("info");
  if (options.json) {
    fmt::print("{}\n", info.dump(2));
    return;
  }
  fmt::print("version  {}\n", info.at("version").get<std::string>());
  fmt::print("library  {}\n", info.at("library").get<std::string>());
  fmt::print("targets  {}\n", TargetLine(info.at("targets")));
  fmt::print("threads  {}\n", info.at("threads").get<int>());
  fmt::print("SoC      {}\n", info.at("soc").get<std::string>());
  fmt::print("devices  {}\n", info.at("devices").get<int>());
  const Json& environment = info.at("environment");
  const bool any = std::any_of(environment.begin(), environment.end(),
                               [](const Json& row) { return !row.at("value").is_null(); });
  fmt::print("environment ({}):{}\n", options.env ? "all variables that are read" : "what is set",
             options.env || any ? "" : " none");
  for (const Json& row : environment) {
    if (options.env || !row.at("value").is_null()) PrintVariable(row);
  }
}

}  // namespace aclnn_cpu_tool
