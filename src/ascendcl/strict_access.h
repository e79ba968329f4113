#ifndef ACLNN_CPU_ASCENDCL_STRICT_ACCESS_H_
#define ACLNN_CPU_ASCENDCL_STRICT_ACCESS_H_

#include "ascendcl/strict_state.h"

namespace aclnn_cpu {

class FindingList;

// aclrtFree and aclrtFreeHost: an access of the host to all of it. Needs the state's mutex.
void CheckFree(StrictState& state, MemoryRecord& record, const char* api, const char* argument,
               FindingList& findings);

}  // namespace aclnn_cpu

#endif  // ACLNN_CPU_ASCENDCL_STRICT_ACCESS_H_
