#include "ui/navigation_bar.h"

#include <array>

#include <fmt/format.h>

#include "base/units.h"
#include "ui/chart/current_range.h"
#include "ui/menu.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/tooltip.h"

namespace dlview::ui {
namespace {

constexpr float kNarrow = 780;  // below it, all menus are one

struct ViewEntry {
  ViewId view;
  std::string_view id, title;
};
constexpr std::array<ViewEntry, 2> kViews{{{ViewId::dashboard, "dashboard", "Dashboard"},
                                           {ViewId::iterations, "iterations", "Iterations"}}};

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
  return fmt::format("{} – {}", base::format_count(range.first), base::format_count(range.last));
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

void draw_views(Frame& frame, const Box& bar, float left) {
  const Palette& colours = frame.palette();
  const ImFont* font = frame.fonts().text;
  float x = left;
  for (const ViewEntry& entry : kViews) {
    const float width = text_width(font, entry.title) + 2 * frame.px(12);
    const Box tab{x, bar.top, x + width, bar.bottom};
    const Hit hit = hit_area(frame, fmt::format("nav/{}", entry.id), tab);
    const bool is_shown = frame.model.view == entry.view;
    draw_text_in(font, tab, is_shown || hit.hovered ? colours.text : colours.dim, entry.title,
                 true);
    if (is_shown) {
      fill({tab.left, tab.bottom - frame.px(2), tab.right, tab.bottom}, colours.accent);
      frame.inspector.record_value("nav/view", entry.title);
    }
    if (hit.clicked) frame.host.show(entry.view);
    x += width;
  }
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
    item.tooltip = fmt::format("Key op: {}\nBy {} on {}, {}",
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
  const Palette& colours = frame.palette();
  const float size = frame.px(kControlHeight);
  const Box box{right - size, top, right, top + size};
  const Hit hit = hit_area(frame, "nav/theme", box);
  const bool dark = frame.model.theme == ThemeKind::dark;
  draw_icon(dark ? Icon::sun : Icon::moon, (box.left + box.right) / 2, (box.top + box.bottom) / 2,
            frame.px(15), hit.hovered ? colours.text : colours.dim);
  if (hit.hovered) show_tooltip(frame, dark ? "Light colours" : "Dark colours");
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
    std::vector<MenuItem> all = commands_of_menu(frame, "File");
    for (const char* menu : {"View", "Help"}) {
      for (MenuItem& item : commands_of_menu(frame, menu)) all.push_back(std::move(item));
    }
    return draw_menu(frame, "menu", "Menu", right, top, all);
  }
  right = draw_menu(frame, "help", "Help", right, top, help_items(frame)) - gap;
  right = draw_menu(frame, "view", "View", right, top, commands_of_menu(frame, "View")) - gap;
  return draw_menu(frame, "file", "File", right, top, commands_of_menu(frame, "File"));
}

}  // namespace

void draw_navigation_bar(Frame& frame, const Box& bar) {
  fill(bar, frame.palette().panel);
  horizontal_line(bar.left, bar.right, bar.bottom - 1, frame.palette().line);
  const float brand_right = draw_brand(frame, bar);
  const bool is_open = frame.model.profile != nullptr && frame.model.aggregation != nullptr;
  if (is_open) draw_views(frame, bar, brand_right + frame.px(22));

  const float top = std::round(bar.top + (bar.height() - frame.px(kControlHeight)) / 2);
  const float right = draw_menus(frame, bar, top);
  if (!is_open) return;
  const std::string range = range_text(current_range(frame.model));
  const std::string label = is_narrow(frame, bar) ? range : "Aggregation: " + range;
  frame.inspector.record_value("nav/range", label);
  draw_menu(frame, "range", label, right - frame.px(8), top, range_items(frame));
}

}  // namespace dlview::ui
