#include "ascendcl/strict_arena.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>

namespace aclnn_cpu {
namespace {

constexpr size_t kPage = 4096;
constexpr size_t kNoPage = SIZE_MAX;
constexpr size_t kLeastArena = size_t{64} << 20;
// Belong to nobody, so that an access below the first block is one to the arena.
constexpr size_t kLeadingPages = 16;
// Giving memory back is a system call; small blocks wait until this much has come together.
constexpr size_t kGiveBackAtOnce = size_t{64} << 10;
constexpr size_t kMostKept = size_t{64} << 20;

size_t LimitOf(__rlimit_resource_t resource) {
  rlimit limit{};
  return getrlimit(resource, &limit) == 0 ? static_cast<size_t>(limit.rlim_cur) : SIZE_MAX;
}

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

// Adds [begin, end), which meets none of the ranges, and merges it with those that it touches.
void AddRange(std::map<size_t, size_t>& ranges, size_t begin, size_t end) {
  auto next = ranges.upper_bound(begin);
  if (next != ranges.end() && next->first == end) {
    end = next->second;
    next = ranges.erase(next);
  }
  if (next != ranges.begin() && std::prev(next)->second == begin) {
    std::prev(next)->second = end;
  } else {
    ranges.emplace(begin, end);
  }
}

}  // namespace

bool StrictArena::MapViews(size_t bytes) {
  // Beyond the limit of a file's size ftruncate() would end the process.
  const bool may_have_file = bytes <= LimitOf(RLIMIT_FSIZE);
  const int file = may_have_file ? memfd_create("aclnn-cpu-device-memory", MFD_CLOEXEC) : -1;
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
    gaps_ = {{kLeadingPages, bytes / kPage}};
    cursor_ = kLeadingPages;
    return true;
  }
  Unmap(caller_, bytes);
  Unmap(twin_, bytes);
  caller_ = twin_ = 0;
  return false;
}

bool StrictArena::Reserve(size_t most_bytes) {
  if (static_cast<size_t>(sysconf(_SC_PAGESIZE)) > kPage) return false;
  // Of a limited address space the two views leave the program half.
  const size_t limit = std::min(most_bytes, LimitOf(RLIMIT_AS) / 4) / kPage * kPage;
  for (size_t bytes = limit; bytes >= kLeastArena; bytes = bytes / 2 / kPage * kPage) {
    if (MapViews(bytes)) return true;
  }
  return false;
}

size_t StrictArena::FindGap(size_t from, size_t pages, size_t alignment_pages) const {
  const size_t base_page = caller_ / kPage;  // the addresses have to be aligned, not the numbers
  auto gap = gaps_.upper_bound(from);
  if (gap != gaps_.begin()) --gap;
  for (; gap != gaps_.end(); ++gap) {
    const size_t begin = base_page + std::max(gap->first, from);
    const size_t first =
        (begin + alignment_pages - 1) / alignment_pages * alignment_pages - base_page;
    if (first < gap->second && pages <= gap->second - first) return first;
  }
  return kNoPage;
}

size_t StrictArena::TakePages(size_t pages, size_t alignment_pages) {
  size_t first = FindGap(cursor_, pages, alignment_pages);
  if (first == kNoPage) first = FindGap(0, pages, alignment_pages);
  if (first == kNoPage) return kNoPage;
  const auto gap = std::prev(gaps_.upper_bound(first));
  const auto [begin, end] = *gap;
  gaps_.erase(gap);
  if (begin < first) gaps_.emplace(begin, first);
  if (first + pages < end) gaps_.emplace(first + pages, end);
  cursor_ = first + pages;
  GiveBackKept(first, first + pages);
  return first;
}

bool StrictArena::Place(MemoryRecord* record, size_t alignment) {
  if (record->usable > bytes_) return false;
  const size_t pages = PagesFor(record->usable) + 1;  // one that belongs to nobody at the end
  const size_t first = TakePages(pages, std::max<size_t>(alignment / kPage, 1));
  if (first == kNoPage) return false;
  record->base = caller_ + first * kPage;
  record->in_arena = true;
  // The host may have opened something here when it was nobody's any more.
  if (any_opened_.load() && !all_opened_.load())
    mprotect(reinterpret_cast<void*>(record->base), pages * kPage, PROT_NONE);
  for (size_t page = first; page < first + pages; ++page)
    owners_[page].store(record, std::memory_order_release);
  return true;
}

void StrictArena::Release(MemoryRecord* record) {
  const size_t first = (record->base - caller_) / kPage;
  const size_t pages = PagesFor(record->usable) + 1;
  AddRange(gaps_, first, first + pages);
  if (record->opened.load() && !all_opened_.load())
    mprotect(reinterpret_cast<void*>(record->base), pages * kPage, PROT_NONE);
  if (pages * kPage >= kGiveBackAtOnce) {
    GiveBack(first, pages);
    return;
  }
  AddRange(kept_, first, first + pages);
  kept_bytes_ += pages * kPage;
  if (kept_bytes_ >= kMostKept) GiveBackKept(0, bytes_ / kPage);
}

void StrictArena::GiveBack(size_t first_page, size_t pages) {
  madvise(reinterpret_cast<void*>(twin_ + first_page * kPage), pages * kPage, MADV_REMOVE);
}

// All that has pages in [begin, end).
void StrictArena::GiveBackKept(size_t begin, size_t end) {
  auto kept = kept_.lower_bound(begin);
  if (kept != kept_.begin() && std::prev(kept)->second > begin) --kept;
  while (kept != kept_.end() && kept->first < end) {
    const size_t pages = kept->second - kept->first;
    GiveBack(kept->first, pages);
    kept_bytes_ -= pages * kPage;
    kept = kept_.erase(kept);
  }
}

MemoryRecord* StrictArena::Find(uintptr_t address) const {
  if (!Contains(address)) return nullptr;
  const size_t page = (address - caller_) / kPage;
  MemoryRecord* const owner = owners_[page].load(std::memory_order_acquire);
  if (owner != nullptr && address - owner->base < owner->usable) return owner;
  if (page + 1 == bytes_ / kPage) return owner;
  MemoryRecord* const next = owners_[page + 1].load(std::memory_order_acquire);
  if (next == nullptr || next->base <= address) return owner;
  const bool nearer =
      owner == nullptr || next->base - address < address - (owner->base + owner->bytes);
  return nearer ? next : owner;
}

bool StrictArena::HasPage(const MemoryRecord& record, uintptr_t address) {
  return address - record.base < PagesFor(record.usable) * kPage;
}

bool StrictArena::OpenToHost(const MemoryRecord* record, uintptr_t address) {
  const bool inside = record != nullptr && HasPage(*record, address);
  const uintptr_t base = inside ? record->base : address / kPage * kPage;
  const size_t bytes = inside ? PagesFor(record->usable) * kPage : kPage;
  any_opened_.store(true);
  constexpr int kAll = PROT_READ | PROT_WRITE;
  if (mprotect(reinterpret_cast<void*>(base), bytes, kAll) == 0) return true;
  // Each block that is opened splits the mapping, and mappings are limited. One is not.
  if (mprotect(reinterpret_cast<void*>(caller_), bytes_, kAll) != 0) return false;
  all_opened_.store(true);
  return true;
}

}  // namespace aclnn_cpu
