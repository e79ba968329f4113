#ifndef ACLNN_CPU_BENCH_HARNESS_H_
#define ACLNN_CPU_BENCH_HARNESS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

// What the benchmarks of the operators are made of. A case is one problem; its arms do the same
// work, or a floor of it, and are timed in turn within one process, so that their ratios survive
// what else the machine is doing.

namespace bench {

struct Arm {
  std::string name;  // "ours", "torch", "fill", ...
  std::function<void()> run;
  std::function<void()> touch;  // untimed, before each timing: brings what `run` uses into cache
};

struct Case {
  std::string name;   // "<op>/<dtype>/<shapes>", also an argument of `./dev bench`
  double bytes = 0;   // least memory traffic
  double points = 0;  // work items that ratios per item are given for; 0: none
  // Arms own what they use; all of it goes when the case is done.
  std::function<std::vector<Arm>()> make;
};

// Called by each operator's bench.cc during start-up.
bool AddCases(std::vector<Case> cases);

// Threads that every arm may use: ACLNN_CPU_NUM_THREADS, or 1.
int Threads();

}  // namespace bench

#endif  // ACLNN_CPU_BENCH_HARNESS_H_
