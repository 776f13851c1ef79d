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
  thresholds.gaps = 2.5;
  const auto gaps = std::ranges::find(all_thresholds(), "gaps", &Threshold::id);
  EXPECT_EQ(to_text(*gaps, thresholds), "Gaps above 2.5 % of the range");
  const std::string_view ids[] = {"gap", "gaps"};
  EXPECT_EQ(to_text(ids, thresholds),
            "A gap is longer than 10 % of the median iteration · Gaps above 2.5 % of the range");
}

}  // namespace
}  // namespace dlview::aggregate
