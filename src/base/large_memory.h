// Memory of 4 MiB and more in huge pages, for the arrays that columns are built from and that
// engines hold. The first write to a page is expensive: the system fills it with zeros, and a
// virtual machine may have to get it from its host.
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <new>
#include <type_traits>
#include <vector>

namespace dlview::base {

inline constexpr std::size_t kHugePage = std::size_t{2} << 20;
inline constexpr std::size_t kLargeBytes = 2 * kHugePage;

// Takes whole huge pages from the system or from pages kept for reuse; throws std::bad_alloc. Both
// calls get the same number of bytes. With AddressSanitizer, the rest of the last page is poisoned.
void* take_pages(std::size_t bytes);
void give_pages(void* memory, std::size_t bytes) noexcept;

// While one exists, freed pages are kept for the next request of any thread. They return to the
// system with the last KeptMemory, or when a request for pages fails. For jobs that build one large
// object after another: opening a file, then preparing its engine.
class KeptMemory {
 public:
  KeptMemory();
  ~KeptMemory();
  KeptMemory(const KeptMemory&) = delete;
  KeptMemory& operator=(const KeptMemory&) = delete;
};

// Allocates kLargeBytes and more in huge pages, less with operator new.
template <typename T>
class PageAllocator {
 public:
  using value_type = T;

  PageAllocator() = default;
  template <typename U>
  PageAllocator(const PageAllocator<U>&) noexcept {}  // NOLINT: converts like std::allocator

  T* allocate(std::size_t count) {
    static_assert(std::is_trivially_destructible_v<T> && alignof(T) <= kHugePage,
                  "leak detection does not look for pointers in pages");
    if (count > std::numeric_limits<std::size_t>::max() / sizeof(T)) {
      throw std::bad_array_new_length();
    }
    const std::size_t bytes = count * sizeof(T);
    if (bytes < kLargeBytes) return std::allocator<T>().allocate(count);
    return static_cast<T*>(take_pages(bytes));
  }
  void deallocate(T* memory, std::size_t count) noexcept {
    const std::size_t bytes = count * sizeof(T);
    if (bytes < kLargeBytes) return std::allocator<T>().deallocate(memory, count);
    give_pages(memory, bytes);
  }
  bool operator==(const PageAllocator&) const = default;
};

template <typename T>
using LargeVector = std::vector<T, PageAllocator<T>>;

}  // namespace dlview::base
