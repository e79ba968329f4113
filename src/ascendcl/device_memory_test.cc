#include "ascendcl/device_memory.h"

#include <gtest/gtest.h>

#include <cstring>

#include "acl/acl_base.h"

namespace aclnn_cpu {
namespace {

TEST(DeviceMemory, FindsTheAllocationAroundAnAddress) {
  DeviceMemory memory;
  const StatusOr<void*> device = memory.Allocate(100, MemoryKind::kDevice);
  const StatusOr<void*> host = memory.Allocate(200, MemoryKind::kHost);
  ASSERT_TRUE(device.ok() && host.ok());
  auto* const base = static_cast<std::byte*>(device.value());
  for (size_t offset : {0, 1, 99}) {
    const std::optional<Allocation> found = memory.Find(base + offset);
    ASSERT_TRUE(found.has_value()) << offset;
    EXPECT_EQ(found->base, base);
    EXPECT_EQ(found->bytes, 100u);
    EXPECT_EQ(found->kind, MemoryKind::kDevice);
  }
  EXPECT_EQ(memory.Find(host.value())->kind, MemoryKind::kHost);
  EXPECT_NE(memory.Find(host.value())->serial, memory.Find(base)->serial);
  EXPECT_FALSE(memory.Find(base + 100).has_value());
  EXPECT_FALSE(memory.Find(base - 1).has_value());
  EXPECT_FALSE(memory.Find(nullptr).has_value());
  EXPECT_TRUE(memory.Free(base, MemoryKind::kDevice).ok());
  EXPECT_FALSE(memory.Find(base).has_value());
  EXPECT_TRUE(memory.Free(host.value(), MemoryKind::kHost).ok());
}

TEST(DeviceMemory, FreesOnlyLiveStartsOfTheSameKind) {
  DeviceMemory memory;
  auto* const base = static_cast<std::byte*>(memory.Allocate(100, MemoryKind::kDevice).value());
  EXPECT_EQ(memory.Free(base + 1, MemoryKind::kDevice).code(), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(memory.Free(base, MemoryKind::kHost).code(), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_TRUE(memory.Free(base, MemoryKind::kDevice).ok());
  EXPECT_EQ(memory.Free(base, MemoryKind::kDevice).code(), ACL_ERROR_RT_PARAM_INVALID);
}

TEST(DeviceMemory, AlignsToCacheLinesAndBigBlocksToHugePages) {
  DeviceMemory memory;
  const size_t huge = size_t{2} << 20;
  for (size_t bytes : {size_t{1}, size_t{64}, size_t{1000}, huge - 1, huge, 3 * huge + 5}) {
    void* const address = memory.Allocate(bytes, MemoryKind::kDevice).value();
    EXPECT_EQ(reinterpret_cast<uintptr_t>(address) % (bytes >= huge ? huge : 64), 0u) << bytes;
    std::memset(address, 1, bytes);
    EXPECT_TRUE(memory.Free(address, MemoryKind::kDevice).ok());
  }
}

TEST(DeviceMemory, RefusesWhatDoesNotFit) {
  DeviceMemory memory;
  for (size_t bytes : {SIZE_MAX, SIZE_MAX - 64, SIZE_MAX / 2})
    EXPECT_EQ(memory.Allocate(bytes, MemoryKind::kDevice).status().code(),
              ACL_ERROR_RT_MEMORY_ALLOCATION);
}

}  // namespace
}  // namespace aclnn_cpu
