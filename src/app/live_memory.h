// How much memory the program holds.
#pragma once

#include <cstdint>

namespace dlview::app {

// Counts what is allocated and freed from now on where AddressSanitizer replaces the allocator: its
// own count includes what was freed and is kept in quarantine. Call it once.
void begin_counting_allocations();

struct AllocatedBytes {
  int64_t all = 0;
  // In blocks of up to kSmallBlock bytes, more or less than when counting began; 0 = not counted.
  int64_t small = 0;
};
inline constexpr int64_t kSmallBlock = 16 << 10;

// Bytes that were allocated and not freed: as counted, or else as the C library has it;
// resident_bytes() where that does not.
AllocatedBytes allocated_bytes();

// Bytes of RAM that the process occupies, free lists of the allocator included; 0 = unknown.
int64_t resident_bytes();

}  // namespace dlview::app
