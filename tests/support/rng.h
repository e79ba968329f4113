#ifndef ACLNN_CPU_TESTS_SUPPORT_RNG_H_
#define ACLNN_CPU_TESTS_SUPPORT_RNG_H_

#include <cstdint>
#include <vector>

namespace aclnn_cpu::test {

// A reproducible stream of pseudo-random numbers (splitmix64): the same on every platform, unlike
// the distributions of <random>.
class Rng {
 public:
  explicit Rng(uint64_t seed) : state_(seed) {}

  uint64_t Bits() {
    state_ += 0x9e3779b97f4a7c15u;
    uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

  // In [low, high].
  int64_t Integer(int64_t low, int64_t high) {
    const uint64_t count = static_cast<uint64_t>(high) - static_cast<uint64_t>(low) + 1;
    return low + static_cast<int64_t>(count == 0 ? Bits() : Bits() % count);
  }

  bool Chance(double probability) { return Unit() < probability; }

  // In [low, high).
  double Uniform(double low, double high) { return low + (high - low) * Unit(); }

  // A multiple of 1/16 in [-2, 2]: exact in every dtype.
  double Dyadic() { return static_cast<double>(Integer(-32, 32)) / 16; }

  std::vector<double> UniformVector(int64_t count, double low, double high) {
    std::vector<double> values(static_cast<size_t>(count));
    for (double& value : values) value = Uniform(low, high);
    return values;
  }

  std::vector<double> DyadicVector(int64_t count) {
    std::vector<double> values(static_cast<size_t>(count));
    for (double& value : values) value = Dyadic();
    return values;
  }

 private:
  double Unit() { return static_cast<double>(Bits() >> 11) * 0x1p-53; }

  uint64_t state_;
};

}  // namespace aclnn_cpu::test

#endif  // ACLNN_CPU_TESTS_SUPPORT_RNG_H_
