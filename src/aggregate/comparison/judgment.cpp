#include "aggregate/comparison/judgment.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <tuple>
#include <utility>

#include "aggregate/steady.h"

namespace dlview::aggregate {
namespace {

using profile::OpIndex;
using profile::Row;

// What moved is of equal size, but for this share.
constexpr double kMovedShare = 0.2;

// More or fewer calls if they make the larger part of the difference.
std::optional<ChangeKind> kind_of_calls(const Waterfall& waterfall, const Bar& bar) {
  const CallSplit split = waterfall.split(bar);
  if (std::abs(split.by_calls_ns) <= std::abs(split.by_time_per_call_ns)) return std::nullopt;
  return split.by_calls_ns > 0 ? ChangeKind::more_calls : ChangeKind::fewer_calls;
}

// Whether kernels with other names make up half of the time of the op or more.
bool is_replaced(const OpBar& op) {
  int64_t replaced_ns = 0;
  for (const KernelBar& kernel : op.kernels) {
    if (kernel.pairing == KernelPairing::replaced) {
      replaced_ns += kernel.before_sum_ns + kernel.after_sum_ns;
    }
  }
  return replaced_ns > 0 && 2 * replaced_ns >= op.before_sum_ns + op.after_sum_ns;
}

// Without statistics: calls are counted, and need none.
ChangeKind unjudged_kind(const Waterfall& waterfall, const OpBar& op) {
  if (!op.is_op()) return ChangeKind::not_judged;
  return kind_of_calls(waterfall, op).value_or(ChangeKind::not_judged);
}

ChangeKind kind_of(const Waterfall& waterfall, const OpBar& op,
                   const std::optional<ValueChange>& change) {
  const bool has_calls = op.is_op();
  // Kernels of an earlier iteration can end in the range, without a call in it.
  if (has_calls && op.calls_before == 0 && op.before_sum_ns == 0) return ChangeKind::added;
  if (has_calls && op.calls_after == 0 && op.after_sum_ns == 0) return ChangeKind::removed;
  if (is_replaced(op)) return ChangeKind::replaced;
  if (!change) return unjudged_kind(waterfall, op);
  switch (change->verdict) {
    case Verdict::no_difference:
      return op.is_renamed() ? ChangeKind::renamed : ChangeKind::same;
    case Verdict::inconclusive:
      return op.is_renamed() ? ChangeKind::renamed : ChangeKind::inconclusive;
    case Verdict::slower:
    case Verdict::faster:
      break;
  }
  const int64_t overlapped_ns =
      op.overlapped_after_ns / std::max<int64_t>(waterfall.iterations_after, 1) /
          std::max<int64_t>(waterfall.devices_after, 1) -
      op.overlapped_before_ns / std::max<int64_t>(waterfall.iterations_before, 1) /
          std::max<int64_t>(waterfall.devices_before, 1);
  if (is_moved_time(op.difference_ns(), overlapped_ns)) return ChangeKind::moved;
  if (has_calls) {
    if (const auto by_calls = kind_of_calls(waterfall, op)) return *by_calls;
  }
  return change->verdict == Verdict::slower ? ChangeKind::slower : ChangeKind::faster;
}

// Kernels are not judged themselves: what holds for their op holds for those that took part in it.
ChangeKind kind_of_kernel(const Waterfall& waterfall, const OpBar& op, const JudgedBar& judged,
                          const KernelBar& kernel) {
  if (kernel.calls_before == 0 && kernel.before_sum_ns == 0) return ChangeKind::added;
  if (kernel.calls_after == 0 && kernel.after_sum_ns == 0) return ChangeKind::removed;
  if (kernel.pairing == KernelPairing::replaced) return ChangeKind::replaced;
  if (judged.change && judged.change->verdict == Verdict::no_difference) return ChangeKind::same;
  if (judged.change && judged.change->verdict == Verdict::inconclusive) {
    return ChangeKind::inconclusive;
  }
  if (const auto by_calls = kind_of_calls(waterfall, kernel)) return *by_calls;
  const bool has_word = judged.kind == ChangeKind::slower || judged.kind == ChangeKind::faster ||
                        judged.kind == ChangeKind::moved;
  const bool is_alike =
      kernel.difference_ns() != 0 && (kernel.difference_ns() > 0) == (op.difference_ns() > 0);
  return has_word && is_alike ? judged.kind : ChangeKind::not_judged;
}

// The exclusive time of bars in each iteration of a side, per GPU. `bars`: by part, op and cause.
using BarKey = std::tuple<StackPart, Row, int>;
using BarNumbers = std::map<BarKey, uint32_t>;

BarKey key_of(StackPart part, OpIndex op, const std::optional<GapCause>& cause) {
  const bool has_op = op != profile::kNoRow;
  return {part, Row(op), has_op || !cause ? -1 : static_cast<int>(*cause)};
}

// By bar; then, by part, the sums of all other bars.
std::vector<std::vector<int64_t>> values_of(const ComparedRun& run, const IterationRange& range,
                                            const BarNumbers& numbers, std::size_t bars) {
  return run.exclusive.by_iteration(
      range, bars + kStackPartCount, [&](const PartKey& key) -> std::optional<uint32_t> {
        const auto number = numbers.find(key_of(key.part, key.op, key.gap));
        if (number != numbers.end()) return number->second;
        return static_cast<uint32_t>(bars + static_cast<std::size_t>(key.part));
      });
}

void divide(std::vector<int64_t>& values, const ComparedRun& run) {
  const auto devices = std::max<int64_t>(static_cast<int64_t>(run.profile->devices.size()), 1);
  for (int64_t& value : values) value /= devices;
}

std::vector<int64_t> durations(const ComparedRun& run, const IterationRange& range) {
  const std::vector<int64_t> all = durations_of(run.table->iterations);
  return {all.begin() + static_cast<std::ptrdiff_t>(range.first),
          all.begin() + static_cast<std::ptrdiff_t>(range.last + 1)};
}

}  // namespace

bool is_moved_time(int64_t a, int64_t b) {
  if (a == 0 || b == 0 || (a < 0) == (b < 0)) return false;
  return std::abs(static_cast<double>(a) + static_cast<double>(b)) <=
         kMovedShare * std::max(std::abs(static_cast<double>(a)), std::abs(static_cast<double>(b)));
}

std::string_view to_text(ChangeKind kind) {
  constexpr std::array<std::string_view, 12> kTexts{
      "no difference", "added",       "removed", "replaced", "moved",        "renamed",
      "more calls",    "fewer calls", "slower",  "faster",   "inconclusive", "not judged"};
  return kTexts[static_cast<std::size_t>(kind)];
}

Judgment judge(const RunPair& runs, const RangePair& ranges, const Waterfall& waterfall,
               const RunFloor& floor) {
  const int64_t whole_before = waterfall.iteration.before_sum_ns,
                whole_after = waterfall.iteration.after_sum_ns;
  const auto is_large = [&](const Bar& bar) {
    const auto share = [](int64_t ns, int64_t whole_ns) {
      return whole_ns == 0 ? 0 : static_cast<double>(ns) / static_cast<double>(whole_ns);
    };
    return std::max(share(bar.before_sum_ns, whole_before), share(bar.after_sum_ns, whole_after)) >=
           kLeastJudgedShare;
  };
  // Rows that are judged: large ops first, then parts.
  BarNumbers before_numbers, after_numbers;
  std::vector<std::pair<std::size_t, std::size_t>> judged;  // part, op
  for (std::size_t p = 0; p < kStackPartCount; ++p) {
    for (std::size_t o = 0; o < waterfall.parts[p].ops.size(); ++o) {
      const OpBar& op = waterfall.parts[p].ops[o];
      if (!is_large(op)) continue;
      const auto number = static_cast<uint32_t>(judged.size());
      if (!op.is_only_after()) before_numbers[key_of(op.part, op.before, op.cause)] = number;
      if (!op.is_only_before()) after_numbers[key_of(op.part, op.after, op.cause)] = number;
      judged.emplace_back(p, o);
    }
  }
  std::vector<std::vector<int64_t>> before =
      values_of(runs.before(), ranges.before, before_numbers, judged.size());
  std::vector<std::vector<int64_t>> after =
      values_of(runs.after(), ranges.after, after_numbers, judged.size());
  std::vector<RowValues> rows;
  for (std::size_t i = 0; i < judged.size(); ++i) {
    rows.push_back({std::move(before[i]), std::move(after[i])});
  }
  std::vector<std::size_t> parts;
  for (std::size_t p = 0; p < kStackPartCount; ++p) {
    if (!is_large(waterfall.parts[p])) continue;
    parts.push_back(p);
    RowValues sum{std::move(before[judged.size() + p]), std::move(after[judged.size() + p])};
    for (std::size_t i = 0; i < judged.size(); ++i) {
      if (judged[i].first != p) continue;
      const auto add = [](const std::vector<int64_t>& from, std::vector<int64_t>& to) {
        for (std::size_t k = 0; k < to.size(); ++k) to[k] += from[k];
      };
      add(rows[i].before, sum.before);
      add(rows[i].after, sum.after);
    }
    rows.push_back(std::move(sum));
  }
  for (RowValues& row : rows) {
    divide(row.before, runs.before());
    divide(row.after, runs.after());
  }

  Judgment result;
  result.rows = rows.size();
  const bool has_statistics =
      std::min(ranges.before.size(), ranges.after.size()) >= int64_t{kFewestForStatistics};
  std::vector<ValueChange> changes;
  if (has_statistics) {
    changes = judge_rows(rows, floor);
    result.iteration = judge_rows(
        {{durations(runs.before(), ranges.before), durations(runs.after(), ranges.after)}},
        floor)[0];
  }
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> places;
  for (std::size_t i = 0; i < judged.size(); ++i) places[judged[i]] = i;
  for (std::size_t p = 0; p < kStackPartCount; ++p) {
    const PartBar& part = waterfall.parts[p];
    JudgedPart& judged_part = result.parts[p];
    for (std::size_t o = 0; o < part.ops.size(); ++o) {
      const auto place = places.find({p, o});
      JudgedBar& bar = judged_part.ops.emplace_back();
      if (has_statistics && place != places.end()) bar.change = changes[place->second];
      bar.kind = kind_of(waterfall, part.ops[o], bar.change);
    }
  }
  for (std::size_t i = 0; has_statistics && i < parts.size(); ++i) {
    JudgedPart& part = result.parts[parts[i]];
    part.change = changes[judged.size() + i];
    constexpr std::array<ChangeKind, 4> kKinds{ChangeKind::slower, ChangeKind::faster,
                                               ChangeKind::same, ChangeKind::inconclusive};
    part.kind = kKinds[static_cast<std::size_t>(part.change->verdict)];
  }

  // An op whose time went from one part to another.
  std::map<std::pair<Row, Row>, std::vector<std::pair<const OpBar*, JudgedBar*>>> by_op;
  for (std::size_t p = 0; p < kStackPartCount; ++p) {
    for (std::size_t o = 0; o < waterfall.parts[p].ops.size(); ++o) {
      const OpBar& op = waterfall.parts[p].ops[o];
      if (op.is_op()) by_op[{op.before, op.after}].emplace_back(&op, &result.parts[p].ops[o]);
    }
  }
  const auto has_moved = [](const JudgedBar& bar) {
    return bar.change &&
           (bar.change->verdict == Verdict::slower || bar.change->verdict == Verdict::faster);
  };
  for (const auto& entry : by_op) {
    for (const auto& [a, judged_a] : entry.second) {
      for (const auto& [b, judged_b] : entry.second) {
        if (!is_moved_time(a->difference_ns(), b->difference_ns())) continue;
        if (has_moved(*judged_a) && has_moved(*judged_b)) judged_a->kind = ChangeKind::moved;
      }
    }
  }
  for (std::size_t p = 0; p < kStackPartCount; ++p) {
    for (std::size_t o = 0; o < waterfall.parts[p].ops.size(); ++o) {
      const OpBar& op = waterfall.parts[p].ops[o];
      std::vector<ChangeKind>& kinds = result.parts[p].kernels.emplace_back();
      for (const KernelBar& kernel : op.kernels) {
        kinds.push_back(kind_of_kernel(waterfall, op, result.parts[p].ops[o], kernel));
      }
    }
  }
  return result;
}

void withdraw_verdicts(Judgment& judgment) {
  const auto withdraw = [](ChangeKind& kind) {
    const bool is_fact = kind == ChangeKind::added || kind == ChangeKind::removed ||
                         kind == ChangeKind::replaced || kind == ChangeKind::more_calls ||
                         kind == ChangeKind::fewer_calls;
    if (!is_fact) kind = ChangeKind::not_judged;
  };
  judgment.iteration.reset();
  for (JudgedPart& part : judgment.parts) {
    part.change.reset();
    withdraw(part.kind);
    for (JudgedBar& op : part.ops) {
      op.change.reset();
      withdraw(op.kind);
    }
    for (std::vector<ChangeKind>& kernels : part.kernels) std::ranges::for_each(kernels, withdraw);
  }
}

}  // namespace dlview::aggregate
