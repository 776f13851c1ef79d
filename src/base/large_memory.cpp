#include "base/large_memory.h"

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <map>
#include <mutex>
#include <sys/mman.h>
#include <utility>

#include "base/sanitizers.h"

#ifdef DLVIEW_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#endif

namespace dlview::base {
namespace {

// Marks memory that nobody may touch.
void poison([[maybe_unused]] std::byte* begin, [[maybe_unused]] std::size_t bytes) {
#ifdef DLVIEW_ADDRESS_SANITIZER
  __asan_poison_memory_region(begin, bytes);
#endif
}
void unpoison([[maybe_unused]] std::byte* begin, [[maybe_unused]] std::size_t bytes) {
#ifdef DLVIEW_ADDRESS_SANITIZER
  __asan_unpoison_memory_region(begin, bytes);
#endif
}

// Whole huge pages, from the system.
std::byte* map(std::size_t bytes) {
  const std::size_t room = bytes + kHugePage;
  if (room < bytes) return nullptr;
  void* const mapped =
      mmap(nullptr, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  auto* const begin = static_cast<std::byte*>(mapped);
  const std::size_t before =
      (kHugePage - reinterpret_cast<uintptr_t>(begin) % kHugePage) % kHugePage;
  if (before > 0) munmap(begin, before);
  munmap(begin + before + bytes, kHugePage - before);
  // Without them nothing is lost but time.
  static_cast<void>(madvise(begin + before, bytes, MADV_HUGEPAGE));
  return begin + before;
}

// The next mapping at this address must not be poisoned.
void unmap(std::byte* begin, std::size_t bytes) {
  unpoison(begin, bytes);
  munmap(begin, bytes);
}

// Moves what a page holds to another place, which loses its own. Page by page: where blocks were
// moved to, the system does not see one piece.
bool move_page(std::byte* from, std::byte* to) {
  const void* const moved = mremap(from, kHugePage, kHugePage, MREMAP_MAYMOVE | MREMAP_FIXED, to);
  if (moved != MAP_FAILED) {
    unpoison(from, kHugePage);
    return true;
  }
  // The other place may be gone by now; where it is not, it stays as it is.
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE;
  const void* const again = mmap(to, kHugePage, PROT_READ | PROT_WRITE, flags, -1, 0);
  if (again == MAP_FAILED && errno != EEXIST) std::abort();
  return false;
}

// Pages that were given back and are kept.
class KeptPages {
 public:
  // Null when the system has no memory, either.
  std::byte* take(std::size_t bytes);
  void give(std::byte* begin, std::size_t bytes) noexcept;
  // Unmaps what is kept; returns whether there was any.
  bool release() {
    const std::lock_guard lock(mutex_);
    return release_locked();
  }
  void begin_keeping() {
    const std::lock_guard lock(mutex_);
    ++keepers_;
  }
  void end_keeping() {
    const std::lock_guard lock(mutex_);
    if (--keepers_ == 0) static_cast<void>(release_locked());
  }

 private:
  using Blocks = std::map<std::byte*, std::size_t>;  // bytes by where they begin

  std::byte* take_kept(std::size_t bytes);
  void fill_from_kept(std::byte* begin, std::size_t bytes);
  void keep(std::byte* begin, std::size_t bytes);
  bool release_locked();

  std::mutex mutex_;
  int keepers_ = 0;
  Blocks kept_;  // no two touch each other
};

// From the smallest block that has room.
std::byte* KeptPages::take_kept(std::size_t bytes) {
  auto best = kept_.end();
  for (auto block = kept_.begin(); block != kept_.end(); ++block) {
    if (block->second < bytes) continue;
    if (best == kept_.end() || block->second < best->second) best = block;
  }
  if (best == kept_.end()) return nullptr;
  Blocks::node_type block = kept_.extract(best);
  std::byte* const begin = block.key();
  if (block.mapped() > bytes) {
    block.key() += bytes;
    block.mapped() -= bytes;
    kept_.insert(std::move(block));
  }
  return begin;
}

// Where no kept block is large enough, the pages of several make one. From its beginning, which is
// what is written of a block that turns out too large.
void KeptPages::fill_from_kept(std::byte* begin, std::size_t bytes) {
  for (std::byte* page = begin; page != begin + bytes && !kept_.empty(); page += kHugePage) {
    const auto last = std::prev(kept_.end());
    if (!move_page(last->first + last->second - kHugePage, page)) return;
    last->second -= kHugePage;
    if (last->second == 0) kept_.erase(last);
  }
}

std::byte* KeptPages::take(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  std::byte* begin = take_kept(bytes);
  if (begin != nullptr) return begin;
  begin = map(bytes);
  if (begin != nullptr) fill_from_kept(begin, bytes);
  return begin;
}

void KeptPages::give(std::byte* begin, std::size_t bytes) noexcept {
  const std::lock_guard lock(mutex_);
  if (keepers_ > 0) {
    try {
      return keep(begin, bytes);
    } catch (const std::bad_alloc&) {  // no room for the entry: not kept
    }
  }
  unmap(begin, bytes);
}

void KeptPages::keep(std::byte* begin, std::size_t bytes) {
  // The entry first: it is all that can fail.
  auto block = kept_.emplace(begin, bytes).first;
  poison(begin, bytes);
  if (block != kept_.begin()) {
    const auto before = std::prev(block);
    if (before->first + before->second == block->first) {
      before->second += block->second;
      kept_.erase(block);
      block = before;
    }
  }
  const auto next = std::next(block);
  if (next != kept_.end() && block->first + block->second == next->first) {
    block->second += next->second;
    kept_.erase(next);
  }
}

bool KeptPages::release_locked() {
  const bool has_any = !kept_.empty();
  for (const auto& [begin, bytes] : kept_) unmap(begin, bytes);
  kept_.clear();
  return has_any;
}

// Outlives all that has pages.
KeptPages& kept_pages() {
  static KeptPages& all = *new KeptPages;
  return all;
}

// 0 where there is no such number.
std::size_t in_whole_pages(std::size_t bytes) {
  return (bytes + kHugePage - 1) / kHugePage * kHugePage;
}

}  // namespace

void* take_pages(std::size_t bytes) {
  const std::size_t whole = in_whole_pages(bytes);
  if (whole < bytes) throw std::bad_alloc();
  std::byte* begin = kept_pages().take(whole);
  if (begin == nullptr && kept_pages().release()) begin = kept_pages().take(whole);
  if (begin == nullptr) throw std::bad_alloc();
  unpoison(begin, bytes);
  poison(begin + bytes, whole - bytes);
  return begin;
}

void give_pages(void* memory, std::size_t bytes) noexcept {
  kept_pages().give(static_cast<std::byte*>(memory), in_whole_pages(bytes));
}

KeptMemory::KeptMemory() {
  kept_pages().begin_keeping();
}
KeptMemory::~KeptMemory() {
  kept_pages().end_keeping();
}

}  // namespace dlview::base
