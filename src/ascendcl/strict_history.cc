#include "ascendcl/strict_history.h"

namespace aclnn_cpu {

MemoryHistory::MemoryHistory(uint64_t bytes, bool written)
    : segments_{{0, Segment{.bytes = {0, bytes}, .written = written}}} {}

void MemoryHistory::Push(std::vector<Segment>& segments, const Segment& from, ByteRun bytes) {
  if (!segments.empty() && SameHistory(segments.back(), from)) {
    segments.back().bytes.end = bytes.end;
    return;
  }
  segments.push_back(from);
  segments.back().bytes = bytes;
}

// Of one agent the last read counts: its earlier ones are ordered before it.
void MemoryHistory::AddRead(Segment& segment, const Epoch& epoch) {
  for (Epoch& read : segment.reads) {
    if (read.agent != epoch.agent) continue;
    read = epoch;
    return;
  }
  segment.reads.push_back(epoch);
}

// Keeps the nodes that can be kept: most accesses are to what an earlier one has cut out already.
void MemoryHistory::Replace(Segments::iterator first, Segments::iterator last,
                            std::vector<Segment> fresh) {
  for (Segment& segment : fresh) {
    const uint64_t begin = segment.bytes.begin;
    while (first != last && first->first < begin) first = segments_.erase(first);
    if (first != last && first->first == begin) {
      first->second = std::move(segment);
      ++first;
    } else {
      segments_.emplace_hint(first, begin, std::move(segment));
    }
  }
  segments_.erase(first, last);
}

void MemoryHistory::Forget(ByteRun bytes) {
  Rewrite({&bytes, 1}, [](Segment& piece) {
    piece.written = true;
    piece.write = Epoch{};
    piece.reads.clear();
  });
}

}  // namespace aclnn_cpu
