/// Device and host memory, copies and fills. Part of acl/acl_rt.h, whose head states the rules that
/// hold for all functions. C and C++.
///
/// Device memory is ordinary memory of this computer, so the host could read and write it directly;
/// programs must not, because on a card they crash. Sizes and counts are bytes everywhere.

#ifndef ACLNN_CPU_ACL_ACL_RT_MEMORY_H_
#define ACLNN_CPU_ACL_ACL_RT_MEMORY_H_

#include <stddef.h>
#include <stdint.h>

#include "acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Page size wanted for an allocation. Accepted and ignored; unknown values too.
typedef enum aclrtMemMallocPolicy {
  ACL_MEM_MALLOC_HUGE_FIRST = 0,
  ACL_MEM_MALLOC_HUGE_ONLY = 1,
  ACL_MEM_MALLOC_NORMAL_ONLY = 2,
  ACL_MEM_MALLOC_HUGE_FIRST_P2P = 3,
  ACL_MEM_MALLOC_HUGE_ONLY_P2P = 4,
  ACL_MEM_MALLOC_NORMAL_ONLY_P2P = 5,
  ACL_MEM_MALLOC_HUGE1G_ONLY = 6,
  ACL_MEM_MALLOC_HUGE1G_ONLY_P2P = 7,
  ACL_MEM_TYPE_LOW_BAND_WIDTH = 0x0100,
  ACL_MEM_TYPE_HIGH_BAND_WIDTH = 0x1000,
  ACL_MEM_ACCESS_USER_SPACE_READONLY = 0x100000
} aclrtMemMallocPolicy;

/// Direction of a copy. A hint only: the addresses decide what is device memory.
typedef enum aclrtMemcpyKind {
  ACL_MEMCPY_HOST_TO_HOST = 0,
  ACL_MEMCPY_HOST_TO_DEVICE = 1,
  ACL_MEMCPY_DEVICE_TO_HOST = 2,
  ACL_MEMCPY_DEVICE_TO_DEVICE = 3,
  ACL_MEMCPY_DEFAULT = 4,
  ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE = 5,
  ACL_MEMCPY_INNER_DEVICE_TO_DEVICE = 6,
  ACL_MEMCPY_INTER_DEVICE_TO_DEVICE = 7
} aclrtMemcpyKind;

/// Kind of device memory asked about. Here all kinds are the computer's memory.
typedef enum aclrtMemAttr {
  ACL_DDR_MEM = 0,
  ACL_HBM_MEM = 1,
  ACL_DDR_MEM_HUGE = 2,
  ACL_DDR_MEM_NORMAL = 3,
  ACL_HBM_MEM_HUGE = 4,
  ACL_HBM_MEM_NORMAL = 5,
  ACL_DDR_MEM_P2P_HUGE = 6,
  ACL_DDR_MEM_P2P_NORMAL = 7,
  ACL_HBM_MEM_P2P_HUGE = 8,
  ACL_HBM_MEM_P2P_NORMAL = 9,
  ACL_HBM_MEM_HUGE1G = 10,
  ACL_HBM_MEM_P2P_HUGE1G = 11,
  ACL_MEM_NORMAL = 12,
  ACL_MEM_HUGE = 13,
  ACL_MEM_HUGE1G = 14,
  ACL_MEM_P2P_NORMAL = 15,
  ACL_MEM_P2P_HUGE = 16,
  ACL_MEM_P2P_HUGE1G = 17
} aclrtMemAttr;

/// Allocates device memory. Contents are undefined; the address is a multiple of 64. Usable are
/// `size` rounded up to a multiple of 32, plus 32.
///
/// @param devPtr receives the address; the caller frees it with aclrtFree()
/// @param size more than 0
/// @param policy any value
/// @return 0; 100000 devPtr is null or size is 0; 107002 no current context; 207001 out of memory
ACL_FUNC_VISIBILITY aclError aclrtMalloc(void** devPtr, size_t size, aclrtMemMallocPolicy policy);

/// As aclrtMalloc(); usable are `size` rounded up to a multiple of 32, not more.
ACL_FUNC_VISIBILITY aclError aclrtMallocAlign32(void** devPtr, size_t size,
                                                aclrtMemMallocPolicy policy);

/// As aclrtMalloc(). A CPU keeps its caches coherent, so there is nothing to flush (ours).
ACL_FUNC_VISIBILITY aclError aclrtMallocCached(void** devPtr, size_t size,
                                               aclrtMemMallocPolicy policy);

/// Frees device memory. Work that uses it must be done: synchronise first. Needs no context.
///
/// @param devPtr address from aclrtMalloc() or its variants, from any thread or context
/// @return 0; 100000 null; 107000 not such an address, or freed already (ours)
ACL_FUNC_VISIBILITY aclError aclrtFree(void* devPtr);

/// Allocates host memory that asynchronous copies need not wait for, see aclrtMemcpyAsync().
/// Contents are undefined; the address is a multiple of 64.
///
/// @param hostPtr receives the address; the caller frees it with aclrtFreeHost()
/// @param size more than 0
/// @return 0; 100000 hostPtr is null or size is 0; 107002 no current context; 207001 out of memory
ACL_FUNC_VISIBILITY aclError aclrtMallocHost(void** hostPtr, size_t size);

/// Frees host memory. Copies that use it must be done. Needs no context.
///
/// @param hostPtr address from aclrtMallocHost()
/// @return 0; 100000 null; 107000 not such an address, or freed already (ours)
ACL_FUNC_VISIBILITY aclError aclrtFreeHost(void* hostPtr);

/// Copies and returns when the bytes are there. NOT ordered after work queued on any stream, the
/// default stream included: synchronise first. The ranges must not overlap.
///
/// @param dst, src device or host addresses
/// @param destMax room at dst; at least count
/// @param count bytes to copy; 0 succeeds before anything else is looked at
/// @param kind HOST_TO_HOST .. HOST_TO_BUF_TO_DEVICE (0..5); a hint only
/// @return 0; 100000 dst null, src null, or kind not 0..5; 107000 destMax is 0 or below count;
///   0 when dst == src; 107002 no current context
ACL_FUNC_VISIBILITY aclError aclrtMemcpy(void* dst, size_t destMax, const void* src, size_t count,
                                         aclrtMemcpyKind kind);

/// Queues a copy on a stream. Both ranges must stay valid, and src unchanged, until it ran.
///
/// Asynchronous only between device memory and device memory or memory from aclrtMallocHost().
/// With other host memory the call blocks: it waits for the earlier work of the stream and copies
/// before it returns.
///
/// @param dst, destMax, src, count, kind as for aclrtMemcpy()
/// @param stream stream; null is the default stream of the current context
/// @return the codes of aclrtMemcpy(), except that dst == src is looked at after the context;
///   107017 unknown stream; 207000 both sides are host memory
ACL_FUNC_VISIBILITY aclError aclrtMemcpyAsync(void* dst, size_t destMax, const void* src,
                                              size_t count, aclrtMemcpyKind kind,
                                              aclrtStream stream);

/// Fills device memory and returns when it is done. Not ordered after queued work.
///
/// @param devPtr start
/// @param maxCount room at devPtr; at least count
/// @param value its low byte goes to every byte
/// @param count bytes to fill; 0 succeeds before anything else is looked at
/// @return 0; 100000 null; 107002 no current context; 107000 count exceeds maxCount
ACL_FUNC_VISIBILITY aclError aclrtMemset(void* devPtr, size_t maxCount, int32_t value,
                                         size_t count);

/// Queues a fill on a stream; arguments as for aclrtMemset().
///
/// @param stream stream; null is the default stream of the current context
/// @return the codes of aclrtMemset(); 107017 unknown stream
ACL_FUNC_VISIBILITY aclError aclrtMemsetAsync(void* devPtr, size_t maxCount, int32_t value,
                                              size_t count, aclrtStream stream);

/// Memory of the computer, or of the control group the process runs in if that is less (ours).
///
/// @param attr any value of the enumeration; the answer is the same for each
/// @param free receives the bytes available
/// @param total receives the bytes there are
/// @return 0; 100000 free or total is null; 107000 unknown attr
ACL_FUNC_VISIBILITY aclError aclrtGetMemInfo(aclrtMemAttr attr, size_t* free, size_t* total);

#ifdef __cplusplus
}
#endif

#endif  // ACLNN_CPU_ACL_ACL_RT_MEMORY_H_
