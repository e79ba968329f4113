#ifndef ACLNN_CPU_BENCH_DEVICE_TENSOR_H_
#define ACLNN_CPU_BENCH_DEVICE_TENSOR_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "acl/acl.h"
#include "aclnn/acl_meta.h"
#include "bench/torch_peer.h"

namespace bench {

size_t BytesOf(Dtype dtype);
aclDataType AclDtype(Dtype dtype);
const char* NameOf(Dtype dtype);

// Device memory with an aclTensor on it, as a caller of the library has. Zero at first.
class DeviceTensor {
 public:
  // `strides` in elements; empty: row-major.
  DeviceTensor(Dtype dtype, std::vector<int64_t> shape, std::vector<int64_t> strides = {});
  ~DeviceTensor();
  DeviceTensor(const DeviceTensor&) = delete;
  DeviceTensor& operator=(const DeviceTensor&) = delete;

  aclTensor* acl() const { return acl_; }
  std::byte* data() const { return data_; }
  size_t bytes() const { return bytes_; }
  PeerTensor peer() const { return {data_, dtype_, shape_, strides_}; }
  void Touch() const;

  // Element i of the memory becomes value(i), rounded to the dtype.
  void Fill(const std::function<double(int64_t)>& value);
  void FillUniform(double low, double high, uint64_t seed);

 private:
  Dtype dtype_;
  std::vector<int64_t> shape_;
  std::vector<int64_t> strides_;
  size_t bytes_ = 0;
  std::byte* data_ = nullptr;
  aclTensor* acl_ = nullptr;
};

// A workspace and stream for calls in a loop. Ends the process with a message if a call fails.
class Caller {
 public:
  Caller();
  ~Caller();
  Caller(const Caller&) = delete;
  Caller& operator=(const Caller&) = delete;

  // Phase one, phase two, synchronise.
  using PhaseOne = std::function<aclnnStatus(uint64_t*, aclOpExecutor**)>;
  using PhaseTwo = aclnnStatus (*)(void*, uint64_t, aclOpExecutor*, aclrtStream);
  void Call(const PhaseOne& phase_one, PhaseTwo phase_two);

  // The same in two parts, with an executor that is used again and again.
  aclOpExecutor* Prepare(const PhaseOne& phase_one);
  void Repeat(aclOpExecutor* executor, PhaseTwo phase_two);

 private:
  void Reserve(uint64_t bytes);

  aclrtStream stream_ = nullptr;
  void* workspace_ = nullptr;
  uint64_t workspace_bytes_ = 0;
};

}  // namespace bench

#endif  // ACLNN_CPU_BENCH_DEVICE_TENSOR_H_
