// What the programs of this folder share. Each plants one fault, or with a second argument does the
// same without it:   <program> <case> fault|fixed

#ifndef ACLNN_CPU_TESTS_STRICT_CLIENT_H_
#define ACLNN_CPU_TESTS_STRICT_CLIENT_H_

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <vector>

#include "acl/acl.h"
#include "aclnnop/aclnn_adaptive_avg_pool2d_backward.h"

// Ends the program if a call that must succeed does not.
inline void Must(int code, const char* what) {
  if (code == 0) return;
  const char* const text = aclGetRecentErrMsg();
  std::fprintf(stderr, "%s: %d %s\n", what, code, text != nullptr ? text : "");
  std::exit(3);
}
#define MUST(call) Must((call), #call)

// Device 0 and a stream between aclInit and aclFinalize.
class Session {
 public:
  Session() {
    MUST(aclInit(nullptr));
    MUST(aclrtSetDevice(0));
    MUST(aclrtCreateStream(&stream));
  }
  ~Session() {
    MUST(aclrtDestroyStream(stream));
    MUST(aclrtResetDevice(0));
    MUST(aclFinalize());
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  aclrtStream stream = nullptr;
};

// A second stream, and an event.
class Extra {
 public:
  Extra() {
    MUST(aclrtCreateStream(&stream));
    MUST(aclrtCreateEvent(&event));
  }
  ~Extra() {
    MUST(aclrtDestroyEvent(event));
    MUST(aclrtDestroyStream(stream));
  }
  Extra(const Extra&) = delete;
  Extra& operator=(const Extra&) = delete;

  aclrtStream stream = nullptr;
  aclrtEvent event = nullptr;
};

inline void ReadBack(const void* device, size_t bytes) {
  std::vector<char> host(bytes);
  MUST(aclrtMemcpy(host.data(), bytes, device, bytes, ACL_MEMCPY_DEVICE_TO_HOST));
}

inline void* Allocate(size_t bytes) {
  void* memory = nullptr;
  MUST(aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
  return memory;
}

inline void* AllocateFilled(size_t bytes) {
  void* const memory = Allocate(bytes);
  MUST(aclrtMemset(memory, bytes, 0, bytes));
  return memory;
}

// A float tensor [1, 2, H, W] on memory of somebody.
inline aclTensor* MakeTensor(int64_t height, int64_t width, void* memory, int64_t offset = 0) {
  const int64_t dims[] = {1, 2, height, width};
  const int64_t storage[] = {2 * height * width + offset};
  return aclCreateTensor(dims, 4, ACL_FLOAT, nullptr, offset, ACL_FORMAT_NCHW, storage, 1, memory);
}

// One call of the pooling gradient, [1, 2, 3, 3] to [1, 2, 5, 5], whose parts a case may replace.
struct Pool {
  static constexpr size_t kGradBytes = 2 * 3 * 3 * sizeof(float);
  static constexpr size_t kOutBytes = 2 * 5 * 5 * sizeof(float);

  Pool() : grad_memory(AllocateFilled(kGradBytes)), out_memory(Allocate(kOutBytes)) {
    grad = MakeTensor(3, 3, grad_memory);
    self = MakeTensor(5, 5, out_memory);
    out = MakeTensor(5, 5, out_memory);
  }
  ~Pool() {
    for (aclTensor* tensor : {grad, self, out}) {
      if (tensor != nullptr) aclDestroyTensor(tensor);
    }
    for (void* memory : {grad_memory, out_memory, workspace}) {
      if (memory != nullptr) MUST(aclrtFree(memory));
    }
  }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  void PhaseOne() {
    MUST(aclnnAdaptiveAvgPool2dBackwardGetWorkspaceSize(grad, self, out, &workspace_size,
                                                        &executor));
    if (workspace == nullptr) workspace = Allocate(workspace_size);
  }
  int PhaseTwo(aclrtStream stream) {
    return aclnnAdaptiveAvgPool2dBackward(workspace, workspace_size, executor, stream);
  }
  void Launch(aclrtStream stream) {
    PhaseOne();
    MUST(PhaseTwo(stream));
  }
  void Run(aclrtStream stream) {
    Launch(stream);
    MUST(aclrtSynchronizeStream(stream));
  }

  void* grad_memory;
  void* out_memory;
  void* workspace = nullptr;
  uint64_t workspace_size = 0;
  aclTensor* grad;
  aclTensor* self;
  aclTensor* out;
  aclOpExecutor* executor = nullptr;
};

struct Case {
  const char* name;
  void (*run)(bool fault);
};

inline int RunCase(int argc, char** argv, std::initializer_list<Case> cases) {
  for (const Case& row : cases) {
    if (argc != 3 || std::strcmp(argv[1], row.name) != 0) continue;
    row.run(std::strcmp(argv[2], "fault") == 0);
    return 0;
  }
  std::fprintf(stderr, "usage: %s <case> fault|fixed\n", argv[0]);
  return 2;
}

#endif  // ACLNN_CPU_TESTS_STRICT_CLIENT_H_
