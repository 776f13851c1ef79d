#include <gtest/gtest.h>

#include "aggregate/provenance.h"

namespace dlview::aggregate {
namespace {

TEST(Sources, AreTheTablesOfTheOpenFile) {
  profile::Profile profile;
  EXPECT_EQ(source_tables(metric("gpu_utilization"), &profile),
            "read_only_kernels, read_only_gpu_infos");
  profile.trace.emplace();
  EXPECT_EQ(source_tables(metric("gpu_utilization"), &profile),
            "CUPTI_ACTIVITY_KIND_KERNEL, TARGET_INFO_GPU");
  EXPECT_EQ(source_tables(metric("op_count"), &profile), "NVTX_EVENTS") << "each table once";
}

TEST(Sources, HavePlainNamesWithoutAnOpenFile) {
  EXPECT_EQ(source_tables(metric("gpu_utilization"), nullptr), "kernels, GPUs");
  for (const Metric& each : all_metrics()) {
    const std::string names = source_tables(each, nullptr);
    EXPECT_FALSE(names.empty()) << each.id;
    EXPECT_EQ(names.find('_'), std::string::npos) << names;
  }
}

TEST(Sources, OfEveryNumberAreKnownInAnExport) {
  profile::Profile profile;
  profile.trace.emplace();
  for (const Metric& each : all_metrics()) {
    const std::string tables = source_tables(each, &profile);
    EXPECT_FALSE(tables.empty()) << each.id;
    EXPECT_EQ(tables.find("read_only"), std::string::npos) << each.id;
  }
}

}  // namespace
}  // namespace dlview::aggregate
