#include "ui/navigation_bar.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/units.h"
#include "ui/chart/navigation.h"
#include "ui/model.h"
#include "ui/text.h"
#include "ui/view.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/menu.h"
#include "ui/widgets/tooltip.h"
#include "workspace/profile_facts.h"

namespace dlview::ui {
namespace {

constexpr float kNarrow = 1100;  // below it, all menus are one

constexpr float kTabPadding = 11, kTightTabPadding = 6;
constexpr std::string_view kMore = "More";
constexpr float kLeastSwitcherText = 60, kMostSwitcherText = 180;
constexpr float kSwitchLeft = 12, kSwitchMargin = 8;

struct Link {
  std::string_view id, title, url;
};
constexpr std::array<Link, 3> kHelpLinks{{
    {"help.dlprof", "DLProf user guide ↗",
     "https://docs.nvidia.com/deeplearning/frameworks/dlprof-user-guide/index.html"},
    {"help.viewer", "DLProf Viewer guide ↗",
     "https://docs.nvidia.com/deeplearning/frameworks/dlprof-viewer-user-guide/index.html"},
    {"help.mixed_precision", "Mixed-precision training guide ↗",
     "https://docs.nvidia.com/deeplearning/performance/mixed-precision-training/index.html"},
}};

std::string range_text(aggregate::IterationRange range) {
  if (range.size() == 1) return fmt::format("iteration {}", base::format_count(range.first));
  return fmt::format("{}–{}", base::format_count(range.first), base::format_count(range.last));
}

// Returns the right edge.
float draw_brand(Frame& frame, const Box& bar) {
  const ImFont* font = frame.fonts().strong;
  const float left = bar.left + frame.px(13);
  const float middle = (bar.top + bar.bottom) / 2;
  draw_brand_mark(frame, left, std::round(middle + frame.px(7)));
  const float text = left + frame.px(25);
  draw_text_in(font, {text, bar.top, bar.right, bar.bottom}, frame.palette().text, "dlview");
  const float right = text + text_width(font, "dlview");
  const Hit hit = hit_area(frame, "nav/brand", {bar.left, bar.top, right, bar.bottom});
  if (hit.clicked) frame.host.show(ViewId::dashboard);
  return right;
}

// "3× NVIDIA H100 · 12.4 s", or why there is no such thing.
std::string describe_run(const workspace::RunInfo& run) {
  if (run.waits) return "Waiting";
  if (run.progress && run.progress->total > 0) {
    return fmt::format("Opening… {:.0f}%", 100 * run.progress->fraction());
  }
  if (run.progress) return "Opening…";
  if (run.failed) return "Cannot be opened";
  if (!run.profile) return "";
  const profile::Profile& profile = *run.profile;
  const std::string length = base::format_duration(profile.last_ns - profile.first_ns);
  const std::string gpus = workspace::gpus_text(profile);
  return gpus.empty() ? length : fmt::format("{} · {}", gpus, length);
}

std::string_view name_of(const workspace::RunInfo& run) {
  return run.name.empty() ? std::string_view("No profile") : run.name;
}

// Which of several open profiles is shown; its name gives way to the tabs. Returns the right edge.
float draw_run_switcher(Frame& frame, const Box& bar, float left, float room) {
  const Model& model = frame.model;
  std::vector<MenuItem> items;
  for (std::size_t run = 0; run < model.runs.size(); ++run) {
    MenuItem item{fmt::format("run.{}", run), std::string(name_of(model.runs[run])),
                  describe_run(model.runs[run]), model.runs[run].path};
    item.chosen = run == model.active_run;
    item.run = [&host = frame.host, run] { host.show_run(run); };
    items.push_back(std::move(item));
  }
  const ImFont* font = frame.fonts().text;
  const std::string label =
      cut_text(name_of(model.runs[model.active_run]),
               std::clamp(room - menu_button_width(frame, ""), frame.px(kLeastSwitcherText),
                          frame.px(kMostSwitcherText)),
               CutAt::middle, [font](std::string_view text) { return text_width(font, text); });
  frame.inspector.record_value("nav/run", name_of(model.runs[model.active_run]));
  const float top = std::round(bar.top + (bar.height() - frame.px(kControlHeight)) / 2);
  const float right = left + menu_button_width(frame, label);
  draw_menu(frame, "nav/runs", label, right, top, items);
  return right;
}

// `padding` beside the title of each tab.
float tab_width(const Frame& frame, const TabInfo& tab, float padding) {
  return text_width(frame.fonts().text, tab.title) + 2 * frame.px(padding);
}

float tabs_width(const Frame& frame, std::span<const TabInfo* const> all,
                 float padding = kTabPadding) {
  float total = 0;
  for (const TabInfo* tab : all) total += tab_width(frame, *tab, padding);
  return total;
}

// As many of the tabs as fit; the others go into a menu.
std::size_t tab_count(const Frame& frame, std::span<const TabInfo* const> all, float padding,
                      float room) {
  if (tabs_width(frame, all, padding) <= room) return all.size();
  const TabInfo& current = info(info(frame.model.view).tab);
  float used = menu_button_width(frame, current.title) + frame.px(8);
  std::size_t count = 0;
  while (count < all.size() && used + tab_width(frame, *all[count], padding) <= room) {
    used += tab_width(frame, *all[count++], padding);
  }
  return count;
}

void draw_tab(Frame& frame, const Box& box, const TabInfo& tab) {
  const Palette& colors = frame.palette();
  const Hit hit = hit_area(frame, fmt::format("nav/{}", tab.name), box);
  const bool is_shown = info(frame.model.view).tab == tab.id;
  draw_text_in(frame.fonts().text, box, is_shown || hit.hovered ? colors.text : colors.dim,
               tab.title, true);
  if (is_shown) {
    fill({box.left, box.bottom - frame.px(2), box.right, box.bottom}, colors.accent);
  }
  if (hit.clicked) frame.host.show_tab(tab.id);
}

void draw_tabs(Frame& frame, const Box& bar, float left, float right) {
  const std::vector<const TabInfo*> all =
      tabs_of(*frame.model.profile, frame.model.ranks.has_value());
  const float room = right - left;
  const float padding = tabs_width(frame, all) <= room ? kTabPadding : kTightTabPadding;
  const std::size_t count = tab_count(frame, all, padding, room);
  float x = left;
  for (std::size_t i = 0; i < count; ++i) {
    const float width = tab_width(frame, *all[i], padding);
    draw_tab(frame, {x, bar.top, x + width, bar.bottom}, *all[i]);
    x += width;
  }
  const TabId current = info(frame.model.view).tab;
  frame.inspector.record_value("nav/tab", info(current).title);
  if (count == all.size()) return;
  std::vector<MenuItem> items;
  std::string_view label = kMore;
  for (std::size_t i = count; i < all.size(); ++i) {
    if (all[i]->id == current) label = all[i]->title;
    MenuItem item{command_of(*all[i]), all[i]->title, all[i]->shortcut};
    item.run = [&host = frame.host, id = all[i]->id] { host.show_tab(id); };
    items.push_back(std::move(item));
  }
  const float top = std::round(bar.top + (bar.height() - frame.px(kControlHeight)) / 2);
  draw_menu(frame, "nav/more", label, x + frame.px(4) + menu_button_width(frame, label), top,
            items);
}

// The commands of the range, then the aggregations that the file holds.
std::vector<MenuItem> range_items(Frame& frame) {
  std::vector<MenuItem> items = commands_of_menu(frame, "Range");
  const auto& stored = frame.model.profile->stored_aggregations;
  for (std::size_t i = 0; i < stored.size(); ++i) {
    const profile::StoredAggregation& aggregation = stored[i];
    const aggregate::IterationRange range{aggregation.first_iteration, aggregation.last_iteration};
    const aggregate::Selection selection{
        {aggregate::CutKind::stored, aggregation.key_op, i}, range, frame.model.selection.filters};
    MenuItem item;
    item.id = fmt::format("range.stored_{}", aggregation.id);
    item.title = fmt::format("Stored aggregation {}: {}", aggregation.id, range_text(range));
    item.tooltip = fmt::format("Iteration marker: {}\nBy {} on {}, {}",
                               aggregation.key_op.empty() ? "none" : aggregation.key_op,
                               aggregation.user, aggregation.host, aggregation.started);
    item.run = [&host = frame.host, selection] { host.select(selection); };
    items.push_back(std::move(item));
  }
  return items;
}

std::vector<MenuItem> help_items(Frame& frame) {
  std::vector<MenuItem> items = commands_of_menu(frame, "Help");
  for (const Link& link : kHelpLinks) {
    items.push_back({std::string(link.id), std::string(link.title), "", std::string(link.url), true,
                     [&host = frame.host, url = std::string(link.url)] { host.open_link(url); }});
  }
  return items;
}

// Returns the left edge of the button that ends at `right`.
float draw_theme_button(Frame& frame, float right, float top) {
  const Palette& colors = frame.palette();
  const float size = frame.px(kControlHeight);
  const Box box{right - size, top, right, top + size};
  const Hit hit = hit_area(frame, "nav/theme", box);
  const bool dark = frame.model.theme == ThemeKind::dark;
  draw_icon(dark ? Icon::sun : Icon::moon, (box.left + box.right) / 2, (box.top + box.bottom) / 2,
            frame.px(15), hit.hovered ? colors.text : colors.dim);
  if (hit.hovered) show_tooltip(frame, dark ? "Use light theme" : "Use dark theme");
  if (hit.clicked) frame.host.run_command("view.theme");
  return box.left;
}

bool is_narrow(const Frame& frame, const Box& bar) {
  return bar.width() < frame.px(kNarrow);
}

// Returns the left edge of the menus, which end at the bar's right edge. On a narrow bar there is
// one for all.
float draw_menus(Frame& frame, const Box& bar, float top) {
  const float gap = frame.px(8);
  float right = bar.right - frame.px(10);
  right = draw_theme_button(frame, right, top) - gap;
  if (is_narrow(frame, bar)) {
    // Without the commands of tabs, which are beside it.
    const auto is_tab = [](const MenuItem& item) {
      return std::ranges::any_of(tabs(),
                                 [&](const TabInfo& tab) { return item.id == command_of(tab); });
    };
    std::vector<MenuItem> all = commands_of_menu(frame, "File");
    for (const char* menu : {"View", "Timeline", "Table", "Help"}) {
      for (MenuItem& item : commands_of_menu(frame, menu)) {
        if (item.enabled && !is_tab(item)) all.push_back(std::move(item));
      }
    }
    return draw_menu(frame, "nav/menu", "Menu", right, top, all);
  }
  right = draw_menu(frame, "nav/help", "Help", right, top, help_items(frame)) - gap;
  // In every view, so that no menu moves.
  right =
      draw_menu(frame, "nav/table", "Table", right, top, commands_of_menu(frame, "Table")) - gap;
  right = draw_menu(frame, "nav/timeline_menu", "Timeline", right, top,
                    commands_of_menu(frame, "Timeline")) -
          gap;
  right = draw_menu(frame, "nav/view", "View", right, top, commands_of_menu(frame, "View")) - gap;
  return draw_menu(frame, "nav/file", "File", right, top, commands_of_menu(frame, "File"));
}

}  // namespace

void draw_navigation_bar(Frame& frame, const Box& bar) {
  fill(bar, frame.palette().panel);
  horizontal_line(bar.left, bar.right, bar.bottom - 1, frame.palette().line);
  const float brand_right = draw_brand(frame, bar);
  const bool is_open = frame.model.profile != nullptr && frame.model.aggregation != nullptr;
  const float top = std::round(bar.top + (bar.height() - frame.px(kControlHeight)) / 2);
  const float right = draw_menus(frame, bar, top);
  float tabs_left = brand_right + frame.px(18), tabs_right = right, tabs_room = 0;
  if (is_open) {
    const std::string label = "Range: " + range_text(current_range(frame.model));
    frame.inspector.record_value("nav/range", label);
    tabs_right =
        draw_menu(frame, "nav/range", label, right - frame.px(8), top, range_items(frame)) -
        frame.px(12);
    tabs_room = tabs_width(frame, tabs_of(*frame.model.profile, frame.model.ranks.has_value()));
  }
  if (frame.model.runs.size() > 1) {
    const float left = brand_right + frame.px(14), gap = frame.px(6);
    tabs_left = draw_run_switcher(frame, bar, left, tabs_right - tabs_room - gap - left) + gap;
  }
  if (is_open) draw_tabs(frame, bar, tabs_left, tabs_right);
}

float draw_view_switch(Frame& frame, const Box& box) {
  const ViewInfo& shown = info(frame.model.view);
  frame.inspector.record_value("view/shown", shown.name);
  const std::vector<const ViewInfo*> all =
      views_of(shown.tab, *frame.model.profile, frame.model.ranks.has_value());
  if (all.size() == 1) return box.top;
  const float margin = frame.px(kSwitchMargin);
  const float left = box.left + frame.px(kSwitchLeft), top = box.top + margin;
  std::vector<std::string> titles;
  for (const ViewInfo* view : all) titles.push_back(switch_title(*view));
  std::vector<Segment> segments;
  for (std::size_t i = 0; i < all.size(); ++i) segments.push_back({all[i]->name, titles[i]});
  const auto at = static_cast<std::size_t>(std::ranges::find(all, &shown) - all.begin());
  std::optional<std::size_t> chosen;
  if (left + segments_width(frame, segments) <= box.right - margin) {
    chosen = draw_segments(frame, "view", left, top, segments, at);
  } else {
    std::vector<MenuItem> items;
    for (std::size_t i = 0; i < all.size(); ++i) {
      MenuItem item{fmt::format("view.{}", all[i]->name), titles[i]};
      item.chosen = i == at;
      item.run = [&host = frame.host, id = all[i]->id] { host.show(id); };
      items.push_back(std::move(item));
    }
    draw_menu(frame, "view/menu", titles[at], left + menu_button_width(frame, titles[at]), top,
              items);
  }
  if (chosen) frame.host.show(all[*chosen]->id);
  return top + frame.px(kControlHeight);
}

}  // namespace dlview::ui
