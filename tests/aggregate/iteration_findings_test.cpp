// Findings on single iterations: those that vary, are slow, communicate, or leave work outside.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "aggregate/findings_support.h"
#include "support/sketch.h"

namespace dlview::aggregate {
namespace {

TEST(IterationFindings, VaryingIterationsCostTimeAboveTheMedian) {
  testing::Sketch sketch;
  const auto step = sketch.op("step");
  for (const int64_t start : {101, 202, 803}) sketch.instance(step, start, start + 1);
  sketch.instance(step, 903, 904);
  OpenRun run(sketch.finish(), {{CutKind::start, "step", 0}, {0, 2}});
  run.aggregation.advice = {{"iteration_variation_detector", "p", "r", "ShowIterations", ""}};
  const auto findings = run.findings();  // durations 100, 100, 600
  const Finding* finding = find(findings, "iteration_variation_detector");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->stake_ns, 500 / 3);
}

// Of 1000 ns each of two GPUs communicates for `ns`; the first computes for 30 of them meanwhile. A
// third GPU does nothing.
OpenRun communicating(int64_t ns) {
  testing::Sketch sketch(3);
  const auto run = sketch.instance(sketch.op("step"), 0, 1000);
  for (const profile::Row device : {0u, 1u}) {
    sketch.kernel(run, 500, 500 + ns, device, "ncclDevKernel_AllReduce_Sum_f32_RING_LL");
  }
  sketch.kernel(run, 480, 530, 0);
  return OpenRun(sketch.finish(), {{}, {0, 0}});
}

TEST(IterationFindings, ReportExposedCommunicationAtTheThreshold) {
  const OpenRun run = communicating(180);
  const auto findings = run.findings();
  const Finding* finding = find(findings, "exposed_communication_detector");
  ASSERT_NE(finding, nullptr);
  // (150 + 180) / 2: the unused GPU does not count
  EXPECT_EQ(finding->advice.problem, "Exposed communication: 165\u202fns (16.5%)");
  EXPECT_EQ(finding->stake_ns, 165);
  EXPECT_EQ(finding->stake_ns, run.aggregation.communication.exposed_ns / 2);
  EXPECT_EQ(find(communicating(34).findings(), "exposed_communication_detector"), nullptr);
  AdviceThresholds strict;
  strict.saving = 1.9;
  EXPECT_NE(find(communicating(34).findings(strict), "exposed_communication_detector"), nullptr);
}

// Twenty steps of 1000 ns; step i computes for 400 ns, then communicates exposed for exposed_ns(i).
template <typename ExposedNs>
OpenRun communicating_steps(const ExposedNs& exposed_ns) {
  testing::Sketch sketch;
  const auto step = sketch.op("step");
  for (int64_t i = 0; i < 20; ++i) {
    const int64_t start = 1000 * i;
    const auto instance = sketch.instance(step, start, start + 1);
    sketch.kernel(instance, start, start + 400);
    const int64_t exposed = exposed_ns(i);
    if (exposed == 0) continue;
    sketch.kernel(instance, start + 400, start + 400 + exposed, 0, "ncclKernel_AllReduce");
  }
  return OpenRun(sketch.finish(), {{CutKind::start, "step", 0}, {0, 19}});
}

TEST(IterationFindings, NameTheMedianWhereOneIterationMovesTheMean) {
  const auto findings = communicating_steps([](int64_t i) { return i == 7 ? 500 : 2; }).findings();
  const Finding* finding = find(findings, "exposed_communication_detector");
  ASSERT_NE(finding, nullptr);
  ASSERT_TRUE(finding->savings);
  EXPECT_EQ(finding->savings->mean_ns, 26);
  EXPECT_EQ(finding->savings->median_ns, 2);
  EXPECT_EQ(finding->savings->iterations, 20);
  EXPECT_EQ(finding->savings->worst.front(), 7);
  EXPECT_EQ(finding->advice.problem,
            "Exposed communication: 26\u202fns per iteration (2.8%); median 2\u202fns, max "
            "500\u202fns (iteration 7)");
}

TEST(IterationFindings, ExposedCommunicationIsNoAdviceOfTheReports) {
  for (const Advice& advice : communicating(500).aggregation.advice) {
    EXPECT_NE(advice.detector, "exposed_communication_detector");
  }
}

// `before` kernels lie before three steps of ten kernels each.
std::vector<Finding> findings_with_work_before(int64_t before) {
  testing::Sketch sketch;
  const auto op = sketch.op("op");
  const auto add = [&](int64_t start) {
    sketch.kernel(sketch.instance(op, start, start + 1), start, start + 1);
  };
  for (int64_t i = 0; i < before; ++i) add(i);
  for (int64_t step = 0; step < 3; ++step) {
    sketch.user_range("/step", 100 + 100 * step, 190 + 100 * step, step);
    for (int64_t i = 0; i < 10; ++i) add(100 + 100 * step + i);
  }
  const auto profile = sketch.finish();
  const auto engine = make_cpu_aggregator(profile);
  return find_findings(*profile, engine->aggregate({{CutKind::start, "step", 0}, {0, 2}})).findings;
}

TEST(IterationFindings, TellOfMuchWorkOutsideAllIterations) {
  const auto much = findings_with_work_before(10);
  const Finding* finding = find(much, "work_outside_iterations");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->advice.problem, "25.0% of the kernels run outside all iterations");
  EXPECT_TRUE(finding->advice.recommendation.starts_with(
      "10 kernels run before the first step, 0 after the last: 25.0% of all kernel time"))
      << finding->advice.recommendation;
  EXPECT_EQ(finding->advice.action, "ShowIterations");
  EXPECT_EQ(find(findings_with_work_before(3), "work_outside_iterations"), nullptr);
}

TEST(IterationFindings, WorkThatRunsLongAfterItsIterationsIsTold) {
  const auto found = [](int64_t kernel_ns) {
    testing::Sketch sketch;
    const auto launch = sketch.op("launch");
    for (int64_t i = 0; i < 4; ++i) {
      sketch.kernel(sketch.instance(launch, 10 * i, 10 * i + 5), 10 * i + kernel_ns * i,
                    10 * i + kernel_ns * (i + 1));
    }
    return OpenRun(sketch.finish(), {{CutKind::start, "launch", 0}, {0, 2}}).findings();
  };
  EXPECT_NE(find(found(1000), "work_runs_later_detector"), nullptr);
  EXPECT_EQ(find(found(5), "work_runs_later_detector"), nullptr);
}

// What is said of steps of which every third takes 500 ns longer; `irregular`: of others, without
// a period.
std::string slow_steps_of_a_loader(bool irregular) {
  LaunchingRun run;
  const auto step = run.op("step"), conv = run.op("conv");
  int64_t now = 0;
  for (int i = 0; i <= 45; ++i) {
    run.instance(step, now, now + 1);
    run.kernel(run.instance(conv, now + 10, now + 30), now + 15, now + 100, now + 900);
    const bool is_slow = i % 3 == 1 && i > 10 && !(irregular && i % 2 == 0);
    const bool is_odd = irregular && i % 7 == 0 && i > 10;
    now += 1000 + (is_slow || is_odd ? 500 : 0);
  }
  const auto findings = OpenRun(run.finish(), {{CutKind::start, "step", 0}, {0, 45}}).findings();
  const Finding* finding = find(findings, "slow_iterations");
  return finding == nullptr ? "" : finding->advice.problem;
}

TEST(IterationFindings, SayThatSlowIterationsComeRegularly) {
  EXPECT_NE(slow_steps_of_a_loader(false).find(" iterations (1 in 3) take "), std::string::npos)
      << slow_steps_of_a_loader(false);
  const std::string irregular = slow_steps_of_a_loader(true);
  EXPECT_NE(irregular, "");
  EXPECT_EQ(irregular.find("1 in"), std::string::npos) << irregular;
}

// Of twenty steps, one waits for a rank: more overlap would not help.
TEST(IterationFindings, SuggestALateRankIfFewIterationsAreExposed) {
  const auto advice = [](int64_t often) {
    const auto findings =
        communicating_steps([often](int64_t i) { return i % often == 0 ? 500 : 0; }).findings();
    return find(findings, "exposed_communication_detector")->advice.recommendation;
  };
  EXPECT_NE(advice(20).find("Only 1 of 20 iterations has any."), std::string::npos) << advice(20);
  EXPECT_NE(advice(3).find("Only 7 of 20 iterations have any."), std::string::npos) << advice(3);
  EXPECT_NE(advice(2).find("Overlap it with the backward pass"), std::string::npos) << advice(2);
}

// Steps of 1000 ns, of which one takes 2009 ns longer: its host does nothing for that long. Its
// optimizer takes 10 ns longer, which the GPU doesn't notice.
OpenRun one_slow_step() {
  LaunchingRun run;
  const auto step = run.op("step"), conv = run.op("conv"), optimizer = run.op("optimizer");
  int64_t now = 0;
  for (int i = 0; i <= 30; ++i) {
    const bool is_slow = i == 15;
    run.instance(step, now, now + 1);
    run.kernel(run.instance(conv, now + 10, now + 30), now + 15, now + 100, now + 900);
    run.instance(optimizer, now + 40, now + 50 + (is_slow ? 10 : 0));
    now += 1000 + (is_slow ? 2009 : 0);
  }
  return OpenRun(run.finish(), {{CutKind::start, "step", 0}, {0, 30}});
}

TEST(IterationFindings, SayExactlyHowMuchLongerIterationsTake) {
  const auto findings = one_slow_step().findings();
  const Finding* finding = find(findings, "slow_iterations");
  ASSERT_NE(finding, nullptr);
  EXPECT_TRUE(finding->advice.problem.starts_with("1 iteration takes 2.01\u202fµs longer"))
      << finding->advice.problem;
}

TEST(IterationFindings, NameTheHostOpOfSlowIterations) {
  const auto findings = one_slow_step().findings();
  const Finding* finding = find(findings, "slow_iterations");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->op, profile::kNoRow) << finding->advice.recommendation;
}

}  // namespace
}  // namespace dlview::aggregate
