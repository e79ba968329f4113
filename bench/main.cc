#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "acl/acl.h"
#include "bench/floor.h"
#include "bench/harness.h"
#include "bench/torch_peer.h"

// Times every case's arms in random order by Google Benchmark and writes one JSON object.
//   bench <out.json> [--filter=<part of a case's name>] [Google Benchmark's options]

namespace bench {
namespace {

std::vector<Case>& Cases() {
  static std::vector<Case> cases;
  return cases;
}

// Collects the nanoseconds of every repetition by arm. With one thread these are of CPU time of the
// whole process, which other load on the machine leaves alone; with more they are of wall time.
class Collector : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context& /*context*/) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.run_type != Run::RT_Iteration) continue;
      const double seconds = Threads() == 1 ? run.cpu_accumulated_time : run.real_accumulated_time;
      times_[run.run_name.function_name].push_back(seconds / static_cast<double>(run.iterations) *
                                                   1e9);
    }
  }
  const std::map<std::string, std::vector<double>>& times() const { return times_; }

 private:
  std::map<std::string, std::vector<double>> times_;
};

double ThreadNs() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

// Cycles per nanosecond, from a chain of additions that take one cycle each.
double ClockGhz() {
  double best = 0;
  for (int round = 0; round < 20; ++round) {
    constexpr int64_t kSteps = 1000000;
    uint64_t x = 1;
    const double start = ThreadNs();
    for (int64_t i = 0; i < kSteps; ++i) {
      x += static_cast<uint64_t>(i) | 1;
      asm volatile("" : "+r"(x));
    }
    best = std::max(best, static_cast<double>(kSteps) / (ThreadNs() - start));
  }
  return best;
}

nlohmann::json RunCase(const Case& problem) {
  const std::vector<Arm> arms = problem.make();
  benchmark::ClearRegisteredBenchmarks();
  for (const Arm& arm : arms) {
    benchmark::RegisterBenchmark(arm.name.c_str(),
                                 [&arm](benchmark::State& state) {
                                   if (arm.touch) arm.touch();
                                   arm.run();
                                   for (auto _ : state) arm.run();
                                 })
        ->MeasureProcessCPUTime()
        ->UseRealTime();
  }
  Collector collector;
  benchmark::RunSpecifiedBenchmarks(&collector);
  nlohmann::json result = {
      {"name", problem.name}, {"bytes", problem.bytes}, {"points", problem.points}};
  for (const Arm& arm : arms) {
    const auto found = collector.times().find(arm.name);
    if (found != collector.times().end()) result["arms"][arm.name] = found->second;
  }
  return result;
}

std::string CpuModel() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown";
}

nlohmann::json Describe() {
  return {{"threads", Threads()},
          {"cpu", CpuModel()},
          {"ghz", ClockGhz()},
          {"last_level_cache_bytes", LastLevelCacheBytes()},
          {"torch", TorchVersion()}};
}

int Run(const std::string& out, const std::string& filter) {
  if (aclInit(nullptr) != ACL_SUCCESS || aclrtSetDevice(0) != ACL_SUCCESS) {
    std::fprintf(stderr, "the runtime does not start\n");
    return 1;
  }
  UseTorchThreads(Threads());
  nlohmann::json results = {{"machine", Describe()}, {"cases", nlohmann::json::array()}};
  for (const Case& problem : Cases()) {
    if (problem.name.find(filter) == std::string::npos) continue;
    std::fprintf(stderr, "%s, %d thread(s)\n", problem.name.c_str(), Threads());
    results["cases"].push_back(RunCase(problem));
  }
  std::ofstream file(out);
  file << results.dump(1) << "\n";
  return file.good() && !results["cases"].empty() ? 0 : 1;
}

}  // namespace

bool AddCases(std::vector<Case> cases) {
  std::move(cases.begin(), cases.end(), std::back_inserter(Cases()));
  return true;
}

int Threads() {
  const char* const text = std::getenv("ACLNN_CPU_NUM_THREADS");
  return text == nullptr ? 1 : std::max(1, std::atoi(text));
}

}  // namespace bench

int main(int argc, char** argv) {
  bench::KeepFreedMemory();
  std::vector<std::string> args = {argv[0], "--benchmark_repetitions=7",
                                   "--benchmark_min_time=0.02",
                                   "--benchmark_enable_random_interleaving=true"};
  std::string filter;
  for (int i = 2; i < argc; ++i) {
    const std::string arg = argv[i];
    if (arg.starts_with("--filter=")) {
      filter = arg.substr(9);
    } else {
      args.push_back(arg);
    }
  }
  std::vector<char*> pointers;
  for (std::string& arg : args) pointers.push_back(arg.data());
  int count = static_cast<int>(pointers.size());
  benchmark::Initialize(&count, pointers.data());
  if (argc < 2 || benchmark::ReportUnrecognizedArguments(count, pointers.data())) {
    std::fprintf(stderr, "usage: bench <out.json> [--filter=<part of a name>] [options]\n");
    return 2;
  }
  return bench::Run(argv[1], filter);
}
