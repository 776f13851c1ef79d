// The engines against the slow reference where times and counts of single instances are as large as
// they are kept in few bytes, and one more.

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "aggregate/aggregator.h"
#include "aggregate/difference.h"
#include "aggregate/engines.h"
#include "aggregate/reference/reference.h"
#include "support/seeds.h"
#include "support/sketch.h"

namespace dlview::aggregate {
namespace {

using profile::Row;
using testing::Sketch;

constexpr int64_t kTwoTo32 = int64_t{1} << 32;

class BorderTimes : public ::testing::TestWithParam<EngineUnderTest> {
 protected:
  // All three filters on what a kernel is, and on what an op is, together with these.
  void expect_agreement(Sketch sketch, const std::vector<std::vector<TimeWindow>>& times) {
    const auto profile = sketch.finish();
    const auto reference = make_reference_aggregator(profile);
    const auto engine = GetParam().make(profile, 2);
    const std::vector<std::vector<Filter>> others{{},
                                                  {{.kind = FilterKind::tensor_core, .number = 0}},
                                                  {{.kind = FilterKind::tensor_core, .number = 1}},
                                                  {{.kind = FilterKind::device, .number = 0}},
                                                  {{.kind = FilterKind::op_type, .text = "first"}}};
    for (const std::vector<TimeWindow>& windows : times) {
      for (std::vector<Filter> filters : others) {
        for (const TimeWindow& window : windows) {
          filters.push_back({.kind = FilterKind::time, .window = window});
        }
        std::string text;
        for (const Filter& filter : filters) text += to_text(filter) + " ";
        const Selection selection{{}, {0, 0}, filters};
        ASSERT_EQ(first_difference(engine->aggregate(selection), reference->aggregate(selection)),
                  "")
            << text;
      }
    }
  }
};

TEST_P(BorderTimes, AgreeOnTimesOfTheHost) {
  Sketch sketch;
  const Row ops[] = {sketch.op("net/a", "first"), sketch.op("net/b", "second")};
  int64_t start_ns = 0;
  for (int64_t cpu_ns = kTwoTo32 - 3; cpu_ns <= kTwoTo32 + 1; ++cpu_ns) {
    for (const Row op : ops) {
      const Row i = sketch.instance(op, start_ns, start_ns + cpu_ns);
      sketch.kernel(i, start_ns + 5, start_ns + 15, 0, "tc", true);
      sketch.kernel(i, start_ns + 12, start_ns + 30);
      start_ns += 100;
    }
  }
  expect_agreement(std::move(sketch), {{},
                                       {{0, 2 * kTwoTo32}},
                                       {{10, 212}},
                                       {{10, 110}, {111, 212}},
                                       {{0, 5}, {6, 6}, {7, 1'000}},
                                       {{314, 514}, {517, 613}}});
}

// A gap and a long kernel; where that one is left out, all between the others is idle.
TEST_P(BorderTimes, AgreeOnTimesOfGpus) {
  Sketch sketch;
  const Row ops[] = {sketch.op("net/a", "first"), sketch.op("net/b", "second")};
  int64_t start_ns = 0;
  for (int64_t gpu_and_idle_ns = kTwoTo32 - 3; gpu_and_idle_ns <= kTwoTo32 + 4; ++gpu_and_idle_ns) {
    for (const int64_t idle_ns : {int64_t{0}, int64_t{10}, kTwoTo32 - 2'000}) {
      const Row i = sketch.instance(ops[idle_ns % 2], start_ns, start_ns + 50);
      const int64_t stop_ns = start_ns + gpu_and_idle_ns;
      sketch.kernel(i, start_ns, start_ns + 1);
      sketch.kernel(i, start_ns + 1 + idle_ns, stop_ns - 1, 0, "tc", true);
      sketch.kernel(i, stop_ns - 1, stop_ns);
      start_ns += 100;
    }
  }
  expect_agreement(std::move(sketch), {{},
                                       {{0, 3 * kTwoTo32}},
                                       {{0, kTwoTo32}},
                                       {{450, 620}},
                                       {{450, 620}, {621, kTwoTo32 - 1}},
                                       {{400, 500}, {501, 501}, {502, 2 * kTwoTo32}},
                                       {{kTwoTo32 - 100, kTwoTo32 + 100}}});
}

TEST_P(BorderTimes, AgreeOnInstancesOfManyKernels) {
  Sketch sketch;
  const Row ops[] = {sketch.op("net/a", "first"), sketch.op("net/b", "second")};
  int64_t start_ns = 0;
  for (const int64_t kernels : {32'766, 32'767, 32'768}) {
    const Row i = sketch.instance(ops[kernels % 2], start_ns, start_ns + 50);
    for (int64_t k = 0; k < kernels; ++k) {
      sketch.kernel(i, start_ns + 3 * k, start_ns + 3 * k + 2, 0, "tc", kernels % 2 == 0);
    }
    start_ns += 100'000;
  }
  std::vector<std::vector<TimeWindow>> times{
      {{50'000, 250'001}}, {}, {{0, 40'000}, {40'001, 100'000}}, {{0, 1'000'000}}};
  times.resize(testing::seeds(times.size()));  // each takes long on so many kernels
  expect_agreement(std::move(sketch), times);
}

INSTANTIATE_TEST_SUITE_P(All, BorderTimes, ::testing::ValuesIn(engines_under_test()),
                         [](const auto& engine) { return engine.param.name; });

}  // namespace
}  // namespace dlview::aggregate
