// LinePictures: what lines and busy times look like, kept as long as the window stays.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "ui/timeline/lanes.h"
#include "ui/timeline/picture.h"

namespace dlview::ui {

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
