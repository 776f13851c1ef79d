#include "ranks/match_by_time.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <optional>
#include <tuple>

#include "base/stop_point.h"
#include "ranks/clock_edge.h"
#include "ranks/stored_parts.h"

namespace dlview::ranks {
namespace {

constexpr std::size_t kBand = 64;  // that calls of two ranks may be apart in their order
constexpr std::size_t kMostMembers = 1024;
// Of the calls that could have a partner, and of those that collectives would have with all
// members.
constexpr double kLeastOfGroup = 0.95, kLeastOfIteration = 0.75;
// Of an iteration: its calls have a place in 64 bits.
constexpr int64_t kMostNumber = INT64_MAX / kPlacesOfIteration - 1;

// A rank of the group, or a stretch of its iterations.
struct Member {
  int64_t rank = 0;
  const ClockFit* clock = nullptr;
  std::vector<ClockSample> samples;     // of doubtful iterations, by place; without the group
  std::map<int64_t, int64_t> calls_of;  // by number of the iteration
};

// A call on the clock of the lowest rank.
struct TimedCall {
  const Member* member = nullptr;
  const ClockSample* sample = nullptr;
  int64_t stop_ns = 0;
  int64_t duration_ns() const {
    return plausible(wrapping_difference(sample->stop_ns, sample->start_ns));
  }
};
using TimedCalls = std::vector<TimedCall>;  // of a rank in an iteration, in order of their ends

// A call of each member at most.
struct FoundCollective {
  TimedCalls calls;
  const TimedCall& first() const { return calls.front(); }
};
using FoundCollectives = std::vector<FoundCollective>;

// Between two ends, as a share of what may lie between those of one collective; above 1: they are
// none.
double distance(const TimedCall& a, const TimedCall& b) {
  if (!are_alike(*a.sample, *b.sample)) return INFINITY;
  const double error_ns = std::hypot(static_cast<double>(a.member->clock->error_ns),
                                     static_cast<double>(b.member->clock->error_ns));
  const int64_t most_ns = most_between_ends(error_ns, std::min(a.duration_ns(), b.duration_ns()));
  const double apart_ns = std::abs(static_cast<double>(Wide{a.stop_ns} - b.stop_ns));
  const double share = apart_ns / static_cast<double>(most_ns);
  return share <= 1 ? share : INFINITY;
}

// Adds the calls of a rank to the collectives of others, both in order of their ends: the cheapest
// way through both, where a pair costs its distance and a call that stays alone a half.
class CallAligner {
 public:
  CallAligner(FoundCollectives collectives, const TimedCalls& calls)
      : collectives_(std::move(collectives)),
        calls_(calls),
        band_(kBand + std::max(calls.size(), collectives_.size()) -
              std::min(calls.size(), collectives_.size())) {}

  FoundCollectives align() {
    fill();
    FoundCollectives all;
    std::size_t i = collectives_.size(), j = calls_.size();
    while (i > 0 || j > 0) {
      const Step step = best(i, j).second;
      if (step == Step::call_alone) {
        all.push_back({{calls_[--j]}});
      } else {
        all.push_back(std::move(collectives_[--i]));
        if (step == Step::pair) all.back().calls.push_back(calls_[--j]);
      }
    }
    std::ranges::reverse(all);
    return all;
  }

 private:
  enum class Step : uint8_t { pair, collective_alone, call_alone };
  static constexpr double kAlone = 0.5;

  std::size_t first_of(std::size_t i) const { return i < band_ ? 0 : i - band_; }
  std::size_t last_of(std::size_t i) const { return std::min(calls_.size(), i + band_); }
  double cost(std::size_t i, std::size_t j) const {
    return j < first_of(i) || j > last_of(i) ? INFINITY : costs_[i][j - first_of(i)];
  }
  // Of the ways to (i, j) the cheapest; a pair before a call alone.
  std::pair<double, Step> best(std::size_t i, std::size_t j) const {
    std::pair<double, Step> best{INFINITY, Step::pair};
    if (i > 0 && j > 0) {
      best.first = cost(i - 1, j - 1) + distance(collectives_[i - 1].first(), calls_[j - 1]);
    }
    if (i > 0 && cost(i - 1, j) + kAlone < best.first) {
      best = {cost(i - 1, j) + kAlone, Step::collective_alone};
    }
    if (j > 0 && cost(i, j - 1) + kAlone < best.first) {
      best = {cost(i, j - 1) + kAlone, Step::call_alone};
    }
    return best;
  }

  void fill() {
    costs_.resize(collectives_.size() + 1);
    for (std::size_t i = 0; i < costs_.size(); ++i) {
      base::stop_point();
      costs_[i].assign(last_of(i) - first_of(i) + 1, INFINITY);
      for (std::size_t j = first_of(i); j <= last_of(i); ++j) {
        costs_[i][j - first_of(i)] = i == 0 && j == 0 ? 0 : best(i, j).first;
      }
    }
  }

  FoundCollectives collectives_;
  const TimedCalls& calls_;
  const std::size_t band_;
  std::vector<std::vector<double>> costs_;  // [i][j - first_of(i)]: of the first i and j
};

// The places of members in collectives, and the calls there.
struct Filled {
  std::size_t places = 0, calls = 0;
  std::size_t paired = 0, pairable = 0;  // calls that have a partner, and those that could have one
  void add(const FoundCollectives& collectives, std::size_t members) {
    places += collectives.size() * members;
    std::map<const Member*, std::size_t> calls_of;
    for (const FoundCollective& each : collectives) {
      calls += each.calls.size();
      if (each.calls.size() > 1) paired += each.calls.size();
      for (const TimedCall& call : each.calls) ++calls_of[call.member];
    }
    std::size_t most = 0, second = 0;
    for (const auto& [member, count] : calls_of) {
      second = std::max(second, std::min(most, count));
      most = std::max(most, count);
    }
    for (const auto& [member, count] : calls_of) pairable += std::min(count, second);
  }
  // As if each call of the first rank were alone.
  void add_alone(const std::vector<TimedCalls>& calls_of_ranks, std::size_t members) {
    places += calls_of_ranks.front().size() * members;
    calls += calls_of_ranks.front().size();
    pairable += calls_of_ranks.front().size();
  }
  double share() const { return share(calls, places); }
  double share_of_pairs() const { return share(paired, pairable); }

 private:
  static double share(std::size_t part, std::size_t all) {
    return all == 0 ? 0 : static_cast<double>(part) / static_cast<double>(all);
  }
};

// The rank with most calls begins. nullopt = too few have a partner.
std::optional<FoundCollectives> aligned(std::vector<TimedCalls> calls) {
  std::ranges::stable_sort(calls, std::ranges::greater{}, &TimedCalls::size);
  FoundCollectives collectives;
  for (const TimedCalls& of_rank : calls) {
    collectives = CallAligner(std::move(collectives), of_rank).align();
    // No later rank has more calls than the first one.
    const double most_calls = static_cast<double>(calls.front().size());
    if (most_calls < kLeastOfIteration * static_cast<double>(collectives.size())) {
      return std::nullopt;
    }
  }
  return collectives;
}

class TimeMatcher {
 public:
  TimeMatcher(RunSummary& summary, Clocks& clocks) : summary_(summary), clocks_(clocks) {}

  TimeMatches match() {
    if (summary_.rules.matching == SummaryRules::Matching::sequence) return {};
    find_doubtful();
    if (doubtful_.empty()) return {};
    for (std::size_t part = 0; part < summary_.parts.size(); ++part) {
      for (const auto& [group, rows] : summary_.parts[part].groups) {
        if (doubtful_.contains(group)) parts_of_[group].push_back(part);
      }
    }
    const bool had_mismatched = !clocks_.mismatched.empty();
    for (const auto& [group, numbers] : doubtful_) match_group(group, numbers);
    if (had_mismatched && clocks_.mismatched.empty()) {
      for (ClockFit& fit : clocks_.fits) fit.doubt.clear();
    }
    return std::move(matches_);
  }

 private:
  using Numbers = std::set<int64_t>;

  // Iterations in which a member lacks calls, calls of one place differ or do not end together, and
  // all of groups of which that is true too often.
  void find_doubtful() {
    doubtful_ = clocks_.apart;
    std::string_view group;
    Numbers* of_group = nullptr;
    bool is_mismatched = false;
    int64_t number = 0, members = -1;
    for (const auto& [key, sum] : summary_.collectives) {
      if (!sum.number || *sum.number < 0 || *sum.number > kMostNumber) continue;
      const bool is_same_group = group == key.group;
      if (!is_same_group) {
        group = key.group;
        of_group = nullptr;
        is_mismatched = clocks_.mismatched.contains(key.group);
      }
      if (!is_same_group || number != *sum.number) members = -1;
      number = *sum.number;
      const bool lacks = members >= 0 && members != sum.members;
      members = sum.members;
      if (lacks) lacking_.emplace(key.group, number);
      if (!lacks && sum.is_one() && !is_mismatched) continue;
      if (of_group == nullptr) of_group = &doubtful_[key.group];
      of_group->insert(number);
    }
    for (auto& [name, numbers] : doubtful_) {
      std::erase_if(numbers, [](int64_t each) { return each < 0 || each > kMostNumber; });
    }
  }

  // false = some cannot be read, have no clock, or are too many.
  bool read_members(const std::string& group, const Numbers& numbers,
                    std::vector<Member>& members) const {
    std::set<int64_t> ranks;
    for (const std::size_t part : parts_of_.at(group)) {
      ranks.insert(summary_.parts[part].head.rank);
      const ClockBy by = clocks_.fits[part].by;
      if (by == ClockBy::utc || by == ClockBy::none) return false;
    }
    if (ranks.size() < 2 || ranks.size() > kMostMembers) return false;
    ColumnReader reader;
    std::vector<int64_t> iterations, calls;
    for (const std::size_t at : parts_of_.at(group)) {
      base::stop_point();
      const RankPart& part = summary_.parts[at];
      auto samples = reader.clock(part);
      const auto place =
          static_cast<std::size_t>(std::distance(part.groups.begin(), part.groups.find(group)));
      const bool is_read = samples && reader.read(part, RowColumn::number, iterations) &&
                           reader.read(part, place, 0, calls);
      if (!is_read) return false;
      Member& member = members.emplace_back();
      member.rank = part.head.rank;
      member.clock = &clocks_.fits[at];
      for (std::size_t i = 0; i < iterations.size(); ++i) member.calls_of[iterations[i]] = calls[i];
      for (ClockSample& sample : *samples) {
        if (sample.group != group || !numbers.contains(sample.place / kPlacesOfIteration)) continue;
        sample.group.clear();
        member.samples.push_back(std::move(sample));
      }
      member.samples.shrink_to_fit();
    }
    return true;
  }

  void match_group(const std::string& group, const Numbers& numbers) {
    std::vector<Member> members;
    if (!parts_of_.contains(group) || !read_members(group, numbers, members)) return;
    std::set<int64_t> ranks;
    for (const Member& member : members) ranks.insert(member.rank);
    const bool was_mismatched = clocks_.mismatched.contains(group);
    std::map<int64_t, FoundCollectives> matched;
    Filled of_group;
    for (const int64_t number : numbers) {
      auto calls = calls_in(members, number, ranks.size());
      if (!calls && was_mismatched) return;
      if (!calls || calls->empty()) continue;  // not an iteration of all ranks
      if (auto collectives = aligned(*calls)) {
        of_group.add(*collectives, ranks.size());
        matched.emplace(number, *std::move(collectives));
      } else {
        of_group.add_alone(*calls, ranks.size());
      }
    }
    if (was_mismatched) {
      if (of_group.share_of_pairs() < kLeastOfGroup || of_group.share() < kLeastOfIteration) return;
      clocks_.mismatched.erase(group);
    }
    for (const int64_t number : numbers) {
      const auto found = matched.find(number);
      Filled filled;
      if (found != matched.end()) filled.add(found->second, ranks.size());
      // Where places are not known to be wrong, the result is taken only if it is whole or has
      // others.
      const bool is_wrong = was_mismatched || lacking_.contains({group, number}) ||
                            (found != matched.end() && has_other_pairs(found->second));
      if (filled.share() >= (is_wrong ? kLeastOfIteration : 1)) {
        take(group, number, found->second);
      } else if (was_mismatched) {
        matches_.unknown.emplace(group, number);
      }
    }
  }

  static bool has_other_pairs(const FoundCollectives& collectives) {
    return std::ranges::any_of(collectives, [](const FoundCollective& each) {
      return std::ranges::any_of(each.calls, [&each](const TimedCall& call) {
        return call.sample->place != each.first().sample->place;
      });
    });
  }

  // By rank; empty = some rank does not have the iteration, nullopt = not all calls were kept.
  static std::optional<std::vector<TimedCalls>> calls_in(const std::vector<Member>& members,
                                                         int64_t number, std::size_t ranks) {
    std::vector<TimedCalls> calls;
    std::size_t ranks_with = 0;
    bool are_kept = true;
    for (const Member& member : members) {
      const auto expected = member.calls_of.find(number);
      if (expected == member.calls_of.end()) continue;
      ++ranks_with;
      TimedCalls of_rank;
      for (auto at = std::ranges::lower_bound(member.samples, number * kPlacesOfIteration, {},
                                              &ClockSample::place);
           at != member.samples.end() && at->place / kPlacesOfIteration == number; ++at) {
        of_rank.push_back({&member, &*at, member.clock->to_reference(at->stop_ns)});
      }
      are_kept = are_kept && std::ssize(of_rank) == expected->second;
      std::ranges::stable_sort(of_rank, {}, &TimedCall::stop_ns);
      calls.push_back(std::move(of_rank));
    }
    if (ranks_with < ranks) return std::vector<TimedCalls>();
    if (!are_kept) return std::nullopt;
    return calls;
  }

  void take(const std::string& group, int64_t number, const FoundCollectives& collectives) {
    const int64_t first = number * kPlacesOfIteration;
    auto& map = summary_.collectives;
    for (auto at = map.lower_bound({group, first}); at != map.end() && at->first.group == group &&
                                                    at->first.place - first < kPlacesOfIteration;
         at = map.erase(at)) {
      matches_.replaced.insert(*at);
    }
    struct PlacedCall {
      int64_t place = 0, least_ns = 0;
    };
    std::map<int64_t, std::vector<PlacedCall>> by_rank;
    for (std::size_t at = 0; at < collectives.size(); ++at) {
      const int64_t place = first + static_cast<int64_t>(at);
      CollectiveSum sum;
      for (const TimedCall& call : collectives[at].calls) {
        const ClockSample& sample = *call.sample;
        const CollectiveSum one =
            CollectiveSum::of_call(call.member->rank, number, sample.collective, sample.bytes,
                                   call.duration_ns(), sample.exposed_ns);
        if (sum.members == 0) {
          sum = one;
        } else {
          sum.merge(one);
        }
      }
      for (const TimedCall& call : collectives[at].calls) {
        by_rank[call.member->rank].push_back({call.sample->place, sum.least_ns});
        if (call.sample->place == place) continue;
        matches_.moves[group].push_back({call.member->rank, call.sample->place, place});
      }
      map.emplace(CollectiveKey{group, place}, sum);
    }
    auto& of_ranks = matches_.iterations[{group, number}];
    for (auto& [rank, calls] : by_rank) {
      if (calls.size() < collectives.size()) continue;
      std::ranges::sort(calls, std::ranges::greater{}, &PlacedCall::place);
      TimeMatches::OfRank& its = of_ranks[rank];
      for (const PlacedCall& call : calls) {
        int64_t& least_ns = its.least_ns[call_class(its.calls++)];
        least_ns = plausible(least_ns + call.least_ns);
      }
    }
  }

  RunSummary& summary_;
  Clocks& clocks_;
  std::map<std::string, Numbers> doubtful_;  // by group
  std::map<std::string, std::vector<std::size_t>> parts_of_;
  std::set<IterationOfGroup> lacking_;  // where some rank lacks calls
  TimeMatches matches_;
};

auto order_of(const TimeMatches::Move& move) {
  return std::pair(move.rank, move.from);
}

}  // namespace

const TimeMatches::ByRank* TimeMatches::find(const std::string& group, int64_t number) const {
  if (iterations.empty()) return nullptr;
  const auto found = iterations.find({group, number});
  return found == iterations.end() ? nullptr : &found->second;
}

int64_t TimeMatches::place_of(int64_t rank, const std::string& group, int64_t place) const {
  const auto of_group = moves.find(group);
  if (of_group == moves.end()) return place;
  const auto move =
      std::ranges::lower_bound(of_group->second, std::pair(rank, place), {}, order_of);
  const bool has_moved =
      move != of_group->second.end() && order_of(*move) == std::pair(rank, place);
  return has_moved ? move->to : place;
}

TimeMatches match_by_time(RunSummary& summary, Clocks& clocks) {
  TimeMatches matches = TimeMatcher(summary, clocks).match();
  for (auto& [group, moves] : matches.moves) std::ranges::sort(moves, {}, order_of);
  return matches;
}

void undo(const TimeMatches& matches, RunSummary& summary) {
  for (const auto& [iteration, ranks] : matches.iterations) {
    const auto& [group, number] = iteration;
    const int64_t first = number * kPlacesOfIteration;
    const auto begin = summary.collectives.lower_bound({group, first});
    summary.collectives.erase(
        begin, summary.collectives.upper_bound({group, first + (kPlacesOfIteration - 1)}));
  }
  summary.collectives.insert(matches.replaced.begin(), matches.replaced.end());
}

}  // namespace dlview::ranks
