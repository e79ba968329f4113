// Memory: contract.md 5.3, rows "aclrtMalloc" to "aclrtMemset", "asynchronous copies",
// "aclrtGetMemInfo".

#include <gtest/gtest.h>

#include <cstring>
#include <thread>
#include <vector>

#include "acl/acl.h"
#include "ascendcl/copy_work.h"
#include "ascendcl/work_for_test.h"

namespace aclnn_cpu {
namespace {

constexpr aclrtMemMallocPolicy kPolicy = ACL_MEM_MALLOC_HUGE_FIRST;
constexpr size_t kBytes = 4096;

std::byte* NewDeviceMemory(size_t bytes = kBytes) {
  void* memory = nullptr;
  EXPECT_EQ(aclrtMalloc(&memory, bytes, kPolicy), ACL_SUCCESS);
  return static_cast<std::byte*>(memory);
}

std::byte* NewHostMemory(size_t bytes = kBytes) {
  void* memory = nullptr;
  EXPECT_EQ(aclrtMallocHost(&memory, bytes), ACL_SUCCESS);
  return static_cast<std::byte*>(memory);
}

class MemoryApi : public ::testing::Test {
 protected:
  void SetUp() override {
    device_memory_ = NewDeviceMemory();
    more_device_memory_ = NewDeviceMemory();
    host_memory_ = NewHostMemory();
    ASSERT_EQ(aclrtCreateStream(&stream_), ACL_SUCCESS);
  }
  void TearDown() override {
    gate_.Open();
    EXPECT_EQ(aclrtDestroyStreamForce(stream_), ACL_SUCCESS);
    EXPECT_EQ(aclrtFree(device_memory_), ACL_SUCCESS);
    EXPECT_EQ(aclrtFree(more_device_memory_), ACL_SUCCESS);
    EXPECT_EQ(aclrtFreeHost(host_memory_), ACL_SUCCESS);
  }
  bool StreamIsBusy() {
    aclrtStreamStatus status = ACL_STREAM_STATUS_RESERVED;
    EXPECT_EQ(aclrtStreamQuery(stream_, &status), ACL_SUCCESS);
    return status == ACL_STREAM_STATUS_NOT_READY;
  }
  aclError CopyAsync(void* dst, const void* src, size_t count = kBytes,
                     aclrtMemcpyKind kind = ACL_MEMCPY_DEFAULT) {
    return aclrtMemcpyAsync(dst, count, src, count, kind, stream_);
  }

  const DeviceForTest device_;
  Gate gate_;
  std::byte* device_memory_ = nullptr;
  std::byte* more_device_memory_ = nullptr;
  std::byte* host_memory_ = nullptr;
  aclrtStream stream_ = nullptr;
};

using AllocateFunction = aclError (*)(void**, size_t, aclrtMemMallocPolicy);

TEST_F(MemoryApi, DeviceAllocationsAreAlignedUsableAndFreed) {
  for (AllocateFunction allocate : {aclrtMalloc, aclrtMallocAlign32, aclrtMallocCached}) {
    for (size_t size : {1, 31, 32, 33, 1000, 4096, 3 << 20}) {
      void* memory = nullptr;
      ASSERT_EQ(allocate(&memory, size, kPolicy), ACL_SUCCESS);
      EXPECT_EQ(reinterpret_cast<uintptr_t>(memory) % 64, 0u);
      const size_t padding = allocate == aclrtMallocAlign32 ? 0 : 32;
      std::memset(memory, 0xa5, (size + 31) / 32 * 32 + padding);  // checked by AddressSanitizer
      EXPECT_EQ(aclrtFree(memory), ACL_SUCCESS);
    }
  }
}

TEST_F(MemoryApi, AnyPolicyIsAccepted) {
  for (int policy : {0, 1, 2, 7, 0x1000, 0x100000, 12345, -1}) {
    void* memory = nullptr;
    ASSERT_EQ(aclrtMalloc(&memory, 64, static_cast<aclrtMemMallocPolicy>(policy)), ACL_SUCCESS);
    EXPECT_EQ(aclrtFree(memory), ACL_SUCCESS);
  }
}

TEST_F(MemoryApi, AllocationChecksPointerThenSizeThenContext) {
  void* memory = nullptr;
  std::thread([&] {
    for (AllocateFunction allocate : {aclrtMalloc, aclrtMallocAlign32, aclrtMallocCached}) {
      EXPECT_EQ(allocate(nullptr, 0, kPolicy), ACL_ERROR_INVALID_PARAM);
      EXPECT_EQ(allocate(&memory, 0, kPolicy), ACL_ERROR_INVALID_PARAM);
      EXPECT_EQ(allocate(&memory, 64, kPolicy), ACL_ERROR_RT_CONTEXT_NULL);
    }
    EXPECT_EQ(aclrtMallocHost(nullptr, 64), ACL_ERROR_INVALID_PARAM);
    EXPECT_EQ(aclrtMallocHost(&memory, 0), ACL_ERROR_INVALID_PARAM);
    EXPECT_EQ(aclrtMallocHost(&memory, 64), ACL_ERROR_RT_CONTEXT_NULL);
  }).join();
  EXPECT_EQ(memory, nullptr);
}

TEST_F(MemoryApi, ImpossibleSizesAreOutOfMemory) {
  void* memory = nullptr;
  for (size_t size :
       {SIZE_MAX, SIZE_MAX - 31, SIZE_MAX - 63, SIZE_MAX - 64, SIZE_MAX / 2, size_t{1} << 60}) {
    for (AllocateFunction allocate : {aclrtMalloc, aclrtMallocAlign32, aclrtMallocCached})
      EXPECT_EQ(allocate(&memory, size, kPolicy), ACL_ERROR_RT_MEMORY_ALLOCATION) << size;
    EXPECT_EQ(aclrtMallocHost(&memory, size), ACL_ERROR_RT_MEMORY_ALLOCATION) << size;
  }
  EXPECT_EQ(memory, nullptr);
}

TEST_F(MemoryApi, FreeRefusesNullAndWhatIsNotAnAllocationOfItsKind) {
  int foreign = 0;
  EXPECT_EQ(aclrtFree(nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtFreeHost(nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtFree(&foreign), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtFreeHost(&foreign), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtFree(device_memory_ + 64), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtFree(host_memory_), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtFreeHost(device_memory_), ACL_ERROR_RT_PARAM_INVALID);
  void* const memory = NewDeviceMemory();
  EXPECT_EQ(aclrtFree(memory), ACL_SUCCESS);
  EXPECT_EQ(aclrtFree(memory), ACL_ERROR_RT_PARAM_INVALID);  // twice
}

TEST_F(MemoryApi, FreeWorksWithoutAContext) {
  void* const on_device = NewDeviceMemory();
  void* const on_host = NewHostMemory();
  std::thread([&] {
    EXPECT_EQ(aclrtFree(on_device), ACL_SUCCESS);
    EXPECT_EQ(aclrtFreeHost(on_host), ACL_SUCCESS);
  }).join();
}

// The checks of both copies, in order; they differ only in the last lines.
TEST_F(MemoryApi, CopiesCheckTheirArgumentsInOrder) {
  const auto copy = [&](void* dst, size_t max, const void* src, size_t count, int kind) {
    const auto typed = static_cast<aclrtMemcpyKind>(kind);
    const aclError code = aclrtMemcpy(dst, max, src, count, typed);
    EXPECT_EQ(aclrtMemcpyAsync(dst, max, src, count, typed, stream_), code);
    return code;
  };
  std::byte* const d = device_memory_;
  std::byte* const s = more_device_memory_;
  EXPECT_EQ(copy(nullptr, 0, nullptr, 0, 99), ACL_SUCCESS);  // nothing to copy
  EXPECT_EQ(copy(nullptr, 0, s, 1, 99), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(copy(d, 0, nullptr, 1, 99), ACL_ERROR_INVALID_PARAM);
  for (int kind : {6, 7, 8, -1}) EXPECT_EQ(copy(d, 0, s, 1, kind), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(copy(d, 0, s, 1, 3), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(copy(d, 7, s, 8, 3), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(copy(d, 0, d, 1, 3), ACL_ERROR_RT_PARAM_INVALID);  // sizes before dst == src
  EXPECT_EQ(copy(d, 8, d, 8, 3), ACL_SUCCESS);
  for (int kind = 0; kind <= 5; ++kind) EXPECT_EQ(copy(d, 8, s, 8, kind), ACL_SUCCESS);
}

TEST_F(MemoryApi, CopiesWithoutAContext) {
  std::thread([&] {
    std::byte* const d = device_memory_;
    std::byte* const s = more_device_memory_;
    EXPECT_EQ(aclrtMemcpy(d, 8, d, 8, ACL_MEMCPY_DEFAULT), ACL_SUCCESS);  // looked at before
    EXPECT_EQ(aclrtMemcpy(d, 8, s, 8, ACL_MEMCPY_DEFAULT), ACL_ERROR_RT_CONTEXT_NULL);
    EXPECT_EQ(CopyAsync(d, d), ACL_ERROR_RT_CONTEXT_NULL);
    EXPECT_EQ(CopyAsync(d, s), ACL_ERROR_RT_CONTEXT_NULL);
    EXPECT_EQ(aclrtMemcpyAsync(d, 8, s, 8, ACL_MEMCPY_DEFAULT, nullptr), ACL_ERROR_RT_CONTEXT_NULL);
    int foreign = 0;
    EXPECT_EQ(aclrtMemcpyAsync(d, 8, s, 8, ACL_MEMCPY_DEFAULT, &foreign),
              ACL_ERROR_RT_INVALID_HANDLE);
    EXPECT_EQ(aclrtMemset(d, 8, 0, 8), ACL_ERROR_RT_CONTEXT_NULL);
    EXPECT_EQ(aclrtMemset(d, 7, 0, 8), ACL_ERROR_RT_CONTEXT_NULL);
    EXPECT_EQ(aclrtMemsetAsync(d, 8, 0, 8, stream_), ACL_ERROR_RT_CONTEXT_NULL);
  }).join();
}

TEST_F(MemoryApi, CopyMovesBytesWhateverTheKindSays) {
  std::vector<unsigned char> from(kBytes);
  for (size_t i = 0; i < kBytes; ++i) from[i] = static_cast<unsigned char>(i * 7 + i / 256);
  for (int kind = 0; kind <= 5; ++kind) {
    const auto typed = static_cast<aclrtMemcpyKind>(kind);
    std::vector<unsigned char> to(kBytes, 0);
    ASSERT_EQ(aclrtMemcpy(device_memory_, kBytes, from.data(), kBytes, typed), ACL_SUCCESS);
    ASSERT_EQ(CopyAsync(more_device_memory_, device_memory_, kBytes, typed), ACL_SUCCESS);
    ASSERT_EQ(CopyAsync(to.data(), more_device_memory_, kBytes, typed), ACL_SUCCESS);
    EXPECT_EQ(to, from);
    std::vector<unsigned char> host_to_host(kBytes, 0);
    ASSERT_EQ(aclrtMemcpy(host_to_host.data(), kBytes, to.data(), kBytes, typed), ACL_SUCCESS);
    EXPECT_EQ(host_to_host, from);
  }
}

TEST_F(MemoryApi, SynchronousCopyAndFillDoNotWaitForQueuedWork) {
  ASSERT_TRUE(EnqueueWork(stream_, gate_.NewWork()).ok());
  EXPECT_EQ(aclrtMemset(device_memory_, kBytes, 1, kBytes), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemcpy(more_device_memory_, kBytes, device_memory_, kBytes, ACL_MEMCPY_DEFAULT),
            ACL_SUCCESS);
  EXPECT_EQ(more_device_memory_[kBytes - 1], std::byte{1});
  EXPECT_TRUE(StreamIsBusy());
}

TEST_F(MemoryApi, AsyncCopyWithOwnHostMemoryOrBetweenDevicesDoesNotWait) {
  std::memset(host_memory_, 3, kBytes);
  std::memset(device_memory_, 0, kBytes);
  ASSERT_TRUE(EnqueueWork(stream_, gate_.NewWork()).ok());
  EXPECT_EQ(CopyAsync(device_memory_, host_memory_), ACL_SUCCESS);
  EXPECT_EQ(CopyAsync(more_device_memory_, device_memory_), ACL_SUCCESS);
  EXPECT_EQ(CopyAsync(host_memory_ + 8, device_memory_, 8), ACL_SUCCESS);
  EXPECT_TRUE(StreamIsBusy());
  EXPECT_EQ(device_memory_[0], std::byte{0});
  gate_.Open();
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_EQ(more_device_memory_[kBytes - 1], std::byte{3});
}

TEST_F(MemoryApi, AsyncCopyWithOtherHostMemoryWaitsForEarlierWorkAndIsDoneOnReturn) {
  std::vector<unsigned char> on_host(kBytes, 9);
  std::atomic<int> earlier{0};
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(EnqueueWork(stream_, WorkDoing([&] { ++earlier; }, kSmall)).ok());
  }
  EXPECT_EQ(CopyAsync(device_memory_, on_host.data()), ACL_SUCCESS);
  EXPECT_EQ(earlier, 20);
  EXPECT_EQ(device_memory_[kBytes - 1], std::byte{9});
  ASSERT_EQ(aclrtMemsetAsync(device_memory_, kBytes, 4, kBytes, stream_), ACL_SUCCESS);
  EXPECT_EQ(CopyAsync(on_host.data(), device_memory_), ACL_SUCCESS);
  EXPECT_EQ(on_host[0], 4);
}

TEST_F(MemoryApi, AsyncCopyBetweenHostMemoriesIsNotSupported) {
  std::vector<unsigned char> on_host(kBytes);
  EXPECT_EQ(CopyAsync(on_host.data(), host_memory_), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
  EXPECT_EQ(CopyAsync(host_memory_, on_host.data()), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
  EXPECT_EQ(CopyAsync(on_host.data(), on_host.data() + 8, 8), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
  EXPECT_EQ(CopyAsync(on_host.data(), on_host.data()), ACL_SUCCESS);  // dst == src comes first
}

TEST_F(MemoryApi, AsyncCopyRefusesUnknownStreams) {
  int foreign = 0;
  EXPECT_EQ(aclrtMemcpyAsync(device_memory_, 8, host_memory_, 8, ACL_MEMCPY_DEFAULT, &foreign),
            ACL_ERROR_RT_INVALID_HANDLE);
  EXPECT_EQ(aclrtMemsetAsync(device_memory_, 8, 0, 8, &foreign), ACL_ERROR_RT_INVALID_HANDLE);
}

TEST_F(MemoryApi, NullStreamIsTheDefaultStream) {
  Gate gate;
  ASSERT_TRUE(EnqueueWork(nullptr, gate.NewWork()).ok());
  EXPECT_EQ(aclrtMemsetAsync(device_memory_, 8, 5, 8, nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemcpyAsync(host_memory_, 8, device_memory_, 8, ACL_MEMCPY_DEFAULT, nullptr),
            ACL_SUCCESS);
  gate.Open();
  EXPECT_EQ(aclrtSynchronizeStream(nullptr), ACL_SUCCESS);
  EXPECT_EQ(host_memory_[7], std::byte{5});
}

TEST_F(MemoryApi, FillsUseTheLowByteAndCheckTheirArguments) {
  std::memset(device_memory_, 0xee, kBytes);
  EXPECT_EQ(aclrtMemset(nullptr, 0, 0, 0), ACL_SUCCESS);  // nothing to fill
  EXPECT_EQ(aclrtMemset(nullptr, 8, 0, 8), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtMemset(device_memory_, 7, 0, 8), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtMemset(device_memory_, 8, 0x123, 4), ACL_SUCCESS);
  EXPECT_EQ(device_memory_[3], std::byte{0x23});
  EXPECT_EQ(device_memory_[4], std::byte{0xee});
  EXPECT_EQ(aclrtMemset(device_memory_, 8, -1, 8), ACL_SUCCESS);
  EXPECT_EQ(device_memory_[7], std::byte{0xff});

  EXPECT_EQ(aclrtMemsetAsync(nullptr, 0, 0, 0, stream_), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemsetAsync(nullptr, 8, 0, 8, stream_), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtMemsetAsync(device_memory_, 7, 0, 8, stream_), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtMemsetAsync(device_memory_, kBytes, 0x145, kBytes, stream_), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_EQ(device_memory_[kBytes - 1], std::byte{0x45});
}

TEST_F(MemoryApi, QueuedCopiesAndFillsTellWhatTheyTouch) {
  const std::unique_ptr<Work> copy = MakeCopyWork(device_memory_, host_memory_, 100);
  ASSERT_EQ(copy->Accesses().size(), 2u);
  const MemoryAccess& read = copy->Accesses()[0];
  const MemoryAccess& write = copy->Accesses()[1];
  EXPECT_EQ(read.address, host_memory_);
  EXPECT_FALSE(read.is_write);
  EXPECT_EQ(write.address, device_memory_);
  EXPECT_TRUE(write.is_write);
  for (const MemoryAccess* access : {&read, &write}) {
    EXPECT_EQ(access->view.extents, Dims({100}));
    EXPECT_EQ(access->view.strides, Dims({1}));
    EXPECT_EQ(access->element_bytes, 1);
  }
  const std::unique_ptr<Work> fill = MakeFillWork(device_memory_, 0, 100);
  ASSERT_EQ(fill->Accesses().size(), 1u);
  EXPECT_EQ(fill->Accesses()[0].address, device_memory_);
  EXPECT_TRUE(fill->Accesses()[0].is_write);
  EXPECT_LT(fill->EstimatedMicroseconds(), 10);
  EXPECT_GT(MakeFillWork(device_memory_, 0, size_t{1} << 30)->EstimatedMicroseconds(), 1000);
}

TEST_F(MemoryApi, MemInfoTellsFreeAndTotal) {
  size_t free_bytes = 0;
  size_t total_bytes = 0;
  EXPECT_EQ(aclrtGetMemInfo(ACL_HBM_MEM, nullptr, &total_bytes), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtGetMemInfo(ACL_HBM_MEM, &free_bytes, nullptr), ACL_ERROR_INVALID_PARAM);
  for (int attr : {-1, 18, 1000})
    EXPECT_EQ(aclrtGetMemInfo(static_cast<aclrtMemAttr>(attr), &free_bytes, &total_bytes),
              ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(total_bytes, 0u);
  for (int attr = 0; attr <= 17; ++attr) {
    EXPECT_EQ(aclrtGetMemInfo(static_cast<aclrtMemAttr>(attr), &free_bytes, &total_bytes),
              ACL_SUCCESS);
    EXPECT_GT(free_bytes, 0u);
    EXPECT_LE(free_bytes, total_bytes);
  }
}

}  // namespace
}  // namespace aclnn_cpu
