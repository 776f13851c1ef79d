// A summary of a run of many ranks without their profiles, for trying out how dlview shows
// thousands of them: every rank does the same work but for noise, some are slow.
#pragma once

#include <cstdint>

#include "ranks/run_summary.h"

namespace dlview::generate {

inline constexpr int64_t kMostSummaryPpm = 10'000'000;  // 11 times as slow

struct SummaryOptions {
  int64_t ranks = 1024, ranks_per_host = 8, iterations = 1000;
  uint64_t seed = 1;
  int64_t straggler = -1;          // a rank that is slower; -1 = none
  int64_t straggler_ppm = 80'000;  // by so much, at most kMostSummaryPpm
};

// Waits, own work and collectives agree, as those of summarized profiles do. Costs the ranks times
// the iterations; 4 bytes for each while it runs.
dlview::ranks::RunSummary generate_summary(const SummaryOptions& options);

}  // namespace dlview::generate
