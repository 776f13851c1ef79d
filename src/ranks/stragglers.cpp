#include "ranks/stragglers.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "base/blocks.h"

namespace dlview::ranks {
namespace {

constexpr std::size_t kFewestIterations = 10;
constexpr std::size_t kIterationsAtOnce = 32;
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

// P(Binomial(trials, p) >= count).
double binomial_tail(int64_t trials, double p, int64_t count) {
  if (count <= 0) return 1;
  double sum = 0;
  const auto n = static_cast<double>(trials);
  for (int64_t k = count; k <= trials; ++k) {
    const auto x = static_cast<double>(k);
    sum += std::exp(std::lgamma(n + 1) - std::lgamma(x + 1) - std::lgamma(n - x + 1) +
                    x * std::log(p) + (n - x) * std::log1p(-p));
  }
  return std::min(sum, 1.0);
}

// Ranks of one work signature; a rank that is alone with its own has no peers, unless all are.
std::vector<std::vector<std::size_t>> peers_of(const RankTimes& times, const RunSummary& summary) {
  std::map<uint64_t, std::vector<std::size_t>> by_work;
  std::size_t row = 0;
  std::vector<uint8_t> seen(times.ranks.size());
  for (const RankPart& part : summary.parts) {
    while (times.ranks[row] != part.head.rank) ++row;
    if (seen[row] == 0) by_work[part.head.work_signature].push_back(row);
    seen[row] = 1;
  }
  std::vector<std::vector<std::size_t>> sets;
  for (auto& entry : by_work) sets.push_back(std::move(entry.second));
  const bool all_alone = std::ranges::all_of(sets, [](const auto& set) { return set.size() == 1; });
  if (all_alone) {
    std::vector<std::size_t> all(times.ranks.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    return {all};
  }
  // In the order of their first ranks.
  std::ranges::sort(sets);
  return sets;
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
    std::vector<int64_t> step_ns, cost_ns;
    std::vector<int32_t> straggler;
    std::vector<double> places;  // by rank: sums of its places by own work; exact
  };

  void judge_iterations() {
    base::Blocks<Judged> blocks(times_.numbers.size(), kIterationsAtOnce);
    blocks.for_each([this](Judged& judged, std::size_t begin, std::size_t end) {
      judged.places.resize(times_.ranks.size());
      std::vector<int64_t> own(times_.ranks.size());
      for (std::size_t i = begin; i < end; ++i) {
        for (std::size_t rank = 0; rank < own.size(); ++rank) own[rank] = times_.own_ns(rank, i);
        judge_iteration(i, own, judged);
        add_places(own, judged.places);
      }
    });
    std::vector<double> places(times_.ranks.size());
    for (const Judged& judged : blocks.states()) {
      const auto append = [](auto& all, const auto& more) {
        all.insert(all.end(), more.begin(), more.end());
      };
      append(result_.step_ns, judged.step_ns);
      append(result_.cost_ns, judged.cost_ns);
      append(result_.straggler, judged.straggler);
      for (std::size_t rank = 0; rank < places.size(); ++rank) places[rank] += judged.places[rank];
    }
    for (const int32_t straggler : result_.straggler) {
      if (straggler < 0) continue;
      ++result_.iterations_with;
      ++result_.ranks[static_cast<std::size_t>(straggler)].times_straggler;
    }
    result_.concordance = concordance(places);
  }

  void judge_iteration(std::size_t i, const std::vector<int64_t>& own, Judged& judged) const {
    std::vector<int64_t> values(own.size());
    for (std::size_t rank = 0; rank < own.size(); ++rank) {
      values[rank] = times_.duration_ns.at(rank, i);
    }
    const int64_t step_ns = lower_median(values);
    int64_t cost_ns = 0, its_limit_ns = 0;
    int32_t straggler = -1;
    for (const std::vector<std::size_t>& set : peers_) {
      if (set.size() < 2) continue;
      values.clear();
      std::size_t most = set.front();
      for (const std::size_t rank : set) {
        values.push_back(own[rank]);
        if (own[rank] > own[most]) most = rank;
      }
      const int64_t median_ns = lower_median(values), cost = own[most] - median_ns;
      if (straggler >= 0 && cost <= cost_ns) continue;
      cost_ns = cost;
      straggler = static_cast<int32_t>(most);
      its_limit_ns = std::llround(
          std::max(kSigmas * kMadToSigma * static_cast<double>(mad_of(values, median_ns)),
                   kLeastShareOfStep * static_cast<double>(step_ns)));
    }
    judged.step_ns.push_back(step_ns);
    judged.cost_ns.push_back(cost_ns);
    judged.straggler.push_back(cost_ns > its_limit_ns ? straggler : -1);
  }

  // Equal values share the mean of their places.
  static void add_places(const std::vector<int64_t>& own, std::vector<double>& places) {
    std::vector<std::pair<int64_t, uint32_t>> order(own.size());
    for (std::size_t rank = 0; rank < own.size(); ++rank) {
      order[rank] = {own[rank], static_cast<uint32_t>(rank)};
    }
    std::ranges::sort(order);
    for (std::size_t begin = 0; begin < order.size();) {
      std::size_t end = begin;
      while (end < order.size() && order[end].first == order[begin].first) ++end;
      const double place = static_cast<double>(begin + end - 1) / 2;
      for (std::size_t at = begin; at < end; ++at) places[order[at].second] += place;
      begin = end;
    }
  }

  void add_means() {
    const auto count = static_cast<double>(times_.numbers.size());
    for (std::size_t rank = 0; rank < times_.ranks.size(); ++rank) {
      RankFigures& figures = result_.ranks[rank];
      for (std::size_t i = 0; i < times_.numbers.size(); ++i) {
        figures.mean_own_ns += static_cast<double>(times_.own_ns(rank, i)) / count;
        figures.mean_duration_ns += static_cast<double>(times_.duration_ns.at(rank, i)) / count;
        if (times_.wait_ns.at(rank, i) < 0) continue;
        ++figures.known_waits;
        figures.mean_wait_ns += static_cast<double>(times_.wait_ns.at(rank, i));
        figures.mean_least_exposed_wait_ns +=
            static_cast<double>(times_.least_exposed_wait_ns.at(rank, i));
      }
      const auto known = static_cast<double>(std::max<int64_t>(figures.known_waits, 1));
      figures.mean_wait_ns /= known;
      figures.mean_least_exposed_wait_ns /= known;
    }
    Wide cost = 0, steps = 0;
    for (std::size_t i = 0; i < result_.cost_ns.size(); ++i) {
      cost += result_.cost_ns[i];
      steps += result_.step_ns[i];
    }
    result_.mean_cost_ns = static_cast<double>(cost) / std::max(count, 1.0);
    result_.share = steps > 0 ? static_cast<double>(cost) / static_cast<double>(steps) : 0;
  }

  // Kendall's W, from the sums of the ranks' places.
  double concordance(const std::vector<double>& places) const {
    const std::size_t ranks = times_.ranks.size(), iterations = times_.numbers.size();
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
      const auto row = std::ranges::lower_bound(times_.ranks, sum.least_rank);
      if (row == times_.ranks.end() || *row != sum.least_rank) continue;
      result_.ranks[static_cast<std::size_t>(row - times_.ranks.begin())].blame_ns +=
          sum.second_ns - sum.least_ns;
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

  std::string host_of(std::size_t rank) const {
    for (const RankPart& part : summary_.parts) {
      if (part.head.rank == times_.ranks[rank]) return part.head.host;
    }
    return {};
  }

  void judge() {
    if (times_.numbers.size() < kFewestIterations || times_.ranks.size() < 2) return;
    result_.kind = kind();
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
    for (const std::vector<std::size_t>& set : peers_) {
      std::vector<int64_t> own;
      for (const std::size_t rank : set) {
        own.push_back(std::llround(result_.ranks[rank].mean_own_ns));
      }
      means.push_back(static_cast<double>(lower_median(std::move(own))));
    }
    const auto [least, most] = std::ranges::minmax_element(means);
    const auto step = static_cast<double>(lower_median(result_.step_ns));
    if (means.size() > 1 && *most - *least > kCheapShare * step) {
      result_.stage = static_cast<std::size_t>(most - means.begin());
      return StragglerKind::one_stage;
    }
    return result_.outlying.empty() ? StragglerKind::none : StragglerKind::all_at_once;
  }

  const RankTimes& times_;
  const RunSummary& summary_;
  const std::vector<std::vector<std::size_t>> peers_;
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

Why why_slower(const RankTimes& times, const Stragglers& found, std::size_t rank) {
  Why why;
  const auto count = static_cast<double>(std::max<std::size_t>(times.numbers.size(), 1));
  for (std::size_t i = 0; i < times.numbers.size(); ++i) {
    // The peer whose own work is the median one.
    std::vector<std::pair<int64_t, std::size_t>> own;
    for (std::size_t other = 0; other < times.ranks.size(); ++other) {
      if (found.ranks[other].peers == found.ranks[rank].peers) {
        own.emplace_back(times.own_ns(other, i), other);
      }
    }
    std::ranges::sort(own);
    const std::size_t median = own[(own.size() - 1) / 2].second;
    const auto add = [&](double& sum, const auto& value_of) {
      sum += static_cast<double>(value_of(rank) - value_of(median)) / count;
    };
    for (std::size_t part = 0; part < aggregate::kCategoryCount; ++part) {
      const bool has_communication =
          part == static_cast<std::size_t>(aggregate::Category::other_kernels);
      add(why.parts_ns[part], [&](std::size_t row) {
        return times.parts[part].at(row, i) - (has_communication ? times.exposed_ns.at(row, i) : 0);
      });
    }
    add(why.exposed_transfer_ns, [&](std::size_t row) {
      return times.exposed_ns.at(row, i) -
             std::max<int64_t>(times.least_exposed_wait_ns.at(row, i), 0);
    });
    why.difference_ns +=
        static_cast<double>(times.own_ns(rank, i) - times.own_ns(median, i)) / count;
  }
  return why;
}

}  // namespace dlview::ranks
