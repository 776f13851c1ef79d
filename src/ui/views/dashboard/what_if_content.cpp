#include "ui/views/dashboard/what_if_content.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "aggregate/exclusive/rounding.h"
#include "base/units.h"
#include "profile/recorded.h"
#include "ui/chart/categories.h"
#include "ui/data_quality.h"
#include "ui/views/dashboard/shares.h"
#include "ui/widgets/number.h"

namespace dlview::ui {
namespace {

using aggregate::Factor;
using aggregate::kGone;
using aggregate::kSame;
using aggregate::kStackParts;
using aggregate::OpHeadroom;
using aggregate::PartSums;
using aggregate::StackPart;
using aggregate::WhatIf;
using aggregate::WhatIfChange;
using aggregate::WhatIfKind;
using aggregate::Wide;

constexpr std::size_t kMostRows = 8;  // of op types, and of ops

class WhatIfBuilder {
 public:
  WhatIfBuilder(const profile::Profile& profile, const PartSums& sums,
                const std::vector<WhatIfChange>& on, const std::vector<OpHeadroom>& headroom)
      : profile_(profile),
        sums_(sums),
        on_(on),
        headroom_(headroom),
        whole_(Wide{std::max<int64_t>(sums.iterations, 1)} * std::max<int64_t>(sums.devices, 1)) {}

  WhatIfContent build() {
    if (sums_.devices == 0) {
      content_.why_none = kNoDevices;
      return std::move(content_);
    }
    add_result();
    std::vector<WhatIfChange> changes =
        aggregate::suggested_changes(profile_, sums_, headroom_, kMostRows);
    for (const WhatIfChange& change : on_) {
      const bool is_there = std::ranges::any_of(
          changes, [&](const WhatIfChange& other) { return is_same_target(change, other); });
      if (!is_there) changes.push_back(change);
    }
    if (!profile::tells_of(profile_, profile::Evidence::data_loader)) add_unrecorded_loader();
    for (const WhatIfChange& change : changes) add_row(change);
    return std::move(content_);
  }

 private:
  int64_t per_iteration(int64_t range_ns) const {
    return aggregate::rounded_total(range_ns, std::max<int64_t>(sums_.iterations, 1));
  }

  void add_result() {
    const WhatIf result = aggregate::what_if(profile_, sums_, on_, headroom_);
    content_.mean_ns = per_iteration(result.before_ns);
    content_.before = parts(sums_.ns, {});
    content_.after = parts(sums_.ns, result.saved_ns);
    // What the parts on screen add up to.
    for (const WhatIfPart& part : content_.after) content_.least_ns += part.ns;
    content_.most_ns = std::max(per_iteration(result.most_ns), content_.least_ns);
    const int64_t gain_ns = content_.mean_ns - content_.least_ns;
    content_.full_gain = fmt::format("{} − {} = {} · {}", base::format_ns(content_.mean_ns),
                                     base::format_ns(content_.least_ns), base::format_ns(gain_ns),
                                     full_percent(result.gain_share()));
    content_.full_bounds = fmt::format(
        "{} to {}. Upper end: the larger of {} (time that surely goes is saved, on the GPU that "
        "saves least) and host {}, capped at {}",
        base::format_ns(content_.least_ns), base::format_ns(content_.most_ns),
        base::format_ns(per_iteration(result.gpu_ns)),
        base::format_ns(per_iteration(result.host_ns)), base::format_ns(content_.mean_ns));
    const std::string now = base::format_duration(content_.mean_ns);
    if (on_.empty()) {
      content_.new_time = fmt::format("Now {} per iteration", now);
      return;
    }
    content_.gain = base::format_percent(result.gain_share());
    const std::string least = base::format_duration(content_.least_ns),
                      most = base::format_duration(content_.most_ns);
    content_.new_time = least == most
                            ? fmt::format("{} per iteration, now {}", least, now)
                            : fmt::format("{} to {} per iteration, now {}", least, most, now);
  }

  // Whole ns that add up to the mean iteration.
  std::vector<WhatIfPart> parts(const std::array<int64_t, aggregate::kStackPartCount>& ns,
                                const std::array<int64_t, aggregate::kStackPartCount>& saved) {
    std::vector<Wide> exact;
    for (std::size_t p = 0; p < ns.size(); ++p) exact.push_back(Wide{ns[p]} - saved[p]);
    const std::vector<int64_t> rounded = aggregate::rounded_parts(exact, whole_);
    std::vector<WhatIfPart> made;
    for (const StackPart part : kStackParts) {
      const auto p = static_cast<std::size_t>(part);
      const int64_t before_ns = aggregate::rounded_total(ns[p], whole_);
      made.push_back({std::string(aggregate::to_text(part)), std::string(aggregate::title_of(part)),
                      saved[p] == 0 ? base::format_ns(rounded[p])
                                    : fmt::format("{} − {} = {}", base::format_ns(before_ns),
                                                  base::format_ns(before_ns - rounded[p]),
                                                  base::format_ns(rounded[p])),
                      ui::tone_of(part), rounded[p]});
    }
    return made;
  }

  void add_unrecorded_loader() {
    WhatIfRow row;
    row.change = {WhatIfKind::part, "data_loader", kGone};
    row.id = "part/data_loader";
    row.label = label_of(row.change);
    row.about = "No op or range is named as a data loader. Use the idle cause Data loading.";
    row.tone = tone_of_change(row.change);
    row.is_recorded = false;
    row.share = "not recorded";
    content_.waits.push_back(std::move(row));
  }

  void add_row(WhatIfChange change) {
    const auto active = std::ranges::find_if(
        on_, [&](const WhatIfChange& other) { return is_same_target(change, other); });
    WhatIfRow row;
    row.is_on = active != on_.end();
    row.has_factor = change.factor != kGone && change.kind != WhatIfKind::tensor_cores;
    change.factor = row.is_on ? active->factor : row.has_factor ? kSame : kGone;
    row.change = change;
    row.id = fmt::format("{}/{}", aggregate::to_text(change.kind), change.text);
    row.label = label_of(change);
    row.about = about(change);
    row.is_name = change.kind == WhatIfKind::op;
    row.tone = tone_of_change(change);

    // What it has: all that would be saved if it took no time.
    WhatIfChange gone = change;
    gone.factor = kGone;
    const WhatIf all = alone(gone), now = alone(change);
    const int64_t has_ns = aggregate::rounded_total(all.saved_total_ns(), whole_);
    const int64_t saved_ns = aggregate::rounded_total(now.saved_total_ns(), whole_);
    row.share = base::format_percent(share(all.saved_total_ns()));
    row.full_share =
        fmt::format("{} of {} per iteration · {}", base::format_ns(has_ns),
                    base::format_ns(content_.mean_ns), full_percent(share(all.saved_total_ns())));
    if (row.is_on) row.gain = base::format_percent(share(now.saved_total_ns()));
    const Wide scaled_ns = change.factor == kGone ? Wide{all.saved_total_ns()}
                                                  : Wide{all.saved_total_ns()} *
                                                        (change.factor - kSame) / change.factor;
    // Rounded up in each row of the sums.
    const bool is_more = now.saved_total_ns() > scaled_ns + std::ssize(sums_.rows);
    row.full_gain =
        row.has_factor && is_more
            ? fmt::format("{} of {} at {}x: its events can end before others next to them · {}",
                          base::format_ns(saved_ns), base::format_ns(has_ns),
                          aggregate::factor_text(change.factor),
                          full_percent(share(now.saved_total_ns())))
        : row.has_factor
            ? fmt::format("(1 − 1/{}) × {} = {} of {} · {}", aggregate::factor_text(change.factor),
                          base::format_ns(has_ns), base::format_ns(saved_ns),
                          base::format_ns(content_.mean_ns),
                          full_percent(share(now.saved_total_ns())))
            : row.full_share;
    std::vector<WhatIfRow>& rows = change.kind == WhatIfKind::gap            ? content_.gaps
                                   : change.kind == WhatIfKind::tensor_cores ? content_.tensor_cores
                                   : row.has_factor                          ? content_.faster
                                                                             : content_.waits;
    rows.push_back(std::move(row));
  }

  WhatIf alone(const WhatIfChange& change) const {
    return aggregate::what_if(profile_, sums_, std::span(&change, 1), headroom_);
  }
  double share(int64_t device_sum_ns) const {
    const double whole = static_cast<double>(sums_.range_ns) * static_cast<double>(sums_.devices);
    return whole == 0 ? 0 : 100 * static_cast<double>(device_sum_ns) / whole;
  }

  std::string label_of(const WhatIfChange& change) const {
    if (change.kind == WhatIfKind::gap) {
      const std::string text = aggregate::describe(change);
      const std::size_t colon = text.find(": ");
      std::string cause = colon == std::string::npos ? text : text.substr(colon + 2);
      if (!cause.empty() && cause[0] >= 'a' && cause[0] <= 'z') {
        cause[0] = static_cast<char>(cause[0] - 'a' + 'A');
      }
      return cause;
    }
    if (change.kind == WhatIfKind::part) {
      const auto part = aggregate::part_named(change.text);
      if (!part) return change.text;
      if (change.factor == kGone && *part == StackPart::data_loader) return "Data loader time";
      if (change.factor == kGone && *part == StackPart::memory) return "Exposed copies";
      return std::string(aggregate::title_of(*part));
    }
    if (change.kind == WhatIfKind::op) {
      for (profile::OpIndex op{0}; op < profile_.ops.size(); ++op) {
        if (profile_.text(profile_.ops.id[op]) == change.text) {
          return name_of(op);
        }
      }
    }
    return change.kind == WhatIfKind::op_type ? change.text : aggregate::describe(change);
  }

  // With the id if several ops have the name.
  std::string name_of(profile::OpIndex op) const {
    const profile::StringId name = profile_.ops.name[op];
    int ops = 0;
    for (profile::OpIndex other{0}; other < profile_.ops.size(); ++other) {
      ops += profile_.text(profile_.ops.name[other]) == profile_.text(name) ? 1 : 0;
    }
    if (ops < 2) return std::string(profile_.text(name));
    return fmt::format("{} ({})", profile_.text(name), profile_.text(profile_.ops.id[op]));
  }

  static std::string about(const WhatIfChange& change) {
    const auto part =
        change.kind == WhatIfKind::part ? aggregate::part_named(change.text) : std::nullopt;
    switch (change.kind) {
      case WhatIfKind::part:
        break;
      case WhatIfKind::gap:
        return "Counts whole GPU idle gaps with this cause, whatever the host does in them; not "
               "the time before the first GPU activity or after the last.";
      case WhatIfKind::op:
        return "Scales all time that belongs to the op: its kernels and memory operations, and the "
               "GPU idle time in which it runs on the host; ops inside it count on their own.";
      case WhatIfKind::op_type:
        return "Scales all time that belongs to ops of this type: their kernels and memory "
               "operations, and the GPU idle time in which they run on the host; ops inside them "
               "count by their own types.";
      case WhatIfKind::kernel:
        return "Scales the exclusive time of kernels with this name, not the time to launch them.";
      case WhatIfKind::tensor_cores:
        return "Counts the kernel time that eligible ops would save on Tensor Cores.";
    }
    if (change.factor != kGone || !part) return "Scales the exclusive time of this part.";
    switch (*part) {
      case StackPart::data_loader:
        return "Counts GPU idle time in which an op or range that loads data runs, ops inside it "
               "included, whatever the cause of the gap.";
      case StackPart::exposed_communication:
        return "Counts time in which communication kernels run and no computation kernel does.";
      case StackPart::memory:
        return "Counts time in which memory operations run and no kernel does.";
      case StackPart::io:
        return "Counts GPU idle time in which I/O runs and no data loader does.";
      default:
        return "Counts the exclusive time of this part.";
    }
  }

  static std::optional<Tone> tone_of_change(const WhatIfChange& change) {
    if (change.kind != WhatIfKind::part) return std::nullopt;
    const auto part = aggregate::part_named(change.text);
    return part ? std::optional(ui::tone_of(*part)) : std::nullopt;
  }

  const profile::Profile& profile_;
  const PartSums& sums_;
  const std::vector<WhatIfChange>& on_;
  const std::vector<OpHeadroom>& headroom_;
  const Wide whole_;
  WhatIfContent content_;
};

}  // namespace

bool is_same_target(const WhatIfChange& a, const WhatIfChange& b) {
  return a.kind == b.kind && a.text == b.text;
}

WhatIfContent prepare_what_if(const profile::Profile& profile, const PartSums& sums,
                              const std::vector<WhatIfChange>& on,
                              const std::vector<OpHeadroom>& headroom) {
  return WhatIfBuilder(profile, sums, on, headroom).build();
}

}  // namespace dlview::ui
