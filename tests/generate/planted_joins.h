// Random settings of the planted run, and the comparison of a join with its truth.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "aggregate/limits/counter_join.h"
#include "generate/limits.h"
#include "profile/profile.h"

namespace dlview::testing {

// DLVIEW_SEED, or one that does not change.
inline uint64_t seed_of_run() {
  const char* text = std::getenv("DLVIEW_SEED");
  return text == nullptr ? 7 : std::strtoull(text, nullptr, 10);
}

// Kernels in the order in which the truth numbers them.
inline std::vector<profile::KernelIndex> by_start(const profile::Profile& profile) {
  std::vector<profile::KernelIndex> kernels;
  for (profile::KernelIndex kernel{0}; kernel < profile.kernels.size(); ++kernel)
    kernels.push_back(kernel);
  std::ranges::sort(kernels, {}, [&](profile::KernelIndex kernel) {
    return profile.kernels.gpu_start_ns[kernel];
  });
  return kernels;
}

inline std::string to_text(const generate::LimitsOptions& options) {
  const generate::CountersOptions& counters = options.counters;
  std::ostringstream text;
  text << "format " << static_cast<int>(options.format) << " schema "
       << static_cast<int>(options.schema) << " gpu " << static_cast<int>(options.gpu) << " seed "
       << options.seed << " page " << static_cast<int>(counters.page) << " locale "
       << static_cast<int>(counters.locale) << " units " << static_cast<int>(counters.units)
       << " names " << static_cast<int>(counters.names) << " nvtx "
       << static_cast<int>(counters.nvtx) << " measured on " << static_cast<int>(counters.gpu)
       << " every " << counters.every << " first " << counters.first;
  return text.str();
}

// Any options that make sense together.
inline generate::LimitsOptions random_limits(std::mt19937_64& dice) {
  using namespace generate;
  const auto below = [&](unsigned count) { return static_cast<unsigned>(dice() % count); };
  LimitsOptions options;
  options.format = static_cast<LimitsFormat>(below(3));
  options.schema = static_cast<NsysSchema>(below(3));
  options.gpu = static_cast<LimitsGpu>(below(3));
  options.iterations = 1 + below(4);
  options.seed = dice();
  CountersOptions& counters = options.counters;
  counters.page = static_cast<CsvPage>(below(9));
  counters.locale = static_cast<CsvLocale>(below(5));
  counters.units = static_cast<CsvUnits>(below(2));
  counters.names = static_cast<CsvNames>(below(5));
  if (options.format == LimitsFormat::nsys) counters.nvtx = static_cast<CsvNvtx>(below(4));
  if (below(5) == 0) counters.gpu = static_cast<CsvGpu>(below(4));
  counters.every = below(2) == 0 ? 1 : 1 + below(5);
  counters.first = below(3) == 0 ? below(12) : INT64_MAX;
  const bool is_summary = counters.page == CsvPage::per_kernel ||
                          counters.page == CsvPage::per_gpu || counters.page == CsvPage::per_nvtx;
  if (counters.page == CsvPage::per_nvtx && counters.nvtx != CsvNvtx::other) {
    options.format = LimitsFormat::nsys;
    counters.nvtx = CsvNvtx::same;
  }
  if (is_summary && counters.page != CsvPage::per_nvtx && counters.nvtx != CsvNvtx::rename) {
    counters.nvtx = CsvNvtx::none;
  }
  if (counters.page == CsvPage::oldest) {
    counters.nvtx = CsvNvtx::none;
    counters.names = CsvNames::old_style;
  }
  CsvQuirks& quirks = counters.quirks;
  quirks.utf16 = below(4) == 0;
  quirks.bom = !quirks.utf16 && below(4) == 0;
  quirks.crlf = below(3) == 0;
  quirks.log = below(2) == 0;
  quirks.header = !is_summary && below(3) == 0;
  quirks.missing = !is_summary && counters.page != CsvPage::metrics &&
                   counters.page != CsvPage::oldest && below(2) == 0;
  return options;
}

inline void expect_joins(const profile::Profile& profile, const profile::KernelCounters& counters,
                         const generate::LimitsTruth& truth) {
  const aggregate::CounterJoin join = aggregate::join_counters(profile, counters);
  ASSERT_EQ(join.matches.size(), truth.launches.size());
  const std::vector<profile::KernelIndex> kernels = by_start(profile);
  std::vector<std::vector<int64_t>> joined(truth.launches.size());
  for (std::size_t number = 0; number < kernels.size() && !join.set_of_kernel.empty(); ++number) {
    const uint32_t set = join.set_of_kernel[kernels[number]];
    if (set == aggregate::CounterJoin::kNoSet) continue;
    for (const profile::Row launch : join.launches_of(set)) {
      joined[launch].push_back(static_cast<int64_t>(number));
    }
  }
  for (std::size_t i = 0; i < truth.launches.size(); ++i) {
    const generate::LimitsTruth::Launch& expected = truth.launches[i];
    const aggregate::LaunchMatch& match = join.matches[i];
    SCOPED_TRACE(expected.kernel);
    EXPECT_EQ(aggregate::to_text(match.state), expected.state) << match.reason;
    EXPECT_EQ(match.level, expected.level);
    EXPECT_EQ(static_cast<int64_t>(match.candidates.size()), expected.candidates);
    EXPECT_EQ(match.measured_launches, expected.measured_launches);
    EXPECT_EQ(match.profile_launches, expected.profile_launches);
    EXPECT_EQ(match.by_occurrence, expected.by_occurrence);
    EXPECT_THAT(joined[i], ::testing::ElementsAreArray(expected.kernels));
    if (::testing::Test::HasFailure()) return;
  }
}

}  // namespace dlview::testing
