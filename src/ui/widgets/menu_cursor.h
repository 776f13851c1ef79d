// MenuCursor: the items of an open menu, one of which is lit: that to which the arrow keys, Home
// and End have come, or the mouse when it moves. A click on an item chooses it, or Enter on the lit
// one.
#pragma once

#include <string_view>

#include "ui/widgets/canvas.h"

namespace dlview::ui {

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

}  // namespace dlview::ui
