#include "ranks/clock_edge.h"

#include <cmath>
#include <numeric>
#include <tuple>

#include <fmt/format.h>

#include "base/stop_point.h"
#include "base/units.h"
#include "ranks/stragglers.h"
#include "ranks/summary_layout.h"

namespace dlview::ranks {
namespace {

constexpr int64_t kErrorOfHostNs = 1'000;
constexpr int64_t kMostStepNs = 1'000'000'000;  // that UTC and the system clock may differ by
constexpr int64_t kDriftAfterNs = 60'000'000'000;
constexpr double kShortestShare = 1.0 / 3;
constexpr double kErrorsOfEnd = 5, kShareOfTransfer = 0.01;
constexpr int64_t kGpuErrorNs = 100'000;
constexpr double kMostEndErrorNs = 1'000'000;  // the ends of different calls are farther apart
// To find an offset whatever the order of calls: differences this close count as one; so many calls
// before and after are compared; the least share of calls with the best difference; and the most
// for any other, relative to it.
constexpr double kAlikeNs = 20'000;
constexpr std::ptrdiff_t kMostCallsApart = 64;
constexpr std::size_t kMostPairs = 1000;  // of calls that are compared
constexpr double kLeastAlike = 0.5, kMostOfOthers = 0.9;

bool is_same_file(const RankHead& a, const RankHead& b) {
  return a.checksum == b.checksum && a.file == b.file;
}

std::pair<std::string_view, int64_t> iteration_of(const ClockSample& sample) {
  return {sample.group, sample.place / kPlacesOfIteration};
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

// Clamps the offset into what is possible: nobody leaves before all have come.
void apply_bounds(const std::vector<ClockPair>& pairs, ClockEdge& edge) {
  double least = -INFINITY, most = INFINITY;
  int64_t broken = 0;
  for (const ClockPair& pair : pairs) {
    const double moved = edge.drift * static_cast<double>(pair.to->stop_ns - edge.at_ns);
    const double low = static_cast<double>(pair.from->start_ns - pair.to->stop_ns) - moved,
                 high = static_cast<double>(pair.from->stop_ns - pair.to->start_ns) - moved;
    least = std::max(least, low);
    most = std::min(most, high);
    if (edge.offset_ns < low || edge.offset_ns > high) ++broken;
  }
  if (least > most) {
    edge.note = fmt::format("{} contradict each other: a wrong match or a clock adjustment",
                            base::counted(std::max<int64_t>(broken, 1), "collectives"));
  } else {
    edge.offset_ns = std::clamp(edge.offset_ns, least, most);
  }
}

// By group and iteration, in order of their ends.
std::map<std::pair<std::string_view, int64_t>, std::vector<const ClockSample*>> in_order_of_ends(
    const ClockSamples& samples) {
  std::map<std::pair<std::string_view, int64_t>, std::vector<const ClockSample*>> calls;
  for (const ClockSample& sample : samples) calls[iteration_of(sample)].push_back(&sample);
  for (auto& [iteration, of_iteration] : calls) {
    std::ranges::stable_sort(of_iteration, {}, [](const auto* call) { return call->stop_ns; });
  }
  return calls;
}

}  // namespace

int64_t rounded_ns(double ns) {
  constexpr double kMost = 9e18;
  return std::llround(std::isnan(ns) ? 0 : std::clamp(ns, -kMost, kMost));
}

std::optional<ClockEdge> edge_by_host(const RankHead& from, const RankHead& to) {
  if (is_same_file(from, to)) return ClockEdge{.by = ClockBy::same_file};
  if (from.host.empty() || from.host != to.host || !from.utc_start_ns || !to.utc_start_ns) {
    return std::nullopt;
  }
  const auto edge_of = [](ClockBy by, int64_t offset_ns) {
    return ClockEdge{
        .by = by, .offset_ns = static_cast<double>(offset_ns), .error_ns = kErrorOfHostNs};
  };
  const int64_t by_utc = *to.utc_start_ns - *from.utc_start_ns;
  if (from.system_start_ns && to.system_start_ns) {
    const int64_t by_system = *to.system_start_ns - *from.system_start_ns;
    // Two containers may have one name.
    const Wide step = Wide{by_system} - by_utc;
    if (-kMostStepNs < step && step < kMostStepNs) return edge_of(ClockBy::system_clock, by_system);
  }
  return edge_of(ClockBy::utc_of_host, by_utc);
}

std::vector<ClockPair> clock_pairs(const ClockSamples& from, const ClockSamples& to,
                                   const LackingCalls* lacking) {
  std::vector<ClockPair> pairs, sure;
  auto a = from.begin();
  auto b = to.begin();
  while (a != from.end() && b != to.end()) {
    const auto order = std::tie(a->group, a->place) <=> std::tie(b->group, b->place);
    if (order == 0) pairs.push_back({&*a, &*b});
    if (order <= 0) ++a;
    if (order >= 0) ++b;
  }
  if (lacking == nullptr || lacking->empty()) return pairs;
  for (const ClockPair& pair : pairs) {
    if (!lacking->contains(iteration_of(*pair.from))) sure.push_back(pair);
  }
  return sure.size() >= kFewestPairs ? sure : pairs;
}

int64_t most_between_ends(double error_ns, int64_t transfer_ns) {
  const double of_error = std::min(kErrorsOfEnd * error_ns, kMostEndErrorNs);
  const double of_transfer = kShareOfTransfer * static_cast<double>(transfer_ns);
  return std::max({kGpuErrorNs, rounded_ns(of_error), rounded_ns(of_transfer)});
}

void check_ends(const std::vector<ClockPair>& pairs, ClockEdge& edge) {
  if (pairs.size() < kFewestPairs) return;
  ClockEnds all;
  const ClockPair* last = nullptr;
  double last_apart = 0;
  for (const ClockPair& pair : pairs) {
    const double moved =
        edge.offset_ns + edge.drift * static_cast<double>(pair.to->stop_ns - edge.at_ns);
    const double apart = static_cast<double>(pair.from->stop_ns - pair.to->stop_ns) - moved;
    const auto most = static_cast<double>(most_between_ends(edge.error_ns, pair.transfer_ns()));
    const bool agrees = std::abs(apart) <= most;
    // After a clock adjustment all pairs are equally far apart.
    const bool is_like_last = edge.by != ClockBy::same_file && last != nullptr &&
                              last->from->group == pair.from->group &&
                              std::abs(apart - last_apart) <= most;
    ++all.pairs;
    if (agrees) ++all.agreeing;
    ClockEnds& of_group = edge.ends[pair.from->group];
    ++of_group.pairs;
    if (agrees || is_like_last) {
      ++of_group.agreeing;
    } else {
      of_group.apart.insert(pair.from->place / kPlacesOfIteration);
    }
    last = &pair;
    last_apart = apart;
  }
  if (all.agree() || !edge.note.empty()) return;
  edge.doubt =
      fmt::format("only {} of {} end together: calls may be mismatched",
                  base::format_percent(100 * all.share()), base::counted(all.pairs, "collectives"));
}

namespace {

// The difference that most ends of like calls have, whatever their order; nullopt = none stands
// out, or so many of all calls do not have it.
std::optional<ClockEdge> by_ends(const ClockSamples& from, const ClockSamples& to,
                                 double least_share) {
  const auto all_from = in_order_of_ends(from), all_to = in_order_of_ends(to);
  std::vector<double> differences;
  std::size_t most_pairs = 0;
  for (const auto& [iteration, of_from] : all_from) {
    if (most_pairs > kMostPairs) break;
    base::stop_point();
    const auto found = all_to.find(iteration);
    if (found == all_to.end()) continue;
    const auto& of_to = found->second;
    most_pairs += std::min(of_from.size(), of_to.size());
    for (std::ptrdiff_t i = 0; i < std::ssize(of_from); ++i) {
      const std::ptrdiff_t last = std::min(i + kMostCallsApart + 1, std::ssize(of_to));
      for (std::ptrdiff_t j = std::max<std::ptrdiff_t>(i - kMostCallsApart, 0); j < last; ++j) {
        const ClockSample &a = *of_from[static_cast<std::size_t>(i)],
                          &b = *of_to[static_cast<std::size_t>(j)];
        if (!are_alike(a, b)) continue;
        differences.push_back(static_cast<double>(a.stop_ns - b.stop_ns));
      }
    }
  }
  std::ranges::sort(differences);
  // How many follow each one within what is alike.
  std::vector<std::size_t> ends(differences.size());
  std::size_t best = 0, end = 0;
  for (std::size_t begin = 0; begin < differences.size(); ++begin) {
    while (end < differences.size() && differences[end] <= differences[begin] + kAlikeNs) ++end;
    ends[begin] = end;
    if (end - begin > ends[best] - best) best = begin;
  }
  if (differences.empty()) return std::nullopt;
  const std::size_t count = ends[best] - best;
  const auto is_few = [&](double share, std::size_t of) {
    return static_cast<double>(count) < share * static_cast<double>(of);
  };
  if (count < kFewestPairs || is_few(std::max(kLeastAlike, least_share), most_pairs)) {
    return std::nullopt;
  }
  for (std::size_t begin = 0; begin < differences.size(); ++begin) {
    const bool is_other = std::abs(differences[begin] - differences[best]) > 2 * kAlikeNs;
    if (is_other && is_few(1 / kMostOfOthers, ends[begin] - begin)) return std::nullopt;
  }
  ClockEdge edge{.by = ClockBy::collectives};
  std::vector<double> alike(differences.begin() + static_cast<std::ptrdiff_t>(best),
                            differences.begin() + static_cast<std::ptrdiff_t>(ends[best]));
  edge.offset_ns = median(alike);
  for (double& difference : alike) difference = std::abs(difference - edge.offset_ns);
  edge.error_ns = std::max(1.0, kMadToSigma * median(std::move(alike)));
  edge.pairs = static_cast<int64_t>(count);
  edge.at_ns = to.front().stop_ns;
  return edge;
}

}  // namespace

std::optional<ClockEdge> edge_by_collectives(const ClockSamples& from, const ClockSamples& to,
                                             const LackingCalls* lacking) {
  const std::vector<ClockPair> all = clock_pairs(from, to, lacking);
  if (all.size() < kFewestPairs) return std::nullopt;
  std::vector<ClockPair> pairs = all;
  std::ranges::stable_sort(pairs, {}, &ClockPair::transfer_ns);
  pairs.resize(std::max(kFewestPairs, static_cast<std::size_t>(std::ceil(
                                          kShortestShare * static_cast<double>(pairs.size())))));
  const auto [first, last] =
      std::ranges::minmax_element(all, {}, [](const ClockPair& pair) { return pair.to->stop_ns; });
  ClockEdge edge{.by = ClockBy::collectives, .at_ns = first->to->stop_ns};
  std::vector<double> times, differences;
  for (const ClockPair& pair : pairs) {
    times.push_back(static_cast<double>(pair.to->stop_ns - edge.at_ns));
    differences.push_back(static_cast<double>(pair.from->stop_ns - pair.to->stop_ns));
  }
  if (last->to->stop_ns - edge.at_ns > kDriftAfterNs) {
    const Line line = robust_line(times, differences);
    edge.drift = line.slope;
    edge.offset_ns = line.offset;
  } else {
    edge.offset_ns = median(differences);
  }
  std::vector<double> rest;
  for (std::size_t i = 0; i < differences.size(); ++i) {
    rest.push_back(std::abs(differences[i] - edge.offset_ns - edge.drift * times[i]));
  }
  edge.error_ns = std::max(1.0, kMadToSigma * median(std::move(rest)));
  edge.pairs = static_cast<int64_t>(pairs.size());
  apply_bounds(all, edge);
  check_ends(all, edge);
  if (lacking == nullptr) return edge;
  // After a clock adjustment calls are as far apart as the one before: their order is right.
  ClockEnds together;
  bool is_mismatched = false;
  for (const auto& [group, ends] : edge.ends) {
    together.pairs += ends.pairs;
    together.agreeing += ends.agreeing;
    is_mismatched = is_mismatched || !ends.are_one();
  }
  if (!is_mismatched) return edge;
  if (auto other = by_ends(from, to, together.share())) {
    check_ends(all, *other);
    return other;
  }
  return edge;
}

ClockEdge reversed(const ClockEdge& edge, std::size_t from) {
  ClockEdge back = edge;
  back.to = from;
  back.offset_ns = -edge.offset_ns;
  back.drift = -edge.drift / (1 + edge.drift);
  back.at_ns = wrapping_sum(edge.at_ns, rounded_ns(edge.offset_ns));
  return back;
}

Line robust_line(const std::vector<double>& x, const std::vector<double>& y) {
  std::vector<std::size_t> order(x.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&x](std::size_t i) { return x[i]; });
  const std::size_t half = order.size() / 2;
  std::vector<double> slopes, rest;
  for (std::size_t i = 0; half > 0 && i + half < order.size(); ++i) {
    const std::size_t a = order[i], b = order[i + half];
    if (x[b] > x[a]) slopes.push_back((y[b] - y[a]) / (x[b] - x[a]));
  }
  Line line;
  line.slope = median(std::move(slopes));
  for (std::size_t i = 0; i < x.size(); ++i) rest.push_back(y[i] - line.slope * x[i]);
  line.offset = median(std::move(rest));
  return line;
}

}  // namespace dlview::ranks
