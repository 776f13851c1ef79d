// Whether a run is split by the host or the GPU where nobody says: on synthetic programs of which
// it is known whether the host runs ahead, and on real ones.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "aggregate/difference.h"
#include "aggregate/engines.h"
#include "aggregate/gpu_split.h"
#include "aggregate/iterations.h"
#include "aggregate/reference/reference.h"
#include "aggregate/rules/rule_index.h"
#include "aggregate/tensorboard.h"
#include "generate/capture.h"
#include "generate/programs/labeled.h"
#include "import/open.h"
#include "support/opened_capture.h"
#include "support/seeds.h"
#include "support/sketch.h"
#include "support/test_data.h"

namespace dlview::aggregate {
namespace {

using generate::programs::Loading;
using generate::programs::StepNames;
using generate::programs::Training;

SharedProfile open(const std::filesystem::path& path) {
  base::Progress progress;
  base::Result<profile::Profile> profile = import::open_profile(path, progress);
  EXPECT_TRUE(profile.ok());
  return std::make_shared<const profile::Profile>(*std::move(profile));
}

SharedProfile run_of(const Training& training) {
  return testing::opened_capture(generate::programs::play(training).capture);
}

SplitBy default_split_of(const profile::Profile& profile) {
  return default_cut(KeyRanking(profile)).split_by;
}

TEST(DefaultSplit, IsByGpuWhereTheHostRunsAhead) {
  for (uint64_t seed = 1; seed <= testing::seeds(3); ++seed) {
    const std::vector<Training> ahead{
        {.seed = seed, .runs_ahead = true},
        {.seed = seed, .names = StepNames::train_step, .runs_ahead = true},
        {.seed = seed, .loading = Loading::dali, .runs_ahead = true},
        {.seed = seed, .micro_batches = 3, .runs_ahead = true, .has_phases = true},
        {.seed = seed, .runs_ahead = true, .processes = 2}};
    for (std::size_t i = 0; i < ahead.size(); ++i) {
      EXPECT_EQ(default_split_of(*run_of(ahead[i])), SplitBy::gpu) << i << ", seed " << seed;
    }
  }
}

TEST(DefaultSplit, IsByHostWhereItWaits) {
  for (uint64_t seed = 1; seed <= testing::seeds(3); ++seed) {
    const std::vector<Training> waiting{{.seed = seed},
                                        {.seed = seed, .loading = Loading::dali},
                                        {.seed = seed, .in_pairs = true},
                                        {.seed = seed, .has_phases = true, .has_ops = true},
                                        {.seed = seed, .processes = 2},
                                        // The GPU waits for data longer than the host runs ahead.
                                        {.seed = seed, .loading_percent = 300, .runs_ahead = true}};
    for (std::size_t i = 0; i < waiting.size(); ++i) {
      EXPECT_EQ(default_split_of(*run_of(waiting[i])), SplitBy::host) << i << ", seed " << seed;
    }
  }
}

// By the host the first steps are short, and one that waits is long.
TEST(DefaultSplit, GivesEachStepTheTimeOfItsKernels) {
  const auto profile = run_of({.runs_ahead = true});
  const Cut cut = default_cut(KeyRanking(*profile));
  ASSERT_EQ(cut.split_by, SplitBy::gpu);
  const auto off_most = [&](SplitBy by) {
    Cut wanted = cut;
    wanted.split_by = by;
    const auto table = make_reference_aggregator(profile)->iteration_table(wanted);
    double most = 0;
    for (std::size_t i = 0; i < table->facts.size(); ++i) {
      const auto launched = static_cast<double>(table->facts[i].kernels.gpu_ns);
      const Breakdown& passed = table->facts[i].device_sum;
      const auto ran = static_cast<double>(passed[Category::tensor_core_kernels] +
                                           passed[Category::other_kernels]);
      most = std::max(most, std::abs(ran - launched) / launched);
    }
    return most;
  };
  EXPECT_LT(off_most(SplitBy::gpu), 0.001);
  EXPECT_GT(off_most(SplitBy::host), 0.5);
}

TEST(DefaultSplit, OfADatabaseIsByHost) {
  testing::Sketch sketch;
  const auto op = sketch.op("op");
  for (int64_t i = 0; i < 3; ++i) {
    sketch.user_range("/step", 10 * i, 10 * i + 8);
    sketch.kernel(sketch.instance(op, 10 * i + 2, 10 * i + 3), 100 + 30 * i, 130 + 30 * i);
  }
  EXPECT_EQ(default_split(*sketch.finish(), {.key_op = "step"}), SplitBy::host);
}

// Three streams, two of which come late: neither split has most kernels where they were launched.
TEST(DefaultSplit, IsByHostWhereTheGpuIsHardlyBetter) {
  generate::Capture capture;
  capture.devices.emplace_back();
  capture.threads.push_back({{1, 1}, "main"});
  for (int64_t i = 0; i < 6; ++i) {
    capture.ranges.push_back({1'000 * i, 1'000 * i + 900, 0, fmt::format("step {}", i)});
    for (int64_t stream = 7; stream <= 9; ++stream) {
      const int64_t launch_ns = 1'000 * i + 100 * (stream - 6);
      capture.calls.push_back({launch_ns, launch_ns + 10, 0, "cudaLaunchKernel_v7000"});
      generate::Capture::Work kernel;
      kernel.call = capture.calls.size() - 1;
      kernel.stream = stream;
      kernel.name = "k";
      kernel.start_ns = stream == 7 ? 7'000 + 100 * i : 20'000 + 10'000 * i;
      kernel.end_ns = kernel.start_ns + (stream == 7 ? 100 : 99);
      capture.works.push_back(kernel);
    }
  }
  const auto profile = testing::opened_capture(capture);
  const Cut cut = default_cut(KeyRanking(*profile));
  ASSERT_EQ(cut.key_op, "step");
  EXPECT_DOUBLE_EQ(share_elsewhere(*profile, cut_iterations(*profile, cut)), 1);
  EXPECT_EQ(cut.split_by, SplitBy::host);
}

struct RealFile {
  std::string name;
  SplitBy split_by;
};

TEST(DefaultSplit, OfRealFiles) {
  DLVIEW_REQUIRE_TEST_DATA();
  // In the first a batch that arrives early lets the host launch a step while another one runs; in
  // the second it never waits; in the third it does once a step.
  for (const auto& [name, split_by] :
       {RealFile{"2023.4_dataloader_bound_59_steps", SplitBy::gpu},
        RealFile{"2025.3_cupy_44_steps", SplitBy::gpu},
        RealFile{"2023.4_ddp_rank0_of_4xa100_59_steps", SplitBy::host},
        RealFile{"2022.4_raw_cuda_8190_kernels", SplitBy::host}}) {
    EXPECT_EQ(default_split_of(*open(*testing::test_data_folder() / "nsys" / (name + ".sqlite"))),
              split_by)
        << name;
  }
}

// By the host it lasts 72 ms, in which 131 of its 486 kernels run.
TEST(DefaultSplit, GivesIterationSixteenItsKernels) {
  DLVIEW_REQUIRE_TEST_DATA();
  const auto profile =
      open(*testing::test_data_folder() / "nsys" / "2023.4_dataloader_bound_59_steps.sqlite");
  const auto begun_in = [&](const Cut& cut) {
    const Iteration row = cut_iterations(*profile, cut).rows[16];
    const auto& starts = profile->kernels.gpu_start_ns;
    return std::ranges::count_if(starts, [&](int64_t start_ns) {
      return start_ns >= row.start_ns && start_ns <= row.stop_ns;
    });
  };
  const Cut cut = default_cut(KeyRanking(*profile));
  Cut by_host = cut;
  by_host.split_by = SplitBy::host;
  const auto facts = make_reference_aggregator(profile)->iteration_table(cut)->facts[16];
  EXPECT_EQ(facts.kernels.count, 486);
  EXPECT_EQ(begun_in(cut), 486);
  EXPECT_EQ(begun_in(by_host), 131);
  EXPECT_NEAR(static_cast<double>(facts.device_sum[Category::tensor_core_kernels] +
                                  facts.device_sum[Category::other_kernels]),
              static_cast<double>(facts.kernels.gpu_ns), 1);
}

// As the TensorBoard plugin has its steps, but for the 1 ns between iterations: each waits for its
// own batch, the first and the last one, too.
TEST(DefaultSplit, GivesEachStepItsWaitForData) {
  DLVIEW_REQUIRE_TEST_DATA();
  const auto profile = open(*testing::test_data_folder() / "pytorch" /
                            "kineto_resnet50_workers0_2021-06.pt.trace.json.gz");
  const Cut cut = default_cut(KeyRanking(*profile));
  ASSERT_EQ(cut.split_by, SplitBy::gpu);
  const auto table = make_reference_aggregator(profile)->iteration_table(cut);
  const std::vector<TensorBoardStep> steps = tensorboard_overview(*profile).steps;
  ASSERT_EQ(table->facts.size(), steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Iteration& row = table->iterations.rows[i];
    EXPECT_EQ(row.start_ns, steps[i].start_ns + (i > 0 ? 1 : 0));
    EXPECT_EQ(row.stop_ns, steps[i].stop_ns);
    EXPECT_GT(table->facts[i].device_sum[Category::data_loader], 31'000'000) << i;
  }
  // The first wait is no gap: no GPU activity comes before it.
  const RuleIndex index(*profile);
  const auto aggregator = make_cpu_aggregator(profile);
  for (int64_t i = 1; i < std::ssize(steps); ++i) {
    const auto gaps = index.idle_gaps().longest(aggregator->aggregate({cut, {i, i}}), 1);
    ASSERT_EQ(gaps.size(), 1U) << i;
    EXPECT_EQ(gaps[0].iteration, i);
    EXPECT_GT(gaps[0].duration_ns(), 31'000'000) << i;
    EXPECT_EQ(gaps[0].host.cause, GapCause::data_loader) << i;
  }
}

class SplitEngines : public ::testing::TestWithParam<EngineUnderTest> {};

// Programs that run ahead or don't, with helper threads, several processes and evaluations.
TEST_P(SplitEngines, AgreeOnSyntheticPrograms) {
  for (uint64_t seed = 1; seed <= testing::seeds(8); ++seed) {
    const auto profile = testing::opened_capture(generate::programs::random_program(seed).capture);
    const auto reference = make_reference_aggregator(profile);
    const auto engine = GetParam().make(profile, 300);
    Cut cut = default_cut(KeyRanking(*profile));
    for (const SplitBy by : {SplitBy::host, SplitBy::gpu}) {
      for (const CutKind kind : {CutKind::start, CutKind::end}) {
        cut.split_by = by;
        cut.kind = kind;
        for (const IterationRange range : {IterationRange{0, 1'000}, IterationRange{2, 5}}) {
          ASSERT_EQ(
              first_difference(engine->aggregate({cut, range}), reference->aggregate({cut, range})),
              "")
              << "seed " << seed << ", split by " << to_text(by);
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, SplitEngines, ::testing::ValuesIn(engines_under_test()),
                         [](const auto& engine) { return engine.param.name; });

}  // namespace
}  // namespace dlview::aggregate
