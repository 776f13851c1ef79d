#include "ui/views/timeline/colour_choice.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/units.h"
#include "ui/widgets/menu.h"
#include "ui/text.h"
#include "ui/widgets/tooltip.h"

namespace dlview::ui {
namespace {

using timeline::ColourBy;
using timeline::kColours;

// Of so many events the colours are there within a frame's time.
constexpr std::size_t kColouredAtOnce = 250'000;
constexpr float kSwatch = 9;
constexpr float kBesideSwatch = 6;
constexpr float kBetweenEntries = 16;
constexpr float kMostLabel = 150, kMostInTooltip = 420;

float entry_width(const Frame& frame, const EventColours::Entry& entry) {
  return frame.px(kSwatch + kBesideSwatch) +
         std::min(frame.px(kMostLabel), text_width(frame.fonts().small, entry.label));
}

// Returns its right edge.
float draw_entry(Frame& frame, float left, const Box& box, const EventColours::Entry& entry) {
  const ImFont* font = frame.fonts().small;
  const float size = frame.px(kSwatch);
  const float top = std::round((box.top + box.bottom - size) / 2);
  fill({left, top, left + size, top + size}, entry.colour, frame.px(2));
  const float width = entry_width(frame, entry);
  const auto measure = [font](std::string_view part) { return text_width(font, part); };
  const float text = left + frame.px(kSwatch + kBesideSwatch);
  draw_text_in(font, {text, box.top, left + width, box.bottom}, frame.palette().dim,
               cut_text(entry.label, left + width - text + 1, CutAt::front, measure));
  return left + width;
}

std::string more_text(std::size_t count) {
  return fmt::format("+{}", count);
}

// The first ones that have room, and room for what tells of the others.
std::size_t count_fitting(const Frame& frame, std::span<const EventColours::Entry> entries,
                          float room) {
  const float gap = frame.px(kBetweenEntries);
  const float more = text_width(frame.fonts().small, more_text(entries.size())) + gap;
  float width = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    width += entry_width(frame, entries[i]) + gap;
    const bool is_last = i + 1 == entries.size();
    if (width - gap + (is_last ? 0 : more) > room) return i;
  }
  return entries.size();
}

void show_whole(Frame& frame, const EventColours::Legend& legend) {
  const auto measure = [font = frame.fonts().text](std::string_view part) {
    return text_width(font, part);
  };
  std::vector<TooltipRow> rows;
  for (const EventColours::Entry& entry : legend.entries) {
    rows.push_back({cut_text(entry.label, frame.px(kMostInTooltip), CutAt::front, measure),
                    entry.time_ns > 0 ? base::format_duration(entry.time_ns) : "", "",
                    entry.colour});
  }
  show_rows_tooltip(frame, "What the colours tell", rows, legend.note);
}

}  // namespace

void ColourChoice::choose_next() {
  by_ = kColours[(static_cast<std::size_t>(by_) + 1) % kColours.size()].by;
}

void ColourChoice::update(const std::shared_ptr<const timeline::Lanes>& lanes,
                          Background& background) {
  if (by_ == ColourBy::category) return ops_.drop();
  ops_.want({lanes, by_}, event_count(*lanes) <= kColouredAtOnce, background,
            [lanes, by = by_](const base::Progress&) {
              return std::make_shared<const timeline::OpColours>(lanes, by);
            });
}

EventColours ColourChoice::colours(const Frame& frame, const timeline::Lanes& lanes) const {
  const timeline::OpColours* const ops = ops_.get().get();
  return {frame, lanes, ops != nullptr && ops->lanes().get() == &lanes ? ops : nullptr};
}

float ColourChoice::draw_menu(Frame& frame, float right, float top) {
  std::vector<MenuItem> items;
  for (const timeline::ColourByInfo& info : kColours) {
    MenuItem item{fmt::format("timeline/colours_{}", info.name), std::string(info.title)};
    item.checked = info.by == by_;
    item.run = [this, by = info.by] { choose(by); };
    items.push_back(std::move(item));
  }
  const std::string label = fmt::format("Colours: {}", info(by_).title);
  frame.inspector.record_value("timeline/colours", label);
  return ui::draw_menu(frame, "timeline/colours", label, right, top, items);
}

void draw_timeline_legend(Frame& frame, const Box& box, const EventColours::Legend& legend) {
  if (legend.entries.empty() || box.width() <= 0) return;
  const float gap = frame.px(kBetweenEntries);
  const std::span<const EventColours::Entry> all(legend.entries);
  const auto named = all.first(all.size() - (legend.has_others ? 1 : 0));
  const float others = legend.has_others ? entry_width(frame, all.back()) + gap : 0;
  const std::size_t fitting = count_fitting(frame, named, box.width() - others);
  float left = box.left;
  for (std::size_t i = 0; i < fitting; ++i) {
    left = draw_entry(frame, left, box, named[i]) + gap;
    frame.inspector.record_value(fmt::format("timeline/legend/{}", i), named[i].label);
  }
  if (fitting < named.size()) {
    const std::string more = more_text(named.size() - fitting);
    draw_text_in(frame.fonts().small, {left, box.top, box.right, box.bottom}, frame.palette().dim,
                 more);
    left += text_width(frame.fonts().small, more) + gap;
  }
  if (legend.has_others && left + others - gap <= box.right) {
    left = draw_entry(frame, left, box, all.back()) + gap;
    frame.inspector.record_value(fmt::format("timeline/legend/{}", fitting), all.back().label);
  }
  if (hovered({box.left, box.top, left - gap, box.bottom})) show_whole(frame, legend);
}

}  // namespace dlview::ui
