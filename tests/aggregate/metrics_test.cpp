#include "aggregate/metrics.h"

#include <set>
#include <string_view>

#include <gtest/gtest.h>

namespace dlview::aggregate {
namespace {

TEST(Metrics, AreDeclaredOnceEach) {
  std::set<std::string_view> ids;
  for (const Metric& declared : all_metrics()) {
    EXPECT_TRUE(ids.insert(declared.id).second) << declared.id;
    EXPECT_EQ(&metric(MetricId(declared)), &declared);
  }
}

TEST(Metrics, SayHowTheyAreComputedAndFromWhat) {
  for (const Metric& declared : all_metrics()) {
    EXPECT_FALSE(declared.title.empty()) << declared.id;
    EXPECT_TRUE(declared.formula.ends_with('.')) << declared.id;
    EXPECT_FALSE(declared.source.empty()) << declared.id;
  }
}

TEST(Metrics, AreFoundByTheirIdsWhenTheProgramIsCompiled) {
  constexpr MetricId id = "gpu_utilization";
  static_assert(id.text() == "gpu_utilization" && !id.empty());
  static_assert(MetricId("").empty());
  EXPECT_EQ(metric(id).title, "GPU utilization");
  for (const Metric& declared : all_metrics()) {
    EXPECT_EQ(MetricId(declared).text(), declared.id);
  }
}

TEST(Metrics, HaveATitleWhereThereIsNone) {
  EXPECT_EQ(metric(MetricId()).title, "Unknown metric");
  EXPECT_EQ(metric("").formula, "");
}

}  // namespace
}  // namespace dlview::aggregate
