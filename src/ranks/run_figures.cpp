#include "ranks/run_figures.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "aggregate/collectives.h"
#include "base/units.h"
#include "ranks/stored_parts.h"
#include "ranks/summary_layout.h"

namespace dlview::ranks {
namespace {

// Below, latency decides, and a bandwidth says nothing.
constexpr int64_t kLeastBytesOfBandwidth = 64 << 10;

// How many ranks of the run are in each group.
std::map<std::string, int64_t> present_members(const RunSummary& summary) {
  std::map<std::string, int64_t> members;
  std::map<std::string, int64_t> last_rank;
  for (const RankPart& part : summary.parts) {
    for (const auto& [group, rows] : part.groups) {
      const auto [last, is_new] = last_rank.try_emplace(group, part.head.rank);
      if (!is_new && last->second == part.head.rank) continue;
      last->second = part.head.rank;
      ++members[group];
    }
  }
  return members;
}

// All members that the run has are there, and agree.
bool is_matched(const CollectiveSum& sum, int64_t members) {
  return sum.members >= 2 && sum.members == members && sum.is_one();
}

// `members`: that the run has, by group.
std::vector<CollectiveRow> collective_rows(const RunSummary& summary, const RankTimes& times,
                                           const std::map<std::string, int64_t>& members) {
  std::map<std::string_view, GroupKind> kinds;
  for (const auto& [group, facts] : summary.groups) kinds.emplace(group, facts.kind());
  using Key = std::tuple<std::string, profile::Collective, int64_t>;
  std::map<Key, CollectiveRow> rows;
  std::map<Key, std::map<int64_t, int64_t>> last;
  for (const auto& [key, sum] : summary.collectives) {
    const Key kind(key.group, sum.collective, sum.size().value_or(-1));
    CollectiveRow& row = rows[kind];
    row.group = key.group;
    row.collective = sum.collective;
    row.bytes = sum.size();
    row.is_mismatched = times.mismatched.contains(key.group);
    const auto facts = summary.groups.find(key.group);
    if (facts != summary.groups.end()) {
      row.group_size = facts->second.size;
      row.group_kind = kinds.at(key.group);
    }
    const auto present = members.find(key.group);
    row.members = present == members.end() ? 0 : present->second;
    ++row.calls;
    row.duration_ns += sum.sum_ns;
    row.exposed_ns += sum.exposed_ns;
    if (!times.are_same(key, sum) || !is_matched(sum, row.members)) continue;
    ++row.matched;
    row.transfer_ns.push_back(sum.transfer_ns());
    row.skew_ns.push_back(sum.skew_ns());
    row.transfer_sum_ns += sum.transfer_ns();
    row.skew_sum_ns += sum.skew_ns();
    if (sum.skew_ns() >= kLeastSkewNs) ++last[kind][sum.least_rank];
  }
  std::vector<CollectiveRow> list;
  for (auto& [kind, row] : rows) {
    std::ranges::sort(row.transfer_ns);
    std::ranges::sort(row.skew_ns);
    for (const auto& [rank, count] : last[kind]) {
      if (count <= row.last_times) continue;
      row.last_rank = rank;
      row.last_times = count;
    }
    list.push_back(std::move(row));
  }
  std::ranges::stable_sort(list, std::ranges::greater{}, &CollectiveRow::duration_ns);
  return list;
}

RankSet missing_ranks(const std::vector<int64_t>& ranks, std::optional<int64_t> size) {
  RankSet missing;
  if (!size) return missing;
  int64_t next = 0;
  for (const int64_t rank : ranks) {
    if (next < std::min(rank, *size)) missing.add(next, std::min(rank, *size) - 1);
    next = rank + 1;
  }
  if (next < *size) missing.add(next, *size - 1);
  return missing;
}

// "; rank 3 lacks 4": ranks with fewer calls in a group than others. Costs a column of each rank.
std::string lacking_text(const RunSummary& summary) {
  constexpr std::size_t kMostRead = 1024, kMostNamed = 4;
  if (summary.parts.size() > kMostRead) return "";
  std::map<std::string_view, int64_t> most;
  std::map<std::pair<std::string_view, int64_t>, int64_t> calls_of;
  ColumnReader reader;
  std::vector<int64_t> calls;
  for (const RankPart& part : summary.parts) {
    std::size_t place = 0;
    for (const auto& entry : part.groups) {
      reader.read(part, place++, 0, calls);
      int64_t& sum = calls_of[{entry.first, part.head.rank}];
      for (const int64_t each : calls) sum = wrapping_sum(sum, each);
      most[entry.first] = std::max(most[entry.first], sum);
    }
  }
  std::map<int64_t, int64_t> lacks;
  for (const auto& [key, sum] : calls_of) {
    if (sum < most[key.first]) {
      int64_t& its = lacks[key.second];
      its = wrapping_sum(its, wrapping_difference(most[key.first], sum));
    }
  }
  std::string text;
  std::size_t named = 0;
  for (const auto& [rank, count] : lacks) {
    if (named++ == kMostNamed)
      return text +
             fmt::format(", and {}", base::counted(static_cast<int64_t>(lacks.size() - kMostNamed),
                                                   "more ranks"));
    text += fmt::format("{} rank {} lacks {}", named == 1 ? ";" : ",", rank,
                        base::counted(count, "calls"));
  }
  return text;
}

base::Status keep_only(const RankSet& only, std::vector<RankPart>& parts,
                       std::vector<ClockFit>& fits) {
  std::vector<RankPart> kept;
  std::vector<ClockFit> of_kept;
  for (std::size_t part = 0; part < parts.size(); ++part) {
    if (!only.contains(parts[part].head.rank)) continue;
    kept.push_back(std::move(parts[part]));
    of_kept.push_back(std::move(fits[part]));
  }
  if (kept.empty()) {
    return base::Error{"The run has none of these ranks", only.text(),
                       "Choose ranks that `dlview ranks` lists"};
  }
  parts = std::move(kept);
  fits = std::move(of_kept);
  return base::Success{};
}

// "iterations 5, 8, 12, 30 and 3 more".
std::string named_iterations(const std::vector<int64_t>& numbers) {
  constexpr std::size_t kMostNamed = 4;
  const auto shown = static_cast<std::ptrdiff_t>(std::min(numbers.size(), kMostNamed));
  std::string text = fmt::format("{} {}", numbers.size() == 1 ? "iteration" : "iterations",
                                 fmt::join(numbers.begin(), numbers.begin() + shown, ", "));
  if (numbers.size() > kMostNamed) text += fmt::format(" and {} more", numbers.size() - kMostNamed);
  return text;
}

constexpr std::array<std::string_view, aggregate::kCategoryCount> kPartNames{
    "Tensor Core kernels", "other kernels", "memory operations",
    "the data loader",     "I/O",           "the CPU",
    "other time"};

// The part that explains most of the difference, if it is a half or more.
std::string most_of(const Why& why) {
  if (why.difference_ns <= 0) return "";
  if (const auto factor = why.factor_of_kernels()) {
    return fmt::format(": all kernels take {} longer", base::format_percent(100 * (*factor - 1)));
  }
  const auto most = std::ranges::max_element(why.parts_ns);
  if (*most < why.difference_ns / 2) return "";
  return fmt::format(", mostly in {}",
                     kPartNames[static_cast<std::size_t>(most - why.parts_ns.begin())]);
}

std::string_view costs_text(const std::optional<Stretch>& stretch) {
  return stretch ? "Over the whole run, this costs" : "This costs";
}

}  // namespace

double CollectiveRow::match_rate() const {
  return calls == 0 ? 0 : static_cast<double>(matched) / static_cast<double>(calls);
}

std::optional<double> CollectiveRow::algorithm_bandwidth() const {
  if (!bytes || *bytes < kLeastBytesOfBandwidth || transfer_sum_ns <= 0) return std::nullopt;
  constexpr double kNsPerSecond = 1e9;
  return static_cast<double>(*bytes) * static_cast<double>(matched) * kNsPerSecond /
         static_cast<double>(transfer_sum_ns);
}

std::optional<double> CollectiveRow::bus_bandwidth() const {
  const auto bandwidth = algorithm_bandwidth();
  const auto factor = aggregate::bus_factor(collective, group_size);
  if (!bandwidth || !factor) return std::nullopt;
  return *bandwidth * *factor;
}

const RankPart& RunFigures::part_of(std::size_t rank) const {
  return *std::ranges::lower_bound(summary.parts, times.ranks[rank], {},
                                   [](const RankPart& part) { return part.head.rank; });
}

std::vector<CollectiveCall> RunFigures::calls_of(std::size_t row) const {
  const CollectiveRow& its = collectives[row];
  std::vector<CollectiveCall> calls;
  for (auto at = summary.collectives.lower_bound({its.group, INT64_MIN});
       at != summary.collectives.end() && at->first.group == its.group; ++at) {
    const CollectiveSum& sum = at->second;
    if (sum.collective != its.collective || sum.size() != its.bytes) continue;
    CollectiveCall call;
    call.place = at->first.place;
    call.number = sum.number;
    call.is_matched = times.are_same(at->first, sum) && is_matched(sum, its.members);
    if (call.is_matched) {
      call.transfer_ns = sum.transfer_ns();
      call.skew_ns = sum.skew_ns();
      call.first_rank = sum.greatest_rank;
      if (call.skew_ns >= kLeastSkewNs) call.last_rank = sum.least_rank;
    }
    calls.push_back(call);
  }
  return calls;
}

// Of the ranks that `is_one_of_them` picks, which must be some; those whose own work is known, if
// there are any.
template <typename IsOne>
std::size_t RunFigures::typical_of(const IsOne& is_one_of_them) const {
  std::vector<std::size_t> all, known;
  for (std::size_t rank = 0; rank < rank_count(); ++rank) {
    if (!is_one_of_them(rank)) continue;
    all.push_back(rank);
    if (stragglers.has_own(rank)) known.push_back(rank);
  }
  std::vector<std::size_t>& order = known.empty() ? all : known;
  const auto middle = order.begin() + static_cast<std::ptrdiff_t>((order.size() - 1) / 2);
  std::ranges::nth_element(order, middle, {}, [this](std::size_t rank) {
    return std::pair(stragglers.ranks[rank].mean_own_ns, rank);
  });
  return *middle;
}

std::size_t RunFigures::typical_rank() const {
  return typical_of([](std::size_t) { return true; });
}

std::size_t RunFigures::slowest_rank() const {
  std::size_t slowest = 0;
  const auto own_ns = [this](std::size_t rank) {
    return stragglers.has_own(rank) ? stragglers.ranks[rank].mean_own_ns : -1;
  };
  for (std::size_t rank = 1; rank < rank_count(); ++rank) {
    if (own_ns(rank) > own_ns(slowest)) slowest = rank;
  }
  return slowest;
}

std::string RunFigures::ranks_text() const {
  const auto count = static_cast<int64_t>(all_ranks());
  if (!only.empty()) {
    return fmt::format("{} ({}) of {}", base::counted(static_cast<int64_t>(rank_count()), "ranks"),
                       only.brief(), count);
  }
  const auto size = summary.world_size();
  if (!size || *size <= count) return base::counted(count, "ranks");
  return fmt::format("{} of {} ranks", count, *size);
}

std::vector<std::string> RunFigures::notes() const {
  std::vector<std::string> notes;
  for (std::size_t part = 0; part < summary.parts.size(); ++part) {
    const RankHead& head = summary.parts[part].head;
    for (const std::string& other : head.contradictions) {
      notes.push_back(fmt::format("Rank {}: number from {}; {}", head.rank, head.source, other));
    }
    if (!clocks[part].note.empty()) {
      notes.push_back(fmt::format("Clock of rank {}: {}", head.rank, clocks[part].note));
    }
    if (!clocks[part].doubt.empty()) {
      notes.push_back(fmt::format("Clock of rank {}: {}", head.rank, clocks[part].doubt));
    }
  }
  if (!missing.empty()) notes.push_back(fmt::format("Missing ranks: {}", missing.brief()));
  if (!summary.parts.empty() && summary.parts.front().head.source == "the order of GPUs") {
    notes.emplace_back("Rank numbers are not recorded: guessed from the order of GPUs");
  }
  int64_t calls = 0, matched = 0;
  std::set<std::string> mismatched;
  for (const CollectiveRow& row : collectives) {
    if (row.is_mismatched) mismatched.insert(row.group);
    if (row.members < 2 || row.is_mismatched) continue;
    calls += row.calls;
    matched += row.matched;
  }
  if (matched < calls) {
    notes.push_back(fmt::format("{} of {} were found on all member ranks{}", matched,
                                base::counted(calls, "collectives"), lacking));
  }
  for (const std::string& group : mismatched) {
    notes.push_back(fmt::format(
        "Waits of group {} are unknown: its calls were matched by order, but do not end together",
        group));
  }
  std::set<int64_t> by_time;
  for (const auto& [iteration, ranks] : times.by_time->iterations) by_time.insert(iteration.second);
  if (!by_time.empty()) {
    notes.push_back(
        fmt::format("Collectives of {} were matched by end time: "
                    "some ranks lack calls or started them in another order",
                    named_iterations({by_time.begin(), by_time.end()})));
  }
  if (!not_there.empty())
    notes.push_back(fmt::format("Not in the run: ranks {}", not_there.brief()));
  if (collectives.empty()) {
    notes.emplace_back("Waits are unknown: no synchronizing collective was recorded");
  }
  return notes;
}

std::string RunFigures::slow_iterations_sentence() const {
  std::vector<int64_t> steps, slow;
  for (const int64_t iteration : stragglers.outlying) {
    const auto column = static_cast<std::size_t>(iteration);
    steps.push_back(stragglers.step_ns[column]);
    slow.push_back(times.numbers[column]);
  }
  return fmt::format(
      "No rank makes the others wait, but {} {} slow on all ranks: {} instead of {}.",
      named_iterations(slow), slow.size() == 1 ? "is" : "are",
      base::format_duration(lower_median(steps)),
      base::format_duration(lower_median(stragglers.step_ns)));
}

// Which ranks have most to do, and which least.
std::string RunFigures::stages_sentence() const {
  std::map<std::size_t, std::vector<std::size_t>> sets;
  for (std::size_t rank = 0; rank < rank_count(); ++rank) {
    sets[stragglers.ranks[rank].peers].push_back(rank);
  }
  const auto own_ns = [this](const std::vector<std::size_t>& set) {
    std::vector<int64_t> own;
    for (const std::size_t rank : set)
      own.push_back(std::llround(stragglers.ranks[rank].mean_own_ns));
    return lower_median(std::move(own));
  };
  const auto numbers = [this](const std::vector<std::size_t>& set) {
    std::vector<int64_t> ranks;
    for (const std::size_t rank : set) ranks.push_back(times.ranks[rank]);
    return fmt::format("{} {}", set.size() == 1 ? "rank" : "ranks", RankSet(ranks).brief());
  };
  const std::vector<std::size_t>& most = sets.at(*stragglers.stage);
  const auto least =
      std::ranges::min_element(sets, {}, [&](const auto& entry) { return own_ns(entry.second); });
  return fmt::format(
      "Ranks with the same work are equally fast, but stages differ: "
      "own work is {} on {} and {} on {}.",
      base::format_duration(own_ns(most)), numbers(most),
      base::format_duration(own_ns(least->second)), numbers(least->second));
}

std::string RunFigures::stretch_text(const std::optional<Stretch>& stretch) const {
  if (!stretch) return "";
  const auto [begin, end] = *stretch;
  const int64_t first = times.numbers[begin], last = times.numbers[end - 1];
  if (end - begin == 1) return fmt::format("In iteration {}", first);
  constexpr std::size_t kFewestToLast = 5;  // fewer do not show that it goes on
  if (end - begin < kFewestToLast) return fmt::format("In iterations {}–{}", first, last);
  if (end == times.numbers.size()) return fmt::format("From iteration {} on", first);
  if (begin == 0) return fmt::format("Through iteration {}", last);
  return fmt::format("In iterations {}–{}", first, last);
}

std::string RunFigures::one_rank_sentence(const std::string& cost) const {
  const SlowRank& slow = *std::ranges::find(stragglers.slow, *stragglers.rank, &SlowRank::row);
  const std::string since = stretch_text(slow.stretch);
  const Stretch stretch = slow.stretch.value_or(Stretch{0, times.numbers.size()});
  constexpr std::size_t kFewestOfShare = 5;
  int64_t slowest = 0, known = 0;
  for (std::size_t i = stretch.first; i < stretch.end; ++i) {
    const bool is_it = stragglers.straggler[i] == static_cast<int32_t>(slow.row);
    slowest += is_it ? 1 : 0;
    if (is_it || !stragglers.are_waits_known || times.wait_ns.at(slow.row, i) >= 0) ++known;
  }
  const bool are_all_known = known == static_cast<int64_t>(stretch.size());
  // A few iterations need no share.
  const bool is_each = slowest == known && are_all_known;
  std::string often = " in all iterations";
  if (!is_each) {
    often = fmt::format(
        " in {} of {} iterations{}",
        base::format_percent(100 * static_cast<double>(slowest) / static_cast<double>(known)),
        since.empty() ? "the" : "these", are_all_known ? "" : " in which its wait is known");
  } else if (!since.empty()) {
    often = stretch.size() < kFewestOfShare ? "" : " each time";
  }
  return fmt::format(
      "{}ank {} is clearly the slowest{}. {} {} longer than the median rank{}. {} {}.",
      since.empty() ? "R" : since + ", r", times.ranks[slow.row], often,
      stretch.size() == 1 ? "It takes" : "On average, it takes",
      base::format_duration(why.difference_ns), most_of(why), costs_text(slow.stretch), cost);
}

std::string RunFigures::one_host_sentence(const std::string& cost) const {
  const std::string since = stretch_text(stragglers.stretch);
  const std::string_view costs = costs_text(stragglers.stretch);
  if (stragglers.is_whole_host) {
    // The median peer may be on that host, too.
    const bool is_explained = 2 * why.difference_ns > stragglers.named_cost_ns;
    return fmt::format("{}ost {} is slow{}. {} {}.", since.empty() ? "H" : since + ", h",
                       stragglers.host, is_explained ? most_of(why) : "", costs, cost);
  }
  return fmt::format(
      "{}he slowest rank is usually on host {}. On average, it takes {} longer than the median "
      "rank{}. {} {}.",
      since.empty() ? "T" : since + ", t", stragglers.host,
      base::format_duration(why.difference_ns), most_of(why), costs, cost);
}

// " Also slow: rank 2 (iterations 4–9), rank 5 (97% of the iterations)."; empty = no other is.
std::string RunFigures::also_sentence() const {
  constexpr std::size_t kMostNamed = 3;
  constexpr double kLeastCost = 0.1;  // of what the named one costs
  std::vector<std::string> others;
  for (const SlowRank& slow : stragglers.slow) {
    const bool is_named =
        slow.row == stragglers.rank ||
        (!stragglers.host.empty() && part_of(slow.row).head.host == stragglers.host);
    const bool is_cheap = slow.cost_ns < kLeastCost * stragglers.named_cost_ns;
    if (is_named || (is_cheap && !slow.is_always)) continue;
    std::string when = stretch_text(slow.stretch);
    if (when.starts_with("In ")) when = when.substr(3);
    if (!when.empty()) {
      when[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(when[0])));
    }
    if (when.empty()) {
      const int64_t times_slow = std::max(slow.times, slow.times_slow);
      when = fmt::format("{} of the iterations",
                         base::format_percent(100 * static_cast<double>(times_slow) /
                                              static_cast<double>(std::max<int64_t>(slow.of, 1))));
    }
    others.push_back(fmt::format("rank {} ({})", times.ranks[slow.row], when));
  }
  if (others.empty()) return "";
  const std::size_t more = others.size() > kMostNamed ? others.size() - kMostNamed : 0;
  others.resize(others.size() - more);
  return fmt::format(
      " Also slow: {}{}.", fmt::join(others, ", "),
      more > 0 ? fmt::format(", and {}", base::counted(static_cast<int64_t>(more), "more ranks"))
               : "");
}

std::string RunFigures::several_sentence(const std::string& cost) const {
  std::vector<int64_t> always;
  for (const SlowRank& slow : stragglers.slow) {
    if (slow.is_always) always.push_back(times.ranks[slow.row]);
  }
  if (always.size() > 1) {
    return fmt::format("Ranks {} are slow in most iterations. Waiting for the slowest costs {}.",
                       RankSet(always).brief(), cost);
  }
  if (2 * stragglers.iterations_with < static_cast<int64_t>(times.numbers.size())) {
    return fmt::format("No single rank stands out. Waiting for the slowest costs {}.", cost);
  }
  return fmt::format("Different ranks are slow in different iterations. This costs {}.", cost);
}

std::string RunFigures::sentence() const {
  const std::string cost =
      fmt::format("{} per iteration ({})", base::format_duration(stragglers.named_cost_ns),
                  base::format_percent(100 * stragglers.named_share()));
  switch (stragglers.kind) {
    case StragglerKind::too_few:
      return rank_count() < 2 ? (only.empty() ? "Only one rank: no waits to measure."
                                              : "Only one rank is chosen: nothing to compare.")
                              : "Finding stragglers needs 10 iterations common to all ranks.";
    case StragglerKind::none:
      return fmt::format("{} the others wait for long: at most {} on average.",
                         only.empty() ? "No rank makes" : "None of these ranks makes", cost);
    case StragglerKind::one_rank:
      return one_rank_sentence(cost) + also_sentence();
    case StragglerKind::one_host:
      return one_host_sentence(cost) + also_sentence();
    case StragglerKind::one_stage:
      return stages_sentence();
    case StragglerKind::rotating:
      return fmt::format(
          "The slowest rank changes from iteration to iteration. "
          "On average, it takes {} longer than the median rank{}. This costs {}.",
          base::format_duration(why.difference_ns), most_of(why), cost);
    case StragglerKind::all_at_once:
      return slow_iterations_sentence();
    case StragglerKind::several:
      return several_sentence(cost);
  }
  return "";
}

Why RunFigures::why_slow() const {
  const bool is_scattered =
      stragglers.rank && !stragglers.stretch &&
      std::ranges::find(stragglers.slow, *stragglers.rank, &SlowRank::row)->is_burst;
  switch (stragglers.kind) {
    case StragglerKind::one_rank:
      return is_scattered ? why_slower(times, stragglers, std::vector{*stragglers.rank})
                          : why_slower(times, stragglers, *stragglers.rank);
    case StragglerKind::one_host:
      if (stragglers.is_whole_host) {
        return why_slower(times, stragglers, typical_of([this](std::size_t row) {
                            return part_of(row).head.host == stragglers.host;
                          }));
      }
      [[fallthrough]];
    case StragglerKind::rotating: {
      std::vector<std::size_t> slow;
      for (std::size_t row = 0; row < rank_count(); ++row) {
        const bool is_of_host = part_of(row).head.host == stragglers.host;
        if (stragglers.kind == StragglerKind::rotating || is_of_host) slow.push_back(row);
      }
      return why_slower(times, stragglers, slow);
    }
    default:
      return {};
  }
}

base::Result<SharedRunFigures> make_run_figures(RunSummary summary, const RankSet& only) {
  auto figures = std::make_shared<RunFigures>();
  figures->summary = std::move(summary);
  const RunSummary& all = figures->summary;
  Clocks clocks = align_clocks(all);
  TimeMatches by_time = match_by_time(figures->summary, clocks);
  const std::vector<int64_t> ranks = all.ranks();
  const std::map<std::string, int64_t> members = present_members(all);
  figures->missing = missing_ranks(ranks, all.world_size());
  figures->lacking = lacking_text(all);
  figures->ranks_of_run = ranks.size();
  if (!only.empty()) {
    DLVIEW_TRY(keep_only(only, figures->summary.parts, clocks.fits));
    figures->only = RankSet(figures->summary.ranks());
    figures->not_there = only.without(figures->only);
  }
  base::Result<RankTimes> times =
      rank_times(figures->summary, clocks.mismatched, std::move(by_time));
  if (!times) return times.error();
  figures->times = *std::move(times);
  figures->collectives = collective_rows(figures->summary, figures->times, members);
  figures->clocks = std::move(clocks.fits);
  figures->stragglers = find_stragglers(figures->times, figures->summary);
  figures->why = figures->why_slow();
  return SharedRunFigures(std::move(figures));
}

}  // namespace dlview::ranks
