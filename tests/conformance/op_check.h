#ifndef ACLNN_CPU_TESTS_CONFORMANCE_OP_CHECK_H_
#define ACLNN_CPU_TESTS_CONFORMANCE_OP_CHECK_H_

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "acl/acl.h"
#include "op_case.h"

namespace conformance {

// The whole allocation of every output after a call, by name.
using OutputBytes = std::map<std::string, std::vector<std::byte>>;

// Runs a case once; throws std::runtime_error if it does not succeed.
OutputBytes RunForBytes(const OpCase& op_case, aclrtStream stream);

// Runs a case as often as it says, checks all that it expects (GoogleTest expectations), and that
// inputs, guard bands and everything without an expectation stay as they were.
void CheckOpCase(const OpCase& op_case, aclrtStream stream);

// RunForBytes() in a process of its own with this value of ACLNN_CPU_NUM_THREADS.
OutputBytes RunInChild(const OpCase& op_case, int threads);

// What that process does: called by main() for the arguments of RunInChild().
int ChildMain(const std::string& id);

}  // namespace conformance

#endif  // ACLNN_CPU_TESTS_CONFORMANCE_OP_CHECK_H_
