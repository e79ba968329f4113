#include "ascendcl/copy_work.h"

#include <array>
#include <cstring>

namespace aclnn_cpu {
namespace {

// What one core moves, about 10 GB/s.
constexpr double kBytesPerMicrosecond = 10'000;

MemoryAccess Bytes(const char* argument, const void* address, size_t count, bool is_write) {
  return MemoryAccess{argument, address, StridedView{{static_cast<int64_t>(count)}, {1}},
                      /*element_bytes=*/1, is_write};
}

class CopyWork final : public Work {
 public:
  CopyWork(void* dst, const void* src, size_t count)
      : dst_(dst),
        src_(src),
        count_(count),
        accesses_{Bytes("src", src, count, false), Bytes("dst", dst, count, true)} {}

  Status Run() override {
    std::memmove(dst_, src_, count_);
    return Status();
  }
  const char* Api() const override { return "aclrtMemcpyAsync"; }
  std::span<const MemoryAccess> Accesses() const override { return accesses_; }
  void UseTwins(Twin twin) override {
    dst_ = twin(dst_);
    src_ = twin(src_);
  }
  double EstimatedMicroseconds() const override {
    return static_cast<double>(count_) / kBytesPerMicrosecond;
  }

 private:
  void* dst_;
  const void* src_;
  const size_t count_;
  const std::array<MemoryAccess, 2> accesses_;
};

class FillWork final : public Work {
 public:
  FillWork(void* dst, int32_t value, size_t count)
      : dst_(dst), value_(value), count_(count), access_{Bytes("devPtr", dst, count, true)} {}

  Status Run() override {
    std::memset(dst_, value_, count_);
    return Status();
  }
  const char* Api() const override { return "aclrtMemsetAsync"; }
  std::span<const MemoryAccess> Accesses() const override { return access_; }
  void UseTwins(Twin twin) override { dst_ = twin(dst_); }
  double EstimatedMicroseconds() const override {
    return static_cast<double>(count_) / kBytesPerMicrosecond;
  }

 private:
  void* dst_;
  const int32_t value_;
  const size_t count_;
  const std::array<MemoryAccess, 1> access_;
};

}  // namespace

std::unique_ptr<Work> MakeCopyWork(void* dst, const void* src, size_t count) {
  return std::make_unique<CopyWork>(dst, src, count);
}

std::unique_ptr<Work> MakeFillWork(void* dst, int32_t value, size_t count) {
  return std::make_unique<FillWork>(dst, value, count);
}

}  // namespace aclnn_cpu
