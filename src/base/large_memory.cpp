#include "base/large_memory.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <map>
#include <mutex>
#include <new>
#include <sys/mman.h>
#include <utility>

// Sanitizers keep account of memory themselves.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)

namespace dlview::base {

KeptMemory::KeptMemory() = default;
KeptMemory::~KeptMemory() = default;

}  // namespace dlview::base

#else

namespace dlview::base {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kLarge = 2 * kHugePage;

bool may_be_large(const void* memory) {
  return reinterpret_cast<uintptr_t>(memory) % kHugePage == 0;
}

// What operator new itself needs.
template <typename T>
struct SmallMemory {
  using value_type = T;
  SmallMemory() = default;
  template <typename U>
  SmallMemory(const SmallMemory<U>&) {}  // NOLINT: an allocator is that of any type
  T* allocate(std::size_t count) {
    void* const memory = std::malloc(count * sizeof(T));
    if (memory == nullptr) throw std::bad_alloc();
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t) { std::free(memory); }
  bool operator==(const SmallMemory&) const = default;
};

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
  if (before < kHugePage) munmap(begin + before + bytes, kHugePage - before);
  // Without them nothing is lost but time.
  static_cast<void>(madvise(begin + before, bytes, MADV_HUGEPAGE));
  return begin + before;
}

// Moves what a page holds to another place, which loses its own. Page by page: where blocks were
// moved to, the system does not see one piece.
bool move_page(std::byte* from, std::byte* to) {
  const void* const moved = mremap(from, kHugePage, kHugePage, MREMAP_MAYMOVE | MREMAP_FIXED, to);
  if (moved != MAP_FAILED) return true;
  // The other place may be gone by now.
  const void* const again =
      mmap(to, kHugePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  if (again == MAP_FAILED) std::abort();
  return false;
}

// Large blocks of memory, and those that were given back and are kept.
class LargeMemory {
 public:
  void* take(std::size_t bytes);
  // False for what is not from here.
  bool give(void* memory);
  void begin_keeping() {
    const std::lock_guard lock(mutex_);
    ++keepers_;
  }
  void end_keeping() {
    const std::lock_guard lock(mutex_);
    if (--keepers_ == 0) give_back();
  }

 private:
  using Blocks = std::map<std::byte*, std::size_t, std::less<>,
                          SmallMemory<std::pair<std::byte* const, std::size_t> > >;

  std::byte* take_kept(std::size_t bytes);
  void fill_from_kept(std::byte* begin, std::size_t bytes);
  void keep(std::byte* begin, std::size_t bytes);
  void give_back();

  std::mutex mutex_;
  int keepers_ = 0;
  Blocks used_, kept_;  // bytes by where they begin; of the kept ones no two touch each other
};

// From the smallest block that has room.
std::byte* LargeMemory::take_kept(std::size_t bytes) {
  auto best = kept_.end();
  for (auto block = kept_.begin(); block != kept_.end(); ++block) {
    if (block->second < bytes) continue;
    if (best == kept_.end() || block->second < best->second) best = block;
  }
  if (best == kept_.end()) return nullptr;
  const auto [begin, room] = *best;
  kept_.erase(best);
  if (room > bytes) kept_.emplace(begin + bytes, room - bytes);
  return begin;
}

// Where no kept block is large enough, the pages of several make one.
void LargeMemory::fill_from_kept(std::byte* begin, std::size_t bytes) {
  while (bytes > 0 && !kept_.empty()) {
    const auto last = std::prev(kept_.end());
    bytes -= kHugePage;
    last->second -= kHugePage;
    const bool is_moved = move_page(last->first + last->second, begin + bytes);
    if (!is_moved) last->second += kHugePage;
    if (last->second == 0) kept_.erase(last);
    if (!is_moved) return;
  }
}

void* LargeMemory::take(std::size_t bytes) {
  const std::size_t whole_pages = (bytes + kHugePage - 1) / kHugePage * kHugePage;
  if (whole_pages < bytes) return nullptr;
  const std::lock_guard lock(mutex_);
  std::byte* begin = take_kept(whole_pages);
  if (begin == nullptr) {
    begin = map(whole_pages);
    if (begin == nullptr) return nullptr;
    fill_from_kept(begin, whole_pages);
  }
  used_.emplace(begin, whole_pages);
  return begin;
}

bool LargeMemory::give(void* memory) {
  const std::lock_guard lock(mutex_);
  const auto used = used_.find(static_cast<std::byte*>(memory));
  if (used == used_.end()) return false;
  if (keepers_ > 0) {
    keep(used->first, used->second);
  } else {
    munmap(used->first, used->second);
  }
  used_.erase(used);
  return true;
}

void LargeMemory::keep(std::byte* begin, std::size_t bytes) {
  const auto next = kept_.lower_bound(begin);
  if (next != kept_.begin()) {
    const auto before = std::prev(next);
    if (before->first + before->second == begin) {
      begin = before->first;
      bytes += before->second;
      kept_.erase(before);
    }
  }
  if (next != kept_.end() && begin + bytes == next->first) {
    bytes += next->second;
    kept_.erase(next);
  }
  kept_.emplace(begin, bytes);
}

void LargeMemory::give_back() {
  for (const auto& [begin, bytes] : kept_) munmap(begin, bytes);
  kept_.clear();
}

// Outlives all that has memory.
LargeMemory& large_memory() {
  static LargeMemory& all = *new LargeMemory;
  return all;
}

void* allocate(std::size_t bytes) {
  if (bytes < kLarge) return std::malloc(bytes == 0 ? 1 : bytes);
  return large_memory().take(bytes);
}

void deallocate(void* memory) {
  if (memory != nullptr && may_be_large(memory) && large_memory().give(memory)) return;
  std::free(memory);
}

}  // namespace

KeptMemory::KeptMemory() {
  large_memory().begin_keeping();
}
KeptMemory::~KeptMemory() {
  large_memory().end_keeping();
}

}  // namespace dlview::base

void* operator new(std::size_t bytes) {
  for (;;) {
    if (void* const memory = dlview::base::allocate(bytes)) return memory;
    const std::new_handler make_room = std::get_new_handler();
    if (make_room == nullptr) throw std::bad_alloc();
    make_room();
  }
}

void operator delete(void* memory) noexcept {
  dlview::base::deallocate(memory);
}

void operator delete(void* memory, std::size_t) noexcept {
  dlview::base::deallocate(memory);
}

#endif
