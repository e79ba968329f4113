#include "base/status.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace aclnn_cpu {
namespace {

Status RequireSmall(int value) {
  if (value > 9) FAIL(42, "value is {}, must be at most {}", value, 9);
  return {};
}

Status RequireBothSmall(int a, int b, int* checks_done) {
  RETURN_IF_ERROR(RequireSmall(a));
  ++*checks_done;
  RETURN_IF_ERROR(RequireSmall(b));
  ++*checks_done;
  return {};
}

StatusOr<std::unique_ptr<int>> MakeSmall(int value) {
  RETURN_IF_ERROR(RequireSmall(value));
  return std::make_unique<int>(value);
}

StatusOr<int> SumOfSmall(int a, int b) {
  ASSIGN_OR_RETURN(const std::unique_ptr<int> first, MakeSmall(a));
  ASSIGN_OR_RETURN(const std::unique_ptr<int> second, MakeSmall(b));
  return *first + *second;
}

TEST(Status, DefaultIsSuccess) {
  EXPECT_TRUE(Status().ok());
  EXPECT_EQ(Status().code(), 0);
  EXPECT_EQ(Status().message(), "");
}

TEST(Status, FailCarriesCodeAndText) {
  const Status status = RequireSmall(10);
  EXPECT_FALSE(status.ok());
  EXPECT_EQ(status.code(), 42);
  EXPECT_EQ(status.message(), "value is 10, must be at most 9");
}

TEST(Status, ReturnIfErrorStopsAtTheFirstFailure) {
  int done = 0;
  EXPECT_TRUE(RequireBothSmall(1, 2, &done).ok());
  EXPECT_EQ(done, 2);
  EXPECT_EQ(RequireBothSmall(11, 12, &done).message(), "value is 11, must be at most 9");
  EXPECT_EQ(done, 2);
}

TEST(StatusOr, HoldsEitherValueOrReason) {
  EXPECT_EQ(SumOfSmall(3, 4).value(), 7);
  const StatusOr<int> failed = SumOfSmall(3, 40);
  EXPECT_FALSE(failed.ok());
  EXPECT_EQ(failed.status().code(), 42);
  EXPECT_EQ(failed.status().message(), "value is 40, must be at most 9");
}

}  // namespace
}  // namespace aclnn_cpu
