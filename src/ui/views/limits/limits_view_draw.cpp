#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include <fmt/format.h>

#include "base/units.h"
#include "ui/pages.h"
#include "ui/views/limits/limits_view.h"
#include "ui/views/limits/why_no_marks.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/menu.h"
#include "ui/widgets/panel.h"
#include "ui/widgets/tooltip.h"

namespace dlview::ui {
namespace {

using aggregate::LimitRow;
using aggregate::LimitsBy;
using report::LimitRule;

constexpr float kHeadHeight = 24;
constexpr float kRooflineShare = 0.6f;   // of the width
constexpr float kQuadrantShare = 0.46f;  // of the height
constexpr float kDrawerShare = 0.36f;    // of the height
constexpr float kLeastDrawer = 150, kMostDrawer = 300, kLeastPlots = 330;
constexpr std::array kBys{LimitsBy::op, LimitsBy::kernel, LimitsBy::shape, LimitsBy::group};

std::string_view rule_title(LimitRule rule) {
  switch (rule) {
    case LimitRule::flops:
      return "FLOP/s";
    case LimitRule::busy:
      return "Busy counters";
    case LimitRule::intensity:
      return "Intensity";
    case LimitRule::ncu:
      return "Speed of Light";
    case LimitRule::best:
      break;
  }
  return "Best evidence";
}

// The classes with their glyphs, at the right; as many as the area has room for.
void draw_limit_legend(Frame& frame, const Area& area) {
  using aggregate::Limit;
  using aggregate::Origin;
  struct Entry {
    Limit limit;
    Origin origin;
    std::string_view label;
  };
  constexpr std::array<Entry, 7> kEntries{{{Limit::math, Origin::counted, "math"},
                                           {Limit::memory, Origin::counted, "memory"},
                                           {Limit::both, Origin::counted, "both"},
                                           {Limit::neither, Origin::counted, "neither"},
                                           {Limit::unknown, Origin::counted, "unknown"},
                                           {Limit::math, Origin::estimated, "estimated"},
                                           {Limit::math, Origin::sampled, "sampled"}}};
  const ImFont* font = frame.fonts().small;
  const float glyph = frame.px(10), gap = frame.px(16);
  float width = -gap;
  std::size_t count = 0;
  for (; count < kEntries.size(); ++count) {
    const float wider = width + gap + glyph + text_width(font, kEntries[count].label);
    if (wider > area.width) break;
    width = wider;
  }
  float x = area.right() - width;
  const float middle = area.top + std::round(line_height(frame.fonts().strong) / 2);
  for (const Entry& entry : std::span(kEntries).first(count)) {
    draw_limit_mark(frame, x, middle, frame.px(4), {entry.limit, entry.origin});
    x += glyph;
    draw_text(font, x, middle - font_size(font) / 2, frame.palette().dim, entry.label);
    x += text_width(font, entry.label) + gap;
  }
}

}  // namespace

void LimitsView::draw_tables(Frame& frame, const Box& box, Tables& tables) {
  take_command(frame, tables);
  want_data(frame, tables);
  const float gap = frame.px(kGap);
  if (!data()) {
    const Box whole{box.left + gap, box.top + gap, box.right - gap, box.bottom - gap};
    return table_.draw(frame, whole, nullptr, tables);
  }
  take_chosen(frame.model, tables);
  const Area area{box.left + gap, box.top + frame.px(6), box.width() - 2 * gap};
  float top = draw_head(frame, area);
  top = draw_toolbar(frame, area.below(top + frame.px(4))) + gap;

  float bottom = box.bottom - gap;
  const bool has_drawer = shows_evidence_ && chosen_row();
  Box drawer{area.left, bottom, area.right(), bottom};
  if (has_drawer) {
    const float height = bottom - top;
    const float wanted = std::clamp(std::round(height * kDrawerShare), frame.px(kLeastDrawer),
                                    frame.px(kMostDrawer));
    if (height - wanted - gap >= frame.px(kLeastPlots) * 0.7f) {
      drawer.top = bottom - wanted;
      bottom = drawer.top - gap;
    }
  }
  // The table is shorter below: its selected row stays in view.
  if (drawer.height() > 0 && !had_drawer_) table_.reveal_selected();
  had_drawer_ = drawer.height() > 0;
  const float middle = area.left + std::round(area.width * kRooflineShare);
  const Box left{area.left, top, middle - gap / 2, bottom};
  const Box right{middle + gap / 2, top, area.right(), bottom};
  const float quadrants_height =
      std::min(std::round(right.height() * kQuadrantShare), right.width());
  const Box quadrants{right.left, right.top, right.right, right.top + quadrants_height};
  const Box rows{right.left, quadrants.bottom + gap, right.right, right.bottom};
  table_.draw(frame, rows, data()->table, tables);
  draw_plots(frame, left, quadrants);
  if (drawer.height() > 0) draw_drawer(frame, drawer, tables);
}

float LimitsView::draw_head(Frame& frame, const Area& area) {
  const Fonts& fonts = frame.fonts();
  const Palette& colors = frame.palette();
  const float height = frame.px(kHeadHeight);
  const Box line = box_of(area, height);
  float right = area.right();
  // Chips, from the right.
  for (int i = kLimitEvidences; i-- > 0;) {
    const auto evidence = static_cast<LimitEvidence>(i);
    bool& hides = choice_.hides[static_cast<std::size_t>(i)];
    const std::string label = fmt::format("{} {}", to_text(evidence),
                                          base::format_percent(data()->evidence.percent(evidence)));
    const float width = text_width(fonts.small, label) + frame.px(20);
    const Box chip{right - width, line.top + frame.px(2), right, line.bottom - frame.px(2)};
    const std::string name = fmt::format("limits/chip/{}", id_of(evidence));
    const Hit hit = hit_area(frame, name, chip);
    fill(chip, hit.hovered ? lit_surface(colors) : colors.raised, chip.height() / 2);
    outline(chip, hides ? colors.line : colors.faint, chip.height() / 2);
    draw_text_in(fonts.small, chip, hides ? colors.faint : colors.text, label, true);
    if (hides) {
      const float middle = std::round((chip.top + chip.bottom) / 2);
      horizontal_line(chip.left + frame.px(8), chip.right - frame.px(8), middle, colors.faint);
    }
    if (hit.hovered) {
      ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
      show_text_tooltip(
          frame,
          {{TooltipStyle::value, label},
           {TooltipStyle::text,
            fmt::format("Share of kernel time whose numbers are {}", to_text(evidence))},
           {TooltipStyle::note, hides ? "Click to show these rows" : "Click to hide these rows"}});
    }
    if (hit.clicked) hides = !hides;
    frame.inspector.record_value(name, label);
    right = chip.left - frame.px(6);
  }
  std::string text = "GPU ";
  text += data()->gpu_name.empty() ? "unknown" : data()->gpu_name;
  if (data()->has_other_gpus) text += " and others";
  std::string peaks = "peaks: unknown";
  if (data()->peaks != nullptr) {
    peaks = "peaks: ";
    const auto& flops = data()->peaks->flops;
    const auto first =
        std::ranges::find_if(flops, [](const auto& peak) { return peak.has_value(); });
    peaks += first != flops.end()       ? (*first)->source
             : data()->peaks->bandwidth ? data()->peaks->bandwidth->source
                                        : std::string("unknown");
    if (!data()->peaks->gpu.empty()) peaks += " (" + data()->peaks->gpu + ")";
  }
  text += " · " + peaks;
  if (const auto& utilization = data()->utilization; utilization.model_percent) {
    text += fmt::format(" · MFU {}{}", utilization.sign(),
                        base::format_percent(*utilization.model_percent));
    if (utilization.hardware_percent != utilization.model_percent) {
      text += fmt::format(", HFU {}{}", utilization.sign(),
                          base::format_percent(*utilization.hardware_percent));
    }
  }
  const float left = area.left + frame.px(2);
  draw_text_cut(frame, fonts.text, left,
                line.top + std::round((height - font_size(fonts.text)) / 2),
                right - left - frame.px(8), colors.text, text, CutAt::end);
  frame.inspector.record_value("limits/head", text);
  return line.bottom;
}

float LimitsView::draw_toolbar(Frame& frame, const Area& area) {
  constexpr std::array<Segment, 4> kSegments{{{"op", "By op"},
                                              {"kernel", "By kernel"},
                                              {"shape", "By op and shape"},
                                              {"group", "By group"}}};
  Flow flow(frame, area);
  const auto current = std::ranges::find(kBys, choice_.by) - kBys.begin();
  const float segments = flow.place(segments_width(frame, kSegments));
  if (const auto by = draw_segments(frame, "limits/by", segments, flow.top(), kSegments,
                                    static_cast<std::size_t>(current))) {
    choice_.by = kBys[*by];
  }
  flow.skip(frame.px(8));
  const auto menu = [&](std::string_view name, const std::string& label,
                        const std::vector<MenuItem>& items) {
    const float width = menu_button_width(frame, label);
    const float at = flow.place(width);
    draw_menu(frame, name, label, at + width, flow.top(), items);
  };
  std::vector<MenuItem> types;
  const auto add_type = [&](std::optional<aggregate::MathType> type, const std::string& title) {
    MenuItem item{"limits/type_" + (type ? id_of(*type) : std::string("all")), title};
    item.chosen = choice_.type == type;
    item.run = [this, type] { choice_.type = type; };
    types.push_back(std::move(item));
  };
  add_type(std::nullopt, "all");
  for (const aggregate::MathType type : data()->types) add_type(type, std::string(to_text(type)));
  menu("limits/type",
       fmt::format("Number format: {}", choice_.type ? to_text(*choice_.type) : "all"), types);
  std::vector<MenuItem> rules;
  for (int i = 0; i < report::kLimitRules; ++i) {
    const auto rule = static_cast<LimitRule>(i);
    MenuItem item{fmt::format("limits/rule_{}", report::to_text(rule)),
                  std::string(rule_title(rule))};
    item.chosen = choice_.rule == rule;
    item.run = [this, rule] { choice_.rule = rule; };
    rules.push_back(std::move(item));
  }
  menu("limits/rule", fmt::format("Rule: {}", rule_title(choice_.rule)), rules);
  const std::string_view label = "Fit";
  if (!roofline_chart_.is_fit()) {
    const float at = flow.place(button_width(frame, label));
    if (draw_button(frame, "limits/fit", at, flow.top(), label)) roofline_chart_.fit();
  }
  return flow.bottom();
}

void LimitsView::draw_plots(Frame& frame, const Box& left, const Box& right) {
  hovered_.reset();
  draw_roofline_panel(frame, left);
  draw_right_panel(frame, right);
}

void LimitsView::draw_roofline_panel(Frame& frame, const Box& box) {
  const Palette& colors = frame.palette();
  fill(box, colors.panel, frame.px(kRounding));
  outline(box, colors.line, frame.px(kRounding));
  if (std::exchange(saves_picture_, false)) frame.host.save_picture("roofline", item_rect(box));
  const float padding = frame.px(kPadding);
  const Area area{box.left + padding, box.top + frame.px(10), box.width() - 2 * padding};
  std::string detail =
      base::counted(static_cast<int64_t>(roofline_.marks.size() + roofline_.strip.size()), "marks");
  if (!roofline_.dense.empty()) {
    detail +=
        fmt::format(" · {} as shading",
                    base::counted(static_cast<int64_t>(roofline_.dense.size()), "smaller rows"));
  }
  if (roofline_.unplaced > 0) {
    detail += fmt::format(" · {} with unknown FLOP or bytes",
                          base::counted(static_cast<int64_t>(roofline_.unplaced), "rows"));
  }
  frame.inspector.record_value("limits/roofline/marks", detail);
  const Area body = draw_heading(frame, area, {"Roofline", "arithmetic_intensity", detail, ""});
  const float title = text_width(frame.fonts().strong, "Roofline") + frame.px(30) +
                      text_width(frame.fonts().text, detail);
  const float legend = title + frame.px(20);
  draw_limit_legend(frame, {area.left + legend, area.top, area.width - legend});
  const float top = draw_advice(frame, {area.left, body.top, area.width});
  const LimitRow* baseline = pinned_ && pinned_in_ ? &pinned_in_->rows()[*pinned_] : nullptr;
  const RooflineChart::Content content{*data(), roofline_, choice_.rule, choice_.shows_all_roofs,
                                       baseline};
  const Box chart{area.left, top, area.right(), box.bottom - frame.px(6)};
  const PlotGesture gesture = roofline_chart_.draw(frame, chart, content, selection());
  if (gesture.hovered) hovered_ = gesture.hovered;
  obey(gesture);
  if (gesture.opens) open_chosen(frame.host);
}

float LimitsView::draw_advice(Frame& frame, const Area& area) {
  const WhyNoMarks why = why_no_marks(*data(), roofline_);
  const std::string no_roofs = why_no_roofs(*data(), roofline_);
  float y = area.top;
  if (!why.text.empty()) {
    frame.inspector.record_value("limits/roofline/why_empty", why.text);
    y = draw_wrapped(frame.fonts().text, area.below(y), frame.palette().text, why.text);
  }
  if (!no_roofs.empty()) {
    frame.inspector.record_value("limits/roofline/note", no_roofs);
    y = draw_wrapped(frame.fonts().text, area.below(y), frame.palette().attention, no_roofs);
  }
  if (!why.command.empty()) {
    y += frame.px(8);
    if (draw_button(frame, "limits/copy_command", area.left, y, "Copy command")) {
      frame.host.copy_text(why.command);
    }
    y += frame.px(kControlHeight);
  }
  return y == area.top ? y : y + frame.px(12);
}

void LimitsView::draw_right_panel(Frame& frame, const Box& box) {
  const Palette& colors = frame.palette();
  fill(box, colors.panel, frame.px(kRounding));
  outline(box, colors.line, frame.px(kRounding));
  const float padding = frame.px(kPadding);
  const Area area{box.left + padding, box.top + frame.px(10), box.width() - 2 * padding};
  const float width = segments_width(frame, kLimitPanes);
  if (const auto pane =
          draw_segments(frame, "limits/pane", area.right() - width, area.top - frame.px(4),
                        kLimitPanes, static_cast<std::size_t>(pane_))) {
    pane_ = static_cast<LimitPane>(*pane);
  }
  const bool shows_quadrants = pane_ == LimitPane::quadrants;
  const Area body =
      draw_heading(frame, {area.left, area.top, area.width - width - frame.px(8)},
                   shows_quadrants ? PanelHeading{"Share of peaks", "share_of_peak", "", ""}
                                   : PanelHeading{"Use of the GPU", {}, "", ""});
  const Box inner{area.left, body.top + frame.px(4), area.right(), box.bottom - frame.px(4)};
  if (!shows_quadrants) return draw_gpu_use(frame, inner);
  const PlotGesture gesture =
      quadrant_chart_.draw(frame, inner, *data(), quadrants_, choice_.rule, selection());
  if (gesture.hovered) hovered_ = gesture.hovered;
  obey(gesture);
  if (gesture.opens) open_chosen(frame.host);
}

void LimitsView::draw_gpu_use(Frame& frame, const Box& box) {
  const auto say = [&](const std::string& text) {
    draw_wrapped(frame.fonts().text, {box.left, box.top, box.width()}, frame.palette().dim, text);
    frame.inspector.record_value("limits/use/why_empty", text);
  };
  const report::OperatorReport* use = use_.get().get();
  if (use == nullptr) return say("Adding up kernels…");
  const auto row = chosen_row();
  const profile::OpIndex op = row ? data()->rows()[*row].op : profile::OpIndex();
  if (pane_ == LimitPane::kernels) {
    const auto detail = std::ranges::find_if(
        use->details, [&](const auto& its) { return use->ops[its.op].op == op; });
    if (op == profile::kNoRow || detail == use->details.end()) {
      return say("Select an op to see its kernels.");
    }
    use_chart_.draw(frame, box, {detail->kernels, std::nullopt});
    return;
  }
  GpuUseChart::Content content{use->network, std::nullopt};
  for (std::size_t bar = 0; bar < use->network.size() && op != profile::kNoRow; ++bar) {
    if (use->ops[use->network[bar].op].op == op) content.chosen = bar;
  }
  const auto clicked = use_chart_.draw(frame, box, content);
  if (!clicked) return;
  const profile::OpIndex its = use->ops[use->network[*clicked].op].op;
  if (its == profile::kNoRow) return;
  const profile::Profile& profile = *data()->profile;
  if (const auto found = data()->row_of(profile.text(profile.ops.id[its]))) {
    select_rows(std::array{*found});
  }
}

void LimitsView::draw_drawer(Frame& frame, const Box& box, Tables& tables) {
  const auto row = chosen_row();
  if (!row) return;
  const bool is_pinned = pinned_.has_value();
  using Action = EvidenceDrawer::Action;
  switch (drawer_.draw(frame, box, data_.get(), *row, choice_.rule, is_pinned)) {
    case Action::close:
      shows_evidence_ = false;
      break;
    case Action::open:
      open_chosen(frame.host);
      break;
    case Action::timeline:
      tables.command = TableCommand::limits_timeline;  // with the next frame, before the table
      tables.is_waiting = true;
      break;
    case Action::pin:
    case Action::unpin:
      pin(!is_pinned);
      break;
    case Action::copy_shapes:
      frame.host.copy_text(shapes_csv(*data(), selected_rows()));
      break;
    case Action::none:
      break;
  }
}

}  // namespace dlview::ui
