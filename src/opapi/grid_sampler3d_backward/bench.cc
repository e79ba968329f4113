#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numbers>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_grid_sampler3d_backward.h"
#include "bench/device_tensor.h"
#include "bench/floor.h"
#include "bench/harness.h"
#include "bench/torch_peer.h"

namespace bench {
namespace {

using Shape = std::vector<int64_t>;
using Point = std::array<double, 3>;  // voxels, x y z

enum class Kind { kIdentity, kSlope, kRotation, kRandom };

// How points move away from the corresponding voxel.
struct Motion {
  Kind kind;
  double amount = 0;  // kSlope: largest |du/dx|, voxels per voxel; kRotation: degrees
};

struct Problem {
  Shape input;   // N, C, D, H, W
  Shape points;  // D, H, W of the output
  Motion motion;
  Dtype dtype = Dtype::kFloat;
  GridSamplerModes modes{0, 0, true};
  bool channels_last = false;
  std::array<bool, 2> wanted{true, true};  // inputGrad, gridGrad

  Shape output() const { return {input[0], input[1], points[0], points[1], points[2]}; }
  Shape grid() const { return {input[0], points[0], points[1], points[2], 3}; }
};

std::string NameOf(const Motion& motion) {
  const auto number = [&] {
    std::string text = std::to_string(motion.amount);
    return text.substr(0, text.find_last_not_of('0') + (text.back() == '0' ? 1 : 0));
  };
  switch (motion.kind) {
    case Kind::kSlope:
      return "slope" + number();
    case Kind::kRotation:
      return "rotation" + std::to_string(static_cast<int>(motion.amount));
    case Kind::kRandom:
      return "random";
    case Kind::kIdentity:
      break;
  }
  return "identity";
}

std::string NameOf(const Problem& problem) {
  const auto part = [](const char* letters, const Shape& shape) {
    std::string text;
    for (size_t i = 0; i < shape.size(); ++i) text += letters[i] + std::to_string(shape[i]);
    return text;
  };
  static const char* const kPaddings[] = {"zeros", "border", "reflection"};
  std::string name = std::string("grid_sampler3d_backward/") + NameOf(problem.dtype) + "/" +
                     part("ncdhw", problem.input) + "/g" + part("dhw", problem.points) + "/" +
                     NameOf(problem.motion) + "/" +
                     (problem.modes.interpolation == 0 ? "bilinear" : "nearest") + "/" +
                     kPaddings[problem.modes.padding];
  if (!problem.modes.align_corners) name += "/half-pixel";
  if (problem.channels_last) name += "/channels-last";
  if (!problem.wanted[0]) name += "/grid-grad-only";
  if (!problem.wanted[1]) name += "/input-grad-only";
  return name;
}

// A translation and a sum of sines whose derivatives add up to `slope` at most.
Point Displaced(const Point& p, double slope) {
  constexpr Point kTranslation = {1.37, -0.61, 0.83};
  constexpr std::array<double, 3> kWavelengths = {18, 31, 60};
  Point result;
  for (size_t axis = 0; axis < 3; ++axis) {
    double sum = 0;
    for (size_t i = 0; i < 3; ++i) {
      const double k = 2 * std::numbers::pi / kWavelengths[i];
      sum += slope / 3 / k * std::sin(k * p[(axis + i) % 3] + 2.1 * static_cast<double>(axis));
    }
    result[axis] = p[axis] + kTranslation[axis] + sum;
  }
  return result;
}

// About the centre, by the same angle around two axes.
Point Rotated(const Point& p, const Shape& input, double degrees) {
  const double angle = degrees * std::numbers::pi / 180;
  Point c;
  for (size_t axis = 0; axis < 3; ++axis) c[axis] = static_cast<double>(input[4 - axis] - 1) / 2;
  const double x = p[0] - c[0];
  const double y = p[1] - c[1];
  const double z = p[2] - c[2];
  const double turned_y = x * std::sin(angle) + y * std::cos(angle);
  return {x * std::cos(angle) - y * std::sin(angle) + c[0],
          turned_y * std::cos(angle) - z * std::sin(angle) + c[1],
          turned_y * std::sin(angle) + z * std::cos(angle) + c[2]};
}

void FillGrid(const Problem& problem, DeviceTensor& grid) {
  std::mt19937_64 engine(3);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const Shape& points = problem.points;
  Point at{};
  grid.Fill([&](int64_t i) {
    const int64_t point = i / 3;
    const size_t axis = static_cast<size_t>(i % 3);
    if (problem.motion.kind == Kind::kRandom) return uniform(engine);
    if (axis == 0) {
      const std::array<int64_t, 3> index = {point % points[2], point / points[2] % points[1],
                                            point / (points[2] * points[1]) % points[0]};
      for (size_t a = 0; a < 3; ++a) {
        const double steps = static_cast<double>(points[2 - a] - 1);
        at[a] = steps == 0 ? 0 : static_cast<double>(index[a] * (problem.input[4 - a] - 1)) / steps;
      }
      if (problem.motion.kind == Kind::kSlope) at = Displaced(at, problem.motion.amount);
      if (problem.motion.kind == Kind::kRotation) {
        at = Rotated(at, problem.input, problem.motion.amount);
      }
    }
    const double extent = static_cast<double>(problem.input[4 - axis]);
    return problem.modes.align_corners ? 2 * at[axis] / (extent - 1) - 1
                                       : (2 * at[axis] + 1) / extent - 1;
  });
}

Shape Strides(const Shape& shape, bool channels_last) {
  if (!channels_last) return {};
  const int64_t c = shape[1];
  return {c * shape[2] * shape[3] * shape[4], 1, c * shape[3] * shape[4], c * shape[4], c};
}

// The tensors of a problem and the call on them.
class Sampler {
 public:
  explicit Sampler(const Problem& problem)
      : problem_(problem),
        grad_output(problem.dtype, problem.output(),
                    Strides(problem.output(), problem.channels_last)),
        input(problem.dtype, problem.input, Strides(problem.input, problem.channels_last)),
        grid(problem.dtype, problem.grid()),
        input_grad(problem.dtype, problem.input, Strides(problem.input, problem.channels_last)),
        grid_grad(problem.dtype, problem.grid()),
        mask_(aclCreateBoolArray(problem.wanted.data(), problem.wanted.size())) {
    grad_output.FillUniform(-1, 1, 1);
    input.FillUniform(-1, 1, 2);
    FillGrid(problem, grid);
  }
  ~Sampler() { aclDestroyBoolArray(mask_); }

  void Call() {
    caller_.Call(
        [this](uint64_t* bytes, aclOpExecutor** executor) {
          return aclnnGridSampler3DBackwardGetWorkspaceSize(
              grad_output.acl(), input.acl(), grid.acl(), problem_.modes.interpolation,
              problem_.modes.padding, problem_.modes.align_corners, mask_, input_grad.acl(),
              grid_grad.acl(), bytes, executor);
        },
        aclnnGridSampler3DBackward);
  }
  void Touch() const {
    for (const DeviceTensor* tensor : {&grad_output, &input, &grid, &input_grad, &grid_grad}) {
      tensor->Touch();
    }
  }
  // What has to be moved in any case.
  void CopyAndRead() const {
    if (problem_.wanted[0]) Copy(input.data(), input.bytes(), input_grad.data());
    if (problem_.wanted[1]) Copy(grid.data(), grid.bytes(), grid_grad.data());
    Read(grad_output.data(), grad_output.bytes());
  }

 private:
  Problem problem_;

 public:
  DeviceTensor grad_output;
  DeviceTensor input;
  DeviceTensor grid;
  DeviceTensor input_grad;
  DeviceTensor grid_grad;

 private:
  aclBoolArray* mask_;
  Caller caller_;
};

std::vector<Arm> Arms(const Problem& problem) {
  const auto sampler = std::make_shared<Sampler>(problem);
  const auto touch = [sampler] { sampler->Touch(); };
  std::vector<Arm> arms = {{"ours", [sampler] { sampler->Call(); }, touch},
                           {"copy and read", [sampler] { sampler->CopyAndRead(); }, touch}};
  if (auto run = TorchGridSampler3DBackward(sampler->grad_output.peer(), sampler->input.peer(),
                                            sampler->grid.peer(), problem.modes, problem.wanted[0],
                                            problem.wanted[1])) {
    arms.push_back({"torch", [sampler, run] { run(); }, touch});
  }
  return arms;
}

Case MakeCase(const Problem& problem) {
  const auto product = [](const Shape& shape) {
    double result = 1;
    for (const int64_t extent : shape) result *= static_cast<double>(extent);
    return result;
  };
  const double element = static_cast<double>(BytesOf(problem.dtype));
  const double bytes = element * (product(problem.output()) + 2 * product(problem.input) +
                                  2 * product(problem.grid()));
  return {NameOf(problem), bytes, product(problem.grid()) / 3, [problem] { return Arms(problem); }};
}

const Motion kMotions[] = {{Kind::kIdentity},     {Kind::kSlope, 0.05}, {Kind::kSlope, 0.1},
                           {Kind::kSlope, 0.2},   {Kind::kSlope, 0.4},  {Kind::kRotation, 5},
                           {Kind::kRotation, 20}, {Kind::kRandom}};

// A volume in every mode and dtype, one output at a time, and with rows that are no whole vectors.
void AddModes(int64_t channels, bool channels_last, std::vector<Case>& cases) {
  Problem base{{1, channels, 64, 64, 64}, {64, 64, 64}, {Kind::kSlope, 0.1}};
  base.channels_last = channels_last;
  for (const int64_t interpolation : {0, 1}) {
    for (const int64_t padding : {0, 1, 2}) {
      for (const bool align : {true, false}) {
        Problem problem = base;
        problem.modes = {interpolation, padding, align};
        cases.push_back(MakeCase(problem));
      }
    }
  }
  for (const Dtype dtype : {Dtype::kDouble, Dtype::kFloat16, Dtype::kBFloat16}) {
    Problem problem = base;
    problem.dtype = dtype;
    cases.push_back(MakeCase(problem));
  }
  for (const size_t only : {size_t{0}, size_t{1}}) {
    Problem problem = base;
    problem.wanted = {only == 0, only == 1};
    cases.push_back(MakeCase(problem));
  }
  Problem odd = base;
  odd.input[4] = 61;
  odd.points[2] = 61;
  cases.push_back(MakeCase(odd));
}

void AddFewPoints(std::vector<Case>& cases) {
  constexpr std::array<bool, 2> kBoth = {true, true};
  constexpr std::array<bool, 2> kOnlyGridGrad = {false, true};
  struct Row {
    Shape input;
    Shape points;
    std::array<bool, 2> wanted;
  };
  const Row rows[] = {
      {{4, 32, 16, 16, 16}, {8, 8, 8}, kBoth},
      {{4, 32, 16, 16, 16}, {8, 8, 8}, {true, false}},
      {{4, 32, 16, 16, 16}, {8, 8, 8}, kOnlyGridGrad},
      {{100, 2, 30, 40, 2}, {4, 13, 13}, kBoth},
      // The volume should not matter.
      {{1, 8, 16, 16, 16}, {16, 16, 16}, kOnlyGridGrad},
      {{1, 8, 50, 50, 50}, {16, 16, 16}, kOnlyGridGrad},
      {{1, 8, 160, 160, 160}, {16, 16, 16}, kOnlyGridGrad},
  };
  for (const Row& row : rows) {
    Problem problem{row.input, row.points, {Kind::kSlope, 0.1}};
    problem.wanted = row.wanted;
    cases.push_back(MakeCase(problem));
    problem.channels_last = true;
    if (row.input[1] >= 8) cases.push_back(MakeCase(problem));
  }
}

std::vector<Case> MakeCases() {
  std::vector<Case> cases;
  const Shape volumes[] = {
      {1, 1, 64, 64, 64}, {1, 3, 96, 96, 96}, {2, 16, 32, 64, 64}, {1, 1, 160, 192, 160}};
  for (const Shape& input : volumes) {
    const Shape size(input.begin() + 2, input.end());
    for (const Motion& motion : kMotions) {
      cases.push_back(MakeCase({input, size, motion}));
      if (input[1] < 8) continue;
      Problem last{input, size, motion};
      last.channels_last = true;
      cases.push_back(MakeCase(last));
    }
  }
  cases.push_back(MakeCase({{1, 1, 32, 32, 32}, {64, 64, 64}, {Kind::kIdentity}}));
  cases.push_back(MakeCase({{1, 1, 64, 64, 64}, {32, 32, 32}, {Kind::kIdentity}}));
  cases.push_back(MakeCase({{1, 3, 48, 48, 48}, {96, 96, 96}, {Kind::kIdentity}}));
  cases.push_back(MakeCase({{1, 3, 96, 96, 96}, {48, 48, 48}, {Kind::kIdentity}}));
  AddFewPoints(cases);
  // Time against volume.
  for (const int64_t size : {32, 128, 256}) {
    cases.push_back(MakeCase({{1, 1, size, size, size}, {size, size, size}, {Kind::kSlope, 0.1}}));
  }
  // A slab for each sample, against several for the only one of n1: what it costs, with one thread,
  // that results do not depend on the number of threads.
  for (const Motion& motion : {Motion{Kind::kSlope, 0.1}, Motion{Kind::kRandom}}) {
    cases.push_back(MakeCase({{8, 1, 64, 64, 64}, {64, 64, 64}, motion}));
  }
  for (const int64_t channels : {1, 3, 16}) AddModes(channels, false, cases);
  AddModes(16, true, cases);
  // The first mode of a volume is one of its motions.
  std::set<std::string> names;
  std::erase_if(cases, [&](const Case& c) { return !names.insert(c.name).second; });
  return cases;
}

const bool kAdded = AddCases(MakeCases());

}  // namespace
}  // namespace bench
