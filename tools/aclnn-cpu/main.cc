// aclnn-cpu: what the installed library is and what it supports.

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "commands.h"
#include "library.h"

namespace aclnn_cpu_tool {
namespace {

void AddInfo(CLI::App* app, InfoOptions* options) {
  CLI::App* command = app->add_subcommand(
      "info", "Version, library file, SIMD targets, threads, SoC: for every bug report");
  command->add_flag("--env", options->env, "All environment variables, not only those set");
  command->add_flag("--json", options->json, "Everything, as JSON");
  command->callback([options] { PrintInfo(*options); });
}

void AddSupport(CLI::App* app, SupportOptions* options) {
  CLI::App* command =
      app->add_subcommand("support", "Which operator takes which dtype on which product");
  command->add_option("op", options->op, "Operator: stem of its header, or its aclnn name");
  command->add_option("--soc", options->soc, "Product: as for ACLNN_CPU_SOC");
  command->add_option("--format", options->format, "Markdown tables or JSON")
      ->check(CLI::IsMember({"md", "json"}))
      ->capture_default_str();
  command->callback([options] { PrintSupport(*options); });
}

int Main(int argc, char** argv) {
  CLI::App app("Information about aclnn-cpu");
  app.require_subcommand(1);
  app.set_version_flag(
      "--version", [] { return AskLibrary("info").at("version").get<std::string>(); },
      "Version of the library that is used");
  InfoOptions info;
  SupportOptions support;
  AddInfo(&app, &info);
  AddSupport(&app, &support);
  try {
    app.parse(argc, argv);
  } catch (const CLI::RequiredError& error) {
    // CLI11 misses the sub-command before it looks at the words it does not know.
    const std::vector<std::string> unknown = app.remaining();
    if (unknown.empty()) {
      app.exit(error);
    } else {
      std::fprintf(stderr, "command is \"%s\", must be one of info, support\n",
                   unknown.front().c_str());
    }
    return kBadArguments;
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kFine : kBadArguments;
  } catch (const BadArguments& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return kBadArguments;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return kCheckFailed;
  }
  return kFine;
}

}  // namespace
}  // namespace aclnn_cpu_tool

int main(int argc, char** argv) { return aclnn_cpu_tool::Main(argc, argv); }
