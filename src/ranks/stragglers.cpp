#include "ranks/stragglers.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <utility>

#include "base/parallel.h"
#include "ranks/iteration_columns.h"
#include "ranks/peers.h"
#include "ranks/straggler_kind.h"

namespace dlview::ranks {
namespace {

constexpr std::size_t kRanksAtOnce = 64;
constexpr double kSigmas = 3;  // beyond which a rank stands out
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

class Finder {
 public:
  Finder(const RankTimes& times, const RunSummary& summary)
      : times_(times), summary_(summary), peers_(peers_of(times, summary)) {}

  Stragglers find() {
    result_.ranks.resize(times_.ranks.size());
    for (std::size_t set = 0; set < peers_.size(); ++set) {
      for (const std::size_t rank : peers_[set]) result_.ranks[rank].peers = set;
    }
    find_hosts();
    has_known_waits_ = is_any_wait_known();
    judge_iterations();
    add_means();
    add_blame();
    find_outlying();
    judge_stragglers(times_, summary_, peers_, result_);
    return std::move(result_);
  }

 private:
  // Of a block of iterations.
  struct Judged {
    std::vector<int64_t> step_ns, median_own_ns, cost_ns;
    std::vector<int32_t> straggler;
    // By rank: sums of its places by own work, exact; over iterations whose waits are all known.
    std::vector<double> places;
    int64_t ranked = 0;                // such iterations
    std::vector<uint32_t> times_slow;  // by rank
    std::vector<int32_t> slowest_host;
    std::vector<int64_t> host_gap_ns;
  };

  // Own work of each set of peers, ascending, whose it is, and the lowest of the ranks that have
  // most of it.
  struct PeerValues {
    explicit PeerValues(std::size_t sets) : own_ns(sets), ranks(sets), most(sets) {}
    std::vector<std::vector<int64_t>> own_ns;
    std::vector<std::vector<uint32_t>> ranks;
    std::vector<uint32_t> most;
  };

  // Few hosts whose ranks are all peers.
  void find_hosts() {
    if (peers_.size() != 1) return;
    std::map<std::string, std::vector<std::size_t>> hosts;
    for (const RankPart& part : summary_.parts) {
      if (part.head.host.empty()) return;
      const auto row = std::ranges::lower_bound(times_.ranks, part.head.rank);
      if (row == times_.ranks.end() || *row != part.head.rank) continue;
      std::vector<std::size_t>& rows = hosts[part.head.host];
      const auto rank = static_cast<std::size_t>(row - times_.ranks.begin());
      if (rows.empty() || rows.back() != rank) rows.push_back(rank);
      if (hosts.size() > kFewHosts) return;
    }
    const bool is_any_alone =
        std::ranges::any_of(hosts, [](const auto& entry) { return entry.second.size() < 2; });
    if (hosts.size() < 2 || is_any_alone) return;
    host_of_.resize(times_.ranks.size());
    for (const auto& [name, rows] : hosts) {
      for (const std::size_t row : rows) host_of_[row] = result_.hosts.size();
      result_.hosts.push_back(name);
    }
  }

  // `tells`: own work in this iteration tells which is slow.
  void judge_hosts(const PeerValues& peers, bool tells, Judged& judged) const {
    std::vector<std::vector<int64_t>> own_ns(result_.hosts.size());
    for (std::size_t at = 0; at < peers.own_ns[0].size() && tells; ++at) {
      own_ns[host_of_[peers.ranks[0][at]]].push_back(peers.own_ns[0][at]);
    }
    std::vector<std::pair<int64_t, int32_t>> medians;  // of hosts that are known
    for (std::size_t host = 0; host < own_ns.size(); ++host) {
      if (own_ns[host].size() < 2) continue;
      medians.emplace_back(median_of_sorted(own_ns[host]), static_cast<int32_t>(host));
    }
    std::ranges::sort(medians);
    if (medians.size() < 2) {
      judged.slowest_host.push_back(kNoHost);
      judged.host_gap_ns.push_back(0);
      return;
    }
    const auto [slowest_ns, slowest] = medians.back();
    medians.pop_back();
    judged.slowest_host.push_back(slowest);
    judged.host_gap_ns.push_back(slowest_ns - medians[(medians.size() - 1) / 2].first);
  }

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
        judged.times_slow.resize(times_.ranks.size());
        const std::size_t begin = block * kIterationsAtOnce;
        const std::size_t end = std::min(begin + kIterationsAtOnce, times_.numbers.size());
        columns.read(begin, end);
        for (std::size_t i = begin; i < end; ++i) {
          sorter.sort(columns.own_ns(i));
          known.clear();
          if (!columns.all_waits_are_known()) find_known_waits(i, known);
          divide(sorter, known, of_peers);
          // Where no wait is known, but elsewhere is, durations say nothing of ranks.
          const bool tells = known.empty() || !has_known_waits_ ||
                             std::ranges::find(known, uint8_t{1}) != known.end();
          judge_iteration(columns.duration_ns(i), of_peers, tells, judged);
          if (!result_.hosts.empty()) judge_hosts(of_peers, tells, judged);
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
      append(result_.slowest_host, judged.slowest_host);
      append(result_.host_gap_ns, judged.host_gap_ns);
      for (std::size_t rank = 0; rank < places.size(); ++rank) {
        places[rank] += judged.places[rank];
        result_.ranks[rank].times_slow += judged.times_slow[rank];
      }
      ranked += judged.ranked;
    }
    for (std::size_t i = 0; i < result_.straggler.size(); ++i) {
      if (result_.straggler[i] < 0) continue;
      RankFigures& figures = result_.ranks[static_cast<std::size_t>(result_.straggler[i])];
      ++result_.iterations_with;
      ++figures.times_straggler;
      figures.straggler_cost_ns += result_.cost_ns[i];
    }
    result_.concordance = concordance(places, ranked);
  }

  bool is_any_wait_known() const {
    for (std::size_t rank = 0; rank < times_.ranks.size(); ++rank) {
      const RankRow waits = times_.least_exposed_wait_ns.row(rank);
      for (std::size_t i = 0; i < times_.numbers.size(); ++i) {
        if (waits[i] >= 0) return true;
      }
    }
    return false;
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

  // If the wait of a rank is unknown, its own work includes it: the rank is left out, unless no
  // wait is known.
  void divide(const RankSorter& sorted, const std::vector<uint8_t>& known,
              PeerValues& peers) const {
    const bool is_any_known = std::ranges::find(known, 1) != known.end();
    for (std::vector<int64_t>& values : peers.own_ns) values.clear();
    for (std::vector<uint32_t>& ranks : peers.ranks) ranks.clear();
    for (std::size_t at = 0; at < sorted.ranks().size(); ++at) {
      const uint32_t rank = sorted.ranks()[at];
      if (is_any_known && known[rank] == 0) continue;
      const int64_t own = sorted.values()[at];
      const std::size_t set = peers_.size() == 1 ? 0 : result_.ranks[rank].peers;
      std::vector<int64_t>& values = peers.own_ns[set];
      if (values.empty() || own > values.back()) peers.most[set] = rank;
      values.push_back(own);
      peers.ranks[set].push_back(rank);
    }
  }

  void judge_iteration(std::span<const int64_t> durations, const PeerValues& peers, bool tells,
                       Judged& judged) const {
    const int64_t step_ns = lower_median({durations.begin(), durations.end()});
    int64_t cost_ns = 0, its_limit_ns = 0;
    int32_t straggler = -1;
    for (std::size_t set = 0; set < peers_.size(); ++set) {
      const std::vector<int64_t>& values = peers.own_ns[set];
      if (values.size() < 2) continue;
      const int64_t median_ns = median_of_sorted(values), cost = values.back() - median_ns;
      const int64_t limit_ns =
          std::llround(std::max(kSigmas * kMadToSigma * static_cast<double>(mad_of_sorted(values)),
                                kLeastShareOfStep * static_cast<double>(step_ns)));
      for (std::size_t at = values.size(); tells && at > 0 && values[at - 1] - median_ns > limit_ns;
           --at) {
        ++judged.times_slow[peers.ranks[set][at - 1]];
      }
      if (straggler >= 0 && cost <= cost_ns) continue;
      cost_ns = cost;
      straggler = static_cast<int32_t>(peers.most[set]);
      its_limit_ns = limit_ns;
    }
    judged.step_ns.push_back(step_ns);
    judged.cost_ns.push_back(cost_ns);
    judged.straggler.push_back(tells && cost_ns > its_limit_ns ? straggler : -1);
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

  const RankTimes& times_;
  const RunSummary& summary_;
  const RankSets peers_;
  bool has_known_waits_ = false;
  std::vector<std::size_t> host_of_;  // by rank, in Stragglers::hosts; empty = hosts are not judged
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

Stragglers find_stragglers(const RankTimes& times, const RunSummary& summary) {
  return Finder(times, summary).find();
}

}  // namespace dlview::ranks
