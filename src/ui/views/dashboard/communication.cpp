#include "ui/views/dashboard/communication.h"

#include <cmath>

#include <fmt/format.h>

#include "ui/chart/categories.h"
#include "ui/views/dashboard/shares.h"
#include "ui/widgets/number.h"

namespace dlview::ui {
namespace {

constexpr float kLaneHeight = 8;
constexpr float kSwatch = 15;  // with the space behind it
constexpr float kBetween = 28;

float entry_width(const Frame& frame, const BarPart& part, bool has_swatch) {
  const Fonts& fonts = frame.fonts();
  return (has_swatch ? frame.px(kSwatch) : 0) + text_width(fonts.text, part.label) + frame.px(8) +
         text_width(fonts.strong, part.share) + frame.px(5) + text_width(fonts.text, part.value);
}

void draw_entry(Frame& frame, const Box& box, const BarPart& part, Colour swatch) {
  const Fonts& fonts = frame.fonts();
  const Palette& colours = frame.palette();
  float x = box.left;
  if (swatch != 0) {
    const float half = frame.px(4);
    const float middle = std::round((box.top + box.bottom) / 2);
    fill({x, middle - half, x + 2 * half, middle + half}, swatch, frame.px(2));
    x += frame.px(kSwatch);
  }
  draw_text(fonts.text, x, box.top, colours.text, part.label);
  x += text_width(fonts.text, part.label) + frame.px(8);
  draw_text(fonts.strong, x, box.top, colours.text, part.share);
  x += text_width(fonts.strong, part.share) + frame.px(5);
  draw_text(fonts.text, x, box.top, colours.dim, part.value);
  const std::string path = "dashboard/breakdown/" + part.id;
  explain_number(frame, path, box, {part.label, part.full, part.metric});
  frame.inspector.record_value(path, fmt::format("{} {}", part.share, part.value));
}

}  // namespace

std::vector<BarPart> prepare_communication(const aggregate::Aggregation& aggregation) {
  if (!aggregation.iteration_table->has_communication) return {};
  const auto part = [&](std::string_view id, std::string_view label, int64_t device_sum_ns) {
    return timed_part(id, label, id, Tone::communication,
                      mean_over_devices(aggregation, device_sum_ns),
                      aggregation.share(device_sum_ns));
  };
  const aggregate::CommunicationTime& time = aggregation.communication;
  return {part("communication", "Communication", time.ns),
          part("communication_exposed", "exposed", time.exposed_ns),
          part("communication_overlapped", "overlapped", time.overlapped_ns())};
}

float draw_communication(Frame& frame, const Area& area, const std::vector<BarPart>& parts) {
  horizontal_line(area.left, area.right(), area.top, frame.palette().line);
  const float top = area.top + frame.px(12);
  const Box lane{area.left, top, area.right(), top + frame.px(kLaneHeight)};
  draw_communication_lane(frame, lane, {parts[1].fraction, parts[2].fraction});
  const auto swatches = communication_colours(frame.palette());
  const float height = line_height(frame.fonts().text);
  float x = area.left;
  float y = lane.bottom + frame.px(8);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const float width = entry_width(frame, parts[i], i > 0);
    if (x > area.left && x + width > area.right()) {
      x = area.left;
      y += height + frame.px(4);
    }
    draw_entry(frame, {x, y, x + width, y + height}, parts[i], i > 0 ? swatches[i - 1] : 0);
    x += width + frame.px(kBetween);
  }
  return y + height;
}

}  // namespace dlview::ui
