#ifndef ACLNN_CPU_BASE_ALIGNED_BUFFER_H_
#define ACLNN_CPU_BASE_ALIGNED_BUFFER_H_

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

namespace aclnn_cpu {

inline constexpr size_t kBufferAlignment = 64;

// Uninitialised scratch memory, 64-byte aligned. Throws std::bad_alloc (caught at the C border).
class AlignedBuffer {
 public:
  AlignedBuffer() = default;
  explicit AlignedBuffer(size_t bytes) {
    if (bytes == 0) return;
    if (bytes > PTRDIFF_MAX - kBufferAlignment) throw std::bad_alloc();
    const size_t rounded = (bytes + kBufferAlignment - 1) / kBufferAlignment * kBufferAlignment;
    data_.reset(static_cast<std::byte*>(std::aligned_alloc(kBufferAlignment, rounded)));
    if (data_ == nullptr) throw std::bad_alloc();
    size_ = bytes;
  }

  std::byte* data() const { return data_.get(); }
  size_t size() const { return size_; }

 private:
  struct Free {
    void operator()(std::byte* pointer) const { std::free(pointer); }
  };
  std::unique_ptr<std::byte, Free> data_;
  size_t size_ = 0;
};

}  // namespace aclnn_cpu

#endif  // ACLNN_CPU_BASE_ALIGNED_BUFFER_H_
