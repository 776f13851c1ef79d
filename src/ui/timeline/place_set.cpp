#include "ui/timeline/place_set.h"

#include <algorithm>
#include <bit>

namespace dlview::ui::timeline {

void PlaceSet::finish() {
  before_.resize(words_.size());
  count_ = 0;
  for (std::size_t word = 0; word < words_.size(); ++word) {
    before_[word] = static_cast<uint32_t>(count_);
    count_ += static_cast<std::size_t>(std::popcount(words_[word]));
  }
}

std::size_t PlaceSet::count_before(std::size_t behind) const {
  const std::size_t word = behind / kWord;
  if (word >= words_.size()) return count_;
  const uint64_t below = (uint64_t{1} << behind % kWord) - 1;
  return before_[word] + static_cast<std::size_t>(std::popcount(words_[word] & below));
}

std::size_t PlaceSet::nth(std::size_t number) const {
  // The last word before which there are fewer.
  const auto behind = std::ranges::lower_bound(before_, number) - before_.begin();
  const auto word = static_cast<std::size_t>(behind) - 1;
  uint64_t bits = words_[word];
  for (std::size_t more = number - before_[word]; more > 1; --more) bits &= bits - 1;
  return word * kWord + static_cast<std::size_t>(std::countr_zero(bits));
}

std::size_t PlaceSet::first_from(std::size_t from) const {
  const std::size_t before = count_before(from);
  return before == count_ ? size_ : nth(before + 1);
}

std::size_t PlaceSet::last_before(std::size_t behind) const {
  const std::size_t before = count_before(behind);
  return before == 0 ? size_ : nth(before);
}

}  // namespace dlview::ui::timeline
