// How many random inputs a test tries.
#pragma once

#include <cstdint>

namespace dlview::testing {

// All of them where the code is optimised, which the tests of the figures are in `./dev test`;
// under sanitizers, which slow each down five- to tenfold, a third, and at least one.
constexpr uint64_t seeds(uint64_t count) {
#if defined(__SANITIZE_ADDRESS__)
  return (count + 2) / 3;
#else
  return count;
#endif
}

}  // namespace dlview::testing
