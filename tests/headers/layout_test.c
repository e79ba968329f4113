/* Values, types and prototypes of the public headers as C sees them. The constants are objects in
   C, not constant expressions, so their values are compared when the program runs. */

#include <stdio.h>

#include "acl/acl.h"
#include "aclnn/opdev/op_errno.h"
#include "aclnnop/aclnn_adaptive_avg_pool2d_backward.h"
#include "aclnnop/aclnn_grid_sampler3d_backward.h"
#include "expected_prototypes.inc"

static int failures = 0;

static void ExpectValue(const char* name, long found, long expected) {
  if (found != expected) {
    printf("%s is %ld, must be %ld\n", name, found, expected);
    ++failures;
  }
}

static const char* Describe(aclError code) {
  switch (code) {
    case ACL_ERROR_RT_PARAM_INVALID:
      return "invalid";
    case ACLNN_ERR_PARAM_NULLPTR:
      return "null";
    default:
      return "other";
  }
}

int main(void) {
#define EXPECT_VALUE(name, value) ExpectValue(#name, (long)(name), (long)(value));
#include "expected_values.inc"
#undef EXPECT_VALUE
  ExpectValue("sizeof(aclDataType)", (long)sizeof(aclDataType), (long)sizeof(int));
  ExpectValue("sizeof(aclFormat)", (long)sizeof(aclFormat), (long)sizeof(int));
  ExpectValue("sizeof(aclCANNPackageVersion)", (long)sizeof(aclCANNPackageVersion), 512);
  ExpectValue("Describe(107000)", Describe(107000)[0], 'i');
  ExpectValue("Describe(161001)", Describe(161001)[0], 'n');
  printf("%d wrong\n", failures);
  return failures == 0 ? 0 : 1;
}
