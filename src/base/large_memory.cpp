#include "base/large_memory.h"

#include <cerrno>
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
  munmap(begin + before + bytes, kHugePage - before);
  // Without them nothing is lost but time.
  static_cast<void>(madvise(begin + before, bytes, MADV_HUGEPAGE));
  return begin + before;
}

// Moves what a page holds to another place, which loses its own. Page by page: where blocks were
// moved to, the system does not see one piece.
bool move_page(std::byte* from, std::byte* to) {
  const void* const moved = mremap(from, kHugePage, kHugePage, MREMAP_MAYMOVE | MREMAP_FIXED, to);
  if (moved != MAP_FAILED) return true;
  // The other place may be gone by now; where it is not, it stays as it is.
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE;
  const void* const again = mmap(to, kHugePage, PROT_READ | PROT_WRITE, flags, -1, 0);
  if (again == MAP_FAILED && errno != EEXIST) std::abort();
  return false;
}

// Large blocks of memory, and those that were given back and are kept.
class LargeMemory {
 public:
  void* take(std::size_t bytes);
  // False for what is not from here. Needs no memory itself.
  bool give(void* memory);
  // Gives back what is kept; whether there was any.
  bool release() {
    const std::lock_guard lock(mutex_);
    return give_back();
  }
  void begin_keeping() {
    const std::lock_guard lock(mutex_);
    ++keepers_;
  }
  void end_keeping() {
    const std::lock_guard lock(mutex_);
    if (--keepers_ == 0) static_cast<void>(give_back());
  }

 private:
  using Blocks = std::map<std::byte*, std::size_t, std::less<>,
                          SmallMemory<std::pair<std::byte* const, std::size_t> > >;

  std::byte* take_kept(std::size_t bytes);
  void fill_from_kept(std::byte* begin, std::size_t bytes);
  void keep(Blocks::node_type block);
  bool give_back();

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
void LargeMemory::fill_from_kept(std::byte* begin, std::size_t bytes) {
  for (std::byte* page = begin; page != begin + bytes && !kept_.empty(); page += kHugePage) {
    const auto last = std::prev(kept_.end());
    if (!move_page(last->first + last->second - kHugePage, page)) return;
    last->second -= kHugePage;
    if (last->second == 0) kept_.erase(last);
  }
}

void* LargeMemory::take(std::size_t bytes) {
  const std::size_t whole_pages = (bytes + kHugePage - 1) / kHugePage * kHugePage;
  if (whole_pages < bytes) return nullptr;
  const std::lock_guard lock(mutex_);
  Blocks entry;
  entry.emplace(nullptr, whole_pages);
  Blocks::node_type block = entry.extract(entry.begin());
  std::byte* begin = take_kept(whole_pages);
  if (begin == nullptr) {
    begin = map(whole_pages);
    if (begin == nullptr) return nullptr;
    fill_from_kept(begin, whole_pages);
  }
  block.key() = begin;
  used_.insert(std::move(block));
  return begin;
}

bool LargeMemory::give(void* memory) {
  const std::lock_guard lock(mutex_);
  const auto used = used_.find(static_cast<std::byte*>(memory));
  if (used == used_.end()) return false;
  Blocks::node_type block = used_.extract(used);
  if (keepers_ > 0) {
    keep(std::move(block));
  } else {
    munmap(block.key(), block.mapped());
  }
  return true;
}

void LargeMemory::keep(Blocks::node_type block) {
  const auto next = kept_.lower_bound(block.key());
  if (next != kept_.begin()) {
    const auto before = std::prev(next);
    if (before->first + before->second == block.key()) {
      block.key() = before->first;
      block.mapped() += before->second;
      kept_.erase(before);
    }
  }
  if (next != kept_.end() && block.key() + block.mapped() == next->first) {
    block.mapped() += next->second;
    kept_.erase(next);
  }
  kept_.insert(std::move(block));
}

bool LargeMemory::give_back() {
  const bool has_any = !kept_.empty();
  for (const auto& [begin, bytes] : kept_) munmap(begin, bytes);
  kept_.clear();
  return has_any;
}

// Outlives all that has memory.
LargeMemory& large_memory() {
  static LargeMemory& all = *new LargeMemory;
  return all;
}

void* allocate_small(std::size_t bytes, std::size_t alignment) {
  if (alignment <= alignof(std::max_align_t)) return std::malloc(bytes == 0 ? 1 : bytes);
  return std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

void* allocate_once(std::size_t bytes, std::size_t alignment) {
  const bool is_large = bytes >= kLarge && alignment <= kHugePage;
  return is_large ? large_memory().take(bytes) : allocate_small(bytes, alignment);
}

void* allocate(std::size_t bytes, std::size_t alignment) {
  void* const memory = allocate_once(bytes, alignment);
  if (memory != nullptr || !large_memory().release()) return memory;
  return allocate_once(bytes, alignment);
}

void* allocate_or_throw(std::size_t bytes, std::size_t alignment) {
  for (;;) {
    if (void* const memory = allocate(bytes, alignment)) return memory;
    const std::new_handler make_room = std::get_new_handler();
    if (make_room == nullptr) throw std::bad_alloc();
    make_room();
  }
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
  return dlview::base::allocate_or_throw(bytes, 1);
}

void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return dlview::base::allocate_or_throw(bytes, static_cast<std::size_t>(alignment));
}

void operator delete(void* memory) noexcept {
  dlview::base::deallocate(memory);
}

void operator delete(void* memory, std::size_t) noexcept {
  dlview::base::deallocate(memory);
}

void operator delete(void* memory, std::align_val_t) noexcept {
  dlview::base::deallocate(memory);
}

void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  dlview::base::deallocate(memory);
}

#endif
