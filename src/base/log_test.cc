#include "base/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "base/child_for_test.h"

namespace aclnn_cpu {
namespace {

namespace fs = std::filesystem;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (fs::temp_directory_path() / "aclnn_cpu_log_XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~TemporaryFolder() { fs::remove_all(path_); }

  const char* path() const { return path_.c_str(); }

  // Relative paths of all files below.
  std::vector<std::string> Files() const {
    std::vector<std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(path_)) {
      if (entry.is_regular_file()) files.push_back(fs::relative(entry, path_).string());
    }
    return files;
  }

  std::string Text() const {
    std::ostringstream text;
    for (const std::string& file : Files()) text << std::ifstream(path_ + "/" + file).rdbuf();
    return text.str();
  }

 private:
  std::string path_;
};

// One line of each level and module, as "<module><level> ".
void LogEverything() {
  for (LogModule module : {LogModule::kAscendCl, LogModule::kRuntime, LogModule::kOp}) {
    for (LogLevel level :
         {LogLevel::kDebug, LogLevel::kInfo, LogLevel::kWarning, LogLevel::kError}) {
      Log(module, level, "line {}{}.", static_cast<int>(module), static_cast<int>(level));
    }
  }
}

// "00 01 ..." for the lines "line 00." and so on that a child printed.
std::string LinesOf(const std::string& output) {
  std::string found;
  for (size_t at = 0; (at = output.find("line ", at)) != std::string::npos; at += 5) {
    found += output.substr(at + 5, 2) + " ";
  }
  return found;
}

std::string LinesSeen(Settings settings) {
  settings.emplace_back("ASCEND_LOG_PRINT_TO_STDOUT", "1");
  return LinesOf(OutputOfChild(settings, LogEverything));
}

TEST(Log, WritesNothingUnlessAsked) {
  EXPECT_EQ(OutputOfChild({}, LogEverything), "");
  EXPECT_EQ(OutputOfChild({{"ASCEND_GLOBAL_LOG_LEVEL", "0"}}, LogEverything), "");
  EXPECT_EQ(OutputOfChild({{"ASCEND_LOG_PRINT_TO_STDOUT", "0"}}, LogEverything), "");
}

TEST(Log, DefaultLevelIsError) { EXPECT_EQ(LinesSeen({}), "03 13 23 "); }

TEST(Log, GlobalLevelSelects) {
  EXPECT_EQ(LinesSeen({{"ASCEND_GLOBAL_LOG_LEVEL", "0"}}), "00 01 02 03 10 11 12 13 20 21 22 23 ");
  EXPECT_EQ(LinesSeen({{"ASCEND_GLOBAL_LOG_LEVEL", "2"}}), "02 03 12 13 22 23 ");
  EXPECT_EQ(LinesSeen({{"ASCEND_GLOBAL_LOG_LEVEL", "4"}}), "");
  EXPECT_EQ(LinesSeen({{"ASCEND_GLOBAL_LOG_LEVEL", "7"}}), "03 13 23 ");
}

TEST(Log, ModuleLevelsOverrideTheGlobalOne) {
  EXPECT_EQ(LinesSeen({{"ASCEND_MODULE_LOG_LEVEL", "RUNTIME=2"}}), "03 12 13 23 ");
  EXPECT_EQ(LinesSeen({{"ASCEND_MODULE_LOG_LEVEL", "NNOP=2:FE=0:ASCENDCL=4"}}), "13 22 23 ");
  EXPECT_EQ(LinesSeen({{"ASCEND_GLOBAL_LOG_LEVEL", "4"}, {"ASCEND_MODULE_LOG_LEVEL", "OP=3"}}),
            "23 ");
}

TEST(Log, MalformedModuleLevelsAreIgnoredAsAWhole) {
  for (const char* bad :
       {"OP", "OP=", "OP=5", "OP=10", "=1", "OP=0:", "OP=0:RUNTIME", ":OP=0", "OP=x", "OP:0"}) {
    EXPECT_EQ(LinesSeen({{"ASCEND_MODULE_LOG_LEVEL", bad}}), "03 13 23 ") << bad;
  }
}

TEST(Log, MalformedModuleLevelsAreReported) {
  const Settings settings = {{"ASCEND_LOG_PRINT_TO_STDOUT", "1"},
                             {"ASCEND_GLOBAL_LOG_LEVEL", "2"},
                             {"ASCEND_MODULE_LOG_LEVEL", "OP=9"}};
  EXPECT_THAT(OutputOfChild(settings, LogEverything),
              HasSubstr("ASCEND_MODULE_LOG_LEVEL is \"OP=9\", must be MODULE=n:MODULE=n"));
}

TEST(Log, OldNameOfThePrintSwitchLosesToTheNewOne) {
  EXPECT_EQ(LinesOf(OutputOfChild({{"ASCEND_SLOG_PRINT_TO_STDOUT", "1"}}, LogEverything)),
            "03 13 23 ");
  EXPECT_EQ(
      OutputOfChild({{"ASCEND_SLOG_PRINT_TO_STDOUT", "1"}, {"ASCEND_LOG_PRINT_TO_STDOUT", "0"}},
                    LogEverything),
      "");
}

TEST(Log, LineHasLevelModuleProcessProgramAndTime) {
  const std::string output = OutputOfChild({{"ASCEND_LOG_PRINT_TO_STDOUT", "1"}}, [] {
    Log(LogModule::kRuntime, LogLevel::kError, "stream {} is gone", 7);
  });
  EXPECT_THAT(output, ContainsRegex("^\\[ERROR\\] RUNTIME\\([0-9]+,[a-z_]*test\\):"
                                    "20[0-9]{2}-[01][0-9]-[0-3][0-9]-[0-2][0-9]:[0-5][0-9]:"
                                    "[0-6][0-9]\\.[0-9]{3}\\.[0-9]{3} stream 7 is gone\n$"));
}

TEST(Log, LongTextIsCutAndKeepsItsLineEnd) {
  const std::string output = OutputOfChild({{"ASCEND_LOG_PRINT_TO_STDOUT", "1"}}, [] {
    Log(LogModule::kOp, LogLevel::kError, "{}", std::string(100000, 'x'));
    Log(LogModule::kOp, LogLevel::kError, "end");
  });
  EXPECT_EQ(std::count(output.begin(), output.end(), 'x'), static_cast<long>(kMaxLogText));
  EXPECT_EQ(std::count(output.begin(), output.end(), '\n'), 2);
}

TEST(Log, WritesAFileBelowTheProcessLogPath) {
  const TemporaryFolder folder;
  const std::string path = std::string(folder.path()) + "/made/by/us";
  EXPECT_EQ(OutputOfChild(
                {{"ASCEND_PROCESS_LOG_PATH", path.c_str()}, {"ASCEND_WORK_PATH", "/nonexistent"}},
                LogEverything),
            "");
  ASSERT_THAT(folder.Files(), SizeIs(1));
  EXPECT_THAT(folder.Files()[0],
              ContainsRegex("^made/by/us/debug/plog/plog-[0-9]+_[0-9]{20}\\.log$"));
  EXPECT_EQ(LinesOf(folder.Text()), "03 13 23 ");
}

TEST(Log, WritesAFileBelowTheWorkPath) {
  const TemporaryFolder folder;
  EXPECT_EQ(OutputOfChild({{"ASCEND_WORK_PATH", folder.path()}}, LogEverything), "");
  ASSERT_THAT(folder.Files(), SizeIs(1));
  EXPECT_THAT(folder.Files()[0], ContainsRegex("^log/debug/plog/plog-"));
}

TEST(Log, StandardOutputReplacesFiles) {
  const TemporaryFolder folder;
  EXPECT_EQ(LinesSeen({{"ASCEND_PROCESS_LOG_PATH", folder.path()}}), "03 13 23 ");
  EXPECT_THAT(folder.Files(), IsEmpty());
}

TEST(Log, AForkedChildWritesItsOwnFile) {
  const TemporaryFolder folder;
  OutputOfChild({{"ASCEND_PROCESS_LOG_PATH", folder.path()}}, [] {
    LogEverything();
    OutputOfChild({}, LogEverything);
  });
  EXPECT_THAT(folder.Files(), SizeIs(2));
}

TEST(Log, AFolderThatCannotBeWrittenIsNoError) {
  EXPECT_EQ(OutputOfChild({{"ASCEND_PROCESS_LOG_PATH", "/proc/nonexistent"}}, LogEverything), "");
  EXPECT_EQ(OutputOfChild({{"ASCEND_PROCESS_LOG_PATH", "/dev/null/x"}}, LogEverything), "");
}

TEST(Log, KeepsErrno) {
  EXPECT_EQ(OutputOfChild({{"ASCEND_PROCESS_LOG_PATH", "/dev/null/x"}},
                          [] {
                            errno = EAGAIN;
                            LogEverything();
                            std::printf("%d", errno == EAGAIN);
                          }),
            "1");
}

TEST(Log, EnabledTellsWhatWouldBeWritten) {
  EXPECT_EQ(OutputOfChild({{"ASCEND_GLOBAL_LOG_LEVEL", "1"}, {"ASCEND_LOG_PRINT_TO_STDOUT", "1"}},
                          [] {
                            for (LogLevel level : {LogLevel::kDebug, LogLevel::kInfo,
                                                   LogLevel::kError, LogLevel::kNone}) {
                              std::printf("%d", LogEnabled(LogModule::kOp, level));
                            }
                          }),
            "0110");
}

}  // namespace
}  // namespace aclnn_cpu
