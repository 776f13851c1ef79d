// How many random inputs a test tries.
#pragma once

#include <cstdint>

namespace dlview::testing {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kIsSanitized = true;
#else
inline constexpr bool kIsSanitized = false;
#endif

// Returns `count`; under sanitizers, which slow tests down five- to tenfold, a third of it,
// at least one.
constexpr uint64_t seeds(uint64_t count) {
  return kIsSanitized ? (count + 2) / 3 : count;
}

}  // namespace dlview::testing
