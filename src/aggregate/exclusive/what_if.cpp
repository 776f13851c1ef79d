#include "aggregate/exclusive/what_if.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "aggregate/exclusive/rounding.h"
#include "base/parse.h"
#include "profile/recorded.h"

namespace dlview::aggregate {
namespace {

using profile::OpIndex;
using profile::Profile;

constexpr std::array<GapCause, kGapCauseCount> kGapCauses{
    GapCause::queued,  GapCause::wait,   GapCause::api_call, GapCause::data_loader,
    GapCause::os_call, GapCause::asleep, GapCause::op,       GapCause::host_range,
    GapCause::nothing, GapCause::launch};

constexpr std::string_view kIdlePrefix = "idle_";
constexpr std::string_view kTensorCores = "tensor_cores";

std::optional<GapCause> gap_cause_named(std::string_view id) {
  for (const GapCause cause : kGapCauses) {
    if (id_of(cause) == id) return cause;
  }
  return std::nullopt;
}

// Parts that a change can take away, in the order of the pane.
constexpr std::array kRemovableParts{StackPart::data_loader, StackPart::exposed_communication,
                                     StackPart::memory, StackPart::io};

// What a factor saves, rounded up.
int64_t saved_of(int64_t ns, Factor factor) {
  if (factor == kGone) return ns;
  const Wide saved = Wide{ns} * (factor - kSame);
  return static_cast<int64_t>((saved + factor - 1) / factor);
}

// What an event with this time takes if it is faster, rounded up.
int64_t left_of(int64_t ns, Factor factor) {
  if (factor == kGone) return 0;
  return static_cast<int64_t>((Wide{ns} * kSame + factor - 1) / factor);
}

int64_t events_ns(const PartTime& row) {
  return is_gpu_part(row.key.part) ? std::max(row.exclusive_ns, row.alone_ns + row.shared_ns)
                                   : row.exclusive_ns;
}

// Each event gets shorter where it is. The most that this saves of the row: an event that hides a
// part of another one loses that part last.
int64_t most_saved(const PartTime& row, Factor factor) {
  return std::min(row.exclusive_ns, saved_of(events_ns(row), factor));
}

// The least: time in which other events run stays, and what is left of an event stays where it
// runs alone.
int64_t least_saved(const PartTime& row, Factor factor, bool is_part_gone) {
  const PartKey& key = row.key;
  if (!is_gpu_part(key.part)) return saved_of(row.exclusive_ns, factor);
  // Without kernels, and all copies are gone.
  if (key.part == StackPart::memory && is_part_gone) return row.exclusive_ns;
  return saved_of(row.alone_ns, factor) +
         std::max<int64_t>(row.partly_alone_ns - left_of(row.shared_ns, factor), 0);
}

bool saves_more(Factor a, Factor b) {
  return b != kGone && (a == kGone || a > b);
}

// The changes looked up in a profile: the factor of each key.
class Factors {
 public:
  Factors(const Profile& profile, std::span<const WhatIfChange> changes) : profile_(profile) {
    parts_.fill(kSame);
    gaps_.fill(kSame);
    for (const WhatIfChange& change : changes) add(change);
  }

  Factor of(const PartKey& key) const {
    Factor factor = parts_[static_cast<std::size_t>(key.part)];
    const auto take = [&](Factor other) {
      if (saves_more(other, factor)) factor = other;
    };
    if (key.gap) take(gaps_[static_cast<std::size_t>(*key.gap)]);
    if (key.op != profile::kNoRow && !ops_.empty()) take(ops_[key.op]);
    if (key.part <= StackPart::exposed_communication && !kernels_.empty()) {
      const auto found = kernels_.find(key.name);
      if (found != kernels_.end()) take(found->second);
    }
    return factor;
  }
  // Without changes of idle gaps.
  Factor beside_gaps(PartKey key) const {
    key.gap.reset();
    return of(key);
  }
  bool is_gone(StackPart part) const { return parts_[static_cast<std::size_t>(part)] == kGone; }
  bool tensor_cores() const { return tensor_cores_; }

 private:
  static void lower(Factor& factor, Factor other) {
    if (saves_more(other, factor)) factor = other;
  }
  void add(const WhatIfChange& change) {
    switch (change.kind) {
      case WhatIfKind::part:
        if (const auto part = part_named(change.text)) {
          lower(parts_[static_cast<std::size_t>(*part)], change.factor);
        }
        return;
      case WhatIfKind::gap:
        if (const auto cause = gap_cause_named(change.text)) {
          lower(gaps_[static_cast<std::size_t>(*cause)], change.factor);
        }
        return;
      case WhatIfKind::op:
      case WhatIfKind::op_type:
        add_ops(change);
        return;
      case WhatIfKind::kernel:
        for (profile::StringId name = 0; name < profile_.strings.size(); ++name) {
          if (profile_.text(name) != change.text) continue;
          lower(kernels_.try_emplace(name, kSame).first->second, change.factor);
        }
        return;
      case WhatIfKind::tensor_cores:
        tensor_cores_ = true;
        return;
    }
  }
  void add_ops(const WhatIfChange& change) {
    ops_.resize(profile_.ops.size(), kSame);
    for (OpIndex op{0}; op < profile_.ops.size(); ++op) {
      const bool is_it = change.kind == WhatIfKind::op_type
                             ? profile_.text(profile_.ops.type[op]) == change.text
                             : profile_.text(profile_.ops.id[op]) == change.text ||
                                   profile_.text(profile_.ops.name[op]) == change.text;
      if (is_it) lower(ops_[op], change.factor);
    }
  }

  const Profile& profile_;
  std::array<Factor, kStackPartCount> parts_{};
  std::array<Factor, kGapCauseCount> gaps_{};
  std::vector<Factor> ops_;  // by op; empty = all the same
  std::unordered_map<profile::StringId, Factor> kernels_;
  bool tensor_cores_ = false;
};

// The largest first, of equal ones in order of the text.
std::vector<std::string> largest(const std::map<std::string_view, int64_t>& times,
                                 std::size_t most) {
  std::vector<std::pair<std::string_view, int64_t>> order(times.begin(), times.end());
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<std::string> names;
  for (const auto& [name, ns] : order) {
    if (ns > 0 && names.size() < most) names.emplace_back(name);
  }
  return names;
}

base::Error unknown_change(std::string_view text) {
  std::string words;
  for (const StackPart part : kRemovableParts) words += fmt::format("{}, ", to_text(part));
  for (const GapCause cause : kGapCauses) words += fmt::format("{}{}, ", kIdlePrefix, id_of(cause));
  return {fmt::format("Invalid change: \"{}\"", text), "",
          fmt::format("Valid values: {}{}, op=NAME:FACTOR, op_type=TYPE:FACTOR, "
                      "kernel=NAME:FACTOR, part=PART:FACTOR; factors from 1 to 1000",
                      words, kTensorCores)};
}

base::Error invalid_factor(std::string_view text, std::string_view factor) {
  return {fmt::format("Invalid factor in \"{}\": \"{}\"", text, factor), "",
          "Use a factor from 1 to 1000, such as 2 or 1.25"};
}

struct NameAndFactor {
  std::string_view name, factor;
};

// Nothing without a colon.
std::optional<NameAndFactor> at_last_colon(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  return NameAndFactor{text.substr(0, colon), text.substr(colon + 1)};
}

}  // namespace

std::string_view id_of(GapCause cause) {
  switch (cause) {
    case GapCause::queued:
      return "already_launched";
    case GapCause::wait:
      return "synchronization";
    case GapCause::api_call:
      return "api_call";
    case GapCause::data_loader:
      return "data_loading";
    case GapCause::os_call:
      return "os_call";
    case GapCause::asleep:
      return "asleep";
    case GapCause::op:
      return "op";
    case GapCause::host_range:
      return "host_range";
    case GapCause::nothing:
      return "nothing_recorded";
    case GapCause::launch:
      break;
  }
  return "launch";
}

std::string_view to_text(WhatIfKind kind) {
  switch (kind) {
    case WhatIfKind::part:
      return "part";
    case WhatIfKind::gap:
      return "gap";
    case WhatIfKind::op:
      return "op";
    case WhatIfKind::op_type:
      return "op_type";
    case WhatIfKind::kernel:
      return "kernel";
    case WhatIfKind::tensor_cores:
      break;
  }
  return kTensorCores;
}

std::string factor_text(Factor factor) {
  std::string text = fmt::format("{}.{:03}", factor / kSame, factor % kSame);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text;
}

std::optional<Factor> parse_factor(std::string_view text) {
  const std::size_t point = text.find('.');
  const std::string_view whole = text.substr(0, point);
  std::string fraction(point == std::string_view::npos ? "" : text.substr(point + 1));
  const auto is_digits = [](std::string_view digits) {
    return std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; });
  };
  if (whole.empty() || whole.size() > 4 || fraction.size() > 3) return std::nullopt;
  if (!is_digits(whole) || !is_digits(fraction)) return std::nullopt;
  fraction.resize(3, '0');
  Factor factor = 0;
  for (const char c : std::string(whole) + fraction) factor = factor * 10 + (c - '0');
  if (factor < kSame || factor > kMostFactor) return std::nullopt;
  return factor;
}

std::string describe(const WhatIfChange& change) {
  if (change.kind == WhatIfKind::tensor_cores) return "Eligible ops on Tensor Cores";
  if (change.kind == WhatIfKind::gap) {
    const auto cause = gap_cause_named(change.text);
    return fmt::format("No idle gaps: {}", cause ? to_text(*cause) : change.text);
  }
  const auto part = change.kind == WhatIfKind::part ? part_named(change.text) : std::nullopt;
  if (change.factor != kGone) {
    return fmt::format("{}: {}x speedup", part ? title_of(*part) : change.text,
                       factor_text(change.factor));
  }
  if (!part) return fmt::format("No {}", change.text);
  switch (*part) {
    case StackPart::data_loader:
      return "No data loader time";
    case StackPart::exposed_communication:
      return "No exposed communication";
    case StackPart::memory:
      return "No exposed copies";
    default:
      return fmt::format("No {}", title_of(*part));
  }
}

std::string id_of(const WhatIfChange& change) {
  if (change.kind == WhatIfKind::tensor_cores) return std::string(kTensorCores);
  if (change.kind == WhatIfKind::gap) return fmt::format("{}{}", kIdlePrefix, change.text);
  if (change.factor == kGone) return change.text;
  return fmt::format("{}={}:{}", to_text(change.kind), change.text, factor_text(change.factor));
}

base::Result<WhatIfChange> parse_change(std::string_view text) {
  if (text == kTensorCores) return WhatIfChange{.kind = WhatIfKind::tensor_cores};
  if (text.starts_with(kIdlePrefix)) {
    const auto cause = gap_cause_named(text.substr(kIdlePrefix.size()));
    if (!cause) return unknown_change(text);
    return WhatIfChange{.kind = WhatIfKind::gap, .text = std::string(id_of(*cause))};
  }
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) {
    const auto part = part_named(text);
    if (!part ||
        std::find(kRemovableParts.begin(), kRemovableParts.end(), *part) == kRemovableParts.end()) {
      return unknown_change(text);
    }
    return WhatIfChange{.kind = WhatIfKind::part, .text = std::string(text)};
  }
  WhatIfChange change{.factor = 2 * kSame};
  bool is_known = false;
  for (const WhatIfKind kind :
       {WhatIfKind::op, WhatIfKind::op_type, WhatIfKind::kernel, WhatIfKind::part}) {
    if (text.substr(0, equals) != to_text(kind)) continue;
    change.kind = kind;
    is_known = true;
  }
  if (!is_known) return unknown_change(text);
  std::string_view name = text.substr(equals + 1);
  // Names can contain colons: what follows the last one is the factor only if it is a number.
  if (const auto split = at_last_colon(name)) {
    const auto factor = parse_factor(split->factor);
    if (factor) {
      change.factor = *factor;
      name = split->name;
    } else if (change.kind == WhatIfKind::part && part_named(split->name)) {
      return invalid_factor(text, split->factor);
    }
  }
  change.text = std::string(name);
  const bool is_part = change.kind == WhatIfKind::part;
  if (name.empty() || (is_part && !part_named(name))) return unknown_change(text);
  return change;
}

std::vector<OpIndex> ops_of(const Profile& profile, const WhatIfChange& change) {
  std::vector<OpIndex> found;
  if (change.kind != WhatIfKind::op) return found;
  for (OpIndex op{0}; op < profile.ops.size(); ++op) {
    if (profile.text(profile.ops.id[op]) == change.text ||
        profile.text(profile.ops.name[op]) == change.text) {
      found.push_back(op);
    }
  }
  return found;
}

bool has_match(const Profile& profile, const WhatIfChange& change) {
  const auto has = [&](const auto& texts) {
    return std::any_of(texts.begin(), texts.end(),
                       [&](profile::StringId text) { return profile.text(text) == change.text; });
  };
  switch (change.kind) {
    case WhatIfKind::op:
      return has(profile.ops.id) || has(profile.ops.name);
    case WhatIfKind::op_type:
      return has(profile.ops.type);
    case WhatIfKind::kernel:
      return has(profile.kernels.name);
    case WhatIfKind::part:
    case WhatIfKind::gap:
    case WhatIfKind::tensor_cores:
      break;
  }
  return true;
}

base::Result<WhatIfChange> find_change(const Profile& profile, std::string_view text) {
  base::Result<WhatIfChange> change = parse_change(text);
  if (!change) return change;
  if (change->kind == WhatIfKind::part && part_named(change->text) == StackPart::data_loader &&
      !profile::tells_of(profile, profile::Evidence::data_loader)) {
    return base::Error{"Data loader time is not recorded",
                       "no op or range is named as a data loader",
                       "Use idle_data_loading: idle gaps caused by data loading"};
  }
  if (has_match(profile, *change)) return change;
  if (const auto split = at_last_colon(change->text)) {
    WhatIfChange without = *change;
    without.text = split->name;
    if (has_match(profile, without)) return invalid_factor(text, split->factor);
  }
  return base::Error{
      fmt::format("Nothing matches --if {}", text),
      fmt::format("the profile has no {} \"{}\"", to_text(change->kind), change->text),
      "`dlview table FILE --table exclusive_times` lists ops and kernels"};
}

int64_t WhatIf::saved_total_ns() const {
  return std::accumulate(saved_ns.begin(), saved_ns.end(), int64_t{0});
}

double WhatIf::gain_share() const {
  return before_ns == 0 ? 0
                        : 100.0 * static_cast<double>(gain_ns()) / static_cast<double>(before_ns);
}

WhatIf what_if(const Profile& profile, const PartSums& sums, std::span<const WhatIfChange> changes,
               std::span<const OpHeadroom> headroom) {
  WhatIf result{.iterations = sums.iterations,
                .devices = sums.devices,
                .before_ns = sums.range_ns,
                .parts_before_ns = sums.ns};
  const Factors factors(profile, changes);
  std::map<profile::Row, int64_t> headroom_left;
  if (factors.tensor_cores()) {
    for (const OpHeadroom& op : headroom) {
      headroom_left[op.op] += std::max<int64_t>(op.gain_ns, 0);
    }
  }

  int64_t host_saved_ns = 0, loader_saved_ns = 0;
  // By device.
  std::vector<int64_t> least_saved_ns(static_cast<std::size_t>(sums.devices));
  for (const PartTime& row : sums.rows) {
    if (row.exclusive_ns <= 0 || sums.devices == 0) continue;
    const Factor factor = factors.of(row.key);
    int64_t ns = most_saved(row, factor);
    int64_t least_ns = least_saved(row, factor, factors.is_gone(row.key.part));
    const auto left = row.key.part == StackPart::other_kernels ? headroom_left.find(row.key.op)
                                                               : headroom_left.end();
    if (left != headroom_left.end()) {
      const int64_t part_ns = std::min(left->second, row.exclusive_ns);
      left->second -= part_ns;
      ns = std::max(ns, part_ns);
      // Where other events run, nothing is saved.
      const int64_t hidden_ns = row.shared_ns - row.partly_alone_ns;
      least_ns = std::max(least_ns, part_ns - hidden_ns);
    }
    result.saved_ns[static_cast<std::size_t>(row.key.part)] += ns;
    least_saved_ns[row.key.device] += least_ns;
    // The host does not wait less because the GPU does.
    if (row.key.part == StackPart::io || row.key.part == StackPart::cpu) {
      host_saved_ns += saved_of(row.exclusive_ns, factors.beside_gaps(row.key));
    } else if (row.key.part == StackPart::data_loader) {
      loader_saved_ns += saved_of(row.exclusive_ns, factors.beside_gaps(row.key));
    }
  }

  result.gpu_ns = sums.range_ns;
  if (!least_saved_ns.empty()) result.gpu_ns -= *std::ranges::min_element(least_saved_ns);
  const int64_t devices = std::max<int64_t>(sums.devices, 1);
  const bool no_loader = factors.of({.part = StackPart::data_loader}) == kGone;
  const int64_t loader_ns =
      no_loader ? sums.host_loader_ns : std::min(sums.host_loader_ns, loader_saved_ns / devices);
  result.host_ns = std::max<int64_t>(sums.host_ns - loader_ns - host_saved_ns / devices, 0);

  const int64_t all_ns = result.saved_total_ns();
  const int64_t gain_ns = sums.devices == 0 ? 0 : (all_ns + sums.devices - 1) / sums.devices;
  result.least_ns = sums.range_ns - gain_ns;
  result.most_ns =
      std::min(sums.range_ns, std::max({result.least_ns, result.gpu_ns, result.host_ns}));
  return result;
}

std::vector<WhatIfChange> suggested_changes(const Profile& profile, const PartSums& sums,
                                            std::span<const OpHeadroom> headroom, std::size_t most,
                                            Factor factor) {
  std::vector<WhatIfChange> changes;
  for (const StackPart part : kRemovableParts) {
    if (sums[part] > 0) changes.push_back({WhatIfKind::part, std::string(to_text(part)), kGone});
  }
  std::array<int64_t, kGapCauseCount> gaps{};
  std::map<std::string_view, int64_t> types, ops;
  for (const PartTime& row : sums.rows) {
    if (row.key.gap) gaps[static_cast<std::size_t>(*row.key.gap)] += row.exclusive_ns;
    if (row.key.op == profile::kNoRow) continue;
    types[profile.text(profile.ops.type[row.key.op])] += row.exclusive_ns;
    ops[profile.text(profile.ops.id[row.key.op])] += row.exclusive_ns;
  }
  for (const GapCause cause : kGapCauses) {
    if (gaps[static_cast<std::size_t>(cause)] <= 0) continue;
    changes.push_back({WhatIfKind::gap, std::string(id_of(cause)), kGone});
  }
  if (!headroom.empty()) changes.push_back({WhatIfKind::tensor_cores, {}, kGone});
  for (const StackPart part : {StackPart::tensor_core_kernels, StackPart::other_kernels}) {
    if (sums[part] > 0) changes.push_back({WhatIfKind::part, std::string(to_text(part)), factor});
  }
  for (std::string& type : largest(types, most)) {
    if (!type.empty()) changes.push_back({WhatIfKind::op_type, std::move(type), factor});
  }
  for (std::string& op : largest(ops, most)) {
    changes.push_back({WhatIfKind::op, std::move(op), factor});
  }
  return changes;
}

}  // namespace dlview::aggregate
