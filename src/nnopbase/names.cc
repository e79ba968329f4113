// What the values of aclDataType and aclFormat are called, in messages and elsewhere.
#include <algorithm>
#include <span>

#include "nnopbase/checks.h"
#include "nnopbase/tensor.h"

namespace aclnn_cpu {
namespace {

struct DtypeRow {
  aclDataType dtype;
  const char* name;
};

constexpr DtypeRow kDtypes[] = {
    {ACL_DT_UNDEFINED, "UNDEFINED"},
    {ACL_FLOAT, "FLOAT"},
    {ACL_FLOAT16, "FLOAT16"},
    {ACL_INT8, "INT8"},
    {ACL_INT32, "INT32"},
    {ACL_UINT8, "UINT8"},
    {ACL_INT16, "INT16"},
    {ACL_UINT16, "UINT16"},
    {ACL_UINT32, "UINT32"},
    {ACL_INT64, "INT64"},
    {ACL_UINT64, "UINT64"},
    {ACL_DOUBLE, "DOUBLE"},
    {ACL_BOOL, "BOOL"},
    {ACL_STRING, "STRING"},
    {ACL_COMPLEX64, "COMPLEX64"},
    {ACL_COMPLEX128, "COMPLEX128"},
    {ACL_BF16, "BFLOAT16"},
    {ACL_INT4, "INT4"},
    {ACL_UINT1, "UINT1"},
    {ACL_COMPLEX32, "COMPLEX32"},
    {ACL_HIFLOAT8, "HIFLOAT8"},
    {ACL_FLOAT8_E5M2, "FLOAT8_E5M2"},
    {ACL_FLOAT8_E4M3FN, "FLOAT8_E4M3FN"},
    {ACL_FLOAT8_E8M0, "FLOAT8_E8M0"},
    {ACL_FLOAT6_E3M2, "FLOAT6_E3M2"},
    {ACL_FLOAT6_E2M3, "FLOAT6_E2M3"},
    {ACL_FLOAT4_E2M1, "FLOAT4_E2M1"},
    {ACL_FLOAT4_E1M2, "FLOAT4_E1M2"},
};

struct FormatRow {
  aclFormat format;
  const char* name;
  bool is_private;  // a blocked layout of the NPU, which callers cannot describe by strides
};

constexpr FormatRow kFormats[] = {
    {ACL_FORMAT_UNDEFINED, "UNDEFINED", false},
    {ACL_FORMAT_NCHW, "NCHW", false},
    {ACL_FORMAT_NHWC, "NHWC", false},
    {ACL_FORMAT_ND, "ND", false},
    {ACL_FORMAT_NC1HWC0, "NC1HWC0", true},
    {ACL_FORMAT_FRACTAL_Z, "FRACTAL_Z", true},
    {ACL_FORMAT_NC1HWC0_C04, "NC1HWC0_C04", true},
    {ACL_FORMAT_HWCN, "HWCN", false},
    {ACL_FORMAT_NDHWC, "NDHWC", false},
    {ACL_FORMAT_FRACTAL_NZ, "FRACTAL_NZ", true},
    {ACL_FORMAT_NCDHW, "NCDHW", false},
    {ACL_FORMAT_NDC1HWC0, "NDC1HWC0", true},
    {ACL_FRACTAL_Z_3D, "FRACTAL_Z_3D", true},
    {ACL_FORMAT_NC, "NC", false},
    {ACL_FORMAT_NCL, "NCL", false},
    {ACL_FORMAT_FRACTAL_NZ_C0_16, "FRACTAL_NZ_C0_16", true},
    {ACL_FORMAT_FRACTAL_NZ_C0_32, "FRACTAL_NZ_C0_32", true},
    {ACL_FORMAT_FRACTAL_NZ_C0_2, "FRACTAL_NZ_C0_2", true},
    {ACL_FORMAT_FRACTAL_NZ_C0_4, "FRACTAL_NZ_C0_4", true},
    {ACL_FORMAT_FRACTAL_NZ_C0_8, "FRACTAL_NZ_C0_8", true},
};

const DtypeRow* FindDtype(aclDataType dtype) {
  const auto* row =
      std::find_if(std::begin(kDtypes), std::end(kDtypes),
                   [dtype](const DtypeRow& candidate) { return candidate.dtype == dtype; });
  return row == std::end(kDtypes) ? nullptr : row;
}

const FormatRow* FindFormat(aclFormat format) {
  const auto* row =
      std::find_if(std::begin(kFormats), std::end(kFormats),
                   [format](const FormatRow& candidate) { return candidate.format == format; });
  return row == std::end(kFormats) ? nullptr : row;
}

}  // namespace

int64_t DtypeBytes(aclDataType dtype) { return static_cast<int64_t>(aclDataTypeSize(dtype)); }

bool IsKnownDtype(aclDataType dtype) { return FindDtype(dtype) != nullptr; }

std::string DtypeName(aclDataType dtype) {
  const DtypeRow* row = FindDtype(dtype);
  return row != nullptr ? row->name : fmt::format("dtype {}", static_cast<int>(dtype));
}

std::string FormatName(aclFormat format) {
  const FormatRow* row = FindFormat(format);
  return row != nullptr ? row->name : fmt::format("format {}", static_cast<int>(format));
}

bool IsPrivateFormat(aclFormat format) {
  const FormatRow* row = FindFormat(format);
  return row != nullptr && row->is_private;
}

}  // namespace aclnn_cpu
