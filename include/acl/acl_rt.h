/// The AscendCL runtime on a CPU: process, errors, device, context and system parameters. Memory is
/// in acl_rt_memory.h, streams and events in acl_rt_stream.h; this header includes both, so that
/// every CANN name is reachable from acl/acl_rt.h. C and C++.
///
/// Rules for all functions of the three headers, not repeated below:
/// - 0 (ACL_SUCCESS) means success. Checks run in the order in which the codes are listed; the
///   first that fails decides. aclGetRecentErrMsg() then tells argument, value and allowed values.
/// - Any thread may call any function at any time. The current context belongs to the thread.
/// - "Blocks" says that a call waits for queued work; all others return at once.
/// - Besides the codes listed: 207001 when memory runs out, 500000 for a fault inside the library.
/// - After fork() the child has no runtime: calls that need a context give 107002, old handles
///   107017, until the child calls aclInit() and aclrtSetDevice() itself.
/// - Sources: "code" is what CANN's open code does, "page" its documentation, "ours" a decision of
///   aclnn-cpu where CANN leaves it open. Rules without a mark are code.

#ifndef INC_EXTERNAL_ACL_ACL_RT_H_
#define INC_EXTERNAL_ACL_ACL_RT_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "acl_base.h"
#include "acl_rt_allocator.h"
#include "acl_rt_memory.h"
#include "acl_rt_stream.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Version of the interface: the newest CANN runtime whose headers these follow.
#define ACL_MAJOR_VERSION 1
#define ACL_MINOR_VERSION 17
#define ACL_PATCH_VERSION 0

/// Where the calling program runs: on the device's own processor or on the host. Always ACL_HOST.
typedef enum aclrtRunMode { ACL_DEVICE = 0, ACL_HOST = 1 } aclrtRunMode;

/// Whose last error is asked for. There is one level.
typedef enum aclrtLastErrLevel { ACL_RT_THREAD_LEVEL = 0 } aclrtLastErrLevel;

/// Kinds of device fault. A CPU reports none of them: always ACL_RT_NO_ERROR.
typedef enum aclrtErrorType {
  ACL_RT_NO_ERROR = 0,
  ACL_RT_ERROR_MEMORY = 1,
  ACL_RT_ERROR_L2 = 2,
  ACL_RT_ERROR_AICORE = 3,
  ACL_RT_ERROR_LINK = 4,
  ACL_RT_ERROR_OTHERS = 0xFFFF
} aclrtErrorType;

/// What kind of AI core fault; not used here.
typedef enum aclrtAicoreErrorType {
  ACL_RT_AICORE_ERROR_UNKNOWN = 0,
  ACL_RT_AICORE_ERROR_SW = 1,
  ACL_RT_AICORE_ERROR_HW_LOCAL = 2
} aclrtAicoreErrorType;

/// Places of uncorrectable memory errors; not used here, layout as on CANN.
#define UCE_INFO_RESERVED_SIZE 14
#define ACL_RT_MEM_UCE_INFO_MAX_NUM 20

typedef struct aclrtMemUceInfo {
  void* addr;
  size_t len;
  size_t reserved[UCE_INFO_RESERVED_SIZE];
} aclrtMemUceInfo;

typedef struct aclrtMemUceInfoArray {
  size_t arraySize;
  aclrtMemUceInfo memUceInfoArray[ACL_RT_MEM_UCE_INFO_MAX_NUM];
} aclrtMemUceInfoArray;

typedef union aclrtErrorInfoDetail {
  aclrtMemUceInfoArray uceInfo;
  aclrtAicoreErrorType aicoreErrType;
} aclrtErrorInfoDetail;

/// Result of aclrtGetErrorVerbose().
typedef struct aclrtErrorInfo {
  uint8_t tryRepair;  ///< 1 if the fault can be repaired; always 0
  uint8_t hasDetail;  ///< 1 if `detail` holds something; always 0
  uint8_t reserved[2];
  aclrtErrorType errorType;
  aclrtErrorInfoDetail detail;
} aclrtErrorInfo;

/// Packages of a CANN installation.
typedef enum aclCANNPackageName {
  ACL_PKG_NAME_CANN = 0,
  ACL_PKG_NAME_RUNTIME = 1,
  ACL_PKG_NAME_COMPILER = 2,
  ACL_PKG_NAME_HCCL = 3,
  ACL_PKG_NAME_TOOLKIT = 4,
  ACL_PKG_NAME_OPP = 5,
  ACL_PKG_NAME_OPP_KERNEL = 6,
  ACL_PKG_NAME_DRIVER = 7
} aclCANNPackageName;

/// A version as text, zero-terminated, whole and in parts.
#define ACL_PKG_VERSION_MAX_SIZE 128
#define ACL_PKG_VERSION_PARTS_MAX_SIZE 64

typedef struct aclCANNPackageVersion {
  char version[ACL_PKG_VERSION_MAX_SIZE];
  char majorVersion[ACL_PKG_VERSION_PARTS_MAX_SIZE];
  char minorVersion[ACL_PKG_VERSION_PARTS_MAX_SIZE];
  char releaseVersion[ACL_PKG_VERSION_PARTS_MAX_SIZE];
  char patchVersion[ACL_PKG_VERSION_PARTS_MAX_SIZE];
  char reserved[ACL_PKG_VERSION_MAX_SIZE];
} aclCANNPackageVersion;

// ---- process ----

/// Starts the runtime. Optional here: every other function works without it too.
///
/// @param configPath null, "" or the path of a readable JSON file, whose contents have no effect
/// @return 0; 100002 called before without aclFinalize() - harmless, the call counts for
///   aclFinalizeReference(); 100003 the path does not resolve or cannot be opened
ACL_FUNC_VISIBILITY aclError aclInit(const char* configPath);

/// Ends the runtime, however often aclInit() was called. Blocks: queued work is finished first and
/// the worker threads end. Contexts, streams and allocations stay usable and threads start again
/// on demand (ours). A stream that waits for an event which nothing has recorded does not wait on:
/// its next synchronisation gives 507000 (ours). aclInit() may follow.
///
/// @return 0, without any aclInit() too; 100037 finalized already
ACL_FUNC_VISIBILITY aclError aclFinalize(void);

/// Takes back one aclInit(); the last one ends the runtime as aclFinalize() does, and blocks.
///
/// @param refCount null, or receives how many aclInit() are left
/// @return 0; 100037 none was left
ACL_FUNC_VISIBILITY aclError aclFinalizeReference(uint64_t* refCount);

/// Version of the interface: ACL_MAJOR_VERSION, ACL_MINOR_VERSION, ACL_PATCH_VERSION.
///
/// @param majorVersion, minorVersion, patchVersion receive the numbers
/// @return 0; 100000 one of them is null
ACL_FUNC_VISIBILITY aclError aclrtGetVersion(int32_t* majorVersion, int32_t* minorVersion,
                                             int32_t* patchVersion);

/// Version of an installed package. There is no CANN installation here: every package has the
/// version of the CANN release whose behaviour is followed, 9.1.0 (ours).
///
/// @param name package
/// @param version receives the text, whole and in parts
/// @return 0; 100000 `version` is null or `name` is none of the enumeration. Parts that the version
///   lacks are "0".
ACL_FUNC_VISIBILITY aclError aclsysGetCANNVersion(aclCANNPackageName name,
                                                  aclCANNPackageVersion* version);

/// The same by package name, as text.
///
/// @param pkgName a package by the name of its folder in a CANN installation, for example "runtime"
///   or "ops-legacy"; '-' and '_' are the same
/// @param versionStr receives the text; room for ACL_PKG_VERSION_MAX_SIZE bytes
/// @return 0; 100000 a pointer is null; 100003 no such package
ACL_FUNC_VISIBILITY aclError aclsysGetVersionStr(char* pkgName, char* versionStr);

// ---- errors ----

/// Text of the failures of the calling thread since the last call of this function, first cause
/// first. Reading clears it; a later success does not.
///
/// @return zero-terminated text owned by the library, valid until the thread calls this function
///   again (ours), or null when nothing failed. The wording may change.
ACL_FUNC_VISIBILITY const char* aclGetRecentErrMsg(void);

/// Code of the last failed call of this thread; reading sets it back to 0.
///
/// @param level ACL_RT_THREAD_LEVEL
/// @return that code, 0 if none; 100000 another level
ACL_FUNC_VISIBILITY aclError aclrtGetLastError(aclrtLastErrLevel level);

/// The same without setting it back.
ACL_FUNC_VISIBILITY aclError aclrtPeekAtLastError(aclrtLastErrLevel level);

/// Hardware fault of a device: a CPU has none to report (ours).
///
/// @param deviceId device
/// @param errorInfo receives ACL_RT_NO_ERROR, nothing to repair, no detail
/// @return 0; 100000 `errorInfo` is null; 107001 no such device
ACL_FUNC_VISIBILITY aclError aclrtGetErrorVerbose(int32_t deviceId, aclrtErrorInfo* errorInfo);

// ---- device ----
//
// A device is this computer's processor. There is one, number 0, unless the environment variables
// ACLNN_CPU_DEVICES or ASCEND_RT_VISIBLE_DEVICES say otherwise; all devices share the processor
// and memory. Each has a primary context, created by the first aclrtSetDevice().

/// Makes the primary context of a device current in the calling thread; counts one user of it.
///
/// @param deviceId 0 .. count-1
/// @return 0, repeated calls too; 107001 no such device
ACL_FUNC_VISIBILITY aclError aclrtSetDevice(int32_t deviceId);

/// Takes back one aclrtSetDevice(). The last one blocks until the work queued on the primary
/// context is done, then destroys that context and its streams. Memory stays allocated and can
/// still be freed (ours).
///
/// @param deviceId device
/// @return 0; 107001 no such device; 507007 it is not set
ACL_FUNC_VISIBILITY aclError aclrtResetDevice(int32_t deviceId);

/// As aclrtResetDevice(), at once for all users.
ACL_FUNC_VISIBILITY aclError aclrtResetDeviceForce(int32_t deviceId);

/// Device of the current context.
///
/// @param deviceId receives the number
/// @return 0; 100000 null; 107002 no current context
ACL_FUNC_VISIBILITY aclError aclrtGetDevice(int32_t* deviceId);

/// Number of devices.
///
/// @param count receives it
/// @return 0; 100000 null
ACL_FUNC_VISIBILITY aclError aclrtGetDeviceCount(uint32_t* count);

/// Where the program runs.
///
/// @param runMode receives ACL_HOST
/// @return 0; 100000 null
ACL_FUNC_VISIBILITY aclError aclrtGetRunMode(aclrtRunMode* runMode);

/// Blocks until all work queued on the streams of the current context's device is done.
///
/// @return 0; 107002 no current context; else the code of queued work that failed
ACL_FUNC_VISIBILITY aclError aclrtSynchronizeDevice(void);

/// The same with a limit.
///
/// @param timeout milliseconds, or -1 for no limit
/// @return as above; 107000 timeout is 0 or below -1; 507046 the limit was reached, work goes on
ACL_FUNC_VISIBILITY aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout);

// ---- context ----

/// Creates a context, with a default stream, and makes it current in the calling thread.
///
/// @param context receives the handle; the caller destroys it
/// @param deviceId device
/// @return 0; 100000 null; 107001 no such device
ACL_FUNC_VISIBILITY aclError aclrtCreateContext(aclrtContext* context, int32_t deviceId);

/// Destroys a context and its streams. Blocks until the work queued on them is done.
///
/// @param context handle from aclrtCreateContext()
/// @return 0; 100000 null; 107002 a primary context, or destroyed already
ACL_FUNC_VISIBILITY aclError aclrtDestroyContext(aclrtContext context);

/// Makes a context current in the calling thread.
///
/// @param context handle from aclrtCreateContext() or aclrtGetCurrentContext()
/// @return 0; 100000 null; 107000 unknown or destroyed
ACL_FUNC_VISIBILITY aclError aclrtSetCurrentContext(aclrtContext context);

/// Current context of the calling thread.
///
/// @param context receives the handle, which stays the property of its creator
/// @return 0; 100000 null; 107002 none
ACL_FUNC_VISIBILITY aclError aclrtGetCurrentContext(aclrtContext* context);

// ---- system parameters ----

/// Sets a parameter for the current context. ACL_OPT_DETERMINISTIC is accepted in each setting and
/// changes nothing: operators give the same bits for every setting and number of threads (ours).
///
/// @param opt DETERMINISTIC, ENABLE_DEBUG_KERNEL or STRONG_CONSISTENCY
/// @param value 0..3 for DETERMINISTIC, 0 or 1 for the others
/// @return 0; 100000 another opt; 107000 another value; 107002 no current context
ACL_FUNC_VISIBILITY aclError aclrtCtxSetSysParamOpt(aclSysParamOpt opt, int64_t value);

/// Reads it back. There is no default.
///
/// @param opt as above
/// @param value receives what was set
/// @return 0; 100000 `value` is null or another opt; 107002 no current context; 107021 never set
ACL_FUNC_VISIBILITY aclError aclrtCtxGetSysParamOpt(aclSysParamOpt opt, int64_t* value);

/// Sets a parameter for the process; ENABLE_KERNEL_EARLY_START is allowed too. Needs no context.
///
/// @param opt any of the enumeration
/// @param value 0..3 for DETERMINISTIC, 0 or 1 for the others
/// @return 0; 100000 another opt; 107000 another value
ACL_FUNC_VISIBILITY aclError aclrtSetSysParamOpt(aclSysParamOpt opt, int64_t value);

/// Reads it back.
///
/// @param opt any of the enumeration
/// @param value receives what was set
/// @return 0; 100000 `value` is null or another opt; 107021 never set
ACL_FUNC_VISIBILITY aclError aclrtGetSysParamOpt(aclSysParamOpt opt, int64_t* value);

#ifdef __cplusplus
}
#endif

#endif  // INC_EXTERNAL_ACL_ACL_RT_H_
