#ifndef ACLNN_CPU_TESTS_SUPPORT_TENSOR_BUILDER_H_
#define ACLNN_CPU_TESTS_SUPPORT_TENSOR_BUILDER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "aclnn/acl_meta.h"
#include "support/dtype.h"

namespace aclnn_cpu::test {

using Int64s = std::vector<int64_t>;

inline int64_t CountOf(std::span<const int64_t> shape) {
  int64_t count = 1;
  for (int64_t extent : shape) count *= extent;
  return count;
}

// Strides of `shape` when memory holds the axes in `order` (outermost first, packed).
inline Int64s StridesInOrder(std::span<const int64_t> shape, std::span<const int64_t> order) {
  Int64s strides(shape.size());
  int64_t step = 1;
  for (size_t i = order.size(); i-- > 0;) {
    strides[static_cast<size_t>(order[i])] = step;
    step *= shape[static_cast<size_t>(order[i])];
  }
  return strides;
}

// Memory layouts under which the same view values must give the same results.
enum class Layout {
  kContiguous,
  kChannelsLast,  // axis 1 (axis 0 of rank 3) innermost
  kTransposed,    // the last two axes swapped in memory
  kReversed,      // every stride negative
  kGaps,          // one foreign element after each element and one foreign row after each row
};
inline constexpr Layout kLayouts[] = {Layout::kContiguous, Layout::kChannelsLast,
                                      Layout::kTransposed, Layout::kReversed, Layout::kGaps};

inline const char* LayoutLabel(Layout layout) {
  switch (layout) {
    case Layout::kContiguous:
      return "contiguous";
    case Layout::kChannelsLast:
      return "channels_last";
    case Layout::kTransposed:
      return "transposed";
    case Layout::kReversed:
      return "reversed";
    case Layout::kGaps:
      return "gaps";
  }
  return "?";
}

// `shape` has at least two axes.
inline Int64s StridesOf(Layout layout, std::span<const int64_t> shape) {
  const size_t rank = shape.size();
  Int64s order(rank);
  for (size_t i = 0; i < rank; ++i) order[i] = static_cast<int64_t>(i);
  if (layout == Layout::kChannelsLast) {
    const auto channels = order.begin() + (rank == 3 ? 0 : 1);
    order.push_back(*channels);
    order.erase(order.begin() + (rank == 3 ? 0 : 1));
  }
  if (layout == Layout::kTransposed) std::swap(order[rank - 1], order[rank - 2]);
  Int64s strides = StridesInOrder(shape, order);
  if (layout == Layout::kReversed) {
    for (int64_t& stride : strides) stride = -stride;
  }
  if (layout == Layout::kGaps) {
    Int64s padded(shape.begin(), shape.end());
    padded[rank - 2] += 1;
    padded[rank - 1] *= 2;
    strides = StridesInOrder(padded, order);
    strides[rank - 1] = 2;
  }
  return strides;
}

// A tensor in host memory (which is device memory here) with everything aclCreateTensor takes.
// Movable; the aclTensor lives as long as this object. By default: row-major, no offset, a storage
// just as big as the view needs, filled with -777.
class HostTensor {
 public:
  static constexpr double kUntouched = -777;

  const Int64s& shape() const { return shape_; }
  const Int64s& strides() const { return strides_; }
  int64_t offset() const { return offset_; }
  aclDataType dtype() const { return dtype_; }
  int64_t count() const { return CountOf(shape_); }
  int64_t storage_count() const { return storage_count_; }
  std::byte* data() const { return storage_.get(); }
  aclTensor* acl() const { return acl_.get(); }

  // The whole storage, gaps and margins included.
  std::span<std::byte> bytes() const {
    return {storage_.get(), static_cast<size_t>(storage_count_ * ElementBytes(dtype_))};
  }

  // `index` counts the view's elements in row-major order.
  double Get(int64_t index) const { return LoadElement(dtype_, Address(ElementOf(index))); }
  void Set(int64_t index, double value) { StoreElement(dtype_, value, Address(ElementOf(index))); }

  std::vector<double> Values() const {
    std::vector<double> values(static_cast<size_t>(count()));
    for (size_t i = 0; i < values.size(); ++i) values[i] = Get(static_cast<int64_t>(i));
    return values;
  }

  // Rounds each value to the dtype. Where the view meets itself the last one stays.
  void SetValues(std::span<const double> values) {
    for (size_t i = 0; i < values.size(); ++i) Set(static_cast<int64_t>(i), values[i]);
  }

  // The whole storage.
  void Fill(double value) {
    for (int64_t i = 0; i < storage_count_; ++i) StoreElement(dtype_, value, Address(i));
  }

  // Storage element by position, inside the view or not.
  double StorageElement(int64_t position) const { return LoadElement(dtype_, Address(position)); }

  // Every storage element outside the view equals `value` (as Fill() stored it).
  bool OutsideViewIs(double value) const {
    std::vector<bool> in_view(static_cast<size_t>(storage_count_));
    for (int64_t i = 0; i < count(); ++i) in_view[static_cast<size_t>(ElementOf(i))] = true;
    for (int64_t i = 0; i < storage_count_; ++i) {
      if (!in_view[static_cast<size_t>(i)] && StorageElement(i) != RoundTo(dtype_, value))
        return false;
    }
    return true;
  }

  bool AllStorageIs(double value) const {
    for (int64_t i = 0; i < storage_count_; ++i) {
      if (StorageElement(i) != RoundTo(dtype_, value)) return false;
    }
    return true;
  }

 private:
  friend class TensorBuilder;

  struct DestroyAcl {
    void operator()(aclTensor* tensor) const { aclDestroyTensor(tensor); }
  };

  // Position in the storage of a view element.
  int64_t ElementOf(int64_t index) const {
    int64_t position = offset_;
    for (size_t axis = shape_.size(); axis-- > 0;) {
      position += index % shape_[axis] * strides_[axis];
      index /= shape_[axis];
    }
    return position;
  }
  std::byte* Address(int64_t position) const {
    return storage_.get() + position * ElementBytes(dtype_);
  }

  aclDataType dtype_ = ACL_FLOAT;
  Int64s shape_;
  Int64s strides_;
  int64_t offset_ = 0;
  int64_t storage_count_ = 0;
  std::shared_ptr<std::byte[]> storage_;
  std::unique_ptr<aclTensor, DestroyAcl> acl_;
};

// TensorBuilder(ACL_FLOAT, {1, 2, 3, 4}).InLayout(Layout::kGaps).Margin(3).Values(v).Build()
class TensorBuilder {
 public:
  TensorBuilder(aclDataType dtype, Int64s shape) : dtype_(dtype), shape_(std::move(shape)) {}

  TensorBuilder& Format(aclFormat format) {
    format_ = format;
    return *this;
  }
  TensorBuilder& Strides(Int64s strides) {
    strides_ = std::move(strides);
    return *this;
  }
  TensorBuilder& InLayout(Layout layout) { return Strides(StridesOf(layout, shape_)); }
  // Foreign elements before and after the view; with them, the view has an offset.
  TensorBuilder& Margin(int64_t elements) {
    margin_ = elements;
    return *this;
  }
  // What aclCreateTensor is told as offset and storage instead of what the view needs (for tests of
  // rejection; the memory stays as big as needed).
  TensorBuilder& ClaimOffset(int64_t offset) {
    claimed_offset_ = offset;
    claims_offset_ = true;
    return *this;
  }
  TensorBuilder& ClaimStorage(Int64s storage) {
    claimed_storage_ = std::move(storage);
    claims_storage_ = true;
    return *this;
  }
  // No memory is allocated and the data pointer is null; only acl() may be used then. Allows any
  // extents and strides, negative and absurdly big ones too.
  TensorBuilder& WithoutData() {
    with_data_ = false;
    return *this;
  }
  // Uses the memory of `other`, which must be big enough, instead of its own.
  TensorBuilder& SharingStorageOf(const HostTensor& other) {
    shared_ = other.storage_;
    shared_bytes_ = static_cast<int64_t>(other.bytes().size());
    return *this;
  }
  TensorBuilder& Filled(double value) {
    fill_ = value;
    return *this;
  }
  TensorBuilder& Values(std::vector<double> values) {
    values_ = std::move(values);
    return *this;
  }

  HostTensor Build() const {
    HostTensor tensor;
    tensor.dtype_ = dtype_;
    tensor.shape_ = shape_;
    tensor.strides_ = strides_.empty() ? RowMajor() : strides_;
    if (with_data_) {
      Place(&tensor);
      Allocate(&tensor);
    }
    const int64_t offset = claims_offset_ ? claimed_offset_ : tensor.offset_;
    const Int64s storage = claims_storage_ ? claimed_storage_ : Int64s{tensor.storage_count_};
    tensor.acl_.reset(aclCreateTensor(shape_.data(), shape_.size(), dtype_, tensor.strides_.data(),
                                      offset, format_, storage.data(), storage.size(),
                                      tensor.storage_.get()));
    return tensor;
  }

 private:
  // Wraps around instead of overflowing: rejection tests use extents whose product does not fit.
  Int64s RowMajor() const {
    Int64s strides(shape_.size());
    uint64_t step = 1;
    for (size_t i = shape_.size(); i-- > 0;) {
      strides[i] = static_cast<int64_t>(step);
      step *= static_cast<uint64_t>(shape_[i]);
    }
    return strides;
  }

  void Place(HostTensor* tensor) const {
    int64_t low = 0;
    int64_t high = 0;
    for (size_t i = 0; i < shape_.size(); ++i) {
      const int64_t reach = tensor->strides_[i] * (shape_[i] - 1);
      (reach < 0 ? low : high) += reach;
    }
    const bool empty = CountOf(shape_) == 0;
    tensor->offset_ = margin_ - (empty ? 0 : low);
    tensor->storage_count_ = (empty ? 0 : high - low + 1) + 2 * margin_;
  }

  void Allocate(HostTensor* tensor) const {
    const int64_t bytes = tensor->storage_count_ * ElementBytes(dtype_);
    if (shared_ != nullptr) {
      tensor->storage_ = bytes <= shared_bytes_ ? shared_ : nullptr;
    } else {
      tensor->storage_ = std::shared_ptr<std::byte[]>(new std::byte[static_cast<size_t>(bytes)]);
      tensor->Fill(fill_);
    }
    tensor->SetValues(values_);
  }

  aclDataType dtype_;
  Int64s shape_;
  aclFormat format_ = ACL_FORMAT_ND;
  Int64s strides_;
  int64_t margin_ = 0;
  bool claims_offset_ = false;
  int64_t claimed_offset_ = 0;
  bool claims_storage_ = false;
  Int64s claimed_storage_;
  bool with_data_ = true;
  std::shared_ptr<std::byte[]> shared_;
  int64_t shared_bytes_ = 0;
  double fill_ = HostTensor::kUntouched;
  std::vector<double> values_;
};

}  // namespace aclnn_cpu::test

#endif  // ACLNN_CPU_TESTS_SUPPORT_TENSOR_BUILDER_H_
