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

Comparison compare(std::shared_ptr<const RunPair> runs, const RangePair& wanted,
                   const RunFloor& floor) {
  Comparison result;
  result.runs = std::move(runs);
  const RangePair ranges{result.runs->before().within(wanted.before),
                         result.runs->after().within(wanted.after)};
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

std::string changes_text(const Comparison& comparison) {
  const bool may_be_chance = comparison.is_judged() &&
                             comparison.judgment.iteration->verdict != Verdict::slower &&
                             comparison.judgment.iteration->verdict != Verdict::faster;
  return comparison.comparability.is_same_capture || may_be_chance
             ? std::string()
             : main_changes_text(comparison.waterfall);
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
  // In the unit and digits of the waterfall.
  base::ComparedTable shown;
  shown.add(waterfall.iteration.after_ns, waterfall.iteration.before_ns);
  for (const PartBar& part : waterfall.parts) shown.add(part.after_ns, part.before_ns);
  const Waterfall rounded = in_steps_of(waterfall, shown.step_ns());
  std::vector<std::string> texts;
  for (const PartBar* const part : parts) {
    const PartBar& bar = rounded.parts[static_cast<std::size_t>(part - waterfall.parts.data())];
    if (bar.difference_ns() == 0) continue;
    texts.push_back(fmt::format("{} {}", title_of(part->part),
                                shown.format(bar.after_ns, bar.before_ns).difference));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string floor_text(const RunFloor& floor) {
  const std::string limit = fmt::format("{:.1f}%", 100 * floor.limit());
  return floor.is_learned() ? fmt::format("{} (learned from {} captures)", limit, floor.captures)
                            : fmt::format("{} (assumed)", limit);
}

}  // namespace dlview::aggregate
