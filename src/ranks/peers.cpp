#include "ranks/peers.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace dlview::ranks {
namespace {

constexpr double kMoreLaunches = 1.1;  // of a rank whose work is another one's

// The first part of each rank, by row of RankTimes.
std::vector<const RankPart*> first_parts(const RankTimes& times, const RunSummary& summary) {
  std::vector<const RankPart*> first(times.ranks.size());
  std::size_t row = 0;
  for (const RankPart& part : summary.parts) {
    while (times.ranks[row] != part.head.rank) ++row;
    if (first[row] == nullptr) first[row] = &part;
  }
  return first;
}

// Ranks that data-parallel groups connect; none if a rank is in no such group.
RankSets data_parallel_sets(const std::vector<const RankPart*>& parts, const RunSummary& summary) {
  std::set<std::string_view> of_data;
  for (const auto& [group, facts] : summary.groups) {
    if (facts.kind() == GroupKind::data) of_data.insert(group);
  }
  std::map<std::string_view, std::size_t> set_of_group;
  std::vector<std::size_t> joined;  // by set: a lower one that it is part of, or itself
  const auto root = [&joined](std::size_t set) {
    while (joined[set] != set) set = joined[set];
    return set;
  };
  std::vector<std::size_t> set_of_rank;
  for (const RankPart* part : parts) {
    std::optional<std::size_t> its;
    for (const auto& [group, rows] : part->groups) {
      if (!of_data.contains(group)) continue;
      const auto [known, is_new] = set_of_group.try_emplace(group, joined.size());
      if (is_new) joined.push_back(joined.size());
      const std::size_t set = root(known->second);
      if (its) joined[std::max(*its, set)] = std::min(*its, set);
      its = its ? std::min(*its, set) : set;
    }
    if (!its) return {};
    set_of_rank.push_back(*its);
  }
  std::map<std::size_t, std::vector<std::size_t>> sets;
  for (std::size_t row = 0; row < set_of_rank.size(); ++row) {
    sets[root(set_of_rank[row])].push_back(row);
  }
  RankSets list;
  for (auto& entry : sets) list.push_back(std::move(entry.second));
  return list;
}

// Ranks of one work signature, apart where the next one launches kMoreLaunches of the last.
RankSets sets_of_work(const std::vector<const RankPart*>& parts) {
  std::vector<std::size_t> rows(parts.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  const auto work = [&parts](std::size_t row) {
    const RankHead& head = parts[row]->head;
    return std::pair(head.work_signature, head.launches_per_1000);
  };
  std::ranges::stable_sort(rows, {}, work);
  RankSets sets;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto [signature, launches] = work(rows[i]);
    const auto [last_signature, last_launches] = i == 0 ? work(rows[i]) : work(rows[i - 1]);
    const bool is_more =
        static_cast<double>(launches) > kMoreLaunches * static_cast<double>(last_launches);
    if (i == 0 || signature != last_signature || is_more) sets.emplace_back();
    sets.back().push_back(rows[i]);
  }
  for (std::vector<std::size_t>& set : sets) std::ranges::sort(set);
  return sets;
}

}  // namespace

RankSets peers_of(const RankTimes& times, const RunSummary& summary) {
  const std::vector<const RankPart*> parts = first_parts(times, summary);
  RankSets sets = data_parallel_sets(parts, summary);
  const auto are_alone = [](const RankSets& all) {
    return std::ranges::all_of(all, [](const auto& set) { return set.size() == 1; });
  };
  if (are_alone(sets)) sets = sets_of_work(parts);
  if (are_alone(sets)) {
    std::vector<std::size_t> all(times.ranks.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    return {all};
  }
  // In the order of their first ranks.
  std::ranges::sort(sets);
  return sets;
}

}  // namespace dlview::ranks
