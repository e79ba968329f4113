/// Umbrella header of the AscendCL runtime: everything a host program needs except the operators,
/// which have a header of their own each, under aclnnop/. C and C++.
///
/// The parts are found beside this file, so both -I <prefix>/include with "acl/acl.h" and
/// -I <prefix>/include/acl with "acl.h" work.

#ifndef INC_EXTERNAL_ACL_ACL_H_
#define INC_EXTERNAL_ACL_ACL_H_

#include "acl_mdl.h"
#include "acl_op.h"
#include "acl_rt.h"

#endif  // INC_EXTERNAL_ACL_ACL_H_
