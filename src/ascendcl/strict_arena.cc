#include "ascendcl/strict_arena.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

namespace aclnn_cpu {
namespace {

constexpr size_t kPage = 4096;
constexpr size_t kNoPage = SIZE_MAX;
constexpr size_t kLeastArena = size_t{64} << 20;
// Giving memory back is a system call; small blocks wait until this much has come together.
constexpr size_t kGiveBackAtOnce = size_t{64} << 10;
constexpr size_t kMostKept = size_t{64} << 20;

size_t PagesFor(size_t bytes) { return (bytes + kPage - 1) / kPage; }

uintptr_t Map(size_t bytes, int protection, int flags, int file) {
  void* const view = mmap(nullptr, bytes, protection, flags, file, 0);
  if (view == MAP_FAILED) return 0;
  madvise(view, bytes, MADV_DONTDUMP);
  return reinterpret_cast<uintptr_t>(view);
}

void Unmap(uintptr_t view, size_t bytes) {
  if (view != 0) munmap(reinterpret_cast<void*>(view), bytes);
}

// A second view of the same shared memory: where memfd_create is forbidden, mremap of a length of 0
// makes one without a file.
uintptr_t SecondView(uintptr_t first, size_t bytes) {
  void* const view = mremap(reinterpret_cast<void*>(first), 0, bytes, MREMAP_MAYMOVE);
  if (view == MAP_FAILED) return 0;
  madvise(view, bytes, MADV_DONTDUMP);
  return reinterpret_cast<uintptr_t>(view);
}

}  // namespace

bool StrictArena::MapViews(size_t bytes) {
  const int file = memfd_create("aclnn-cpu-device-memory", MFD_CLOEXEC);
  if (file >= 0 && ftruncate(file, static_cast<off_t>(bytes)) == 0) {
    twin_ = Map(bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file);
    caller_ = twin_ == 0 ? 0 : Map(bytes, PROT_NONE, MAP_SHARED | MAP_NORESERVE, file);
  } else {
    twin_ = Map(bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1);
    caller_ = twin_ == 0 ? 0 : SecondView(twin_, bytes);
    if (caller_ != 0) mprotect(reinterpret_cast<void*>(caller_), bytes, PROT_NONE);
  }
  if (file >= 0) close(file);  // the mappings keep the memory
  const size_t table_bytes = bytes / kPage * sizeof(owners_[0]);
  const uintptr_t table = caller_ == 0 ? 0
                                       : Map(table_bytes, PROT_READ | PROT_WRITE,
                                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
  if (table != 0) {
    owners_ = reinterpret_cast<std::atomic<MemoryRecord*>*>(table);
    bytes_ = bytes;
    return true;
  }
  Unmap(caller_, bytes);
  Unmap(twin_, bytes);
  caller_ = twin_ = 0;
  return false;
}

bool StrictArena::Reserve(size_t most_bytes) {
  for (size_t bytes = most_bytes; bytes >= kLeastArena; bytes /= 2) {
    if (MapViews(bytes)) return true;
  }
  return false;
}

size_t StrictArena::TakeFreshPages(size_t pages, size_t alignment_pages) {
  // The addresses have to be aligned, not the page numbers.
  const size_t base_page = caller_ / kPage;
  const size_t first =
      (base_page + next_page_ + alignment_pages - 1) / alignment_pages * alignment_pages -
      base_page;
  const size_t all_pages = bytes_ / kPage;
  if (first > all_pages || pages > all_pages - first) return kNoPage;
  next_page_ = first + pages;
  return first;
}

// Among the gaps that are big enough, the one that has been unused for the longest time.
size_t StrictArena::TakeFreedPages(size_t pages, size_t alignment_pages) {
  const size_t base_page = caller_ / kPage;
  size_t best = kNoPage;
  uint64_t best_order = UINT64_MAX;
  for (auto begin = freed_.begin(); begin != freed_.end();) {
    auto end = begin;
    size_t next = begin->first;
    uint64_t order = 0;
    for (; end != freed_.end() && end->first == next; ++end) {
      next += end->second.pages;
      order = std::max(order, end->second.order);
    }
    const size_t first =
        (base_page + begin->first + alignment_pages - 1) / alignment_pages * alignment_pages -
        base_page;
    if (first + pages <= next && order < best_order) {
      best = first;
      best_order = order;
    }
    begin = end;
  }
  if (best == kNoPage) return best;
  // Cut [best, best + pages) out of the freed blocks.
  auto entry = std::prev(freed_.upper_bound(best));
  while (entry != freed_.end() && entry->first < best + pages) {
    const auto [first, block] = *entry;
    entry = freed_.erase(entry);
    const size_t end = first + block.pages;
    if (first < best) freed_.emplace(first, FreedBlock{best - first, block.order});
    if (end > best + pages)
      freed_.emplace(best + pages, FreedBlock{end - best - pages, block.order});
  }
  GiveBack(best, pages);
  return best;
}

bool StrictArena::Place(MemoryRecord* record, size_t alignment) {
  const size_t pages = PagesFor(record->usable) + 1;  // one that belongs to nobody at the end
  const size_t alignment_pages = std::max<size_t>(alignment / kPage, 1);
  size_t first = TakeFreshPages(pages, alignment_pages);
  if (first == kNoPage) first = TakeFreedPages(pages, alignment_pages);
  if (first == kNoPage) return false;
  record->base = caller_ + first * kPage;
  record->in_arena = true;
  for (size_t page = first; page < first + pages; ++page)
    owners_[page].store(record, std::memory_order_release);
  return true;
}

void StrictArena::Release(MemoryRecord* record) {
  const size_t first = (record->base - caller_) / kPage;
  const size_t pages = PagesFor(record->usable) + 1;
  freed_.emplace(first, FreedBlock{pages, ++frees_});
  if (record->opened.load()) {
    mprotect(reinterpret_cast<void*>(record->base), (pages - 1) * kPage, PROT_NONE);
  }
  const size_t bytes = (pages - 1) * kPage;
  if (bytes >= kGiveBackAtOnce) {
    GiveBack(first, pages);
    return;
  }
  kept_.push_back(first);
  kept_bytes_ += bytes;
  if (kept_bytes_ < kMostKept) return;
  for (const size_t page : kept_) {
    const auto block = freed_.find(page);
    if (block != freed_.end()) GiveBack(page, block->second.pages);
  }
  kept_.clear();
  kept_bytes_ = 0;
}

void StrictArena::GiveBack(size_t first_page, size_t pages) {
  madvise(reinterpret_cast<void*>(twin_ + first_page * kPage), pages * kPage, MADV_REMOVE);
}

MemoryRecord* StrictArena::Find(uintptr_t address) const {
  if (!Contains(address)) return nullptr;
  return owners_[(address - caller_) / kPage].load(std::memory_order_acquire);
}

void StrictArena::OpenToHost(const MemoryRecord* record, uintptr_t address) const {
  const bool inside = record != nullptr && address - record->base < record->usable;
  const uintptr_t base = inside ? record->base : address / kPage * kPage;
  const size_t bytes = inside ? PagesFor(record->usable) * kPage : kPage;
  mprotect(reinterpret_cast<void*>(base), bytes, PROT_READ | PROT_WRITE);
}

}  // namespace aclnn_cpu
