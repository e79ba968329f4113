#include "library.h"

#include <stdexcept>
#include <string>
#include <vector>

#include "opapi/describe.h"

namespace aclnn_cpu_tool {

Json AskLibrary(const char* topic) {
  std::vector<char> buffer(aclnn_cpu_describe(topic, nullptr, 0));
  if (buffer.empty() || aclnn_cpu_describe(topic, buffer.data(), buffer.size()) > buffer.size()) {
    throw std::runtime_error(std::string("the library does not answer about ") + topic);
  }
  return Json::parse(buffer.data());
}

}  // namespace aclnn_cpu_tool
