#include "opapi/grid_sampler3d_backward/reference.h"

#include <array>
#include <cmath>
#include <limits>

namespace aclnn_cpu::grid_sampler3d_backward::reference {
namespace {

// Where a coordinate lies along an axis, and the derivative of that place by the coordinate.
struct Place {
  double position;
  double factor;
  bool dropped;
};

// The largest place that still is on the last voxel.
template <typename Coordinate>
Coordinate LastVoxel(int64_t size) {
  Coordinate last = static_cast<Coordinate>(size - 1);
  if (static_cast<int64_t>(last) > size - 1) last = std::nextafter(last, Coordinate{0});
  return last;
}

// Mirrors `v` at both ends of [low, low + span] until it is inside; flips the sign of *factor once
// per mirroring.
template <typename Coordinate>
Coordinate Mirror(Coordinate v, Coordinate low, Coordinate span, double* factor) {
  const Coordinate from_low = v - low;
  if (from_low < 0) *factor = -*factor;
  const Coordinate around = std::fmod(std::fabs(from_low), 2 * span);
  if (around < span) return around + low;
  *factor = -*factor;
  return (2 * span - around) + low;
}

template <typename Coordinate>
Place Locate(double normalised, int64_t size, const Shape& shape) {
  const Place dropped{0, 0, true};
  const Coordinate x = static_cast<Coordinate>(normalised);
  const Coordinate s = static_cast<Coordinate>(size);
  const Coordinate s_less_1 = static_cast<Coordinate>(size - 1);
  Coordinate v = shape.align_corners ? ((x + 1) / 2) * s_less_1 : ((x + 1) * s - 1) / 2;
  double factor = static_cast<double>(shape.align_corners ? size - 1 : size) / 2;
  if (std::isnan(v)) return dropped;

  if (shape.padding_mode == 2) {
    if (std::isinf(v)) return dropped;
    if (!shape.align_corners) {
      v = Mirror<Coordinate>(v, Coordinate{-0.5}, s, &factor);
    } else if (size > 1) {
      v = Mirror<Coordinate>(v, Coordinate{0}, s_less_1, &factor);
    } else {
      v = 0;
    }
  }
  if (shape.padding_mode != 0) {
    const Coordinate last = LastVoxel<Coordinate>(size);
    if (v <= 0 || v >= last) {
      v = v <= 0 ? Coordinate{0} : last;
      factor = 0;
    }
  }
  const double position = static_cast<double>(v);
  if (std::isinf(v) || position > std::numeric_limits<int32_t>::max() - 1 ||
      position < std::numeric_limits<int32_t>::min()) {
    return dropped;
  }
  return {position, factor, false};
}

// A voxel that a point touches, with the weight and its derivatives along x, y and z.
struct Corner {
  int64_t voxel;
  double weight;
  double slope[3];
};

// Calls visit(corner) for each voxel inside the volume that point (n, p) touches.
template <typename Coordinate, typename Visit>
void ForEachCorner(const Shape& shape, const double* coordinates, Visit visit) {
  const std::array<int64_t, 3> sizes = {shape.w, shape.h, shape.d};
  std::array<Place, 3> places;
  for (size_t axis = 0; axis < 3; ++axis) {
    places[axis] = Locate<Coordinate>(coordinates[axis], sizes[axis], shape);
    if (places[axis].dropped) return;
  }
  const bool nearest = shape.interpolation_mode == 1;
  for (int corner = 0; corner < (nearest ? 1 : 8); ++corner) {
    std::array<double, 3> weight, slope;
    std::array<int64_t, 3> index;
    bool inside = true;
    for (size_t axis = 0; axis < 3; ++axis) {
      const bool upper = ((corner >> axis) & 1) != 0;
      const double position = places[axis].position;
      const double low = nearest ? std::nearbyint(position) : std::floor(position);
      index[axis] = static_cast<int64_t>(low) + (upper ? 1 : 0);
      inside = inside && index[axis] >= 0 && index[axis] < sizes[axis];
      weight[axis] = nearest ? 1 : upper ? position - low : 1 - (position - low);
      slope[axis] = nearest ? 0 : (upper ? 1 : -1) * places[axis].factor;
    }
    if (!inside) continue;
    visit(Corner{(index[2] * shape.h + index[1]) * shape.w + index[0],
                 weight[0] * weight[1] * weight[2],
                 {slope[0] * (weight[1] * weight[2]), slope[1] * (weight[0] * weight[2]),
                  slope[2] * (weight[0] * weight[1])}});
  }
}

}  // namespace

template <typename Coordinate>
std::vector<double> Forward(const Shape& shape, const std::vector<double>& input,
                            const std::vector<double>& grid) {
  std::vector<double> output(static_cast<size_t>(shape.n * shape.c * shape.points()));
  for (int64_t n = 0; n < shape.n; ++n) {
    for (int64_t p = 0; p < shape.points(); ++p) {
      const double* point = &grid[static_cast<size_t>((n * shape.points() + p) * 3)];
      ForEachCorner<Coordinate>(shape, point, [&](const Corner& corner) {
        for (int64_t c = 0; c < shape.c; ++c) {
          const int64_t plane = n * shape.c + c;
          output[static_cast<size_t>(plane * shape.points() + p)] +=
              corner.weight * input[static_cast<size_t>(plane * shape.voxels() + corner.voxel)];
        }
      });
    }
  }
  return output;
}

template <typename Coordinate>
Gradients Backward(const Shape& shape, const std::vector<double>& grad_output,
                   const std::vector<double>& input, const std::vector<double>& grid) {
  Gradients result;
  result.input_grad.resize(input.size());
  result.input_grad_magnitude.resize(input.size());
  result.grid_grad.resize(grid.size());
  result.grid_grad_magnitude.resize(grid.size());
  const bool nearest = shape.interpolation_mode == 1;
  for (int64_t n = 0; n < shape.n; ++n) {
    for (int64_t p = 0; p < shape.points(); ++p) {
      const size_t point = static_cast<size_t>((n * shape.points() + p) * 3);
      ForEachCorner<Coordinate>(shape, &grid[point], [&](const Corner& corner) {
        for (int64_t c = 0; c < shape.c; ++c) {
          const int64_t plane = n * shape.c + c;
          const double g = grad_output[static_cast<size_t>(plane * shape.points() + p)];
          const size_t voxel = static_cast<size_t>(plane * shape.voxels() + corner.voxel);
          result.input_grad[voxel] += corner.weight * g;
          result.input_grad_magnitude[voxel] += std::fabs(corner.weight * g);
          for (size_t axis = 0; axis < 3 && !nearest; ++axis) {
            const double term = input[voxel] * corner.slope[axis] * g;
            result.grid_grad[point + axis] += term;
            result.grid_grad_magnitude[point + axis] += std::fabs(term);
          }
        }
      });
    }
  }
  return result;
}

template std::vector<double> Forward<float>(const Shape&, const std::vector<double>&,
                                            const std::vector<double>&);
template std::vector<double> Forward<double>(const Shape&, const std::vector<double>&,
                                             const std::vector<double>&);
template Gradients Backward<float>(const Shape&, const std::vector<double>&,
                                   const std::vector<double>&, const std::vector<double>&);
template Gradients Backward<double>(const Shape&, const std::vector<double>&,
                                    const std::vector<double>&, const std::vector<double>&);

}  // namespace aclnn_cpu::grid_sampler3d_backward::reference
