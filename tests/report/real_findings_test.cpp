// The rules of nsys on real exports; the figures are those of SQL joins over the files' own tables.

#include <cctype>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "aggregate/aggregator.h"
#include "aggregate/findings.h"
#include "aggregate/iterations.h"
#include "aggregate/key_ops.h"
#include "aggregate/rules/rule_index.h"
#include "base/progress.h"
#include "import/open.h"
#include "support/test_data.h"

namespace dlview::report {
namespace {

// Of calls or gaps.
struct Sum {
  int64_t count, total_ns;
  bool operator==(const Sum&) const = default;
};
// Of a whole capture. Where there are none: nothing at all.
struct Expected {
  const char* file;
  Sum copies_to_gpu, synchronous_copies, scalar_reads, synchronizations;
  Sum gaps;  // of more than 1 ms, of all processes and GPUs
};

void PrintTo(const Sum& sum, std::ostream* out) {
  *out << sum.count << " of " << sum.total_ns << " ns";
}

std::shared_ptr<const profile::Profile> open(const std::string& path) {
  base::Progress progress;
  auto opened = import::open_profile(*testing::test_data_folder() / path, progress);
  EXPECT_TRUE(opened.ok()) << base::to_text(opened.error());
  return std::make_shared<const profile::Profile>(*std::move(opened));
}

Sum calls_of(const aggregate::RuleIndex& rules, aggregate::CallRule rule) {
  Sum sum{0, 0};
  for (const aggregate::RuleCall& call :
       rules.calls(profile::InstanceIndex{0}, profile::InstanceIndex())) {
    if (call.rule != rule) continue;
    sum.count += call.completes_read ? 0 : 1;
    sum.total_ns += call.duration_ns();
  }
  return sum;
}

class RealFindings : public ::testing::TestWithParam<Expected> {};

TEST_P(RealFindings, OfCallsHaveTheFiguresOfTheTables) {
  DLVIEW_REQUIRE_TEST_DATA();
  using aggregate::CallRule;
  const Expected& expected = GetParam();
  const auto profile = open(expected.file);
  const aggregate::RuleIndex rules(*profile);
  EXPECT_EQ(calls_of(rules, CallRule::pageable_copy_to_gpu), expected.copies_to_gpu);
  EXPECT_EQ(calls_of(rules, CallRule::synchronous_copy), expected.synchronous_copies);
  EXPECT_EQ(calls_of(rules, CallRule::scalar_read), expected.scalar_reads);
  EXPECT_EQ(calls_of(rules, CallRule::synchronization), expected.synchronizations);
  EXPECT_TRUE(rules.untold().empty());
}

TEST_P(RealFindings, OfGapsHaveTheFiguresOfTheTables) {
  DLVIEW_REQUIRE_TEST_DATA();
  const auto profile = open(GetParam().file);
  const aggregate::RuleIndex rules(*profile);
  Sum gaps{0, 0};
  for (const aggregate::GpuWorkTimes& gpu : rules.gpus()) {
    const auto add = [&](const aggregate::GpuWorkTimes::Gap& gap) {
      ++gaps.count;
      gaps.total_ns += gap.duration_ns();
    };
    gpu.for_each_longer(gpu.gaps_in(0, INT64_MAX), 1'000'000, add);
  }
  EXPECT_EQ(gaps, GetParam().gaps);
}

// As the file opens.
std::vector<aggregate::Finding> findings_of(
    const std::shared_ptr<const profile::Profile>& profile) {
  const aggregate::KeyRanking ranking(*profile);
  const aggregate::Aggregation aggregation =
      aggregate::make_cpu_aggregator(profile)->aggregate(aggregate::default_selection(ranking));
  const aggregate::RuleIndex rules(*profile);
  return aggregate::find_findings(*profile, aggregation, {}, &rules).findings;
}

// Its 118 copies of pageable memory are numbers of four bytes that the host reads.
TEST(RealRuns, ReadScalarsInsteadOfCopyingPageableMemory) {
  DLVIEW_REQUIRE_TEST_DATA();
  const auto profile = open("nsys/2023.4_ddp_rank0_of_4xa100_59_steps.sqlite");
  const auto findings = findings_of(profile);
  EXPECT_EQ(aggregate::find_finding(findings, "cuda_memcpy_async"), nullptr);
  EXPECT_EQ(aggregate::find_finding(findings, "cuda_memcpy_async_to_host"), nullptr);
  const aggregate::Finding* reads = aggregate::find_finding(findings, "scalar_reads");
  ASSERT_NE(reads, nullptr);
  EXPECT_TRUE(
      reads->advice.problem.starts_with("Scalar reads block the host 2 times per iteration"))
      << reads->advice.problem;
  ASSERT_NE(reads->op, profile::kNoRow);
  EXPECT_TRUE(profile->text(profile->ops.name[reads->op]).starts_with("/step/forward"));
  const aggregate::Finding* transposes = aggregate::find_finding(findings, "layout_transposes");
  ASSERT_NE(transposes, nullptr) << "13% of the time";
  EXPECT_EQ(transposes, &findings.front());
}

TEST(RealRuns, HaveOneFindingForTheIdleGpu) {
  DLVIEW_REQUIRE_TEST_DATA();
  const auto findings = findings_of(open("nsys/2023.4_dataloader_bound_59_steps.sqlite"));
  ASSERT_FALSE(findings.empty());
  EXPECT_EQ(findings[0].advice.detector, "gpu_idle");
  EXPECT_NEAR(static_cast<double>(findings[0].stake_ns.value_or(0)), 623e6, 1e6);
  EXPECT_NE(findings[0].advice.recommendation.find("waiting for data"), std::string::npos)
      << findings[0].advice.recommendation;
  for (const char* detector : {"gpu_time_util", "underutilized_gpu_detector", "gpu_gaps",
                               "iteration_variation_detector", "slow_iterations"}) {
    EXPECT_NE(aggregate::find_finding(findings[0].parts, detector), nullptr) << detector;
  }
  EXPECT_NE(aggregate::find_finding(findings, "exposed_copies_to_gpu"), nullptr);
}

TEST(RealRuns, SayThatTheGpuIsHardlyUsed) {
  DLVIEW_REQUIRE_TEST_DATA();
  const auto findings = findings_of(open("nsys/2024.6_nvfuser_8xh100.sqlite"));
  ASSERT_FALSE(findings.empty());
  EXPECT_TRUE(findings[0].advice.problem.starts_with("The GPU is hardly used: 406\u202fµs of GPU"))
      << findings[0].advice.problem;
  for (const char* detector : {"underutilized_gpu_detector", "gpu_time_util"}) {
    EXPECT_EQ(aggregate::find_finding(findings, detector), nullptr) << detector;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Exports, RealFindings,
    ::testing::Values(Expected{"nsys/2021.2_raw_cuda.sqlite",
                               {0, 0},
                               {146, 427'018'969},
                               {6, 160'832},
                               {12, 6'164'192},
                               {13, 6'084'684'479}},
                      Expected{"nsys/2022.4_raw_cuda_8190_kernels.sqlite",
                               {0, 0},
                               {5, 61'467'970},
                               {0, 0},
                               {8190, 2'832'046'669},
                               {1, 2'134'360}},
                      Expected{"nsys/2023.4_ddp_rank0_of_4xa100_59_steps.sqlite",
                               {0, 0},
                               {0, 0},
                               {118, 1'159'954'475},
                               {0, 0},
                               {1, 11'183'795}},
                      Expected{"nsys/2023.4_dataloader_bound_59_steps.sqlite",
                               {0, 0},
                               {0, 0},
                               {59, 2'376'818'281},
                               {118, 2'310'520'826},
                               {42, 36'684'343'810}},
                      Expected{"nsys/2024.6_pytorch_attention_nvtx.sqlite",
                               {227, 3'206'278'302},
                               {0, 0},
                               {0, 0},
                               {295, 953'441'157},
                               {243, 1'270'283'636}},
                      Expected{"nsys/2025.1_pytorch_transformer_warmup_steps.sqlite",
                               {87, 80'125'287},
                               {0, 0},
                               {0, 0},
                               {127, 818'734'400},
                               {62, 568'728'712}},
                      Expected{"nsys/2026.2_ddp_2xh100_before.sqlite",
                               {0, 0},
                               {0, 0},
                               {0, 0},
                               {33, 324'534'733},
                               {5, 10'090'138}},
                      Expected{"nsys/2026.2_ddp_2xh100_after.sqlite",
                               {0, 0},
                               {0, 0},
                               {0, 0},
                               {30, 289'752'725},
                               {8, 18'543'038}},
                      Expected{"nsys/2026.2_windows_attention.sqlite",
                               {86, 70'308'013},
                               {0, 0},
                               {0, 0},
                               {124, 7'008'717},
                               {29, 587'944'122}},
                      Expected{"dlprof/with_relu/nsys_profile.sqlite",
                               {2, 45'855},
                               {0, 0},
                               {0, 0},
                               {13, 161'156},
                               {0, 0}}),
    [](const auto& test) {
      std::string name(test.param.file);
      for (char& letter : name) letter = std::isalnum(letter) != 0 ? letter : '_';
      return name;
    });

// From start to start a step takes 752 ms, of which the GPU works for a sixth.
TEST(RealRuns, LastFromStepToStep) {
  DLVIEW_REQUIRE_TEST_DATA();
  const auto profile = open("nsys/2023.4_dataloader_bound_59_steps.sqlite");
  const aggregate::KeyRanking ranking(*profile);
  const aggregate::Aggregation aggregation =
      aggregate::make_cpu_aggregator(profile)->aggregate(aggregate::default_selection(ranking));
  const auto& rows = aggregation.iteration_table->iterations.rows;
  ASSERT_EQ(rows.size(), 59U);
  EXPECT_NEAR(static_cast<double>(rows.back().start_ns - rows.front().start_ns) / 59, 752e6, 1e6);
  EXPECT_NEAR(aggregation.average_iteration_ns(), 753e6, 2e6);
  using aggregate::Category;
  const double busy = aggregation.share(Category::tensor_core_kernels) +
                      aggregation.share(Category::other_kernels) +
                      aggregation.share(Category::memory);
  EXPECT_NEAR(100 - busy, 82.7, 0.2);
}

}  // namespace
}  // namespace dlview::report
