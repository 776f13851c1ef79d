#include "aggregate/findings.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "aggregate/finding_pages.h"
#include "aggregate/findings_support.h"
#include "aggregate/kernels_by_name.h"
#include "aggregate/recorded.h"
#include "profile/recorded.h"
#include "support/sketch.h"

namespace dlview::aggregate {
namespace {

// Two GPUs, of which each runs an eligible convolution for 100 of 1000 ns in both iterations; the
// first also runs a linear layer with Tensor Cores.
OpenRun two_iterations() {
  testing::Sketch sketch(2);
  const auto step = sketch.op("step");
  const auto conv = sketch.op("net/conv", "conv2d", true);
  const auto linear = sketch.op("net/linear", "linear", true);
  sketch.instance(step, 1000, 1010);
  for (const int64_t start : {100, 1100}) {
    const auto instance = sketch.instance(conv, start, start + 50);
    sketch.kernel(instance, start, start + 100, 0, "sgemm");
    sketch.kernel(instance, start, start + 100, 1, "sgemm");
    sketch.kernel(sketch.instance(linear, start + 100, start + 150), start + 200, start + 230, 0,
                  "xmma", true);
  }
  sketch.instance(step, 1999, 2000);
  return OpenRun(sketch.finish(), {{CutKind::start, "step", 0}, {0, 1}});
}

TEST(Findings, FindEligibleOpsWithoutTensorCores) {
  const OpenRun run = two_iterations();
  const auto findings = run.findings();
  const Finding* finding = find(findings, "eligible_without_tensor_cores");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->advice.problem, "1 eligible op runs without Tensor Cores");
  EXPECT_EQ(finding->advice.action, "ShowBadDataTypeOps");
  EXPECT_EQ(finding->stake_ns, 100);  // 400 over two GPUs and two iterations
  EXPECT_EQ(finding->stake_basis, "kernel time of 1 op");
}

TEST(Findings, SayThatAnOpIsNotInHalfPrecision) {
  testing::Sketch sketch;
  sketch.kernel(sketch.instance(sketch.op("fp32", "conv2d", true, "float32"), 0, 10), 0, 40);
  const OpenRun run(sketch.finish());
  const auto findings = run.findings();
  const Finding* finding = find(findings, "amp_detector");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->advice.problem,
            "1 eligible op runs without Tensor Cores, not in half precision");
}

TEST(Findings, CountOpsOfAmpSavingsInText) {
  testing::Sketch sketch;
  sketch.kernel(sketch.instance(sketch.op("fp32", "conv2d", true, "float32"), 0, 10), 0, 40);
  sketch.kernel(sketch.instance(sketch.op("untold", "conv2d", true), 10, 20), 40, 90);
  sketch.instance(sketch.op("idle", "conv2d", true, "float32"), 20, 30);
  const OpenRun run(sketch.finish());
  EXPECT_EQ(run.aggregation.advice.front().problem,
            "2 ops were eligible to use tensor cores but none are using FP16");
  const auto findings = run.findings();
  const Finding* finding = find(findings, "amp_detector");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->advice.problem,
            "2 eligible ops run without Tensor Cores, none known to use half precision");
  EXPECT_EQ(finding->stake_basis, "kernel time of 2 ops");
  EXPECT_EQ(finding->stake_ns, 90);
}

TEST(Findings, RankByPotentialSavings) {
  OpenRun run = two_iterations();
  run.aggregation.advice = {{"configuration_detector", "p", "r", "", ""},
                            {"no_fusion_detector", "p", "r", "", ""}};
  const auto findings = run.findings();
  ASSERT_EQ(findings.size(), 4u);
  // Of 999 + 998 ns each GPU is busy for 200, the first for another 60.
  EXPECT_EQ(findings[0].advice.detector, "gpu_idle");
  EXPECT_EQ(findings[0].stake_ns, (2 * 1997 - 2 * 200 - 60) / 2 / 2);
  EXPECT_EQ(findings[1].advice.detector, "eligible_without_tensor_cores");
  EXPECT_EQ(findings[1].stake_ns, 100);
  EXPECT_EQ(findings[2].advice.detector, "no_fusion_detector");
  EXPECT_EQ(findings[3].stake_ns, std::nullopt);
  EXPECT_EQ(findings[3].stake_basis, "");
}

TEST(Findings, OfOneFactAreOne) {
  OpenRun run = two_iterations();
  run.aggregation.advice = {
      {"batch_size_detector", "p", "r", "", ""},
      {"underutilized_gpu_detector", "The GPU is underutilized", "r", "", ""}};
  const auto findings = run.findings();
  ASSERT_EQ(findings.size(), 2u);
  EXPECT_EQ(findings[0].advice.detector, "gpu_idle");
  EXPECT_NE(find(findings[0].parts, "batch_size_detector"), nullptr);
  EXPECT_NE(find(findings[0].parts, "underutilized_gpu_detector"), nullptr);
  EXPECT_NE(find(findings[0].parts, "gpu_gaps"), nullptr);
  for (const Finding& part : findings[0].parts) {
    EXPECT_LE(part.stake_ns.value_or(0), *findings[0].stake_ns + 1) << part.advice.detector;
  }
}

TEST(Findings, HaveNoSavingsForUnusedGpus) {
  testing::Sketch sketch(2);
  sketch.kernel(sketch.instance(sketch.op("relu"), 0, 100), 20, 60);
  OpenRun run(sketch.finish());
  const auto findings = run.findings();
  const Finding* finding = find(findings, "underutilized_gpu_detector");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->advice.problem, "The following GPU device IDs are not being used: 1");
  EXPECT_FALSE(finding->stake_ns);
}

TEST(Findings, SuggestAMarkerWithoutOne) {
  testing::Sketch sketch;
  sketch.instance(sketch.op("relu"), 0, 100);
  const OpenRun run(sketch.finish());
  const auto findings = run.findings();
  const Finding* finding = find(findings, "no_iterations_detector");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->advice.problem,
            "The run is not split into iterations: no iteration marker is set");
  EXPECT_NE(finding->advice.recommendation.find("iteration marker"), std::string::npos);
  EXPECT_EQ(run.aggregation.advice.back().recommendation,
            "Specify key op by setting the --key_op argument");
}

// A PyTorch trace with steps of torch.profiler, one after the other.
std::string marker_advice_for(int steps, profile::Recorder recorder) {
  testing::Sketch sketch;
  sketch.instance(sketch.op("relu"), 0, 100);
  for (int64_t i = 0; i < steps; ++i) sketch.user_range("/ProfilerStep", 100 * i, 100 * i + 90, i);
  auto profile = std::make_shared<profile::Profile>(*sketch.finish());
  profile->trace.emplace().capture.recorder = recorder;
  const OpenRun run(std::move(profile));
  const auto findings = run.findings();
  const Finding* finding = find(findings, "no_iterations_detector");
  return finding == nullptr ? "" : finding->advice.recommendation;
}

TEST(Findings, SuggestSeveralStepsForOneStep) {
  const auto advice_of = [](int steps) {
    return marker_advice_for(steps, profile::Recorder::pytorch_profiler);
  };
  EXPECT_TRUE(advice_of(0).starts_with("Name each step (prof.step()")) << advice_of(0);
  EXPECT_EQ(advice_of(1),
            "Record several steps in one trace: torch.profiler.schedule(wait=1, warmup=1, "
            "active=5)");
  EXPECT_TRUE(advice_of(2).starts_with("Name each step")) << advice_of(2);
  EXPECT_TRUE(marker_advice_for(1, profile::Recorder::nsight_systems).starts_with("Name each"));
}

TEST(Findings, CountEligibleOpsOnly) {
  const OpenRun run = two_iterations();
  const auto ops = ops_without_tensor_cores(*run.profile, run.aggregation, nullptr);
  ASSERT_EQ(ops.size(), 1u);
  EXPECT_EQ(run.profile->text(run.profile->ops.name[ops[0]->op]), "net/conv");
}

// An eligible op with known kernels, one with an unknown one among them, and one with no other.
std::shared_ptr<profile::Profile> ops_of_unknown_use() {
  testing::Sketch sketch;
  const auto known = sketch.op("known", "conv2d", true), mixed = sketch.op("mixed", "conv2d", true);
  sketch.kernel(sketch.instance(known, 0, 10), 0, 80, 0, "volta_sgemm_128x64_nn");
  const auto both = sketch.instance(mixed, 10, 20);
  sketch.kernel(both, 80, 85, 0, "volta_sgemm_128x64_nn");
  sketch.kernel(both, 85, 95, 0, "my_own_kernel");
  const auto own = sketch.instance(sketch.op("own", "conv2d", true), 20, 30);
  sketch.kernel(own, 95, 105, 0, "my_own_kernel");
  return std::make_shared<profile::Profile>(*sketch.finish());
}

TEST(Findings, LeaveOutEligibleOpsOfUnknownUse) {
  auto facts = ops_of_unknown_use();
  const auto finding_of = [&] {
    const auto findings = OpenRun(facts).findings();
    const Finding* finding = find(findings, "eligible_without_tensor_cores");
    return finding == nullptr ? Finding{} : *finding;
  };
  EXPECT_EQ(finding_of().advice.problem, "3 eligible ops run without Tensor Cores");
  facts->source.by_tensor_core_rules = true;
  const Finding finding = finding_of();
  EXPECT_EQ(finding.advice.problem, "1 eligible op runs without Tensor Cores");
  EXPECT_EQ(finding.stake_ns, 80);
  EXPECT_TRUE(finding.advice.recommendation.starts_with("known takes 80"));
  EXPECT_TRUE(finding.advice.recommendation.ends_with(
      ". 2 more eligible ops are not counted: use of Tensor Cores unknown"))
      << finding.advice.recommendation;
  const OpenRun run(facts);
  const auto early = find_findings(*run.profile, run.aggregation).findings;
  EXPECT_EQ(find(early, "eligible_without_tensor_cores"), nullptr) << "before the use is known";
}

TEST(KnownEfficiency, LeavesOutKernelsOfUnknownUse) {
  auto facts = ops_of_unknown_use();
  const auto known = [&] {
    const OpenRun run(facts);
    return known_efficiency(*facts, run.aggregation, unknown_eligible_ns(*facts, run.aggregation));
  };
  EXPECT_EQ(known().eligible_ns, 105);
  EXPECT_TRUE(known().is_whole());
  facts->source.by_tensor_core_rules = true;
  EXPECT_EQ(known().eligible_ns, 85);
  EXPECT_EQ(known().unknown_use_ns, 20);
  EXPECT_DOUBLE_EQ(known().known_percent(), 100.0 * 85 / 105);
  EXPECT_FALSE(known().is_whole());
}

TEST(KernelsByName, SumAllOpsLargestFirst) {
  testing::Sketch sketch;
  for (const char* name : {"a", "b"}) {
    const auto instance = sketch.instance(sketch.op(name), name[0] * 100, name[0] * 100 + 50);
    sketch.kernel(instance, 0, 30, 0, "shared");
    sketch.kernel(instance, 30, 80, 0, name, name[0] == 'a');
  }
  const OpenRun run(sketch.finish());
  const auto rows = kernels_by_name(run.aggregation);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(run.profile->text(rows[0].name), "shared");
  EXPECT_EQ(rows[0].gpu.count, 2);
  EXPECT_EQ(rows[0].gpu.sum, 60);
  EXPECT_FALSE(rows[0].uses_tensor_cores);
  EXPECT_TRUE(rows[1].uses_tensor_cores);
  EXPECT_EQ(rows[2].gpu.count, 1);
}

TEST(Findings, IgnoreEligibleOpsThatOnlyCopy) {
  testing::Sketch sketch;
  const auto copies = sketch.op("net/to", "linear", true),
             conv = sketch.op("net/conv", "conv2d", true);
  sketch.copy(sketch.instance(copies, 0, 10), 100, 900);
  sketch.kernel(sketch.instance(conv, 20, 30), 100, 180, 0, "sgemm");
  const auto findings = OpenRun(sketch.finish()).findings();
  const Finding* finding = find(findings, "eligible_without_tensor_cores");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->advice.problem, "1 eligible op runs without Tensor Cores");
  EXPECT_TRUE(finding->advice.recommendation.starts_with(
      "net/conv takes 80\u202fns of kernel time in the range."))
      << finding->advice.recommendation;
}

TEST(Findings, AdviseHalfPrecisionOnlyWhereItIsMissing) {
  const auto advice_for = [](std::string_view longest_data_type) {
    testing::Sketch sketch;
    const auto longest = sketch.op("net/conv", "conv2d", true, longest_data_type);
    const auto other = sketch.op("net/linear", "linear", true, "float16");
    sketch.kernel(sketch.instance(longest, 0, 10), 100, 180, 0, "triton_conv");
    sketch.kernel(sketch.instance(other, 10, 20), 200, 220, 0, "triton_linear");
    const auto findings = OpenRun(sketch.finish()).findings();
    const Finding* finding = find(findings, "eligible_without_tensor_cores");
    return finding == nullptr ? "" : finding->advice.recommendation;
  };
  const std::string longest = " takes the longest: 80\u202fns of kernel time in the range. ";
  EXPECT_EQ(advice_for("float32"), "net/conv (float32)" + longest +
                                       "Run in half precision, with channels and batch sizes that "
                                       "are multiples of 8");
  for (const std::string half : {"float16", "bfloat16"}) {
    EXPECT_EQ(advice_for(half), "net/conv (" + half + ")" + longest +
                                    "It already runs in half precision: use channels and batch "
                                    "sizes that are multiples of 8");
  }
}

TEST(Findings, FindExposedMemoryAboveTheThreshold) {
  const auto found = [](int64_t copy_ns) {
    testing::Sketch sketch;
    const auto run = sketch.instance(sketch.op("offload"), 0, 1000);
    sketch.kernel(run, 0, 100);
    sketch.copy(run, 50, 90 + copy_ns);  // beside the kernel at first
    sketch.copy(run, 90 + copy_ns, 100 + copy_ns);
    return OpenRun(sketch.finish()).findings();
  };
  const auto findings = found(250);
  const Finding* finding = find(findings, "memory_operations_detector");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->advice.problem,
            "Exposed device-to-device copies and memsets: 250\u202fns (25.0%)");
  EXPECT_TRUE(finding->advice.recommendation.starts_with(
      "Mostly in op offload, thread 1. 2 memory operations, "))
      << finding->advice.recommendation;
  EXPECT_EQ(finding->stake_ns, 250);
  EXPECT_EQ(find(found(19), "memory_operations_detector"), nullptr);
}

// The advice itself, and so DLProf's reports, keep DLProf's words.
TEST(Findings, NameExposedMemoryBeforeTheHost) {
  const auto run_with = [](int64_t copy_ns) {
    testing::Sketch sketch;
    const auto run = sketch.instance(sketch.op("offload"), 0, 1000);
    sketch.kernel(run, 0, 100);
    sketch.copy(run, 100, 100 + copy_ns);
    return OpenRun(sketch.finish());
  };
  const auto recommendation = [](const OpenRun& run) {
    const auto findings = run.findings();
    const Finding* finding = find(findings, "underutilized_gpu_detector");
    return finding == nullptr ? "" : finding->advice.recommendation;
  };
  const auto dlprofs = [](const OpenRun& run) {
    const auto found =
        std::ranges::find(run.aggregation.advice, "underutilized_gpu_detector", &Advice::detector);
    return found == run.aggregation.advice.end() ? "none" : found->recommendation;
  };
  const OpenRun little = run_with(400), much = run_with(600);
  EXPECT_EQ(recommendation(little), dlprofs(little));
  EXPECT_EQ(recommendation(much),
            "Exposed memory operations take 60.0% of the range, more than any host "
            "activity: reduce them first. " +
                dlprofs(much));
  EXPECT_TRUE(dlprofs(much).starts_with("CPU has the highest (non-GPU) usage at 30.0%"));
}

TEST(Findings, FindCudaCoreGemmsByName) {
  testing::Sketch sketch;
  const auto run = sketch.instance(sketch.op("Forward", "Forward"), 0, 1000);
  sketch.kernel(run, 0, 300, 0, "volta_sgemm_128x64_nn");
  sketch.kernel(run, 300, 900, 0, "vectorized_elementwise_kernel");
  auto profile = std::make_shared<profile::Profile>(*sketch.finish());
  const auto found = [&] { return OpenRun(profile).findings(); };
  EXPECT_EQ(find(found(), "cuda_core_products_detector"), nullptr) << "a DLProf database tells";
  profile->source.by_tensor_core_rules = true;
  profile->trace.emplace();
  profile->ops.tensor_core_support =
      std::vector<profile::TensorCoreSupport>{profile::TensorCoreSupport::unknown};
  const auto findings = found();
  const Finding* finding = find(findings, "cuda_core_products_detector");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->advice.problem, "GEMMs and convolutions on CUDA cores: 300\u202fns (30.0%)");
  EXPECT_EQ(finding->stake_ns, 300);
  profile->devices[0].compute_capability_major = 6;
  EXPECT_EQ(find(found(), "cuda_core_products_detector"), nullptr) << "no Tensor Cores to be had";
}

TEST(Findings, FindGraphsTracedAsAWhole) {
  testing::Sketch sketch;
  const auto launch = sketch.instance(sketch.op("launch"), 0, 10);
  sketch.kernel(launch, 0, 300, 0, "CUDA graph 12");
  sketch.kernel(launch, 300, 400, 0, "CUDA graph of mine");
  auto profile = std::make_shared<profile::Profile>(*sketch.finish());
  EXPECT_EQ(find(OpenRun(profile).findings(), "whole_graphs_detector"), nullptr)
      << "a DLProf database knows none";
  profile->trace.emplace();
  const auto findings = OpenRun(profile).findings();
  const Finding* finding = find(findings, "whole_graphs_detector");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->advice.problem,
            "75.0% of the kernel time is in CUDA graphs that were traced as a whole");
  EXPECT_TRUE(finding->advice.recommendation.starts_with("1 launch is counted"));
}

TEST(Findings, NameOnlyTheDecisiveThresholds) {
  OpenRun run = two_iterations();
  run.aggregation.advice = {{"underutilized_gpu_detector",
                             "The following GPU device IDs are not being used: 1", "r", "", ""},
                            {"dataloader_detector", "No DALI ops detected", "r", "", ""}};
  const auto findings = run.findings();
  for (const char* detector : {"underutilized_gpu_detector", "dataloader_detector"}) {
    ASSERT_NE(find(findings, detector), nullptr) << detector;
    EXPECT_TRUE(find(findings, detector)->thresholds.empty()) << detector;
    const std::vector<Check> checks = run.checks();
    EXPECT_TRUE(std::ranges::find(checks, detector, &Check::detector)->is_found) << detector;
  }
  using Ids = std::vector<std::string_view>;
  EXPECT_EQ(find(findings, "gpu_idle")->thresholds, (Ids{"saving"}));
  EXPECT_EQ(find(findings, "gpu_gaps")->thresholds, (Ids{"gap", "saving"}));
}

// `launched` kernels of 10 ns in a range of 1000 ns.
std::vector<Finding> findings_of_a_gpu_that_works_for(int64_t launched) {
  testing::Sketch sketch(2);
  const auto run = sketch.instance(sketch.op("build"), 0, 1000);
  for (int64_t i = 0; i < launched; ++i) sketch.kernel(run, 100 + 20 * i, 110 + 20 * i);
  auto profile = std::make_shared<profile::Profile>(*sketch.finish());
  profile->system.mode = "tensorflow";
  profile->devices[0].memory_total_bytes = 1000;
  profile->devices[0].memory_used_bytes = 10;
  return OpenRun(profile).findings();
}

TEST(Findings, SayFirstThatNoKernelRan) {
  const auto findings = findings_of_a_gpu_that_works_for(0);
  ASSERT_FALSE(findings.empty());
  EXPECT_EQ(findings[0].advice.problem, "No kernel ran in 1.00\u202fµs");
  for (const char* detector : {"no_fusion_detector", "batch_size_detector", "gpu_time_util",
                               "underutilized_gpu_detector"}) {
    EXPECT_EQ(find(findings, detector), nullptr) << detector;
  }
}

TEST(Findings, ListGpuHardlyUsedFirst) {
  const auto findings = findings_of_a_gpu_that_works_for(4);
  ASSERT_FALSE(findings.empty());
  EXPECT_EQ(findings[0].advice.problem,
            "The GPU is hardly used: 40\u202fns of GPU activity in 1.00\u202fµs (4.0%)");
  EXPECT_EQ(find(findings, "batch_size_detector"), nullptr);
  const auto busier = findings_of_a_gpu_that_works_for(5);
  EXPECT_EQ(find(busier, "gpu_hardly_used"), nullptr);
  EXPECT_NE(find(busier, "gpu_idle"), nullptr);
  EXPECT_NE(find(busier, "batch_size_detector"), nullptr);
}

TEST(Findings, NoteEachCheckOnce) {
  const OpenRun run = two_iterations();
  const RuleIndex rules(*run.profile);
  const auto found = find_findings(*run.profile, run.aggregation, {}, &rules);
  std::set<std::string_view> detectors;
  for (const Check& check : found.checks) {
    EXPECT_TRUE(detectors.insert(check.detector).second) << check.detector;
    EXPECT_EQ(check.is_found, find(found.findings, check.detector) != nullptr) << check.detector;
    EXPECT_FALSE(finding_page(check.detector).title.empty()) << check.detector;
  }
  const auto idle = std::ranges::find(found.checks, "gpu_idle", &Check::detector);
  ASSERT_NE(idle, found.checks.end());
  EXPECT_NEAR(idle->value.value_or(0), 100.0 * (2 * 1997 - 460) / (2 * 1997), 0.1);
  EXPECT_EQ(idle->threshold, "saving");
}

TEST(Findings, NameNoOpBetweenOps) {
  LaunchingRun run;
  constexpr int64_t kUs = 1000;  // the host launches too seldom to be launch-bound
  const auto first = run.instance(run.op("first"), 0, 100 * kUs);
  const auto second = run.instance(run.op("second"), 8980 * kUs, 9000 * kUs);
  const auto third = run.instance(run.op("third"), 9100 * kUs, 9500 * kUs);
  run.kernel(first, 10 * kUs, 20 * kUs, 1000 * kUs);
  run.kernel(second, 8990 * kUs, 9000 * kUs, 9100 * kUs);
  run.kernel(third, 9490 * kUs, 9500 * kUs, 9600 * kUs);
  const auto findings = OpenRun(run.finish()).findings();
  const Finding* finding = find(findings, "gpu_idle");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->op, profile::kNoRow);
  ASSERT_GE(finding->places.size(), 2U);
  EXPECT_EQ(finding->places[0].instance, profile::kNoRow);
  EXPECT_EQ(finding->places[1].instance, third);
}

// The second GPU copies for most of the time and runs no kernel.
TEST(Findings, MeasureIdleTimeOfUsedGpus) {
  testing::Sketch sketch(2);
  const auto step = sketch.instance(sketch.op("step"), 0, 1000);
  sketch.kernel(step, 100, 400, 0);
  sketch.copy(step, 50, 950, 1);
  const auto findings = OpenRun(sketch.finish()).findings();
  const Finding* finding = find(findings, "gpu_idle");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->stake_ns, 700);
  EXPECT_EQ(find(findings, "memory_operations_detector"), nullptr);
}

TEST(Findings, KeepDataLoaderOnIdleGpus) {
  testing::Sketch sketch;
  const auto step = sketch.instance(sketch.op("step"), 0, 1000);
  sketch.instance(sketch.op("DataLoader", "DataLoader"), 20, 970);
  sketch.kernel(step, 5, 15);
  const auto findings = OpenRun(sketch.finish()).findings();
  EXPECT_NE(find(findings, "gpu_hardly_used"), nullptr);
  EXPECT_NE(find(findings, "dataloader_detector"), nullptr);
  EXPECT_EQ(find(findings, "batch_size_detector"), nullptr);
}

TEST(Findings, SayWhatTheHostDidBeforeTheFirstActivity) {
  testing::Sketch sketch;
  const auto step = sketch.instance(sketch.op("step"), 8'990, 10'000);
  sketch.instance(sketch.op("setup"), 500, 8'500);
  sketch.kernel(step, 9'000, 9'010);
  sketch.kernel(step, 9'500, 9'510);
  auto profile = std::make_shared<profile::Profile>(*sketch.finish());
  profile->kernels.api_start_ns = std::vector<int64_t>{8'990, 9'400};
  const auto findings = OpenRun(profile).findings();
  const Finding* finding = find(findings, "gpu_hardly_used");
  ASSERT_NE(finding, nullptr);
  EXPECT_TRUE(finding->advice.recommendation.starts_with(
      "In the 9.00\u202fµs before the first GPU activity, the host spent 88.9% of the time in "
      "setup. "
      "In "
      "the longest idle gap"))
      << finding->advice.recommendation;
  ASSERT_EQ(finding->places.size(), 2U);
  EXPECT_EQ(finding->places[0].start_ns, 0);
  EXPECT_EQ(finding->places[0].duration_ns, 9'000);
}

TEST(Findings, NameNoThresholdWithoutGpuActivity) {
  testing::Sketch sketch;
  sketch.instance(sketch.op("step"), 0, 1000);
  auto profile = std::make_shared<profile::Profile>(*sketch.finish());
  profile->not_recorded.push_back({std::string(profile::kNoGpuWork), "nsys profile --trace=cuda"});
  const auto findings = OpenRun(profile).findings();
  const Finding* finding = find(findings, "gpu_hardly_used");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->advice.problem, "No GPU activity in this profile");
  EXPECT_TRUE(finding->thresholds.empty());
}

// On a GPU that is hardly used, some are left out.
TEST(Findings, AgreeWithTheirChecks) {
  testing::Sketch sketch;
  sketch.kernel(sketch.instance(sketch.op("step"), 0, 1000), 5, 15);
  const OpenRun run(sketch.finish());
  const auto findings = run.findings();
  ASSERT_NE(find(findings, "gpu_hardly_used"), nullptr);
  bool leaves_out = false;
  for (const Check& check : run.checks()) {
    EXPECT_EQ(check.is_found, find_finding(findings, check.detector) != nullptr) << check.detector;
    leaves_out |= check.not_checked == "omitted: the GPU is hardly used";
  }
  EXPECT_TRUE(leaves_out);
}

TEST(Findings, SkipDataLoaderWhenNotRecorded) {
  const auto check_of = [](bool is_recorded) {
    testing::Sketch sketch;
    sketch.kernel(sketch.instance(sketch.op("step"), 0, 1000), 100, 900);
    profile::Profile profile = *sketch.finish();
    if (!is_recorded) profile.not_recorded = {{std::string(profile::kNoDataLoader), ""}};
    const OpenRun run(std::make_shared<const profile::Profile>(std::move(profile)));
    const std::vector<Check> checks = run.checks();
    return *std::ranges::find(checks, "dataloader_detector", &Check::detector);
  };
  EXPECT_EQ(check_of(true).value, 0);
  EXPECT_EQ(check_of(true).not_checked, "");
  EXPECT_EQ(check_of(false).value, std::nullopt);
  EXPECT_EQ(check_of(false).not_checked, "data loading not recorded");
}

}  // namespace
}  // namespace dlview::aggregate
