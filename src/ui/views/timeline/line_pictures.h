// LinePictures: what lines and utilizations look like, prepared on all cores and kept as long as
// the window stays.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "ui/timeline/lanes.h"
#include "ui/timeline/picture.h"

namespace dlview::ui {

class LinePictures {
 public:
  // Forgets all when lanes, window or columns are others.
  void begin(const timeline::Lanes* lanes, const timeline::TimeMap& map);
  // Those of several lines and GPUs at once.
  void prepare(const std::vector<const timeline::Line*>& lines,
               const std::vector<const timeline::BusyTimes*>& busy);
  // Of the window of begin().
  const timeline::ColumnTimes& columns() const { return columns_; }
  // Of what has been prepared; on any thread.
  const timeline::LinePicture& at(const timeline::Line& line) const { return lines_.at(&line); }
  const std::vector<int64_t>& at(const timeline::BusyTimes& busy) const { return busy_.at(&busy); }
  // Prepared now, unless they are there.
  const timeline::LinePicture& of(const timeline::Line& line);
  const std::vector<int64_t>& of(const timeline::BusyTimes& busy);

 private:
  const timeline::Lanes* lanes_ = nullptr;
  timeline::TimeMap map_{{}, 1};
  timeline::ColumnTimes columns_{map_};
  std::unordered_map<const timeline::Line*, timeline::LinePicture> lines_;
  std::unordered_map<const timeline::BusyTimes*, std::vector<int64_t>> busy_;
};

}  // namespace dlview::ui
