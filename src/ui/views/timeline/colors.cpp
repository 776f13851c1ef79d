#include "ui/views/timeline/colors.h"

#include <algorithm>
#include <cmath>
#include <span>

#include <fmt/format.h>

#include "base/units.h"
#include "profile/recorded.h"
#include "ui/text.h"
#include "ui/widgets/menu.h"
#include "ui/widgets/tooltip.h"

namespace dlview::ui {
namespace {

using timeline::Category;
using timeline::ColorBy;
using timeline::kColors;

// A fold of a few short events in a long time must be seen too.
constexpr float kFaintestFold = 0.4f;

Color color_of_others(const Palette& palette) {
  return mix(palette.outside, palette.text, 0.2f);
}

Color color_of(const Palette& palette, Category category) {
  switch (category) {
    case Category::tensor_core_kernel:
      return palette.tone(Tone::tensor_core_kernels);
    case Category::other_kernel:
      return palette.tone(Tone::other_kernels);
    case Category::unknown_kernel:
      return palette.tone(Tone::unknown);
    case Category::communication:
      return palette.tone(Tone::communication);
    case Category::memory:
      return palette.tone(Tone::memory);
    case Category::call:
      return palette.tone(Tone::cpu);
    case Category::sync:
      return mix(palette.tone(Tone::cpu), palette.text, 0.35f);
    case Category::op:
      return mix(palette.outside, palette.accent, 0.5f);
    case Category::backward_op:
      return mix(palette.outside, palette.tone(Tone::io), 0.5f);
    case Category::data_loader:
      return palette.tone(Tone::data_loader);
    case Category::group:
    case Category::range:
      return mix(palette.outside, palette.accent, 0.25f);
    case Category::os_call:
      return mix(palette.outside, palette.text, 0.35f);
    case Category::running:
      return mix(palette.outside, palette.text, 0.55f);
    case Category::frame:
      return mix(palette.outside, palette.tone(Tone::other), 0.45f);
    case Category::overhead:
      return palette.tone(Tone::other);
  }
  return palette.outside;
}

bool has(const timeline::Lanes& lanes, Category category) {
  return std::ranges::any_of(lanes.groups, [category](const timeline::LaneGroup& group) {
    return std::ranges::any_of(group.lanes, [category](const timeline::Lane& lane) {
      return std::ranges::any_of(
          lane.lines, [category](const timeline::Line& line) { return line.has(category); });
    });
  });
}

// Ranges, and work without an op, which stands behind all other work.
bool has_events_of_no_op(const timeline::Lanes& lanes) {
  const profile::Profile& profile = lanes.events.profile();
  const profile::OpInstances& instances = profile.instances;
  const auto has_more = [](const auto& table, const profile::Column<profile::Row>& first) {
    return table.size() > 0 && (first.size() == 0 || first[first.size() - 1] < table.size());
  };
  return has(lanes, Category::range) || has(lanes, Category::os_call) ||
         has(lanes, Category::running) || has(lanes, Category::frame) ||
         has(lanes, Category::overhead) ||
         (profile.trace && profile.trace->sync_events.size() > 0) ||
         has_more(profile.kernels, instances.first_kernel) ||
         has_more(profile.memory_ops, instances.first_memory_op) ||
         has_more(profile.syncs, instances.first_sync) ||
         has_more(profile.api_calls, instances.first_api_call);
}

// Of so many events the colors are there within a frame's time.
constexpr std::size_t kColoredAtOnce = 250'000;
constexpr float kSwatch = 9;
constexpr float kBesideSwatch = 6;
constexpr float kBetweenEntries = 16;
constexpr float kMostLabel = 150, kMostInTooltip = 420;

float entry_width(const Frame& frame, const EventColors::Entry& entry) {
  return frame.px(kSwatch + kBesideSwatch) +
         std::min(frame.px(kMostLabel), text_width(frame.fonts().small, entry.label));
}

// Returns its right edge.
float draw_entry(Frame& frame, float left, const Box& box, const EventColors::Entry& entry) {
  const ImFont* font = frame.fonts().small;
  const float size = frame.px(kSwatch);
  const float top = std::round((box.top + box.bottom - size) / 2);
  fill({left, top, left + size, top + size}, entry.color, frame.px(2));
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
std::size_t count_fitting(const Frame& frame, std::span<const EventColors::Entry> entries,
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

void show_whole(Frame& frame, const EventColors::Legend& legend) {
  const auto measure = [font = frame.fonts().text](std::string_view part) {
    return text_width(font, part);
  };
  std::vector<TooltipRow> rows;
  for (const EventColors::Entry& entry : legend.entries) {
    rows.push_back({cut_text(entry.label, frame.px(kMostInTooltip), CutAt::front, measure),
                    entry.time_ns > 0 ? base::format_duration(entry.time_ns) : "", "",
                    entry.color});
  }
  show_rows_tooltip(frame, "Colors", rows, legend.note);
}

}  // namespace

EventColors::EventColors(const Frame& frame, const timeline::Lanes& lanes, const OpColors* ops)
    : lanes_(lanes), ops_(ops) {
  const Palette& palette = frame.palette();
  if (ops_ == nullptr) {
    for (std::size_t i = 0; i < timeline::kCategoryCount; ++i) {
      colors_[i] = color_of(palette, static_cast<Category>(i));
    }
    return;
  }
  std::ranges::copy(palette.hues, colors_.begin());
  colors_[OpColors::kGroup] = color_of(palette, Category::group);
  colors_[OpColors::kOther] = color_of_others(palette);
}

EventColors::Legend EventColors::legend_of_categories() const {
  Legend legend;
  const auto add = [&](std::string label, Category category) {
    if (has(lanes_, category)) legend.entries.push_back({std::move(label), of(category)});
  };
  add("Tensor Core kernels", Category::tensor_core_kernel);
  add("Other kernels", Category::other_kernel);
  add("Tensor Core use unknown", Category::unknown_kernel);
  add("Communication", Category::communication);
  add("Memory", Category::memory);
  add(std::string(profile::gpu_api(lanes_.events.profile())), Category::call);
  add("Synchronization", Category::sync);
  add("Ops", Category::op);
  add("Backward", Category::backward_op);
  add("Data loader", Category::data_loader);
  // One color: a group has a box where no range stands for it.
  const bool has_ranges = has(lanes_, Category::range);
  const bool is_trace = profile::is_pytorch_trace(lanes_.events.profile());
  const std::string ranges = is_trace ? "Annotations" : "NVTX ranges";
  add(has_ranges ? ranges + " and groups" : "Groups of ops", Category::group);
  if (!has(lanes_, Category::group)) add(ranges, Category::range);
  add("OS calls", Category::os_call);
  add("Running on CPU", Category::running);
  add("Python frames", Category::frame);
  add("Profiler overhead", Category::overhead);
  return legend;
}

EventColors::Legend EventColors::legend() const {
  if (ops_ == nullptr) return legend_of_categories();
  const bool has_kernels = lanes_.events.profile().kernels.size() > 0;
  Legend legend{
      {},
      ops_->has_others() || has_events_of_no_op(lanes_),
      has_kernels ? "Kernel time in the whole run (sum)" : "CPU time in the whole run (sum)"};
  for (const OpColors::Entry& entry : ops_->entries()) {
    legend.entries.push_back({entry.name, color(entry.hue), entry.time_ns});
  }
  if (has(lanes_, Category::group))
    legend.entries.push_back({"Groups of ops", color(OpColors::kGroup)});
  if (legend.has_others) legend.entries.push_back({"Other", color(OpColors::kOther)});
  return legend;
}

Color color_of_fold(Color color, Color background, float share) {
  return mix(background, color,
             kFaintestFold + (1 - kFaintestFold) * std::clamp(share, 0.0f, 1.0f));
}

void ColorChoice::choose_next() {
  by_ = kColors[(static_cast<std::size_t>(by_) + 1) % kColors.size()].by;
}

void ColorChoice::update(const std::shared_ptr<const timeline::Lanes>& lanes,
                         Background& background) {
  if (by_ == ColorBy::category) return ops_.drop();
  ops_.want({lanes, by_}, event_count(*lanes) <= kColoredAtOnce, background,
            [lanes, by = by_](const base::Progress&) {
              return std::make_shared<const OpColors>(lanes, by);
            });
}

EventColors ColorChoice::colors(const Frame& frame, const timeline::Lanes& lanes) const {
  const OpColors* const ops = ops_.get().get();
  return {frame, lanes, ops != nullptr && ops->lanes().get() == &lanes ? ops : nullptr};
}

float ColorChoice::draw_menu(Frame& frame, float right, float top) {
  std::vector<MenuItem> items;
  for (const timeline::ColorByInfo& info : kColors) {
    MenuItem item{fmt::format("timeline/colors_{}", info.name), std::string(info.title)};
    item.checked = info.by == by_;
    item.run = [this, by = info.by] { choose(by); };
    items.push_back(std::move(item));
  }
  const std::string label = fmt::format("Colors: {}", info(by_).title);
  frame.inspector.record_value("timeline/colors", label);
  return ui::draw_menu(frame, "timeline/colors", label, right, top, items);
}

void draw_timeline_legend(Frame& frame, const Box& box, const EventColors::Legend& legend) {
  if (legend.entries.empty() || box.width() <= 0) return;
  const float gap = frame.px(kBetweenEntries);
  const std::span<const EventColors::Entry> all(legend.entries);
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
