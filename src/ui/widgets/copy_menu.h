// CopyMenu: a right click on something offers to copy what it stands for, and to use it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "ui/widgets/canvas.h"
#include "ui/widgets/menu_cursor.h"

namespace dlview::ui {

class CopyMenu {
 public:
  // `name` is unique among the menus of the window.
  CopyMenu(Frame& frame, std::string_view name, const Box& box);
  ~CopyMenu();
  CopyMenu(const CopyMenu&) = delete;
  CopyMenu& operator=(const CopyMenu&) = delete;

  bool is_open() const { return cursor_.has_value(); }
  // While open. `text` is made when the item is chosen; recorded as "copy/<id>".
  void item(std::string_view id, std::string_view title, const std::function<std::string()>& text,
            bool enabled = true);
  // Something else than copying.
  void action(std::string_view id, std::string_view title, const std::function<void()>& run);

 private:
  bool draw_item(std::string_view id, std::string_view title, bool enabled);

  Frame& frame_;
  std::optional<MenuCursor> cursor_;
};

}  // namespace dlview::ui
