#include "ranks/identity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/sketch.h"

namespace dlview::ranks {
namespace {

using ::testing::ElementsAre;

profile::Profile with_claims(std::vector<profile::RankClaim> claims) {
  testing::Sketch sketch;
  sketch.kernel(sketch.instance(sketch.op("a"), 0, 10), 2, 5);
  profile::Profile profile = *sketch.finish();
  profile.trace.emplace();
  profile.trace->capture.ranks = std::move(claims);
  return profile;
}

profile::RankClaim claim(profile::RankSource source, const char* variable, int64_t rank) {
  return {source, profile::kNoValue, variable, rank, std::nullopt};
}

TEST(RankIdentity, FirstSourceCountsAndOthersAreNamed) {
  using profile::RankSource;
  const auto ranks =
      ranks_of(with_claims({claim(RankSource::environment, "OMPI_COMM_WORLD_RANK", 3),
                            claim(RankSource::environment, "SLURM_PROCID", 0)}),
               "report_3.sqlite");
  ASSERT_EQ(ranks.size(), 1U);
  EXPECT_EQ(ranks[0].rank, 3);
  EXPECT_EQ(ranks[0].source, "OMPI_COMM_WORLD_RANK");
  EXPECT_THAT(ranks[0].contradictions, ElementsAre("SLURM_PROCID says 0"));
}

TEST(RankIdentity, NamesCountWithoutOtherSources) {
  const auto ranks = ranks_of(with_claims({}), "report_5.sqlite");
  EXPECT_EQ(ranks[0].rank, 5);
  EXPECT_EQ(ranks[0].source, "the file name");
  EXPECT_EQ(ranks_of(with_claims({}), "run.sqlite")[0].rank, std::nullopt);
}

}  // namespace
}  // namespace dlview::ranks
