#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_adaptive_avg_pool2d_backward.h"
#include "bench/device_tensor.h"
#include "bench/floor.h"
#include "bench/harness.h"
#include "bench/torch_peer.h"

namespace bench {
namespace {

using Shape = std::vector<int64_t>;

enum class Layout { kPacked, kChannelsLastOut, kChannelsLast, kExpandedGrad };

struct Problem {
  Dtype dtype;
  Shape self;  // N, C, H, W
  int64_t grad_height;
  int64_t grad_width;
  Layout layout = Layout::kPacked;

  Shape grad() const { return {self[0], self[1], grad_height, grad_width}; }
};

const char* LayoutName(Layout layout) {
  switch (layout) {
    case Layout::kChannelsLastOut:
      return "/channels-last-out";
    case Layout::kChannelsLast:
      return "/channels-last";
    case Layout::kExpandedGrad:
      return "/expanded-grad";
    case Layout::kPacked:
      break;
  }
  return "";
}

std::string NameOf(const Problem& problem) {
  const auto part = [](const char* letters, const Shape& shape) {
    std::string text;
    for (size_t i = 0; i < shape.size(); ++i) text += letters[i] + std::to_string(shape[i]);
    return text;
  };
  return std::string("adaptive_avg_pool2d_backward/") + NameOf(problem.dtype) + "/" +
         part("nchw", problem.self) + "/" + part("hw", {problem.grad_height, problem.grad_width}) +
         LayoutName(problem.layout);
}

Shape ChannelsLast(const Shape& shape) {
  return {shape[1] * shape[2] * shape[3], 1, shape[1] * shape[3], shape[1]};
}

// The tensors of a problem and the calls on them.
class Pool {
 public:
  explicit Pool(const Problem& problem)
      : grad_(problem.dtype, problem.grad(), GradStrides(problem)),
        out_(problem.dtype, problem.self, OutStrides(problem)) {
    grad_.FillUniform(-1, 1, 1);
  }

  void Call() { caller_.Call(PhaseOne(), aclnnAdaptiveAvgPool2dBackward); }
  void Prepare() { executor_ = caller_.Prepare(PhaseOne()); }
  void Repeat() { caller_.Repeat(executor_, aclnnAdaptiveAvgPool2dBackward); }
  ~Pool() {
    if (executor_ != nullptr) aclDestroyAclOpExecutor(executor_);
  }

  const DeviceTensor& grad() const { return grad_; }
  const DeviceTensor& out() const { return out_; }
  void Touch() const {
    grad_.Touch();
    out_.Touch();
  }

 private:
  static Shape GradStrides(const Problem& problem) {
    if (problem.layout == Layout::kExpandedGrad) return {0, 0, problem.grad_width, 1};
    return problem.layout == Layout::kChannelsLast ? ChannelsLast(problem.grad()) : Shape{};
  }
  static Shape OutStrides(const Problem& problem) {
    const bool last =
        problem.layout == Layout::kChannelsLast || problem.layout == Layout::kChannelsLastOut;
    return last ? ChannelsLast(problem.self) : Shape{};
  }
  Caller::PhaseOne PhaseOne() const {
    return [this](uint64_t* bytes, aclOpExecutor** executor) {
      return aclnnAdaptiveAvgPool2dBackwardGetWorkspaceSize(grad_.acl(), out_.acl(), out_.acl(),
                                                            bytes, executor);
    };
  }

  DeviceTensor grad_;
  DeviceTensor out_;
  Caller caller_;
  aclOpExecutor* executor_ = nullptr;
};

std::vector<Arm> Arms(const Problem& problem) {
  const auto pool = std::make_shared<Pool>(problem);
  const auto touch = [pool] { pool->Touch(); };
  std::byte* const out = pool->out().data();
  const size_t bytes = pool->out().bytes();
  std::vector<Arm> arms = {
      {"ours", [pool] { pool->Call(); }, touch},
      {"fill", [pool, out, bytes] { VectorFill(out, bytes); }, touch},
      {"fill streaming", [pool, out, bytes] { StreamingFill(out, bytes); }, touch},
      {"memset", [pool, out, bytes] { MemsetFill(out, bytes); }, touch}};
  if (auto run = TorchAdaptiveAvgPool2dBackward(pool->grad().peer(), pool->out().peer())) {
    arms.push_back({"torch", [pool, run] { run(); }, touch});
  }
  return arms;
}

Case MakeCase(const Problem& problem) {
  const double elements = static_cast<double>(
      std::accumulate(problem.self.begin(), problem.self.end(), int64_t{1}, std::multiplies<>()));
  return {NameOf(problem), elements * static_cast<double>(BytesOf(problem.dtype)), elements,
          [problem] { return Arms(problem); }};
}

// What two phases cost: the tensors are so small that nothing else counts.
Case OverheadCase(bool repeat) {
  const Problem problem{Dtype::kFloat, {1, 1, 4, 2}, 2, 1};
  Case result = MakeCase(problem);
  result.name = std::string("adaptive_avg_pool2d_backward/overhead/") +
                (repeat ? "repeatable-executor" : "two-phases");
  if (!repeat) return result;
  result.make = [problem] {
    const auto pool = std::make_shared<Pool>(problem);
    std::vector<Arm> arms = {{"ours", [pool] { pool->Repeat(); }, [pool] {}}};
    pool->Prepare();
    if (auto run = TorchAdaptiveAvgPool2dBackward(pool->grad().peer(), pool->out().peer())) {
      arms.push_back({"torch", [pool, run] { run(); }, [] {}});
    }
    return arms;
  };
  return result;
}

std::vector<Case> MakeCases() {
  const struct {
    Shape self;
    int64_t grad_height;
    int64_t grad_width;
  } shapes[] = {
      {{32, 2048, 7, 7}, 1, 1},     {{64, 512, 7, 7}, 1, 1},     {{128, 2048, 7, 7}, 1, 1},
      {{16, 512, 14, 14}, 6, 6},    {{1, 768, 16, 16}, 6, 6},    {{1, 768, 16, 16}, 7, 7},
      {{1, 768, 16, 16}, 14, 14},   {{2, 512, 32, 32}, 3, 5},    {{1, 256, 56, 56}, 9, 9},
      {{1, 3, 1024, 1024}, 13, 17}, {{8, 256, 64, 64}, 7, 7},    {{4, 64, 224, 224}, 7, 7},
      {{4, 64, 224, 224}, 13, 13},  {{8, 64, 7, 7}, 14, 14},     {{1, 1, 1, 8191}, 1, 8190},
      {{1, 64, 1, 8191}, 1, 8190},  {{1, 64, 56, 56}, 112, 112},
  };
  std::vector<Case> cases;
  for (const Dtype dtype : {Dtype::kFloat, Dtype::kBFloat16, Dtype::kFloat16}) {
    for (const auto& shape : shapes) {
      cases.push_back(MakeCase({dtype, shape.self, shape.grad_height, shape.grad_width}));
    }
  }
  for (const auto& self : {Shape{32, 2048, 7, 7}, Shape{8, 256, 64, 64}, Shape{16, 512, 14, 14}}) {
    const int64_t size = self[3] == 7 ? 1 : self[3] == 64 ? 7 : 6;
    for (const Layout layout :
         {Layout::kChannelsLastOut, Layout::kChannelsLast, Layout::kExpandedGrad}) {
      cases.push_back(MakeCase({Dtype::kFloat, self, size, size, layout}));
    }
  }
  cases.push_back(OverheadCase(false));
  cases.push_back(OverheadCase(true));
  return cases;
}

const bool kAdded = AddCases(MakeCases());

}  // namespace
}  // namespace bench
