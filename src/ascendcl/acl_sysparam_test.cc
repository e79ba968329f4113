// System parameters: contract.md 5.3, rows "aclrtCtxSetSysParamOpt" and "aclrtCtxGetSysParamOpt".

#include <gtest/gtest.h>

#include "acl/acl.h"
#include "ascendcl/work_for_test.h"

namespace aclnn_cpu {
namespace {

struct OptRange {
  aclSysParamOpt opt;
  int64_t max_value;
};
constexpr OptRange kContextOpts[] = {
    {ACL_OPT_DETERMINISTIC, 3}, {ACL_OPT_ENABLE_DEBUG_KERNEL, 1}, {ACL_OPT_STRONG_CONSISTENCY, 1}};

aclSysParamOpt Opt(int number) { return static_cast<aclSysParamOpt>(number); }

TEST(SysParam, ContextKeepsWhatWasSet) {
  const DeviceForTest device;
  for (const OptRange& row : kContextOpts) {
    int64_t value = 77;
    EXPECT_EQ(aclrtCtxGetSysParamOpt(row.opt, &value), ACL_ERROR_RT_SYSPARAMOPT_NOT_SET);
    EXPECT_EQ(value, 77);
    for (int64_t wanted = 0; wanted <= row.max_value; ++wanted) {
      EXPECT_EQ(aclrtCtxSetSysParamOpt(row.opt, wanted), ACL_SUCCESS);
      EXPECT_EQ(aclrtCtxGetSysParamOpt(row.opt, &value), ACL_SUCCESS);
      EXPECT_EQ(value, wanted);
    }
  }
}

TEST(SysParam, EachContextHasItsOwn) {
  const DeviceForTest device;
  ASSERT_EQ(aclrtCtxSetSysParamOpt(ACL_OPT_DETERMINISTIC, 1), ACL_SUCCESS);
  aclrtContext other = nullptr;
  ASSERT_EQ(aclrtCreateContext(&other, 0), ACL_SUCCESS);
  int64_t value = 0;
  EXPECT_EQ(aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value),
            ACL_ERROR_RT_SYSPARAMOPT_NOT_SET);
  EXPECT_EQ(aclrtDestroyContext(other), ACL_SUCCESS);
}

TEST(SysParam, ContextCallsCheckOptThenValueThenContext) {
  int64_t value = 0;
  for (int opt : {-1, 3, 4}) {
    EXPECT_EQ(aclrtCtxSetSysParamOpt(Opt(opt), -1), ACL_ERROR_INVALID_PARAM) << opt;
    EXPECT_EQ(aclrtCtxGetSysParamOpt(Opt(opt), &value), ACL_ERROR_INVALID_PARAM) << opt;
  }
  for (const OptRange& row : kContextOpts) {
    EXPECT_EQ(aclrtCtxSetSysParamOpt(row.opt, -1), ACL_ERROR_RT_PARAM_INVALID);
    EXPECT_EQ(aclrtCtxSetSysParamOpt(row.opt, row.max_value + 1), ACL_ERROR_RT_PARAM_INVALID);
    EXPECT_EQ(aclrtCtxSetSysParamOpt(row.opt, INT64_MAX), ACL_ERROR_RT_PARAM_INVALID);
    EXPECT_EQ(aclrtCtxSetSysParamOpt(row.opt, 0), ACL_ERROR_RT_CONTEXT_NULL);
    EXPECT_EQ(aclrtCtxGetSysParamOpt(row.opt, &value), ACL_ERROR_RT_CONTEXT_NULL);
    EXPECT_EQ(aclrtCtxGetSysParamOpt(row.opt, nullptr), ACL_ERROR_INVALID_PARAM);
  }
}

TEST(SysParam, ProcessHasOneMoreOptAndNeedsNoContext) {
  int64_t value = 0;
  for (int opt = 0; opt <= 3; ++opt) {
    const int64_t max_value = opt == ACL_OPT_DETERMINISTIC ? 3 : 1;
    EXPECT_EQ(aclrtGetSysParamOpt(Opt(opt), nullptr), ACL_ERROR_INVALID_PARAM);
    EXPECT_EQ(aclrtSetSysParamOpt(Opt(opt), -1), ACL_ERROR_RT_PARAM_INVALID);
    EXPECT_EQ(aclrtSetSysParamOpt(Opt(opt), max_value + 1), ACL_ERROR_RT_PARAM_INVALID);
    EXPECT_EQ(aclrtGetSysParamOpt(Opt(opt), &value), ACL_ERROR_RT_SYSPARAMOPT_NOT_SET);
    EXPECT_EQ(aclrtSetSysParamOpt(Opt(opt), max_value), ACL_SUCCESS);
    EXPECT_EQ(aclrtGetSysParamOpt(Opt(opt), &value), ACL_SUCCESS);
    EXPECT_EQ(value, max_value);
  }
  for (int opt : {-1, 4}) {
    EXPECT_EQ(aclrtSetSysParamOpt(Opt(opt), 0), ACL_ERROR_INVALID_PARAM);
    EXPECT_EQ(aclrtGetSysParamOpt(Opt(opt), &value), ACL_ERROR_INVALID_PARAM);
  }
}

}  // namespace
}  // namespace aclnn_cpu
