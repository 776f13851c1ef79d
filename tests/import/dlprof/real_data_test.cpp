// The three public databases, against counts taken from them by hand.
#include <string>

#include <gtest/gtest.h>

#include "import/test_database.h"

namespace dlview::import::dlprof {
namespace {

using profile::Profile;

struct RealCase {
  const char* file;
  std::size_t ops, kernels, memory_ops, syncs, api_calls;
  bool has_memory;
};

class RealData : public ::testing::TestWithParam<RealCase> {
 protected:
  void SetUp() override {
    DLVIEW_REQUIRE_TEST_DATA();
    const auto result =
        testing::open_for_test(*testing::test_data_folder() / "dlprof" / GetParam().file);
    ASSERT_TRUE(result.ok()) << testing::error_of(result);
    profile_ = *result;
  }

  Profile profile_;
};

TEST_P(RealData, HasTheRowsOfItsTables) {
  EXPECT_EQ(profile_.ops.size(), GetParam().ops);
  EXPECT_EQ(profile_.instances.size(), GetParam().ops);  // each op runs once
  EXPECT_EQ(profile_.kernels.size(), GetParam().kernels);
  EXPECT_EQ(profile_.memory_ops.size(), GetParam().memory_ops);
  EXPECT_EQ(profile_.syncs.size(), GetParam().syncs);
  EXPECT_EQ(profile_.api_calls.size(), GetParam().api_calls);
  EXPECT_EQ(profile_.source.format, "DLProf 1.8.0");
  ASSERT_EQ(profile_.devices.size(), 1U);
  EXPECT_EQ(profile_.devices[0].memory_total_bytes.has_value(), GetParam().has_memory);
}

TEST_P(RealData, HasNoRowThatCannotBeUsed) {
  EXPECT_TRUE(profile_.quality.empty());
}

TEST_P(RealData, EveryEventLiesInsideItsInstance) {
  const auto check = [this](const auto& events) {
    for (std::size_t i = 0; i < events.size(); ++i) {
      const profile::Row instance = events.instance[i];
      EXPECT_GE(events.api_start_ns[i], profile_.instances.cpu_start_ns[instance]);
      EXPECT_LE(events.api_stop_ns[i], profile_.instances.cpu_stop_ns[instance]);
    }
  };
  check(profile_.kernels);
  check(profile_.memory_ops);
  check(profile_.syncs);
  check(profile_.api_calls);
}

TEST_P(RealData, HasOneStoredAggregationOfOneIteration) {
  ASSERT_EQ(profile_.stored_aggregations.size(), 1U);
  const profile::StoredAggregation& stored = profile_.stored_aggregations[0];
  EXPECT_EQ(stored.key_op, "");
  ASSERT_EQ(stored.iterations.size(), 1U);
  EXPECT_EQ(stored.iterations[0].start_ns, 0);
  EXPECT_EQ(stored.iterations[0].stop_ns, profile_.last_ns);
  EXPECT_TRUE(stored.io_ns.empty());
  EXPECT_TRUE(stored.has_advice);
}

INSTANTIATE_TEST_SUITE_P(
    All, RealData,
    ::testing::Values(RealCase{"no_relu/dlprof_dldb.sqlite", 32, 51, 20, 68, 175, false},
                      RealCase{"no_relu/first_run.sqlite", 32, 51, 20, 68, 175, true},
                      RealCase{"with_relu/dlprof_dldb.sqlite", 36, 59, 17, 69, 176, false}));

}  // namespace
}  // namespace dlview::import::dlprof
