#include "ui/views/timeline/event_labels.h"

#include <cstddef>

#include <fmt/format.h>

#include "profile/display_name.h"
#include "profile/python_frames.h"

namespace dlview::ui {

std::string event_label(std::string_view name, float room, const MeasureText& measure) {
  if (measure(name) <= room) return std::string(name);
  const std::string_view bare = profile::bare_range_name(name);
  const std::string marked = std::string(bare) + "…";
  if (bare.size() < name.size() && measure(marked) <= room) return marked;
  return cut_text(bare, room, CutAt::middle, measure);
}

std::string frame_label(std::string_view name, float room, const MeasureText& measure) {
  const profile::FrameName parts = profile::split_frame_name(name);
  const std::string_view file = parts.file.substr(parts.file.find_last_of("/\\") + 1);
  const std::string whole = fmt::format("{} · {}:{}", parts.function, file, parts.line);
  if (!file.empty() && measure(whole) <= room) return whole;
  return cut_text(profile::bare_function(parts.function), room, CutAt::middle, measure);
}

std::string size_label(std::string_view size_text, float room, const MeasureText& measure) {
  if (measure(size_text) <= room) return std::string(size_text);
  const std::string_view kind = size_text.substr(0, size_text.find(' '));
  return measure(kind) <= room ? std::string(kind) : "";
}

}  // namespace dlview::ui
