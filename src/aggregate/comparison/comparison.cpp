#include "aggregate/comparison/comparison.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/units.h"

namespace dlview::aggregate {
namespace {

constexpr int64_t kNamedFraction = 5;  // a fifth

std::string change_percent(double change) {
  return base::with_sign(change, fmt::format("{:.1f}%", std::abs(100 * change)));
}

std::string interval_text(const ChangeInterval& interval) {
  return fmt::format("{} to {}", change_percent(interval.low), change_percent(interval.high));
}

std::string help_text(const Comparison& comparison) {
  const ValueChange& iteration = *comparison.judgment.iteration;
  const int64_t fewest = std::min(comparison.ranges.before.size(), comparison.ranges.after.size());
  const std::optional<int64_t> wanted = iterations_needed(iteration, fewest, comparison.floor, 1);
  if (wanted) {
    return fmt::format("More iterations may decide it, about {} on each side or more.",
                       base::format_count(*wanted));
  }
  return "More captures of both programs may decide it.";
}

}  // namespace

bool Comparison::is_judged() const {
  return judgment.iteration && comparability.level() != Comparability::not_comparable;
}

Comparison compare(std::shared_ptr<const RunPair> runs, const RangePair& ranges,
                   const RunFloor& floor) {
  Comparison result;
  result.runs = std::move(runs);
  result.ranges = ranges;
  result.floor = floor;
  result.waterfall = result.runs->waterfall(ranges);
  result.judgment = judge(*result.runs, ranges, result.waterfall, floor);
  result.comparability = check_comparability(*result.runs, ranges, result.waterfall, floor);
  if (result.comparability.level() == Comparability::not_comparable) {
    withdraw_verdicts(result.judgment);
  }
  result.rate_before = result.runs->rate_before(ranges.before);
  result.rate_after = result.runs->rate_after(ranges.after);
  return result;
}

std::string verdict_text(const Comparison& comparison) {
  const ComparabilityReport& report = comparison.comparability;
  const bool is_same_range = comparison.ranges.before == comparison.ranges.after &&
                             comparison.runs->before().cut == comparison.runs->after().cut;
  if (report.is_same_capture && is_same_range)
    return "The same capture: there is nothing to compare.";
  if (!comparison.is_judged()) {
    return report.reasons.empty() ? "Not comparable."
                                  : fmt::format("Not comparable. {}", report.reasons.front().text);
  }
  const ValueChange& iteration = *comparison.judgment.iteration;
  const std::string figures =
      iteration.interval ? fmt::format("median {} ({})", change_percent(iteration.change()),
                                       interval_text(*iteration.interval))
                         : fmt::format("median {}", change_percent(iteration.change()));
  switch (iteration.verdict) {
    case Verdict::slower:
      return fmt::format("Slower: iterations take longer, {}.", figures);
    case Verdict::faster:
      return fmt::format("Faster: iterations take less time, {}.", figures);
    case Verdict::no_difference:
      return fmt::format("No difference: {}, within the {} by which runs differ anyway.", figures,
                         floor_text(comparison.floor));
    case Verdict::inconclusive:
      break;
  }
  return fmt::format("Inconclusive: {}. {}", figures, help_text(comparison));
}

std::string main_changes_text(const Waterfall& waterfall) {
  std::vector<const PartBar*> parts;
  const int64_t whole_ns = std::abs(waterfall.iteration.difference_ns());
  for (const PartBar& part : waterfall.parts) {
    if (part.difference_ns() != 0 && kNamedFraction * std::abs(part.difference_ns()) >= whole_ns) {
      parts.push_back(&part);
    }
  }
  std::ranges::stable_sort(parts, std::ranges::greater{},
                           [](const PartBar* part) { return std::abs(part->difference_ns()); });
  std::vector<std::string> texts;
  for (const PartBar* const part : parts) {
    texts.push_back(
        fmt::format("{} {}", title_of(part->part),
                    base::with_sign(static_cast<double>(part->difference_ns()),
                                    base::format_duration(std::abs(part->difference_ns())))));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string floor_text(const RunFloor& floor) {
  const std::string limit = fmt::format("{:.1f}%", 100 * floor.limit());
  return floor.is_learned() ? fmt::format("{} (learned from {} captures)", limit, floor.captures)
                            : fmt::format("{} (assumed)", limit);
}

}  // namespace dlview::aggregate
