/// Types, enumerations and return codes shared by all AscendCL headers. C and C++.
///
/// The contents live in the headers below; a program that includes acl/acl_base.h gets all of
/// them, as on CANN.

#ifndef INC_EXTERNAL_ACL_ACL_BASE_H_
#define INC_EXTERNAL_ACL_ACL_BASE_H_

#include "acl_base_mdl.h"
#include "acl_base_rt.h"
#include "error_codes/ge_error_codes.h"
#include "error_codes/rt_error_codes.h"

#endif  // INC_EXTERNAL_ACL_ACL_BASE_H_
