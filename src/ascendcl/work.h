#ifndef ACLNN_CPU_ASCENDCL_WORK_H_
#define ACLNN_CPU_ASCENDCL_WORK_H_

#include <cstdint>
#include <memory>
#include <span>

#include "acl/acl_base.h"
#include "base/shape.h"
#include "base/status.h"

namespace aclnn_cpu {

// One argument of queued work as memory: a strided box. Exact, so that interleaved views of one
// buffer are told apart.
struct MemoryAccess {
  const char* argument;  // CANN's argument name: "gridGrad", "dst", "workspace"
  const void* address;   // of the first element
  StridedView view;      // extents and element strides
  int64_t element_bytes;
  bool is_write;
  // The pointer that the caller gave, whose allocation must hold the view; null: `address`.
  const void* base = nullptr;
};

// What a stream executes. Owns everything it needs but the device memory itself: callers destroy
// tensors and executors as soon as phase two has returned.
class Work {
 public:
  virtual ~Work() = default;
  Work() = default;
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;

  // Runs on a stream worker or on a caller's thread, with MXCSR at its default and no lock of the
  // library held. A failure becomes the result of the next synchronisation of the stream.
  virtual Status Run() = 0;

  // The C function that made it: "aclrtMemcpyAsync".
  virtual const char* Api() const = 0;
  // True for operators, which take device memory only.
  virtual bool IsOperator() const { return false; }

  // The memory that Run() reads and writes; empty for empty work.
  virtual std::span<const MemoryAccess> Accesses() const = 0;

  // Strict mode, before the first Run(): replaces every address that Run() uses by twin(address).
  // Accesses() keep the caller's.
  using Twin = void* (*)(const void* address);
  virtual void UseTwins(Twin twin) = 0;

  // Estimated time on one thread, in microseconds; decides between running at once and queueing.
  virtual double EstimatedMicroseconds() const = 0;
};

// Queues `work` on `stream` (null: the default stream of the calling thread's current context), or
// runs it at once if that is cheaper than waking the stream's worker and the stream is idle. Fails
// without taking effect: unknown stream 107017, no context for a null stream 107002, forked process
// 107002.
Status EnqueueWork(aclrtStream stream, std::unique_ptr<Work> work);

// The two halves of that. Of the second only the stream's being destroyed meanwhile, 107017, can
// fail.
class Stream;
StatusOr<std::shared_ptr<Stream>> FindStreamForWork(aclrtStream stream);
Status EnqueueWork(Stream& stream, std::unique_ptr<Work> work);
// Runs `work` on the calling thread where EnqueueWork would, without taking it over; false, and
// nothing has happened, where it would not, and in strict mode.
bool RunIfTiny(Stream& stream, Work& work);

// True in a forked child of a process that had used the runtime, until aclInit or aclrtSetDevice
// succeeds in the child: the parent's threads and handles do not exist here.
bool ForkedWithoutInit();

// What an error message tells a caller in that state.
inline constexpr char kForkedText[] =
    "this process was forked after aclInit; call aclInit and aclrtSetDevice again";

}  // namespace aclnn_cpu

#endif  // ACLNN_CPU_ASCENDCL_WORK_H_
