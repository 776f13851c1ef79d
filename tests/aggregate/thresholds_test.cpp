#include "aggregate/thresholds.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

namespace dlview::aggregate {
namespace {

TEST(Thresholds, AllCanBeEditedEachUnderItsOwnId) {
  std::set<std::string_view> ids;
  AdviceThresholds changed;
  for (const Threshold& threshold : all_thresholds()) {
    ids.insert(threshold.id);
    changed.*threshold.value += 1;
  }
  EXPECT_EQ(ids.size(), all_thresholds().size());
  EXPECT_EQ(sizeof(AdviceThresholds), all_thresholds().size() * sizeof(double));
  for (const Threshold& threshold : all_thresholds()) {
    EXPECT_EQ(changed.*threshold.value, AdviceThresholds{}.*threshold.value + 1) << threshold.id;
  }
}

TEST(Thresholds, AreToldInWords) {
  AdviceThresholds thresholds;
  thresholds.saving = 2.5;
  const auto saving = std::ranges::find(all_thresholds(), "saving", &Threshold::id);
  EXPECT_EQ(to_text(*saving, thresholds), "Potential savings of at least 2.5% of the iteration");
  const std::string_view ids[] = {"gap", "saving"};
  EXPECT_EQ(to_text(ids, thresholds),
            "Idle gap longer than 10% of the median iteration · Potential savings of at least "
            "2.5% of the iteration");
}

}  // namespace
}  // namespace dlview::aggregate
