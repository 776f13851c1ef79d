#include "ranks/straggler_finding.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/units.h"

namespace dlview::ranks {
namespace {

// What may differ where the part is longer that explains most.
std::string_view to_compare(const Why& why) {
  if (why.factor_of_kernels()) return "clocks, power limit and temperature of its GPUs";
  const auto most = std::ranges::max_element(why.parts_ns) - why.parts_ns.begin();
  switch (static_cast<aggregate::Category>(most)) {
    case aggregate::Category::tensor_core_kernels:
    case aggregate::Category::other_kernels:
      return "its share of the data, clocks and temperature of its GPUs";
    case aggregate::Category::data_loader:
    case aggregate::Category::io:
      return "its share of the data, the workers of its data loader, storage";
    case aggregate::Category::memory:
      return "copies between host and GPU, and how its GPUs are connected";
    case aggregate::Category::cpu:
    case aggregate::Category::other:
      break;
  }
  return "other work on its host, garbage collection in Python";
}

std::string advice_on(const RunFigures& run) {
  const Stragglers& found = run.stragglers;
  switch (found.kind) {
    case StragglerKind::one_rank: {
      const int64_t slowest = run.times.ranks[*found.rank];
      return fmt::format("Compare rank {} with rank {}, the typical one: {}", slowest,
                         run.times.ranks[run.typical_rank()], to_compare(run.why));
    }
    case StragglerKind::one_host:
      return fmt::format("Compare host {} with another one: {}", found.host, to_compare(run.why));
    case StragglerKind::one_stage:
      return "Move layers between the stages until their own work is equal";
    case StragglerKind::several:
      if (std::ranges::count_if(found.slow, &SlowRank::is_always) > 1) {
        return fmt::format("Compare rank {} with rank {}, the typical one",
                           run.times.ranks[found.slow.front().row],
                           run.times.ranks[run.typical_rank()]);
      }
      if (2 * found.iterations_with < static_cast<int64_t>(run.times.numbers.size())) {
        return fmt::format("Compare rank {} with rank {}, the typical one",
                           run.times.ranks[run.slowest_rank()],
                           run.times.ranks[run.typical_rank()]);
      }
      [[fallthrough]];
    case StragglerKind::rotating:
      return "Bucket inputs so that all ranks get equal lengths, and run Python garbage "
             "collection in the same iteration on all ranks (gc.disable, gc.collect)";
    case StragglerKind::too_few:
    case StragglerKind::none:
    case StragglerKind::all_at_once:
      break;
  }
  return "";
}

}  // namespace

std::optional<aggregate::Finding> straggler_finding(const RunFigures& run) {
  const std::string advice = advice_on(run);
  if (advice.empty()) return std::nullopt;
  const Stragglers& found = run.stragglers;
  aggregate::Finding finding;
  finding.advice.detector = "straggler_ranks";
  finding.advice.problem = run.sentence();
  if (finding.advice.problem.ends_with('.')) finding.advice.problem.pop_back();
  finding.advice.recommendation = advice;
  finding.stake_ns = std::llround(found.named_cost_ns);
  finding.stake_basis =
      found.kind == StragglerKind::one_host && found.is_whole_host && !found.hosts.empty()
          ? "median own work of the slow host minus that of the others"
          : "own work of the slowest rank minus the median of its peers";
  const int64_t times =
      found.rank ? found.ranks[*found.rank].times_straggler : found.iterations_with;
  finding.figures = aggregate::FindingFigures{
      times, std::llround(found.named_cost_ns * static_cast<double>(run.times.numbers.size())),
      100 * found.named_share()};
  return finding;
}

}  // namespace dlview::ranks
