// Iterations by the kernels that they launch: the engines' code and the reference's, on runs whose
// times fit on a line of paper.

#include "aggregate/gpu_split.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "aggregate/iterations.h"
#include "aggregate/reference/cut.h"
#include "support/sketch.h"

namespace dlview::aggregate {
namespace {

using base::Interval;
using profile::InstanceIndex;
using profile::Row;
using ::testing::ElementsAre;

Cut by_gpu(std::string key, CutKind kind = CutKind::start) {
  return {.kind = kind, .key_op = std::move(key), .split_by = SplitBy::gpu};
}

// Of both, which must agree.
Iterations split(const profile::Profile& profile, const Cut& cut) {
  const Iterations iterations = cut_iterations(profile, cut);
  EXPECT_EQ(iterations, reference::find_iterations(profile, cut));
  return iterations;
}

std::vector<Interval> times(const Iterations& iterations) {
  std::vector<Interval> times;
  for (const Iteration& row : iterations.rows) times.push_back({row.start_ns, row.stop_ns});
  return times;
}

// One launch in each op instance, which takes 1 ns on the host. Calls that launch return at 2 ns. A
// GPU stands for a stream.
class Launches {
 public:
  explicit Launches(int gpus = 1) : sketch_(gpus), op_(sketch_.op("op")), key_(sketch_.op("key")) {}

  Launches& kernel(int64_t launch_ns, int64_t start_ns, int64_t stop_ns, Row gpu = 0,
                   profile::Thread thread = {1, 1}) {
    sketch_.kernel(sketch_.instance(op_, launch_ns, launch_ns + 1, thread), start_ns, stop_ns, gpu);
    return *this;
  }
  Launches& step(int64_t start_ns, int64_t stop_ns) {
    sketch_.user_range("/step", start_ns, stop_ns);
    return *this;
  }
  Launches& key(int64_t start_ns, int64_t stop_ns, profile::Thread thread = {1, 1}) {
    sketch_.instance(key_, start_ns, stop_ns, thread);
    return *this;
  }
  Iterations split(const Cut& cut) { return aggregate::split(*sketch_.finish(), cut); }
  std::shared_ptr<const profile::Profile> profile() { return sketch_.finish(); }

 private:
  testing::Sketch sketch_;
  Row op_, key_;
};

// Three steps of 10 ns on the host, whose kernels take 30 ns each.
Launches host_ahead() {
  Launches run;
  for (int64_t i = 0; i < 3; ++i) {
    run.step(10 * i, 10 * i + 8).kernel(10 * i + 2, 10 + 30 * i, 40 + 30 * i);
  }
  return run;
}

TEST(GpuSplit, FollowsTheKernelsOfEachRange) {
  const Iterations iterations = host_ahead().split(by_gpu("step"));
  EXPECT_EQ(iterations.split_by, SplitBy::gpu);
  EXPECT_THAT(times(iterations), ElementsAre(Interval{0, 40}, Interval{41, 70}, Interval{71, 100}));
  EXPECT_EQ(iterations.rows[1].host, (Interval{10, 19}));
  EXPECT_EQ(std::pair(iterations.rows[1].first_instance, iterations.rows[1].last_instance),
            std::pair(InstanceIndex{1}, InstanceIndex{2}));
  EXPECT_EQ(iterations.ranges[1].on_gpu, (Interval{40, 70}));
}

TEST(GpuSplit, HasTheIterationsOfTheHost) {
  const auto profile = host_ahead().profile();
  const Iterations by_host = split(*profile, {.key_op = "step"});
  const Iterations on_gpu = split(*profile, by_gpu("step"));
  EXPECT_EQ(by_host.split_by, SplitBy::host);
  ASSERT_EQ(by_host.rows.size(), on_gpu.rows.size());
  for (std::size_t i = 0; i < by_host.rows.size(); ++i) {
    EXPECT_EQ(by_host.rows[i].host, std::nullopt);
    EXPECT_EQ(by_host.rows[i].host_time(), on_gpu.rows[i].host_time());
    EXPECT_EQ(by_host.rows[i].first_instance, on_gpu.rows[i].first_instance);
    EXPECT_EQ(by_host.rows[i].last_instance, on_gpu.rows[i].last_instance);
  }
}

TEST(GpuSplit, IsTheSameAtEndsWhereTheHostRunsAhead) {
  EXPECT_EQ(times(host_ahead().split(by_gpu("step", CutKind::end))),
            times(host_ahead().split(by_gpu("step"))));
}

// Each step loads data, then launches a kernel that ends in the next step.
TEST(GpuSplit, CountsTheWaitForDataInItsIteration) {
  Launches run;
  std::vector<Interval> kernels;
  for (int64_t i = 0; i < 3; ++i) {
    kernels.push_back({10 * i + 4, 10 * i + 12});
    run.step(10 * i, 10 * i + 9)
        .kernel(10 * i + 2, kernels.back().start_ns, kernels.back().stop_ns);
  }
  const std::vector<Interval> iterations = times(run.split(by_gpu("step")));
  EXPECT_THAT(iterations, ElementsAre(Interval{0, 12}, Interval{13, 22}, Interval{23, 32}));
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(kernels[i].start_ns - iterations[i].start_ns, i == 0 ? 4 : 1);
    EXPECT_EQ(kernels[i].stop_ns, iterations[i].stop_ns);
  }
}

TEST(GpuSplit, HasTheTimesOfTheHostWhereItWaits) {
  for (const CutKind kind : {CutKind::start, CutKind::end}) {
    Launches run;
    for (int64_t i = 0; i < 3; ++i) {
      run.step(10 * i, 10 * i + 8).kernel(10 * i + 2, 10 * i + 3, 10 * i + 7);
    }
    const auto profile = run.profile();
    EXPECT_EQ(times(split(*profile, by_gpu("step", kind))),
              times(split(*profile, {.kind = kind, .key_op = "step"})));
  }
}

// Its kernel waits for what was launched before: outside all iterations, or before the capture.
TEST(GpuSplit, BeginsAfterTheKernelsOfBefore) {
  Launches recorded;
  recorded.kernel(0, 1, 30).step(10, 18).kernel(12, 30, 60).kernel(13, 65, 70);
  EXPECT_THAT(times(recorded.split(by_gpu("step"))), ElementsAre(Interval{30, 70}));
  Launches queued;
  queued.step(0, 8).kernel(1, 2'000'000, 3'000'000);
  EXPECT_THAT(times(queued.split(by_gpu("step"))), ElementsAre(Interval{2'000'000, 3'000'000}));
  Launches launched_at_once;
  launched_at_once.step(0, 8).kernel(1, 900'000, 3'000'000);
  EXPECT_THAT(times(launched_at_once.split(by_gpu("step"))), ElementsAre(Interval{0, 3'000'000}));
  Launches launched_late;
  launched_late.step(-3'000'000, 8).kernel(1, 1'500'000, 2'000'000);
  EXPECT_THAT(times(launched_late.split(by_gpu("step"))),
              ElementsAre(Interval{-3'000'000, 2'000'000}));
}

TEST(GpuSplit, EndsWithTheLastRangeIfThatIsLater) {
  Launches run;
  run.step(0, 80).kernel(2, 4, 60);
  EXPECT_THAT(times(run.split(by_gpu("step"))), ElementsAre(Interval{0, 80}));
}

TEST(GpuSplit, OfAnOpReachesFromEndToEndOfTheRun) {
  Launches run;
  run.kernel(0, 5, 20).key(10, 11).kernel(12, 25, 60).key(20, 21).kernel(22, 60, 90);
  EXPECT_THAT(times(run.split(by_gpu("key"))),
              ElementsAre(Interval{0, 20}, Interval{21, 60}, Interval{61, 90}));
}

// Work behind the last range counts, and so does what runs between two ranges.
TEST(GpuSplit, LosesNoKernelOfARange) {
  Launches run;
  run.step(0, 8).kernel(2, 5, 30).kernel(9, 31, 33).step(10, 18).kernel(12, 40, 90);
  const Iterations iterations = run.split(by_gpu("step"));
  EXPECT_THAT(times(iterations), ElementsAre(Interval{0, 33}, Interval{34, 90}));
  EXPECT_EQ(iterations.ranges[0].on_gpu, (Interval{5, 30}));
}

TEST(GpuSplit, GivesAnIterationWithoutKernelsNoTime) {
  Launches run;
  run.step(0, 8).kernel(2, 5, 30).step(10, 18).step(20, 28).kernel(22, 40, 90).step(30, 38);
  const Iterations iterations = run.split(by_gpu("step"));
  EXPECT_THAT(times(iterations),
              ElementsAre(Interval{0, 30}, Interval{31, 31}, Interval{31, 90}, Interval{91, 91}));
  EXPECT_EQ(iterations.ranges[1].on_gpu, std::nullopt);
  Launches first;
  first.step(0, 8).step(10, 18).kernel(12, 40, 90);
  EXPECT_THAT(times(first.split(by_gpu("step"))), ElementsAre(Interval{0, 9}, Interval{10, 90}));
}

TEST(GpuSplit, FollowsTheStreamWithMostKernelTime) {
  Launches run(2);
  // A kernel of the next step that waits for nothing, and one that is late.
  run.step(0, 8).kernel(2, 10, 40).kernel(3, 38, 55, 1);
  run.step(10, 18).kernel(11, 20, 22, 1).kernel(12, 40, 70);
  const Iterations iterations = run.split(by_gpu("step"));
  EXPECT_THAT(times(iterations), ElementsAre(Interval{0, 40}, Interval{41, 70}));
  EXPECT_EQ(iterations.ranges[0].on_gpu, (Interval{10, 55}));
}

TEST(GpuSplit, TakesAnotherStreamWhereTheMainOneIsIdle) {
  Launches run(2);
  run.step(0, 8).kernel(2, 10, 40).step(10, 18).kernel(12, 45, 50, 1);
  run.step(20, 28).kernel(22, 60, 90);
  const auto profile = run.profile();
  EXPECT_THAT(times(split(*profile, by_gpu("step"))),
              ElementsAre(Interval{0, 40}, Interval{41, 50}, Interval{51, 90}));
}

// Its only kernel ends before the step before it does.
TEST(GpuSplit, TakesNoStreamThatContradictsTheMainOne) {
  Launches run(2);
  run.step(0, 8).kernel(2, 10, 40).step(10, 18).kernel(12, 40, 60);
  run.step(20, 28).kernel(22, 25, 30, 1).step(30, 38).kernel(32, 60, 90);
  EXPECT_THAT(times(run.split(by_gpu("step"))),
              ElementsAre(Interval{0, 40}, Interval{41, 60}, Interval{61, 61}, Interval{61, 90}));
}

// Such a kernel begins when its op instance does, so it seems to be of a later iteration.
TEST(GpuSplit, IgnoresKernelsWithoutALaunch) {
  Launches run;
  run.step(0, 8).kernel(2, 10, 40).step(10, 18).kernel(12, 40, 70).kernel(15, 15, 20);
  EXPECT_THAT(times(run.split(by_gpu("step"))), ElementsAre(Interval{0, 40}, Interval{41, 70}));
}

TEST(GpuSplit, FollowsTheProcessThatCuts) {
  Launches run;
  run.key(10, 11).kernel(12, 30, 50).key(20, 21).kernel(22, 50, 80);
  run.kernel(21, 25, 99, 0, {2, 2});
  EXPECT_THAT(times(run.split(by_gpu("key"))),
              ElementsAre(Interval{0, 9}, Interval{10, 50}, Interval{51, 99}));
}

TEST(GpuSplit, StaysByTheHostWithoutKernels) {
  Launches run;
  run.step(0, 8).step(10, 18).key(1, 30);
  const Iterations iterations = run.split(by_gpu("step"));
  EXPECT_EQ(iterations.split_by, SplitBy::host);
  EXPECT_THAT(times(iterations), ElementsAre(Interval{0, 9}, Interval{10, 18}));
  EXPECT_EQ(iterations.rows[0].host, std::nullopt);
}

TEST(GpuSplit, TakesAStoredListAsItIs) {
  testing::Sketch sketch;
  sketch.kernel(sketch.instance(sketch.op("op"), 0, 1), 50, 90);
  profile::StoredAggregation stored;
  stored.iterations = {{0, 0, 9}, {1, 10, 90}};
  sketch.stored(stored);
  const Iterations iterations = split(*sketch.finish(), by_gpu("", CutKind::stored));
  EXPECT_EQ(iterations.split_by, SplitBy::host);
  EXPECT_THAT(times(iterations), ElementsAre(Interval{0, 9}, Interval{10, 90}));
}

TEST(ShareElsewhere, IsTheKernelTimeOutsideTheOwnIteration) {
  Launches run;
  run.step(0, 8).kernel(2, 5, 15).step(10, 18).kernel(12, 16, 26);
  const auto profile = run.profile();
  // 5 of 10 ns are in the first iteration, 3 of 10 in the second, which ends with its range.
  EXPECT_DOUBLE_EQ(share_elsewhere(*profile, split(*profile, {.key_op = "step"})), 0.6);
  EXPECT_DOUBLE_EQ(share_elsewhere(*profile, split(*profile, by_gpu("step"))), 0);
}

}  // namespace
}  // namespace dlview::aggregate
