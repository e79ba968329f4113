#ifndef ACLNN_CPU_TESTS_CONFORMANCE_OP_CALL_H_
#define ACLNN_CPU_TESTS_CONFORMANCE_OP_CALL_H_

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "acl/acl.h"
#include "aclnn/acl_meta.h"
#include "op_case.h"

namespace conformance {

// Device memory; throws std::runtime_error where a call of the runtime fails.
class DeviceBuffer {
 public:
  explicit DeviceBuffer(size_t bytes);
  ~DeviceBuffer();
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;

  std::byte* data() const { return static_cast<std::byte*>(data_); }
  void Write(const std::vector<std::byte>& bytes);
  std::vector<std::byte> Read() const;

 private:
  void* data_ = nullptr;
  size_t bytes_ = 0;
};

// A tensor of a case in device memory, with a guard band on either side of its storage.
class CaseTensor {
 public:
  explicit CaseTensor(const TensorSpec& spec);

  aclTensor* get() const { return tensor_.get(); }
  void* data() const;
  const TensorSpec& spec() const { return spec_; }

  // The whole allocation, guard bands included: before the call, and now.
  const std::vector<std::byte>& before() const { return before_; }
  std::vector<std::byte> Now() const { return buffer_.Read(); }

  // Replaces the value of every storage element.
  void Fill(double value);

  // Position of a storage element in the allocation.
  size_t PositionOf(size_t element) const;
  // Values of the view, row-major, out of a copy of the allocation.
  std::vector<double> ViewOf(const std::vector<std::byte>& allocation) const;

  // Makes a new aclTensor for the same memory (the old one is destroyed).
  void Recreate();

 private:
  struct Destroy {
    void operator()(aclTensor* tensor) const { aclDestroyTensor(tensor); }
  };

  TensorSpec spec_;
  std::vector<std::byte> before_;
  DeviceBuffer buffer_;
  std::unique_ptr<aclTensor, Destroy> tensor_;
};

// The two phases of a case's operator on freshly made arguments.
class OpCall {
 public:
  explicit OpCall(const OpCase& op_case);

  aclnnStatus PhaseOne(uint64_t* workspace_size, aclOpExecutor** executor);
  aclnnStatus PhaseTwo(void* workspace, uint64_t workspace_size, aclOpExecutor* executor,
                       aclrtStream stream);

  // Both phases and the synchronisation, with a workspace of the size asked for whose content is
  // garbage. Returns the first code that is not 0.
  aclnnStatus Run(aclrtStream stream);

  // nullptr where the case passes null.
  CaseTensor* tensor(const std::string& name);

 private:
  aclTensor* raw(const std::string& name);

  const OpCase& case_;
  std::map<std::string, std::unique_ptr<CaseTensor>> tensors_;
};

}  // namespace conformance

#endif  // ACLNN_CPU_TESTS_CONFORMANCE_OP_CALL_H_
