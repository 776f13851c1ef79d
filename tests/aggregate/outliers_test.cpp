#include "aggregate/outliers.h"

#include <array>
#include <map>
#include <memory>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "aggregate/aggregator.h"
#include "aggregate/iterations.h"
#include "aggregate/rules/rule_index.h"
#include "aggregate/steady.h"
#include "profile/recorded.h"
#include "support/sketch.h"

namespace dlview::aggregate {
namespace {

using profile::Row;

// Thirty steps of some 1000 ns with one kernel each, and what `irregular` adds to a step: a stretch
// of host time in an op, which makes the step so much longer.
struct Extra {
  std::string op, type;
  int64_t ns;
};

std::shared_ptr<const profile::Profile> run_of_steps(const std::map<int, Extra>& irregular,
                                                     int skipped_step = -1) {
  testing::Sketch sketch;
  const Row step = sketch.op("step"), conv = sketch.op("conv", "conv2d");
  std::map<std::string, Row> ops;
  int64_t now = 0;
  for (int i = 0; i < 30; ++i) {
    sketch.instance(step, now, now + 1);
    if (i == skipped_step) {
      now += 100;
      continue;
    }
    const int64_t jitter = i % 3;
    sketch.kernel(sketch.instance(conv, now + 10, now + 30), now + 100, now + 900);
    now += 950;
    if (const auto extra = irregular.find(i); extra != irregular.end()) {
      const auto& [name, type, ns] = extra->second;
      if (!ops.contains(name)) ops[name] = sketch.op(name, type);
      sketch.instance(ops[name], now, now + ns);
      now += ns;
    }
    now += 50 + jitter;
  }
  sketch.instance(step, now, now + 1);
  return sketch.finish();
}

Outliers outliers_of(const std::shared_ptr<const profile::Profile>& profile) {
  return find_outliers(*profile,
                       *make_cpu_aggregator(profile)->iteration_table({CutKind::start, "step", 0}));
}

// The class of an iteration; the last one, which only holds the closing mark, is not asked for.
std::map<int64_t, OutlierClass> classes(const Outliers& outliers) {
  std::map<int64_t, OutlierClass> result;
  for (const Outlier& row : outliers.rows) {
    if (row.iteration < 30) result[row.iteration] = row.kind;
  }
  return result;
}

TEST(Outliers, AreClassedByWhatTookTheTime) {
  const auto profile = run_of_steps({{0, {"tune", "conv2d", 4000}},
                                     {1, {"tune", "conv2d", 1500}},
                                     {12, {"loader", "DataLoader", 2000}},
                                     {17, {"trainer/save", "save", 3000}},
                                     {22, {"validate", "eval", 2500}}});
  EXPECT_EQ(classes(outliers_of(profile)),
            (std::map<int64_t, OutlierClass>{{0, OutlierClass::warm_up},
                                             {1, OutlierClass::warm_up},
                                             {12, OutlierClass::data_loader},
                                             {17, OutlierClass::checkpoint_or_io},
                                             {22, OutlierClass::host_busy}}));
}

std::shared_ptr<const profile::Profile> without_cuda_calls(
    const std::shared_ptr<const profile::Profile>& profile) {
  auto changed = std::make_shared<profile::Profile>(*profile);
  changed->not_recorded.push_back({std::string(profile::kNoApiCalls), ""});
  return changed;
}

// A host that isn't seen to wait may do so.
TEST(Outliers, AreNotCalledHostBusyWithoutCudaCalls) {
  const auto profile = without_cuda_calls(run_of_steps({{12, {"loader", "DataLoader", 2000}},
                                                        {17, {"trainer/save", "save", 3000}},
                                                        {22, {"validate", "eval", 2500}}}));
  const std::map<int64_t, OutlierClass> expected{{12, OutlierClass::data_loader},
                                                 {17, OutlierClass::checkpoint_or_io},
                                                 {22, OutlierClass::gpu_idle}};
  EXPECT_EQ(classes(outliers_of(profile)), expected);
  const RuleIndex rules(*profile);
  EXPECT_EQ(
      classes(find_outliers(
          *profile, *make_cpu_aggregator(profile)->iteration_table({CutKind::start, "step", 0}),
          &rules)),
      expected);
}

TEST(Outliers, AtTheBeginningAreTheWarmUpWhereNoRangeIsSteady) {
  std::map<int, Extra> irregular{{0, {"tune", "conv2d", 4000}}, {1, {"tune", "conv2d", 1500}}};
  for (int i = 5; i < 30; i += 4) irregular[i] = {"validate", "eval", 2500};
  const auto profile = run_of_steps(irregular);
  const auto iterations = cut_iterations(*profile, {CutKind::start, "step", 0});
  ASSERT_FALSE(steady_range(iterations));
  const auto found = classes(outliers_of(profile));
  EXPECT_EQ(found.at(0), OutlierClass::warm_up);
  EXPECT_EQ(found.at(1), OutlierClass::warm_up);
  EXPECT_EQ(found.at(5), OutlierClass::host_busy);
}

TEST(Outliers, NameTheOpThatMadeTheDifference) {
  const auto profile = run_of_steps({{12, {"loader", "DataLoader", 2000}}});
  const Outliers outliers = outliers_of(profile);
  ASSERT_FALSE(outliers.rows.empty());
  const Outlier& outlier = outliers.rows.front();
  EXPECT_EQ(outlier.iteration, 12);
  EXPECT_EQ(outlier.category, Category::data_loader);
  EXPECT_EQ(profile->text(profile->ops.name[outlier.op]), "loader");
  EXPECT_EQ(outlier.op_difference_ns, 2000);
  EXPECT_NEAR(static_cast<double>(outlier.difference_ns), 2000, 3);
}

TEST(Outliers, SayOfAStepWithoutItsKernelsThatItDidLittleWork) {
  const auto found = classes(outliers_of(run_of_steps({}, 15)));
  EXPECT_EQ(found, (std::map<int64_t, OutlierClass>{{15, OutlierClass::little_work}}));
}

// Steps that launch the same kernel, the first ten without waiting for it.
TEST(Outliers, ClassifyFastStepsWithAllKernelsAsRanAhead) {
  testing::Sketch sketch;
  const Row step = sketch.op("step"), conv = sketch.op("conv", "conv2d");
  int64_t now = 0;
  for (int i = 0; i < 30; ++i) {
    sketch.instance(step, now, now + 1);
    sketch.kernel(sketch.instance(conv, now + 10, now + 30), now + 1000 * i, now + 1000 * i + 900);
    now += i < 10 ? 50 : 1000;
  }
  sketch.instance(step, now, now + 1);
  const auto found = classes(outliers_of(sketch.finish()));
  EXPECT_EQ(found.at(5), OutlierClass::ran_ahead);
  EXPECT_FALSE(found.contains(20));
}

// The last of these iterations begins a kernel's launch before the recording ends.
TEST(Outliers, JudgeTheLastIterationByItsTimeToo) {
  testing::Sketch sketch;
  const Row step = sketch.op("step"), conv = sketch.op("conv", "conv2d");
  for (int64_t i = 0; i <= 30; ++i) {
    sketch.instance(step, 1000 * i, 1000 * i + 1);
    sketch.kernel(sketch.instance(conv, 1000 * i + 10, 1000 * i + 30), 1000 * i + 40,
                  1000 * i + 60);
  }
  const Outliers outliers = outliers_of(sketch.finish());
  ASSERT_EQ(outliers.rows.size(), 1U);
  EXPECT_EQ(outliers.rows[0].iteration, 30);
  EXPECT_EQ(outliers.rows[0].kind, OutlierClass::little_work);
}

TEST(Outliers, JudgeRunsWithoutKernelsByTheirTime) {
  testing::Sketch sketch;
  const Row step = sketch.op("step");
  int64_t now = 0;
  for (int i = 0; i < 30; ++i) {
    sketch.instance(step, now, now + 1);
    now += i == 15 ? 100 : 1000;
  }
  sketch.instance(step, now, now + 1000);
  EXPECT_EQ(classes(outliers_of(sketch.finish())),
            (std::map<int64_t, OutlierClass>{{15, OutlierClass::little_work}}));
}

TEST(Outliers, CallLittleWorkAtTheVeryBeginningTheStartUp) {
  const auto found = classes(outliers_of(run_of_steps({}, 0)));
  EXPECT_EQ(found, (std::map<int64_t, OutlierClass>{{0, OutlierClass::start_up}}));
}

// Thirty steps of about 1000 ns in a job on two GPUs; `add` adds to step 15.
using AddToStep = void (*)(testing::Sketch& sketch, Row instance, int64_t start_ns);
OutlierClass class_of_step(AddToStep add, int64_t longer_ns, bool with_rules = false) {
  testing::Sketch sketch(2);
  const Row step = sketch.op("step");
  int64_t now = 0;
  for (int i = 0; i < 30; ++i) {
    const Row instance = sketch.instance(step, now, now + 1);
    for (const Row device : {0U, 1U}) {
      for (int64_t k = 0; k < 4; ++k) {
        sketch.kernel(instance, now + 10 + 200 * k, now + 190 + 200 * k, device,
                      fmt::format("kernel {}", k));
      }
    }
    if (i == 15) add(sketch, instance, now + 900);
    now += 1000 + i % 3 + (i == 15 ? longer_ns : 0);
  }
  sketch.instance(step, now, now + 1);
  const auto profile = sketch.finish();
  const RuleIndex rules(*profile);
  const auto found = find_outliers(
      *profile, *make_cpu_aggregator(profile)->iteration_table({CutKind::start, "step", 0}),
      with_rules ? &rules : nullptr);
  for (const Outlier& outlier : found.rows) {
    if (outlier.iteration == 15) return outlier.kind;
  }
  ADD_FAILURE() << "no outlier";
  return OutlierClass::other;
}

TEST(Outliers, OfExposedCommunicationSaySo) {
  const auto add = [](testing::Sketch& sketch, Row instance, int64_t start_ns) {
    for (const Row device : {0U, 1U}) {
      sketch.kernel(instance, start_ns, start_ns + 700, device, "ncclKernel_AllReduce");
    }
  };
  EXPECT_EQ(class_of_step(add, 700), OutlierClass::communication);
}

TEST(Outliers, OfCopiesSaySo) {
  const auto add = [](testing::Sketch& sketch, Row instance, int64_t start_ns) {
    for (const Row device : {0U, 1U}) sketch.copy(instance, start_ns, start_ns + 700, device);
  };
  EXPECT_EQ(class_of_step(add, 700), OutlierClass::memory_operations);
}

TEST(Outliers, OfMoreOrSlowerKernelsSaySo) {
  const auto more = [](testing::Sketch& sketch, Row instance, int64_t start_ns) {
    for (const Row device : {0U, 1U}) {
      sketch.kernel(instance, start_ns, start_ns + 700, device, "validate");
    }
  };
  EXPECT_EQ(class_of_step(more, 700), OutlierClass::more_kernels);
}

TEST(Outliers, OfIdleGpusSaySoWhereNothingTellsWhy) {
  const auto nothing = [](testing::Sketch&, Row, int64_t) {};
  EXPECT_EQ(class_of_step(nothing, 700), OutlierClass::gpu_idle);
  EXPECT_EQ(class_of_step(nothing, 700, true), OutlierClass::gpu_idle);
}

// Kernels of step 15 take `percent[k]` of their usual time.
OutlierClass class_of_slow_kernels(const std::array<int64_t, 4>& percent) {
  testing::Sketch sketch;
  const Row step = sketch.op("step");
  int64_t now = 0;
  for (int i = 0; i < 30; ++i) {
    const Row instance = sketch.instance(step, now, now + 1);
    int64_t start_ns = now + 10;
    for (std::size_t k = 0; k < 4; ++k) {
      const int64_t ns = i == 15 ? 200 * percent[k] / 100 : 200;
      sketch.kernel(instance, start_ns, start_ns + ns, 0, fmt::format("kernel {}", k));
      start_ns += ns;
    }
    now = start_ns + 100 + i % 3;
  }
  sketch.instance(step, now, now + 1);
  const Outliers outliers = outliers_of(sketch.finish());
  EXPECT_EQ(outliers.rows.size(), 2U);
  return outliers.rows.empty() ? OutlierClass::other : outliers.rows.front().kind;
}

TEST(Outliers, OfLowerClocksHaveAllKernelsSlowerAlike) {
  EXPECT_EQ(class_of_slow_kernels({160, 150, 155, 130}), OutlierClass::clocks);
  EXPECT_EQ(class_of_slow_kernels({300, 100, 100, 100}), OutlierClass::slower_kernels);
}

TEST(Outliers, DoNotOccurInASteadyRun) {
  EXPECT_TRUE(classes(outliers_of(run_of_steps({}))).empty());
}

TEST(Outliers, OfASingleIterationAreNone) {
  testing::Sketch sketch;
  sketch.instance(sketch.op("a"), 0, 10);
  EXPECT_TRUE(outliers_of(sketch.finish()).rows.empty());
}

}  // namespace
}  // namespace dlview::aggregate
