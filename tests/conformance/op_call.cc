#include "op_call.h"

#include <stdexcept>

#include "aclnnop/aclnn_adaptive_avg_pool2d_backward.h"
#include "aclnnop/aclnn_grid_sampler3d_backward.h"

namespace conformance {
namespace {

// Bytes before and after each storage; a multiple of the alignment of device memory.
constexpr size_t kGuardBytes = 256;
constexpr std::byte kGuard{0xA5};

void Require(int code, const char* call) {
  if (code != 0) {
    const char* details = aclGetRecentErrMsg();
    throw std::runtime_error(std::string(call) + " returned " + std::to_string(code) + ": " +
                             (details != nullptr ? details : ""));
  }
}

std::vector<std::byte> InitialBytes(const TensorSpec& spec) {
  const size_t element = spec.type->bytes;
  std::vector<std::byte> bytes(spec.storage.size() * element + 2 * kGuardBytes, kGuard);
  for (size_t i = 0; i < spec.storage.size(); ++i) {
    Encode(*spec.type, spec.storage[i], &bytes[kGuardBytes + i * element]);
  }
  return bytes;
}

}  // namespace

DeviceBuffer::DeviceBuffer(size_t bytes) : bytes_(bytes) {
  Require(aclrtMalloc(&data_, bytes, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
}

DeviceBuffer::~DeviceBuffer() { aclrtFree(data_); }

void DeviceBuffer::Write(const std::vector<std::byte>& bytes) {
  Require(aclrtMemcpy(data_, bytes_, bytes.data(), bytes.size(), ACL_MEMCPY_HOST_TO_DEVICE),
          "aclrtMemcpy");
}

std::vector<std::byte> DeviceBuffer::Read() const {
  std::vector<std::byte> bytes(bytes_);
  Require(aclrtMemcpy(bytes.data(), bytes_, data_, bytes_, ACL_MEMCPY_DEVICE_TO_HOST),
          "aclrtMemcpy");
  return bytes;
}

CaseTensor::CaseTensor(const TensorSpec& spec)
    : spec_(spec), before_(InitialBytes(spec)), buffer_(before_.size()) {
  buffer_.Write(before_);
  Recreate();
}

void* CaseTensor::data() const { return buffer_.data() + kGuardBytes; }

void CaseTensor::Fill(double value) {
  spec_.storage.assign(spec_.storage.size(), value);
  before_ = InitialBytes(spec_);
  buffer_.Write(before_);
}

size_t CaseTensor::PositionOf(size_t element) const {
  return kGuardBytes + element * spec_.type->bytes;
}

std::vector<double> CaseTensor::ViewOf(const std::vector<std::byte>& allocation) const {
  std::vector<double> values;
  ForEachElement(spec_, [&](size_t element) {
    values.push_back(Decode(*spec_.type, &allocation[PositionOf(element)]));
  });
  return values;
}

void CaseTensor::Recreate() {
  tensor_.reset(aclCreateTensor(spec_.shape.data(), spec_.shape.size(), spec_.type->type,
                                spec_.strides.data(), spec_.offset, spec_.format,
                                spec_.storage_shape.data(), spec_.storage_shape.size(), data()));
  if (tensor_ == nullptr) {
    throw std::runtime_error("aclCreateTensor returned null");
  }
}

OpCall::OpCall(const OpCase& op_case) : case_(op_case) {
  for (const auto& [name, spec] : op_case.tensors) {
    tensors_[name] = spec.has_value() ? std::make_unique<CaseTensor>(*spec) : nullptr;
  }
}

CaseTensor* OpCall::tensor(const std::string& name) { return tensors_.at(name).get(); }

aclTensor* OpCall::raw(const std::string& name) {
  CaseTensor* found = tensor(name);
  return found != nullptr ? found->get() : nullptr;
}

aclnnStatus OpCall::PhaseOne(uint64_t* workspace_size, aclOpExecutor** executor) {
  if (case_.op == kPool) {
    return aclnnAdaptiveAvgPool2dBackwardGetWorkspaceSize(raw("gradOutput"), raw("self"),
                                                          raw("out"), workspace_size, executor);
  }
  aclBoolArray* mask = nullptr;
  if (case_.output_mask.has_value()) {
    // A vector<bool> has no array of bool inside.
    const auto values = std::make_unique<bool[]>(case_.output_mask->size());
    std::copy(case_.output_mask->begin(), case_.output_mask->end(), values.get());
    mask = aclCreateBoolArray(values.get(), case_.output_mask->size());
  }
  const aclnnStatus status = aclnnGridSampler3DBackwardGetWorkspaceSize(
      raw("gradOutput"), raw("input"), raw("grid"), case_.interpolation_mode, case_.padding_mode,
      case_.align_corners, mask, raw("inputGrad"), raw("gridGrad"), workspace_size, executor);
  aclDestroyBoolArray(mask);
  return status;
}

aclnnStatus OpCall::PhaseTwo(void* workspace, uint64_t workspace_size, aclOpExecutor* executor,
                             aclrtStream stream) {
  const auto phase_two =
      case_.op == kPool ? aclnnAdaptiveAvgPool2dBackward : aclnnGridSampler3DBackward;
  return phase_two(workspace, workspace_size, executor, stream);
}

aclnnStatus OpCall::Run(aclrtStream stream) {
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  if (const aclnnStatus status = PhaseOne(&size, &executor); status != 0) {
    return status;
  }
  std::unique_ptr<DeviceBuffer> workspace;
  if (size > 0) {
    workspace = std::make_unique<DeviceBuffer>(size);
    workspace->Write(std::vector<std::byte>(size, std::byte{0xFF}));  // NaN in every dtype
  }
  void* address = workspace != nullptr ? workspace->data() : nullptr;
  if (const aclnnStatus status = PhaseTwo(address, size, executor, stream); status != 0) {
    return status;
  }
  return aclrtSynchronizeStream(stream);
}

}  // namespace conformance
