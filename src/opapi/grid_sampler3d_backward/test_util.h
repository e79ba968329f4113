#ifndef ACLNN_CPU_OPAPI_GRID_SAMPLER3D_BACKWARD_TEST_UTIL_H_
#define ACLNN_CPU_OPAPI_GRID_SAMPLER3D_BACKWARD_TEST_UTIL_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "aclnn/acl_meta.h"
#include "base/aligned_buffer.h"
#include "opapi/grid_sampler3d_backward/problem.h"
#include "opapi/grid_sampler3d_backward/reference.h"
#include "support/compare.h"
#include "support/rng.h"
#include "support/tensor_builder.h"

// Calls of the operator as tests describe them: checked, planned and run without a stream.
namespace aclnn_cpu::grid_sampler3d_backward {

namespace test = ::aclnn_cpu::test;

using test::HostTensor;
using test::Int64s;
using test::Layout;
using test::TensorBuilder;

struct DestroyBoolArray {
  void operator()(aclBoolArray* array) const { aclDestroyBoolArray(array); }
};
using BoolArray = std::unique_ptr<aclBoolArray, DestroyBoolArray>;

inline BoolArray MakeMask(bool input_grad, bool grid_grad) {
  const bool values[] = {input_grad, grid_grad};
  return BoolArray(aclCreateBoolArray(values, 2));
}

struct CallSpec {
  aclDataType dtype = ACL_FLOAT;
  bool channels_last = false;  // input tagged NDHWC, its axes in that order
  reference::Shape shape{1, 1, 2, 2, 2, 1, 1, 2, 0, 0, false};
  bool want_input_grad = true;
  bool want_grid_grad = true;
  // Memory layouts of gradOutput, input, grid, inputGrad, gridGrad.
  std::array<Layout, 5> layouts{};
  int64_t margin = 0;  // foreign elements before and after each view

  Int64s VolumeShape(int64_t d, int64_t h, int64_t w) const {
    return channels_last ? Int64s{shape.n, d, h, w, shape.c} : Int64s{shape.n, shape.c, d, h, w};
  }
  Int64s InputShape() const { return VolumeShape(shape.d, shape.h, shape.w); }
  Int64s GradOutputShape() const { return VolumeShape(shape.out_d, shape.out_h, shape.out_w); }
  Int64s GridShape() const { return {shape.n, shape.out_d, shape.out_h, shape.out_w, 3}; }
};

// Values of [n, c, voxels] as [n, voxels, c] or back.
inline std::vector<double> SwapAxes(const std::vector<double>& values, int64_t n, int64_t rows,
                                    int64_t columns) {
  std::vector<double> result(values.size());
  for (int64_t i = 0; i < n * rows * columns; ++i) {
    const int64_t column = i % columns;
    const int64_t row = i / columns % rows;
    const int64_t sample = i / columns / rows;
    result[static_cast<size_t>((sample * columns + column) * rows + row)] =
        values[static_cast<size_t>(i)];
  }
  return result;
}

// Five tensors and the attributes.
struct TestCall {
  explicit TestCall(const CallSpec& call_spec)
      : spec(call_spec),
        grad_output(Make(spec.GradOutputShape(), 0)),
        input(Make(spec.InputShape(), 1)),
        grid(Make(spec.GridShape(), 2)),
        input_grad(Make(spec.InputShape(), 3)),
        grid_grad(Make(spec.GridShape(), 4)),
        mask(MakeMask(spec.want_input_grad, spec.want_grid_grad)) {}

  // `channels_first` in [N, C, D, H, W], whatever the call's axis order.
  void SetInput(const std::vector<double>& channels_first) {
    input.SetValues(spec.channels_last
                        ? SwapAxes(channels_first, spec.shape.n, spec.shape.c, spec.shape.voxels())
                        : channels_first);
  }
  void SetGradOutput(const std::vector<double>& channels_first) {
    grad_output.SetValues(spec.channels_last ? SwapAxes(channels_first, spec.shape.n, spec.shape.c,
                                                        spec.shape.points())
                                             : channels_first);
  }
  std::vector<double> ChannelsFirst(const HostTensor& tensor, int64_t positions) const {
    const std::vector<double> values = tensor.Values();
    return spec.channels_last ? SwapAxes(values, spec.shape.n, positions, spec.shape.c) : values;
  }
  std::vector<double> InputGrad() const { return ChannelsFirst(input_grad, spec.shape.voxels()); }

  Args MakeArgs() {
    return {grad_output.acl(),
            input.acl(),
            grid.acl(),
            spec.shape.interpolation_mode,
            spec.shape.padding_mode,
            spec.shape.align_corners,
            mask.get(),
            input_grad.acl(),
            grid_grad.acl(),
            &workspace_size,
            &executor};
  }

  // The chosen plan, or the one of `variant`.
  std::shared_ptr<const Plan> Prepare(std::optional<Variant> variant = {}) {
    StatusOr<Problem> problem = CheckContract(MakeArgs());
    if (!problem.ok() || problem.value().is_empty) {
      ADD_FAILURE() << "no problem to run: " << problem.status().message();
      return nullptr;
    }
    if (variant.has_value()) return std::make_shared<Plan>(problem.value(), *variant);
    StatusOr<std::shared_ptr<const Plan>> plan = MakePlan(problem.value());
    EXPECT_TRUE(plan.ok());
    return plan.ok() ? plan.value() : nullptr;
  }

  void Run(std::optional<Variant> variant = {}) { Run(Prepare(variant)); }
  void Run(const std::shared_ptr<const Plan>& plan) {
    if (plan == nullptr) return;
    const AlignedBuffer workspace(static_cast<size_t>(plan->WorkspaceBytes()));
    // All ones are NaN in every dtype: no result may depend on what a workspace holds.
    std::fill_n(workspace.data(), workspace.size(), std::byte{0xff});
    void* const addresses[] = {First(grad_output), First(input), First(grid), First(input_grad),
                               First(grid_grad)};
    plan->Run(addresses, workspace.data());
  }

  template <typename Coordinate>
  reference::Gradients ReferenceAt() const {
    return reference::Backward<Coordinate>(
        spec.shape, ChannelsFirst(grad_output, spec.shape.points()),
        ChannelsFirst(input, spec.shape.voxels()), grid.Values());
  }
  reference::Gradients Reference() const {
    return spec.dtype == ACL_DOUBLE ? ReferenceAt<double>() : ReferenceAt<float>();
  }

  CallSpec spec;
  HostTensor grad_output, input, grid, input_grad, grid_grad;
  BoolArray mask;
  uint64_t workspace_size = 0;
  aclOpExecutor* executor = nullptr;

 private:
  HostTensor Make(const Int64s& shape, size_t argument) const {
    return TensorBuilder(spec.dtype, shape)
        .Format(spec.channels_last ? ACL_FORMAT_NDHWC : ACL_FORMAT_NCDHW)
        .InLayout(spec.layouts[argument])
        .Margin(spec.margin)
        .Build();
  }
  static void* First(const HostTensor& tensor) {
    return tensor.data() + tensor.offset() * test::ElementBytes(tensor.dtype());
  }
};

// A normalised coordinate: mostly in and around the volume, with voxel centres, borders, places far
// outside and values that are no place at all strewn in.
inline double AnyCoordinate(test::Rng* rng, int64_t size, bool align_corners) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const std::vector<double> odd = {-1,  1,    0,    -0.0,  -kInf,  kInf,    std::nan(""),
                                   6e4, -6e4, 41.5, -1e10, 1.7e30, -1.7e30, 3.4e38};
  const int64_t kind = rng->Integer(0, 15);
  if (kind == 0) return odd[static_cast<size_t>(rng->Integer(0, 13))];
  if (kind <= 2) {
    const double voxel = static_cast<double>(rng->Integer(-1, size));
    const double extent = static_cast<double>(size);
    if (!align_corners) return (2 * voxel + 1) / extent - 1;
    return size == 1 ? voxel : 2 * voxel / (extent - 1) - 1;
  }
  return kind == 3 ? rng->Uniform(-9, 9) : rng->Uniform(-1.3, 1.3);
}

inline void FillAtRandom(test::Rng* rng, TestCall* call) {
  const reference::Shape& shape = call->spec.shape;
  call->SetInput(rng->UniformVector(call->input.count(), -2, 2));
  call->SetGradOutput(rng->UniformVector(call->grad_output.count(), -2, 2));
  const int64_t sizes[] = {shape.w, shape.h, shape.d};
  std::vector<double> grid(static_cast<size_t>(call->grid.count()));
  for (size_t i = 0; i < grid.size(); ++i) {
    grid[i] = AnyCoordinate(rng, sizes[i % 3], shape.align_corners);
  }
  call->grid.SetValues(grid);
}

// One rounding to the dtype, plus errors of the compute precision in proportion to the terms.
inline ::testing::AssertionResult NearReference(aclDataType dtype, const std::vector<double>& got,
                                                const std::vector<double>& want,
                                                const std::vector<double>& magnitude) {
  const bool is_double = dtype == ACL_DOUBLE;
  const double compute = is_double ? 0x1p-53 : 0x1p-24;
  const double output = dtype == ACL_FLOAT16 ? 0x1p-11 : dtype == ACL_BF16 ? 0x1p-8 : compute;
  const double smallest = is_double ? 0 : dtype == ACL_FLOAT16 ? 0x1p-24 : 0x1p-126;
  for (size_t i = 0; i < want.size(); ++i) {
    const test::Tolerance tolerance{output * 1.01, 150 * compute * magnitude[i] + smallest};
    if (!test::IsClose(got[i], want[i], tolerance)) {
      return ::testing::AssertionFailure()
             << "element " << i << " is " << got[i] << ", want " << want[i] << " (terms sum up to "
             << magnitude[i] << ")";
    }
  }
  return ::testing::AssertionSuccess();
}

}  // namespace aclnn_cpu::grid_sampler3d_backward

#endif  // ACLNN_CPU_OPAPI_GRID_SAMPLER3D_BACKWARD_TEST_UTIL_H_
