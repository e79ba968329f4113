#ifndef ACLNN_CPU_TESTS_CONFORMANCE_API_SCENARIOS_H_
#define ACLNN_CPU_TESTS_CONFORMANCE_API_SCENARIOS_H_

#include <set>
#include <string>

#include "acl/acl.h"
#include "op_case.h"

namespace conformance {

// What an API case expects. Remembers which keys the scenario has looked at: all must be.
class Expectation {
 public:
  explicit Expectation(const Json& json) : json_(json) {}

  const Json& operator[](const std::string& key) {
    read_.insert(key);
    return json_.at(key);
  }
  bool AllRead() const { return read_.size() == json_.size(); }

 private:
  const Json& json_;
  std::set<std::string> read_;
};

// Carries out the scenario of an API case; false if the runner does not know the id. A device is
// set, and `stream` belongs to it.
bool RunApiScenario(const std::string& id, Expectation* expected, aclrtStream stream);

}  // namespace conformance

#endif  // ACLNN_CPU_TESTS_CONFORMANCE_API_SCENARIOS_H_
