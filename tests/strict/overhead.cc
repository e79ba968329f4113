// Times what strict mode slows down: prints the median time of each call of a list, in nanoseconds.
//   overhead [repetitions]
// measure_overhead.sh runs it with strict mode on and off in turn.
#include <algorithm>
#include <chrono>
#include <functional>
#include <string>

#include "aclnnop/aclnn_grid_sampler3d_backward.h"
#include "clients/client.h"

namespace {

double MedianNs(int repetitions, const std::function<void()>& call) {
  std::vector<double> times;
  for (int i = 0; i < repetitions + repetitions / 5 + 1; ++i) {
    const auto start = std::chrono::steady_clock::now();
    call();
    const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - start;
    if (i > repetitions / 5) times.push_back(time.count());
  }
  std::nth_element(times.begin(), times.begin() + static_cast<long>(times.size() / 2), times.end());
  return times[times.size() / 2];
}

// The pooling gradient on planes of these sizes; out contiguous or with a gap after each row.
struct PoolCall {
  PoolCall(int64_t planes, int64_t pooled, int64_t size, int64_t gap) {
    const int64_t grad_dims[] = {1, planes, pooled, pooled};
    const int64_t out_dims[] = {1, planes, size, size};
    const int64_t row = size + gap;
    const int64_t strides[] = {planes * size * row, size * row, row, 1};
    const int64_t storage[] = {planes * size * row};
    const size_t grad_bytes = static_cast<size_t>(planes * pooled * pooled) * sizeof(float);
    grad_memory = AllocateFilled(grad_bytes);
    out_memory = AllocateFilled(static_cast<size_t>(storage[0]) * sizeof(float));
    grad = aclCreateTensor(grad_dims, 4, ACL_FLOAT, nullptr, 0, ACL_FORMAT_NCHW, grad_dims, 4,
                           grad_memory);
    out = aclCreateTensor(out_dims, 4, ACL_FLOAT, strides, 0, ACL_FORMAT_NCHW, storage, 1,
                          out_memory);
    uint64_t size_now = 0;
    aclOpExecutor* executor = nullptr;
    MUST(aclnnAdaptiveAvgPool2dBackwardGetWorkspaceSize(grad, out, out, &size_now, &executor));
    MUST(aclDestroyAclOpExecutor(executor));
    workspace = Allocate(size_now);
  }
  ~PoolCall() {
    aclDestroyTensor(grad);
    aclDestroyTensor(out);
    for (void* memory : {grad_memory, out_memory, workspace}) MUST(aclrtFree(memory));
  }
  void Run(aclrtStream stream) const {
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    MUST(aclnnAdaptiveAvgPool2dBackwardGetWorkspaceSize(grad, out, out, &size, &executor));
    MUST(aclnnAdaptiveAvgPool2dBackward(workspace, size, executor, stream));
    MUST(aclrtSynchronizeStream(stream));
  }

  void* grad_memory;
  void* out_memory;
  void* workspace;
  aclTensor* grad;
  aclTensor* out;
};

void Print(const char* name, double ns) { std::printf("%-34s %.0f\n", name, ns); }

}  // namespace

int main(int argc, char** argv) {
  const int repetitions = argc > 1 ? std::atoi(argv[1]) : 200;
  const Session session;
  const PoolCall tiny(2, 3, 5, 0);
  const PoolCall medium(64, 7, 56, 0);
  const PoolCall big(256, 14, 112, 0);
  const PoolCall strided(16, 7, 56, 8);
  Print("pool 2x5x5, both phases and wait",
        MedianNs(20 * repetitions, [&] { tiny.Run(session.stream); }));
  Print("pool 64x56x56", MedianNs(repetitions, [&] { medium.Run(session.stream); }));
  Print("pool 256x112x112", MedianNs(repetitions / 10 + 3, [&] { big.Run(session.stream); }));
  Print("pool 16x56x56, 896 pieces", MedianNs(repetitions, [&] { strided.Run(session.stream); }));
  Print("aclCreateTensor and its end",
        MedianNs(20 * repetitions, [] { aclDestroyTensor(MakeTensor(3, 3, nullptr)); }));
  Print("aclrtMalloc and aclrtFree, 1 KiB",
        MedianNs(20 * repetitions, [] { MUST(aclrtFree(Allocate(1024))); }));
  Print("the same, 16 MiB, filled",
        MedianNs(repetitions / 10 + 3, [] { MUST(aclrtFree(AllocateFilled(size_t{16} << 20))); }));
  char host[1024] = {};
  void* const memory = Allocate(sizeof(host));
  Print("aclrtMemcpy, 1 KiB", MedianNs(20 * repetitions, [&] {
          MUST(aclrtMemcpy(memory, sizeof(host), host, sizeof(host), ACL_MEMCPY_HOST_TO_DEVICE));
        }));
  MUST(aclrtFree(memory));
  return 0;
}
