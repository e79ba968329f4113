#include "base/fp_environment.h"

#include <gtest/gtest.h>

#include <cfenv>

namespace aclnn_cpu {
namespace {

volatile double g_one = 1.0;
volatile double g_three = 3.0;
volatile double g_smallest_normal = 0x1p-1022;

// Not inlined, or the compiler might move the division across a change of the rounding mode.
__attribute__((noinline)) double OneThird() { return g_one / g_three; }
__attribute__((noinline)) double Subnormal() { return g_smallest_normal / 4; }

TEST(ScopedFpEnvironment, RoundsToNearestInsideAndRestoresTheCallersMode) {
  const double nearest = OneThird();  // below the exact third
  std::fesetround(FE_UPWARD);
  const double upward = OneThird();
  double inside = 0;
  {
    const ScopedFpEnvironment scope;
    inside = OneThird();
  }
  const double after = OneThird();
  const int mode = std::fegetround();
  std::fesetround(FE_TONEAREST);
  EXPECT_NE(upward, nearest);
  EXPECT_EQ(inside, nearest);
  EXPECT_EQ(after, upward);
  EXPECT_EQ(mode, FE_UPWARD);
}

TEST(ScopedFpEnvironment, RestoresTheCallersExceptionFlags) {
  std::feclearexcept(FE_ALL_EXCEPT);
  std::feraiseexcept(FE_DIVBYZERO);
  {
    const ScopedFpEnvironment scope;
    EXPECT_GT(OneThird(), 0.3);  // inexact
  }
  EXPECT_EQ(std::fetestexcept(FE_DIVBYZERO | FE_INEXACT), FE_DIVBYZERO);
  std::feclearexcept(FE_ALL_EXCEPT);
}

#if defined(__x86_64__)
TEST(ScopedFpEnvironment, KeepsSubnormalsThoughTheCallerFlushesThem) {
  const unsigned before = _mm_getcsr();
  _mm_setcsr(before | 0x8040);  // flush to zero, subnormals are zero
  const double flushed = Subnormal();
  double inside = 0;
  {
    const ScopedFpEnvironment scope;
    inside = Subnormal();
  }
  const double after = Subnormal();
  _mm_setcsr(before);
  EXPECT_EQ(flushed, 0.0);
  EXPECT_EQ(inside, 0x1p-1024);
  EXPECT_EQ(after, 0.0);
}
#endif

}  // namespace
}  // namespace aclnn_cpu
