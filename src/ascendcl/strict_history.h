#ifndef ACLNN_CPU_ASCENDCL_STRICT_HISTORY_H_
#define ACLNN_CPU_ASCENDCL_STRICT_HISTORY_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace aclnn_cpu {

using Agent = uint32_t;  // who accesses memory: the host or a stream
inline constexpr Agent kHostAgent = 0;

// Bytes [begin, end) of an allocation.
struct ByteRun {
  uint64_t begin;
  uint64_t end;
  friend bool operator==(const ByteRun&, const ByteRun&) = default;
};

// What a finding says about an access.
struct AccessNames {
  const char* api = nullptr;
  const char* argument = nullptr;
  uint64_t ticket = 0;           // of the task in its stream; 0 for the host
  const void* stream = nullptr;  // the handle; null: a default stream
  friend bool operator==(const AccessNames&, const AccessNames&) = default;
};

struct Epoch {
  Agent agent = kHostAgent;
  uint64_t time = 0;  // 0: before everything
  AccessNames names = {};
  friend bool operator==(const Epoch&, const Epoch&) = default;
};

// The first bytes at which an access meets an earlier one that is not ordered before it, or, for
// `uninitialised`, which nothing has written.
struct Conflict {
  bool uninitialised = false;
  ByteRun bytes = {};
  bool earlier_is_write = false;
  Epoch earlier = {};
};

// Who wrote and who has read each byte of one allocation since.
class MemoryHistory {
 public:
  // `written`: memory that others than the library fill, so that it never counts as uninitialised.
  MemoryHistory(uint64_t bytes, bool written);

  // Checks an access against what came before and adds it. `is_ordered(epoch)` says whether an
  // earlier access is ordered before this one; those for which `is_past(epoch)` says so are ordered
  // before all that is still to come and are forgotten. `runs` ascend and do not meet; the part of
  // them that lies outside the allocation is ignored.
  template <typename IsOrdered, typename IsPast>
  std::optional<Conflict> Access(std::span<const ByteRun> runs, bool is_write, const Epoch& epoch,
                                 IsOrdered is_ordered, IsPast is_past);

  // From here on [begin, end) counts as written before everything and read by nobody.
  void Forget(ByteRun bytes);

  size_t segment_count() const { return segments_.size(); }  // for tests

 private:
  struct Segment {
    ByteRun bytes;
    bool written = false;
    Epoch write = {};
    std::vector<Epoch> reads = {};  // since the write, the last one of each agent
  };

  static bool SameHistory(const Segment& a, const Segment& b) {
    return a.written == b.written && a.write == b.write && a.reads == b.reads;
  }
  static void Push(std::vector<Segment>& segments, const Segment& from, ByteRun bytes);
  static void AddRead(Segment& segment, const Epoch& epoch);
  template <typename IsOrdered>
  static std::optional<Conflict> Check(const Segment& segment, ByteRun bytes, bool is_write,
                                       IsOrdered is_ordered);
  template <typename Change>
  void Rewrite(std::span<const ByteRun> runs, Change change);

  using Segments = std::map<uint64_t, Segment>;  // by where they begin
  void Replace(Segments::iterator first, Segments::iterator last, std::vector<Segment> fresh);

  Segments segments_;  // cover the allocation without gaps
};

template <typename IsOrdered>
std::optional<Conflict> MemoryHistory::Check(const Segment& segment, ByteRun bytes, bool is_write,
                                             IsOrdered is_ordered) {
  if (!segment.written && !is_write) return Conflict{.uninitialised = true, .bytes = bytes};
  if (segment.written && !is_ordered(segment.write))
    return Conflict{.bytes = bytes, .earlier_is_write = true, .earlier = segment.write};
  if (!is_write) return std::nullopt;
  for (const Epoch& read : segment.reads) {
    if (!is_ordered(read)) return Conflict{.bytes = bytes, .earlier = read};
  }
  return std::nullopt;
}

// Replaces the segments that `runs` touch, cut at the ends of the runs, and merges what has become
// alike, neighbours included. `change(segment)` alters a touched piece.
template <typename Change>
void MemoryHistory::Rewrite(std::span<const ByteRun> runs, Change change) {
  if (runs.empty() || segments_.empty()) return;
  auto first = segments_.upper_bound(runs.front().begin);
  for (int before = 0; before < 2 && first != segments_.begin(); ++before) --first;
  auto last = first;
  std::vector<Segment> fresh;
  size_t run = 0;
  for (; last != segments_.end() && last->first <= runs.back().end; ++last) {
    const Segment& old = last->second;
    uint64_t at = old.bytes.begin;
    const uint64_t end = old.bytes.end;
    while (at < end) {
      while (run < runs.size() && runs[run].end <= at) ++run;
      if (run == runs.size() || runs[run].begin >= end) {
        Push(fresh, old, {at, end});
        break;
      }
      if (runs[run].begin > at) {
        Push(fresh, old, {at, runs[run].begin});
        at = runs[run].begin;
      }
      Segment piece = old;
      piece.bytes = {at, std::min(runs[run].end, end)};
      at = piece.bytes.end;
      change(piece);
      Push(fresh, piece, piece.bytes);
    }
  }
  Replace(first, last, std::move(fresh));
}

template <typename IsOrdered, typename IsPast>
std::optional<Conflict> MemoryHistory::Access(std::span<const ByteRun> runs, bool is_write,
                                              const Epoch& epoch, IsOrdered is_ordered,
                                              IsPast is_past) {
  std::optional<Conflict> first;
  Rewrite(runs, [&](Segment& piece) {
    const std::optional<Conflict> conflict = Check(piece, piece.bytes, is_write, is_ordered);
    if (conflict && !first) first = conflict;
    if (is_write) {
      piece.written = true;
      piece.write = epoch;
      piece.reads.clear();
      return;
    }
    piece.written = true;  // once reported is enough
    if (is_past(piece.write)) piece.write = Epoch{};
    std::erase_if(piece.reads, is_past);
    if (epoch != Epoch{}) AddRead(piece, epoch);
  });
  return first;
}

}  // namespace aclnn_cpu

#endif  // ACLNN_CPU_ASCENDCL_STRICT_HISTORY_H_
