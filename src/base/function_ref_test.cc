#include "base/function_ref.h"

#include <gtest/gtest.h>

#include <memory>

namespace aclnn_cpu {
namespace {

int Twice(FunctionRef<int(int)> f, int x) { return f(f(x)); }

TEST(FunctionRef, CallsLambdasWithState) {
  int calls = 0;
  EXPECT_EQ(Twice(
                [&calls](int x) {
                  ++calls;
                  return x * 3;
                },
                2),
            18);
  EXPECT_EQ(calls, 2);
}

TEST(FunctionRef, CallsConstAndMutableObjects) {
  const auto plus_one = [](int x) { return x + 1; };
  EXPECT_EQ(Twice(plus_one, 5), 7);
  auto counting = [n = 0](int x) mutable { return x + ++n; };
  EXPECT_EQ(Twice(counting, 0), 3);
  EXPECT_EQ(counting(0), 3);  // the object itself was called, not a copy
}

TEST(FunctionRef, CopiesReferToTheSameObject) {
  int sum = 0;
  const auto add = [&sum](int x) { sum += x; };
  const FunctionRef<void(int)> first = add;
  const FunctionRef<void(int)> second = first;
  first(1);
  second(2);
  EXPECT_EQ(sum, 3);
}

TEST(FunctionRef, PassesMoveOnlyArgumentsAndReferences) {
  const auto take = [](std::unique_ptr<int> value, int& out) { out = *value; };
  const FunctionRef<void(std::unique_ptr<int>, int&)> f = take;
  int out = 0;
  f(std::make_unique<int>(9), out);
  EXPECT_EQ(out, 9);
}

}  // namespace
}  // namespace aclnn_cpu
