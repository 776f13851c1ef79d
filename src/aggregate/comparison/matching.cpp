#include "aggregate/comparison/matching.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "aggregate/comparison/common_subsequence.h"
#include "aggregate/comparison/matching_names.h"
#include "aggregate/key_names.h"

namespace dlview::aggregate {
namespace {

using profile::InstanceIndex;
using profile::OpIndex;
using profile::Profile;
using profile::Row;
constexpr double kSharedWords = 0.7, kFactor = 2;
constexpr std::size_t kMostNamePairs = 20'000'000;  // of one type

// What the typical iteration has of an op.
struct OpFacts {
  std::size_t place = 0;  // of the first instance, among all ops
  std::string_view shapes;
  int64_t calls = 0, ns = 0;
};

std::vector<OpFacts> facts_of(const MatchSide& side) {
  const Profile& profile = side.profile;
  std::vector<OpFacts> facts(profile.ops.size());
  std::vector<uint8_t> is_placed(facts.size());
  std::size_t placed = 0;
  const auto place = [&](OpIndex op) {
    if (is_placed[op] == 0) facts[op].place = placed++;
    is_placed[op] = 1;
  };
  const auto& instances = profile.instances;
  for (InstanceIndex i = side.typical.first_instance; i < side.typical.last_instance; ++i) {
    const OpIndex op = instances.op[i];
    if (is_placed[op] == 0) facts[op].shapes = profile.text(instances.input_shapes[i]);
    place(op);
    ++facts[op].calls;
    facts[op].ns += instances.cpu_stop_ns[i] - instances.cpu_start_ns[i];
    for (auto k = instances.first_kernel[i]; k < instances.first_kernel[i + 1]; ++k) {
      facts[op].ns += profile.kernels.gpu_stop_ns[k] - profile.kernels.gpu_start_ns[k];
    }
  }
  for (OpIndex op{0}; op < facts.size(); ++op) place(op);
  return facts;
}

bool is_near(int64_t a, int64_t b) {
  const auto [low, high] = std::minmax(a, b);
  return low > 0 && static_cast<double>(high) <= kFactor * static_cast<double>(low);
}

// DLProf's ids are its own; those of other formats were made by dlview, in the order of the file.
bool has_own_ids(const Profile& profile) {
  return !profile.trace.has_value();
}

class OpMatcher {
 public:
  OpMatcher(const MatchSide& before, const MatchSide& after)
      : sides_{&before.profile, &after.profile}, facts_{facts_of(before), facts_of(after)} {
    for (std::size_t side = 0; side < 2; ++side) {
      is_open_[side].assign(facts_[side].size(), 1);
    }
  }

  int64_t skipped() const { return skipped_; }

  std::vector<OpMatch> match(const MatchOptions& options) {
    for (const auto& [before, after] : options.pairs) {
      const OpIndex from = op_named(*sides_[0], before), to = op_named(*sides_[1], after);
      if (from == profile::kNoRow || to == profile::kNoRow) continue;
      if (is_open_[0][from] == 1 && is_open_[1][to] == 1) add(from, to, MatchedBy::hand);
    }
    const auto uses = [&options](MatchedBy step) {
      return options.uses[static_cast<std::size_t>(step)];
    };
    if (uses(MatchedBy::id) && has_own_ids(*sides_[0]) && has_own_ids(*sides_[1])) match_ids();
    if (uses(MatchedBy::path)) {
      match_groups(MatchedBy::path, false, [](const Profile& profile, OpIndex op, const OpFacts&) {
        return path_key(profile, op);
      });
    }
    if (uses(MatchedBy::layer)) match_layers();
    if (uses(MatchedBy::shape)) {
      match_groups(MatchedBy::shape, false,
                   [](const Profile& profile, OpIndex op, const OpFacts& facts) {
                     if (facts.shapes.empty()) return std::string();
                     return fmt::format("{}\n{}\n{}", type_key(profile, op), facts.shapes,
                                        profile.text(profile.ops.data_type[op]));
                   });
    }
    if (uses(MatchedBy::place)) match_places();
    if (uses(MatchedBy::name)) match_names();
    std::ranges::sort(matches_, {}, [](const OpMatch& match) { return Row(match.before); });
    return std::move(matches_);
  }

 private:
  static std::string type_key(const Profile& profile, OpIndex op) {
    return fmt::format("{}\n{}", profile.text(profile.ops.type[op]),
                       profile.text(profile.ops.direction[op]));
  }
  static std::string path_key(const Profile& profile, OpIndex op) {
    return fmt::format("{}\n{}", profile.text(profile.ops.name[op]), type_key(profile, op));
  }

  void add(OpIndex before, OpIndex after, MatchedBy by) {
    is_open_[0][before] = 0;
    is_open_[1][after] = 0;
    matches_.push_back({before, after, by});
  }

  std::vector<OpIndex> open_ops(std::size_t side) const {
    std::vector<OpIndex> ops;
    for (OpIndex op{0}; op < is_open_[side].size(); ++op) {
      if (is_open_[side][op] == 1) ops.push_back(op);
    }
    std::ranges::sort(ops, {}, [&](OpIndex op) { return facts_[side][op].place; });
    return ops;
  }

  // Equal ids are the same op only if all ops of that path have the same ids: one more op of a type
  // shifts the numbers of all that follow.
  void match_ids() {
    using Ids = std::map<std::string_view, OpIndex>;
    std::map<std::string, std::array<Ids, 2>> groups;
    for (std::size_t side = 0; side < 2; ++side) {
      const Profile& profile = *sides_[side];
      for (const OpIndex op : open_ops(side)) {
        groups[path_key(profile, op)][side].emplace(profile.text(profile.ops.id[op]), op);
      }
    }
    for (const auto& entry : groups) {
      const Ids &before = entry.second[0], &after = entry.second[1];
      const bool are_equal = std::ranges::equal(
          before, after, [](const auto& a, const auto& b) { return a.first == b.first; });
      if (!are_equal) continue;
      for (const auto& [id, op] : before) add(op, after.at(id), MatchedBy::id);
    }
  }

  // Where only one run numbers its first layer ("layer", "layer_1" with "layer_3", "layer_4"), the
  // groups of numbered names have different sizes, and pairs in their order would be off by one.
  void match_layers() {
    match_groups(MatchedBy::layer, false, [](const Profile& profile, OpIndex op, const OpFacts&) {
      return without_running_numbers(path_key(profile, op));
    });
    match_groups(MatchedBy::layer, false, [](const Profile& profile, OpIndex op, const OpFacts&) {
      return without_number_places(without_running_numbers(path_key(profile, op)));
    });
    match_groups(MatchedBy::layer, true, [](const Profile& profile, OpIndex op, const OpFacts&) {
      return without_running_numbers(path_key(profile, op));
    });
  }

  // Pairs the ops of equal keys in their order. An empty key matches nothing.
  template <typename KeyOf>
  void match_groups(MatchedBy by, bool pairs_uneven, const KeyOf& key_of) {
    std::map<std::string, std::array<std::vector<OpIndex>, 2>> groups;
    for (std::size_t side = 0; side < 2; ++side) {
      for (const OpIndex op : open_ops(side)) {
        std::string key = key_of(*sides_[side], op, facts_[side][op]);
        if (!key.empty()) groups[std::move(key)][side].push_back(op);
      }
    }
    for (const auto& [key, ops] : groups) {
      if (ops[0].size() != ops[1].size() && !pairs_uneven) continue;
      for (std::size_t i = 0; i < std::min(ops[0].size(), ops[1].size()); ++i) {
        add(ops[0][i], ops[1][i], by);
      }
    }
  }

  std::vector<OpIndex> in_order(std::size_t side) const {
    std::vector<OpIndex> ops;
    for (OpIndex op{0}; op < facts_[side].size(); ++op) {
      if (facts_[side][op].calls > 0) ops.push_back(op);
    }
    std::ranges::sort(ops, {}, [&](OpIndex op) { return facts_[side][op].place; });
    return ops;
  }

  // The matched pairs that lie in the same order on both sides: the longest rising run of places.
  std::vector<OpMatch> anchors() const {
    std::vector<OpMatch> pairs;
    for (const OpMatch& match : matches_) {
      if (facts_[0][match.before].calls > 0 && facts_[1][match.after].calls > 0) {
        pairs.push_back(match);
      }
    }
    const auto place = [this](std::size_t side, OpIndex op) { return facts_[side][op].place; };
    std::ranges::sort(pairs, {}, [&](const OpMatch& match) { return place(0, match.before); });
    // Patience: `ends[k]` is the pair that ends the best run of k + 1 pairs.
    std::vector<std::size_t> ends, previous(pairs.size(), SIZE_MAX);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const auto end =
          std::ranges::lower_bound(ends, place(1, pairs[i].after), {},
                                   [&](std::size_t e) { return place(1, pairs[e].after); });
      if (end != ends.begin()) previous[i] = *std::prev(end);
      if (end == ends.end()) {
        ends.push_back(i);
      } else {
        *end = i;
      }
    }
    std::vector<OpMatch> run;
    for (std::size_t i = ends.empty() ? SIZE_MAX : ends.back(); i != SIZE_MAX; i = previous[i]) {
      run.push_back(pairs[i]);
    }
    std::ranges::reverse(run);
    return run;
  }

  void match_places() {
    const std::array<std::vector<OpIndex>, 2> all{in_order(0), in_order(1)};
    std::array<std::size_t, 2> at{0, 0};
    const auto match_until = [&](std::size_t before_end, std::size_t after_end) {
      const std::array<std::size_t, 2> end{before_end, after_end};
      std::array<std::vector<OpIndex>, 2> between;
      for (std::size_t side = 0; side < 2; ++side) {
        for (; at[side] < all[side].size(); ++at[side]) {
          const OpIndex op = all[side][at[side]];
          if (facts_[side][op].place >= end[side]) break;
          if (is_open_[side][op] == 1) between[side].push_back(op);
        }
      }
      match_common(between[0], between[1]);
    };
    for (const OpMatch& anchor : anchors()) {
      match_until(facts_[0][anchor.before].place, facts_[1][anchor.after].place);
    }
    match_until(SIZE_MAX, SIZE_MAX);
  }

  // Pairs the longest common subsequence of types and directions.
  void match_common(const std::vector<OpIndex>& before, const std::vector<OpIndex>& after) {
    if (before.empty() || after.empty()) return;
    std::map<std::string, uint32_t> numbers;
    const auto numbered = [&](std::size_t side, const std::vector<OpIndex>& ops) {
      std::vector<uint32_t> types;
      for (const OpIndex op : ops) {
        types.push_back(
            numbers.try_emplace(type_key(*sides_[side], op), static_cast<uint32_t>(numbers.size()))
                .first->second);
      }
      return types;
    };
    const std::vector<uint32_t> from = numbered(0, before), to = numbered(1, after);
    for (const auto& [i, j] : common_subsequence(from, to)) {
      add(before[i], after[j], MatchedBy::place);
    }
  }

  // Pairs ops that are each other's only likely partner.
  void match_names() {
    std::map<std::string_view, std::array<std::vector<OpIndex>, 2>> types;
    std::array<std::map<Row, std::vector<std::string>>, 2> words;
    for (std::size_t side = 0; side < 2; ++side) {
      for (const OpIndex op : open_ops(side)) {
        const Profile& profile = *sides_[side];
        types[profile.text(profile.ops.type[op])][side].push_back(op);
        words[side][op] = words_of(profile.text(profile.ops.name[op]));
      }
    }
    for (const auto& entry : types) {
      const std::vector<OpIndex>&from = entry.second[0], &to = entry.second[1];
      if (from.empty() || to.empty()) continue;
      if (from.size() > kMostNamePairs / to.size()) {
        skipped_ += static_cast<int64_t>(from.size() + to.size());
        continue;
      }
      std::map<Row, std::vector<OpIndex>> partners, back;
      for (const OpIndex before : from) {
        for (const OpIndex after : to) {
          const OpFacts &a = facts_[0][before], &b = facts_[1][after];
          if (!is_near(a.calls, b.calls) && !is_near(a.ns, b.ns)) continue;
          if (shared_words(words[0].at(before), words[1].at(after)) < kSharedWords) continue;
          partners[before].push_back(after);
          back[after].push_back(before);
        }
      }
      for (const auto& [before, likely] : partners) {
        if (likely.size() == 1 && back.at(likely[0]).size() == 1) {
          add(OpIndex(before), likely[0], MatchedBy::name);
        }
      }
    }
  }

  std::array<const Profile*, 2> sides_;
  std::array<std::vector<OpFacts>, 2> facts_;
  std::array<std::vector<uint8_t>, 2> is_open_;  // by op: without a partner
  std::vector<OpMatch> matches_;
  int64_t skipped_ = 0;  // ops that no names were compared of
};

}  // namespace

double MatchShare::rate() const {
  return all_ns == 0 ? 1 : static_cast<double>(matched_ns) / static_cast<double>(all_ns);
}

namespace {

// Whether the run `a` comes after `b`, in an order of all that matching reads. Ties within a step
// are broken alike whichever run is before: the runs are matched in one order.
bool comes_later(const MatchSide& one, const MatchSide& other) {
  const Profile &a = one.profile, &b = other.profile;
  const auto by_text = [&](profile::StringId from, profile::StringId to) {
    return a.text(from).compare(b.text(to));
  };
  const std::size_t count = std::min(a.ops.size(), b.ops.size());
  for (const auto column : {&profile::Ops::name, &profile::Ops::type, &profile::Ops::direction,
                            &profile::Ops::id, &profile::Ops::data_type}) {
    for (OpIndex op{0}; op < count; ++op) {
      const int order = by_text((a.ops.*column)[op], (b.ops.*column)[op]);
      if (order != 0) return order > 0;
    }
  }
  if (a.ops.size() != b.ops.size()) return a.ops.size() > b.ops.size();
  const auto calls = [](const MatchSide& side) {
    return Row(side.typical.last_instance) - Row(side.typical.first_instance);
  };
  if (calls(one) != calls(other)) return calls(one) > calls(other);
  for (Row i = 0; i < calls(one); ++i) {
    const InstanceIndex from = one.typical.first_instance + i,
                        to = other.typical.first_instance + i;
    if (a.instances.op[from] != b.instances.op[to]) {
      return a.instances.op[from] > b.instances.op[to];
    }
    const int order = by_text(a.instances.input_shapes[from], b.instances.input_shapes[to]);
    if (order != 0) return order > 0;
  }
  const auto ns = [](const MatchSide& side) {
    std::vector<int64_t> times;
    for (const OpFacts& facts : facts_of(side)) times.push_back(facts.ns);
    return times;
  };
  return ns(one) > ns(other);
}

std::vector<OpMatch> match_ops(const MatchSide& before, const MatchSide& after,
                               MatchOptions options, int64_t& skipped) {
  const bool is_swapped = comes_later(before, after);
  OpMatcher matcher(is_swapped ? after : before, is_swapped ? before : after);
  if (is_swapped) {
    for (auto& [from, to] : options.pairs) std::swap(from, to);
  }
  std::vector<OpMatch> matches = matcher.match(options);
  skipped = matcher.skipped();
  if (!is_swapped) return matches;
  for (OpMatch& match : matches) std::swap(match.before, match.after);
  std::ranges::sort(matches, {}, [](const OpMatch& match) { return Row(match.before); });
  return matches;
}

}  // namespace

OpMatching::OpMatching(const MatchSide& before, const MatchSide& after, const MatchOptions& options)
    : matches_(match_ops(before, after, options, skipped_)),
      by_before_(before.profile.ops.size(), UINT32_MAX),
      by_after_(after.profile.ops.size(), UINT32_MAX) {
  for (uint32_t i = 0; i < matches_.size(); ++i) {
    by_before_[matches_[i].before] = i;
    by_after_[matches_[i].after] = i;
  }
}

MatchRate match_rate(const OpMatching& matching, const PartSums& sums, bool is_before) {
  MatchRate rate;
  for (const PartTime& row : sums.rows) {
    if (row.key.op == profile::kNoRow) continue;
    MatchShare& share = is_gpu_part(row.key.part) ? rate.gpu : rate.cpu;
    share.all_ns += row.exclusive_ns;
    const OpMatch* const match =
        is_before ? matching.of_before(row.key.op) : matching.of_after(row.key.op);
    if (match == nullptr) continue;
    share.matched_ns += row.exclusive_ns;
    share.by_step_ns[static_cast<std::size_t>(match->by)] += row.exclusive_ns;
  }
  return rate;
}

}  // namespace dlview::aggregate
