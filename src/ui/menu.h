// Menus below buttons: commands of the registry, links, what a table offers. The arrow keys walk an
// open one and Enter runs what they have come to.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "ui/widgets/canvas.h"

namespace dlview::ui {

struct MenuItem {
  std::string id;  // inspector name below "menu/"
  std::string title;
  std::string hint = {};  // dim, at the right: a shortcut
  std::string tooltip = {};
  bool enabled = true;
  std::function<void()> run = {};
  std::optional<bool> checked = {};  // with it the entry has a check mark, and the menu stays open
};

// A button, recorded under `name`, with its popup; returns the left edge of the button, which ends
// at `right`.
float draw_menu(Frame& frame, std::string_view name, std::string_view label, float right, float top,
                const std::vector<MenuItem>& items);

// The commands that name this menu.
std::vector<MenuItem> commands_of_menu(Frame& frame, std::string_view menu);

}  // namespace dlview::ui
