#ifndef ACLNN_CPU_NNOPBASE_LIVE_OBJECTS_H_
#define ACLNN_CPU_NNOPBASE_LIVE_OBJECTS_H_

#include <cstdint>

#include "ascendcl/strict_hooks.h"

namespace aclnn_cpu {

struct CallStack;
struct NnopState;

// The C objects that callers create and must destroy. Executors are handles and counted apart.
enum class ObjectKind {
  kTensor,
  kScalar,
  kIntArray,
  kFloatArray,
  kBoolArray,
  kTensorList,
  kScalarList,
};

// A member of every C object: a node in the list of all live ones. Thread-safe; costs a lock and
// four pointers.
class LiveObject {
 public:
  explicit LiveObject(ObjectKind kind);
  ~LiveObject();
  LiveObject(const LiveObject&) = delete;
  LiveObject& operator=(const LiveObject&) = delete;

 private:
  friend int64_t CountLiveObjects(ObjectKind kind);
  friend void ReportLiveObjects(LeakTime time);

  const ObjectKind kind_;
  NnopState* const state_;  // whose list it is in: in a forked child the parent's is out of bounds
  LiveObject* previous_ = nullptr;
  LiveObject* next_ = nullptr;
  CallStack* created_ = nullptr;  // strict mode only, until the object was reported
};

// How many objects of a kind were created and not destroyed yet; a forked child counts its own
// only. Walks the list.
int64_t CountLiveObjects(ObjectKind kind);

// How many executors are neither used up nor destroyed.
int64_t CountLiveExecutors();

}  // namespace aclnn_cpu

#endif  // ACLNN_CPU_NNOPBASE_LIVE_OBJECTS_H_
