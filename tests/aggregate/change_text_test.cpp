#include <gtest/gtest.h>

#include "aggregate/aggregator.h"
#include "aggregate/compare.h"
#include "support/sketch.h"

namespace dlview::aggregate {
namespace {

// Steps of 1000 ns with a kernel of 600; step 2 takes `longer_ns` more.
std::shared_ptr<const profile::Profile> run_with_a_longer_step(int64_t longer_ns,
                                                               std::string_view kernel = {}) {
  testing::Sketch sketch;
  const auto step = sketch.op("step");
  int64_t now = 0;
  for (int i = 0; i < 4; ++i) {
    const auto instance = sketch.instance(step, now, now + 1);
    sketch.kernel(instance, now, now + 600);
    if (i == 2 && !kernel.empty()) {
      sketch.kernel(instance, now + 600, now + 600 + longer_ns, 0, kernel);
    }
    now += 1000 + (i == 2 ? longer_ns : 0);
  }
  sketch.instance(step, now, now + 1);
  return sketch.finish();
}

std::string change_of(const std::shared_ptr<const profile::Profile>& profile, int64_t iteration,
                      int64_t baseline) {
  const auto table = make_cpu_aggregator(profile)->iteration_table({CutKind::start, "step", 0});
  return change_text(*profile, compare_iterations(*profile, *table, iteration, baseline));
}

TEST(ChangeText, NamesWhatMadeAnIterationLonger) {
  EXPECT_EQ(change_of(run_with_a_longer_step(500), 2, 1),
            "Iteration 2 is 500\u202fns longer than iteration 1: GPU idle +500\u202fns.");
  EXPECT_EQ(change_of(run_with_a_longer_step(500, "validate"), 2, 1),
            "Iteration 2 is 500\u202fns longer than iteration 1: kernels +500\u202fns.");
  EXPECT_EQ(change_of(run_with_a_longer_step(500, "ncclKernel_AllReduce"), 1, 2),
            "Iteration 1 is 500\u202fns shorter than iteration 2: exposed communication "
            "−500\u202fns.");
  EXPECT_EQ(change_of(run_with_a_longer_step(0), 2, 1),
            "Iteration 2 takes as long as iteration 1.");
}

TEST(ChangeText, NamesTheOpWithoutGpuActivity) {
  testing::Sketch sketch(0);
  const auto step = sketch.op("step"), read = sketch.op("read");
  for (int64_t i = 0, now = 0; i < 4; ++i) {
    sketch.instance(step, now, now + 1);
    sketch.instance(read, now + 10, now + (i == 2 ? 600 : 100));
    now += i == 2 ? 1500 : 1000;
  }
  EXPECT_EQ(change_of(sketch.finish(), 2, 1),
            "Iteration 2 is 500\u202fns longer than iteration 1: read +500\u202fns.");
}

// An op that differs by more, but the other way, does not explain the difference.
TEST(ChangeText, NamesAnOpThatDiffersAsTheWhole) {
  testing::Sketch sketch(0);
  const auto step = sketch.op("step"), read = sketch.op("read"), write = sketch.op("write");
  for (int64_t i = 0, now = 0; i < 4; ++i) {
    sketch.instance(step, now, now + 1);
    sketch.instance(read, now + 10, now + (i == 2 ? 300 : 100));
    sketch.instance(write, now + 310, now + (i == 2 ? 320 : 900));
    now += i == 2 ? 1500 : 1000;
  }
  EXPECT_EQ(change_of(sketch.finish(), 2, 1),
            "Iteration 2 is 500\u202fns longer than iteration 1: read +200\u202fns.");
}

}  // namespace
}  // namespace dlview::aggregate
