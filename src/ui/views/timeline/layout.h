// Where the lanes stand, and what their lines look like, kept as long as nothing changes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "timeline/iteration_events.h"
#include "timeline/lanes.h"
#include "timeline/picture.h"

namespace dlview::ui {

// Where the lanes stand: headings of GPUs and threads, busy times and lines,
// from top to bottom. Pure.

enum class TimelineRowKind : uint8_t { heading, busy, line };

struct TimelineRow {
  TimelineRowKind kind = TimelineRowKind::heading;
  std::size_t group = 0, lane = 0, line = 0;
  float top = 0, bottom = 0;  // from the top of all rows
  bool is_folded = false;     // a heading whose lanes do not show
};

struct TimelineHeights {
  float heading = 0, busy = 0, line = 0;
  float between_lanes = 0;
  bool operator==(const TimelineHeights&) const = default;
};

struct TimelineLayout {
  std::vector<TimelineRow> rows;  // by top
  float height = 0;

  // The row at that height; null = none.
  const TimelineRow* at(float y) const;
  // Rows [first, last) that any of [top, bottom) shows.
  struct Range {
    std::size_t first = 0, last = 0;
  };
  Range visible(float top, float bottom) const;
  // The row of a line; null where its group is folded away.
  const TimelineRow* find(const timeline::Place& place) const;
};

// Of a group whose id is in `folded` only the heading stays. With `lines` only so many of each
// lane, and no group without any.
TimelineLayout lay_out(const timeline::Lanes& lanes, const std::set<std::string>& folded,
                       const TimelineHeights& heights, const timeline::LineCounts* lines = nullptr);

// The layout, made anew where it would be another: there may be thousands of rows.
class KeptLayout {
 public:
  void update(const std::shared_ptr<const timeline::Lanes>& lanes,
              const std::set<std::string>& folded, const TimelineHeights& heights,
              const std::shared_ptr<const timeline::LineCounts>& lines = nullptr);
  const TimelineLayout& operator*() const { return layout_; }
  const TimelineLayout* operator->() const { return &layout_; }

 private:
  std::shared_ptr<const timeline::Lanes> lanes_;
  std::set<std::string> folded_;
  TimelineHeights heights_;
  std::shared_ptr<const timeline::LineCounts> lines_;
  TimelineLayout layout_;
};

// What lines and busy times look like, kept as long as the window stays.
class LinePictures {
 public:
  // Forgets all when lanes, window or columns are others.
  void begin(const timeline::Lanes* lanes, const timeline::TimeMap& map);
  // Of the window of begin().
  const timeline::ColumnTimes& columns() const { return columns_; }
  // Prepared now, unless they are there. Of different ones on any threads once there is room for
  // them.
  void make_room(const timeline::Line& line) { lines_.try_emplace(&line); }
  void make_room(const timeline::BusyTimes& busy) { busy_.try_emplace(&busy); }
  const timeline::LinePicture& of(const timeline::Line& line);
  const std::vector<int64_t>& of(const timeline::BusyTimes& busy);

 private:
  const timeline::Lanes* lanes_ = nullptr;
  timeline::TimeMap map_{{}, 1};
  timeline::ColumnTimes columns_{map_};
  std::unordered_map<const timeline::Line*, std::optional<timeline::LinePicture>> lines_;
  std::unordered_map<const timeline::BusyTimes*, std::optional<std::vector<int64_t>>> busy_;
};

}  // namespace dlview::ui
