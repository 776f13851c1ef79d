#include "aggregate/comparison/comparison.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
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

std::optional<int64_t> wanted_iterations(const Comparison& comparison) {
  const int64_t fewest = std::min(comparison.ranges.before.size(), comparison.ranges.after.size());
  return iterations_needed(*comparison.judgment.iteration, fewest, comparison.floor, 1);
}

RangePair all_iterations(const Comparison& comparison) {
  const auto all = [](const ComparedRun& run) {
    return IterationRange{0, run.exclusive.iteration_count() - 1};
  };
  return {all(comparison.runs->before()), all(comparison.runs->after())};
}

// The condition of a verdict that is not met.
std::string condition_text(const Comparison& comparison) {
  const ValueChange& iteration = *comparison.judgment.iteration;
  if (!iteration.interval) return "";
  const double beyond = comparison.floor.limit(kVerdictP), within = comparison.floor.limit();
  const std::string_view source = comparison.floor.is_learned() ? "learned" : "assumed";
  const auto& [low, high] = *iteration.interval;
  if (low <= beyond && 1 / (1 + high) - 1 <= beyond) {
    const bool has_sign = low > 0 || high < 0;
    const std::string_view word = iteration.change() > 0 ? "slower" : "faster";
    const std::string limit =
        fmt::format("{}{:.1f}%", iteration.change() > 0 ? "+" : "−",
                    100 * (iteration.change() > 0 ? beyond : beyond / (1 + beyond)));
    return has_sign
               ? fmt::format(
                     "The verdict \"{}\" needs the whole interval beyond {}: 1 of 100 unchanged "
                     "pairs of captures exceeds that ({}). ",
                     word, limit, source)
               : fmt::format(
                     "A verdict needs the whole interval within ±{:.1f}% or beyond ±{:.1f}%: two "
                     "unchanged captures may differ by that ({}). ",
                     100 * within, 100 * beyond, source);
  }
  return fmt::format("A verdict needs p below {}; it is {:.2g}. ", kVerdictP, iteration.p);
}

// What would decide an inconclusive verdict.
std::string help_text(const Comparison& comparison) {
  const std::optional<int64_t> wanted = wanted_iterations(comparison);
  if (!wanted) {
    return "More iterations would not decide it; more captures of both programs may.";
  }
  const std::string count = base::format_count(*wanted);
  if (const auto all = deciding_iterations(comparison)) {
    return fmt::format(
        "If the difference holds, about {} iterations on each side may decide; the profiles "
        "have {} and {}.",
        count, base::format_count(all->before.size()), base::format_count(all->after.size()));
  }
  return fmt::format(
      "If the difference holds, captures with about {} iterations on each side may decide.", count);
}

// Ops and kernels that are others now, without regard to their time: "160 kernels replaced",
// "3 ops added". Each counts once, whatever parts of the iteration it has; an op and its backward
// have one path and count as one.
std::vector<std::string> replaced_work(const Comparison& comparison) {
  using Paths = std::pair<std::string_view, std::string_view>;
  std::set<Paths> added, removed, renamed;
  std::set<std::tuple<profile::Row, profile::Row, uint32_t>> replaced;
  const auto path_of = [](const ComparedRun& run, profile::OpIndex op) {
    return op == profile::kNoRow ? std::string_view()
                                 : run.profile->text(run.profile->ops.name[op]);
  };
  for (std::size_t p = 0; p < kStackPartCount; ++p) {
    const PartBar& part = comparison.waterfall.parts[p];
    for (std::size_t o = 0; o < part.ops.size(); ++o) {
      const OpBar& op = part.ops[o];
      const Paths paths{path_of(comparison.runs->before(), op.before),
                        path_of(comparison.runs->after(), op.after)};
      const ChangeKind kind = comparison.judgment.parts[p].ops[o].kind;
      if (kind == ChangeKind::added) added.insert(paths);
      if (kind == ChangeKind::removed) removed.insert(paths);
      if (op.is_renamed()) renamed.insert(paths);
      for (const KernelBar& kernel : op.kernels) {
        if (kernel.pairing != KernelPairing::replaced) continue;
        replaced.insert({profile::Row(op.before), profile::Row(op.after), kernel.before});
      }
    }
  }
  std::vector<std::string> texts;
  const auto add = [&texts](std::size_t count, std::string_view nouns, std::string_view word) {
    if (count == 0) return;
    texts.push_back(fmt::format("{} {}", base::counted(static_cast<int64_t>(count), nouns), word));
  };
  add(replaced.size(), "kernels", "replaced");
  add(added.size(), "ops", "added");
  add(removed.size(), "ops", "removed");
  add(renamed.size(), "ops", "renamed");
  return texts;
}

// The change in overlapped time, if the difference of a part is its opposite: "(overlapped −3.38
// ms)" of communication that is exposed now.
std::string overlap_text(const Waterfall& waterfall, const PartBar& part) {
  const auto per_iteration = [](int64_t sum_ns, int64_t iterations, int64_t devices) {
    return sum_ns / std::max<int64_t>(iterations, 1) / std::max<int64_t>(devices, 1);
  };
  const int64_t before_ns = per_iteration(part.overlapped_before_ns, waterfall.iterations_before,
                                          waterfall.devices_before),
                after_ns = per_iteration(part.overlapped_after_ns, waterfall.iterations_after,
                                         waterfall.devices_after);
  if (!is_moved_time(part.difference_ns(), after_ns - before_ns)) return "";
  const int64_t change_ns = after_ns - before_ns;
  return fmt::format(
      " (overlapped {})",
      base::with_sign(static_cast<double>(change_ns), base::format_duration(std::abs(change_ns))));
}

// "103 ops are slower and 2 faster"; empty = none.
std::string judged_text(const JudgedRows& rows) {
  const auto count = [](std::size_t ops, std::string_view word) {
    return fmt::format("{} {} {}", base::counted(static_cast<int64_t>(ops), "ops"),
                       ops == 1 ? "is" : "are", word);
  };
  if (rows.slower > 0 && rows.faster > 0) {
    return fmt::format("{} and {} faster", count(rows.slower, "slower"),
                       base::format_count(static_cast<int64_t>(rows.faster)));
  }
  if (rows.slower > 0) return count(rows.slower, "slower");
  if (rows.faster > 0) return count(rows.faster, "faster");
  if (rows.causes.empty()) return "";
  return fmt::format("{} changed",
                     base::counted(static_cast<int64_t>(rows.causes.size()), "idle causes"));
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
  const std::string rows = judged_text(judged_rows(comparison));
  switch (iteration.verdict) {
    case Verdict::slower:
      return fmt::format("Slower: iterations take longer, {}.", figures);
    case Verdict::faster:
      return fmt::format("Faster: iterations take less time, {}.", figures);
    case Verdict::no_difference: {
      const std::string text = fmt::format("{}, within the {} noise between runs.", figures,
                                           floor_text(comparison.floor));
      return rows.empty() ? fmt::format("No difference: {}", text)
                          : fmt::format("No difference overall: {} But {}.", text, rows);
    }
    case Verdict::inconclusive:
      break;
  }
  return fmt::format("Inconclusive{}: {}. {}{}{}", rows.empty() ? "" : " overall", figures,
                     rows.empty() ? "" : fmt::format("But {}. ", rows), condition_text(comparison),
                     help_text(comparison));
}

JudgedRows judged_rows(const Comparison& comparison) {
  JudgedRows rows;
  std::map<std::pair<profile::Row, profile::Row>, std::pair<const OpBar*, Verdict>> ops;
  const auto size = [](const OpBar* bar) { return std::abs(bar->difference_ns()); };
  for (std::size_t p = 0; p < kStackPartCount; ++p) {
    for (std::size_t o = 0; o < comparison.waterfall.parts[p].ops.size(); ++o) {
      const OpBar& bar = comparison.waterfall.parts[p].ops[o];
      const std::optional<ValueChange>& change = comparison.judgment.parts[p].ops[o].change;
      if (!change || (change->verdict != Verdict::slower && change->verdict != Verdict::faster)) {
        continue;
      }
      if (!bar.is_op()) {
        rows.causes.push_back(&bar);
        continue;
      }
      // An op that moved to another part did not change.
      if (comparison.judgment.parts[p].ops[o].kind == ChangeKind::moved) continue;
      const auto [known, is_new] = ops.try_emplace(
          {profile::Row(bar.before), profile::Row(bar.after)}, &bar, change->verdict);
      if (!is_new && size(&bar) > size(known->second.first)) {
        known->second = {&bar, change->verdict};
      }
    }
  }
  for (const auto& [rows_of_op, judged] : ops) {
    rows.ops.push_back(judged.first);
    ++(judged.second == Verdict::slower ? rows.slower : rows.faster);
  }
  for (std::vector<const OpBar*>* const bars : {&rows.ops, &rows.causes}) {
    std::ranges::stable_sort(*bars, std::ranges::greater{}, size);
  }
  return rows;
}

std::optional<RangePair> deciding_iterations(const Comparison& comparison) {
  if (!comparison.is_judged() || comparison.judgment.iteration->verdict != Verdict::inconclusive) {
    return std::nullopt;
  }
  const std::optional<int64_t> wanted = wanted_iterations(comparison);
  const RangePair all = all_iterations(comparison);
  const bool has_enough = wanted && std::min(all.before.size(), all.after.size()) >= *wanted;
  return has_enough ? std::optional(all) : std::nullopt;
}

std::string changes_text(const Comparison& comparison) {
  if (comparison.comparability.is_same_capture) return "";
  const bool may_be_chance = comparison.is_judged() &&
                             comparison.judgment.iteration->verdict != Verdict::slower &&
                             comparison.judgment.iteration->verdict != Verdict::faster;
  std::vector<std::string> texts;
  if (may_be_chance) {
    constexpr std::size_t kNamed = 3;
    const JudgedRows rows = judged_rows(comparison);
    std::vector<const OpBar*> bars = rows.ops;
    bars.insert(bars.end(), rows.causes.begin(), rows.causes.end());
    for (std::size_t i = 0; i < std::min(bars.size(), kNamed); ++i) {
      texts.push_back(
          fmt::format("{} {}", comparison.runs->name_of(*bars[i]),
                      base::format_compared(bars[i]->after_ns, bars[i]->before_ns).difference));
    }
    if (bars.size() > kNamed) {
      texts.push_back(fmt::format("and {} more",
                                  base::format_count(static_cast<int64_t>(bars.size() - kNamed))));
    }
  } else if (std::string parts = main_changes_text(comparison.waterfall); !parts.empty()) {
    texts.push_back(std::move(parts));
  }
  const std::string times = fmt::format("{}", fmt::join(texts, ", ")),
                    work = fmt::format("{}", fmt::join(replaced_work(comparison), ", "));
  return times + (times.empty() || work.empty() ? "" : "; ") + work;
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
    texts.push_back(fmt::format("{} {}{}", title_of(part->part),
                                shown.format(bar.after_ns, bar.before_ns).difference,
                                overlap_text(waterfall, *part)));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string floor_text(const RunFloor& floor) {
  const std::string limit = fmt::format("{:.1f}%", 100 * floor.limit());
  return floor.is_learned() ? fmt::format("{} (learned from {} captures)", limit, floor.captures)
                            : fmt::format("{} (assumed)", limit);
}

}  // namespace dlview::aggregate
