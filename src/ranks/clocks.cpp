#include "ranks/clocks.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <queue>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/parallel.h"
#include "base/units.h"
#include "ranks/clock_edge.h"
#include "ranks/stored_parts.h"

namespace dlview::ranks {
namespace {

constexpr int64_t kErrorOfUtcNs = 10'000'000;  // NTP: one to tens of milliseconds
constexpr std::size_t kMostChecked = 256;      // ranks that have the clock of their host
constexpr std::size_t kPartsAtOnce = 64, kPartsByEnds = 8;  // by_ends() takes long

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

  const LackingCalls* lacking() const { return is_by_place() ? &lacking_ : nullptr; }

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

  void connect(std::size_t from, std::size_t to, ClockEdge edge) {
    edge.to = to;
    add_ends(edge);
    edge.ends.clear();
    edges_[to].push_back(reversed(edge, from));
    edges_[from].push_back(std::move(edge));
  }

  // One rank that calls something else makes the waits of all wrong.
  void add_ends(const ClockEdge& edge) {
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
      if (auto edge = edge_by_host(summary_.parts[place->second].head, head)) {
        if (part < kMostChecked) check_host(place->second, part, *edge);
        edge->ends.clear();  // check_group() has those of each group
        connect(place->second, part, std::move(*edge));
      }
    }
  }

  // Machines may have one name, and clocks of their own. One file has one clock.
  void check_host(std::size_t from, std::size_t to, ClockEdge& edge) {
    const auto samples = of_from_.clock(summary_.parts[from]);
    const auto others = of_to_.clock(summary_.parts[to]);
    if (!samples || !others) return;
    check_ends(clock_pairs(*samples, *others, lacking()), edge);
    if (edge.doubt.empty() || edge.by == ClockBy::same_file) return;
    auto other_edge = edge_by_collectives(*samples, *others, lacking());
    if (!other_edge || !other_edge->note.empty() || !other_edge->doubt.empty()) return;
    edge = *std::move(other_edge);
    edge.note = "the host clock does not fit; aligned by collectives instead";
    has_other_clock_.insert(to);
  }

  // Checks the ends of a group's calls on two ranks that share a host clock.
  void check_group(const std::string& group, std::size_t from, std::size_t to, ClockEdge& edge) {
    const auto samples = of_from_.clock(summary_.parts[from]);
    const auto others = of_to_.clock(summary_.parts[to]);
    if (!samples || !others) return;
    std::vector<ClockPair> pairs = clock_pairs(*samples, *others, lacking());
    std::erase_if(pairs, [&group](const ClockPair& pair) { return pair.from->group != group; });
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
        auto host = edge_by_host(summary_.parts[lowest].head, summary_.parts[parts[i]].head);
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
    std::vector<std::optional<ClockEdge>> edges(others.size());
    base::parallel_for(others.size(), is_by_place() ? kPartsByEnds : kPartsAtOnce,
                       [&](std::size_t begin, std::size_t end) {
                         ColumnReader reader;
                         for (std::size_t i = begin; i < end; ++i) {
                           if (const auto of_other = reader.clock(summary_.parts[others[i]])) {
                             edges[i] = edge_by_collectives(*samples, *of_other, lacking());
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
      for (const ClockEdge& edge : edges_[at]) {
        const double sum = squares + edge.error_ns * edge.error_ns;
        if (sum >= variance[edge.to]) continue;
        variance[edge.to] = sum;
        fits_[edge.to] = joined(fits_[at], edge, sum);
        queue.emplace(sum, edge.to);
      }
    }
  }

  static ClockFit joined(const ClockFit& fit, const ClockEdge& edge, double squares) {
    ClockFit result;
    result.by = edge.by;
    // By the weaker of the two ways.
    if (fit.by == ClockBy::collectives && edge.by != ClockBy::collectives) {
      result.by = ClockBy::collectives;
    }
    result.at_ns = edge.at_ns;
    const int64_t of_from = wrapping_sum(edge.at_ns, rounded_ns(edge.offset_ns));
    result.offset_ns = wrapping_difference(fit.to_reference(of_from), edge.at_ns);
    result.drift = (1 + fit.drift) * (1 + edge.drift) - 1;
    result.error_ns = rounded_ns(std::ceil(std::sqrt(squares)));
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
  std::vector<std::vector<ClockEdge>> edges_;  // by part
  std::set<std::string> mismatched_;           // groups
  std::map<std::string, std::set<int64_t>> apart_;
  LackingCalls lacking_;
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
                      rounded_ns(drift * static_cast<double>(since)));
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

Clocks align_clocks(const RunSummary& summary) {
  if (summary.parts.empty()) return {};
  return Aligner(summary).align();
}

}  // namespace dlview::ranks
