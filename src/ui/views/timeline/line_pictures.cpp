#include "ui/views/timeline/line_pictures.h"

#include <functional>

#include "base/parallel.h"

namespace dlview::ui {

void LinePictures::begin(const timeline::Lanes* lanes, const timeline::TimeMap& map) {
  if (lanes_ == lanes && map_.window() == map.window() && map_.columns() == map.columns()) return;
  lanes_ = lanes;
  map_ = map;
  columns_ = timeline::ColumnTimes(map);
  lines_.clear();
  busy_.clear();
}

void LinePictures::prepare(const std::vector<const timeline::Line*>& lines,
                           const std::vector<const timeline::BusyTimes*>& busy) {
  std::vector<std::function<void()>> missing;
  for (const timeline::BusyTimes* times : busy) {
    const auto [entry, is_new] = busy_.try_emplace(times);
    if (!is_new) continue;
    missing.push_back([this, times, at = &entry->second] { *at = times->by_column(columns_); });
  }
  for (const timeline::Line* line : lines) {
    const auto [entry, is_new] = lines_.try_emplace(line);
    if (!is_new) continue;
    missing.push_back(
        [this, line, at = &entry->second] { *at = prepare_line(*line, lanes_->events, columns_); });
  }
  base::parallel_for(missing.size(), 1, [&missing](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) missing[i]();
  });
}

const timeline::LinePicture& LinePictures::of(const timeline::Line& line) {
  const auto [entry, is_new] = lines_.try_emplace(&line);
  if (is_new) entry->second = prepare_line(line, lanes_->events, columns_);
  return entry->second;
}

const std::vector<int64_t>& LinePictures::of(const timeline::BusyTimes& busy) {
  const auto [entry, is_new] = busy_.try_emplace(&busy);
  if (is_new) entry->second = busy.by_column(columns_);
  return entry->second;
}

}  // namespace dlview::ui
