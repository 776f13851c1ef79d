// Parquet's RLE/bit-packed hybrid (Encodings.md, RLE): small numbers as runs of equal ones and as
// groups of eight with the same width.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace dlview::report::parquet {

// Bits that the largest number needs, at least 1.
unsigned bit_width(uint32_t largest);

// Appends the numbers, each below 2^width; width 1..32. O(numbers).
void append_hybrid(std::string& bytes, std::span<const uint32_t> numbers, unsigned width);

}  // namespace dlview::report::parquet
