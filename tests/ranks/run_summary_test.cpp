#include "ranks/run_summary.h"

#include <algorithm>
#include <random>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "aggregate/aggregator.h"
#include "ranks/summarized_ranks.h"
#include "ranks/summary_file.h"
#include "support/seeds.h"

namespace dlview::ranks {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// Merges them as a random tree does.
RunSummary merged_in_a_tree(std::vector<RunSummary> summaries, std::mt19937& random) {
  std::ranges::shuffle(summaries, random);
  while (summaries.size() > 1) {
    const std::size_t at = random() % (summaries.size() - 1);
    auto both = merge(std::move(summaries[at]), std::move(summaries[at + 1]));
    if (!both) throw std::runtime_error(base::to_text(both.error()));
    summaries[at] = *std::move(both);
    summaries.erase(summaries.begin() + static_cast<std::ptrdiff_t>(at) + 1);
  }
  return std::move(summaries.front());
}

TEST(RunSummary, HasEqualBytesInAnyTree) {
  std::vector<RunSummary> ranks;
  for (int64_t rank = 0; rank < 16; ++rank) {
    ranks.push_back(random_summary(static_cast<uint64_t>(rank) + 1, rank));
  }
  std::mt19937 random(1);
  const std::string bytes = to_bytes(merged_in_a_tree(ranks, random));
  for (uint64_t seed = 1; seed <= testing::seeds(10); ++seed) {
    EXPECT_EQ(to_bytes(merged_in_a_tree(ranks, random)), bytes);
  }
}

TEST(RunSummary, NothingChangesNothing) {
  const RunSummary one = random_summary(3, 5);
  EXPECT_EQ(*merge(one, RunSummary()), one);
  EXPECT_EQ(*merge(RunSummary(), one), one);
}

TEST(RunSummary, HasTheNumbersOfTheAggregator) {
  for (uint64_t seed = 1; seed <= testing::seeds(5); ++seed) {
    SCOPED_TRACE(seed);
    const RankInput input = random_rank(seed, 0);
    const RunSummary summary = summarize(input);
    const auto aggregation =
        aggregate::make_cpu_aggregator(input.profile)->aggregate(input.selection);
    const auto& table = *aggregation.iteration_table;
    const RankPart& part = summary.parts.front();
    const auto column = [&part](RowColumn id) { return part.column(id); };
    for (std::size_t i = 0; i < table.facts.size(); ++i) {
      const aggregate::IterationFacts& facts = table.facts[i];
      EXPECT_EQ(column(RowColumn::start_ns)[i], table.iterations.rows[i].start_ns);
      EXPECT_EQ(column(RowColumn::stop_ns)[i], table.iterations.rows[i].stop_ns);
      EXPECT_EQ(column(RowColumn::memory_ns)[i], facts.device_sum[aggregate::Category::memory]);
      EXPECT_EQ(column(RowColumn::other_ns)[i], facts.device_sum[aggregate::Category::other]);
      EXPECT_EQ(column(RowColumn::communication_ns)[i], facts.communication_device_sum.ns);
      EXPECT_EQ(column(RowColumn::exposed_ns)[i], facts.communication_device_sum.exposed_ns);
      EXPECT_EQ(column(RowColumn::kernels)[i], facts.kernels.count);
    }
    OpSum ops, kernels;
    for (const aggregate::OpAggregate& op : aggregation.ops) {
      ops.gpu.merge(WideStats::of(op.times.gpu));
      kernels.kernel_gpu.merge(WideStats::of(op.kernel_gpu));
    }
    OpSum found;
    for (const auto& [key, sum] : summary.ops) found.merge(sum);
    EXPECT_EQ(found.gpu, ops.gpu);
    EXPECT_EQ(found.kernel_gpu, kernels.kernel_gpu);
    EXPECT_EQ(found.gpu_times.count(), ops.gpu.count);
    WideStats by_kernel;
    for (const auto& [key, sum] : summary.kernels) by_kernel.merge(sum.gpu);
    EXPECT_EQ(by_kernel, kernels.kernel_gpu);
  }
}

TEST(RunSummary, RenumberedRanksRenumberTheResult) {
  std::vector<RunSummary> low, high;
  for (int64_t rank = 0; rank < 4; ++rank) {
    low.push_back(random_summary(static_cast<uint64_t>(rank) + 1, rank));
    high.push_back(random_summary(static_cast<uint64_t>(rank) + 1, rank + 20));
  }
  const RunSummary a = merged(std::move(low)), b = merged(std::move(high));
  EXPECT_EQ(a.ops, b.ops);
  EXPECT_EQ(a.kernels, b.kernels);
  ASSERT_EQ(a.collectives.size(), b.collectives.size());
  ASSERT_FALSE(a.collectives.empty());
  for (const auto& [key, sum] : a.collectives) {
    CollectiveSum moved = b.collectives.at(key);
    moved.least_rank -= 20;
    moved.greatest_rank -= 20;
    EXPECT_EQ(moved, sum);
  }
}

TEST(RunSummary, PartsOfARankAddUp) {
  for (uint64_t seed = 1; seed <= testing::seeds(5); ++seed) {
    SCOPED_TRACE(seed);
    RankInput input = random_rank(seed, 2);
    const RunSummary whole = summarize(input);
    const aggregate::IterationRange all = input.selection.range;
    std::vector<RunSummary> parts;
    for (const aggregate::IterationRange range :
         {aggregate::IterationRange{0, 4}, aggregate::IterationRange{5, all.last}}) {
      input.selection.range = range;
      parts.push_back(summarize(input));
    }
    const RunSummary both = merged(std::move(parts));
    EXPECT_EQ(both.ops, whole.ops);
    EXPECT_EQ(both.kernels, whole.kernels);
    EXPECT_EQ(both.collectives, whole.collectives);
    EXPECT_EQ(both.ranks(), whole.ranks());
    EXPECT_EQ(both.parts.size(), 2U);
  }
}

TEST(RunSummary, ARankOfTwoSummariesCountsOnce) {
  const RunSummary a = random_summary(1, 0), b = random_summary(2, 1);
  const RunSummary both = *merge(a, b);
  EXPECT_EQ(*merge(both, a), both);
  EXPECT_EQ(*merge(b, both), both);
}

TEST(RunSummary, RefusesTwoFilesOfOneRank) {
  RunSummary other = random_summary(2, 0);
  other.parts.front().head.file = "copy.sqlite";
  const auto both = merge(random_summary(1, 0), other);
  ASSERT_FALSE(both);
  EXPECT_EQ(both.error().title, "Two files say that they are rank 0");
  EXPECT_THAT(both.error().detail, AllOf(HasSubstr("report_0.sqlite"), HasSubstr("copy.sqlite")));
}

TEST(RunSummary, RefusesPartsThatOverlap) {
  RankInput input = random_rank(1, 3);
  input.selection.range = {0, 4};
  const RunSummary first = summarize(input);
  input.selection.range = {4, 6};
  EXPECT_FALSE(merge(first, summarize(input)));
}

TEST(RunSummary, RefusesOtherMarkersAndRuns) {
  const RunSummary a = random_summary(1, 0);
  RunSummary other_marker = random_summary(2, 1), other_run = other_marker;
  other_marker.rules.key_op = "epoch";
  other_run.parts.front().head.world_size = 8;
  EXPECT_THAT(merge(a, other_marker).error().detail, HasSubstr("epoch"));
  EXPECT_EQ(merge(a, other_run).error().title, "These files are of different runs");
}

TEST(RunSummary, MissingRanksChangeNoMean) {
  const RunSummary all = merged({random_summary(1, 0), random_summary(2, 1), random_summary(3, 2)}),
                   some = merged({random_summary(1, 0), random_summary(3, 2)});
  EXPECT_EQ(some.ranks(), (std::vector<int64_t>{0, 2}));
  EXPECT_EQ(some.parts[1].rows, all.parts[2].rows);
}

TEST(Histogram, QuantilesLieInTheBucketOfTheExactOne) {
  std::mt19937_64 random(7);
  Histogram all;
  std::vector<int64_t> values;
  for (int part = 0; part < 5; ++part) {
    Histogram histogram;
    for (int i = 0; i < 400; ++i) {
      const auto value = static_cast<int64_t>(random() >> (random() % 60 + 3));
      values.push_back(value);
      histogram.add(value);
    }
    all.merge(histogram);
  }
  std::ranges::sort(values);
  for (const double fraction : {0.01, 0.25, 0.5, 0.9, 0.99, 1.0}) {
    const int64_t exact = aggregate::percentile(values, fraction);
    EXPECT_EQ(all.bucket_at(fraction), Histogram::bucket_of(exact)) << fraction;
  }
}

TEST(Histogram, BucketsFollowOneAnother) {
  for (int64_t bucket = 0; bucket < 300; ++bucket) {
    const int64_t least = Histogram::least_of(bucket);
    EXPECT_EQ(Histogram::bucket_of(least), bucket);
    if (least > 0) {
      EXPECT_EQ(Histogram::bucket_of(least - 1), bucket - 1);
    }
  }
}

TEST(SummaryFile, GivesBackWhatWasWritten) {
  std::vector<RunSummary> ranks;
  for (int64_t rank = 0; rank < 130; ++rank) {
    ranks.push_back(random_summary(static_cast<uint64_t>(rank % 5) + 1, rank));
    ranks.back().parts.front().head.checksum += static_cast<uint64_t>(rank);
  }
  const RunSummary all = merged(std::move(ranks));
  const auto again = from_bytes(to_bytes(all), "run.dlsum");
  ASSERT_TRUE(again) << base::to_text(again.error());
  EXPECT_EQ(*again, all);
}

TEST(SummaryFile, RefusesChangedBytes) {
  const std::string bytes = to_bytes(merged({random_summary(1, 0), random_summary(2, 1)}));
  std::mt19937 random(3);
  for (int i = 0; i < 300; ++i) {
    std::string changed = bytes;
    changed[random() % changed.size()] ^= static_cast<char>(1U << (random() % 8));
    EXPECT_FALSE(from_bytes(changed, "run.dlsum"));
  }
  for (std::size_t size = 0; size < bytes.size(); size += bytes.size() / 50 + 1) {
    EXPECT_FALSE(from_bytes(std::string_view(bytes).substr(0, size), "run.dlsum"));
  }
}

TEST(SummaryFile, RefusesOtherVersions) {
  std::string bytes = to_bytes(random_summary(1, 0));
  bytes[8] = 1;
  const auto read = from_bytes(bytes, "run.dlsum");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().title, "This summary is of another version of dlview");
}

TEST(SummaryFile, ColumnsKeepAllValues) {
  const std::vector<int64_t> values{0, -1, INT64_MAX, INT64_MIN, 5, 5, 5};
  EXPECT_EQ(unpack_column(pack_column(values), values.size()), values);
  EXPECT_EQ(unpack_column(pack_column(values), values.size() - 1), std::nullopt);
  Packer packer;
  const Wide large = Wide{INT64_MAX} * 1000;
  packer.add_wide(large);
  packer.add_wide(-large);
  Unpacker unpacker(packer.bytes());
  EXPECT_TRUE(unpacker.wide() == large);
  EXPECT_TRUE(unpacker.wide() == -large);
  EXPECT_TRUE(unpacker.is_done());
}

}  // namespace
}  // namespace dlview::ranks
