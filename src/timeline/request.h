// What is asked of the timeline and what of it is worth remembering: where it begins, its colors,
// its bookmarks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profile/rows.h"
#include "timeline/time_window.h"

namespace dlview::timeline {

// What the colors of events tell.
enum class ColorBy : uint8_t { category, op_type, op, direction };
struct ColorByInfo {
  ColorBy by;
  std::string_view name;   // in a state string: "op_type"
  std::string_view title;  // "Op type"
};
inline constexpr std::array<ColorByInfo, 4> kColors{{
    {ColorBy::category, "category", "Category"},
    {ColorBy::op_type, "op_type", "Op type"},
    {ColorBy::op, "op", "Op name"},
    {ColorBy::direction, "direction", "Direction"},
}};
constexpr const ColorByInfo& info(ColorBy by) {
  return kColors[static_cast<std::size_t>(by)];
}

// What to show at first: an iteration of the cut, or a window. If `side_by_side`, the two compared
// iterations are shown and the window is relative to their starts.
struct Request {
  std::optional<TimeWindow> window;
  std::optional<int64_t> iteration;
  std::optional<ColorBy> colors = std::nullopt;
  // What to select, and to show with room around it: a stretch of time, a kernel or an op instance.
  std::optional<TimeWindow> stretch = std::nullopt;
  std::optional<profile::KernelIndex> kernel = std::nullopt;
  std::optional<profile::InstanceIndex> instance = std::nullopt;
  std::optional<profile::DeviceIndex> device = std::nullopt;  // whose lanes are scrolled to
  bool is_gap = false;         // in the stretch the device is idle, which is marked on its lanes
  bool python_frames = false;  // shows them, and reads them first; false = as it is
  bool side_by_side = false;
  bool operator==(const Request&) const = default;
};

// Bookmarks of a run: times that a reader wants to come back to, with a note. In order of time.

struct Bookmark {
  TimeWindow time;    // of the selection, or all that was visible
  TimeWindow window;  // that was visible
  std::string note = {};
  bool operator==(const Bookmark&) const = default;
};

using Bookmarks = std::vector<Bookmark>;

// Inserts the bookmark in order of time and returns its index. If one of the same time exists, that
// one is kept, with its note.
std::size_t add_bookmark(Bookmarks& bookmarks, const Bookmark& bookmark);

}  // namespace dlview::timeline
