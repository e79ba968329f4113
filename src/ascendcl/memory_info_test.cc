#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "ascendcl/device_memory.h"

namespace aclnn_cpu {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMiB = size_t{1} << 20;

// A made-up /proc and /sys of a computer with 1000 MiB, 600 of them available.
class MemoryInfoTest : public ::testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::temp_directory_path() / ("aclnn_cpu_memory_" + std::to_string(getpid()));
    Write(
        "proc/meminfo",
        "MemTotal:        1024000 kB\nMemFree:          100000 kB\nMemAvailable:     614400 kB\n");
  }
  void TearDown() override { fs::remove_all(root_); }

  void Write(const fs::path& file, const std::string& text) {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text;
  }
  void Expect(size_t free_mib, size_t total_mib) {
    const MemoryInfo info = ReadMemoryInfo(root_.string());
    EXPECT_EQ(info.free_bytes, free_mib * kMiB);
    EXPECT_EQ(info.total_bytes, total_mib * kMiB);
  }

  fs::path root_;
};

TEST_F(MemoryInfoTest, IsThatOfTheComputerWithoutAControlGroup) { Expect(600, 1000); }

TEST_F(MemoryInfoTest, GroupWithoutALimitChangesNothing) {
  Write("proc/self/cgroup", "0::/user/job\n");
  Write("sys/fs/cgroup/user/job/memory.max", "max\n");
  Write("sys/fs/cgroup/user/job/memory.current", "1048576\n");
  Expect(600, 1000);
}

TEST_F(MemoryInfoTest, GroupLimitCounts) {
  Write("proc/self/cgroup", "0::/user/job\n");
  Write("sys/fs/cgroup/user/job/memory.max", std::to_string(400 * kMiB));
  Write("sys/fs/cgroup/user/job/memory.current", std::to_string(150 * kMiB));
  Expect(250, 400);
}

TEST_F(MemoryInfoTest, TightestGroupUpToTheRootDecides) {
  Write("proc/self/cgroup", "1:cpu:/x\n0::/user/job\n");
  Write("sys/fs/cgroup/user/job/memory.max", std::to_string(400 * kMiB));
  Write("sys/fs/cgroup/user/job/memory.current", std::to_string(100 * kMiB));
  Write("sys/fs/cgroup/user/memory.max", std::to_string(300 * kMiB));
  Write("sys/fs/cgroup/user/memory.current", std::to_string(290 * kMiB));
  Expect(10, 300);
}

TEST_F(MemoryInfoTest, ContainerSeesItsLimitAtTheRoot) {
  Write("proc/self/cgroup", "0::/not/visible/here\n");
  Write("sys/fs/cgroup/memory.max", std::to_string(200 * kMiB));
  Write("sys/fs/cgroup/memory.current", std::to_string(250 * kMiB));  // above, for a moment
  Expect(0, 200);
}

TEST_F(MemoryInfoTest, FirstVersionOfControlGroups) {
  Write("proc/self/cgroup", "4:memory:/not/visible/here\n0::/\n");
  Write("sys/fs/cgroup/memory/memory.limit_in_bytes", std::to_string(500 * kMiB));
  Write("sys/fs/cgroup/memory/memory.usage_in_bytes", std::to_string(100 * kMiB));
  Expect(400, 500);
}

TEST_F(MemoryInfoTest, FirstVersionsTightestGroupUpToTheRootDecides) {
  Write("proc/self/cgroup", "5:cpu:/x\n4:hugetlb,memory:/user/job\n");
  Write("sys/fs/cgroup/memory/x/memory.limit_in_bytes", std::to_string(100 * kMiB));
  Write("sys/fs/cgroup/memory/user/job/memory.limit_in_bytes", std::to_string(300 * kMiB));
  Write("sys/fs/cgroup/memory/user/job/memory.usage_in_bytes", std::to_string(50 * kMiB));
  Write("sys/fs/cgroup/memory/user/memory.limit_in_bytes", std::to_string(400 * kMiB));
  Write("sys/fs/cgroup/memory/user/memory.usage_in_bytes", std::to_string(350 * kMiB));
  Expect(250, 300);
}

TEST_F(MemoryInfoTest, LimitAboveTheComputersMemoryIsNone) {
  Write("proc/self/cgroup", "4:memory:/\n");
  Write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712");
  Write("sys/fs/cgroup/memory/memory.usage_in_bytes", "1");
  Expect(600, 1000);
}

}  // namespace
}  // namespace aclnn_cpu
