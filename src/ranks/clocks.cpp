#include "ranks/clocks.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <queue>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "base/parallel.h"
#include "base/stop_point.h"
#include "base/units.h"
#include "ranks/stored_parts.h"
#include "ranks/stragglers.h"

namespace dlview::ranks {
namespace {

constexpr int64_t kErrorOfHostNs = 1'000;
constexpr int64_t kErrorOfUtcNs = 10'000'000;   // NTP: one to tens of milliseconds
constexpr int64_t kMostStepNs = 1'000'000'000;  // that UTC and the system clock may differ by
constexpr int64_t kDriftAfterNs = 60'000'000'000;
constexpr std::size_t kFewestPairs = 3;
constexpr double kShortestShare = 1.0 / 3;
constexpr double kErrorsOfEnd = 5, kShareOfTransfer = 0.01;
constexpr int64_t kGpuErrorNs = 100'000;
constexpr double kMostEndErrorNs = 1'000'000;  // the ends of different calls are farther apart
constexpr double kLeastAgreeing = 0.95;
// To find an offset whatever the order of calls: differences this close count as one; so many calls
// before and after are compared; the least share of calls with the best difference; and the most
// for any other, relative to it.
constexpr double kAlikeNs = 20'000;
constexpr std::ptrdiff_t kMostCallsApart = 64;
constexpr std::size_t kMostPairs = 1000;  // of calls that are compared
constexpr double kLeastAlike = 0.5, kMostOfOthers = 0.9;
constexpr std::size_t kMostChecked = 256;  // ranks that have the clock of their host
constexpr std::size_t kPartsAtOnce = 64, kPartsByEnds = 8;  // by_ends() takes long

// Common collectives, and those that end together.
struct Ends {
  int64_t pairs = 0, agreeing = 0;
  std::set<int64_t> apart;  // numbers of the iterations of the others
  double share() const { return static_cast<double>(agreeing) / static_cast<double>(pairs); }
  bool agree() const { return pairs == 0 || share() >= kLeastAgreeing; }
  // Few pairs tell nothing.
  bool are_one() const { return pairs < static_cast<int64_t>(kFewestPairs) || agree(); }
};

// How one part relates to another: times of `to` plus the offset are times of `from`.
struct Edge {
  std::size_t to = 0;
  ClockBy by = ClockBy::none;
  double offset_ns = 0, drift = 0;
  int64_t at_ns = 0;  // of `to`
  double error_ns = 0;
  int64_t pairs = 0;
  std::string note, doubt;
  std::map<std::string, Ends> ends;  // by group; of any offset that pairs have in turn
};

// Clocks of a damaged file may be any.
int64_t rounded(double ns) {
  constexpr double kMost = 9e18;
  return std::llround(std::isnan(ns) ? 0 : std::clamp(ns, -kMost, kMost));
}

bool is_same_file(const RankHead& a, const RankHead& b) {
  return a.checksum == b.checksum && a.file == b.file;
}

// The clock that two parts share, without a look at collectives.
std::optional<Edge> by_host(const RankHead& from, const RankHead& to) {
  if (is_same_file(from, to))
    return Edge{.by = ClockBy::same_file, .note = {}, .doubt = {}, .ends = {}};
  if (from.host.empty() || from.host != to.host || !from.utc_start_ns || !to.utc_start_ns) {
    return std::nullopt;
  }
  const int64_t by_utc = *to.utc_start_ns - *from.utc_start_ns;
  if (from.system_start_ns && to.system_start_ns) {
    const int64_t by_system = *to.system_start_ns - *from.system_start_ns;
    // Two containers may have one name.
    const Wide step = Wide{by_system} - by_utc;
    if (-kMostStepNs < step && step < kMostStepNs) {
      return Edge{.by = ClockBy::system_clock,
                  .offset_ns = static_cast<double>(by_system),
                  .error_ns = kErrorOfHostNs,
                  .note = {},
                  .doubt = {},
                  .ends = {}};
    }
  }
  return Edge{.by = ClockBy::utc_of_host,
              .offset_ns = static_cast<double>(by_utc),
              .error_ns = kErrorOfHostNs,
              .note = {},
              .doubt = {},
              .ends = {}};
}

struct Pair {
  const ClockSample* from;
  const ClockSample* to;
  int64_t transfer_ns() const {
    return std::min(from->stop_ns - from->start_ns, to->stop_ns - to->start_ns);
  }
};

using Samples = std::vector<ClockSample>;

// (group, number) of the iterations in which some rank lacks calls: there the places of later calls
// are those of others.
using Lacking = std::set<std::pair<std::string_view, int64_t>>;

std::pair<std::string_view, int64_t> iteration_of(const ClockSample& sample) {
  return {sample.group, sample.place / kPlacesOfIteration};
}

// Calls of one place; without those of iterations in which a rank lacks calls, if enough are left.
// `lacking`: null where sequence numbers tell the calls.
std::vector<Pair> pairs_of(const Samples& from, const Samples& to, const Lacking* lacking) {
  std::vector<Pair> pairs, sure;
  auto a = from.begin();
  auto b = to.begin();
  while (a != from.end() && b != to.end()) {
    const auto order = std::tie(a->group, a->place) <=> std::tie(b->group, b->place);
    if (order == 0) pairs.push_back({&*a, &*b});
    if (order <= 0) ++a;
    if (order >= 0) ++b;
  }
  if (lacking == nullptr || lacking->empty()) return pairs;
  for (const Pair& pair : pairs) {
    if (!lacking->contains(iteration_of(*pair.from))) sure.push_back(pair);
  }
  return sure.size() >= kFewestPairs ? sure : pairs;
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

// Clamps the offset into what is possible: nobody leaves before all have come.
void apply_bounds(const std::vector<Pair>& pairs, Edge& edge) {
  double least = -INFINITY, most = INFINITY;
  int64_t broken = 0;
  for (const Pair& pair : pairs) {
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

// Calls that were matched by their order alone may be different ones.
void check_ends(const std::vector<Pair>& pairs, Edge& edge) {
  if (pairs.size() < kFewestPairs) return;
  Ends all;
  const Pair* last = nullptr;
  double last_apart = 0;
  for (const Pair& pair : pairs) {
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
    Ends& of_group = edge.ends[pair.from->group];
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

// By group and iteration, in order of their ends.
std::map<std::pair<std::string_view, int64_t>, std::vector<const ClockSample*>> in_order_of_ends(
    const Samples& samples) {
  std::map<std::pair<std::string_view, int64_t>, std::vector<const ClockSample*>> calls;
  for (const ClockSample& sample : samples) calls[iteration_of(sample)].push_back(&sample);
  for (auto& [iteration, of_iteration] : calls) {
    std::ranges::stable_sort(of_iteration, {}, [](const auto* call) { return call->stop_ns; });
  }
  return calls;
}

// The difference that most ends of like calls have, whatever their order; nullopt = none stands
// out, or so many of all calls do not have it.
std::optional<Edge> by_ends(const Samples& from, const Samples& to, double least_share) {
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
  Edge edge{.by = ClockBy::collectives, .note = {}, .doubt = {}, .ends = {}};
  std::vector<double> alike(differences.begin() + static_cast<std::ptrdiff_t>(best),
                            differences.begin() + static_cast<std::ptrdiff_t>(ends[best]));
  edge.offset_ns = median(alike);
  for (double& difference : alike) difference = std::abs(difference - edge.offset_ns);
  edge.error_ns = std::max(1.0, kMadToSigma * median(std::move(alike)));
  edge.pairs = static_cast<int64_t>(count);
  edge.at_ns = to.front().stop_ns;
  return edge;
}

std::optional<Edge> by_collectives(const Samples& from, const Samples& to, const Lacking* lacking) {
  const std::vector<Pair> all = pairs_of(from, to, lacking);
  if (all.size() < kFewestPairs) return std::nullopt;
  std::vector<Pair> pairs = all;
  std::ranges::stable_sort(pairs, {}, &Pair::transfer_ns);
  pairs.resize(std::max(kFewestPairs, static_cast<std::size_t>(std::ceil(
                                          kShortestShare * static_cast<double>(pairs.size())))));
  const auto [first, last] =
      std::ranges::minmax_element(all, {}, [](const Pair& pair) { return pair.to->stop_ns; });
  Edge edge{
      .by = ClockBy::collectives, .at_ns = first->to->stop_ns, .note = {}, .doubt = {}, .ends = {}};
  std::vector<double> times, differences;
  for (const Pair& pair : pairs) {
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
  Ends together;
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

// The other way: times of `from` from those of `to`.
Edge reversed(const Edge& edge, std::size_t from) {
  Edge back = edge;
  back.to = from;
  back.offset_ns = -edge.offset_ns;
  back.drift = -edge.drift / (1 + edge.drift);
  back.at_ns = wrapping_sum(edge.at_ns, rounded(edge.offset_ns));
  return back;
}

class Aligner {
 public:
  explicit Aligner(const RunSummary& summary)
      : summary_(summary), edges_(summary.parts.size()), fits_(summary.parts.size()) {}

  Clocks align() {
    if (is_by_place()) find_lacking();
    connect_hosts();
    connect_groups();
    follow();
    for (std::size_t part = 1; part < fits_.size(); ++part) {
      if (fits_[part].by == ClockBy::none) take_utc(part);
    }
    Clocks clocks{std::move(fits_), {}, {}};
    if (!is_by_place()) return clocks;
    for (const std::string& group : mismatched_) apart_.erase(group);
    clocks.mismatched = std::move(mismatched_);
    clocks.apart = std::move(apart_);
    return clocks;
  }

 private:
  bool is_by_place() const { return summary_.rules.matching != SummaryRules::Matching::sequence; }

  const Lacking* lacking() const { return is_by_place() ? &lacking_ : nullptr; }

  // Calls of an iteration follow one another.
  void find_lacking() {
    const CollectiveKey* last = nullptr;
    int64_t members = 0;
    for (const auto& [key, sum] : summary_.collectives) {
      const int64_t number = key.place / kPlacesOfIteration;
      const bool is_same =
          last != nullptr && last->group == key.group && last->place / kPlacesOfIteration == number;
      if (is_same && members != sum.members) lacking_.emplace(key.group, number);
      last = &key;
      members = sum.members;
    }
  }

  void connect(std::size_t from, std::size_t to, Edge edge) {
    edge.to = to;
    add_ends(edge);
    edge.ends.clear();
    edges_[to].push_back(reversed(edge, from));
    edges_[from].push_back(std::move(edge));
  }

  // One rank that calls something else makes the waits of all wrong.
  void add_ends(const Edge& edge) {
    for (const auto& [group, ends] : edge.ends) {
      if (!ends.are_one()) mismatched_.insert(group);
      if (!ends.apart.empty()) apart_[group].insert(ends.apart.begin(), ends.apart.end());
    }
  }

  // The lowest rank of a host with each other one.
  void connect_hosts() {
    std::map<std::string, std::size_t> lowest;
    for (std::size_t part = 0; part < summary_.parts.size(); ++part) {
      const RankHead& head = summary_.parts[part].head;
      const std::string key = head.host.empty() ? head.file : head.host;
      const auto [place, is_new] = lowest.try_emplace(key, part);
      if (is_new) continue;
      if (auto edge = by_host(summary_.parts[place->second].head, head)) {
        if (part < kMostChecked) check_host(place->second, part, *edge);
        edge->ends.clear();  // check_group() has those of each group
        connect(place->second, part, std::move(*edge));
      }
    }
  }

  // Machines may have one name, and clocks of their own. One file has one clock.
  void check_host(std::size_t from, std::size_t to, Edge& edge) {
    const auto samples = of_from_.clock(summary_.parts[from]);
    const auto others = of_to_.clock(summary_.parts[to]);
    if (!samples || !others) return;
    check_ends(pairs_of(*samples, *others, lacking()), edge);
    if (edge.doubt.empty() || edge.by == ClockBy::same_file) return;
    auto other_edge = by_collectives(*samples, *others, lacking());
    if (!other_edge || !other_edge->note.empty() || !other_edge->doubt.empty()) return;
    edge = *std::move(other_edge);
    edge.note = "the host clock does not fit; aligned by collectives instead";
    has_other_clock_.insert(to);
  }

  // Checks the ends of a group's calls on two ranks that share a host clock.
  void check_group(const std::string& group, std::size_t from, std::size_t to, Edge& edge) {
    const auto samples = of_from_.clock(summary_.parts[from]);
    const auto others = of_to_.clock(summary_.parts[to]);
    if (!samples || !others) return;
    std::vector<Pair> pairs = pairs_of(*samples, *others, lacking());
    std::erase_if(pairs, [&group](const Pair& pair) { return pair.from->group != group; });
    check_ends(pairs, edge);
    add_ends(edge);
  }

  // The lowest rank of a group with each other one that has another host or no clock of its own.
  void connect_groups() {
    std::map<std::string, std::vector<std::size_t>> members;
    for (std::size_t part = 0; part < summary_.parts.size(); ++part) {
      for (const auto& [group, rows] : summary_.parts[part].groups) members[group].push_back(part);
    }
    std::set<std::pair<std::size_t, std::size_t>> done;
    for (const auto& [group, parts] : members) {
      const std::size_t lowest = parts.front();
      std::vector<std::size_t> others;
      for (std::size_t i = 1; i < parts.size(); ++i) {
        const bool is_new = done.emplace(lowest, parts[i]).second;
        const bool has_clock =
            !has_other_clock_.contains(lowest) && !has_other_clock_.contains(parts[i]);
        auto host = by_host(summary_.parts[lowest].head, summary_.parts[parts[i]].head);
        if (host && has_clock) {
          if (parts[i] < kMostChecked) check_group(group, lowest, parts[i], *host);
        } else if (is_new) {
          others.push_back(parts[i]);
        }
      }
      connect_by_collectives(lowest, others);
    }
  }

  void connect_by_collectives(std::size_t from, const std::vector<std::size_t>& others) {
    if (others.empty()) return;
    const auto samples = of_from_.clock(summary_.parts[from]);
    if (!samples || samples->size() < kFewestPairs) return;
    std::vector<std::optional<Edge>> edges(others.size());
    base::parallel_for(others.size(), is_by_place() ? kPartsByEnds : kPartsAtOnce,
                       [&](std::size_t begin, std::size_t end) {
                         ColumnReader reader;
                         for (std::size_t i = begin; i < end; ++i) {
                           if (const auto of_other = reader.clock(summary_.parts[others[i]])) {
                             edges[i] = by_collectives(*samples, *of_other, lacking());
                           }
                         }
                       });
    for (std::size_t i = 0; i < others.size(); ++i) {
      if (edges[i]) connect(from, others[i], *std::move(edges[i]));
    }
  }

  // Shortest paths from the lowest rank; errors add as squares.
  void follow() {
    using Item = std::pair<double, std::size_t>;
    std::priority_queue<Item, std::vector<Item>, std::greater<>> queue;
    std::vector<double> variance(fits_.size(), INFINITY);
    variance[0] = 0;
    fits_[0].by = ClockBy::reference;
    queue.emplace(0.0, 0);
    while (!queue.empty()) {
      const auto [squares, at] = queue.top();
      queue.pop();
      if (squares > variance[at]) continue;
      for (const Edge& edge : edges_[at]) {
        const double sum = squares + edge.error_ns * edge.error_ns;
        if (sum >= variance[edge.to]) continue;
        variance[edge.to] = sum;
        fits_[edge.to] = joined(fits_[at], edge, sum);
        queue.emplace(sum, edge.to);
      }
    }
  }

  static ClockFit joined(const ClockFit& fit, const Edge& edge, double squares) {
    ClockFit result;
    result.by = edge.by;
    // By the weaker of the two ways.
    if (fit.by == ClockBy::collectives && edge.by != ClockBy::collectives) {
      result.by = ClockBy::collectives;
    }
    result.at_ns = edge.at_ns;
    const int64_t of_from = wrapping_sum(edge.at_ns, rounded(edge.offset_ns));
    result.offset_ns = wrapping_difference(fit.to_reference(of_from), edge.at_ns);
    result.drift = (1 + fit.drift) * (1 + edge.drift) - 1;
    result.error_ns = rounded(std::ceil(std::sqrt(squares)));
    result.pairs = std::max(fit.pairs, edge.pairs);
    result.note = edge.note.empty() ? fit.note : edge.note;
    result.doubt = edge.doubt.empty() ? fit.doubt : edge.doubt;
    return result;
  }

  void take_utc(std::size_t part) {
    const RankHead &first = summary_.parts.front().head, &head = summary_.parts[part].head;
    if (!first.utc_start_ns || !head.utc_start_ns) return;
    fits_[part].by = ClockBy::utc;
    fits_[part].offset_ns = *head.utc_start_ns - *first.utc_start_ns;
    fits_[part].error_ns = kErrorOfUtcNs;
  }

  const RunSummary& summary_;
  std::vector<std::vector<Edge>> edges_;  // by part
  std::set<std::string> mismatched_;      // groups
  std::map<std::string, std::set<int64_t>> apart_;
  Lacking lacking_;
  ColumnReader of_from_, of_to_;           // each keeps a block of parts
  std::set<std::size_t> has_other_clock_;  // parts, than that of their host
  std::vector<ClockFit> fits_;
};

}  // namespace

std::string_view to_text(ClockBy by) {
  switch (by) {
    case ClockBy::reference:
      return "reference";
    case ClockBy::same_file:
      return "same file";
    case ClockBy::system_clock:
    case ClockBy::utc_of_host:
      return "clock of the host";
    case ClockBy::collectives:
      return "collectives";
    case ClockBy::utc:
      return "UTC only";
    case ClockBy::none:
      return "not aligned";
  }
  return "";
}

int64_t ClockFit::to_reference(int64_t time_ns) const {
  const int64_t since = wrapping_difference(time_ns, at_ns);
  return wrapping_sum(wrapping_sum(time_ns, offset_ns),
                      rounded(drift * static_cast<double>(since)));
}

int64_t most_between_ends(double error_ns, int64_t transfer_ns) {
  const double of_error = std::min(kErrorsOfEnd * error_ns, kMostEndErrorNs);
  const double of_transfer = kShareOfTransfer * static_cast<double>(transfer_ns);
  return std::max({kGpuErrorNs, rounded(of_error), rounded(of_transfer)});
}

std::string describe(const ClockFit& fit) {
  switch (fit.by) {
    case ClockBy::reference:
      return "reference";
    case ClockBy::same_file:
      return "one file, one clock";
    case ClockBy::system_clock:
    case ClockBy::utc_of_host:
      return "by host clock, below 1 µs";
    case ClockBy::collectives:
      return fmt::format("by {}, {}", base::counted(fit.pairs, "collectives"),
                         base::format_duration(fit.error_ns));
    case ClockBy::utc:
      return "by UTC only, milliseconds";
    case ClockBy::none:
      return "not aligned";
  }
  return "";
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

Clocks align_clocks(const RunSummary& summary) {
  if (summary.parts.empty()) return {};
  return Aligner(summary).align();
}

}  // namespace dlview::ranks
