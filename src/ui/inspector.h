// Inspector: what the last frame showed, under stable names, for UI tests: values as they read on
// screen, and the rectangles of what can be clicked or dragged. Names look like paths:
// "nav/iterations", "dashboard/wall_time", "iterations/bound_start".
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace dlview::ui {

// Framebuffer pixels, origin at the top left.
struct ItemRect {
  float left = 0, top = 0, right = 0, bottom = 0;
  bool operator==(const ItemRect&) const = default;
};

class Inspector {
 public:
  void begin_frame();
  // A name recorded twice in one frame keeps its last value.
  void record_value(std::string_view name, std::string_view text);
  void record_item(std::string_view name, const ItemRect& rect);

  const std::map<std::string, std::string, std::less<>>& values() const { return values_; }
  const std::map<std::string, ItemRect, std::less<>>& items() const { return items_; }

 private:
  std::map<std::string, std::string, std::less<>> values_;
  std::map<std::string, ItemRect, std::less<>> items_;
};

}  // namespace dlview::ui
