#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "timeline/name_hits.h"

namespace dlview::timeline {
namespace {

PlaceSet set_of(const std::vector<bool>& flags) {
  PlaceSet set(flags.size());
  for (std::size_t word = 0; word < set.word_count(); ++word) {
    uint64_t bits = 0;
    for (std::size_t i = 0; i < PlaceSet::kWord; ++i) {
      const std::size_t place = word * PlaceSet::kWord + i;
      if (place < flags.size() && flags[place]) bits |= uint64_t{1} << i;
    }
    set.set_word(word, bits);
  }
  set.finish();
  return set;
}

TEST(PlaceSet, CountsAndFindsWhatLookingAtEachPlaceDoes) {
  std::mt19937 random(7);
  for (const std::size_t size : {0, 1, 63, 64, 65, 128, 700, 5000}) {
    for (const double share : {0.0, 0.002, 0.3, 1.0}) {
      std::vector<bool> flags(size);
      std::bernoulli_distribution is_in(share);
      for (std::size_t i = 0; i < size; ++i) flags[i] = is_in(random);
      const PlaceSet set = set_of(flags);
      const auto at = [&](std::size_t i) { return flags.begin() + static_cast<std::ptrdiff_t>(i); };
      ASSERT_EQ(set.count(), static_cast<std::size_t>(std::count(at(0), flags.end(), true)));
      std::size_t before = 0, last = size;
      for (std::size_t i = 0; i <= size; ++i) {
        ASSERT_EQ(set.count_before(i), before) << size << " " << i;
        const auto next = std::find(at(i), flags.end(), true) - flags.begin();
        ASSERT_EQ(set.first_from(i), static_cast<std::size_t>(next)) << size << " " << i;
        ASSERT_EQ(set.last_before(i), last) << size << " " << i;
        if (i == size) continue;
        ASSERT_EQ(set.contains(i), flags[i]);
        if (flags[i]) {
          ++before;
          last = i;
        }
      }
    }
  }
}

TEST(PlaceSet, CountsStretches) {
  const PlaceSet set = set_of({true, false, true, true});
  EXPECT_EQ(set.count_in(0, 4), 3U);
  EXPECT_EQ(set.count_in(1, 3), 1U);
  EXPECT_EQ(set.count_in(1, 2), 0U);
}

}  // namespace
}  // namespace dlview::timeline
