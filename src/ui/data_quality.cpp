#include "ui/data_quality.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/units.h"
#include "ui/widgets/tooltip.h"

namespace dlview::ui {
namespace {

// An entry of two lines: what it is, and more about it.
float draw_entry(Frame& frame, const Area& area, std::string_view what, std::string_view more) {
  const Fonts& fonts = frame.fonts();
  float y = draw_wrapped(fonts.text, area, frame.palette().text, what);
  if (!more.empty()) {
    y = draw_prose(frame, fonts.small, area.below(y + frame.px(2)), frame.palette().dim,
                   find_links(more));
  }
  return y + frame.px(9);
}

float draw_title(Frame& frame, const Area& area, std::string_view title) {
  const ImFont* font = frame.fonts().strong;
  draw_text(font, area.left, area.top, frame.palette().text, title);
  return area.top + line_height(font) + frame.px(8);
}

std::string_view subject(const profile::Profile& profile, profile::Evidence evidence) {
  switch (evidence) {
    case profile::Evidence::gpu_work:
      return "GPU activity";
    case profile::Evidence::api_calls:
      return "CUDA API calls";
    case profile::Evidence::ranges:
      return profile::is_pytorch_trace(profile) ? profile::kNoOps : profile::kNoRanges;
    case profile::Evidence::data_loader:
      return "Data loader";
  }
  return "";
}

}  // namespace

void draw_quality_summary(Frame& frame, const Box& box, std::string_view text) {
  const ImFont* font = frame.fonts().small;
  const Palette& colors = frame.palette();
  const Hit hit = hit_area(frame, "status/quality", box);
  const Color color = hit.hovered ? colors.text : colors.dim;
  draw_text_in(font, box, color, text);
  const float icon = frame.px(11);
  draw_icon(Icon::info, box.right - icon / 2, (box.top + box.bottom) / 2, icon, color);
  if (hit.hovered) show_tooltip(frame, "Missing data and skipped rows\nClick to show data quality");
  if (hit.clicked) frame.host.show_overlay(Overlay::data_quality);
}

float draw_quality_list(Frame& frame, const Area& area) {
  const profile::Profile& profile = *frame.model.profile;
  float y = area.top;
  if (profile.quality.empty() && profile.not_recorded.empty()) {
    return draw_entry(frame, area, "Nothing is missing, and no row was skipped.", "");
  }
  const std::string damage = profile::file_damage(profile);
  if (!damage.empty()) {
    y = draw_entry(frame, area.below(draw_title(frame, area.below(y), "Damaged file")), damage, "");
    y += frame.px(6);
  }
  const auto has_rows = [](const profile::QualityNote& note) { return note.rows > 0; };
  const bool has_skipped = std::ranges::any_of(profile.quality, has_rows);
  if (has_skipped) y = draw_title(frame, area.below(y), "Skipped rows");
  for (const profile::QualityNote& note : profile.quality) {
    if (!has_rows(note)) continue;
    y = draw_entry(
        frame, area.below(y),
        fmt::format("{} · {}: {}", note.table, note.reason, base::format_count(note.rows)),
        note.first_example);
  }
  if (has_skipped) y += frame.px(6);
  if (!profile.not_recorded.empty()) y = draw_title(frame, area.below(y), "Not recorded");
  for (const profile::NotRecorded& item : profile.not_recorded) {
    y = draw_entry(frame, area.below(y), item.what, item.remedy);
  }
  return y;
}

std::string lack_text(const profile::Profile& profile, profile::Evidence evidence) {
  const profile::NotRecorded* lack = profile::find_lack(profile, evidence);
  return lack == nullptr
             ? ""
             : fmt::format("{} not recorded: {}", subject(profile, evidence), lack->remedy);
}

}  // namespace dlview::ui
