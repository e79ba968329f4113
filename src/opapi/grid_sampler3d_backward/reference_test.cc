#include "opapi/grid_sampler3d_backward/reference.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/compare.h"
#include "support/rng.h"

namespace aclnn_cpu::grid_sampler3d_backward {
namespace {

using nlohmann::json;
using reference::Backward;
using reference::Forward;
using reference::Gradients;
using reference::Shape;

std::vector<double> Numbers(const json& values) {
  std::vector<double> numbers;
  for (const json& value : values) {
    numbers.push_back(value.is_string() ? std::stod(value.get<std::string>())
                                        : value.get<double>());
  }
  return numbers;
}

// The values of public report cases were derived from the formulas by others: most by hand.
bool IsPlainCase(const json& report) {
  if (report.at("op") != "GridSampler3DBackward" || !report.contains("tensors")) return false;
  if (!report.at("expected").contains("inputGrad")) return false;
  if (!report.at("expected").contains("gridGrad")) return false;
  for (const json& tensor : report.at("tensors")) {
    if (!tensor.contains("data")) return false;
  }
  return report.at("format") == "NCDHW";
}

TEST(GridSampler3DBackwardReference, EqualsPublicReportCases) {
  std::ifstream file(ACLNN_CPU_SOURCE_DIR "/tests/data/public-reports.json");
  ASSERT_TRUE(file.good());
  const json reports = json::parse(file);
  int checked = 0;
  for (const json& report : reports.at("cases")) {
    if (!IsPlainCase(report)) continue;
    SCOPED_TRACE(report.at("id").get<std::string>());
    const json& tensors = report.at("tensors");
    const std::vector<int64_t> in = tensors.at("input").at("shape");
    const std::vector<int64_t> out = tensors.at("grid").at("shape");
    const Shape shape{in[0],
                      in[1],
                      in[2],
                      in[3],
                      in[4],
                      out[1],
                      out[2],
                      out[3],
                      report.at("interpolationMode"),
                      report.at("paddingMode"),
                      report.at("alignCorners")};
    const std::vector<double> grad_output = Numbers(tensors.at("gradOutput").at("data"));
    const std::vector<double> input = Numbers(tensors.at("input").at("data"));
    const std::vector<double> grid = Numbers(tensors.at("grid").at("data"));
    const Gradients got = report.at("dtype") == "float64"
                              ? Backward<double>(shape, grad_output, input, grid)
                              : Backward<float>(shape, grad_output, input, grid);
    const test::Tolerance tolerance{report.at("tol").at("rtol"), report.at("tol").at("atol")};
    EXPECT_TRUE(
        test::AllClose(got.input_grad, Numbers(report.at("expected").at("inputGrad")), tolerance));
    EXPECT_TRUE(
        test::AllClose(got.grid_grad, Numbers(report.at("expected").at("gridGrad")), tolerance));
    ++checked;
  }
  EXPECT_GE(checked, 25);
}

// README.md's numeric example of the axis order: input holds x + 10 y + 100 z.
TEST(GridSampler3DBackwardReference, LastGridAxisIsXyzAlongWhd) {
  const Shape shape{1, 1, 2, 3, 4, 1, 1, 1, 0, 0, true};
  std::vector<double> input;
  for (int z = 0; z < 2; ++z) {
    for (int y = 0; y < 3; ++y) {
      for (int x = 0; x < 4; ++x) input.push_back(x + 10 * y + 100 * z);
    }
  }
  const std::vector<double> grid = {-0.5, 0.5, 0.25};
  EXPECT_EQ(Forward<double>(shape, input, grid), std::vector<double>{0.75 + 15 + 62.5});
  // A step of 1 in the grid is (W-1)/2, (H-1)/2, (D-1)/2 voxels.
  EXPECT_EQ(Backward<double>(shape, {1}, input, grid).grid_grad,
            (std::vector<double>{1.5 * 1, 1 * 10, 0.5 * 100}));
}

// A coordinate whose place is not within 0.02 voxels of a kink of any mode: whole numbers
// (bilinear, clipping) and halves (nearest, mirrors of reflection without aligned corners).
double SmoothCoordinate(test::Rng* rng, int64_t size, bool align_corners) {
  for (;;) {
    const double x = rng->Uniform(-2.5, 2.5);
    const double extent = static_cast<double>(size);
    const double place = align_corners ? (x + 1) / 2 * (extent - 1) : ((x + 1) * extent - 1) / 2;
    if (size == 1 && align_corners) return x;
    if (std::fabs(2 * place - std::nearbyint(2 * place)) > 0.04) return x;
  }
}

struct Gradcheck {
  Shape shape;
  std::vector<double> grad_output, input, grid;

  double Loss(const std::vector<double>& some_input, const std::vector<double>& some_grid) const {
    const std::vector<double> output = Forward<double>(shape, some_input, some_grid);
    double loss = 0;
    for (size_t i = 0; i < output.size(); ++i) loss += output[i] * grad_output[i];
    return loss;
  }

  // Central differences of the loss by each element of `values`, which is input or grid.
  template <typename LossAt>
  static std::vector<double> Differences(std::vector<double> values, LossAt loss_at) {
    constexpr double kStep = 0x1p-14;
    std::vector<double> result;
    for (double& value : values) {
      const double middle = value;
      value = middle + kStep;
      const double above = loss_at(values);
      value = middle - kStep;
      const double below = loss_at(values);
      value = middle;
      result.push_back((above - below) / (2 * kStep));
    }
    return result;
  }
};

// The loss is piecewise linear in each coordinate, so central differences have no error but
// rounding.
TEST(GridSampler3DBackwardReference, GradientsEqualCentralDifferences) {
  test::Rng rng(3);
  constexpr test::Tolerance kTolerance{1e-9, 1e-9};
  for (const Shape& size :
       {Shape{2, 2, 3, 4, 5, 2, 2, 3, 0, 0, false}, Shape{1, 3, 1, 2, 7, 1, 4, 4, 0, 0, false}}) {
    for (int64_t mode = 0; mode < 12; ++mode) {
      Gradcheck check{size, {}, {}, {}};
      check.shape.interpolation_mode = mode % 2;
      check.shape.padding_mode = mode / 2 % 3;
      check.shape.align_corners = mode / 6 == 1;
      SCOPED_TRACE("mode " + std::to_string(mode));
      check.grad_output = rng.UniformVector(size.n * size.c * size.points(), -2, 2);
      check.input = rng.UniformVector(size.n * size.c * size.voxels(), -2, 2);
      const int64_t sizes[] = {size.w, size.h, size.d};
      for (int64_t i = 0; i < size.n * size.points() * 3; ++i) {
        check.grid.push_back(SmoothCoordinate(&rng, sizes[i % 3], check.shape.align_corners));
      }
      const Gradients got =
          Backward<double>(check.shape, check.grad_output, check.input, check.grid);
      EXPECT_TRUE(test::AllClose(
          got.input_grad,
          Gradcheck::Differences(check.input,
                                 [&](const auto& input) { return check.Loss(input, check.grid); }),
          kTolerance));
      EXPECT_TRUE(test::AllClose(
          got.grid_grad,
          Gradcheck::Differences(check.grid,
                                 [&](const auto& grid) { return check.Loss(check.input, grid); }),
          kTolerance));
    }
  }
}

}  // namespace
}  // namespace aclnn_cpu::grid_sampler3d_backward
