#include "aggregate/comparison/match_options.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "aggregate/key_names.h"

namespace dlview::aggregate {
namespace {

using profile::OpIndex;
using profile::Profile;
using profile::Row;

constexpr std::array<std::string_view, kMatchStepCount> kSteps{"hand",  "id",    "path", "layer",
                                                               "shape", "place", "name"};

// Why a name does not tell which op is meant; nullopt = it does.
std::optional<base::Error> several_ops(std::string_view name, const Profile& profile) {
  constexpr std::size_t kShown = 5;
  std::vector<std::string_view> ids;
  for (OpIndex op{0}; op < profile.ops.size(); ++op) {
    if (profile.text(profile.ops.name[op]) == name) ids.push_back(profile.text(profile.ops.id[op]));
  }
  if (ids.size() < 2) return std::nullopt;
  const auto shown = std::span(ids).first(std::min(ids.size(), kShown));
  return base::Error{
      .title = fmt::format("Ambiguous --pair: {} ops are named \"{}\".", ids.size(), name),
      .detail = fmt::format("{} has them as {}{}", profile.source.path, fmt::join(shown, ", "),
                            ids.size() > kShown ? ", …" : ""),
      .advice = "Use the id of the op"};
}

base::Error unknown_op(std::string_view name, const Profile& profile) {
  return {.title = fmt::format("Invalid --pair: no op \"{}\".", name),
          .detail = fmt::format("{} has no op with this id or name", profile.source.path),
          .advice = "List the ops: dlview table FILE --table op_nodes"};
}

struct NamedPair {
  std::string_view before, after;
  OpIndex from{}, to{};
};

base::Result<NamedPair> parse_pair(const Profile& before, const Profile& after,
                                   std::string_view text) {
  if (text.find('=') == std::string_view::npos) {
    return base::Error{.title = fmt::format("Invalid --pair: \"{}\".", text),
                       .detail = "",
                       .advice = "Write the op before, an equals sign and the op after"};
  }
  // Names can have equals signs of their own.
  std::vector<NamedPair> read;
  for (std::size_t at = text.find('='); at != std::string_view::npos; at = text.find('=', at + 1)) {
    NamedPair pair{text.substr(0, at), text.substr(at + 1)};
    pair.from = op_named(before, pair.before);
    pair.to = op_named(after, pair.after);
    if (pair.from != profile::kNoRow && pair.to != profile::kNoRow) read.push_back(pair);
  }
  if (read.empty()) {
    const std::string_view from = text.substr(0, text.find('='));
    if (op_named(before, from) == profile::kNoRow) return unknown_op(from, before);
    return unknown_op(text.substr(from.size() + 1), after);
  }
  if (read.size() > 1) {
    return base::Error{
        .title = fmt::format("Ambiguous --pair: \"{}\".", text),
        .detail = fmt::format("It can mean \"{}\" and \"{}\", or \"{}\" and \"{}\"", read[0].before,
                              read[0].after, read[1].before, read[1].after),
        .advice = "Use the ids of the ops: dlview table FILE --table op_nodes"};
  }
  for (const bool is_before : {true, false}) {
    const Profile& profile = is_before ? before : after;
    const std::string_view name = is_before ? read[0].before : read[0].after;
    const OpIndex op = is_before ? read[0].from : read[0].to;
    if (profile.text(profile.ops.id[op]) == name) continue;
    if (auto several = several_ops(name, profile)) return *std::move(several);
  }
  return read[0];
}

}  // namespace

std::string_view to_text(MatchedBy step) {
  return kSteps[static_cast<std::size_t>(step)];
}

std::optional<MatchedBy> match_step_named(std::string_view id) {
  const auto* const found = std::ranges::find(kSteps, id);
  if (found == kSteps.end()) return std::nullopt;
  return static_cast<MatchedBy>(found - kSteps.begin());
}

base::Result<MatchOptions> parse_match_steps(std::string_view text) {
  MatchOptions options;
  options.uses.fill(false);
  options.uses[static_cast<std::size_t>(MatchedBy::hand)] = true;
  while (true) {
    const std::string_view word = text.substr(0, text.find(','));
    const std::optional<MatchedBy> step = match_step_named(word);
    if (!step || *step == MatchedBy::hand) {
      return base::Error{.title = fmt::format("Invalid --match: \"{}\".", word),
                         .detail = "",
                         .advice = "Valid values: id, path, layer, shape, place, name"};
    }
    options.uses[static_cast<std::size_t>(*step)] = true;
    if (word.size() == text.size()) return options;
    text.remove_prefix(word.size() + 1);
  }
}

base::Result<std::vector<std::pair<std::string, std::string>>> parse_pairs(
    const Profile& before, const Profile& after, std::span<const std::string> texts) {
  std::vector<std::pair<std::string, std::string>> pairs;
  std::map<Row, std::string> used_before, used_after;
  for (const std::string& text : texts) {
    const auto pair = parse_pair(before, after, text);
    if (!pair) return pair.error();
    for (const bool is_before : {true, false}) {
      const Row op = is_before ? pair->from : pair->to;
      const auto [first, is_new] = (is_before ? used_before : used_after).try_emplace(op, text);
      if (is_new) continue;
      return base::Error{
          .title = fmt::format("Invalid --pair: \"{}\".", text),
          .detail =
              fmt::format("The op {} \"{}\" is in \"{}\" already", is_before ? "before" : "after",
                          is_before ? pair->before : pair->after, first->second),
          .advice = "Name each op in one pair"};
    }
    pairs.emplace_back(pair->before, pair->after);
  }
  return pairs;
}

}  // namespace dlview::aggregate
