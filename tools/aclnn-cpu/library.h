#ifndef ACLNN_CPU_TOOLS_LIBRARY_H_
#define ACLNN_CPU_TOOLS_LIBRARY_H_

#include <nlohmann/json.hpp>

namespace aclnn_cpu_tool {

// Order of keys as the library wrote them.
using Json = nlohmann::ordered_json;

// What the library says about a topic of aclnn_cpu_describe(). Throws std::runtime_error if it
// cannot answer.
Json AskLibrary(const char* topic);

}  // namespace aclnn_cpu_tool

#endif  // ACLNN_CPU_TOOLS_LIBRARY_H_
