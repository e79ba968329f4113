#include "bench/floor.h"

#include <hwy/cache_control.h>
#include <hwy/highway.h>
#include <malloc.h>
#include <omp.h>
#include <unistd.h>

#include <atomic>
#include <cstring>

// Compiled for one fixed target (on x86, AVX2).

namespace bench {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

constexpr size_t kLine = 64;

// part(first, count) for each thread's share, in whole lines but for the last.
template <class Part>
void InParallel(size_t bytes, const Part& part) {
  const size_t threads = static_cast<size_t>(Threads());
  if (threads == 1) return part(size_t{0}, bytes);
#pragma omp parallel num_threads(static_cast <int>(threads))
  {
    const size_t share = (bytes / threads + kLine - 1) / kLine * kLine;
    const size_t first = share * static_cast<size_t>(omp_get_thread_num());
    if (first < bytes) part(first, bytes - first < share ? bytes - first : share);
  }
}

template <bool kStreaming>
void Fill(std::byte* to, size_t bytes) {
  const hn::ScalableTag<uint8_t> d;
  InParallel(bytes, [&](size_t first, size_t count) {
    uint8_t* target = reinterpret_cast<uint8_t*>(to) + first;
    const auto value = hn::Set(d, 1);
    size_t i = 0;
    for (; i + hn::Lanes(d) <= count; i += hn::Lanes(d)) {
      if constexpr (kStreaming) {
        hn::Stream(value, d, target + i);
      } else {
        hn::StoreU(value, d, target + i);
      }
    }
    std::memset(target + i, 1, count - i);
    if constexpr (kStreaming) hwy::FlushStream();
  });
}

}  // namespace

void VectorFill(std::byte* to, size_t bytes) { Fill<false>(to, bytes); }

void StreamingFill(std::byte* to, size_t bytes) { Fill<true>(to, bytes); }

void MemsetFill(std::byte* to, size_t bytes) {
  InParallel(bytes, [&](size_t first, size_t count) { std::memset(to + first, 1, count); });
}

void Copy(const std::byte* from, size_t bytes, std::byte* to) {
  InParallel(bytes,
             [&](size_t first, size_t count) { std::memcpy(to + first, from + first, count); });
}

void Read(const std::byte* from, size_t bytes) {
  const hn::ScalableTag<uint32_t> d;
  std::atomic<uint32_t> total{0};
  InParallel(bytes, [&](size_t first, size_t count) {
    const uint32_t* source = reinterpret_cast<const uint32_t*>(from + first);
    auto sum = hn::Zero(d);
    for (size_t i = 0; i + hn::Lanes(d) <= count / 4; i += hn::Lanes(d)) {
      sum = hn::Add(sum, hn::LoadU(d, source + i));
    }
    total += hn::GetLane(hn::SumOfLanes(d, sum));
  });
  static volatile uint32_t sink;
  sink = total;
}

void Touch(const void* from, size_t bytes) {
  const volatile unsigned char* source = static_cast<const volatile unsigned char*>(from);
  for (size_t i = 0; i < bytes; i += kLine) (void)source[i];
}

int64_t LastLevelCacheBytes() { return sysconf(_SC_LEVEL3_CACHE_SIZE); }

void KeepFreedMemory() {
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, 2147483647);
  mallopt(M_TOP_PAD, 64 << 20);
}

}  // namespace bench
