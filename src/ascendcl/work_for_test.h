#ifndef ACLNN_CPU_ASCENDCL_WORK_FOR_TEST_H_
#define ACLNN_CPU_ASCENDCL_WORK_FOR_TEST_H_

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <thread>
#include <utility>

#include "acl/acl.h"
#include "ascendcl/work.h"

namespace aclnn_cpu {

// Estimates on both sides of the limit for running at once.
inline constexpr double kTiny = 1;
inline constexpr double kSmall = 50;
inline constexpr double kLong = 1000;

// Work that calls a function.
class FunctionWork final : public Work {
 public:
  FunctionWork(std::function<Status()> function, double microseconds)
      : function_(std::move(function)), microseconds_(microseconds) {}

  Status Run() override { return function_(); }
  const char* Api() const override { return "work of a test"; }
  std::span<const MemoryAccess> Accesses() const override { return {}; }
  void UseTwins(Twin) override {}
  double EstimatedMicroseconds() const override { return microseconds_; }

 private:
  const std::function<Status()> function_;
  const double microseconds_;
};

inline std::unique_ptr<Work> WorkOf(std::function<Status()> function, double microseconds) {
  return std::make_unique<FunctionWork>(std::move(function), microseconds);
}

template <typename Function>
std::unique_ptr<Work> WorkDoing(Function function, double microseconds) {
  return WorkOf(
      [function]() mutable {
        function();
        return Status();
      },
      microseconds);
}

// Polls until `condition` holds; false after ten seconds, far more than anything here takes.
template <typename Condition>
bool Eventually(Condition condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (std::chrono::steady_clock::now() < end) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  return condition();
}

// Holds up a stream: work that ends when the gate is opened. Outlive the work.
class Gate {
 public:
  ~Gate() { Open(); }

  std::unique_ptr<Work> NewWork() {
    return WorkDoing(
        [this] {
          entered_ = true;
          open_.wait(false);
          ++passed_;
        },
        kLong);
  }
  void Open() {
    open_ = true;
    open_.notify_all();
  }
  // Waits until some thread runs the work.
  bool WaitUntilEntered() {
    return Eventually([this] { return entered_.load(); });
  }
  int passed() const { return passed_; }

 private:
  std::atomic<bool> entered_{false};
  std::atomic<bool> open_{false};
  std::atomic<int> passed_{0};
};

// Device 0 is current while this lives; its streams and queued work are gone afterwards.
class DeviceForTest {
 public:
  DeviceForTest() : code_(aclrtSetDevice(0)) {}
  ~DeviceForTest() { aclrtResetDevice(0); }

  aclError code() const { return code_; }

 private:
  const aclError code_;
};

}  // namespace aclnn_cpu

#endif  // ACLNN_CPU_ASCENDCL_WORK_FOR_TEST_H_
