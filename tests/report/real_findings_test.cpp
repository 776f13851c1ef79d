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
  Sum pageable_copies, synchronous_copies, waits;
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

Sum calls_of(const std::vector<aggregate::Finding>& findings, std::string_view detector) {
  for (const aggregate::Finding& finding : findings) {
    if (finding.advice.detector == detector) {
      return {finding.figures->count, finding.figures->total_ns};
    }
  }
  return {0, 0};
}

class RealFindings : public ::testing::TestWithParam<Expected> {};

TEST_P(RealFindings, OfCallsHaveTheFiguresOfTheTables) {
  DLVIEW_REQUIRE_TEST_DATA();
  const Expected& expected = GetParam();
  const auto profile = open(expected.file);
  const auto aggregation = aggregate::make_cpu_aggregator(profile)->aggregate({});
  ASSERT_EQ(aggregation.iteration_table->iterations.rows.size(), 1U) << "no key op";
  const aggregate::RuleIndex rules(*profile);
  aggregate::AdviceThresholds any;
  any.pageable_copies = any.synchronous_copies = any.waits = 0;
  const auto findings = aggregate::find_findings(*profile, aggregation, any, &rules);
  EXPECT_EQ(calls_of(findings, "cuda_memcpy_async"), expected.pageable_copies);
  EXPECT_EQ(calls_of(findings, "cuda_memcpy_sync"), expected.synchronous_copies);
  EXPECT_EQ(calls_of(findings, "cuda_api_sync"), expected.waits);
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

INSTANTIATE_TEST_SUITE_P(
    Exports, RealFindings,
    ::testing::Values(
        Expected{"nsys/2021.2_raw_cuda.sqlite",
                 {0, 0},
                 {152, 427'179'801},
                 {12, 6'164'192},
                 {13, 6'084'684'479}},
        Expected{"nsys/2022.4_raw_cuda_8190_kernels.sqlite",
                 {0, 0},
                 {5, 61'467'970},
                 {8190, 2'832'046'669},
                 {1, 2'134'360}},
        Expected{"nsys/2024.6_pytorch_attention_nvtx.sqlite",
                 {292, 3'207'185'999},
                 {0, 0},
                 {295, 953'441'157},
                 {243, 1'270'283'636}},
        Expected{"nsys/2025.1_pytorch_transformer_warmup_steps.sqlite",
                 {112, 80'389'316},
                 {0, 0},
                 {127, 818'734'400},
                 {62, 568'728'712}},
        Expected{"nsys/2026.2_ddp_2xh100_before.sqlite",
                 {33, 438'372},
                 {0, 0},
                 {33, 324'534'733},
                 {5, 10'090'138}},
        Expected{"nsys/2026.2_ddp_2xh100_after.sqlite",
                 {30, 422'220},
                 {0, 0},
                 {30, 289'752'725},
                 {8, 18'543'038}},
        Expected{"nsys/2026.2_windows_attention.sqlite",
                 {113, 70'669'595},
                 {0, 0},
                 {124, 7'008'717},
                 {29, 587'944'122}},
        Expected{
            "dlprof/with_relu/nsys_profile.sqlite", {11, 118'453}, {0, 0}, {13, 161'156}, {0, 0}}),
    [](const auto& test) {
      std::string name(test.param.file);
      for (char& letter : name) letter = std::isalnum(letter) != 0 ? letter : '_';
      return name;
    });

}  // namespace
}  // namespace dlview::report
