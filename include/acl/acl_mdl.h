/// Model loading and execution (aclmdl*): not offered by aclnn-cpu.
///
/// The header exists because CANN has one of this name and programs include it. It declares
/// nothing, so a program that needs such a function fails to compile instead of failing when run.

#ifndef INC_EXTERNAL_ACL_ACL_MODEL_H_
#define INC_EXTERNAL_ACL_ACL_MODEL_H_

#include "acl_base.h"

#endif  // INC_EXTERNAL_ACL_ACL_MODEL_H_
