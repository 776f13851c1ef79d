// Menus: of commands, links and what a table offers below a button, and of what can be done with
// something on a right click.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "ui/widgets/canvas.h"

namespace dlview::ui {

// The items of an open menu, one of which is lit: that to which the arrow keys, Home and End have
// come, or the mouse when it moves. A click on an item chooses it, or Enter on the lit one.
class MenuCursor {
 public:
  // In the popup's window, each frame before its items. No item is lit when the popup appears.
  MenuCursor();
  ~MenuCursor();
  MenuCursor(const MenuCursor&) = delete;
  MenuCursor& operator=(const MenuCursor&) = delete;

  struct Item {
    bool hovered = false, chosen = false;
  };
  // The next item from top to bottom: its ground is drawn. The keys pass over one that is not
  // enabled. `name` as in hit_area().
  Item item(Frame& frame, std::string_view name, const Box& row, bool enabled);

 private:
  int& kept(const char* name) const;

  int count_ = 0;  // enabled items so far
  int lit_;        // of these; -1 = none
  bool by_keys_;   // it was lit by a key in this frame
};

// A right click on something offers to copy what it stands for, and to use it.
class CopyMenu {
 public:
  // `name` is unique among the menus of the window. Besides a right click, the keyboard opens it
  // (ui/widgets/focus.h), and `opens` does.
  CopyMenu(Frame& frame, std::string_view name, const Box& box, bool opens = false);
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

// Menus below buttons: commands of the registry, links, what a table offers. The arrow keys walk an
// open one and Enter runs what they have come to.

struct MenuItem {
  std::string id;  // inspector name below "menu/"
  std::string title;
  std::string hint = {};  // dim, at the right: a shortcut
  std::string tooltip = {};
  bool enabled = true;
  std::function<void()> run = {};
  std::optional<bool> checked = {};  // with it the entry has a check mark, and the menu stays open
  std::optional<bool> chosen = {};   // of several one is: a mark too, but the menu closes
};

// A button, recorded under `name`, with its popup; returns the left edge of the button, which ends
// at `right`.
float draw_menu(Frame& frame, std::string_view name, std::string_view label, float right, float top,
                const std::vector<MenuItem>& items);

// An item for a command of the registry, with its title and shortcut, that runs it; recorded as
// "menu/<id>". Where there is no such command, its id stands for the title.
MenuItem command_item(Frame& frame, std::string_view command, std::string id);
// The commands that name this menu.
std::vector<MenuItem> commands_of_menu(Frame& frame, std::string_view menu);

}  // namespace dlview::ui
