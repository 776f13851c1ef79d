#include "ranks/match_by_time.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

#include "ranks/stored_parts.h"

namespace dlview::ranks {
namespace {

constexpr std::size_t kBand = 64;  // that calls of two ranks may be apart in their order
constexpr std::size_t kMostMembers = 1024;
// Of the calls that collectives would have with all members, those that are there.
constexpr double kLeastOfGroup = 0.95, kLeastOfIteration = 0.75;

// A call on the clock of the lowest rank.
struct TimedCall {
  const ClockSample* sample = nullptr;
  std::size_t member = 0;  // its rank among those of the group
  int64_t start_ns = 0, stop_ns = 0;
  int64_t duration_ns() const { return stop_ns - start_ns; }
};
// Of an iteration, by rank, in order of their ends.
using CallsOfRank = std::vector<TimedCall>;

// A collective: a call of each member at most, the first one of the rank with most calls.
struct FoundCollective {
  std::vector<TimedCall> calls;
  int64_t stop_ns() const { return calls.front().stop_ns; }
};

bool are_alike(const TimedCall& a, const TimedCall& b) {
  return a.sample->collective == b.sample->collective && a.sample->bytes == b.sample->bytes;
}

// How far the ends of two calls of one collective may lie apart.
int64_t most_apart(const FoundCollective& collective, const TimedCall& call, int64_t error_ns) {
  const int64_t transfer_ns = std::min(collective.calls.front().duration_ns(), call.duration_ns());
  return most_between_ends(error_ns, transfer_ns);
}

int64_t distance(int64_t a, int64_t b) {
  return a < b ? b - a : a - b;
}

// Adds the calls of a rank to the collectives of others, both in order of their ends: the cheapest
// way through both, where a pair costs the time between its ends and a call that stays alone half
// of what may be between two ends.
class CallAligner {
 public:
  CallAligner(const std::vector<FoundCollective>& collectives, const CallsOfRank& calls,
              int64_t error_ns)
      : collectives_(collectives),
        calls_(calls),
        error_ns_(error_ns),
        alone_ns_(static_cast<double>(most_between_ends(error_ns, 0)) / 2),
        band_(kBand + (calls.size() < collectives.size() ? collectives.size() - calls.size()
                                                         : calls.size() - collectives.size())) {}

  std::vector<FoundCollective> align() {
    fill();
    std::vector<FoundCollective> all;
    std::size_t i = collectives_.size(), j = calls_.size();
    while (i > 0 || j > 0) {
      switch (step(i, j)) {
        case Step::pair:
          all.push_back(collectives_[--i]);
          all.back().calls.push_back(calls_[--j]);
          break;
        case Step::collective_alone:
          all.push_back(collectives_[--i]);
          break;
        case Step::call_alone:
          all.push_back({{calls_[--j]}});
          break;
      }
    }
    std::ranges::reverse(all);
    return all;
  }

 private:
  enum class Step : uint8_t { pair, collective_alone, call_alone };

  std::size_t first_of(std::size_t i) const { return i < band_ ? 0 : i - band_; }
  std::size_t last_of(std::size_t i) const { return std::min(calls_.size(), i + band_); }
  double cost(std::size_t i, std::size_t j) const {
    return j < first_of(i) || j > last_of(i) ? INFINITY : costs_[i][j - first_of(i)];
  }
  double pair_cost(std::size_t i, std::size_t j) const {
    const FoundCollective& collective = collectives_[i];
    const TimedCall& call = calls_[j];
    const int64_t apart_ns = distance(collective.stop_ns(), call.stop_ns);
    const bool fits = are_alike(collective.calls.front(), call) &&
                      apart_ns <= most_apart(collective, call, error_ns_);
    return fits ? static_cast<double>(apart_ns) : INFINITY;
  }
  // Of the ways to (i, j) the cheapest; a pair before a call alone.
  std::pair<double, Step> best(std::size_t i, std::size_t j) const {
    std::pair<double, Step> best{INFINITY, Step::pair};
    if (i > 0 && j > 0) best.first = cost(i - 1, j - 1) + pair_cost(i - 1, j - 1);
    if (i > 0 && cost(i - 1, j) + alone_ns_ < best.first) {
      best = {cost(i - 1, j) + alone_ns_, Step::collective_alone};
    }
    if (j > 0 && cost(i, j - 1) + alone_ns_ < best.first) {
      best = {cost(i, j - 1) + alone_ns_, Step::call_alone};
    }
    return best;
  }
  Step step(std::size_t i, std::size_t j) const { return best(i, j).second; }

  void fill() {
    costs_.resize(collectives_.size() + 1);
    for (std::size_t i = 0; i < costs_.size(); ++i) {
      costs_[i].assign(last_of(i) - first_of(i) + 1, INFINITY);
      for (std::size_t j = first_of(i); j <= last_of(i); ++j) {
        costs_[i][j - first_of(i)] = i == 0 && j == 0 ? 0 : best(i, j).first;
      }
    }
  }

  const std::vector<FoundCollective>& collectives_;
  const CallsOfRank& calls_;
  const int64_t error_ns_;
  const double alone_ns_;
  const std::size_t band_;
  std::vector<std::vector<double>> costs_;  // [i][j - first_of(i)]: of the first i and j
};

class TimeMatcher {
 public:
  TimeMatcher(RunSummary& summary, Clocks& clocks) : summary_(summary), clocks_(clocks) {}

  TimeMatches match() {
    find_doubtful();
    for (const auto& [group, numbers] : doubtful_) match_group(group, numbers);
    if (clocks_.mismatched.empty()) {
      for (ClockFit& fit : clocks_.fits) fit.doubt.clear();
    }
    return std::move(matches_);
  }

 private:
  using Numbers = std::set<int64_t>;
  struct Member {
    int64_t rank = 0;
    int64_t error_ns = 0;  // of its clock
    std::vector<ClockSample> samples;
    const ClockFit* clock = nullptr;
  };

  // Iterations in which a member lacks calls, calls of one place differ or do not end together, and
  // all of groups of which that is true too often.
  void find_doubtful() {
    if (summary_.rules.matching == SummaryRules::Matching::sequence) return;
    doubtful_ = clocks_.apart;
    std::map<std::pair<std::string, int64_t>, int64_t> members;
    for (const auto& [key, sum] : summary_.collectives) {
      if (!sum.number) continue;
      const auto [known, is_new] = members.try_emplace({key.group, *sum.number}, sum.members);
      const bool lacks = !is_new && known->second != sum.members;
      if (lacks) lacking_.emplace(key.group, *sum.number);
      if (lacks || !sum.agrees || clocks_.mismatched.contains(key.group)) {
        doubtful_[key.group].insert(*sum.number);
      }
    }
  }

  // The calls of the group on each rank; false = some cannot be read, or have no clock.
  bool read_members(const std::string& group, std::vector<Member>& members) const {
    ColumnReader reader;
    for (std::size_t part = 0; part < summary_.parts.size(); ++part) {
      const RankPart& its = summary_.parts[part];
      if (!its.groups.contains(group)) continue;
      const ClockFit& clock = clocks_.fits[part];
      if (clock.by == ClockBy::utc || clock.by == ClockBy::none) return false;
      auto samples = reader.clock(its);
      if (!samples) return false;
      std::erase_if(*samples, [&](const ClockSample& each) { return each.group != group; });
      members.push_back({its.head.rank, clock.error_ns, *std::move(samples), &clock});
    }
    return members.size() > 1 && members.size() <= kMostMembers;
  }

  // Of (rank, number of the iteration), how many calls of the group there are.
  std::map<std::pair<int64_t, int64_t>, int64_t> counts_of(const std::string& group) const {
    std::map<std::pair<int64_t, int64_t>, int64_t> counts;
    ColumnReader reader;
    std::vector<int64_t> numbers, calls;
    for (const RankPart& part : summary_.parts) {
      const auto found = part.groups.find(group);
      if (found == part.groups.end()) continue;
      const auto place = static_cast<std::size_t>(std::distance(part.groups.begin(), found));
      if (!reader.read(part, RowColumn::number, numbers)) continue;
      if (!reader.read(part, place, 0, calls)) continue;
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        counts[{part.head.rank, numbers[i]}] = calls[i];
      }
    }
    return counts;
  }

  void match_group(const std::string& group, const Numbers& numbers) {
    std::vector<Member> members;
    if (!read_members(group, members)) return;
    const auto counts = counts_of(group);
    std::set<int64_t> ranks;
    for (const Member& member : members) ranks.insert(member.rank);
    std::map<int64_t, std::vector<FoundCollective>> matched;
    Filled of_group;
    for (const int64_t number : numbers) {
      auto calls = calls_in(members, number, counts);
      if (!calls) continue;
      auto& collectives = matched[number] = aligned(std::move(*calls), members);
      of_group.add(collectives, ranks.size());
    }
    const bool was_mismatched = clocks_.mismatched.contains(group);
    if (was_mismatched) {
      if (matched.size() < numbers.size() || of_group.share() < kLeastOfGroup) return;
      clocks_.mismatched.erase(group);
    }
    for (const auto& [number, collectives] : matched) {
      Filled filled;
      filled.add(collectives, ranks.size());
      // What only some clock doubts stays as it is unless all of it is found.
      const bool is_known_to_be_wrong = was_mismatched || lacking_.contains({group, number});
      if (filled.share() >= (is_known_to_be_wrong ? kLeastOfIteration : 1)) {
        take(group, number, collectives, members);
      }
    }
  }

  // The places of members in collectives, and the calls there.
  struct Filled {
    std::size_t places = 0, calls = 0;
    void add(const std::vector<FoundCollective>& collectives, std::size_t members) {
      places += collectives.size() * members;
      for (const FoundCollective& each : collectives) calls += each.calls.size();
    }
    double share() const {
      return places == 0 ? 0 : static_cast<double>(calls) / static_cast<double>(places);
    }
  };

  // By rank, in order of their ends; nullopt = not all were kept.
  static std::optional<std::vector<CallsOfRank>> calls_in(
      const std::vector<Member>& members, int64_t number,
      const std::map<std::pair<int64_t, int64_t>, int64_t>& counts) {
    std::vector<CallsOfRank> calls;
    for (std::size_t member = 0; member < members.size(); ++member) {
      const Member& its = members[member];
      const auto by_place = [](const ClockSample& sample) { return sample.place; };
      auto at = std::ranges::lower_bound(its.samples, number * kPlacesOfIteration, {}, by_place);
      CallsOfRank of_rank;
      for (; at != its.samples.end() && at->place / kPlacesOfIteration == number; ++at) {
        of_rank.push_back({&*at, member, its.clock->to_reference(at->start_ns),
                           its.clock->to_reference(at->stop_ns)});
      }
      const auto count = counts.find({its.rank, number});
      const int64_t expected = count == counts.end() ? 0 : count->second;
      if (std::ssize(of_rank) != expected) {
        // A part of the rank that has other iterations.
        if (of_rank.empty() && is_elsewhere(members, member)) continue;
        return std::nullopt;
      }
      if (of_rank.empty()) continue;
      std::ranges::stable_sort(of_rank, {}, &TimedCall::stop_ns);
      calls.push_back(std::move(of_rank));
    }
    return calls;
  }

  static bool is_elsewhere(const std::vector<Member>& members, std::size_t member) {
    return std::ranges::count(members, members[member].rank, &Member::rank) > 1;
  }

  static std::vector<FoundCollective> aligned(std::vector<CallsOfRank> calls,
                                              const std::vector<Member>& members) {
    std::ranges::stable_sort(calls, std::ranges::greater{}, &CallsOfRank::size);
    std::vector<FoundCollective> collectives;
    for (const CallsOfRank& of_rank : calls) {
      if (collectives.empty()) {
        for (const TimedCall& call : of_rank) collectives.push_back({{call}});
        continue;
      }
      const int64_t error_ns = std::max(members[of_rank.front().member].error_ns,
                                        members[calls.front().front().member].error_ns);
      collectives = CallAligner(collectives, of_rank, error_ns).align();
    }
    return collectives;
  }

  void take(const std::string& group, int64_t number,
            const std::vector<FoundCollective>& collectives, const std::vector<Member>& members) {
    const int64_t first = number * kPlacesOfIteration;
    auto& map = summary_.collectives;
    map.erase(map.lower_bound({group, first}),
              map.lower_bound({group, first + kPlacesOfIteration}));
    struct PlacedCall {
      int64_t place = 0, least_ns = 0;
    };
    std::map<int64_t, std::vector<PlacedCall>> by_rank;
    for (std::size_t at = 0; at < collectives.size(); ++at) {
      const int64_t place = first + static_cast<int64_t>(at);
      CollectiveSum sum;
      for (const TimedCall& call : collectives[at].calls) {
        const CollectiveSum one = sum_of(*call.sample, members[call.member].rank, number);
        if (sum.members == 0) {
          sum = one;
        } else {
          sum.merge(one);
        }
      }
      for (const TimedCall& call : collectives[at].calls) {
        const int64_t rank = members[call.member].rank;
        matches_.places[{rank, group, call.sample->place}] = place;
        by_rank[rank].push_back({call.sample->place, sum.least_ns});
      }
      map.emplace(CollectiveKey{group, place}, sum);
    }
    auto& of_ranks = matches_.iterations[{group, number}];
    for (auto& [rank, calls] : by_rank) {
      if (calls.size() < collectives.size()) continue;
      std::ranges::sort(calls, std::ranges::greater{}, &PlacedCall::place);
      TimeMatches::OfRank& its = of_ranks[rank];
      for (const PlacedCall& call : calls) its.least_ns[call_class(its.calls++)] += call.least_ns;
    }
  }

  static CollectiveSum sum_of(const ClockSample& sample, int64_t rank, int64_t number) {
    return CollectiveSum::of_call(rank, number, sample.collective, sample.bytes,
                                  sample.stop_ns - sample.start_ns, sample.exposed_ns);
  }

  RunSummary& summary_;
  Clocks& clocks_;
  std::map<std::string, Numbers> doubtful_;  // by group
  std::set<std::pair<std::string, int64_t>>
      lacking_;  // (group, number), where some rank lacks calls
  TimeMatches matches_;
};

}  // namespace

const TimeMatches::ByRank* TimeMatches::find(const std::string& group, int64_t number) const {
  if (iterations.empty()) return nullptr;
  const auto found = iterations.find({group, number});
  return found == iterations.end() ? nullptr : &found->second;
}

int64_t TimeMatches::place_of(int64_t rank, const std::string& group, int64_t place) const {
  if (places.empty()) return place;
  const auto found = places.find({rank, group, place});
  return found == places.end() ? place : found->second;
}

TimeMatches match_by_time(RunSummary& summary, Clocks& clocks) {
  return TimeMatcher(summary, clocks).match();
}

}  // namespace dlview::ranks
