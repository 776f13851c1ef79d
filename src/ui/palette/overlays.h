// Overlays above the view: the command palette, "Go to", the list of files, shortcuts, and the
// pages of help. Draws the one that the model names.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "ui/palette/card.h"
#include "ui/palette/search.h"
#include "ui/palette/shortcuts.h"

namespace dlview::ui {

class Overlays {
 public:
  // Call last in a frame, outside every window.
  void draw(Frame& frame);

 private:
  void draw_commands(Frame& frame);
  void draw_jump(Frame& frame);
  void choose(Frame& frame, const JumpTarget& target);
  void draw_files(Frame& frame);

  Overlay shown_ = Overlay::none;
  Finder finder_;
  ShortcutsPage shortcuts_;
  std::string definitions_search_;
  std::shared_ptr<const profile::Profile> indexed_;
  std::optional<JumpIndex> index_;
  std::optional<JumpTarget> subject_;  // an op or kernel that was chosen in "Go to"
};

}  // namespace dlview::ui
