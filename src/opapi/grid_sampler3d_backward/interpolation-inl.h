// How gridGrad follows from the voxels around a point: one formula for scalars and vectors, so that
// all variants of the kernel give the same bits.

// Per-target include guard
#if defined(ACLNN_CPU_OPAPI_GRID_SAMPLER3D_BACKWARD_INTERPOLATION_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef ACLNN_CPU_OPAPI_GRID_SAMPLER3D_BACKWARD_INTERPOLATION_INL_H_
#undef ACLNN_CPU_OPAPI_GRID_SAMPLER3D_BACKWARD_INTERPOLATION_INL_H_
#else
#define ACLNN_CPU_OPAPI_GRID_SAMPLER3D_BACKWARD_INTERPOLATION_INL_H_
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace aclnn_cpu {
namespace grid_sampler3d_backward {
namespace HWY_NAMESPACE {

// For scalars what hn::Mul, hn::Add and hn::Sub are for vectors.
HWY_INLINE float Mul(float a, float b) { return a * b; }
HWY_INLINE float Add(float a, float b) { return a + b; }
HWY_INLINE float Sub(float a, float b) { return a - b; }
HWY_INLINE double Mul(double a, double b) { return a * b; }
HWY_INLINE double Add(double a, double b) { return a + b; }
HWY_INLINE double Sub(double a, double b) { return a - b; }

// The derivatives by the place along x, y and z, to slopes[0..2].
//
// `corners` are the eight voxels, x running fastest, then y: input * gradOutput summed over the
// channels; +0 for a voxel outside the volume. Products with gradOutput come before differences:
// so an infinite gradOutput gives NaN where the definition does. The last addition of zero
// makes a result of zero positive, whatever the signs of the zeros it was made of.
template <typename V>
HWY_INLINE void Slopes(const V* corners, const V* low, const V* high, V zero, V* slopes) {
  const V x00 = Sub(corners[1], corners[0]);
  const V x01 = Sub(corners[3], corners[2]);
  const V x10 = Sub(corners[5], corners[4]);
  const V x11 = Sub(corners[7], corners[6]);
  const V x0 = Add(Mul(low[1], x00), Mul(high[1], x01));
  const V x1 = Add(Mul(low[1], x10), Mul(high[1], x11));
  slopes[0] = Add(Add(Mul(low[2], x0), Mul(high[2], x1)), zero);
  const V row00 = Add(Mul(corners[0], low[0]), Mul(corners[1], high[0]));
  const V row01 = Add(Mul(corners[2], low[0]), Mul(corners[3], high[0]));
  const V row10 = Add(Mul(corners[4], low[0]), Mul(corners[5], high[0]));
  const V row11 = Add(Mul(corners[6], low[0]), Mul(corners[7], high[0]));
  const V y0 = Sub(row01, row00);
  const V y1 = Sub(row11, row10);
  slopes[1] = Add(Add(Mul(low[2], y0), Mul(high[2], y1)), zero);
  const V z0 = Sub(row10, row00);
  const V z1 = Sub(row11, row01);
  slopes[2] = Add(Add(Mul(low[1], z0), Mul(high[1], z1)), zero);
}

// Sums over channels have this many partial sums, channel c in number c % kChannelSums, which
// SumOfSums() adds up. Neither the number of lanes nor the layout shows in the bits.
constexpr int kChannelSums = 8;

template <typename V>
HWY_INLINE V SumOfSums(const V (&s)[kChannelSums]) {
  const V even = Add(Add(s[0], s[4]), Add(s[2], s[6]));
  const V odd = Add(Add(s[1], s[5]), Add(s[3], s[7]));
  return Add(even, odd);
}

}  // namespace HWY_NAMESPACE
}  // namespace grid_sampler3d_backward
}  // namespace aclnn_cpu
HWY_AFTER_NAMESPACE();
#endif  // per-target include guard
