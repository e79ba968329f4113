#include <cstring>
#include <optional>
#include <utility>

#include "acl/acl.h"
#include "ascendcl/api_call.h"
#include "ascendcl/copy_work.h"
#include "ascendcl/runtime.h"
#include "ascendcl/strict.h"
#include "ascendcl/strict_hooks.h"

namespace aclnn_cpu {
namespace {

// Bytes that a block of memory gets beyond its size: up to a multiple of `unit`, and `extra`.
struct Padding {
  size_t unit;
  size_t extra;
};
// Device memory comes in units of 32 bytes; most functions add one, on which vector code of the
// real device relies.
constexpr Padding kPadded = {32, 32};
constexpr Padding kAligned = {32, 0};
constexpr Padding kExact = {1, 0};

Status Allocate(const char* api, void** address, size_t size, Padding padding, MemoryKind kind) {
  RETURN_IF_ERROR(RequireNotNull(address, kind == MemoryKind::kDevice ? "devPtr" : "hostPtr"));
  if (size == 0) FAIL(ACL_ERROR_INVALID_PARAM, "size is 0, must be positive");
  RETURN_IF_ERROR(CurrentContext().status());
  const auto [unit, extra] = padding;
  if (size > SIZE_MAX - unit - extra)
    FAIL(ACL_ERROR_RT_MEMORY_ALLOCATION, "size is {}, more than an address space holds", size);
  const size_t bytes = (size + unit - 1) / unit * unit + extra;
  ASSIGN_OR_RETURN(*address, TheRuntime().memory.Allocate(bytes, kind, {size, api}));
  return Status();
}

aclError AllocateCall(const char* api, void** address, size_t size, Padding padding,
                      MemoryKind kind) {
  return AclCall(api, [&] { return Allocate(api, address, size, padding, kind); });
}

Status Free(void* address, const char* argument, MemoryKind kind) {
  RETURN_IF_ERROR(RequireNotNull(address, argument));
  return TheRuntime().memory.Free(address, kind);
}

// The checks that both copies share, up to the context.
Status CheckCopy(const void* dst, size_t dst_max, const void* src, size_t count,
                 aclrtMemcpyKind kind) {
  RETURN_IF_ERROR(RequireNotNull(dst, "dst"));
  RETURN_IF_ERROR(RequireNotNull(src, "src"));
  const auto number = static_cast<int64_t>(kind);
  if (number < ACL_MEMCPY_HOST_TO_HOST || number > ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE)
    FAIL(ACL_ERROR_INVALID_PARAM, "kind is {}, must be in 0..{}", number,
         static_cast<int>(ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE));
  if (count > dst_max)
    FAIL(ACL_ERROR_RT_PARAM_INVALID, "count is {}, must not exceed destMax, which is {}", count,
         dst_max);
  return Status();
}

Status Copy(void* dst, size_t dst_max, const void* src, size_t count, aclrtMemcpyKind kind) {
  if (count == 0) return Status();
  RETURN_IF_ERROR(CheckCopy(dst, dst_max, src, count, kind));
  if (dst == src) return Status();
  RETURN_IF_ERROR(CurrentContext().status());
  if (StrictOn()) {
    StrictOnHostAccess("aclrtMemcpy", "src", src, count, /*is_write=*/false);
    StrictOnHostAccess("aclrtMemcpy", "dst", dst, count, /*is_write=*/true);
    dst = StrictTwin(dst);
    src = StrictTwin(src);
  }
  std::memmove(dst, src, count);
  return Status();
}

bool IsKind(const std::optional<Allocation>& allocation, MemoryKind kind) {
  return allocation.has_value() && allocation->kind == kind;
}

Status CopyAsync(void* dst, size_t dst_max, const void* src, size_t count, aclrtMemcpyKind kind,
                 aclrtStream stream_handle) {
  if (count == 0) return Status();
  RETURN_IF_ERROR(CheckCopy(dst, dst_max, src, count, kind));
  ASSIGN_OR_RETURN(const std::shared_ptr<Stream> stream, FindStreamInContext(stream_handle, false));
  if (dst == src) return Status();
  // The addresses decide what is copied from where; `kind` is only a hint.
  const std::optional<Allocation> dst_memory = TheRuntime().memory.Find(dst);
  const std::optional<Allocation> src_memory = TheRuntime().memory.Find(src);
  if (!IsKind(dst_memory, MemoryKind::kDevice) && !IsKind(src_memory, MemoryKind::kDevice)) {
    if (StrictOn()) {
      StrictOnRefused("aclrtMemcpyAsync", "src", src);
      StrictOnRefused("aclrtMemcpyAsync", "dst", dst);
    }
    FAIL(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
         "dst {} and src {} are both host memory, one must be device memory", dst, src);
  }
  StreamTask task;
  task.work = MakeCopyWork(dst, src, count);
  ASSIGN_OR_RETURN(const uint64_t ticket, stream->Enqueue(std::move(task)));
  // Host memory that is not ours may be changed or gone as soon as the call returns.
  if (!dst_memory.has_value() || !src_memory.has_value())
    stream->WaitFor(ticket, Stream::Help::kAllowed);
  return Status();
}

Status CheckFill(size_t max_count, size_t count) {
  if (count <= max_count) return Status();
  FAIL(ACL_ERROR_RT_PARAM_INVALID, "count is {}, must not exceed maxCount, which is {}", count,
       max_count);
}

Status Fill(void* dst, size_t max_count, int32_t value, size_t count) {
  if (count == 0) return Status();
  RETURN_IF_ERROR(RequireNotNull(dst, "devPtr"));
  RETURN_IF_ERROR(CurrentContext().status());
  RETURN_IF_ERROR(CheckFill(max_count, count));
  if (StrictOn()) {
    StrictOnHostAccess("aclrtMemset", "devPtr", dst, count, /*is_write=*/true);
    dst = StrictTwin(dst);
  }
  std::memset(dst, value, count);
  return Status();
}

Status FillAsync(void* dst, size_t max_count, int32_t value, size_t count,
                 aclrtStream stream_handle) {
  if (count == 0) return Status();
  RETURN_IF_ERROR(RequireNotNull(dst, "devPtr"));
  RETURN_IF_ERROR(CheckFill(max_count, count));
  ASSIGN_OR_RETURN(const std::shared_ptr<Stream> stream, FindStreamInContext(stream_handle, false));
  StreamTask task;
  task.work = MakeFillWork(dst, value, count);
  return stream->Enqueue(std::move(task)).status();
}

Status GetMemInfo(aclrtMemAttr attr, size_t* free, size_t* total) {
  RETURN_IF_ERROR(RequireNotNull(free, "free"));
  RETURN_IF_ERROR(RequireNotNull(total, "total"));
  const auto number = static_cast<int64_t>(attr);
  if (number < ACL_DDR_MEM || number > ACL_MEM_P2P_HUGE1G)
    FAIL(ACL_ERROR_RT_PARAM_INVALID, "attr is {}, must be in 0..{}", number,
         static_cast<int>(ACL_MEM_P2P_HUGE1G));
  const MemoryInfo info = ReadMemoryInfo();
  *free = info.free_bytes;
  *total = info.total_bytes;
  return Status();
}

}  // namespace
}  // namespace aclnn_cpu

using aclnn_cpu::AclCall;
using aclnn_cpu::MemoryKind;

aclError aclrtMalloc(void** devPtr, size_t size, aclrtMemMallocPolicy /*policy*/) {
  return aclnn_cpu::AllocateCall("aclrtMalloc", devPtr, size, aclnn_cpu::kPadded,
                                 MemoryKind::kDevice);
}

aclError aclrtMallocAlign32(void** devPtr, size_t size, aclrtMemMallocPolicy /*policy*/) {
  return aclnn_cpu::AllocateCall("aclrtMallocAlign32", devPtr, size, aclnn_cpu::kAligned,
                                 MemoryKind::kDevice);
}

aclError aclrtMallocCached(void** devPtr, size_t size, aclrtMemMallocPolicy /*policy*/) {
  return aclnn_cpu::AllocateCall("aclrtMallocCached", devPtr, size, aclnn_cpu::kPadded,
                                 MemoryKind::kDevice);
}

aclError aclrtFree(void* devPtr) {
  return AclCall("aclrtFree",
                 [&] { return aclnn_cpu::Free(devPtr, "devPtr", MemoryKind::kDevice); });
}

aclError aclrtMallocHost(void** hostPtr, size_t size) {
  return aclnn_cpu::AllocateCall("aclrtMallocHost", hostPtr, size, aclnn_cpu::kExact,
                                 MemoryKind::kHost);
}

aclError aclrtFreeHost(void* hostPtr) {
  return AclCall("aclrtFreeHost",
                 [&] { return aclnn_cpu::Free(hostPtr, "hostPtr", MemoryKind::kHost); });
}

aclError aclrtMemcpy(void* dst, size_t destMax, const void* src, size_t count,
                     aclrtMemcpyKind kind) {
  return AclCall("aclrtMemcpy", [&] { return aclnn_cpu::Copy(dst, destMax, src, count, kind); });
}

aclError aclrtMemcpyAsync(void* dst, size_t destMax, const void* src, size_t count,
                          aclrtMemcpyKind kind, aclrtStream stream) {
  return AclCall("aclrtMemcpyAsync",
                 [&] { return aclnn_cpu::CopyAsync(dst, destMax, src, count, kind, stream); });
}

aclError aclrtMemset(void* devPtr, size_t maxCount, int32_t value, size_t count) {
  return AclCall("aclrtMemset", [&] { return aclnn_cpu::Fill(devPtr, maxCount, value, count); });
}

aclError aclrtMemsetAsync(void* devPtr, size_t maxCount, int32_t value, size_t count,
                          aclrtStream stream) {
  return AclCall("aclrtMemsetAsync",
                 [&] { return aclnn_cpu::FillAsync(devPtr, maxCount, value, count, stream); });
}

aclError aclrtGetMemInfo(aclrtMemAttr attr, size_t* free, size_t* total) {
  return AclCall("aclrtGetMemInfo", [&] { return aclnn_cpu::GetMemInfo(attr, free, total); });
}
