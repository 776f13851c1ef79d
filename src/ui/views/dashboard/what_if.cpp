#include "ui/views/dashboard/what_if.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "aggregate/exclusive/rounding.h"
#include "base/units.h"
#include "profile/recorded.h"
#include "ui/data_quality.h"
#include "ui/filters.h"
#include "ui/views/dashboard/shares.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/fixed_table.h"
#include "ui/widgets/number.h"
#include "ui/widgets/panel.h"
#include "ui/widgets/tooltip.h"

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
constexpr float kFactorRow = 32;
constexpr float kFactorWidth = 68, kShareWidth = 52, kGainWidth = 84;

Tone tone_of_part(StackPart part) {
  switch (part) {
    case StackPart::tensor_core_kernels:
      return Tone::tensor_core_kernels;
    case StackPart::other_kernels:
      return Tone::other_kernels;
    case StackPart::exposed_communication:
      return Tone::communication;
    case StackPart::memory:
      return Tone::memory;
    case StackPart::data_loader:
      return Tone::data_loader;
    case StackPart::io:
      return Tone::io;
    case StackPart::cpu:
      return Tone::cpu;
    case StackPart::other:
      break;
  }
  return Tone::other;
}

bool is_same_target(const WhatIfChange& a, const WhatIfChange& b) {
  return a.kind == b.kind && a.text == b.text;
}

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
                      tone_of_part(part), rounded[p]});
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
    return part ? std::optional(tone_of_part(*part)) : std::nullopt;
  }

  const profile::Profile& profile_;
  const PartSums& sums_;
  const std::vector<WhatIfChange>& on_;
  const std::vector<OpHeadroom>& headroom_;
  const Wide whole_;
  WhatIfContent content_;
};

float text_top_in(const Box& cell, const ImFont* font) {
  return std::round(cell.top + (cell.height() - font_size(font)) / 2);
}

void draw_check_box(Frame& frame, float left, const Box& row, bool is_on, bool lit) {
  const Palette& colors = frame.palette();
  const float size = frame.px(14);
  const float top = std::round((row.top + row.bottom - size) / 2);
  const Box box{left, top, left + size, top + size};
  if (is_on) {
    fill(box, colors.accent, frame.px(3));
    draw_icon(Icon::check, (box.left + box.right) / 2, (box.top + box.bottom) / 2, frame.px(10),
              text_on(colors.accent));
  } else {
    fill(box, colors.raised, frame.px(3));
    outline(box, lit ? colors.dim : colors.line, frame.px(3));
  }
}

// The parts from the left, to the scale of the mean iteration; hatched up to the upper bound.
void draw_stack(Frame& frame, std::string_view name, const Box& bar,
                const std::vector<WhatIfPart>& parts, int64_t whole_ns, int64_t until_ns) {
  const Palette& colors = frame.palette();
  fill(bar, colors.raised, frame.px(3));
  const auto x_of = [&](int64_t ns) {
    const double share = whole_ns > 0 ? static_cast<double>(ns) / static_cast<double>(whole_ns) : 0;
    return std::round(bar.left + static_cast<float>(share) * bar.width());
  };
  int64_t ns = 0;
  for (const WhatIfPart& part : parts) {
    const Box box{x_of(ns), bar.top, x_of(ns + part.ns), bar.bottom};
    ns += part.ns;
    const std::string path = fmt::format("{}/{}", name, part.id);
    frame.inspector.record_value(path, base::format_ns(part.ns));
    if (box.width() < 1) continue;
    Box painted = box;
    if (painted.width() > 3) painted.right -= 1;
    fill_tone(frame, painted, part.tone, std::min(frame.px(2), painted.width() / 2));
    explain_number(frame, path, box, {part.label, part.full, "exclusive_time", {}, false});
  }
  if (x_of(until_ns) > x_of(ns)) {
    frame.inspector.record_value(fmt::format("{}/hatched", name), base::format_ns(until_ns - ns));
    hatch(frame, {x_of(ns), bar.top, x_of(until_ns), bar.bottom}, colors.faint);
  }
}

// Of a row that is a hit area: shares and gains at the right.
void draw_row_numbers(Frame& frame, const Box& share, const Box& gain, const WhatIfRow& row) {
  const Fonts& fonts = frame.fonts();
  const Palette& colors = frame.palette();
  const std::string path = "what_if/" + row.id;
  draw_text_right(fonts.text, share.right, text_top_in(share, fonts.text),
                  row.is_on ? colors.text : colors.dim, row.share);
  explain_number(frame, path + "/share", share,
                 {row.label, row.full_share, "exclusive_time", {}, false, {}, row.about});
  frame.inspector.record_value(path + "/share", row.share);
  frame.inspector.record_value(path, row.is_on ? "on" : "off");
  frame.inspector.record_value(path + "/gain", row.gain);
  if (row.gain.empty()) {
    draw_text_right(fonts.text, gain.right, text_top_in(gain, fonts.text), colors.faint, "–");
    return;
  }
  draw_text_right(fonts.strong, gain.right, text_top_in(gain, fonts.strong), colors.text, row.gain);
  explain_number(frame, path + "/gain", gain,
                 {row.label,
                  row.full_gain,
                  "what_if_gain",
                  {},
                  false,
                  {},
                  row.about + " With other changes it may save less."});
}

void explain_row(Frame& frame, const WhatIfRow& row) {
  show_text_tooltip(frame, {{TooltipStyle::heading, row.label}, {TooltipStyle::text, row.about}});
}

void draw_swatch_of(Frame& frame, float left, const Box& row, Tone tone) {
  const float half = frame.px(4);
  const float middle = std::round((row.top + row.bottom) / 2);
  fill_tone(frame, {left, middle - half, left + 2 * half, middle + half}, tone, frame.px(2));
}

// Without a switch, as there is nothing to take away.
void draw_unrecorded(Frame& frame, const Box& name, const Box& last, const WhatIfRow& row) {
  const Fonts& fonts = frame.fonts();
  const Palette& colors = frame.palette();
  float left = name.left + frame.px(22);
  if (row.tone) {
    draw_swatch_of(frame, left, name, *row.tone);
    left += frame.px(15);
  }
  draw_text(fonts.text, left, text_top_in(name, fonts.text), colors.dim, row.label);
  draw_text_right(fonts.text, last.right, text_top_in(last, fonts.text), colors.dim, row.share);
  frame.inspector.record_value("what_if/" + row.id, row.share);
  if (hovered({name.left, name.top, last.right, name.bottom})) explain_row(frame, row);
}

}  // namespace

WhatIfContent prepare_what_if(const profile::Profile& profile, const PartSums& sums,
                              const std::vector<WhatIfChange>& on,
                              const std::vector<OpHeadroom>& headroom) {
  return WhatIfBuilder(profile, sums, on, headroom).build();
}

std::shared_ptr<const PartSums> ExclusiveTimes::get(const Model& model, Background& background) {
  if (model.rules == nullptr) return nullptr;
  const aggregate::Aggregation& whole = model.aggregation->whole();
  const auto& table = whole.iteration_table;
  const Key key{model.rules, whole.selection.cut};
  index_.want(key, profile::has_few_events(*model.profile), background,
              [profile = model.profile, rules = model.rules, table,
               cut = whole.selection.cut](const base::Progress& progress) {
                const base::JobScope job(&progress);
                return std::make_shared<const Made>(Made{
                    profile, aggregate::ExclusiveIndex(*profile, *rules, table->iterations, cut)});
              });
  const auto& made = index_.get();
  if (made == nullptr || index_.is_late()) return nullptr;
  if (summed_by_ != made || range_ != whole.selection.range) {
    summed_by_ = made;
    range_ = whole.selection.range;
    sums_ = std::make_shared<const PartSums>(made->index.sums(range_));
  }
  return sums_;
}

void WhatIfPane::set_headroom(std::shared_ptr<const std::vector<OpHeadroom>> headroom) {
  if (headroom == headroom_) return;
  headroom_ = std::move(headroom);
  is_stale_ = true;
}

void WhatIfPane::set(const WhatIfChange& change, bool is_on) {
  std::erase_if(on_, [&](const WhatIfChange& other) { return is_same_target(change, other); });
  if (is_on) on_.push_back(change);
  is_stale_ = true;
}

void WhatIfPane::prepare(const Model& model, Background& background) {
  std::shared_ptr<const PartSums> sums = times_.get(model, background);
  if (sums == prepared_for_ && !is_stale_) return;
  prepared_for_ = std::move(sums);
  is_stale_ = false;
  if (prepared_for_ == nullptr) return;
  static const std::vector<OpHeadroom> kNoHeadroom;
  content_ = prepare_what_if(*model.profile, *prepared_for_, on_,
                             headroom_ != nullptr ? *headroom_ : kNoHeadroom);
}

bool WhatIfPane::draw(Frame& frame, const Box& box, Background& background) {
  prepare(frame.model, background);
  fill(box, frame.palette().panel);
  fill({box.left, box.top, box.left + 1, box.bottom}, frame.palette().line);
  ScrollArea scroll(frame, "what_if", {box.left + 1, box.top, box.right, box.bottom});
  const Area area = {scroll.area().left + frame.px(4), scroll.area().top + frame.px(2),
                     scroll.area().width - frame.px(8)};
  const Area body = draw_heading(frame, area, {"What if", "what_if_gain", "", ""});
  const bool is_closed = draw_close_button(frame, "what_if/close", area);
  scroll.end_at(draw_contents(frame, body));
  return !is_closed;
}

float WhatIfPane::draw_contents(Frame& frame, const Area& area) {
  const Fonts& fonts = frame.fonts();
  const Palette& colors = frame.palette();
  if (prepared_for_ == nullptr) return draw_wrapped(fonts.text, area, colors.dim, "Analyzing…");
  if (!content_.why_none.empty()) {
    return draw_wrapped(fonts.text, area, colors.dim, content_.why_none);
  }
  const float gap = frame.px(16);
  float y = draw_result(frame, area);
  if (!content_.waits.empty()) {
    y = draw_switches(frame, area.below(y + gap), "Remove", content_.waits);
  }
  if (!content_.gaps.empty()) {
    y = draw_switches(frame, area.below(y + gap), "Idle gaps by cause", content_.gaps);
  }
  if (!content_.tensor_cores.empty()) {
    y = draw_switches(frame, area.below(y + gap), "Tensor Cores", content_.tensor_cores);
  }
  if (!content_.faster.empty()) y = draw_factors(frame, area.below(y + gap));
  return y;
}

float WhatIfPane::draw_result(Frame& frame, const Area& area) {
  const Fonts& fonts = frame.fonts();
  const Palette& colors = frame.palette();
  float y = area.top;
  frame.inspector.record_value("what_if/gain", content_.gain);
  frame.inspector.record_value("what_if/new_time", content_.new_time);
  const float figure_bottom = y + line_height(fonts.figure);
  if (content_.gain.empty()) {
    draw_text(fonts.figure, area.left, y, colors.dim, "No change");
  } else {
    const float baseline = y + font_size(fonts.figure) - font_size(fonts.text);
    draw_text(fonts.text, area.left, baseline, colors.dim, "saves up to");
    const float left = area.left + text_width(fonts.text, "saves up to") + frame.px(8);
    draw_text(fonts.figure, left, y, colors.text, content_.gain);
    explain_number(frame, "what_if/gain",
                   {area.left, y, left + text_width(fonts.figure, content_.gain), figure_bottom},
                   {"", content_.full_gain, "what_if_gain", {}, false});
    const std::string_view reset = "Reset";
    const float button = area.right() - button_width(frame, reset);
    if (draw_button(frame, "what_if/reset", button, y, reset)) {
      on_.clear();
      is_stale_ = true;
    }
  }
  y = figure_bottom + frame.px(2);
  const float text_bottom = y + line_height(fonts.text);
  draw_text(fonts.text, area.left, y, colors.text, content_.new_time);
  explain_number(frame, "what_if/new_time", {area.left, y, area.right(), text_bottom},
                 {"", content_.full_bounds, "what_if_bounds", {}, false});
  y = text_bottom + frame.px(8);

  const float label = std::max(text_width(fonts.text, "Now"), text_width(fonts.text, "If"));
  const float value = std::max(text_width(fonts.text, base::format_duration(content_.mean_ns)),
                               text_width(fonts.text, base::format_duration(content_.least_ns)));
  const Box bar{area.left + label + frame.px(10), 0, area.right() - value - frame.px(10), 0};
  const auto draw_line = [&](std::string_view name, std::string_view title,
                             const std::vector<WhatIfPart>& parts, int64_t ns, int64_t until_ns) {
    const Box line{area.left, y, area.right(), y + frame.px(18)};
    const float top = text_top_in(line, fonts.text);
    draw_text(fonts.text, area.left, top, colors.dim, title);
    draw_stack(frame, name, {bar.left, line.top, bar.right, line.bottom}, parts, content_.mean_ns,
               until_ns);
    draw_text_right(fonts.text, area.right(), top, colors.text, base::format_duration(ns));
    y = line.bottom + frame.px(6);
  };
  draw_line("what_if/before", "Now", content_.before, content_.mean_ns, content_.mean_ns);
  draw_line("what_if/after", "If", content_.after, content_.least_ns, content_.most_ns);
  const bool has_filters = !frame.model.selection.filters.empty();
  std::string note = "An upper bound, not a forecast: other activity may fill the time saved.";
  if (content_.most_ns > content_.least_ns) {
    note += " Hatched: may stay, because other GPU activity or the host needs the time.";
  }
  y = draw_wrapped(fonts.small, area.below(y + frame.px(2)), colors.dim, note);
  if (!has_filters) return y;
  return draw_wrapped(fonts.small, area.below(y + frame.px(4)), colors.attention,
                      "Filters do not apply here: the times are those of the whole range.");
}

float WhatIfPane::draw_switches(Frame& frame, const Area& area, std::string_view title,
                                const std::vector<WhatIfRow>& rows) {
  const Fonts& fonts = frame.fonts();
  const Palette& colors = frame.palette();
  FixedTable table(frame, area,
                   {{title, "", kFlexibleWidth},
                    {"Share", "exclusive_time", frame.px(kShareWidth), Align::right},
                    {"Gain at most", "what_if_gain", frame.px(kGainWidth), Align::right}});
  std::optional<WhatIfChange> clicked;
  bool turns_on = false;
  for (const WhatIfRow& row : rows) {
    const std::vector<Box> cells = table.next_row();
    const Box& name = cells[0];
    if (!row.is_recorded) {
      draw_unrecorded(frame, name, cells[2], row);
      continue;
    }
    const Hit hit = hit_area(frame, "what_if/" + row.id, name);
    if (hit.hovered) explain_row(frame, row);
    if (hit.hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    draw_check_box(frame, name.left, name, row.is_on, hit.hovered);
    float left = name.left + frame.px(22);
    if (row.tone) {
      draw_swatch_of(frame, left, name, *row.tone);
      left += frame.px(15);
    }
    draw_text_cut(frame, fonts.text, left, text_top_in(name, fonts.text), name.right - left,
                  colors.text, row.label, CutAt::middle);
    draw_row_numbers(frame, cells[1], cells[2], row);
    if (hit.clicked) {
      clicked = row.change;
      turns_on = !row.is_on;
    }
  }
  if (clicked) set(*clicked, turns_on);
  return table.bottom();
}

float WhatIfPane::draw_factors(Frame& frame, const Area& area) {
  const Fonts& fonts = frame.fonts();
  const Palette& colors = frame.palette();
  FixedTable table(frame, area,
                   {{"Speed up", "", kFlexibleWidth},
                    {"Share", "exclusive_time", frame.px(kShareWidth), Align::right},
                    {"Speedup", "", frame.px(kFactorWidth), Align::right},
                    {"Gain at most", "what_if_gain", frame.px(kGainWidth), Align::right}},
                   kFactorRow);
  std::optional<WhatIfChange> edited;
  WhatIfKind last = WhatIfKind::part;
  for (const WhatIfRow& row : content_.faster) {
    const std::vector<Box> cells = table.next_row();
    const Box& name = cells[0];
    if (row.change.kind != last) horizontal_line(area.left, area.right(), name.top, colors.line);
    last = row.change.kind;
    const ImFont* const font = row.is_name ? fonts.mono : fonts.text;
    float left = name.left;
    if (row.tone) {
      draw_swatch_of(frame, left, name, *row.tone);
      left += frame.px(15);
    }
    draw_text_cut(frame, font, left, text_top_in(name, font), name.right - left, colors.text,
                  row.label, row.is_name ? CutAt::front : CutAt::middle);
    const bool is_cut = text_width(font, row.label) > name.right - left;
    if (!is_cut && hovered(name)) explain_row(frame, row);
    const float half = frame.px(kControlHeight) / 2;
    const float middle = std::round((cells[2].top + cells[2].bottom) / 2);
    const Box field{cells[2].left, middle - half, cells[2].right, middle + half};
    const int64_t tenths = row.change.factor * 10 / kSame;
    const NumberEdit edit = draw_number_field(frame, fmt::format("what_if/{}/factor", row.id),
                                              field, tenths, {10, 10'000, 10, 10'000, true});
    if (edit.value) {
      edited = row.change;
      edited->factor = *edit.value * kSame / 10;
    }
    draw_row_numbers(frame, cells[1], cells[3], row);
  }
  if (edited) set(*edited, edited->factor > kSame);
  return table.bottom();
}

}  // namespace dlview::ui
