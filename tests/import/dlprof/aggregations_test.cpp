#include "import/dlprof/aggregations.h"

#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "import/test_database.h"

namespace dlview::import::dlprof {
namespace {

using profile::Profile;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

using Aggregations = testing::DlprofTest;

TEST_F(Aggregations, AreReadWithRangeKeyOpAndIterations) {
  const Profile profile = open_with("");
  ASSERT_EQ(profile.stored_aggregations.size(), 1U);
  const profile::StoredAggregation& stored = profile.stored_aggregations[0];
  EXPECT_EQ(stored.id, 1);
  EXPECT_EQ(stored.user, "user");
  EXPECT_EQ(stored.host, "host");
  EXPECT_EQ(stored.started, "2023-01-25 17:10:44");
  EXPECT_EQ(stored.ended, "0");
  EXPECT_EQ(stored.key_op, "CONV2D_1");
  EXPECT_EQ(stored.first_iteration, 1);
  EXPECT_EQ(stored.last_iteration, 2);
  ASSERT_EQ(stored.iterations.size(), 3U);
  EXPECT_EQ(stored.iterations[1].number, 1);
  EXPECT_EQ(stored.iterations[1].start_ns, 1000);
  EXPECT_EQ(stored.iterations[1].stop_ns, 4999);
  EXPECT_TRUE(stored.has_advice);
}

TEST_F(Aggregations, IoOfZeroEverywhereMeansThatNoneIsStored) {
  EXPECT_THAT(open_with("").stored_aggregations[0].io_ns, IsEmpty());
}

TEST_F(Aggregations, IoHasOneValueForEachAggregatedIteration) {
  const Profile profile =
      open_with("UPDATE iteration_aggregation_list SET io_duration = 40 WHERE iter_value = 2;");
  EXPECT_THAT(profile.stored_aggregations[0].io_ns, ElementsAre(0, 40));
}

TEST_F(Aggregations, IterationsAreInOrderOfTheirNumbers) {
  const Profile profile = open_with("UPDATE iteration_list SET id = id + 10 WHERE iter_value = 0;");
  EXPECT_EQ(profile.stored_aggregations[0].iterations[0].number, 0);
}

TEST_F(Aggregations, SeveralAreKeptApart) {
  const Profile profile = open_with(
      "INSERT INTO aggregations VALUES(2, 'other', 'host', '2024-01-01 00:00:00', 0);"
      "INSERT INTO iteration_key VALUES(2, 2, 7);"
      "INSERT INTO iteration_list VALUES(4, 2, 0, 0, 6000);"
      "INSERT INTO iteration_aggregation_list VALUES(3, 2, 0, 0);"
      "INSERT INTO model_summary VALUES(2, 2, 0, 0);");
  ASSERT_EQ(profile.stored_aggregations.size(), 2U);
  EXPECT_EQ(profile.stored_aggregations[0].iterations.size(), 3U);
  EXPECT_EQ(profile.stored_aggregations[1].iterations.size(), 1U);
  EXPECT_EQ(profile.stored_aggregations[1].key_op, "CUDA_1");
  EXPECT_FALSE(profile.stored_aggregations[1].has_advice);
}

TEST_F(Aggregations, AreDroppedIfAnyIterationIsUnusable) {
  for (const char* change :
       {"stop_time = -1", "stop_time = 9007199254740993", "start_time = 'x'"}) {
    const Profile profile = open_with(
        "UPDATE model_summary SET iter_start = 0, iter_stop = 1; UPDATE iteration_list "
        "SET " +
        std::string(change) + " WHERE iter_value = 2;");
    EXPECT_TRUE(profile.stored_aggregations.empty()) << change;
    ASSERT_EQ(profile.quality.size(), 2U) << change;
    EXPECT_EQ(profile.quality[0].table, "iteration_list");
    EXPECT_EQ(profile.quality[1].reason, "an iteration of it cannot be used");
    std::filesystem::remove(path());
  }
}

TEST_F(Aggregations, AcceptIterationGapsWithoutOps) {
  const Profile profile =
      open_with("UPDATE iteration_list SET stop_time = 4000 WHERE iter_value = 1;");
  EXPECT_EQ(profile.stored_aggregations.size(), 1U);
  EXPECT_TRUE(profile.quality.empty());
}

TEST_F(Aggregations, IoThatDoesNotFitIsNotRecorded) {
  const Profile profile =
      open_with("UPDATE iteration_aggregation_list SET io_duration = 9223372036854775807;");
  ASSERT_EQ(profile.stored_aggregations.size(), 1U);
  EXPECT_THAT(profile.stored_aggregations[0].io_ns, IsEmpty());
}

TEST_F(Aggregations, OneThatCannotBeUsedDoesNotTakeTheOthersWithIt) {
  const Profile profile = open_with("INSERT INTO aggregations VALUES(2, 'other', 'host', '', 0);");
  EXPECT_EQ(profile.stored_aggregations.size(), 1U);
  EXPECT_EQ(profile.quality.size(), 1U);
}

}  // namespace
}  // namespace dlview::import::dlprof
