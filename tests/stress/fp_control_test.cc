#include <gtest/gtest.h>

#include <cfenv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "stress/device_test.h"
#include "stress/workload.h"

// The caller's floating-point control: work runs on its thread too, and threads of the library
// inherit it from the one that creates them. It must change no result and be the caller's again
// after each call.
namespace aclnn_cpu::test {
namespace {

// Bits of MXCSR, which exist on x86-64 only.
constexpr unsigned kFlags = 0x3f;  // what has happened so far, no control
constexpr unsigned kSubnormalsAreZero = 0x8040;
constexpr unsigned kQuietExceptions = 0x0680;  // overflow, division by zero, invalid

struct Control {
  const char* name;
  int rounding;
  bool subnormals_are_zero;
  bool traps;  // unmasks kQuietExceptions: SIGFPE where they happen
};

constexpr Control kControls[] = {
    {"upward", FE_UPWARD, false, false},
    {"downward", FE_DOWNWARD, false, false},
    {"toward_zero", FE_TOWARDZERO, false, false},
    {"subnormals_are_zero", FE_TONEAREST, true, false},
    {"subnormals_are_zero_upward", FE_UPWARD, true, false},
    {"traps", FE_TONEAREST, false, true},
};

// Sets a control for a scope.
class ScopedControl {
 public:
  explicit ScopedControl(const Control& control) {
    std::fegetenv(&saved_);
    std::fesetround(control.rounding);
#if defined(__x86_64__)
    unsigned csr = _mm_getcsr() & ~kFlags;
    if (control.subnormals_are_zero) csr |= kSubnormalsAreZero;
    if (control.traps) csr &= ~kQuietExceptions;
    _mm_setcsr(csr);
#endif
    set_ = Current();
  }
  ~ScopedControl() { std::fesetenv(&saved_); }
  ScopedControl(const ScopedControl&) = delete;
  ScopedControl& operator=(const ScopedControl&) = delete;

  bool IsInPlace() const { return Current() == set_; }

 private:
  static unsigned Current() {
#if defined(__x86_64__)
    return _mm_getcsr() & ~kFlags;
#else
    return static_cast<unsigned>(std::fegetround());
#endif
  }

  std::fenv_t saved_;
  unsigned set_ = 0;
};

// Makes gradients, and with them the results, subnormal numbers of the dtype.
double SubnormalScale(aclDataType dtype) {
  return dtype == ACL_FLOAT16 ? 1e-5 : dtype == ACL_DOUBLE ? 1e-309 : 1e-39;
}

double SmallestNormal(aclDataType dtype) {
  if (dtype == ACL_FLOAT16) return 0x1p-14;
  return dtype == ACL_DOUBLE ? std::numeric_limits<double>::min() : 0x1p-126;
}

// Both infinities, NaN and numbers whose sums overflow among the gradients.
void AddSpecialGradients(Workload* workload) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const double largest = workload->kind().dtype == ACL_FLOAT16  ? 65504
                         : workload->kind().dtype == ACL_DOUBLE ? std::numeric_limits<double>::max()
                                                                : 0x1.fep127;
  const double specials[] = {kInf, -kInf, std::nan(""), largest, largest, -largest};
  HostTensor& gradients = workload->memory(0);
  for (int64_t i = 0; i < gradients.count(); i += 3)
    gradients.Set(i, specials[static_cast<size_t>(i / 3) % std::size(specials)]);
}

// Runs the two phases and the wait under `control`, all threads that take part created under it.
void RunUnder(const Control& control, Workload* workload) {
  // Ends the threads that the library has.
  ASSERT_EQ(aclFinalize(), 0);
  ASSERT_EQ(aclInit(nullptr), 0);
  const Stream stream;
  workload->SpoilResults();
  const Arguments arguments = workload->MakeArguments();
  const Op op = workload->kind().op;
  DirtyWorkspace workspace(1);
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;

  const ScopedControl scoped(control);
  ASSERT_EQ(arguments.PhaseOne(&size, &executor), 0);
  ASSERT_TRUE(scoped.IsInPlace()) << "after phase one";
  ASSERT_EQ(PhaseTwo(op, workspace.Make(size), size, executor, stream.get()), 0);
  ASSERT_TRUE(scoped.IsInPlace()) << "after phase two";
  ASSERT_EQ(aclrtSynchronizeStream(stream.get()), 0);
  ASSERT_TRUE(scoped.IsInPlace()) << "after the wait";
}

class StressFpControl : public DeviceTest, public ::testing::WithParamInterface<Kind> {
 protected:
  void ExpectSameUnderAllControls(Workload* workload) {
    ASSERT_EQ(workload->Run(nullptr), 0);
    const std::vector<std::byte> want = workload->Results();
    for (const Control& control : kControls) {
      SCOPED_TRACE(control.name);
      // More than once: whether the caller, the stream's worker or the pool computes is chance.
      for (int repetition = 0; repetition < 3; ++repetition) {
        RunUnder(control, workload);
        if (HasFatalFailure()) return;
        EXPECT_TRUE(workload->ResultsAre(want));
      }
    }
  }
};

TEST_P(StressFpControl, DoesNotChangeOrdinaryResults) {
  Workload workload(GetParam());
  ExpectSameUnderAllControls(&workload);
}

TEST_P(StressFpControl, DoesNotChangeSubnormalResults) {
  const aclDataType dtype = GetParam().dtype;
  Workload workload(GetParam(), 1, SubnormalScale(dtype));
  ASSERT_EQ(workload.Run(nullptr), 0);
  int64_t subnormals = 0;
  for (double value : workload.memory(workload.first_output()).Values()) {
    if (value != 0 && std::fabs(value) < SmallestNormal(dtype)) ++subnormals;
  }
  ASSERT_GT(subnormals, 5) << "flushing to zero would change nothing";
  ExpectSameUnderAllControls(&workload);
}

TEST_P(StressFpControl, DoesNotChangeInfinitiesAndNans) {
  Workload workload(GetParam());
  AddSpecialGradients(&workload);
  ExpectSameUnderAllControls(&workload);
}

INSTANTIATE_TEST_SUITE_P(BothOperators, StressFpControl, ::testing::ValuesIn(kKinds),
                         [](const auto& kind) { return Label(kind.param); });

}  // namespace
}  // namespace aclnn_cpu::test
