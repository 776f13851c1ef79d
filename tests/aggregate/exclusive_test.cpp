// Exclusive time of parts, ops, kernels and idle causes, and what of it is rounded.
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "aggregate/aggregator.h"
#include "aggregate/engines.h"
#include "aggregate/exclusive/exclusive_index.h"
#include "aggregate/exclusive/lanes.h"
#include "aggregate/exclusive/rounding.h"
#include "aggregate/exclusive_reference.h"
#include "support/random_profile.h"
#include "support/seeds.h"
#include "support/sketch.h"

namespace dlview::aggregate {
namespace {

using profile::Row;
using ::testing::ElementsAre;
using testing::Sketch;

// --- Rounding ------------------------------------------------------------------------------------

TEST(RoundedParts, GivesWhatIsMissingToLargestRemainders) {
  const std::vector<Wide> parts{10, 11, 12};  // of 10: 1, 1.1, 1.2; together 3.3
  EXPECT_THAT(rounded_parts(parts, 10), ElementsAre(1, 1, 1));
  const std::vector<Wide> more{14, 15, 16};  // 4.5, halves away from 0
  EXPECT_THAT(rounded_parts(more, 10), ElementsAre(1, 2, 2));
}

TEST(RoundedParts, PrefersTheFirstOfEqualRemainders) {
  const std::vector<Wide> parts{5, 5, 5, 5};
  EXPECT_THAT(rounded_parts(parts, 10), ElementsAre(1, 1, 0, 0));
}

TEST(RoundedParts, MirrorsNegativeTotals) {
  const std::vector<Wide> parts{-14, 5, -16};  // -2.5
  EXPECT_THAT(rounded_parts(parts, 10), ElementsAre(-1, 0, -2));
  EXPECT_EQ(rounded_total(-25, 10), -3);
  EXPECT_EQ(rounded_total(25, 10), 3);
  EXPECT_EQ(rounded_total(24, 10), 2);
}

TEST(RoundedParts, AlwaysAddUpToTheTotal) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 20'000; ++round) {
    const Wide denominator = 1 + static_cast<int64_t>(random() % 97);
    std::vector<Wide> parts, opposite;
    for (std::size_t i = 0; i < 1 + random() % 9; ++i) {
      parts.push_back(static_cast<int64_t>(random() % 2001) - 1000);
      opposite.push_back(-parts.back());
    }
    const Wide sum = std::accumulate(parts.begin(), parts.end(), Wide{0});
    const std::vector<int64_t> rounded = rounded_parts(parts, denominator);
    ASSERT_EQ(std::accumulate(rounded.begin(), rounded.end(), int64_t{0}),
              rounded_total(sum, denominator));
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const Wide off = rounded[i] * denominator - parts[i];
      ASSERT_TRUE(off > -denominator && off < denominator);
    }
    if (sum == 0) continue;
    const std::vector<int64_t> mirrored = rounded_parts(opposite, denominator);
    for (std::size_t i = 0; i < parts.size(); ++i) ASSERT_EQ(mirrored[i], -rounded[i]);
  }
}

TEST(RoundedParts, HoldsSumsBeyondSixtyFourBits) {
  const Wide third = Wide{1'000'000'000'000'000'000} * 1'000'000;
  const std::vector<Wide> parts{third, third, third};
  EXPECT_THAT(
      rounded_parts(parts, Wide{3'000'000}),
      ElementsAre(333'333'333'333'333'334, 333'333'333'333'333'333, 333'333'333'333'333'333));
}

// --- Lanes ---------------------------------------------------------------------------------------

TEST(OwnersByRank, PrefersTheFirstRankThatRuns) {
  const HostLane lane = owners_by_rank({{{0, 10, 7}, 1}, {{2, 4, 8}, 0}, {{3, 12, 9}, 2}});
  std::vector<std::vector<int64_t>> found;
  for (const LaneSegment& part : lane) found.push_back({part.start_ns, part.stop_ns, part.cell});
  using Segment = std::vector<int64_t>;
  EXPECT_THAT(found, ElementsAre(Segment{0, 2, 7}, Segment{2, 4, 8}, Segment{4, 10, 7},
                                 Segment{10, 12, 9}));
}

// --- Runs worked out by hand ---------------------------------------------------------------------

constexpr std::string_view kAllReduceKernel = "ncclDevKernel_AllReduce_Sum_f32_RING_LL";

struct ExclusiveRun {
  explicit ExclusiveRun(std::shared_ptr<const profile::Profile> shared, Cut split = {})
      : profile(std::move(shared)),
        cut(std::move(split)),
        rules(*profile),
        iterations(cut_iterations(*profile, cut)),
        index(*profile, rules, iterations, cut) {}

  PartSums all() const { return index.sums({0, index.iteration_count() - 1}); }

  std::shared_ptr<const profile::Profile> profile;
  Cut cut;
  RuleIndex rules;
  Iterations iterations;
  ExclusiveIndex index;
};

// "part op exclusive+overlapped" of each row.
std::vector<std::string> lines_of(const ExclusiveRun& run, const PartSums& sums) {
  std::vector<std::string> found;
  for (const PartTime& row : sums.rows) {
    std::string line(to_text(row.key.part));
    if (row.key.op != profile::kNoRow) {
      line += " " + std::string(run.profile->text(run.profile->ops.name[row.key.op]));
    }
    if (row.key.gap) line += " " + std::string(to_text(*row.key.gap));
    found.push_back(line + " " + std::to_string(row.exclusive_ns) + "+" +
                    std::to_string(row.overlapped_ns));
  }
  return found;
}

//   0         10        20        30        40        50        60
//   step      |-- read (data loader) --|
//   gemm              |---------|
//   relu                   |---------|
//   all-reduce                  |---------|
//   copy                                |----|
TEST(Exclusive, GivesEachInstantToOneOwner) {
  Sketch sketch;
  const Row gemm = sketch.op("gemm", "matmul"), relu = sketch.op("relu");
  const Row sync = sketch.op("sync"), load = sketch.op("load"),
            read = sketch.op("read", "DataLoader");
  sketch.kernel(sketch.instance(gemm, 0, 2), 10, 20, 0, "k", true);
  sketch.kernel(sketch.instance(relu, 0, 1), 15, 25);
  sketch.kernel(sketch.instance(sync, 0, 1), 20, 30, 0, kAllReduceKernel);
  sketch.copy(sketch.instance(load, 0, 1), 28, 33);
  sketch.instance(read, 2, 20);
  sketch.instance(sketch.op("end"), 40, 60);
  const ExclusiveRun run(sketch.finish());
  const PartSums sums = run.all();
  EXPECT_THAT(lines_of(run, sums),
              ElementsAre("tensor_core_kernels gemm 10+0", "other_kernels relu 5+5",
                          "exposed_communication sync 5+5", "memory load 3+2",
                          "data_loader read 8+0", "cpu gemm 2+0", "cpu end 20+0", "other 7+0"));
  EXPECT_EQ(sums.range_ns, 60);
  EXPECT_THAT(sums.gpu_busy_ns, ElementsAre(23));
}

TEST(Exclusive, GivesOverlapsToTheEventThatBeganFirst) {
  Sketch sketch;
  const Row a = sketch.instance(sketch.op("a"), 0, 0), b = sketch.instance(sketch.op("b"), 0, 0);
  sketch.kernel(a, 0, 10);
  sketch.kernel(b, 5, 30);
  sketch.kernel(a, 6, 20);  // never first
  sketch.kernel(b, 30, 40);
  sketch.kernel(a, 30, 40);  // of equal starts, the lowest row: instances' order
  const ExclusiveRun run(sketch.finish());
  EXPECT_THAT(lines_of(run, run.all()),
              ElementsAre("other_kernels a 20+14", "other_kernels b 20+15"));
}

//   0    4    8    12   16   20   24
//   conv |----|    |---------|
//   relu           |----|
//   conv                         |----|
TEST(Exclusive, KnowsWhatRunsAlone) {
  Sketch sketch;
  const Row conv = sketch.instance(sketch.op("conv"), 0, 0),
            relu = sketch.instance(sketch.op("relu"), 0, 0);
  sketch.kernel(conv, 4, 8);
  sketch.kernel(conv, 12, 20);
  sketch.kernel(relu, 12, 16);
  sketch.copy(conv, 24, 28);
  const ExclusiveRun run(sketch.finish());
  std::vector<std::vector<int64_t>> found;
  for (const PartTime& row : run.all().rows) {
    if (!is_gpu_part(row.key.part)) continue;
    found.push_back({row.alone_ns, row.partly_alone_ns, row.shared_ns});
  }
  using Times = std::vector<int64_t>;
  EXPECT_THAT(found, ElementsAre(Times{4, 4, 8}, Times{0, 0, 4}, Times{4, 0, 0}));
}

// Each of 300 events ends after all iterations.
TEST(Exclusive, KeepsDamagedEndsSmall) {
  constexpr int64_t kIterations = 2'000;
  const auto made = [](int damaged) {
    Sketch sketch;
    const Row step = sketch.op("step"), op = sketch.op("op");
    for (int64_t i = 0; i < kIterations; ++i) {
      const Row run = sketch.instance(step, i * 100, i * 100 + 90);
      const bool is_damaged = i % 5 == 1 && i / 5 < damaged;
      sketch.kernel(sketch.instance(op, i * 100, i * 100 + 10), i * 100 + 10,
                    is_damaged ? kIterations * 200 : i * 100 + 20);
      sketch.kernel(run, i * 100 + 30, i * 100 + 40);
    }
    return ExclusiveRun(sketch.finish(), {.key_op = "step"});
  };
  EXPECT_LT(made(300).index.memory_bytes(), 2 * made(0).index.memory_bytes());
}

TEST(Exclusive, AddsUpEventsThatCoverIterations) {
  std::mt19937_64 random(3);
  Sketch sketch(2);
  const Row step = sketch.op("step"), op = sketch.op("op"), other = sketch.op("other");
  for (int64_t i = 0; i < 40; ++i) {
    const Row run = sketch.instance(step, i * 100, i * 100 + 90);
    const Row first = sketch.instance(op, i * 100, i * 100 + 10);
    const Row second = sketch.instance(other, i * 100, i * 100 + 10);
    for (const Row instance : {run, first, second}) {
      const auto start = i * 100 + static_cast<int64_t>(random() % 100);
      const auto length = static_cast<int64_t>(random() % (random() % 4 == 0 ? 1'500 : 30));
      sketch.kernel(instance, start, start + length, static_cast<Row>(random() % 2));
    }
  }
  const ExclusiveRun run(sketch.finish(), {.key_op = "step"});
  ExclusiveReference reference(*run.profile, run.rules, run.iterations, run.cut);
  const int64_t count = run.index.iteration_count();
  for (int64_t first = 0; first < count; first += 3) {
    for (int64_t last = first; last < count; last += 5) {
      ASSERT_EQ(placed_times(run.index.sums({first, last})), reference.times({first, last}))
          << first << ' ' << last;
    }
  }
}

TEST(Exclusive, PrefersTheClocksThread) {
  Sketch sketch;
  const Row low = sketch.op("low"), step = sketch.op("step"), high = sketch.op("high");
  sketch.instance(step, 0, 10, {1, 5});
  sketch.instance(low, 5, 20, {1, 2});
  sketch.instance(high, 0, 30, {1, 9});
  sketch.instance(step, 40, 50, {1, 5});
  const ExclusiveRun with_clock(sketch.finish(), {.key_op = "step"});
  EXPECT_THAT(lines_of(with_clock, with_clock.index.sums({0, 0})),
              ElementsAre("cpu low 10+0", "cpu step 10+0", "cpu high 10+0", "other 9+0"));
}

TEST(Exclusive, DividesOtherByIdleCauses) {
  Sketch sketch;
  const Row run_row = sketch.instance(sketch.op("a"), 0, 5);
  sketch.kernel(run_row, 10, 20);
  sketch.kernel(run_row, 50, 60);  // launched at 0, before the gap
  const ExclusiveRun run(sketch.finish());
  EXPECT_THAT(lines_of(run, run.all()), ElementsAre("other_kernels a 20+0", "cpu a 5+0",
                                                    "other 5+0", "other already launched 30+0"));
}

TEST(Exclusive, KnowsWhatTheHostDoesBesidesWaiting) {
  Sketch sketch;
  const Row run_row = sketch.instance(sketch.op("step"), 0, 50);
  sketch.instance(sketch.op("read", "DataLoader"), 60, 75);
  sketch.sync(run_row, 10, 20);
  const ExclusiveRun run(sketch.finish());
  // Sketched synchronizations have no name, so they are no wait.
  EXPECT_EQ(run.all().host_ns, 65);
  EXPECT_EQ(run.all().host_loader_ns, 15);
}

// --- Random runs ---------------------------------------------------------------------------------

void expect_like_breakdown(const PartSums& sums, const Aggregation& aggregation) {
  const Aggregation& whole = aggregation.whole();
  EXPECT_EQ(sums.range_ns, whole.range_ns);
  EXPECT_EQ(std::accumulate(sums.ns.begin(), sums.ns.end(), int64_t{0}),
            sums.range_ns * sums.devices);
  const Breakdown& breakdown = whole.breakdown;
  EXPECT_EQ(sums[StackPart::exposed_communication], whole.communication.exposed_ns);
  EXPECT_EQ(sums[StackPart::tensor_core_kernels] + sums[StackPart::other_kernels] +
                sums[StackPart::exposed_communication],
            breakdown[Category::tensor_core_kernels] + breakdown[Category::other_kernels]);
  EXPECT_LE(sums[StackPart::other_kernels], breakdown[Category::other_kernels]);
  EXPECT_EQ(sums[StackPart::memory], breakdown[Category::memory]);
  EXPECT_EQ(sums[StackPart::data_loader], breakdown[Category::data_loader]);
  EXPECT_EQ(sums[StackPart::io], breakdown[Category::io]);
  EXPECT_EQ(sums[StackPart::cpu], breakdown[Category::cpu]);
  EXPECT_EQ(sums[StackPart::other], breakdown[Category::other]);
  for (const DeviceAggregate& device : whole.devices) {
    const Breakdown& own = device.breakdown;
    EXPECT_EQ(
        sums.gpu_busy_ns[device.device],
        own[Category::tensor_core_kernels] + own[Category::other_kernels] + own[Category::memory]);
  }
}

struct RandomCase {
  std::string name;
  testing::RandomProfileOptions options;
  Cut cut;
};

std::vector<RandomCase> random_cases() {
  const std::string key(testing::kRandomKeyOp), range(testing::kRandomRange);
  const Cut at_start{.key_op = key}, at_end{.kind = CutKind::end, .key_op = key};
  const Cut by_range{.key_op = range};
  const Cut by_gpu{.key_op = key, .split_by = SplitBy::gpu};
  std::vector<RandomCase> cases{{"plain", {}, at_start}, {"at ends", {}, at_end}};
  testing::RandomProfileOptions options;
  options.os_calls = 300;
  cases.push_back({"with I/O", options, by_range});
  options.streams = 3;
  options.host_ahead = options.nearby = true;
  cases.push_back({"queued", options, by_gpu});
  cases.push_back({"one iteration", options, {}});
  options = {};
  options.stored_aggregation = true;
  cases.push_back({"stored", options, {.kind = CutKind::stored, .key_op = {}}});
  cases.push_back({"stored I/O", options, at_start});
  options = {};
  options.communication = false;
  options.processes = 3;
  cases.push_back({"processes", options, {.key_op = key, .clock = Clock{.process_id = 2}}});
  for (const auto& [name, unusual] : unusual_runs()) cases.push_back({name, unusual, at_start});
  return cases;
}

TEST(Exclusive, EqualsTheBreakdownOfEveryRange) {
  for (const RandomCase& wanted : random_cases()) {
    for (uint64_t seed = 1; seed <= testing::seeds(2); ++seed) {
      testing::RandomProfileOptions options = wanted.options;
      options.seed = seed;
      SCOPED_TRACE(wanted.name + ", seed " + std::to_string(seed));
      const ExclusiveRun run(
          std::make_shared<const profile::Profile>(testing::random_profile(options)), wanted.cut);
      const auto aggregator = make_cpu_aggregator(run.profile);
      const int64_t count = run.index.iteration_count();
      for (int64_t first = 0; first < count; first += 1 + count / 5) {
        for (int64_t last = first; last < count; last += 1 + count / 7) {
          const IterationRange range{first, last};
          expect_like_breakdown(run.index.sums(range), aggregator->aggregate({wanted.cut, range}));
        }
      }
      if (::testing::Test::HasFailure()) return;
    }
  }
}

TEST(Exclusive, EqualsItsSlowTwin) {
  for (const RandomCase& wanted : random_cases()) {
    testing::RandomProfileOptions options = wanted.options;
    if (options.stored_aggregation || options.kernel_devices > 4) continue;
    options.seed = 11;
    options.instances = std::min(options.instances, 200);
    options.kernels = std::min(options.kernels, 400);
    SCOPED_TRACE(wanted.name);
    const ExclusiveRun run(
        std::make_shared<const profile::Profile>(testing::random_profile(options)), wanted.cut);
    ExclusiveReference reference(*run.profile, run.rules, run.iterations, run.cut);
    const int64_t count = run.index.iteration_count();
    for (const IterationRange range :
         {IterationRange{0, count - 1}, IterationRange{count / 3, count / 2}}) {
      ASSERT_EQ(placed_times(run.index.sums(range)), reference.times(range));
    }
  }
}

TEST(Exclusive, AddsUpManyIterationsLikeSingleOnes) {
  testing::RandomProfileOptions options;
  options.key_instances = 120;  // several blocks of stored sums
  options.instances = 800;
  options.kernels = 2'000;
  const ExclusiveRun run(std::make_shared<const profile::Profile>(testing::random_profile(options)),
                         {.key_op = std::string(testing::kRandomKeyOp)});
  const int64_t count = run.index.iteration_count();
  ASSERT_GT(count, 64);
  for (const IterationRange range :
       {IterationRange{0, count - 1}, IterationRange{3, 90}, IterationRange{16, 31},
        IterationRange{15, 32}, IterationRange{count - 2, count - 1}}) {
    std::map<decltype(PlacedTime::key), int64_t> single;
    int64_t host_ns = 0;
    for (int64_t i = range.first; i <= range.last; ++i) {
      const PartSums sums = run.index.sums({i, i});
      for (const PlacedTime& row : placed_times(sums)) single[row.key] += row.exclusive_ns;
      host_ns += sums.host_ns;
    }
    std::erase_if(single, [](const auto& entry) { return entry.second == 0; });
    std::map<decltype(PlacedTime::key), int64_t> together;
    const PartSums sums = run.index.sums(range);
    for (const PlacedTime& row : placed_times(sums)) {
      if (row.exclusive_ns != 0) together[row.key] = row.exclusive_ns;
    }
    EXPECT_EQ(together, single);
    EXPECT_EQ(sums.host_ns, host_ns);
  }
}

}  // namespace
}  // namespace dlview::aggregate
