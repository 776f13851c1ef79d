#include "workspace/profile_facts.h"

#include <numeric>

#include <gtest/gtest.h>

#include "aggregate/aggregator.h"
#include "support/random_profile.h"
#include "workspace/session_support.h"

namespace dlview::workspace {
namespace {

aggregate::IterationTable table_of(const std::vector<int64_t>& durations) {
  aggregate::IterationTable table;
  int64_t at = 0;
  for (const int64_t duration : durations) {
    table.iterations.rows.push_back({.start_ns = at, .stop_ns = at + duration});
    aggregate::IterationFacts facts;
    facts.per_device[aggregate::Category::other_kernels] = duration / 2;
    facts.per_device[aggregate::Category::other] = duration - duration / 2;
    table.facts.push_back(facts);
    at += duration + 1;
  }
  table.by_duration = aggregate::order_by_duration(table.iterations);
  return table;
}

int height(const ProfilePicture::Bar& bar) {
  return std::accumulate(bar.begin(), bar.end(), 0);
}

TEST(ProfilePictureTest, StacksCategoriesOfEachIteration) {
  const ProfilePicture picture = make_picture(table_of({100, 50}));
  ASSERT_EQ(picture.bars.size(), 2u);
  EXPECT_EQ(height(picture.bars[0]), ProfilePicture::kHeight);
  EXPECT_NEAR(height(picture.bars[1]), ProfilePicture::kHeight / 2, 1);
  EXPECT_NEAR(picture.bars[0][static_cast<std::size_t>(aggregate::Category::other_kernels)],
              ProfilePicture::kHeight / 2, 1);
}

TEST(ProfilePictureTest, KeepsTheSpikeOfManyIterations) {
  std::vector<int64_t> durations(100'000, 100);
  durations[54'321] = 300;
  const ProfilePicture picture = make_picture(table_of(durations));
  ASSERT_EQ(picture.bars.size(), ProfilePicture::kMostBars);
  const std::size_t spike = 54'321 * ProfilePicture::kMostBars / durations.size();
  for (std::size_t bar = 0; bar < picture.bars.size(); ++bar) {
    EXPECT_EQ(height(picture.bars[bar]) == ProfilePicture::kHeight, bar == spike) << bar;
  }
}

TEST(ProfilePictureTest, CutsOffASlowFirstIteration) {
  const ProfilePicture picture = make_picture(table_of({1'000'000, 100, 100, 100}));
  EXPECT_EQ(height(picture.bars[0]), ProfilePicture::kHeight);
  EXPECT_NEAR(height(picture.bars[1]), ProfilePicture::kHeight / 4, 1);
}

TEST(ProfilePictureTest, SurvivesStorageAsText) {
  const auto profile =
      std::make_shared<const profile::Profile>(testing::random_profile({.seed = 3}));
  const auto aggregation =
      aggregate::make_cpu_aggregator(profile)->aggregate({kStartCut, {0, 100}});
  const ProfilePicture picture = make_picture(*aggregation.iteration_table);
  EXPECT_FALSE(picture.bars.empty());
  EXPECT_EQ(parse_picture(to_text(picture)), picture);
}

TEST(ProfilePictureTest, IsEmptyWhereTheTextIsDamaged) {
  EXPECT_TRUE(parse_picture("").bars.empty());
  EXPECT_TRUE(parse_picture("ABC").bars.empty());
  EXPECT_TRUE(parse_picture("AAAAAA!").bars.empty());
  EXPECT_TRUE(parse_picture("-------").bars.empty()) << "higher than the picture";
  EXPECT_TRUE(parse_picture(std::string(7 * 200, 'A')).bars.empty());
}

TEST(ProfileFactsTest, NamesGpusThatAreAlike) {
  profile::Profile profile;
  EXPECT_EQ(gpus_text(profile), "");
  profile.devices.resize(1);
  EXPECT_EQ(gpus_text(profile), "GPU");
  profile.devices[0].name = "A100";
  EXPECT_EQ(gpus_text(profile), "A100");
  profile.devices.push_back(profile.devices[0]);
  EXPECT_EQ(gpus_text(profile), "2× A100");
  profile.devices[1].name = "H100";
  EXPECT_EQ(gpus_text(profile), "2 GPUs");
}

}  // namespace
}  // namespace dlview::workspace
