#include "aggregate/key_names.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>  // join

#include "base/units.h"

namespace dlview::aggregate {

profile::OpIndex op_named(const profile::Profile& profile, std::string_view id_or_name) {
  profile::OpIndex named;
  for (profile::OpIndex op{0}; op < profile.ops.size(); ++op) {
    if (profile.text(profile.ops.id[op]) == id_or_name) return op;
    if (named == profile::kNoRow && profile.text(profile.ops.name[op]) == id_or_name) named = op;
  }
  return named;
}

bool is_key(const profile::Profile& profile, std::string_view text) {
  if (op_named(profile, text) != profile::kNoRow) return true;
  const auto is_text = [&](profile::StringId id) { return profile.text(id) == text; };
  const profile::UserRanges& ranges = profile.user_ranges;
  return std::any_of(ranges.name.begin(), ranges.name.end(), is_text) ||
         std::any_of(ranges.path.begin(), ranges.path.end(), is_text);
}

std::string readable_key(std::string_view op_name) {
  if (!op_name.starts_with(profile::kUnassociated)) return std::string(op_name);
  const std::string_view call = op_name.substr(profile::kUnassociated.size());
  const std::size_t slash = call.find('/');
  if (slash == std::string_view::npos) return "calls of " + std::string(call);
  return "kernel " + std::string(call.substr(slash + 1));
}

std::string key_op_label(const profile::Profile& profile, std::string_view key_op) {
  const profile::OpIndex op = key_op.empty() ? profile::OpIndex() : op_named(profile, key_op);
  return readable_key(op == profile::kNoRow ? key_op : profile.text(profile.ops.name[op]));
}

OpLabels::OpLabels(const profile::Profile& profile)
    : profile_(profile), details_(profile.ops.size(), Detail::none) {
  using profile::OpIndex;
  using profile::StringId;
  const profile::Ops& ops = profile.ops;
  std::map<StringId, int> of_name;
  std::map<std::pair<StringId, StringId>, int> of_direction;
  for (OpIndex op{0}; op < ops.size(); ++op) {
    ++of_name[ops.name[op]];
    ++of_direction[{ops.name[op], ops.direction[op]}];
  }
  for (OpIndex op{0}; op < ops.size(); ++op) {
    if (of_name.at(ops.name[op]) == 1) continue;
    const bool is_alone = of_direction.at({ops.name[op], ops.direction[op]}) == 1;
    details_[profile::Row(op)] = is_alone ? Detail::direction : Detail::id;
  }
}

std::string OpLabels::text(profile::OpIndex op) const {
  if (op == profile::kNoRow) return "";
  std::string name = readable_key(profile_.text(profile_.ops.name[op]));
  const Detail detail = details_[profile::Row(op)];
  if (detail == Detail::none) return name;
  const std::string_view direction = profile_.text(profile_.ops.direction[op]);
  std::string more(direction == "fprop"   ? "forward"
                   : direction == "bprop" ? "backward"
                                          : direction);
  const std::string_view id = profile_.text(profile_.ops.id[op]);
  if (detail == Detail::id && !id.empty() && id != name) {
    if (!more.empty()) more += ", ";
    more += id;
  }
  return more.empty() ? name : fmt::format("{} ({})", name, more);
}

std::string marker_warning(const KeyOpCandidate& candidate) {
  if (candidate.burst > 1) return fmt::format("{} per step", base::format_count(candidate.burst));
  if (candidate.is_warm_up) return "warm-up only";
  if (candidate.is_unlike || candidate.stride > 0) return "looks like layers";
  if (candidate.is_background) return "on a helper thread";
  if (candidate.is_side_work) return "parallel to steps";
  if (candidate.is_epoch) return "epochs";
  return "";
}

std::string marker_caution(const std::vector<KeyOpCandidate>& ranked, std::string_view key) {
  const auto found = std::ranges::find_if(ranked, [key](const KeyOpCandidate& candidate) {
    return candidate.key == key || candidate.name == key;
  });
  if (key.empty() || found == ranked.end()) return "";
  const std::string name = readable_key(found->name);
  const std::string period = base::format_duration(found->period_ns);
  if (const std::string warning = marker_warning(*found); !warning.empty()) {
    return fmt::format("{} (every {}) {}", name, period, warning);
  }
  // A range that is called a step, and is much longer.
  constexpr int64_t kFewestInStep = 2;
  for (const KeyOpCandidate& step : ranked) {
    if (!step.names_step || step.is_warm_up || step.key == found->key) continue;
    if (found->names_step || step.period_ns < kFewestInStep * found->period_ns) continue;
    return fmt::format("{} (every {}) looks like a layer, not a step: {} is every {}", name, period,
                       readable_key(step.name), base::format_duration(step.period_ns));
  }
  return "";
}

std::string best_markers_text(const std::vector<KeyOpCandidate>& ranked, std::size_t most) {
  std::vector<std::string> texts;
  for (const KeyOpCandidate& candidate : ranked) {
    if (texts.size() == most) break;
    const std::string warning = marker_warning(candidate);
    texts.push_back(fmt::format("{} ({}{}{})", candidate.key,
                                base::format_percent(100 * candidate.score),
                                warning.empty() ? "" : ", ", warning));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

}  // namespace dlview::aggregate
