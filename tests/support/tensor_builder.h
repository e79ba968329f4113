#ifndef ACLNN_CPU_TESTS_SUPPORT_TENSOR_BUILDER_H_
#define ACLNN_CPU_TESTS_SUPPORT_TENSOR_BUILDER_H_

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "acl/acl_rt.h"
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

// Memory of aclrtMalloc, filled and read as a program on a card would; needs a current context.
inline std::shared_ptr<std::byte[]> AllocateOnDevice(size_t bytes) {
  void* memory = nullptr;
  if (aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST) != 0) return nullptr;
  return {static_cast<std::byte*>(memory), [](std::byte* block) { aclrtFree(block); }};
}

// A tensor whose elements a test can read and write, with everything aclCreateTensor takes.
// Movable; the aclTensor lives as long as this object. By default: row-major, no offset, a storage
// just as big as the view needs, filled with -777. Its memory is the host's, which kernels called
// directly need, or the device's (TensorBuilder::OnDevice), which calls through the API need.
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

  size_t byte_count() const { return static_cast<size_t>(storage_count_ * ElementBytes(dtype_)); }

  // The whole storage, gaps and margins included. Of a tensor in host memory.
  std::span<std::byte> bytes() const {
    assert(!on_device_);
    return {storage_.get(), byte_count()};
  }
  // The same as a copy, wherever it is.
  std::vector<std::byte> CopyOfBytes() const {
    std::vector<std::byte> copy(byte_count());
    if (on_device_) {
      aclrtMemcpy(copy.data(), copy.size(), storage_.get(), copy.size(), ACL_MEMCPY_DEVICE_TO_HOST);
    } else {
      copy.assign(storage_.get(), storage_.get() + copy.size());
    }
    return copy;
  }

  // `index` counts the view's elements in row-major order.
  double Get(int64_t index) const { return StorageElement(ElementOf(index)); }
  void Set(int64_t index, double value) {
    Change([&](std::byte* image) { Store(image, ElementOf(index), value); });
  }

  std::vector<double> Values() const {
    return Look([&](const std::byte* image) {
      std::vector<double> values(static_cast<size_t>(count()));
      for (size_t i = 0; i < values.size(); ++i)
        values[i] = Load(image, ElementOf(static_cast<int64_t>(i)));
      return values;
    });
  }

  // Rounds each value to the dtype. Where the view meets itself the last one stays.
  void SetValues(std::span<const double> values) {
    if (values.empty()) return;
    Change([&](std::byte* image) {
      for (size_t i = 0; i < values.size(); ++i)
        Store(image, ElementOf(static_cast<int64_t>(i)), values[i]);
    });
  }

  // The whole storage.
  void Fill(double value) {
    std::vector<std::byte> image(byte_count());
    for (int64_t i = 0; i < storage_count_; ++i) Store(image.data(), i, value);
    Replace(image);
  }

  // Storage element by position, inside the view or not.
  double StorageElement(int64_t position) const {
    if (!on_device_) return Load(storage_.get(), position);
    std::array<std::byte, 16> element;
    const auto bytes = static_cast<size_t>(ElementBytes(dtype_));
    aclrtMemcpy(element.data(), element.size(), storage_.get() + position * ElementBytes(dtype_),
                bytes, ACL_MEMCPY_DEVICE_TO_HOST);
    return Load(element.data(), 0);
  }

  // Every storage element outside the view equals `value` (as Fill() stored it).
  bool OutsideViewIs(double value) const {
    std::vector<bool> in_view(static_cast<size_t>(storage_count_));
    for (int64_t i = 0; i < count(); ++i) in_view[static_cast<size_t>(ElementOf(i))] = true;
    return Look([&](const std::byte* image) {
      for (int64_t i = 0; i < storage_count_; ++i) {
        if (!in_view[static_cast<size_t>(i)] && Load(image, i) != RoundTo(dtype_, value))
          return false;
      }
      return true;
    });
  }

  bool AllStorageIs(double value) const {
    return Look([&](const std::byte* image) {
      for (int64_t i = 0; i < storage_count_; ++i) {
        if (Load(image, i) != RoundTo(dtype_, value)) return false;
      }
      return true;
    });
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

  double Load(const std::byte* image, int64_t position) const {
    return LoadElement(dtype_, image + position * ElementBytes(dtype_));
  }
  void Store(std::byte* image, int64_t position, double value) const {
    StoreElement(dtype_, value, image + position * ElementBytes(dtype_));
  }

  // look(image), change(image): with the storage, or a copy of it if the host cannot reach it.
  template <typename Function>
  std::invoke_result_t<Function, const std::byte*> Look(Function look) const {
    if (!on_device_) return look(static_cast<const std::byte*>(storage_.get()));
    const std::vector<std::byte> copy = CopyOfBytes();
    return look(copy.data());
  }
  template <typename Function>
  void Change(Function change) {
    if (!on_device_) return change(storage_.get());
    std::vector<std::byte> copy = CopyOfBytes();
    change(copy.data());
    Replace(copy);
  }
  void Replace(const std::vector<std::byte>& image) {
    if (on_device_) {
      aclrtMemcpy(storage_.get(), image.size(), image.data(), image.size(),
                  ACL_MEMCPY_HOST_TO_DEVICE);
    } else {
      std::copy(image.begin(), image.end(), storage_.get());
    }
  }

  aclDataType dtype_ = ACL_FLOAT;
  Int64s shape_;
  Int64s strides_;
  int64_t offset_ = 0;
  int64_t storage_count_ = 0;
  bool on_device_ = false;
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
  // In device memory instead of the host's.
  TensorBuilder& OnDevice() {
    on_device_ = true;
    return *this;
  }
  // Uses the memory of `other`, which must be big enough, instead of its own.
  TensorBuilder& SharingStorageOf(const HostTensor& other) {
    shared_ = other.storage_;
    shared_bytes_ = static_cast<int64_t>(other.byte_count());
    on_device_ = other.on_device_;
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
    tensor->on_device_ = on_device_;
    if (shared_ != nullptr) {
      tensor->storage_ = bytes <= shared_bytes_ ? shared_ : nullptr;
    } else {
      const auto size = static_cast<size_t>(bytes);
      tensor->storage_ =
          on_device_ ? AllocateOnDevice(size) : std::shared_ptr<std::byte[]>(new std::byte[size]);
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
  bool on_device_ = false;
  std::shared_ptr<std::byte[]> shared_;
  int64_t shared_bytes_ = 0;
  double fill_ = HostTensor::kUntouched;
  std::vector<double> values_;
};

}  // namespace aclnn_cpu::test

#endif  // ACLNN_CPU_TESTS_SUPPORT_TENSOR_BUILDER_H_
