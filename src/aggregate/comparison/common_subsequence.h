// The longest common subsequence of two long sequences.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace dlview::aggregate {

inline constexpr std::size_t kMostSubsequenceBits = std::size_t{1} << 28U;

// Places of equal values, rising on both sides: as many as possible. Costs a table of one bit for
// each pair of values, made 64 at a time; above `most_bits` the sequences are divided until it
// fits.
std::vector<std::pair<std::size_t, std::size_t>> common_subsequence(
    std::span<const uint32_t> from, std::span<const uint32_t> to,
    std::size_t most_bits = kMostSubsequenceBits);

}  // namespace dlview::aggregate
