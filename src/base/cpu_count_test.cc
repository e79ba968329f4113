#include "base/cpu_count.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

namespace aclnn_cpu {
namespace {

namespace fs = std::filesystem;

// A tree that stands in for / .
class CgroupTree : public ::testing::Test {
 protected:
  CgroupTree() {
    std::string name = (fs::temp_directory_path() / "aclnn_cpu_cgroup_XXXXXX").string();
    root_ = mkdtemp(name.data());
  }
  ~CgroupTree() override { fs::remove_all(root_); }

  void Write(const std::string& path, const std::string& text) {
    fs::create_directories(fs::path(root_ + path).parent_path());
    std::ofstream(root_ + path) << text;
  }
  int Limit() const { return CgroupCpuLimit(root_); }

 private:
  std::string root_;
};

TEST_F(CgroupTree, NoFilesMeanNoLimit) { EXPECT_EQ(Limit(), 0); }

TEST_F(CgroupTree, Version2QuotaIsRoundedUp) {
  Write("/proc/self/cgroup", "0::/a\n");
  Write("/sys/fs/cgroup/a/cpu.max", "250000 100000\n");
  EXPECT_EQ(Limit(), 3);
  Write("/sys/fs/cgroup/a/cpu.max", "200000 100000\n");
  EXPECT_EQ(Limit(), 2);
  Write("/sys/fs/cgroup/a/cpu.max", "1000 100000\n");
  EXPECT_EQ(Limit(), 1);
}

TEST_F(CgroupTree, Version2MaxMeansNoLimit) {
  Write("/proc/self/cgroup", "0::/a\n");
  Write("/sys/fs/cgroup/a/cpu.max", "max 100000\n");
  EXPECT_EQ(Limit(), 0);
}

TEST_F(CgroupTree, TheTightestGroupAboveDecides) {
  Write("/proc/self/cgroup", "0::/a/b/c\n");
  Write("/sys/fs/cgroup/a/b/c/cpu.max", "800000 100000\n");
  Write("/sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
  Write("/sys/fs/cgroup/a/cpu.max", "400000 100000\n");
  EXPECT_EQ(Limit(), 4);
}

TEST_F(CgroupTree, AContainerSeesItsLimitAtTheMountPoint) {
  Write("/proc/self/cgroup", "0::/docker/0123abc\n");
  Write("/sys/fs/cgroup/cpu.max", "150000 100000\n");
  EXPECT_EQ(Limit(), 2);
}

TEST_F(CgroupTree, Version1) {
  Write("/proc/self/cgroup", "7:memory:/m\n4:cpuset:/s\n3:cpu,cpuacct:/a\n0::/\n");
  Write("/sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "300000\n");
  Write("/sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000\n");
  Write("/sys/fs/cgroup/cpu/s/cpu.cfs_quota_us", "100000\n");
  Write("/sys/fs/cgroup/cpu/s/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(Limit(), 3);
  Write("/sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "-1\n");
  EXPECT_EQ(Limit(), 0);
}

TEST_F(CgroupTree, NonsenseMeansNoLimit) {
  Write("/proc/self/cgroup", "\n::\nx\n0:\n0::a\n");
  for (const char* text : {"", "max", "100000", "100000 ", "100000 0", "-5 100000", "0 100000"}) {
    Write("/sys/fs/cgroup/cpu.max", text);
    EXPECT_EQ(Limit(), 0) << text;
  }
}

TEST_F(CgroupTree, HugeQuotaDoesNotOverflow) {
  Write("/proc/self/cgroup", "0::/\n");
  Write("/sys/fs/cgroup/cpu.max", "9223372036854775807 1\n");
  EXPECT_EQ(Limit(), 1 << 20);
}

TEST(CpuCount, FollowsTheAffinityMask) {
  const int all = UsableCpuCount();
  EXPECT_GE(all, 1);
  EXPECT_LE(all, static_cast<int>(std::thread::hardware_concurrency()));
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof(before), &before), 0);
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<size_t>(sched_getcpu()), &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
  EXPECT_EQ(UsableCpuCount(), 1);
  ASSERT_EQ(sched_setaffinity(0, sizeof(before), &before), 0);
  EXPECT_EQ(UsableCpuCount(), all);
}

}  // namespace
}  // namespace aclnn_cpu
