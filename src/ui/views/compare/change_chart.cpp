#include "ui/views/compare/change_chart.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/units.h"
#include "profile/display_name.h"
#include "ui/chart/categories.h"
#include "ui/widgets/panel.h"
#include "ui/widgets/tooltip.h"

namespace dlview::ui {
namespace {

using aggregate::Bar;
using aggregate::ChangeKind;
using aggregate::Comparison;
using aggregate::JudgedBar;
using aggregate::KernelBar;
using aggregate::KernelPairing;
using aggregate::OpBar;
using aggregate::PartBar;
using aggregate::RunPair;
using aggregate::StackPart;
using aggregate::Waterfall;

constexpr std::size_t kMostBars = 12;
constexpr float kRowHeight = 21, kMostRowHeight = 36, kBarHalf = 7;
constexpr float kSwatchRoom = 15;
constexpr float kColumnGap = 12;
constexpr float kMostLabel = 0.42f;  // of the width
constexpr float kLeastBars = 60;
constexpr double kZoomBelow = 0.3;  // changes, as a share of the longer iteration

// A bar of the level that is shown.
struct Item {
  const Bar* bar = nullptr;
  Tone tone = Tone::other;
  // What the bar is: a part, an op, or a kernel of it.
  std::optional<StackPart> part = {};
  const OpBar* op = nullptr;
  const KernelBar* kernel = nullptr;
  enum class Side : uint8_t { both, before, after } side = Side::both;
};

std::string_view side_text(Item::Side side) {
  switch (side) {
    case Item::Side::before:
      return "only before";
    case Item::Side::after:
      return "only after";
    case Item::Side::both:
      break;
  }
  return "";
}

// Neither time nor calls on one side.
Item::Side side_of(const Bar& bar) {
  const bool is_before = bar.before_sum_ns != 0 || bar.calls_before != 0;
  const bool is_after = bar.after_sum_ns != 0 || bar.calls_after != 0;
  return is_before == is_after ? Item::Side::both
         : is_before           ? Item::Side::before
                               : Item::Side::after;
}

class ChartBuilder {
 public:
  ChartBuilder(const RunPair& runs, const Waterfall& waterfall, const ChangePlace& place,
               const Comparison* judged)
      : runs_(runs), place_(place), judged_(judged) {
    const Bar* whole = bar_of(waterfall);
    if (whole == nullptr) {
      chart_.why_none = "Nothing here in these ranges.";
      return;
    }
    for_each_bar(waterfall, [&](const Bar& bar) { exact_.add(bar.after_ns, bar.before_ns); });
    exact_.add(whole->after_ns, whole->before_ns);
    shown_ = aggregate::in_steps_of(waterfall, exact_.step_ns());
    iteration_before_ns_ = waterfall.iteration.before_ns;
  }

  ChangeChart build() {
    if (!chart_.why_none.empty()) return std::move(chart_);
    const Bar& whole = *bar_of(shown_);
    if (whole.before_ns == 0 && whole.after_ns == 0) {
      chart_.why_none = "No time here in these ranges.";
      return std::move(chart_);
    }
    chart_.title = title();
    add_end(ChangeRow::Kind::before, whole);
    running_ns_ = chart_.low_ns = chart_.high_ns = whole.before_ns;
    for (const Item& item : items()) add(item);
    add_rest();
    add_unchanged();
    add_end(ChangeRow::Kind::after, whole);
    return std::move(chart_);
  }

 private:
  const PartBar* part_of(const Waterfall& waterfall) const {
    for (const PartBar& part : waterfall.parts) {
      if (part.part == place_.part) return &part;
    }
    return nullptr;
  }
  const Bar* bar_of(const Waterfall& waterfall) const {
    if (place_.op) return find_bar(waterfall, *place_.op);
    if (place_.part) return part_of(waterfall);
    return &waterfall.iteration;
  }

  template <typename Use>
  void for_each_bar(const Waterfall& waterfall, const Use& use) const {
    if (place_.op) {
      const OpBar* op = find_bar(waterfall, *place_.op);
      for (std::size_t k = 0; op != nullptr && k < op->kernels.size(); ++k) use(op->kernels[k]);
    } else if (place_.part) {
      for (const OpBar& op : part_of(waterfall)->ops) use(op);
    } else {
      for (const PartBar& part : waterfall.parts) use(part);
    }
  }

  std::string title() const {
    if (!place_.part) return "";
    std::string text(aggregate::title_of(*place_.part));
    if (place_.op) {
      text += " › " + runs_.name_of(*find_bar(shown_, *place_.op));
    }
    return text;
  }

  std::vector<Item> items() const {
    std::vector<Item> items;
    if (place_.op) {
      const OpBar& op = *find_bar(shown_, *place_.op);
      for (const KernelBar& kernel : op.kernels) items.push_back(item_of(op, kernel));
    } else if (place_.part) {
      for (const OpBar& op : part_of(shown_)->ops) items.push_back(item_of(op));
    } else {
      for (const PartBar& part : shown_.parts) {
        if (part.before_sum_ns == 0 && part.after_sum_ns == 0) continue;
        items.push_back({.bar = &part, .tone = ui::tone_of(part.part), .part = part.part});
      }
    }
    return items;
  }

  Item item_of(const OpBar& op) const {
    return {.bar = &op,
            .tone = ui::tone_of(op.part),
            .op = &op,
            .side = op.is_op() ? side_of(op) : Item::Side::both};
  }

  Item item_of(const OpBar& op, const KernelBar& kernel) const {
    return {.bar = &kernel,
            .tone = ui::tone_of(op.part),
            .op = &op,
            .kernel = &kernel,
            .side = side_of(kernel)};
  }

  // Labels and judgments cost a search each: only bars that are shown have them.
  std::string label_of(const Item& item) const {
    if (item.part) return std::string(aggregate::title_of(*item.part));
    if (item.kernel == nullptr) return runs_.name_of(*item.op);
    const KernelBar& kernel = *item.kernel;
    const bool is_gone = kernel.pairing == KernelPairing::only_before;
    std::string name = runs_.keys().name(is_gone ? kernel.before : kernel.after);
    if (item.op->part == StackPart::memory) name = profile::call_name(name);
    if (kernel.pairing == KernelPairing::replaced) {
      name = fmt::format("{} (was {})", name, runs_.keys().name(kernel.before));
    }
    return name;
  }

  const JudgedBar* judgment_of(const Item& item) const {
    if (judged_ == nullptr || item.kernel != nullptr) return nullptr;
    if (item.part) return ui::judgment_of(*judged_, {item.part, std::nullopt});
    return ui::judgment_of(*judged_, {item.op->part, changed_op(*item.op)});
  }

  // Ops and kernels come with the largest difference first; parts are few.
  void add(const Item& item) {
    if (item.bar->difference_ns() == 0) {
      ++unchanged_count_;
      if (!place_.part) unchanged_.push_back(*item.part);
      return;
    }
    if (place_.part && shown_bars_ == kMostBars) {
      const auto side = static_cast<std::size_t>(item.side);
      rest_[side].before_ns += item.bar->before_ns;
      rest_[side].after_ns += item.bar->after_ns;
      ++rest_count_[side];
      return;
    }
    ++shown_bars_;
    ChangeRow& row = add_change(*item.bar, label_of(item), item.tone);
    row.id = place_.part ? fmt::format("{}", shown_bars_ - 1)
                         : std::string(aggregate::to_text(*item.part));
    if (item.side != Item::Side::both) {
      row.label += fmt::format(" ({})", side_text(item.side));
    }
    const JudgedBar* const judged = judgment_of(item);
    // Of a part: "2 rows are slower".
    const std::string judged_ops =
        item.part && judged_ != nullptr ? judged_ops_text(*judged_, *item.part) : std::string();
    row.judged = judgment_text(judged);
    row.is_certain = judged == nullptr || !judged_ops.empty() ||
                     (judged->kind != ChangeKind::inconclusive &&
                      judged->kind != ChangeKind::same && judged->kind != ChangeKind::renamed);
    if (!judged_ops.empty()) {
      row.judged += fmt::format("{}{}", row.judged.empty() ? "" : "; ", judged_ops);
    }
    row.part = item.part;
    if (item.op != nullptr && item.kernel == nullptr) row.op = changed_op(*item.op);
    if (place_.part && (item.bar->calls_before > 0 || item.bar->calls_after > 0)) {
      row.calls = fmt::format("calls per iteration: {} before, {} after",
                              base::format_number(shown_.calls_before(*item.bar)),
                              base::format_number(shown_.calls_after(*item.bar)));
    }
  }

  ChangeRow& add_change(const Bar& bar, std::string label, Tone tone) {
    ChangeRow& row = chart_.rows.emplace_back();
    row.label = std::move(label);
    row.tone = tone;
    row.start_ns = running_ns_;
    row.stop_ns = running_ns_ += bar.difference_ns();
    chart_.low_ns = std::min(chart_.low_ns, running_ns_);
    chart_.high_ns = std::max(chart_.high_ns, running_ns_);
    set_texts(bar, row);
    return row;
  }

  void set_texts(const Bar& bar, ChangeRow& row) const {
    const base::ComparedDurations texts = exact_.format(bar.after_ns, bar.before_ns);
    row.before = texts.baseline;
    row.after = texts.value;
    row.value = texts.difference;
    row.share = share_text(bar.difference_ns());
  }

  std::string share_text(int64_t difference_ns) const {
    if (iteration_before_ns_ == 0) return "";
    const double percent =
        100 * static_cast<double>(difference_ns) / static_cast<double>(iteration_before_ns_);
    return base::with_sign(percent, base::format_percent(std::abs(percent)));
  }

  void add_rest() {
    for (std::size_t side = 0; side < rest_.size(); ++side) {
      if (rest_count_[side] == 0) continue;
      const std::string_view where = side_text(static_cast<Item::Side>(side));
      std::string label = base::counted(rest_count_[side], "others");
      if (!where.empty()) label += fmt::format(", {}", where);
      if (rest_[side].difference_ns() == 0) {
        unchanged_count_ += static_cast<std::size_t>(rest_count_[side]);
        continue;
      }
      ChangeRow& row = add_change(rest_[side], std::move(label), ui::tone_of(*place_.part));
      row.id = fmt::format("rest_{}", side);
      row.is_certain = false;
    }
  }

  void add_unchanged() {
    if (unchanged_count_ == 0) return;
    ChangeRow& row = chart_.rows.emplace_back();
    row.kind = ChangeRow::Kind::unchanged;
    row.id = "unchanged";
    row.start_ns = row.stop_ns = running_ns_;
    row.parts = unchanged_;
    row.label = unchanged_.empty()
                    ? fmt::format("{} without a change that is shown",
                                  base::counted(static_cast<int64_t>(unchanged_count_),
                                                place_.op ? "kernels" : "ops"))
                    : "No change:";
  }

  void add_end(ChangeRow::Kind kind, const Bar& whole) {
    ChangeRow& row = chart_.rows.emplace_back();
    const bool is_before = kind == ChangeRow::Kind::before;
    set_texts(whole, row);
    row.kind = kind;
    row.id = is_before ? "before" : "after";
    row.label = is_before ? "Before" : "After";
    row.stop_ns = is_before ? whole.before_ns : whole.after_ns;
    if (place_.part) row.tone = ui::tone_of(*place_.part);
    if (is_before) {
      row.value = row.before;
      row.share.clear();
    } else {
      row.judged = row.value;  // the whole difference
      row.value = row.after;
      chart_.low_ns = std::min(chart_.low_ns, row.stop_ns);
      chart_.high_ns = std::max(chart_.high_ns, row.stop_ns);
    }
  }

  const RunPair& runs_;
  const ChangePlace place_;
  const Comparison* judged_;
  ChangeChart chart_;
  base::ComparedTable exact_;
  Waterfall shown_;
  int64_t iteration_before_ns_ = 0, running_ns_ = 0;
  std::size_t shown_bars_ = 0, unchanged_count_ = 0;
  std::vector<StackPart> unchanged_;
  std::array<Bar, 3> rest_{};  // by Item::Side
  std::array<int64_t, 3> rest_count_{};
};

struct ChartColumns {
  float label = 0, label_right = 0, bar_left = 0, bar_right = 0, value_right = 0, share_right = 0;
};

ChartColumns columns_for(const Frame& frame, const Area& area, const ChangeChart& chart) {
  const Fonts& fonts = frame.fonts();
  float label = 0, value = 0, share = 0;
  for (const ChangeRow& row : chart.rows) {
    if (row.kind != ChangeRow::Kind::unchanged) {
      label = std::max(label, text_width(fonts.text, row.label));
    }
    value = std::max(value, text_width(fonts.strong, row.value));
    share = std::max(share, text_width(fonts.strong, row.share));
  }
  const float gap = frame.px(kColumnGap);
  ChartColumns columns;
  columns.label = area.left + frame.px(kSwatchRoom);
  columns.label_right =
      std::round(columns.label + std::min(label, std::round(area.width * kMostLabel)));
  columns.share_right = area.right();
  columns.value_right = std::round(columns.share_right - share - (share > 0 ? gap : 0));
  columns.bar_left = columns.label_right + gap;
  columns.bar_right = std::round(columns.value_right - value - gap);
  return columns;
}

// What of the axis of time the chart shows.
struct ChartScale {
  double low = 0, high = 1;
  bool is_broken = false;  // it does not begin at 0
};

ChartScale scale_of(const ChangeChart& chart, bool from_zero) {
  const auto low = static_cast<double>(chart.low_ns), high = static_cast<double>(chart.high_ns);
  if (from_zero) return {std::min(0.0, low), std::max(high, 1.0), false};
  const double room = std::max((high - low) * 0.12, 1.0);
  return {low - room, high + room, low - room > 0};
}

float x_of(const ChartColumns& columns, const ChartScale& scale, int64_t ns) {
  const double share = (static_cast<double>(ns) - scale.low) / (scale.high - scale.low);
  return std::round(columns.bar_left + static_cast<float>(std::clamp(share, 0.0, 1.0)) *
                                           (columns.bar_right - columns.bar_left));
}

// Two slanted gaps: the bar begins left of what is shown.
void draw_break(const Frame& frame, float left, float top, float bottom) {
  const float slant = frame.px(4), thickness = frame.px(2);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  for (const float x : {left + frame.px(8), left + frame.px(13)}) {
    list.AddLine({x + slant / 2, top - 1}, {x - slant / 2, bottom + 1}, frame.palette().panel,
                 thickness);
  }
}

void draw_row_bar(Frame& frame, const ChartColumns& columns, const ChartScale& scale,
                  const Box& row_box, const ChangeRow& row, bool leads_on) {
  if (columns.bar_right - columns.bar_left < frame.px(kLeastBars)) return;
  const Palette& colors = frame.palette();
  const float half = frame.px(kBarHalf);
  const float middle = std::round((row_box.top + row_box.bottom) / 2);
  const float from = x_of(columns, scale, row.start_ns), to = x_of(columns, scale, row.stop_ns);
  if (row.kind == ChangeRow::Kind::before || row.kind == ChangeRow::Kind::after) {
    const float left = scale.is_broken ? columns.bar_left : x_of(columns, scale, 0);
    fill({left, middle - half, std::max(to, left + 1), middle + half},
         mix(colors.panel, colors.dim, 0.55f), frame.px(2));
    if (scale.is_broken) draw_break(frame, left, middle - half, middle + half);
  } else if (row.kind == ChangeRow::Kind::change) {
    const Box bar{std::min(from, to), middle - half,
                  std::max(std::max(from, to), std::min(from, to) + frame.px(2)), middle + half};
    const Color tone = colors.tone(row.tone);
    fill(bar, tone, std::min(frame.px(2), bar.width() / 2));
    if (row.stop_ns > row.start_ns) hatch(frame, bar, hatch_color(tone));
  }
  // Leads the eye to where the next bar begins.
  if (!leads_on) return;
  const float x = std::min(to, columns.bar_right - 1);
  fill({x, middle + half, x + 1, row_box.bottom + (row_box.height() / 2 - half)},
       mix(colors.panel, colors.dim, 0.4f));
}

void explain_row(Frame& frame, const ChangeRow& row) {
  std::vector<TooltipText> lines{{TooltipStyle::name, row.label}};
  if (row.kind == ChangeRow::Kind::change) {
    lines.push_back(
        {TooltipStyle::value,
         row.value + (row.share.empty() ? "" : " · " + row.share + " of the iteration before")});
    lines.push_back(
        {TooltipStyle::text, fmt::format("Before {} · after {}", row.before, row.after)});
    lines.push_back({TooltipStyle::text, row.calls});
    lines.push_back({TooltipStyle::text, row.judged});
    if (row.part || row.op) lines.push_back({TooltipStyle::note, "Click to open"});
  } else if (row.kind == ChangeRow::Kind::after) {
    lines.push_back({TooltipStyle::value, row.judged});
  }
  show_text_tooltip(frame, lines);
}

}  // namespace

bool ChangeChart::needs_zoom() const {
  return high_ns > low_ns &&
         static_cast<double>(high_ns - low_ns) < kZoomBelow * static_cast<double>(high_ns);
}

ChangeChart prepare_change_chart(const RunPair& runs, const Waterfall& waterfall,
                                 const ChangePlace& place, const Comparison* judged) {
  return ChartBuilder(runs, waterfall, place, judged).build();
}

namespace {

// The label, then the parts, each of which can be opened: ops in it may have moved all the same.
std::optional<aggregate::StackPart> draw_unchanged(Frame& frame, const Box& line,
                                                   const ChangeRow& row, const std::string& path) {
  const Fonts& fonts = frame.fonts();
  const Palette& colors = frame.palette();
  std::optional<aggregate::StackPart> opened;
  std::string all = row.label;
  float x = line.left;
  draw_text_cut(frame, fonts.text, x, line.top, line.width(), colors.dim, row.label, CutAt::end);
  x += text_width(fonts.text, row.label);
  for (const aggregate::StackPart part : row.parts) {
    const std::string name(aggregate::title_of(part));
    all += (part == row.parts.front() ? " " : ", ") + name;
    const float width = text_width(fonts.text, name);
    x += frame.px(10);
    if (x + width > line.right) continue;
    const Hit hit = hit_area(frame, fmt::format("{}/{}", path, aggregate::to_text(part)),
                             {x - frame.px(4), line.top, x + width + frame.px(4), line.bottom});
    if (hit.hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    if (hit.clicked) opened = part;
    draw_text(fonts.text, x, line.top, hit.hovered ? colors.text : colors.dim, name);
    x += width;
  }
  frame.inspector.record_value(path, all);
  return opened;
}

}  // namespace

ChangeChartResult draw_change_chart(Frame& frame, const Box& box, const ChangeChart& chart,
                                    const ChangePlace& place, bool from_zero,
                                    const std::optional<ChangedOp>& lit) {
  ChangeChartResult result;
  const Fonts& fonts = frame.fonts();
  const Palette& colors = frame.palette();
  ScrollArea scroll(frame, "changes", box);
  const Area area = scroll.area();
  if (chart.rows.empty()) {
    frame.inspector.record_value("compare/waterfall/why_none", chart.why_none);
    scroll.end_at(draw_wrapped(fonts.text, area, colors.dim, chart.why_none));
    return result;
  }
  // In line with the heading and the buttons of the panel.
  const float inset = frame.px(kPadding - kGap);
  const ChartColumns columns =
      columns_for(frame, {area.left + inset, area.top, area.width - 2 * inset}, chart);
  const ChartScale scale = scale_of(chart, from_zero);
  // Few rows fill the box.
  const float height = std::clamp(
      std::floor((box.height() - 2 * frame.px(kGap)) / static_cast<float>(chart.rows.size())),
      frame.px(kRowHeight), frame.px(kMostRowHeight));
  float y = area.top;
  for (const ChangeRow& row : chart.rows) {
    const Box line = box_of(area.below(y), height);
    const std::string path = "compare/waterfall/" + row.id;
    const bool opens = row.part || (row.op && !place.op);
    Hit hit;
    if (opens) {
      hit = hit_area(frame, path, line);
    } else {
      hit.hovered = hovered(line);
      frame.inspector.record_item(path, item_rect(line));
    }
    if (hit.hovered) explain_row(frame, row);
    if (opens && hit.hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    if (lit && (row.op == lit || row.part == lit->part)) {
      fill(line, selected_surface(colors), frame.px(3));
    } else if (opens && hit.hovered) {
      fill(line, with_opacity(colors.text, 0.035f), frame.px(3));
    }
    if (hit.hovered && row.op) result.hovered = row.op;
    if (hit.clicked) {
      result.opened =
          row.part ? ChangePlace{row.part, std::nullopt} : ChangePlace{place.part, row.op};
    }
    const float text_top = line.top + (line.height() - font_size(fonts.text)) / 2;
    const float middle = std::round((line.top + line.bottom) / 2), half = frame.px(4);
    if (row.kind == ChangeRow::Kind::change) {
      const float left = columns.label - frame.px(kSwatchRoom);
      fill({left, middle - half, left + 2 * half, middle + half}, colors.tone(row.tone),
           frame.px(2));
    }
    const bool is_end = row.kind == ChangeRow::Kind::before || row.kind == ChangeRow::Kind::after;
    const Color color = is_end || (row.kind == ChangeRow::Kind::change && row.is_certain)
                            ? colors.text
                            : colors.dim;
    if (row.kind == ChangeRow::Kind::unchanged) {
      const auto opened =
          draw_unchanged(frame, {columns.label, text_top, area.right(), line.bottom}, row, path);
      if (opened) result.opened = ChangePlace{opened, std::nullopt};
    } else {
      draw_text_cut(frame, fonts.text, columns.label, text_top, columns.label_right - columns.label,
                    color, row.label, CutAt::middle);
      const bool leads_on =
          &row != &chart.rows.back() && (&row + 1)->kind != ChangeRow::Kind::unchanged;
      draw_row_bar(frame, columns, scale, line, row, leads_on);
      draw_text_right(is_end ? fonts.strong : fonts.text, columns.value_right, text_top, color,
                      row.value);
      draw_text_right(is_end ? fonts.strong : fonts.text, columns.share_right, text_top, color,
                      row.share);
      frame.inspector.record_value(path, fmt::format("{} {}{}{}", row.label, row.value,
                                                     row.share.empty() ? "" : " ", row.share));
    }
    y += height;
  }
  scroll.end_at(y);
  return result;
}

}  // namespace dlview::ui
