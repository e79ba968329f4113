#ifndef ACLNN_CPU_TESTS_SUPPORT_NPY_H_
#define ACLNN_CPU_TESTS_SUPPORT_NPY_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace aclnn_cpu::test {

// What a .npy file holds, row-major, whatever its element type.
struct NpyArray {
  std::vector<int64_t> shape;
  std::vector<double> values;
};

namespace npy_internal {

// The text behind 'key': up to `stop`, in a header like
// {'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }
inline std::string Field(const std::string& header, const std::string& key, char stop) {
  const size_t found = header.find("'" + key + "': ");
  if (found == std::string::npos) throw std::runtime_error("no " + key + " in the header");
  const size_t begin = found + key.size() + 4;
  return header.substr(begin, header.find(stop, begin) - begin);
}

template <typename T>
std::vector<double> Elements(const std::string& file, size_t begin, size_t count) {
  if (file.size() - begin != count * sizeof(T)) throw std::runtime_error("wrong amount of data");
  std::vector<T> elements(count);
  if (count != 0) std::memcpy(elements.data(), file.data() + begin, count * sizeof(T));
  return {elements.begin(), elements.end()};
}

}  // namespace npy_internal

// Reads format version 1.0, C order, elements little-endian float32, float64 or int64 (numbers
// beyond 2^53 are rounded). Throws std::runtime_error for anything else.
inline NpyArray ReadNpy(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw std::runtime_error("cannot read " + path);
  const std::string file{std::istreambuf_iterator<char>(stream), {}};
  constexpr size_t kPrefix = 10;  // magic, version, length of the header in two bytes
  if (file.size() < kPrefix || file.compare(0, 8, std::string("\x93NUMPY\x01\x00", 8)) != 0)
    throw std::runtime_error(path + " is not a .npy file of version 1.0");
  const auto byte = [&file](size_t at) -> size_t { return static_cast<unsigned char>(file[at]); };
  const std::string header = file.substr(kPrefix, byte(8) | byte(9) << 8);
  if (npy_internal::Field(header, "fortran_order", ',') != "False")
    throw std::runtime_error(path + " is not in C order");

  NpyArray array;
  size_t count = 1;
  std::istringstream extents(npy_internal::Field(header, "shape", ')').substr(1));
  for (int64_t extent = 0; extents >> extent; extents.ignore(1)) {
    array.shape.push_back(extent);
    count *= static_cast<size_t>(extent);
  }
  const std::string type = npy_internal::Field(header, "descr", ',');
  const size_t begin = kPrefix + header.size();
  if (type == "'<f4'") {
    array.values = npy_internal::Elements<float>(file, begin, count);
  } else if (type == "'<f8'") {
    array.values = npy_internal::Elements<double>(file, begin, count);
  } else if (type == "'<i8'") {
    array.values = npy_internal::Elements<int64_t>(file, begin, count);
  } else {
    throw std::runtime_error(path + " has elements of type " + type);
  }
  return array;
}

}  // namespace aclnn_cpu::test

#endif  // ACLNN_CPU_TESTS_SUPPORT_NPY_H_
