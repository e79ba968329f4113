/// Start and end of the operator library. Both are optional: operators work without, and next to
/// aclInit(). C and C++.

#ifndef OP_API_OP_API_COMMON_INC_EXTERNAL_ACLNN_BASE_H
#define OP_API_OP_API_COMMON_INC_EXTERNAL_ACLNN_BASE_H

#include "aclnn/acl_meta.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Does nothing, any number of times, from any thread.
///
/// @param configPath null or the path of a configuration; a bad path is no error, its contents have
///   no effect
/// @return 0 (source: CANN's code)
ACL_FUNC_VISIBILITY aclnnStatus aclnnInit(const char* configPath);

/// Does nothing, any number of times, from any thread. Tensors and executors stay usable.
///
/// @return 0 (source: CANN's code)
ACL_FUNC_VISIBILITY aclnnStatus aclnnFinalize(void);

#ifdef __cplusplus
}
#endif

#endif  // OP_API_OP_API_COMMON_INC_EXTERNAL_ACLNN_BASE_H
