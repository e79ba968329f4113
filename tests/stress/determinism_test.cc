#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "stress/device_test.h"
#include "stress/workload.h"

// The library reads its environment once per process, so each number of threads needs a process of
// its own. It is this program with kPrintHash set, running the one test that prints its hash.
namespace aclnn_cpu::test {
namespace {

constexpr const char* kPrintHash = "ACLNN_CPU_TEST_PRINT_HASH";
constexpr const char* kMark = "hash of all results: ";

class StressDeterminism : public DeviceTest {};

// FNV-1a of `results`, continuing from `hash`.
uint64_t Hash(uint64_t hash, const std::vector<std::byte>& results) {
  for (std::byte byte : results) hash = (hash ^ static_cast<uint64_t>(byte)) * 0x100000001b3u;
  return hash;
}

uint64_t HashOfAllResults() {
  uint64_t hash = 0xcbf29ce484222325u;
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    for (const std::vector<std::byte>& results : ResultsOfOneThread(seed))
      hash = Hash(hash, results);
  }
  for (const Kind& kind :
       {Kind{Op::kPool, Size::kHuge, ACL_FLOAT16}, Kind{Op::kSampler, Size::kHuge, ACL_FLOAT},
        Kind{Op::kSampler, Size::kHuge, ACL_BF16}}) {
    Workload workload(kind);
    EXPECT_EQ(workload.Run(nullptr), 0);
    hash = Hash(hash, workload.Results());
  }
  return hash;
}

TEST_F(StressDeterminism, FiveRunsGiveTheSameBits) {
  const uint64_t hash = HashOfAllResults();
  if (std::getenv(kPrintHash) != nullptr) {  // one run will do
    std::printf("%s%016llx\n", kMark, static_cast<unsigned long long>(hash));
    return;
  }
  for (int repetition = 1; repetition < 5; ++repetition) ASSERT_EQ(HashOfAllResults(), hash);
}

// What a program prints on stdout; fails the test if its exit code is not 0.
std::string OutputOf(std::vector<std::string> arguments, std::vector<std::string> environment) {
  const auto pointers = [](std::vector<std::string>& texts) {
    std::vector<char*> result;
    for (std::string& text : texts) result.push_back(text.data());
    result.push_back(nullptr);
    return result;
  };
  std::array<int, 2> ends{};
  EXPECT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  pid_t child = -1;
  EXPECT_EQ(posix_spawn(&child, arguments[0].c_str(), &actions, nullptr, pointers(arguments).data(),
                        pointers(environment).data()),
            0);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string output;
  std::array<char, 4096> chunk{};
  for (ssize_t got = 0; (got = read(ends[0], chunk.data(), chunk.size())) > 0;)
    output.append(chunk.data(), static_cast<size_t>(got));
  close(ends[0]);
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << output;
  return output;
}

// The hash that this program prints with the given settings ("NAME=value") in its environment.
std::string HashOfChild(std::vector<std::string> settings) {
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string text = *variable;
    const bool ours = text.rfind("ACLNN_CPU_", 0) == 0 || text.rfind("GTEST_", 0) == 0;
    if (!ours) settings.push_back(text);
  }
  settings.push_back(std::string(kPrintHash) + "=1");
  const std::string output = OutputOf(
      {"/proc/self/exe", "--gtest_filter=StressDeterminism.FiveRunsGiveTheSameBits"}, settings);
  const size_t mark = output.find(kMark);
  EXPECT_NE(mark, std::string::npos) << output;
  return mark == std::string::npos ? "" : output.substr(mark + std::string(kMark).size(), 16);
}

TEST(StressDeterminismAcross, ThreadCounts) {
  const std::string want = HashOfChild({"ACLNN_CPU_NUM_THREADS=1"});
  ASSERT_EQ(want.size(), 16u);
  for (const char* threads : {"2", "3", "7"})
    EXPECT_EQ(HashOfChild({std::string("ACLNN_CPU_NUM_THREADS=") + threads}), want) << threads;
}

// Targets that this CPU cannot run count as not chosen.
TEST(StressDeterminismAcross, VectorTargets) {
  const std::string want = HashOfChild({"ACLNN_CPU_TARGET=scalar"});
  ASSERT_EQ(want.size(), 16u);
  for (const char* target : {"ssse3", "sse4", "avx2"})
    EXPECT_EQ(HashOfChild({std::string("ACLNN_CPU_TARGET=") + target}), want) << target;
}

}  // namespace
}  // namespace aclnn_cpu::test
