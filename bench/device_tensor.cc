#include "bench/device_tensor.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <random>

#include "aclnn/aclnn_base.h"
#include "bench/floor.h"

namespace bench {
namespace {

void CheckOk(int code, const char* what) {
  if (code == 0) return;
  std::fprintf(stderr, "%s: %d %s\n", what, code, aclGetRecentErrMsg());
  std::exit(1);
}

// Rounds toward zero, which does for test values.
uint16_t ToBFloat16(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return static_cast<uint16_t>(bits >> 16);
}

}  // namespace

size_t BytesOf(Dtype dtype) { return dtype == Dtype::kDouble ? 8 : dtype == Dtype::kFloat ? 4 : 2; }

aclDataType AclDtype(Dtype dtype) {
  switch (dtype) {
    case Dtype::kFloat16:
      return ACL_FLOAT16;
    case Dtype::kBFloat16:
      return ACL_BF16;
    case Dtype::kDouble:
      return ACL_DOUBLE;
    case Dtype::kFloat:
      break;
  }
  return ACL_FLOAT;
}

const char* NameOf(Dtype dtype) {
  switch (dtype) {
    case Dtype::kFloat16:
      return "f16";
    case Dtype::kBFloat16:
      return "bf16";
    case Dtype::kDouble:
      return "f64";
    case Dtype::kFloat:
      break;
  }
  return "f32";
}

DeviceTensor::DeviceTensor(Dtype dtype, std::vector<int64_t> shape, std::vector<int64_t> strides)
    : dtype_(dtype), shape_(std::move(shape)), strides_(std::move(strides)) {
  if (strides_.empty()) {
    strides_.resize(shape_.size());
    int64_t stride = 1;
    for (size_t axis = shape_.size(); axis-- > 0;) {
      strides_[axis] = stride;
      stride *= shape_[axis];
    }
  }
  int64_t elements = 1;
  for (size_t axis = 0; axis < shape_.size(); ++axis) {
    elements += (shape_[axis] - 1) * strides_[axis];
  }
  bytes_ = static_cast<size_t>(elements) * BytesOf(dtype);
  void* memory = nullptr;
  CheckOk(aclrtMalloc(&memory, bytes_, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
  data_ = static_cast<std::byte*>(memory);
  std::memset(data_, 0, bytes_);
  acl_ = aclCreateTensor(shape_.data(), shape_.size(), AclDtype(dtype), strides_.data(), 0,
                         ACL_FORMAT_ND, &elements, 1, data_);
  if (acl_ == nullptr) CheckOk(1, "aclCreateTensor");
}

DeviceTensor::~DeviceTensor() {
  aclDestroyTensor(acl_);
  aclrtFree(data_);
}

void DeviceTensor::Touch() const { bench::Touch(data_, bytes_); }

void DeviceTensor::Fill(const std::function<double(int64_t)>& value) {
  const int64_t elements = static_cast<int64_t>(bytes_ / BytesOf(dtype_));
  for (int64_t i = 0; i < elements; ++i) {
    const double v = value(i);
    if (dtype_ == Dtype::kDouble) {
      reinterpret_cast<double*>(data_)[i] = v;
    } else if (dtype_ == Dtype::kFloat) {
      reinterpret_cast<float*>(data_)[i] = static_cast<float>(v);
    } else {
      reinterpret_cast<uint16_t*>(data_)[i] = dtype_ == Dtype::kFloat16
                                                  ? aclFloatToFloat16(static_cast<float>(v))
                                                  : ToBFloat16(static_cast<float>(v));
    }
  }
}

void DeviceTensor::FillUniform(double low, double high, uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::uniform_real_distribution<double> uniform(low, high);
  Fill([&](int64_t) { return uniform(engine); });
}

Caller::Caller() { CheckOk(aclrtCreateStream(&stream_), "aclrtCreateStream"); }

Caller::~Caller() {
  aclrtDestroyStream(stream_);
  if (workspace_ != nullptr) aclrtFree(workspace_);
}

void Caller::Reserve(uint64_t bytes) {
  if (bytes <= workspace_bytes_) return;
  if (workspace_ != nullptr) aclrtFree(workspace_);
  CheckOk(aclrtMalloc(&workspace_, bytes, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
  workspace_bytes_ = bytes;
}

void Caller::Call(const PhaseOne& phase_one, PhaseTwo phase_two) {
  uint64_t bytes = 0;
  aclOpExecutor* executor = nullptr;
  CheckOk(phase_one(&bytes, &executor), "phase one");
  Reserve(bytes);
  CheckOk(phase_two(workspace_, bytes, executor, stream_), "phase two");
  CheckOk(aclrtSynchronizeStream(stream_), "aclrtSynchronizeStream");
}

aclOpExecutor* Caller::Prepare(const PhaseOne& phase_one) {
  uint64_t bytes = 0;
  aclOpExecutor* executor = nullptr;
  CheckOk(phase_one(&bytes, &executor), "phase one");
  CheckOk(aclSetAclOpExecutorRepeatable(executor), "aclSetAclOpExecutorRepeatable");
  Reserve(bytes);
  return executor;
}

void Caller::Repeat(aclOpExecutor* executor, PhaseTwo phase_two) {
  CheckOk(phase_two(workspace_, workspace_bytes_, executor, stream_), "phase two");
  CheckOk(aclrtSynchronizeStream(stream_), "aclrtSynchronizeStream");
}

}  // namespace bench
