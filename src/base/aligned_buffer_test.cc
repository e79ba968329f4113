#include "base/aligned_buffer.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <utility>

namespace aclnn_cpu {
namespace {

TEST(AlignedBuffer, IsAlignedAndWritableToItsEnd) {
  for (size_t bytes : {1u, 63u, 64u, 65u, 4096u, 100001u}) {
    const AlignedBuffer buffer(bytes);
    EXPECT_EQ(buffer.size(), bytes);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer.data()) % kBufferAlignment, 0u);
    std::memset(buffer.data(), 0xa5, bytes);
    EXPECT_EQ(buffer.data()[bytes - 1], std::byte{0xa5});
  }
}

TEST(AlignedBuffer, OfNoBytesHoldsNothing) {
  EXPECT_EQ(AlignedBuffer().data(), nullptr);
  EXPECT_EQ(AlignedBuffer(0).data(), nullptr);
  EXPECT_EQ(AlignedBuffer(0).size(), 0u);
}

TEST(AlignedBuffer, MovesItsMemory) {
  AlignedBuffer from(100);
  const std::byte* data = from.data();
  const AlignedBuffer to = std::move(from);
  EXPECT_EQ(to.data(), data);
  EXPECT_EQ(to.size(), 100u);
}

TEST(AlignedBuffer, TooMuchThrowsBadAlloc) {
  EXPECT_THROW(AlignedBuffer(SIZE_MAX), std::bad_alloc);
  EXPECT_THROW(AlignedBuffer(SIZE_MAX - 63), std::bad_alloc);
  EXPECT_THROW(AlignedBuffer(SIZE_MAX / 2), std::bad_alloc);
}

}  // namespace
}  // namespace aclnn_cpu
