#include "report/budget/judge.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <random>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>  // join

namespace dlview::report::budget {
namespace {

using aggregate::ChangeInterval;
using aggregate::Unit;

constexpr std::size_t kWorstShown = 3, kFewestForResamples = 10;
constexpr double kLearnedP = 0.01;
constexpr std::array<std::string_view, 6> kStates{
    "kept", "broken", "inconclusive", "not comparable", "not measurable", "skipped"};

std::string share_text(double share) {
  const double percent = 100 * share;
  return fmt::format("{:.{}f}%", percent, std::abs(percent) < 10 ? 1 : 0);
}

std::string signed_share_text(double share) {
  return fmt::format("{}{}", share < 0 ? "−" : "+", share_text(std::abs(share)));
}

// One iteration makes it: no statistics tell how much that differs.
bool is_extreme(Statistic statistic) {
  return statistic == Statistic::min || statistic == Statistic::max;
}

double mean_value_of(const std::vector<CapturedValues>& captures) {
  double sum = 0;
  for (const CapturedValues& capture : captures) sum += static_cast<double>(capture.value);
  return captures.empty() ? 0 : sum / static_cast<double>(captures.size());
}

double deviation_of(const std::vector<CapturedValues>& captures) {
  const double mean = mean_value_of(captures);
  double squares = 0;
  for (const CapturedValues& capture : captures) {
    const double off = static_cast<double>(capture.value) - mean;
    squares += off * off;
  }
  return std::sqrt(squares / static_cast<double>(captures.size() - 1));
}

// The upper end of the one-sided prediction interval of one more capture, above the mean: 99% for
// all of so many budgets together, if each has its share of the 1%.
double prediction_of(const std::vector<CapturedValues>& captures, std::size_t budgets) {
  const auto count = static_cast<double>(captures.size());
  const double p = kLearnedP / static_cast<double>(std::max<std::size_t>(budgets, 1));
  const double t = aggregate::t_quantile(p, static_cast<int64_t>(captures.size()) - 1);
  return t * deviation_of(captures) * std::sqrt(1 + 1 / count);
}

std::vector<int64_t> pooled_samples(const std::vector<CapturedValues>& captures) {
  std::vector<int64_t> all;
  for (const CapturedValues& capture : captures) {
    all.insert(all.end(), capture.samples.begin(), capture.samples.end());
  }
  return all;
}

// The statistic of resampled values: blocks of ceil(n^(1/3)) in a row, as BlockResampler draws
// them.
std::vector<int64_t> resampled(const std::vector<int64_t>& all, Statistic statistic) {
  const std::vector<int64_t> values =
      aggregate::chosen_of(all, aggregate::BlockResampler::kMostIterations);
  const auto block =
      static_cast<std::size_t>(std::ceil(std::cbrt(static_cast<double>(values.size())) - 1e-9));
  const uint64_t starts = values.size() - block + 1;
  constexpr uint64_t kSeed = 0x627564676574;
  std::mt19937_64 random(kSeed);
  std::vector<int64_t> results(aggregate::BlockResampler::kResamples);
  std::vector<int64_t> drawn(values.size());
  for (int64_t& result : results) {
    for (std::size_t at = 0; at < values.size(); at += block) {
      const auto start = static_cast<std::size_t>((random() >> 32U) * starts >> 32U);
      for (std::size_t i = 0; i < std::min(block, values.size() - at); ++i) {
        drawn[at + i] = values[start + i];
      }
    }
    result = statistic_of(drawn, statistic);
  }
  return results;
}

// How much worse a value is than the baseline: above 0 = worse.
double worsening(const Budget& budget, double value, double baseline) {
  return budget.metric->less_is_better ? value - baseline : baseline - value;
}

// The interval of the worsening, as a share of the baseline.
ChangeInterval worse_interval(const Budget& budget, const ChangeInterval& change) {
  if (budget.metric->less_is_better) return change;
  return {-change.high, -change.low};
}

std::string allowed_text(const Budget& budget, const Allowance& allowance) {
  const std::string limit = value_text(int64_t{std::llround(allowance.limit)}, budget.unit());
  const std::string baseline = value_text(int64_t{std::llround(allowance.baseline)}, budget.unit());
  return fmt::format("baseline {}, limit {}", baseline, limit);
}

// What would decide whether a worsening is within the tolerance.
std::string help_within(const Budget& budget, const Allowance& allowance,
                        const ChangeInterval& worse) {
  // However many iterations there are, captures differ by more than the tolerance.
  const bool is_given = budget.worse_by->kind != Tolerance::Kind::learned;
  const bool is_zero = *allowance.share <= 0;
  if (is_given && *allowance.share < allowance.floor &&
      (is_zero || worse.low + worse.half_width() > *allowance.share)) {
    return fmt::format(
        "{}captures of one state differ by up to {} ({}): write \"learned\", or a "
        "tolerance above that",
        is_zero ? "no measurement is surely within 0%, and " : "", share_text(allowance.floor),
        allowance.captures >= 3 ? "learned" : "assumed");
  }
  // A given limit stays where it is, however many captures there are.
  return is_given || worse.half_width() > *allowance.share / 2
             ? "capture more iterations"
             : "learn from three or more captures";
}

// Judges a statistic whose captures in the baseline were too few to learn from, or whose tolerance
// the user gave.
void judge_change(const Budget& budget, const std::vector<int64_t>& before, const Measurement& run,
                  Comparison& result) {
  const Allowance& allowance = result.allowance;
  if (!allowance.share) {
    const bool is_worse = worsening(budget, static_cast<double>(run.value), allowance.baseline) >
                          allowance.most_worse;
    if (!is_worse) return;
    const bool is_fixed = budget.worse_by->kind == Tolerance::Kind::amount;
    result.state = is_fixed ? State::broken : State::inconclusive;
    result.reason =
        is_fixed
            ? fmt::format("{} is worse than the limit ({})", value_text(run.value, budget.unit()),
                          allowed_text(budget, allowance))
            : "the baseline is 0, so a share has no meaning: learn from three captures, "
              "or write at_most";
    return;
  }
  if (!result.change) {
    const bool is_single = is_extreme(budget.of) || budget.of == Statistic::range;
    const double share = worsening(budget, static_cast<double>(run.value), allowance.baseline) /
                         std::abs(allowance.baseline);
    const double beyond = allowance.broken_beyond();
    if (is_single && share <= 0) return;
    if (is_single && budget.worse_by->kind != Tolerance::Kind::learned) {
      // One number a capture: nothing but the tolerance to compare it with.
      if (share <= *allowance.share) return;
      result.state = share > beyond ? State::broken : State::inconclusive;
    } else {
      result.state = State::inconclusive;
    }
    if (result.state == State::broken) {
      result.reason =
          fmt::format("{} ({}) is beyond the limit ({})", value_text(run.value, budget.unit()),
                      signed_share_text(share), allowed_text(budget, allowance));
    } else if (is_single) {
      result.reason = fmt::format(
          "one {} does not show how much the next capture differs: learn from three captures",
          budget.of == Statistic::max   ? "maximum"
          : budget.of == Statistic::min ? "minimum"
                                        : "value");
    } else {
      result.reason = fmt::format(
          "too few iterations: {} in the run, {} in the baseline, {} needed", run.samples.size(),
          before.size(),
          budget.of == Statistic::median ? aggregate::kFewestForStatistics : kFewestForResamples);
    }
    return;
  }
  const ChangeInterval worse = worse_interval(budget, *result.change);
  const double beyond = allowance.broken_beyond();
  const bool is_sure = budget.of != Statistic::median ||
                       aggregate::mann_whitney_p(before, run.samples) < aggregate::kVerdictP;
  const std::string interval_text =
      fmt::format("{} ({} to {})", value_text(run.value, budget.unit()),
                  signed_share_text(result.change->low), signed_share_text(result.change->high));
  if (worse.low > beyond && is_sure) {
    result.state = State::broken;
    result.reason =
        fmt::format("{} is beyond the limit ({})", interval_text, allowed_text(budget, allowance));
  } else if (worse.high > *allowance.share) {
    result.state = State::inconclusive;
    result.reason =
        fmt::format("{} may break the limit ({}): {}", interval_text,
                    allowed_text(budget, allowance), help_within(budget, allowance, worse));
  }
}

std::string worst_text(const Judgement& judgement) {
  std::vector<std::string> texts;
  for (const auto& worst : judgement.worst) {
    texts.push_back(
        fmt::format("{} ({})", worst.first, value_text(worst.second, judgement.budget->unit())));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

// The limit that decides which values are worst: the largest, the least, the furthest from one.
enum class LimitKind : uint8_t { at_most, at_least, equals };

// That a value may break first. Where no fixed limit tells, the metric does.
LimitKind decisive_limit(const Budget& budget) {
  if (budget.of == Statistic::each) {
    return budget.at_most    ? LimitKind::at_most
           : budget.at_least ? LimitKind::at_least
                             : LimitKind::equals;
  }
  return budget.metric->less_is_better ? LimitKind::at_most : LimitKind::at_least;
}

void set_worst(const Measurement& measured, LimitKind kind, Judgement& judgement) {
  const auto badness = [&](std::size_t iteration) {
    const int64_t value = measured.samples[iteration];
    if (kind == LimitKind::equals) return std::abs(value - judgement.budget->equals.value_or(0));
    return kind == LimitKind::at_most ? value : -value;
  };
  std::vector<std::size_t> order(measured.samples.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const std::size_t shown = std::min(kWorstShown, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(shown), order.end(),
                    [&](std::size_t a, std::size_t b) {
                      return badness(a) == badness(b) ? a < b : badness(a) > badness(b);
                    });
  judgement.worst.clear();
  for (std::size_t i = 0; i < shown; ++i) {
    judgement.worst.emplace_back(measured.range.first + static_cast<int64_t>(order[i]),
                                 measured.samples[order[i]]);
  }
  if (judgement.budget->of == Statistic::each && !judgement.worst.empty()) {
    judgement.value = judgement.worst.front().second;
  }
}

std::string names_text(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 5;
  const auto shown = std::span(names).first(std::min(names.size(), kShown));
  return fmt::format("{}{}", fmt::join(shown, ", "),
                     names.size() > kShown ? fmt::format(", {} more", names.size() - kShown) : "");
}

// at_most, at_least and equals. Returns the one that is broken.
std::optional<LimitKind> judge_limits(const Measurement& measured, Judgement& judgement) {
  const Budget& budget = *judgement.budget;
  std::optional<LimitKind> broken_limit;
  const auto check = [&](LimitKind kind, const std::optional<int64_t>& limit,
                         std::string_view words, const auto& breaks) {
    if (!limit || broken_limit) return;
    const std::string limit_text = value_text(*limit, budget.unit());
    if (budget.of == Statistic::each) {
      const auto broken = std::ranges::count_if(
          measured.samples, [&](int64_t value) { return breaks(value, *limit); });
      if (broken == 0) return;
      broken_limit = kind;
      judgement.state = State::broken;
      judgement.reason = fmt::format("{} of {} iterations {} {}", broken, measured.samples.size(),
                                     broken == 1 ? std::string("is ") + std::string(words)
                                                 : std::string("are ") + std::string(words),
                                     limit_text);
      return;
    }
    if (!breaks(measured.value, *limit)) return;
    broken_limit = kind;
    judgement.state = State::broken;
    judgement.reason =
        fmt::format("{} is {} {}", value_text(measured.value, budget.unit()), words, limit_text);
    if (value_text(measured.value, budget.unit()) == limit_text) {
      judgement.reason = fmt::format("{} is {} {}", exact_text(measured.value, budget.unit()),
                                     words, exact_text(*limit, budget.unit()));
    }
  };
  check(LimitKind::at_most, budget.at_most, "above",
        [](int64_t value, int64_t limit) { return value > limit; });
  check(LimitKind::at_least, budget.at_least, "below",
        [](int64_t value, int64_t limit) { return value < limit; });
  check(LimitKind::equals, budget.equals, "not",
        [](int64_t value, int64_t limit) { return value != limit; });
  return broken_limit;
}

// Why the budget cannot be compared with the baseline although the runs can; empty = it can.
std::string why_no_baseline(const Budget& budget, const BaselineBudget* before) {
  if (before == nullptr) {
    return "the baseline does not have it: recreate it with `dlview budget baseline`";
  }
  std::vector<std::string> only;
  for (const aggregate::Filter& filter : budget.only) only.push_back(to_text(filter));
  if (before->metric != budget.metric->id.text() || before->of != budget.of ||
      before->only != only) {
    return "the baseline measured something else under this name: recreate it with `dlview "
           "budget baseline`";
  }
  if (before->captures.empty()) return "not measurable in the baseline";
  return "";
}

// Whether more iterations make a larger value.
bool grows_with_range(const Budget& budget) {
  if (budget.of == Statistic::sum || budget.metric->id.text() == "wall_time") return true;
  return budget.of == Statistic::range && budget.metric->is_per_iteration &&
         budget.unit() != Unit::percent;
}

void judge_baseline(const BudgetFile& file, const Baseline* baseline, const std::string& different,
                    const Measurement& measured, std::size_t budgets, Judgement& judgement) {
  const Budget& budget = *judgement.budget;
  const auto cannot = [&](State state, std::string reason) {
    if (judgement.state == State::broken) return;
    judgement.state = state;
    judgement.reason = std::move(reason);
  };
  if (baseline == nullptr) return cannot(State::inconclusive, "no baseline: add --baseline FILE");
  if (!different.empty()) return cannot(State::not_comparable, different);
  if (baseline->iterations != to_text(file.iterations)) {
    return cannot(State::not_comparable,
                  fmt::format("the baseline measured iterations = \"{}\", the file has \"{}\"",
                              baseline->iterations, to_text(file.iterations)));
  }
  if (grows_with_range(budget)) {
    for (const RunFacts& capture : baseline->captures) {
      if (capture.iterations == measured.range.size()) continue;
      return cannot(State::not_comparable,
                    fmt::format("the {} grows with the range, which has {} iterations in the "
                                "baseline and {} in this run",
                                budget.of == Statistic::sum ? "sum" : "value", capture.iterations,
                                measured.range.size()));
    }
  }
  const BaselineBudget* before = baseline->find(budget.name);
  if (const std::string why = why_no_baseline(budget, before); !why.empty()) {
    return cannot(State::inconclusive, why);
  }
  Comparison comparison = compare_with_baseline(budget, before->captures, measured, budgets);
  judgement.allowance = comparison.allowance;
  judgement.change = comparison.change;
  if (budget.worse_by->kind == Tolerance::Kind::learned && !comparison.allowance.is_learned) {
    const std::string bands = bands_text(comparison.allowance);
    judgement.notes.push_back(
        fmt::format("tolerance not learned: {} in the baseline, 3 needed{}{}",
                    comparison.allowance.captures == 1 ? "1 capture" : "2 captures",
                    bands.empty() ? "" : "; ", bands));
  }
  if (comparison.state != State::kept) cannot(comparison.state, std::move(comparison.reason));
}

Judgement judge_budget(const BudgetFile& file, const Budget& budget, Meter& meter,
                       const Baseline* baseline, const std::string& unmet,
                       const std::string& different, std::size_t budgets) {
  Judgement judgement;
  judgement.budget = &budget;
  const Measurement measured = meter.measure(*budget.metric, budget.of, budget.only);
  judgement.range = measured.range;
  if (!measured.is_known()) {
    judgement.state = budget.when_unknown == WhenUnknown::fail   ? State::not_measurable
                      : budget.when_unknown == WhenUnknown::pass ? State::kept
                                                                 : State::skipped;
    judgement.reason = "not measurable: " + measured.unknown;
    return judgement;
  }
  judgement.value = measured.value;
  judgement.iterations = static_cast<int64_t>(measured.samples.size());
  set_worst(measured, decisive_limit(budget), judgement);
  const std::string& why_not = unmet.empty() && budget.metric->needs_names() ? different : unmet;
  if (!why_not.empty()) {
    judgement.state = State::not_comparable;
    judgement.reason = why_not;
    return judgement;
  }
  if (const auto broken = judge_limits(measured, judgement)) {
    set_worst(measured, *broken, judgement);
  }
  if (judgement.state == State::broken && !measured.names.empty()) {
    judgement.reason += ": " + names_text(measured.names);
  }
  if (budget.worse_by) {
    judge_baseline(file, baseline, different, measured, budgets, judgement);
  }
  if (judgement.state == State::broken && judgement.worst.size() > 1) {
    judgement.reason += fmt::format("; worst iterations: {}", worst_text(judgement));
  }
  return judgement;
}

}  // namespace

std::string_view to_text(State state) {
  return kStates[static_cast<std::size_t>(state)];
}

double Allowance::broken_beyond() const {
  return is_learned ? *share : std::max(*share, floor);
}

std::string bands_text(const Allowance& allowance) {
  if (!allowance.share) return "";
  // "2%", not "2.0%".
  const auto text = [](double share) {
    return fmt::format("{:g}%", std::round(1000 * share) / 10);
  };
  const std::string kept = text(*allowance.share), broken = text(allowance.broken_beyond());
  return fmt::format("kept within {}, broken beyond {}, otherwise inconclusive", kept, broken);
}

std::optional<ChangeInterval> change_interval(const std::vector<int64_t>& before,
                                              const std::vector<int64_t>& after,
                                              Statistic statistic) {
  if (statistic == Statistic::median) {
    if (std::min(before.size(), after.size()) < aggregate::kFewestForStatistics) {
      return std::nullopt;
    }
    return aggregate::median_change_interval(before, aggregate::BlockResampler(before.size()),
                                             after, aggregate::BlockResampler(after.size()));
  }
  if (is_extreme(statistic) || statistic == Statistic::each || statistic == Statistic::range) {
    return std::nullopt;
  }
  if (std::min(before.size(), after.size()) < kFewestForResamples) return std::nullopt;
  // A sum grows with the iterations: the mean does not.
  const Statistic drawn = statistic == Statistic::sum ? Statistic::mean : statistic;
  const std::vector<int64_t> from = resampled(before, drawn), to = resampled(after, drawn);
  std::vector<double> changes(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (from[i] <= 0) return std::nullopt;
    // Both sides are drawn with one seed: those of equal rank must not go together.
    const std::size_t other = (i + from.size() / 2) % from.size();
    changes[i] = static_cast<double>(to[other]) / static_cast<double>(from[i]) - 1;
  }
  std::ranges::sort(changes);
  const auto outside =
      static_cast<std::size_t>(kLearnedP / 2 * static_cast<double>(changes.size()));
  return ChangeInterval{changes[outside], changes[changes.size() - 1 - outside]};
}

Allowance allowance_of(const Budget& budget, const std::vector<CapturedValues>& before,
                       std::size_t budgets) {
  Allowance allowance;
  allowance.baseline = mean_value_of(before);
  allowance.captures = static_cast<int64_t>(before.size());
  const bool has_floor = before.size() >= 3;
  const double magnitude = std::abs(allowance.baseline);
  const double predicted = has_floor ? prediction_of(before, budgets) : 0;
  allowance.floor = !has_floor       ? aggregate::RunFloor{}.limit(aggregate::kVerdictP, budgets)
                    : magnitude == 0 ? 0
                                     : predicted / magnitude;
  switch (budget.worse_by->kind) {
    case Tolerance::Kind::learned:
      allowance.is_learned = has_floor;
      allowance.most_worse = has_floor ? predicted : magnitude * aggregate::RunFloor{}.limit();
      break;
    case Tolerance::Kind::share:
      allowance.most_worse = magnitude * budget.worse_by->share;
      break;
    case Tolerance::Kind::amount:
      allowance.most_worse = static_cast<double>(budget.worse_by->amount);
      break;
  }
  if (magnitude > 0) allowance.share = allowance.most_worse / magnitude;
  allowance.limit = allowance.baseline +
                    (budget.metric->less_is_better ? allowance.most_worse : -allowance.most_worse);
  return allowance;
}

Comparison compare_with_baseline(const Budget& budget, const std::vector<CapturedValues>& before,
                                 const Measurement& run, std::size_t budgets) {
  Comparison result;
  result.allowance = allowance_of(budget, before, budgets);
  const std::vector<int64_t> samples = pooled_samples(before);
  result.change = change_interval(samples, run.samples, budget.of);
  if (!result.allowance.is_learned) {
    judge_change(budget, samples, run, result);
    return result;
  }
  Allowance& allowance = result.allowance;
  if (budget.of != Statistic::range && run.samples.size() < aggregate::kFewestForStatistics) {
    result.state = State::inconclusive;
    result.reason = fmt::format("too few iterations: {} in the run, {} needed", run.samples.size(),
                                aggregate::kFewestForStatistics);
    return result;
  }
  // Captures that happen to agree, and a short run: its own noise is more than theirs.
  if (result.change && allowance.share && result.change->half_width() > *allowance.share) {
    allowance.share = result.change->half_width();
    allowance.most_worse = *allowance.share * std::abs(allowance.baseline);
    allowance.limit = allowance.baseline + (budget.metric->less_is_better ? allowance.most_worse
                                                                          : -allowance.most_worse);
    allowance.floor = *allowance.share;
  }
  const double worse = worsening(budget, static_cast<double>(run.value), allowance.baseline);
  if (worse <= allowance.most_worse) return result;
  result.state = State::broken;
  result.reason = fmt::format(
      "{}{} is beyond what {} captures differ by ({})", value_text(run.value, budget.unit()),
      allowance.baseline > 0
          ? fmt::format(" ({})",
                        signed_share_text(static_cast<double>(run.value) / allowance.baseline - 1))
          : "",
      allowance.captures, allowed_text(budget, allowance));
  return result;
}

int64_t Verdicts::count(State state, Level level) const {
  return std::ranges::count_if(judgements, [&](const Judgement& judgement) {
    return judgement.state == state && judgement.budget->level == level;
  });
}

Verdicts judge(const BudgetFile& file, Meter& meter, const Baseline* baseline) {
  Verdicts verdicts;
  const RunFacts facts = run_facts(meter);
  const std::string unmet = unmet_need(file, facts);
  std::string different;
  if (baseline != nullptr && file.needs_baseline()) {
    for (const RunFacts& capture : baseline->captures) {
      if (different.empty()) different = why_not_comparable(capture, facts);
    }
    if (std::ranges::any_of(baseline->captures, [](const RunFacts& capture) {
          return capture.split_by.empty() || capture.boundary.empty();
        })) {
      verdicts.notes.emplace_back(
          "The baseline does not record whether the host or the GPU splits its iterations: "
          "recreate it with `dlview budget baseline`");
    }
    const std::vector<std::string> versions = differing_versions(baseline->captures.front(), facts);
    if (!versions.empty()) {
      verdicts.notes.push_back(
          fmt::format("Versions differ from the baseline: {}", fmt::join(versions, "; ")));
    }
  }
  meter.use_names(baseline != nullptr && baseline->names ? &*baseline->names : nullptr,
                  baseline == nullptr
                      ? "no baseline: add --baseline FILE"
                      : "the baseline has no names: recreate it with `dlview budget baseline`");
  const auto budgets = static_cast<std::size_t>(std::ranges::count_if(
      file.budgets, [](const Budget& budget) { return budget.worse_by.has_value(); }));
  for (const Budget& budget : file.budgets) {
    verdicts.judgements.push_back(
        judge_budget(file, budget, meter, baseline, unmet, different, budgets));
  }
  return verdicts;
}

int exit_code_of(const Verdicts& verdicts, Inconclusive inconclusive) {
  const auto has = [&verdicts](State state) { return verdicts.count(state, Level::error) > 0; };
  if (has(State::broken) || has(State::not_measurable)) return 1;
  const bool is_open = has(State::inconclusive) || has(State::not_comparable);
  return is_open && inconclusive == Inconclusive::fail ? 3 : 0;
}

}  // namespace dlview::report::budget
