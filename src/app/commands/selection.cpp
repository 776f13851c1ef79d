#include <algorithm>
#include <cctype>
#include <charconv>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "aggregate/iterations.h"
#include "app/commands/common.h"

namespace dlview::app {
namespace {

using aggregate::Cut;
using aggregate::CutKind;
using aggregate::IterationRange;
using base::Error;
using base::Result;
using profile::Profile;

constexpr std::size_t kSuggestions = 5;

bool parse_number(std::string_view text, int64_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

// Op ids and names that contain the text, whatever the case; the first ones in order.
std::vector<std::string> similar_ops(const Profile& profile, std::string_view key_op) {
  const std::string wanted = lower_case(key_op);
  std::set<std::string> found;
  for (std::size_t op = 0; op < profile.ops.size(); ++op) {
    for (const auto id : {profile.ops.id[op], profile.ops.name[op]}) {
      const std::string_view text = profile.text(id);
      if (lower_case(text).find(wanted) != std::string::npos) found.emplace(text);
    }
  }
  std::vector<std::string> first(found.begin(), found.end());
  first.resize(std::min(first.size(), kSuggestions));
  return first;
}

bool is_op(const Profile& profile, std::string_view key_op) {
  for (std::size_t op = 0; op < profile.ops.size(); ++op) {
    if (profile.text(profile.ops.id[op]) == key_op) return true;
    if (profile.text(profile.ops.name[op]) == key_op) return true;
  }
  return false;
}

Error no_such_op(const Profile& profile, const std::string& key_op) {
  const std::vector<std::string> similar = similar_ops(profile, key_op);
  return {"The key op is not in the profile",
          fmt::format("No op has the id or the name \"{}\"", key_op),
          similar.empty() ? "Give --key-op the id or the full name of an op; `dlview report "
                            "--reports detail` lists them"
                          : fmt::format("Did you mean {}?", fmt::join(similar, " or "))};
}

Result<CutKind> parse_cut(const std::string& text) {
  if (text == "start") return CutKind::start;
  if (text == "end") return CutKind::end;
  if (text == "stored") return CutKind::stored;
  return Error{"Unknown cut", fmt::format("There is no cut named \"{}\"", text),
               "Choose from: start, end, stored"};
}

// The first stored aggregation, or the first with the given key op.
Result<Cut> stored_cut(const Profile& profile, const std::optional<std::string>& key_op) {
  const auto& stored = profile.stored_aggregations;
  for (std::size_t i = 0; i < stored.size(); ++i) {
    if (!key_op || stored[i].key_op == *key_op) return Cut{CutKind::stored, stored[i].key_op, i};
  }
  return Error{"There is no such stored iteration list",
               stored.empty() ? "The file holds no aggregation"
                              : fmt::format("No stored aggregation has the key op \"{}\"", *key_op),
               "Use --cut start or --cut end"};
}

Result<Cut> choose_cut(const Profile& profile, const SelectionOptions& options) {
  if (!options.key_op && !options.cut) return aggregate::default_cut(profile);
  Result<CutKind> kind = CutKind::start;
  if (options.cut) kind = parse_cut(*options.cut);
  if (!kind) return kind.error();
  if (*kind == CutKind::stored) return stored_cut(profile, options.key_op);
  if (!options.key_op) return Cut{*kind, aggregate::default_cut(profile).key_op, 0};
  if (!options.key_op->empty() && !is_op(profile, *options.key_op)) {
    return no_such_op(profile, *options.key_op);
  }
  return Cut{*kind, *options.key_op, 0};
}

// The range of the stored aggregation whose iterations are taken, else all.
IterationRange default_range(const Profile& profile, const Cut& cut, int64_t count) {
  if (cut.kind != CutKind::stored) return {0, count - 1};
  const profile::StoredAggregation& stored = profile.stored_aggregations[cut.stored_index];
  return aggregate::clamp_range({stored.first_iteration, stored.last_iteration}, count);
}

}  // namespace

Result<IterationRange> parse_iterations(std::string_view text) {
  const std::size_t colon = text.find(':');
  IterationRange range;
  if (colon == std::string_view::npos || !parse_number(text.substr(0, colon), range.first) ||
      !parse_number(text.substr(colon + 1), range.last)) {
    return Error{"Not a range of iterations", fmt::format("\"{}\" is not of the form A:B", text),
                 "Give two iteration numbers, first and last: --iterations 200:400"};
  }
  if (range.first <= range.last) return range;
  return Error{
      "The range of iterations is empty", fmt::format("{} comes after {}", range.first, range.last),
      fmt::format("Give the lower number first: --iterations {}:{}", range.last, range.first)};
}

Result<aggregate::Selection> choose_selection(const Profile& profile,
                                              const SelectionOptions& options) {
  const Result<Cut> cut = choose_cut(profile, options);
  if (!cut) return cut.error();
  const auto count = static_cast<int64_t>(aggregate::cut_iterations(profile, *cut).rows.size());
  if (!options.iterations) return aggregate::Selection{*cut, default_range(profile, *cut, count)};
  const Result<IterationRange> range = parse_iterations(*options.iterations);
  if (!range) return range.error();
  if (range->first >= 0 && range->last < count) return aggregate::Selection{*cut, *range};
  return Error{"There are no such iterations",
               fmt::format("\"{}\" lies outside the {} iteration{} of this profile",
                           *options.iterations, count, count == 1 ? "" : "s"),
               fmt::format("Choose from 0:{}", count - 1)};
}

}  // namespace dlview::app
