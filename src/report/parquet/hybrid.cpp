#include "report/parquet/hybrid.h"

#include <algorithm>
#include <bit>
#include <cstddef>

#include "report/parquet/thrift.h"

namespace dlview::report::parquet {
namespace {

constexpr std::size_t kGroup = 8;

// The lowest bits first; the last group is filled with zeros.
void append_packed(std::string& bytes, std::span<const uint32_t> numbers, unsigned width) {
  if (numbers.empty()) return;
  const std::size_t groups = (numbers.size() + kGroup - 1) / kGroup;
  append_varint(bytes, groups << 1U | 1U);
  uint64_t bits = 0;
  unsigned held = 0;
  for (std::size_t i = 0; i < groups * kGroup; ++i) {
    bits |= uint64_t{i < numbers.size() ? numbers[i] : 0} << held;
    for (held += width; held >= 8; held -= 8) {
      bytes += static_cast<char>(bits & 0xFFU);
      bits >>= 8U;
    }
  }
}

void append_run(std::string& bytes, uint32_t number, std::size_t count, unsigned width) {
  append_varint(bytes, count << 1U);
  for (unsigned bit = 0; bit < width; bit += 8) {
    bytes += static_cast<char>(number >> bit & 0xFFU);
  }
}

}  // namespace

unsigned bit_width(uint32_t largest) {
  return static_cast<unsigned>(std::max(1, static_cast<int>(std::bit_width(largest))));
}

void append_hybrid(std::string& bytes, std::span<const uint32_t> numbers, unsigned width) {
  std::size_t packed_from = 0, at = 0;
  while (at < numbers.size()) {
    std::size_t end = at + 1;
    while (end < numbers.size() && numbers[end] == numbers[at]) ++end;
    // A run begins where the groups before it are full.
    const std::size_t fill = (kGroup - (at - packed_from) % kGroup) % kGroup;
    if (end - at >= fill + kGroup) {
      at += fill;
      append_packed(bytes, numbers.subspan(packed_from, at - packed_from), width);
      append_run(bytes, numbers[at], end - at, width);
      packed_from = end;
    }
    at = end;
  }
  append_packed(bytes, numbers.subspan(packed_from), width);
}

}  // namespace dlview::report::parquet
