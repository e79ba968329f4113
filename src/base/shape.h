#ifndef ACLNN_CPU_BASE_SHAPE_H_
#define ACLNN_CPU_BASE_SHAPE_H_

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>

namespace aclnn_cpu {

// Problems and plans have at most five axes; a tensor object as the caller made it may have any
// number.
inline constexpr int kMaxRank = 5;

// A short list of int64 with value semantics and no allocation: extents or strides.
class Dims {
 public:
  constexpr Dims() = default;
  constexpr Dims(std::initializer_list<int64_t> values) {
    for (int64_t value : values) push_back(value);
  }
  // `values` holds at most kMaxRank entries.
  explicit constexpr Dims(std::span<const int64_t> values) {
    for (int64_t value : values) push_back(value);
  }

  constexpr int size() const { return size_; }
  constexpr int64_t operator[](int axis) const { return values_[static_cast<size_t>(axis)]; }
  constexpr int64_t& operator[](int axis) { return values_[static_cast<size_t>(axis)]; }
  constexpr const int64_t* begin() const { return values_.data(); }
  constexpr const int64_t* end() const { return values_.data() + size_; }
  constexpr operator std::span<const int64_t>() const { return {begin(), end()}; }  // NOLINT
  constexpr void push_back(int64_t value) { values_[static_cast<size_t>(size_++)] = value; }
  friend constexpr bool operator==(const Dims& a, const Dims& b) {
    if (a.size_ != b.size_) return false;
    for (int i = 0; i < a.size_; ++i) {
      if (a[i] != b[i]) return false;
    }
    return true;
  }

 private:
  std::array<int64_t, kMaxRank> values_{};
  int size_ = 0;
};

// How a kernel walks a tensor: extents and element strides (not bytes), counted from the view's
// first element.
struct StridedView {
  Dims extents;
  Dims strides;
};

// Lowest and highest element index that a view touches, counted from its first element (both
// inclusive).
struct ElementRange {
  int64_t low = 0;
  int64_t high = 0;
};

// True if at least one extent is 0 (a rank-0 tensor holds one element).
inline bool IsEmpty(std::span<const int64_t> extents) {
  for (const int64_t extent : extents) {
    if (extent == 0) return true;
  }
  return false;
}

// Number of elements; nullopt when it does not fit in int64.
std::optional<int64_t> ElementCount(std::span<const int64_t> extents);

// Row-major strides of `extents`; nullopt when one does not fit in int64.
std::optional<Dims> RowMajorStrides(const Dims& extents);

// Strides equal the row-major ones; axes of extent 1 do not count. An empty view is contiguous.
bool IsContiguous(std::span<const int64_t> extents, std::span<const int64_t> strides);

// The elements a non-empty view touches; nullopt when a bound does not fit in int64.
std::optional<ElementRange> TouchedRange(std::span<const int64_t> extents,
                                         std::span<const int64_t> strides);

// True unless it is certain that no two indices of the view meet in one element. A false alarm only
// costs speed.
bool MayOverlapItself(const StridedView& view);

}  // namespace aclnn_cpu

#endif  // ACLNN_CPU_BASE_SHAPE_H_
