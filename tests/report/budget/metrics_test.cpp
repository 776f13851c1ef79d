#include "report/budget/metrics.h"

#include <memory>

#include <gtest/gtest.h>

#include "aggregate/aggregator.h"
#include "support/random_profile.h"

namespace dlview::report::budget {
namespace {

// What a number of an op becomes a budget of is what a check then measures.
TEST(OpMeanAtHand, IsTheMeasuredMeanRoundedUp) {
  const auto profile = std::make_shared<const profile::Profile>(testing::random_profile());
  aggregate::Selection selection;
  selection.cut.key_op = std::string(testing::kRandomKeyOp);
  selection.range = {1, 5};
  const auto aggregation = aggregate::make_cpu_aggregator(profile)->aggregate(selection);
  Meter meter(profile, aggregation.selection);
  for (const aggregate::OpAggregate& op : aggregation.ops) {
    const std::string name(profile->text(profile->ops.name[op.op]));
    for (const aggregate::MetricId metric :
         {aggregate::MetricId("op_gpu_time"), aggregate::MetricId("op_cpu_time"),
          aggregate::MetricId("op_calls")}) {
      const auto at_hand = op_mean_at_hand(metric, op.op, *profile, aggregation);
      const Measurement measured =
          meter.measure(*find_budget_metric(metric.text()), Statistic::sum,
                        {{.kind = aggregate::FilterKind::op, .text = name}});
      ASSERT_TRUE(at_hand && measured.is_known()) << name;
      EXPECT_EQ(*at_hand, (measured.value + 4) / 5) << name << " " << metric.text();
    }
  }
  EXPECT_FALSE(op_mean_at_hand("iteration_duration", aggregation.ops[0].op, *profile, aggregation));
}

}  // namespace
}  // namespace dlview::report::budget
