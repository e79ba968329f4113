// Functions that exist for programs which call them and have nothing to do on a CPU.
#include <unistd.h>

#include "aclnn/aclnn_base.h"
#include "aclnn/opdev/op_errno.h"
#include "ascendcl/api_call.h"
#include "base/log.h"
#include "nnopbase/arguments.h"

using aclnn_cpu::AclnnCall;
using aclnn_cpu::Status;

extern "C" {

aclnnStatus aclnnInit(const char* configPath) {
  return AclnnCall(__func__, [&] {
    if (configPath != nullptr && *configPath != '\0' && access(configPath, R_OK) != 0) {
      aclnn_cpu::Log(aclnn_cpu::LogModule::kOp, aclnn_cpu::LogLevel::kWarning,
                     "aclnnInit: configPath {} cannot be read and is ignored", configPath);
    }
    return Status();
  });
}

aclnnStatus aclnnFinalize(void) { return ACLNN_SUCCESS; }

aclnnStatus aclDumpOpTensors(const char* opType, const char* opName, aclTensor** tensors, size_t,
                             size_t, aclrtStream stream) {
  return AclnnCall(__func__, [&] {
    return aclnn_cpu::RequirePointers(
        ACLNN_ERR_PARAM_NULLPTR,
        {{"opType", opType}, {"opName", opName}, {"tensors", tensors}, {"stream", stream}});
  });
}

// Looked up by name by frameworks; no header declares them. They would choose where a thread takes
// its workspace from.
ACL_FUNC_VISIBILITY int InitHugeMemThreadLocal(void*, bool) { return 0; }
ACL_FUNC_VISIBILITY void UnInitHugeMemThreadLocal(void*, bool) {}
ACL_FUNC_VISIBILITY void ReleaseHugeMem(void*, bool) {}

}  // extern "C"
