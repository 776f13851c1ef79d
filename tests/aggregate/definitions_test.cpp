#include "aggregate/definitions.h"

#include <gtest/gtest.h>

namespace dlview::aggregate {
namespace {

TEST(Definitions, HoldEveryMetricInItsOrder) {
  std::vector<const Metric*> found, all;
  for (const DefinitionSection& section : find_definitions()) {
    EXPECT_FALSE(section.title.empty());
    found.insert(found.end(), section.metrics.begin(), section.metrics.end());
  }
  for (const Metric& metric : all_metrics()) all.push_back(&metric);
  EXPECT_EQ(found, all);
}

TEST(Definitions, AreFoundByAllWordsOfTheSearch) {
  const auto found = find_definitions("UTILIZATION mean");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].title, "GPU utilization and resource usage");
  EXPECT_EQ(found[0].metrics[0], &metric("gpu_utilization"));
  EXPECT_TRUE(find_definitions("utilization zebra").empty());
}

TEST(Definitions, ExplainTheOpsOfWorkOutsideEveryOp) {
  for (const char* word : {"unassociated", "unassociated_no_launch"}) {
    const auto found = find_definitions(word);
    ASSERT_EQ(found.size(), 1U) << word;
    EXPECT_EQ(found[0].metrics[0], &metric("unassociated_ops"));
  }
}

TEST(Definitions, AreFoundByHowTheyCountAndByTheirSource) {
  for (const DefinitionSection& section : find_definitions("union memcpys,")) {
    for (const Metric* found : section.metrics) {
      EXPECT_EQ(found->accounting, Accounting::union_) << found->id;
      EXPECT_NE(found->source.find("read_only_memcpys"), std::string_view::npos) << found->id;
    }
  }
}

TEST(Definitions, AreFoundByTheTablesOfTheOpenProfile) {
  profile::Profile profile;
  profile.trace.emplace();
  EXPECT_FALSE(find_definitions("cupti_activity_kind_kernel", &profile).empty());
  EXPECT_TRUE(find_definitions("read_only_kernels", &profile).empty());
}

TEST(Definitions, TellHowANumberCountsAndWhetherFiltersMatter) {
  EXPECT_EQ(definition_note(metric("gpu_utilization")), "Counted as union. From kernels, GPUs.");
  EXPECT_EQ(definition_note(metric("wall_time")), "From iterations. Filters do not change it.");
}

}  // namespace
}  // namespace dlview::aggregate
