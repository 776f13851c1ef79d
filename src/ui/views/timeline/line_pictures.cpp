#include "ui/views/timeline/line_pictures.h"

namespace dlview::ui {
namespace {

// The map stays as it is where there is room.
template <typename Map, typename Key>
auto& entry_of(Map& map, const Key& key) {
  const auto entry = map.find(&key);
  return entry != map.end() ? entry->second : map.try_emplace(&key).first->second;
}

}  // namespace

void LinePictures::begin(const timeline::Lanes* lanes, const timeline::TimeMap& map) {
  if (lanes_ == lanes && map_.window() == map.window() && map_.columns() == map.columns()) return;
  lanes_ = lanes;
  map_ = map;
  columns_ = timeline::ColumnTimes(map);
  lines_.clear();
  busy_.clear();
}

const timeline::LinePicture& LinePictures::of(const timeline::Line& line) {
  auto& picture = entry_of(lines_, line);
  if (!picture) picture = prepare_line(line, lanes_->events, columns_);
  return *picture;
}

const std::vector<int64_t>& LinePictures::of(const timeline::BusyTimes& busy) {
  auto& picture = entry_of(busy_, busy);
  if (!picture) picture = busy.by_column(columns_);
  return *picture;
}

}  // namespace dlview::ui
