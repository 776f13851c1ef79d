#include "aggregate/cpu/kept_sweep.h"

#include <algorithm>
#include <bit>

namespace dlview::aggregate::cpu {

KeptLevels::KeptLevels(const std::vector<Levels>& levels, const Kept& kept) : bits_(levels.size()) {
  std::vector<Levels> of_cell(levels.size());
  Levels present = 0;
  std::array<Levels, kLevelCount> differs_from{};  // levels with other events than this one
  for (std::size_t cell = 0; cell < levels.size(); ++cell) {
    if (!kept.keeps_cell(cell)) continue;
    const auto in = static_cast<Levels>(levels[cell] & ~kHostLevels);
    of_cell[cell] = in;
    present |= in;
    for (std::size_t l = 0; l < kLevelCount; ++l) {
      const bool counts = ((in >> l) & 1) != 0;
      differs_from[l] |= counts ? static_cast<Levels>(~in) : in;
    }
  }
  std::array<std::size_t, kLevelCount> level_of_number{};
  number_.fill(kNone);
  for (std::size_t l = 0; l < kLevelCount; ++l) {
    if (((present >> l) & 1) == 0) continue;
    const auto same = static_cast<Levels>(~differs_from[l] & ((1U << l) - 1) & present);
    if (same != 0) {
      number_[l] = number_[static_cast<std::size_t>(std::countr_zero(same))];
    } else {
      level_of_number[size_] = l;
      number_[l] = static_cast<uint8_t>(size_++);
    }
  }
  masks_.reserve(levels.size() * size_);
  for (std::size_t cell = 0; cell < levels.size(); ++cell) {
    for (std::size_t n = 0; n < size_; ++n) {
      const uint32_t counts = (of_cell[cell] >> level_of_number[n]) & 1U;
      bits_[cell] |= static_cast<uint8_t>(counts << n);
      masks_.push_back(0U - counts);
    }
  }
}

Coverage KeptLevels::coverage(const int64_t* ns) const {
  Coverage result;
  for (std::size_t l = 0; l < kLevelCount; ++l) {
    if (number_[l] != kNone) result.ns[l] = ns[number_[l]];
  }
  return result;
}

}  // namespace dlview::aggregate::cpu
