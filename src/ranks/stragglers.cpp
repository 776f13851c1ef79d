#include "ranks/stragglers.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <utility>

#include "base/parallel.h"
#include "ranks/iteration_columns.h"
#include "ranks/peers.h"

namespace dlview::ranks {
namespace {

constexpr std::size_t kFewestIterations = 10;
constexpr std::size_t kRanksAtOnce = 64;
constexpr double kSigmas = 3;  // beyond which a rank stands out
constexpr double kLeastShareOfStep = 0.005;
constexpr double kCheapShare = 0.01;  // of the steps, below which stragglers do not matter
constexpr double kMostOften = 0.5;    // of the stragglers, that are one rank
constexpr double kMostChance = 0.001;
constexpr double kConcordant = 0.1;  // Kendall's W below which the order is chance
constexpr double kOutlyingShare = 0.25;

int64_t mad_of(const std::vector<int64_t>& values, int64_t median) {
  std::vector<int64_t> distances;
  distances.reserve(values.size());
  for (const int64_t value : values) distances.push_back(std::abs(value - median));
  return lower_median(std::move(distances));
}

int64_t median_of_sorted(const std::vector<int64_t>& values) {
  return values.empty() ? 0 : values[(values.size() - 1) / 2];
}

// Median absolute deviation of ascending values.
int64_t mad_of_sorted(const std::vector<int64_t>& values) {
  const std::size_t middle = (values.size() - 1) / 2;
  const int64_t median = values[middle];
  // The nearest ones, to either side in turn; the median itself is the first.
  std::size_t left = middle, right = middle + 1;
  int64_t distance = 0;
  for (std::size_t taken = 0; taken < middle; ++taken) {
    const bool is_left =
        left > 0 && (right == values.size() || median - values[left - 1] <= values[right] - median);
    distance = is_left ? median - values[--left] : values[right++] - median;
  }
  return distance;
}

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

class Finder {
 public:
  Finder(const RankTimes& times, const RunSummary& summary)
      : times_(times), summary_(summary), peers_(peers_of(times, summary)) {}

  Stragglers find() {
    result_.ranks.resize(times_.ranks.size());
    for (std::size_t set = 0; set < peers_.size(); ++set) {
      for (const std::size_t rank : peers_[set]) result_.ranks[rank].peers = set;
    }
    judge_iterations();
    add_means();
    add_blame();
    find_outlying();
    judge();
    return std::move(result_);
  }

 private:
  // Of a block of iterations.
  struct Judged {
    std::vector<int64_t> step_ns, median_own_ns, cost_ns;
    std::vector<int32_t> straggler;
    // By rank: sums of its places by own work, exact; over iterations whose waits are all known.
    std::vector<double> places;
    int64_t ranked = 0;  // such iterations
  };

  void judge_iterations() {
    std::vector<Judged> blocks((times_.numbers.size() + kIterationsAtOnce - 1) / kIterationsAtOnce);
    base::parallel_for(blocks.size(), 1, [&](std::size_t first, std::size_t last) {
      IterationColumns columns(times_);
      RankSorter sorter;
      PeerValues of_peers(peers_.size());
      std::vector<uint8_t> known;
      for (std::size_t block = first; block < last; ++block) {
        Judged& judged = blocks[block];
        judged.places.resize(times_.ranks.size());
        const std::size_t begin = block * kIterationsAtOnce;
        const std::size_t end = std::min(begin + kIterationsAtOnce, times_.numbers.size());
        columns.read(begin, end);
        for (std::size_t i = begin; i < end; ++i) {
          sorter.sort(columns.own_ns(i));
          known.clear();
          if (!columns.all_waits_are_known()) find_known_waits(i, known);
          divide(sorter, known, of_peers);
          judge_iteration(columns.duration_ns(i), of_peers, judged);
          if (known.empty()) {
            add_places(sorter, judged.places);
            ++judged.ranked;
          }
          judged.median_own_ns.push_back(known.empty() ? median_of_sorted(sorter.values())
                                                       : median_of_known(known, sorter));
        }
      }
    });
    std::vector<double> places(times_.ranks.size());
    int64_t ranked = 0;
    for (const Judged& judged : blocks) {
      const auto append = [](auto& all, const auto& more) {
        all.insert(all.end(), more.begin(), more.end());
      };
      append(result_.step_ns, judged.step_ns);
      append(result_.median_own_ns, judged.median_own_ns);
      append(result_.cost_ns, judged.cost_ns);
      append(result_.straggler, judged.straggler);
      for (std::size_t rank = 0; rank < places.size(); ++rank) places[rank] += judged.places[rank];
      ranked += judged.ranked;
    }
    for (const int32_t straggler : result_.straggler) {
      if (straggler < 0) continue;
      ++result_.iterations_with;
      ++result_.ranks[static_cast<std::size_t>(straggler)].times_straggler;
    }
    result_.concordance = concordance(places, ranked);
  }

  // By rank; empty if all are known.
  void find_known_waits(std::size_t i, std::vector<uint8_t>& known) const {
    bool are_all_known = true;
    for (std::size_t rank = 0; rank < times_.ranks.size(); ++rank) {
      const bool is_known = times_.least_exposed_wait_ns.at(rank, i) >= 0;
      known.push_back(is_known ? 1 : 0);
      are_all_known = are_all_known && is_known;
    }
    if (are_all_known) known.clear();
  }

  static int64_t median_of_known(const std::vector<uint8_t>& known, const RankSorter& sorted) {
    std::vector<int64_t> values;
    for (std::size_t at = 0; at < sorted.ranks().size(); ++at) {
      if (known[sorted.ranks()[at]] != 0) values.push_back(sorted.values()[at]);
    }
    return median_of_sorted(values);
  }

  // Own work of each set of peers, ascending, and the lowest of the ranks that have most of it.
  struct PeerValues {
    explicit PeerValues(std::size_t sets) : own_ns(sets), most(sets) {}
    std::vector<std::vector<int64_t>> own_ns;
    std::vector<uint32_t> most;
  };
  // If the wait of a rank is unknown, its own work includes it: the rank is left out, unless no
  // wait is known.
  void divide(const RankSorter& sorted, const std::vector<uint8_t>& known,
              PeerValues& peers) const {
    const bool is_any_known = std::ranges::find(known, 1) != known.end();
    for (std::vector<int64_t>& values : peers.own_ns) values.clear();
    for (std::size_t at = 0; at < sorted.ranks().size(); ++at) {
      const uint32_t rank = sorted.ranks()[at];
      if (is_any_known && known[rank] == 0) continue;
      const int64_t own = sorted.values()[at];
      const std::size_t set = peers_.size() == 1 ? 0 : result_.ranks[rank].peers;
      std::vector<int64_t>& values = peers.own_ns[set];
      if (values.empty() || own > values.back()) peers.most[set] = rank;
      values.push_back(own);
    }
  }

  void judge_iteration(std::span<const int64_t> durations, const PeerValues& peers,
                       Judged& judged) const {
    const int64_t step_ns = lower_median({durations.begin(), durations.end()});
    int64_t cost_ns = 0, its_limit_ns = 0;
    int32_t straggler = -1;
    for (std::size_t set = 0; set < peers_.size(); ++set) {
      const std::vector<int64_t>& values = peers.own_ns[set];
      if (values.size() < 2) continue;
      const int64_t cost = values.back() - median_of_sorted(values);
      if (straggler >= 0 && cost <= cost_ns) continue;
      cost_ns = cost;
      straggler = static_cast<int32_t>(peers.most[set]);
      its_limit_ns =
          std::llround(std::max(kSigmas * kMadToSigma * static_cast<double>(mad_of_sorted(values)),
                                kLeastShareOfStep * static_cast<double>(step_ns)));
    }
    judged.step_ns.push_back(step_ns);
    judged.cost_ns.push_back(cost_ns);
    judged.straggler.push_back(cost_ns > its_limit_ns ? straggler : -1);
  }

  // Equal values share the mean of their places.
  static void add_places(const RankSorter& sorted, std::vector<double>& places) {
    const std::vector<int64_t>& values = sorted.values();
    for (std::size_t begin = 0; begin < values.size();) {
      std::size_t end = begin;
      while (end < values.size() && values[end] == values[begin]) ++end;
      const double place = static_cast<double>(begin + end - 1) / 2;
      for (std::size_t at = begin; at < end; ++at) places[sorted.ranks()[at]] += place;
      begin = end;
    }
  }

  void add_means() {
    const auto count = static_cast<double>(times_.numbers.size());
    base::parallel_for(times_.ranks.size(), kRanksAtOnce, [&](std::size_t begin, std::size_t end) {
      for (std::size_t rank = begin; rank < end; ++rank) add_means(rank, count);
    });
    for (const RankFigures& figures : result_.ranks) {
      result_.are_waits_known = result_.are_waits_known || figures.known_waits > 0;
    }
    Wide cost = 0, steps = 0;
    for (std::size_t i = 0; i < result_.cost_ns.size(); ++i) {
      cost += result_.cost_ns[i];
      steps += result_.step_ns[i];
    }
    result_.mean_cost_ns = static_cast<double>(cost) / std::max(count, 1.0);
    result_.share = steps > 0 ? static_cast<double>(cost) / static_cast<double>(steps) : 0;
  }

  void add_means(std::size_t rank, double count) {
    RankFigures& figures = result_.ranks[rank];
    const RankRow durations = times_.duration_ns.row(rank), waits = times_.wait_ns.row(rank),
                  exposed_waits = times_.least_exposed_wait_ns.row(rank);
    // Sums of integers, which are exact.
    double own = 0, duration = 0;
    for (std::size_t i = 0; i < times_.numbers.size(); ++i) {
      duration += static_cast<double>(durations[i]);
      if (waits[i] < 0) continue;
      ++figures.known_waits;
      own += static_cast<double>(durations[i] - exposed_waits[i]);
      figures.mean_wait_ns += static_cast<double>(waits[i]);
      figures.mean_least_exposed_wait_ns += static_cast<double>(exposed_waits[i]);
    }
    figures.mean_duration_ns = duration / count;
    const auto known = static_cast<double>(std::max<int64_t>(figures.known_waits, 1));
    figures.mean_own_ns = figures.known_waits > 0 ? own / known : figures.mean_duration_ns;
    figures.mean_wait_ns /= known;
    figures.mean_least_exposed_wait_ns /= known;
  }

  // Kendall's W, from the sums of the ranks' places.
  double concordance(const std::vector<double>& places, int64_t iterations) const {
    const std::size_t ranks = times_.ranks.size();
    if (ranks < 2 || iterations < 2) return 0;
    const double mean = static_cast<double>(iterations) * static_cast<double>(ranks - 1) / 2;
    double squares = 0;
    for (const double sum : places) squares += (sum - mean) * (sum - mean);
    const auto n = static_cast<double>(ranks), m = static_cast<double>(iterations);
    return 12 * squares / (m * m * (n * n * n - n));
  }

  void add_blame() {
    for (const auto& [key, sum] : summary_.collectives) {
      if (sum.members < 2 || sum.skew_ns() < kLeastSkewNs) continue;
      if (!times_.are_same(key, sum)) continue;
      const auto row = std::ranges::lower_bound(times_.ranks, sum.least_rank);
      if (row == times_.ranks.end() || *row != sum.least_rank) continue;
      result_.ranks[static_cast<std::size_t>(row - times_.ranks.begin())].blame_ns +=
          Wide{sum.second_ns} - sum.least_ns;
    }
  }

  void find_outlying() {
    const int64_t median_ns = lower_median(result_.step_ns);
    const auto mad = static_cast<double>(mad_of(result_.step_ns, median_ns));
    for (std::size_t i = 0; i < result_.step_ns.size(); ++i) {
      const auto above = static_cast<double>(result_.step_ns[i] - median_ns);
      if (above > kOutlyingShare * static_cast<double>(median_ns) && above > 5 * mad) {
        result_.outlying.push_back(static_cast<int64_t>(i));
      }
    }
  }

  const std::string& host_of(std::size_t rank) const {
    return std::ranges::lower_bound(summary_.parts, times_.ranks[rank], {},
                                    [](const RankPart& part) { return part.head.rank; })
        ->head.host;
  }

  void judge() {
    if (times_.numbers.size() < kFewestIterations || times_.ranks.size() < 2) return;
    result_.kind = kind();
    if (result_.kind != StragglerKind::one_rank && result_.kind != StragglerKind::one_host) return;
    find_stretch_of_slow();
  }

  // Finds the slow stretch; skips iterations in which no wait of a slow rank is known.
  void find_stretch_of_slow() {
    const std::size_t count = times_.numbers.size();
    std::vector<bool> is_slow_rank(times_.ranks.size()), is_known(count);
    for (std::size_t rank = 0; rank < times_.ranks.size(); ++rank) {
      is_slow_rank[rank] = result_.rank ? rank == *result_.rank : host_of(rank) == result_.host;
      if (!is_slow_rank[rank]) continue;
      const RankRow waits = times_.wait_ns.row(rank);
      for (std::size_t i = 0; i < count; ++i) {
        if (waits[i] >= 0 || !result_.are_waits_known) is_known[i] = true;
      }
    }
    std::vector<std::size_t> columns;
    std::vector<bool> is_slow;
    for (std::size_t i = 0; i < count; ++i) {
      const int32_t straggler = result_.straggler[i];
      const bool is_it = straggler >= 0 && is_slow_rank[static_cast<std::size_t>(straggler)];
      if (!is_it && !is_known[i]) continue;
      columns.push_back(i);
      is_slow.push_back(is_it);
    }
    const std::optional<Stretch> found = find_stretch(is_slow);
    if (!found) return;
    result_.stretch = Stretch{found->first == 0 ? 0 : columns[found->first],
                              found->end == columns.size() ? count : columns[found->end - 1] + 1};
  }

  StragglerKind kind() {
    const auto most = std::ranges::max_element(result_.ranks, {}, &RankFigures::times_straggler);
    const int64_t trials = result_.iterations_with;
    const auto ranks = static_cast<double>(times_.ranks.size());
    result_.chance =
        trials == 0
            ? 1
            : std::min(1.0, ranks * binomial_tail(trials, 1 / ranks, most->times_straggler));
    if (result_.share < kCheapShare) return when_cheap();
    const auto often = [trials](int64_t times) {
      return static_cast<double>(times) > kMostOften * static_cast<double>(trials);
    };
    struct Host {
      int64_t ranks = 0, times = 0;
    };
    std::map<std::string, Host> hosts;
    for (std::size_t rank = 0; rank < result_.ranks.size(); ++rank) {
      Host& its = hosts[host_of(rank)];
      ++its.ranks;
      its.times += result_.ranks[rank].times_straggler;
    }
    const auto host =
        std::ranges::max_element(hosts, {}, [](const auto& entry) { return entry.second.times; });
    const auto share = 1 / static_cast<double>(host->second.ranks);
    const auto host_count = static_cast<double>(hosts.size());
    const bool is_host =
        hosts.size() > 1 && host->second.ranks > 1 && often(host->second.times) &&
        host_count * binomial_tail(trials, 1 / host_count, host->second.times) < kMostChance;
    // A rank that is not slower than others of a slow host has more than half of the times by
    // chance, if there are few of them.
    const auto most_rank = static_cast<std::size_t>(most - result_.ranks.begin());
    const bool is_like_its_host =
        is_host && host_of(most_rank) == host->first &&
        static_cast<double>(host->second.ranks) *
                binomial_tail(host->second.times, share, most->times_straggler) >=
            kMostChance;
    if (trials > 0 && often(most->times_straggler) && result_.chance < kMostChance &&
        !is_like_its_host) {
      result_.rank = most_rank;
      return StragglerKind::one_rank;
    }
    if (is_host) {
      result_.host = host->first;
      return StragglerKind::one_host;
    }
    const bool is_even = trials > 0 && static_cast<double>(most->times_straggler) <=
                                           3 * static_cast<double>(trials) / ranks;
    if (result_.concordance < kConcordant && is_even) return StragglerKind::rotating;
    return StragglerKind::several;
  }

  // No rank costs much more than its peers.
  StragglerKind when_cheap() {
    std::vector<double> means;
    std::vector<std::size_t> sets;
    for (std::size_t set = 0; set < peers_.size(); ++set) {
      std::vector<int64_t> own;
      for (const std::size_t rank : peers_[set]) {
        if (result_.has_own(rank)) own.push_back(std::llround(result_.ranks[rank].mean_own_ns));
      }
      if (own.empty()) continue;
      sets.push_back(set);
      means.push_back(static_cast<double>(lower_median(std::move(own))));
    }
    const auto [least, most] = std::ranges::minmax_element(means);
    const auto step = static_cast<double>(lower_median(result_.step_ns));
    if (means.size() > 1 && *most - *least > kCheapShare * step) {
      result_.stage = sets[static_cast<std::size_t>(most - means.begin())];
      return StragglerKind::one_stage;
    }
    return result_.outlying.empty() ? StragglerKind::none : StragglerKind::all_at_once;
  }

  const RankTimes& times_;
  const RunSummary& summary_;
  const RankSets peers_;
  Stragglers result_;
};

}  // namespace

std::string_view to_text(StragglerKind kind) {
  switch (kind) {
    case StragglerKind::too_few:
      return "too few iterations or ranks";
    case StragglerKind::none:
      return "none";
    case StragglerKind::one_rank:
      return "one rank";
    case StragglerKind::one_host:
      return "one host";
    case StragglerKind::one_stage:
      return "one stage";
    case StragglerKind::rotating:
      return "rotating";
    case StragglerKind::all_at_once:
      return "all at once";
    case StragglerKind::several:
      return "several ranks";
  }
  return "";
}

int64_t lower_median(std::vector<int64_t> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

std::optional<Stretch> find_stretch(const std::vector<bool>& is_slow) {
  constexpr std::size_t kFewest = 5;  // inside, and outside on a side
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
  // Fewer iterations do not show that it was different before or after.
  if (best.first < kFewest) best.first = 0;
  if (all - best.end < kFewest) best.end = all;
  if (best.size() < kFewest || best.size() == all) return std::nullopt;
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
  return chance < kMostChance ? std::optional(best) : std::nullopt;
}

Stragglers find_stragglers(const RankTimes& times, const RunSummary& summary) {
  return Finder(times, summary).find();
}

}  // namespace dlview::ranks
