#include "ui/views/iterations/comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "aggregate/aggregator.h"
#include "support/sketch.h"

namespace dlview::ui {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// The comparison of the last two iterations of a run whose ranges count in steps of `step`.
std::string detail_of_ranges(int64_t step) {
  testing::Sketch sketch;
  const profile::Row op = sketch.op("linear");
  for (int64_t i = 0; i < 3; ++i) {
    sketch.instance(op, i * 1000 + 10, i * 1000 + 20);
    sketch.user_range("/Step", i * 1000, i * 1000 + 900, i * step);
  }
  const auto profile = sketch.finish();
  const aggregate::Aggregation aggregation = aggregate::make_cpu_aggregator(profile)->aggregate(
      {{aggregate::CutKind::start, "Step", 0}, {0, 2}});
  const aggregate::IterationTable& table = *aggregation.iteration_table;
  return prepare_comparison(*profile, table.iterations,
                            aggregate::compare_iterations(*profile, table, 2, 1), {2, 1}, nullptr,
                            aggregate::RecordedCategories(*profile, aggregation), {})
      .detail;
}

TEST(Comparison, NamesTheStepsThatCountOtherwise) {
  EXPECT_THAT(detail_of_ranges(10), HasSubstr("Step 20 against Step 10"));
  EXPECT_THAT(detail_of_ranges(1), Not(HasSubstr("Step")));
}

}  // namespace
}  // namespace dlview::ui
