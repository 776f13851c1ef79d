#include "aggregate/comparison/common_subsequence.h"

#include <algorithm>
#include <bit>
#include <unordered_map>

namespace dlview::aggregate {
namespace {

constexpr std::size_t kWordBits = 64;

using RowBits = std::vector<uint64_t>;

std::size_t bit_words_of(std::size_t bits) {
  return (bits + kWordBits - 1) / kWordBits;
}

// By value: the places where `to` has it.
using ValuePlaces = std::unordered_map<uint32_t, RowBits>;
ValuePlaces places_of(std::span<const uint32_t> to) {
  ValuePlaces places;
  for (std::size_t j = 0; j < to.size(); ++j) {
    RowBits& bits = places[to[j]];
    if (bits.empty()) bits.resize(bit_words_of(to.size()));
    bits[j / kWordBits] |= uint64_t{1} << j % kWordBits;
  }
  return places;
}

// The rows of the table of common lengths, one for each value of `from` that was added. Bit j is 0
// where to[j] makes the longest common subsequence with to[0..j] longer (Hyyrö 2004).
class CommonRow {
 public:
  explicit CommonRow(std::span<const uint32_t> to)
      : places_(places_of(to)), bits_(bit_words_of(to.size()), ~uint64_t{0}) {}

  void add(uint32_t value) {
    const auto found = places_.find(value);
    if (found == places_.end()) return;
    uint64_t carry = 0;
    for (std::size_t w = 0; w < bits_.size(); ++w) {
      const uint64_t row = bits_[w], common = row & found->second[w];
      const uint64_t sum = row + common, with_carry = sum + carry;
      carry = (sum < row ? 1U : 0U) | (with_carry < sum ? 1U : 0U);
      bits_[w] = with_carry | (row & ~found->second[w]);
    }
  }
  const RowBits& bits() const { return bits_; }

 private:
  ValuePlaces places_;
  RowBits bits_;
};

// By j: the length of the longest common subsequence of `from` and to[0..j).
std::vector<uint32_t> common_lengths(std::span<const uint32_t> from, std::span<const uint32_t> to) {
  CommonRow row(to);
  for (const uint32_t value : from) row.add(value);
  std::vector<uint32_t> result(to.size() + 1);
  for (std::size_t j = 0; j < to.size(); ++j) {
    const bool is_longer = (row.bits()[j / kWordBits] >> j % kWordBits & 1U) == 0;
    result[j + 1] = result[j] + (is_longer ? 1 : 0);
  }
  return result;
}

std::vector<uint32_t> reversed(std::span<const uint32_t> values) {
  return {values.rbegin(), values.rend()};
}

class SubsequenceFinder {
 public:
  explicit SubsequenceFinder(std::size_t most_bits) : most_bits_(most_bits) {}

  void find(std::span<const uint32_t> from, std::span<const uint32_t> to, std::size_t first_from,
            std::size_t first_to) {
    if (from.empty() || to.empty()) return;
    if (from.size() == 1 || from.size() <= most_bits_ / to.size()) {
      return find_by_table(from, to, first_from, first_to);
    }
    // Hirschberg: the halves of `from`, and the place in `to` that divides the longest.
    const std::size_t half = from.size() / 2;
    const std::vector<uint32_t> head = common_lengths(from.first(half), to),
                                tail = common_lengths(reversed(from.subspan(half)), reversed(to));
    std::size_t best = 0;
    for (std::size_t j = 1; j <= to.size(); ++j) {
      if (head[j] + tail[to.size() - j] > head[best] + tail[to.size() - best]) best = j;
    }
    find(from.first(half), to.first(best), first_from, first_to);
    find(from.subspan(half), to.subspan(best), first_from + half, first_to + best);
  }

  std::vector<std::pair<std::size_t, std::size_t>> pairs;

 private:
  void find_by_table(std::span<const uint32_t> from, std::span<const uint32_t> to,
                     std::size_t first_from, std::size_t first_to) {
    // From the ends, so that the pairs come in order: row i is that of from[i..).
    CommonRow row(reversed(to));
    std::vector<RowBits> rows(from.size());
    for (std::size_t i = from.size(); i-- > 0;) {
      row.add(from[i]);
      rows[i] = row.bits();
    }
    for (std::size_t i = 0, j = 0; i < from.size() && j < to.size();) {
      const std::size_t bit = to.size() - 1 - j;
      if (from[i] == to[j]) {
        pairs.emplace_back(first_from + i++, first_to + j++);
      } else if ((rows[i][bit / kWordBits] >> bit % kWordBits & 1U) == 0) {
        ++i;  // to[j] is needed
      } else {
        ++j;
      }
    }
  }

  std::size_t most_bits_;
};

}  // namespace

std::vector<std::pair<std::size_t, std::size_t>> common_subsequence(std::span<const uint32_t> from,
                                                                    std::span<const uint32_t> to,
                                                                    std::size_t most_bits) {
  SubsequenceFinder finder(most_bits);
  finder.find(from, to, 0, 0);
  return std::move(finder.pairs);
}

}  // namespace dlview::aggregate
