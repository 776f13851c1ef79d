// Memory for what is large, the columns of a profile above all, in huge pages where the system has
// them: to touch a gigabyte first in pages of 4 KiB costs more than to fill it.
#include <cstddef>
#include <cstdlib>
#include <new>
#include <sys/mman.h>

// Sanitizers keep account of memory themselves.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kLarge = 2 * kHugePage;

void* allocate(std::size_t bytes) {
  if (bytes < kLarge) return std::malloc(bytes == 0 ? 1 : bytes);
  const std::size_t whole_pages = (bytes + kHugePage - 1) / kHugePage * kHugePage;
  if (whole_pages < bytes) return nullptr;
  void* const memory = std::aligned_alloc(kHugePage, whole_pages);
  // Without them nothing is lost but time.
  if (memory != nullptr) static_cast<void>(madvise(memory, bytes, MADV_HUGEPAGE));
  return memory;
}

}  // namespace

void* operator new(std::size_t bytes) {
  for (;;) {
    if (void* const memory = allocate(bytes)) return memory;
    const std::new_handler make_room = std::get_new_handler();
    if (make_room == nullptr) throw std::bad_alloc();
    make_room();
  }
}

void operator delete(void* memory) noexcept {
  std::free(memory);
}

void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

#endif
