#include "ui/views/budgets/budgets_view.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/units.h"
#include "report/budget/outputs.h"
#include "ui/chart/navigation.h"
#include "ui/pages.h"
#include "ui/table/tables.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/menu.h"
#include "ui/widgets/panel.h"
#include "ui/widgets/tooltip.h"

namespace dlview::ui {
namespace {

constexpr float kRowHeight = 46, kTitleHeight = 24, kHeadLine = 30, kBarHalf = 6;
constexpr float kIcon = 20, kColumnGap = 16, kLeastBar = 120;
constexpr std::array<Segment, 2> kRanges{
    {{"file", "As the file says"}, {"selected", "Selected range"}}};

std::string file_of(const std::string& path) {
  return path.substr(path.find_last_of('/') + 1);
}

Color color_of(const Palette& colors, BudgetLook look) {
  switch (look) {
    case BudgetLook::broken:
    case BudgetLook::warning:
      return colors.attention;
    case BudgetLook::open:
      return colors.dim;
    case BudgetLook::kept:
      break;
  }
  return colors.accent;
}

// Right edges of texts, and the edges of the bar, for the widths of all rows.
struct BudgetColumns {
  float state = 0, name = 0, name_right = 0, bar = 0, bar_right = 0;
  float value_right = 0, limit = 0, baseline_right = 0, change_right = 0;
  bool has_bar = false;
};

BudgetColumns budget_columns(const Frame& frame, const Area& area,
                             const std::vector<BudgetRow>& rows) {
  const Fonts& fonts = frame.fonts();
  float state = text_width(fonts.small, "State"), value = text_width(fonts.small, "Value");
  float limit = text_width(fonts.small, "Limit"), name = 0;
  float baseline = text_width(fonts.small, "Baseline");
  float change = text_width(fonts.small, "Change");
  bool has_baseline = false;
  for (const BudgetRow& row : rows) {
    state = std::max(state, text_width(fonts.text, row.state));
    name = std::max(name, text_width(fonts.strong, row.name));
    value = std::max(value, text_width(fonts.strong, row.value));
    limit = std::max(limit, text_width(fonts.text, row.limit));
    baseline = std::max(baseline, text_width(fonts.text, row.baseline));
    change = std::max(change, text_width(fonts.text, row.change));
    has_baseline = has_baseline || !row.baseline.empty();
  }
  const float gap = frame.px(kColumnGap);
  BudgetColumns columns;
  columns.state = area.left + frame.px(kIcon);
  columns.name = std::round(columns.state + state + gap);
  columns.change_right = area.right();
  columns.baseline_right = has_baseline ? std::round(area.right() - change - gap) : area.right();
  columns.limit =
      std::round((has_baseline ? columns.baseline_right - baseline - gap : area.right()) -
                 std::min(limit, area.width * 0.22f));
  columns.value_right = columns.limit - gap;
  const float room = columns.value_right - value - gap - columns.name;
  const float wanted = std::max(name, frame.px(240));
  columns.name_right = std::round(columns.name + std::min(wanted, room * 0.5f));
  columns.bar = columns.name_right + gap;
  columns.bar_right = std::round(columns.value_right - value - gap);
  columns.has_bar = columns.bar_right - columns.bar >= frame.px(kLeastBar);
  if (!columns.has_bar) columns.name_right = columns.bar_right;
  return columns;
}

void draw_bar(Frame& frame, const BudgetColumns& columns, const Box& line, const BudgetRow& row,
              const std::string& path) {
  if (!row.bar || !columns.has_bar) return;
  const Palette& colors = frame.palette();
  const BudgetBarPlace place =
      place_bar(*row.bar, columns.bar, columns.bar_right, row.second_limit);
  const float middle = std::round((line.top + line.bottom) / 2), half = frame.px(kBarHalf);
  const Box scale{place.left, middle - half, place.right, middle + half};
  fill(scale, colors.raised, frame.px(2));
  const Box value{place.left, scale.top, place.value, scale.bottom};
  fill(value, color_of(colors, row.look), frame.px(2));
  if (row.look == BudgetLook::warning) {
    hatch(frame, value, hatch_color(color_of(colors, row.look)));
  }
  // Within the line: below it a reason may stand.
  const float thickness = frame.px(1);
  const float reach = std::min(2 * half, std::max(half + 1, line.height() / 2 - frame.px(3)));
  const auto limit_box = [&](float at) {
    return Box{at - thickness, middle - reach, at + thickness, middle + reach};
  };
  const Box mark = limit_box(place.limit);
  if (place.dot) {
    const float thin = frame.px(1), tick = frame.px(4), radius = frame.px(4);
    // In front of the bar, with an edge that sets it off.
    const auto draw_whisker = [&](float edge, Color color) {
      fill({place.low, middle - thin - edge, place.high, middle + thin + edge}, color);
      for (const float x : {place.low, place.high}) {
        fill({x - thin - edge, middle - tick - edge, x + thin + edge, middle + tick + edge}, color);
      }
    };
    const float halo = frame.px(2);  // the text's color may be near that of the bar
    draw_whisker(halo, colors.panel);
    draw_whisker(0, colors.text);
    ImDrawList& list = *ImGui::GetWindowDrawList();
    list.AddCircleFilled({*place.dot, middle}, radius + halo, colors.panel);
    list.AddCircleFilled({*place.dot, middle}, radius, colors.text);
    frame.inspector.record_item(path + "/baseline", {*place.dot - radius, middle - radius,
                                                     *place.dot + radius, middle + radius});
  }
  // The end of the bar shows through the interval.
  if (place.dot) {
    fill({std::max(value.left, value.right - frame.px(2)), value.top, value.right, value.bottom},
         color_of(colors, row.look));
  }
  const float edge = frame.px(1);  // sets it off from the bar
  const auto draw_limit = [&](const Box& at) {
    fill({at.left - edge, at.top, at.right + edge, at.bottom}, colors.panel);
    fill(at, colors.bound);
  };
  if (place.second_limit) {
    const Box second = limit_box(*place.second_limit);
    draw_limit(second);
    frame.inspector.record_item(path + "/second_limit", item_rect(second));
  }
  draw_limit(mark);
  frame.inspector.record_item(path + "/bar", item_rect(value));
  frame.inspector.record_item(path + "/scale", item_rect(scale));
  frame.inspector.record_item(path + "/limit", item_rect(mark));
}

void draw_state(Frame& frame, const BudgetColumns& columns, const Box& line, float text_top,
                const BudgetRow& row) {
  const Palette& colors = frame.palette();
  const float middle = std::round((line.top + line.bottom) / 2);
  const bool is_kept = row.look == BudgetLook::kept;
  const Icon icon = is_kept                          ? Icon::check
                    : row.look == BudgetLook::broken ? Icon::cross
                                                     : Icon::info;
  const Color color = is_kept ? colors.good : color_of(colors, row.look);
  draw_icon(icon, line.left + frame.px(7), middle, frame.px(11), color);
  draw_text(frame.fonts().text, columns.state, text_top, is_kept ? colors.text : color, row.state);
}

void explain_budget(Frame& frame, const BudgetRow& row) {
  std::vector<TooltipText> lines{{TooltipStyle::name, row.name}};
  if (row.value.empty()) {
    lines.push_back({TooltipStyle::value, row.state});
  } else {
    lines.push_back({TooltipStyle::value, fmt::format("{}: {}", row.value, row.state)});
  }
  lines.push_back({TooltipStyle::text, row.metric});
  lines.push_back({TooltipStyle::text, row.limit.empty() ? "" : "Limit " + row.limit});
  lines.push_back({TooltipStyle::text, row.baseline_detail});
  if (!row.change.empty()) lines.push_back({TooltipStyle::text, "Change " + row.change});
  for (const std::string& why : row.why) lines.push_back({TooltipStyle::text, why + "."});
  lines.push_back({TooltipStyle::note, row.click});
  show_text_tooltip(frame, lines);
}

}  // namespace

void BudgetsView::set_table(const workspace::TableState& state) {
  if (state.table == kRangeState) uses_selected_range_ = state.selected == "selected";
}

std::vector<workspace::TableState> BudgetsView::table_states() {
  if (!uses_selected_range_) return {};
  return {{kRangeState, {}, "selected"}};
}

void BudgetsView::judge(const Model& model, Background& background) {
  std::optional<aggregate::Selection> chosen;
  if (uses_selected_range_) {
    chosen.emplace();
    chosen->cut = model.aggregation->selection.cut;
    chosen->range = current_range(model);
  }
  judged_.want({model.budgets, model.profile, chosen}, false, background,
               [budgets = model.budgets, profile = model.profile, chosen](const base::Progress&) {
                 return workspace::judge_budgets(budgets, profile, chosen);
               });
  if (prepared_for_ == judged_.get()) return;
  prepared_for_ = judged_.get();
  rows_.clear();
  if (prepared_for_ && !prepared_for_->error) rows_ = prepare_budget_rows(*prepared_for_);
}

void BudgetsView::draw(Frame& frame, const Box& box, const ViewTools& tools) {
  const Model& model = frame.model;
  if (!model.budgets) {
    if (model.reading_budgets) {
      frame.inspector.record_value("budgets/summary", "Reading…");
      return;
    }
    const base::Error nothing{
        "No budget file",
        "Budgets are limits for the numbers of a run: its step time, launches or findings. This "
        "view shows which ones the run keeps, as `dlview budget check` does.",
        "Right-click a number, choose Make a budget of this, and paste the text into a .toml file. "
        "Then choose the file, or drop it onto the window. docs/budgets.md has all keys."};
    return draw_error_card(frame, box, "budgets/none", nothing,
                           {{"Choose a budget file…", "file.check_budgets"}});
  }
  const workspace::LoadedBudgets& budgets = *model.budgets;
  if (budgets.error) {
    judged_.drop();
    return draw_error_card(
        frame, box, "budgets/error", *budgets.error,
        {{"Read again", "budgets.reload"}, {"Choose another file…", "file.check_budgets"}});
  }
  judge(model, tools.tables.background);
  const float gap = frame.px(kGap);
  float top = draw_head(frame, box, budgets) + gap;
  top = draw_notes(frame, {box.left + gap, top, box.width() - 2 * gap}, budgets);
  const Box content{box.left + gap, top, box.right - gap, box.bottom - gap};
  if (prepared_for_ == nullptr) return;
  if (prepared_for_->error) {
    return draw_error_card(frame, content, "budgets/not_judged", *prepared_for_->error, {});
  }
  draw_rows(frame, content);
}

float BudgetsView::draw_head(Frame& frame, const Box& box,
                             const workspace::LoadedBudgets& budgets) {
  const Fonts& fonts = frame.fonts();
  const Palette& colors = frame.palette();
  const float gap = frame.px(kGap), height = frame.px(kHeadLine);
  const float top = box.top + frame.px(8);
  const float control_top = top + std::round((height - frame.px(kControlHeight)) / 2);
  const float text_top = std::round(top + (height - font_size(fonts.text)) / 2);
  float x = box.left + gap + frame.px(2);
  float right = box.right - gap - segments_width(frame, kRanges);
  if (const auto chosen = draw_segments(frame, "budgets/range", right, control_top, kRanges,
                                        uses_selected_range_ ? 1 : 0)) {
    uses_selected_range_ = *chosen == 1;
  }
  right -= frame.px(8) + button_width(frame, "Reload");
  if (draw_button(frame, "budgets/reload", right, control_top, "Reload")) {
    frame.host.run_command("budgets.reload");
  }
  right -= frame.px(12);
  const auto menu = [&](const char* word, const std::string& path, const char* id, FileUse use) {
    draw_text(fonts.text, x, text_top, colors.dim, word);
    x += text_width(fonts.text, word) + frame.px(8);
    const float room =
        std::max(frame.px(60), (right - x) * (use == FileUse::budgets ? 0.5f : 1.0f) -
                                   menu_button_width(frame, "") - frame.px(16));
    const std::string name =
        cut_text(path.empty() ? "None" : file_of(path), room, CutAt::middle,
                 [&fonts](std::string_view text) { return text_width(fonts.text, text); });
    std::vector<MenuItem> items;
    MenuItem choose{fmt::format("choose_{}", id), "Choose a file…", "", path};
    choose.run = [&host = frame.host, use] { host.choose_file(use); };
    items.push_back(std::move(choose));
    x += menu_button_width(frame, name);
    draw_menu(frame, fmt::format("budgets/{}", id), name, x, control_top, items);
    frame.inspector.record_value(fmt::format("budgets/{}/name", id),
                                 path.empty() ? "None" : file_of(path));
    x += frame.px(16);
  };
  menu("Budgets", budgets.paths.budget, "file", FileUse::budgets);
  menu("Baseline", budgets.paths.baseline, "baseline", FileUse::baseline);
  const float second = top + height + frame.px(2);
  const float left = box.left + gap + frame.px(2);
  const bool is_late = judged_.is_late() || frame.model.reading_budgets;
  std::string summary = "Judging…";
  if (prepared_for_ && !prepared_for_->error) {
    summary = report::budget::count_text(prepared_for_->verdicts);
  } else if (prepared_for_) {
    summary = "Not judged";
  }
  const float summary_top = second + std::round((height - font_size(fonts.strong)) / 2);
  draw_text_cut(frame, fonts.strong, left, summary_top, box.right - gap - left, colors.text,
                summary, CutAt::end);
  frame.inspector.record_value("budgets/summary", summary);
  if (prepared_for_ && !prepared_for_->error) {
    std::string run = budget_run_text(*prepared_for_, uses_selected_range_);
    if (is_late) run = "Judging again… " + run;
    if (!frame.model.selection.filters.empty()) run += ", without filters";
    const float rest = left + text_width(fonts.strong, summary) + frame.px(12);
    if (box.right - gap > rest) {
      draw_text_cut(frame, fonts.text, rest, summary_top, box.right - gap - rest, colors.dim, run,
                    CutAt::end);
    }
    frame.inspector.record_value("budgets/run", run);
  }
  horizontal_line(box.left, box.right, second + height + frame.px(3), colors.line);
  return second + height + frame.px(4);
}

float BudgetsView::draw_notes(Frame& frame, const Area& area,
                              const workspace::LoadedBudgets& budgets) const {
  std::vector<std::string> notes;
  if (budgets.baseline_error) notes.push_back(base::one_line(*budgets.baseline_error));
  if (!budgets.baseline && !budgets.baseline_error && budgets.file->needs_baseline()) {
    notes.push_back(
        "No baseline: budgets that compare with one are inconclusive. Choose one above; `dlview "
        "budget baseline` makes it.");
  }
  if (budgets.baseline && !budgets.baseline->accepted.empty()) {
    notes.push_back(fmt::format("Note of the baseline: {}", budgets.baseline->accepted));
  }
  if (prepared_for_ && !prepared_for_->error) {
    for (const std::string& note : prepared_for_->verdicts.notes) notes.push_back(note + ".");
  }
  float y = area.top;
  for (std::size_t n = 0; n < notes.size(); ++n) {
    const bool is_problem = n == 0 && !budgets.baseline;
    const Palette& colors = frame.palette();
    draw_text_cut(frame, frame.fonts().text, area.left + frame.px(2), y, area.width - frame.px(4),
                  is_problem ? colors.attention : colors.dim, notes[n], CutAt::end);
    frame.inspector.record_value(fmt::format("budgets/note/{}", n), notes[n]);
    y += line_height(frame.fonts().text) + frame.px(4);
  }
  return notes.empty() ? y : y + frame.px(4);
}

void BudgetsView::draw_rows(Frame& frame, const Box& box) {
  const Fonts& fonts = frame.fonts();
  const Palette& colors = frame.palette();
  fill(box, colors.panel, frame.px(kRounding));
  outline(box, colors.line, frame.px(kRounding));
  const float padding = frame.px(kPadding), height = frame.px(kRowHeight);
  const Area titles{box.left + padding, box.top + frame.px(8), box.width() - 2 * padding};
  const BudgetColumns columns = budget_columns(frame, titles, rows_);
  draw_text(fonts.small, columns.state, titles.top, colors.dim, "State");
  draw_text(fonts.small, columns.name, titles.top, colors.dim, "Budget");
  if (columns.has_bar) {
    draw_text_cut(frame, fonts.small, columns.bar, titles.top, columns.bar_right - columns.bar,
                  colors.dim, "Value as bar, limit as line, baseline as dot with its interval",
                  CutAt::end);
  }
  draw_text_right(fonts.small, columns.value_right, titles.top, colors.dim, "Value");
  draw_text(fonts.small, columns.limit, titles.top, colors.dim, "Limit");
  if (columns.baseline_right < columns.change_right) {
    draw_text_right(fonts.small, columns.baseline_right, titles.top, colors.dim, "Baseline");
    draw_text_right(fonts.small, columns.change_right, titles.top, colors.dim, "Change");
  }
  const float first = box.top + frame.px(kTitleHeight);
  horizontal_line(box.left, box.right, first, colors.line);
  ScrollArea scroll(frame, "budgets", {box.left, first + 1, box.right, box.bottom - 1});
  float y = first + frame.px(4) + scroll.area().top - (first + 1 + frame.px(kGap));
  const BudgetPlace* chosen = nullptr;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    const BudgetRow& row = rows_[r];
    const Box line{titles.left - frame.px(4), y, titles.right() + frame.px(4), y + height};
    const std::string path = fmt::format("budgets/{}", r);
    Hit hit;
    if (row.place) {
      hit = hit_area(frame, path, line);
    } else {
      hit.hovered = hovered(line);
      frame.inspector.record_item(path, item_rect(line));
    }
    if (hit.hovered) {
      fill(line, with_opacity(colors.text, 0.035f), frame.px(3));
      explain_budget(frame, row);
      if (row.place) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    }
    if (hit.clicked) chosen = &*row.place;
    const bool has_reason = !row.why.empty();
    const float text_top = std::round(
        has_reason ? line.top + frame.px(5) : (line.top + line.bottom - font_size(fonts.text)) / 2);
    const float middle_top = std::round((line.top + line.bottom - font_size(fonts.text)) / 2);
    const Box inner{titles.left, line.top, titles.right(), line.bottom};
    draw_state(frame, columns, inner, middle_top, row);
    draw_text_cut(frame, fonts.strong, columns.name, text_top, columns.name_right - columns.name,
                  colors.text, row.name, CutAt::middle);
    // A long reason takes the second line, below name and bar.
    Box bar_line = line;
    if (has_reason) {
      const float narrow = columns.name_right - columns.name;
      const bool is_long = text_width(fonts.small, row.why.front()) > narrow;
      if (is_long) bar_line.bottom = 2 * text_top + font_size(fonts.strong) - line.top;
      const float why_top = text_top + line_height(fonts.strong);
      draw_text_cut(frame, fonts.small, columns.name, why_top,
                    is_long ? columns.bar_right - columns.name : narrow, colors.dim,
                    row.why.front(), CutAt::end);
    }
    draw_bar(frame, columns, bar_line, row, path);
    draw_text_right(fonts.strong, columns.value_right, middle_top, colors.text, row.value);
    draw_text_cut(frame, fonts.text, columns.limit, middle_top,
                  (columns.baseline_right < columns.change_right
                       ? columns.baseline_right - text_width(fonts.text, row.baseline)
                       : titles.right()) -
                      columns.limit,
                  colors.dim, row.limit, CutAt::end);
    draw_text_right(fonts.text, columns.baseline_right, middle_top, colors.dim, row.baseline);
    draw_text_right(fonts.text, columns.change_right, middle_top, colors.dim, row.change);
    frame.inspector.record_value(path, fmt::format("{}: {} {}", row.state, row.name, row.value));
    if (has_reason) frame.inspector.record_value(path + "/why", row.why.front());
    y += height;
  }
  scroll.end_at(y);
  if (chosen != nullptr) go_to(frame.host, frame.model, *chosen);
}

// The iteration has its number in the split that was judged.
void BudgetsView::go_to(Host& host, const Model& model, const BudgetPlace& place) const {
  aggregate::Selection selection = prepared_for_->selection;
  selection.filters = place.filters;
  if (selection != model.selection) host.select(selection);
  if (place.iteration) host.select_iteration(place.iteration);
  host.show(place.view);
}

}  // namespace dlview::ui
