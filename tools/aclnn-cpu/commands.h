#ifndef ACLNN_CPU_TOOLS_COMMANDS_H_
#define ACLNN_CPU_TOOLS_COMMANDS_H_

#include <stdexcept>
#include <string>

namespace aclnn_cpu_tool {

// Exit codes, the same for every command.
inline constexpr int kFine = 0;
inline constexpr int kCheckFailed = 1;
inline constexpr int kBadArguments = 2;

// Arguments that parse and do not make sense: printed, exit code kBadArguments.
class BadArguments : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct InfoOptions {
  bool env = false;   // all environment variables, not only those that are set
  bool json = false;  // everything, as JSON
};
void PrintInfo(const InfoOptions& options);

struct SupportOptions {
  std::string op;             // stem or aclnn name; empty: all
  std::string soc;            // short or long name; empty: all
  std::string format = "md";  // or "json"
};
void PrintSupport(const SupportOptions& options);

}  // namespace aclnn_cpu_tool

#endif  // ACLNN_CPU_TOOLS_COMMANDS_H_
