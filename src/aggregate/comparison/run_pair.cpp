#include "aggregate/comparison/run_pair.h"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "aggregate/compare.h"
#include "aggregate/steady.h"

namespace dlview::aggregate {

ComparedRun::ComparedRun(std::shared_ptr<const profile::Profile> compared,
                         std::shared_ptr<const IterationTable> iterations, const Cut& split,
                         const RuleIndex& rules)
    : profile(std::move(compared)),
      table(std::move(iterations)),
      cut(split),
      exclusive(*profile, rules, table->iterations, cut),
      calls(*profile),
      labels(*profile) {
  const int64_t number = typical_iteration(*table, usual_range());
  typical = table->iterations.rows[static_cast<std::size_t>(number)];
}

IterationRange usual_range(const Iterations& iterations) {
  if (const auto steady = steady_range(iterations)) return *steady;
  IterationRange range{0, static_cast<int64_t>(iterations.rows.size()) - 1};
  // Too few for a steady state: start-up and a truncated end are left out.
  const std::vector<int64_t> outlying = outlying_iterations(iterations);
  const auto is_outlying = [&outlying](int64_t iteration) {
    return std::ranges::binary_search(outlying, iteration);
  };
  while (range.first < range.last && is_outlying(range.first)) ++range.first;
  while (range.first < range.last && is_outlying(range.last)) --range.last;
  return range;
}

WaterfallSide ComparedRun::side(const IterationRange& range) const {
  const IterationRange there = within(range);
  return {exclusive.sums(there), &calls, instances_of(table->iterations, there)};
}

namespace {

// The op that a marker is where no other range holds the work: "/step" of "step". Empty = none, or
// several.
std::string op_of_marker(const profile::Profile& profile, const std::string& marker) {
  std::string found;
  for (profile::OpIndex op{0}; op < profile.ops.size(); ++op) {
    const std::string_view name = profile.text(profile.ops.name[op]);
    if (name != marker && !name.ends_with("/" + marker)) continue;
    if (!found.empty()) return "";
    found = name;
  }
  return found;
}

// Where ops have the names of the markers, which may differ, these are one op: what no other range
// of an iteration has.
MatchOptions with_markers(const ComparedRun& before, const ComparedRun& after,
                          MatchOptions options) {
  if (before.cut.key_op == after.cut.key_op) return options;
  const std::string text = op_of_marker(*before.profile, before.cut.key_op) + "=" +
                           op_of_marker(*after.profile, after.cut.key_op);
  const auto pair = parse_pairs(*before.profile, *after.profile, std::span(&text, 1));
  if (!pair || pair->size() != 1) return options;
  const auto is_paired = [&](const std::pair<std::string, std::string>& by_hand) {
    return by_hand.first == pair->front().first || by_hand.second == pair->front().second;
  };
  if (std::ranges::none_of(options.pairs, is_paired)) options.pairs.push_back(pair->front());
  return options;
}

}  // namespace

RunPair::RunPair(std::shared_ptr<const ComparedRun> before,
                 std::shared_ptr<const ComparedRun> after, const MatchOptions& options)
    : before_(std::move(before)),
      after_(std::move(after)),
      matching_({*before_->profile, before_->typical}, {*after_->profile, after_->typical},
                with_markers(*before_, *after_, options)),
      keys_(*before_->profile, *after_->profile) {}

Waterfall RunPair::waterfall(const RangePair& ranges) const {
  return waterfall(before_->side(ranges.before), after_->side(ranges.after));
}

Waterfall RunPair::waterfall(const WaterfallSide& before, const WaterfallSide& after,
                             const WaterfallScope& scope) const {
  return make_waterfall(before, after, matching_, keys_, scope);
}

MatchRate RunPair::rate_before(const IterationRange& range) const {
  return match_rate(matching_, before_->exclusive.sums(range), true);
}

MatchRate RunPair::rate_after(const IterationRange& range) const {
  return match_rate(matching_, after_->exclusive.sums(range), false);
}

std::string RunPair::name_of(const OpBar& op) const {
  if (op.after != profile::kNoRow) return after_->labels.text(op.after);
  if (op.before != profile::kNoRow) return before_->labels.text(op.before);
  return op.cause ? fmt::format("idle: {}", to_text(*op.cause)) : "outside idle gaps";
}

}  // namespace dlview::aggregate
