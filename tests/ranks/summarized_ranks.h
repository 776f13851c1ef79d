// Ranks of random profiles, and a rank drawn by hand.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "aggregate/iterations.h"
#include "ranks/run_figures.h"
#include "ranks/summarize.h"
#include "support/random_profile.h"
#include "support/sketch.h"

namespace dlview::ranks {

inline aggregate::Selection all_iterations(const profile::Profile& profile,
                                           const std::string& key_op) {
  aggregate::Selection selection;
  selection.cut.key_op = key_op;
  const auto iterations = aggregate::cut_iterations(profile, selection.cut);
  selection.range = {0, static_cast<int64_t>(iterations.rows.size()) - 1};
  return selection;
}

inline RankIdentity rank_identity(const profile::Profile& profile, int64_t rank) {
  RankIdentity identity;
  identity.rank = rank;
  identity.world_size = 64;
  identity.source = "the file name";
  identity.host = rank % 2 == 0 ? "a" : "b";
  for (profile::DeviceIndex device{0}; device < profile.devices.size(); ++device) {
    identity.devices.push_back(device);
  }
  return identity;
}

// Its seed tells the profile.
inline RankInput random_rank(uint64_t seed, int64_t rank) {
  testing::RandomProfileOptions options;
  options.seed = seed;
  options.key_instances = 12;
  const auto profile = std::make_shared<const profile::Profile>(testing::random_profile(options));
  return {profile, rank_identity(*profile, rank),
          all_iterations(*profile, std::string(testing::kRandomKeyOp)),
          "report_" + std::to_string(rank) + ".sqlite"};
}

inline RunSummary random_summary(uint64_t seed, int64_t rank) {
  return summarize(random_rank(seed, rank));
}

// A rank whose iterations are `work_ns` of other kernels, then a collective until a common end.
// `ends`: of the collectives; iteration i begins where the one before ended.
struct DrawnRank {
  std::vector<int64_t> work_ns;
  std::vector<int64_t> ends_ns;
  int64_t overlapped_ns = 0;  // of the collective, by another kernel at its begin
};
inline RankInput drawn_input(const DrawnRank& drawn, int64_t rank) {
  testing::Sketch sketch;
  const profile::Row step = sketch.op("step"), reduce = sketch.op("nccl:all_reduce");
  int64_t begin_ns = 0;
  for (std::size_t i = 0; i < drawn.work_ns.size(); ++i) {
    const int64_t arrival_ns = begin_ns + drawn.work_ns[i], end_ns = drawn.ends_ns[i];
    const profile::Row work = sketch.instance(step, begin_ns, arrival_ns);
    sketch.kernel(work, begin_ns, arrival_ns + drawn.overlapped_ns, 0, "gemm");
    const profile::Row call = sketch.instance(reduce, arrival_ns, arrival_ns + 1);
    sketch.kernel(call, arrival_ns, end_ns, 0, "ncclDevKernel_AllReduce_Sum_f32_RING_LL");
    begin_ns = end_ns;
  }
  // Ends the last iteration.
  sketch.instance(sketch.op("end"), begin_ns, begin_ns + 1);
  const auto profile = sketch.finish();
  return {profile, rank_identity(*profile, rank), all_iterations(*profile, "step"),
          "report_" + std::to_string(rank) + ".sqlite"};
}
inline RunSummary drawn_summary(const DrawnRank& drawn, int64_t rank) {
  return summarize(drawn_input(drawn, rank));
}

inline RunSummary merged(std::vector<RunSummary> summaries) {
  RunSummary all;
  for (RunSummary& summary : summaries) {
    auto both = merge(std::move(all), std::move(summary));
    if (!both) throw std::runtime_error(base::to_text(both.error()));
    all = *std::move(both);
  }
  return all;
}

inline SharedRunFigures figures_of(std::vector<RunSummary> ranks) {
  auto figures = make_run_figures(merged(std::move(ranks)));
  if (!figures) throw std::runtime_error(base::to_text(figures.error()));
  return *figures;
}

}  // namespace dlview::ranks
