#include "app/live_memory.h"

#include <atomic>
#include <cstddef>
#include <fstream>
#include <malloc.h>
#include <unistd.h>

// NOLINTBEGIN: the names of the sanitizers; null where none is linked
extern "C" {
[[gnu::weak]] std::size_t __sanitizer_get_current_allocated_bytes();
[[gnu::weak]] std::size_t __sanitizer_get_allocated_size(const volatile void* memory);
[[gnu::weak]] int __sanitizer_install_malloc_and_free_hooks(
    void (*allocated)(const volatile void* memory, std::size_t bytes),
    void (*freed)(const volatile void* memory));
}
// NOLINTEND

namespace dlview::app {
namespace {

std::atomic<int64_t> all_bytes = 0, small_bytes = 0;
std::atomic<bool> is_counting = false;

void count(int64_t bytes, int64_t sign) {
  all_bytes.fetch_add(sign * bytes, std::memory_order_relaxed);
  if (bytes <= kSmallBlock) small_bytes.fetch_add(sign * bytes, std::memory_order_relaxed);
}

void count_allocated(const volatile void*, std::size_t bytes) {
  count(static_cast<int64_t>(bytes), 1);
}

void count_freed(const volatile void* memory) {
  if (memory == nullptr) return;
  count(static_cast<int64_t>(__sanitizer_get_allocated_size(memory)), -1);
}

}  // namespace

void begin_counting_allocations() {
  if (__sanitizer_install_malloc_and_free_hooks == nullptr || is_counting) return;
  all_bytes = static_cast<int64_t>(__sanitizer_get_current_allocated_bytes());
  is_counting = __sanitizer_install_malloc_and_free_hooks(count_allocated, count_freed) > 0;
}

AllocatedBytes allocated_bytes() {
  if (is_counting) return {all_bytes, small_bytes};
#if defined(__GLIBC__)
#if __GLIBC_PREREQ(2, 33)
  if (__sanitizer_install_malloc_and_free_hooks == nullptr) {
    const struct mallinfo2 info = mallinfo2();
    return {static_cast<int64_t>(info.uordblks + info.hblkhd), 0};
  }
#endif
#endif
  return {resident_bytes(), 0};
}

int64_t resident_bytes() {
  int64_t all_pages = 0, resident_pages = 0;
  std::ifstream("/proc/self/statm") >> all_pages >> resident_pages;
  return resident_pages * sysconf(_SC_PAGESIZE);
}

}  // namespace dlview::app
