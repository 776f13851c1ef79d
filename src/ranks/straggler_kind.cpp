#include "ranks/straggler_kind.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

namespace dlview::ranks {
namespace {

constexpr std::size_t kFewestIterations = 10;
constexpr int64_t kFewestKnown = 5;   // iterations of a rank, that tell whether it is always slow
constexpr double kCheapShare = 0.01;  // of the steps, below which stragglers do not matter
constexpr double kMostOften = 0.5;    // of the stragglers, that are one rank
constexpr double kMostChance = 0.001;
constexpr double kConcordant = 0.1;  // Kendall's W below which the order is chance
// Unusual costs are beyond five times the median one. What is beyond makes a burst if it is a
// quarter of all costs, which is one rank's if it has more than half of it.
constexpr int64_t kUnusual = 5;
constexpr int64_t kBurstFraction = 4, kOwnFraction = 2;
constexpr double kWholeHost = 0.75;  // of its ranks, that are always slow

double log_choose(int64_t of, int64_t count) {
  const auto n = static_cast<double>(of), k = static_cast<double>(count);
  return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
}

// P(Binomial(trials, p) >= count).
double binomial_tail(int64_t trials, double p, int64_t count) {
  if (count <= 0) return 1;
  double sum = 0;
  for (int64_t k = count; k <= trials; ++k) {
    sum += std::exp(log_choose(trials, k) + static_cast<double>(k) * std::log(p) +
                    static_cast<double>(trials - k) * std::log1p(-p));
  }
  return std::min(sum, 1.0);
}

// The probability that of `drawn` ones, `count` or more are among the `marked` ones of `all`.
double hypergeometric_tail(int64_t all, int64_t marked, int64_t drawn, int64_t count) {
  double sum = 0;
  for (int64_t k = count; k <= std::min(marked, drawn); ++k) {
    if (drawn - k > all - marked) continue;
    sum += std::exp(log_choose(marked, k) + log_choose(all - marked, drawn - k) -
                    log_choose(all, drawn));
  }
  return std::min(sum, 1.0);
}

class Judge {
 public:
  Judge(const RankTimes& times, const RunSummary& summary, const RankSets& peers, Stragglers& found)
      : times_(times), summary_(summary), peers_(peers), found_(found) {}

  void judge() {
    if (times_.numbers.size() < kFewestIterations || times_.ranks.size() < 2) return;
    found_.named_cost_ns = found_.mean_cost_ns;
    const auto most = std::ranges::max_element(found_.ranks, {}, &RankFigures::times_straggler);
    found_.chance = chance_of(most->times_straggler);
    if (found_.share < kCheapShare) {
      found_.kind = when_cheap();
      return;
    }
    find_slow_ranks();
    found_.kind = kind();
    if (found_.kind == StragglerKind::one_host) find_stretch_of_host();
  }

 private:
  // That one of all ranks is so often the straggler by chance.
  double chance_of(int64_t times) const {
    const int64_t trials = found_.iterations_with;
    const auto ranks = static_cast<double>(times_.ranks.size());
    return trials == 0 ? 1 : std::min(1.0, ranks * binomial_tail(trials, 1 / ranks, times));
  }

  // That a rank stands out so often by chance: of two peers, the slower one nearly always does.
  double chance_among_peers(std::size_t set, int64_t of, int64_t times) const {
    const auto peers = static_cast<double>(peers_[set].size());
    return peers < 2 ? 1 : peers * binomial_tail(of, 1 / peers, times);
  }

  const std::string& host_of(std::size_t rank) const {
    return std::ranges::lower_bound(summary_.parts, times_.ranks[rank], {},
                                    [](const RankPart& part) { return part.head.rank; })
        ->head.host;
  }

  bool is_often(int64_t times) const {
    return static_cast<double>(times) > kMostOften * static_cast<double>(found_.iterations_with);
  }

  Wide most_usual_ns() const { return Wide{kUnusual} * lower_median(found_.cost_ns); }

  // The row of the rank that most of the unusual costs are of, if these matter.
  std::optional<std::size_t> find_burst() const {
    const Wide usual_ns = most_usual_ns();
    std::map<int32_t, Wide> by_rank;
    Wide unusual = 0, all = 0;
    for (std::size_t i = 0; i < found_.cost_ns.size(); ++i) {
      all += found_.cost_ns[i];
      const Wide beyond_ns = found_.cost_ns[i] - usual_ns;
      if (found_.straggler[i] < 0 || beyond_ns <= 0) continue;
      by_rank[found_.straggler[i]] += beyond_ns;
      unusual += beyond_ns;
    }
    if (by_rank.empty() || kBurstFraction * unusual < all) return std::nullopt;
    const auto most =
        std::ranges::max_element(by_rank, {}, [](const auto& entry) { return entry.second; });
    if (kOwnFraction * most->second <= unusual) return std::nullopt;
    return static_cast<std::size_t>(most->first);
  }

  void find_slow_ranks() {
    const std::optional<std::size_t> burst = find_burst();
    const auto expected =
        static_cast<double>(found_.iterations_with) / static_cast<double>(times_.ranks.size());
    for (std::size_t row = 0; row < found_.ranks.size(); ++row) {
      const RankFigures& figures = found_.ranks[row];
      SlowRank slow;
      slow.row = row;
      slow.times = figures.times_straggler;
      slow.times_slow = figures.times_slow;
      slow.of = found_.are_waits_known ? figures.known_waits
                                       : static_cast<int64_t>(times_.numbers.size());
      slow.is_always = slow.of >= kFewestKnown && 2 * figures.times_slow > slow.of &&
                       chance_among_peers(figures.peers, slow.of, figures.times_slow) < kMostChance;
      slow.is_burst = burst == row;
      const bool is_frequent =
          static_cast<double>(slow.times) > expected && chance_of(slow.times) < kMostChance;
      if (slow.times > 0) slow.stretch = stretch_of(row, slow.is_burst);
      if (!slow.is_always && !slow.is_burst && !is_frequent && !slow.stretch) continue;
      slow.cost_ns = static_cast<double>(figures.straggler_cost_ns) /
                     static_cast<double>(std::max<int64_t>(slow.of, 1));
      found_.slow.push_back(slow);
    }
    std::ranges::stable_sort(found_.slow, std::ranges::greater{}, &SlowRank::cost_ns);
  }

  bool knows(std::size_t row, std::size_t iteration) const {
    return !found_.are_waits_known || times_.wait_ns.at(row, iteration) >= 0;
  }

  // The iterations in which a rank is slow; without any in which nothing is known of it.
  std::optional<Stretch> stretch_of(std::size_t row, bool is_burst) const {
    std::vector<std::size_t> columns;
    std::vector<bool> is_slow;
    for (std::size_t i = 0; i < times_.numbers.size(); ++i) {
      const bool is_it = found_.straggler[i] == static_cast<int32_t>(row);
      if (!is_it && !knows(row, i)) continue;
      columns.push_back(i);
      is_slow.push_back(is_it);
    }
    if (auto stretch = stretch_within(columns, is_slow)) return stretch;
    return is_burst ? shortest_of_burst(row) : std::nullopt;
  }

  // All unusual iterations of the rank, if they follow one another.
  std::optional<Stretch> shortest_of_burst(std::size_t row) const {
    const Wide usual_ns = most_usual_ns();
    Stretch all;
    std::size_t count = 0;
    for (std::size_t i = 0; i < times_.numbers.size(); ++i) {
      const bool is_it = found_.straggler[i] == static_cast<int32_t>(row);
      if (!is_it || found_.cost_ns[i] <= usual_ns) continue;
      if (count++ == 0) all.first = i;
      all.end = i + 1;
    }
    return count == all.size() ? std::optional(all) : std::nullopt;
  }

  std::optional<Stretch> stretch_within(const std::vector<std::size_t>& columns,
                                        const std::vector<bool>& is_slow) const {
    const std::optional<Stretch> found = find_stretch(is_slow);
    if (!found) return std::nullopt;
    return Stretch{
        found->first == 0 ? 0 : columns[found->first],
        found->end == columns.size() ? times_.numbers.size() : columns[found->end - 1] + 1};
  }

  void find_stretch_of_host() {
    const bool has_gaps = !found_.hosts.empty() && found_.is_whole_host;
    std::vector<std::size_t> columns;
    std::vector<bool> is_slow;
    for (std::size_t i = 0; i < times_.numbers.size(); ++i) {
      const int32_t straggler = found_.straggler[i];
      const bool is_it =
          has_gaps ? is_slow_host(i, found_.host)
                   : straggler >= 0 && host_of(static_cast<std::size_t>(straggler)) == found_.host;
      bool is_known = is_it || (has_gaps && found_.slowest_host[i] >= 0);
      for (std::size_t row = 0; row < times_.ranks.size() && !is_known && !has_gaps; ++row) {
        is_known = host_of(row) == found_.host && knows(row, i);
      }
      if (!is_known) continue;
      columns.push_back(i);
      is_slow.push_back(is_it);
    }
    found_.stretch = stretch_within(columns, is_slow);
  }

  bool is_slow_host(std::size_t iteration, const std::string& host) const {
    const int32_t slowest = found_.slowest_host[iteration];
    return slowest >= 0 && found_.hosts[static_cast<std::size_t>(slowest)] == host &&
           static_cast<double>(found_.host_gap_ns[iteration]) >
               kLeastShareOfStep * static_cast<double>(found_.step_ns[iteration]);
  }

  struct Host {
    int64_t ranks = 0, times = 0, never = 0, always = 0;
    Wide cost_ns = 0;
  };

  std::map<std::string, Host> hosts() const {
    std::map<std::string, Host> hosts;
    for (std::size_t row = 0; row < found_.ranks.size(); ++row) {
      Host& its = hosts[host_of(row)];
      ++its.ranks;
      its.times += found_.ranks[row].times_straggler;
      its.cost_ns += found_.ranks[row].straggler_cost_ns;
      if (found_.ranks[row].times_straggler == 0) ++its.never;
    }
    for (const SlowRank& slow : found_.slow) {
      if (slow.is_always) ++hosts[host_of(slow.row)].always;
    }
    return hosts;
  }

  // Of few hosts, the one that is slowest most often and whose ranks are slower as a whole, with
  // its cost per iteration.
  std::optional<std::pair<std::string, double>> find_whole_host() const {
    if (found_.hosts.empty()) return std::nullopt;
    std::vector<int64_t> times(found_.hosts.size());
    std::vector<Wide> gaps(found_.hosts.size());
    for (std::size_t i = 0; i < found_.slowest_host.size(); ++i) {
      if (found_.slowest_host[i] < 0) continue;
      ++times[static_cast<std::size_t>(found_.slowest_host[i])];
      gaps[static_cast<std::size_t>(found_.slowest_host[i])] += found_.host_gap_ns[i];
    }
    const auto most = std::ranges::max_element(gaps) - gaps.begin();
    const auto host = static_cast<std::size_t>(most);
    const int64_t trials =
        std::ssize(found_.slowest_host) - std::ranges::count(found_.slowest_host, kNoHost);
    if (trials == 0) return std::nullopt;
    const auto count = static_cast<double>(found_.hosts.size());
    const double cost_ns = static_cast<double>(gaps[host]) / static_cast<double>(trials);
    const auto step = static_cast<double>(lower_median(found_.step_ns));
    const bool is_it = 2 * times[host] > trials && cost_ns > kCheapShare * step &&
                       count * binomial_tail(trials, 1 / count, times[host]) < kMostChance;
    return is_it ? std::optional(std::pair(found_.hosts[host], cost_ns)) : std::nullopt;
  }

  // Whether so many ranks of a host that are never the straggler are chance, if all are alike.
  static bool may_be_even(const Host& host) {
    const auto ranks = static_cast<double>(host.ranks), never = static_cast<double>(host.never);
    if (host.never == host.ranks) return false;
    const double log_chance = log_choose(host.ranks, host.never) +
                              static_cast<double>(host.times) * std::log1p(-never / ranks);
    return log_chance >= std::log(kMostChance);
  }

  // Others do not cost more.
  bool is_costly(const SlowRank& slow) const { return 2 * slow.cost_ns >= found_.mean_cost_ns; }

  StragglerKind one_rank(const SlowRank& slow) {
    found_.rank = slow.row;
    found_.stretch = slow.stretch;
    found_.named_cost_ns = slow.cost_ns;
    return StragglerKind::one_rank;
  }

  StragglerKind kind() {
    const int64_t trials = found_.iterations_with;
    const std::map<std::string, Host> all = hosts();
    const auto& [slow_host, of_host] =
        *std::ranges::max_element(all, {}, [](const auto& entry) { return entry.second.times; });
    const auto host_count = static_cast<double>(all.size());
    const bool is_host =
        all.size() > 1 && !slow_host.empty() && of_host.ranks > 1 && is_often(of_host.times) &&
        may_be_even(of_host) &&
        host_count * binomial_tail(trials, 1 / host_count, of_host.times) < kMostChance;
    const auto whole = find_whole_host();
    const auto always = std::ranges::count_if(found_.slow, &SlowRank::is_always);
    for (const SlowRank& slow : found_.slow) {
      // A rank that is not slower than others of a slow host has more than half of the times by
      // chance, if there are few of them.
      const bool is_like_its_host =
          is_host && host_of(slow.row) == slow_host &&
          static_cast<double>(of_host.ranks) * binomial_tail(of_host.times,
                                                             1 / static_cast<double>(of_host.ranks),
                                                             slow.times) >=
              kMostChance;
      const bool is_it = (is_often(slow.times) && chance_of(slow.times) < kMostChance) ||
                         (slow.is_always && always == 1 && is_costly(slow)) || slow.is_burst ||
                         slow.stretch;
      const bool is_less_than_host = whole && slow.cost_ns < 2 * whole->second;
      if (is_it && !is_like_its_host && !is_less_than_host) return one_rank(slow);
    }
    if (whole || is_host) {
      found_.host = whole ? whole->first : slow_host;
      found_.is_whole_host = whole || static_cast<double>(of_host.always) >=
                                          kWholeHost * static_cast<double>(of_host.ranks);
      found_.named_cost_ns =
          whole ? whole->second
                : static_cast<double>(of_host.cost_ns) / static_cast<double>(times_.numbers.size());
      return StragglerKind::one_host;
    }
    const auto most = std::ranges::max_element(found_.ranks, {}, &RankFigures::times_straggler);
    const bool is_even = trials > 0 && static_cast<double>(most->times_straggler) <=
                                           3 * static_cast<double>(trials) /
                                               static_cast<double>(times_.ranks.size());
    if (always == 0 && found_.concordance < kConcordant && is_even) return StragglerKind::rotating;
    return StragglerKind::several;
  }

  // No rank costs much more than its peers.
  StragglerKind when_cheap() {
    std::vector<double> means;
    std::vector<std::size_t> sets;
    for (std::size_t set = 0; set < peers_.size(); ++set) {
      std::vector<int64_t> own;
      for (const std::size_t rank : peers_[set]) {
        if (found_.has_own(rank)) own.push_back(std::llround(found_.ranks[rank].mean_own_ns));
      }
      if (own.empty()) continue;
      sets.push_back(set);
      means.push_back(static_cast<double>(lower_median(std::move(own))));
    }
    const auto [least, most] = std::ranges::minmax_element(means);
    const auto step = static_cast<double>(lower_median(found_.step_ns));
    if (means.size() > 1 && *most - *least > kCheapShare * step) {
      found_.stage = sets[static_cast<std::size_t>(most - means.begin())];
      return StragglerKind::one_stage;
    }
    return found_.outlying.empty() ? StragglerKind::none : StragglerKind::all_at_once;
  }

  const RankTimes& times_;
  const RunSummary& summary_;
  const RankSets& peers_;
  Stragglers& found_;
};

}  // namespace

void judge_stragglers(const RankTimes& times, const RunSummary& summary, const RankSets& peers,
                      Stragglers& found) {
  Judge(times, summary, peers, found).judge();
}

std::optional<Stretch> find_stretch(const std::vector<bool>& is_slow) {
  constexpr std::size_t kFewestInside = 5, kFewestOutside = 3;  // the latter on a side
  constexpr double kLeastInside = 0.6, kMostOutside = 0.1;
  const std::size_t all = is_slow.size();
  // That with the greatest surplus of slow iterations.
  Stretch best;
  int64_t surplus = 0, greatest = 0;
  for (std::size_t i = 0, begin = 0; i < all; ++i) {
    surplus += is_slow[i] ? 1 : -1;
    if (surplus <= 0) {
      surplus = 0;
      begin = i + 1;
    } else if (surplus > greatest) {
      greatest = surplus;
      best = {begin, i + 1};
    }
  }
  if (best.size() < kFewestInside || best.size() == all) return std::nullopt;
  const auto slow_in = [&](std::size_t first, std::size_t end) {
    return std::count(is_slow.begin() + static_cast<std::ptrdiff_t>(first),
                      is_slow.begin() + static_cast<std::ptrdiff_t>(end), true);
  };
  const auto share_of = [](int64_t part, std::size_t whole) {
    return static_cast<double>(part) / static_cast<double>(whole);
  };
  const int64_t slow = slow_in(0, all), inside = slow_in(best.first, best.end);
  if (share_of(inside, best.size()) < kLeastInside) return std::nullopt;
  if (share_of(slow - inside, all - best.size()) > kMostOutside) return std::nullopt;
  const double stretches = static_cast<double>(all) * static_cast<double>(all + 1) / 2;
  const double chance = stretches * hypergeometric_tail(static_cast<int64_t>(all), slow,
                                                        static_cast<int64_t>(best.size()), inside);
  if (chance >= kMostChance) return std::nullopt;
  // Fewer iterations do not show that it was different before or after.
  if (best.first < kFewestOutside) best.first = 0;
  if (all - best.end < kFewestOutside) best.end = all;
  return best.size() == all ? std::nullopt : std::optional(best);
}

}  // namespace dlview::ranks
