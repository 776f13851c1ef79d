// FirstPage: what the window shows while no profile is open. Recent profiles at the left; what can
// be opened and how to record it at the right, or below where there is no room.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ui/widgets/canvas.h"

namespace dlview::ui {

class FirstPage {
 public:
  void draw(Frame& frame, const Box& box);
  // The last draw() took a click on another tab, which it does not show yet: draw again.
  bool has_changed() const { return recipe_ != shown_recipe_; }

 private:
  std::size_t recipe_ = 0;  // the tab of "Record a profile"
  std::size_t shown_recipe_ = 0;
};

// "just now", "5 min ago", "3 h ago", "yesterday", "12 days ago" or a date; UNIX times. Empty where
// one of them is unknown (0). Pure.
std::string age_text(int64_t then_s, int64_t now_s);

// "~/runs/a.sqlite" of a path below the home folder. Pure.
std::string shorten_home(std::string_view path, std::string_view home);

// A command in lines that fit into `width`, as a shell takes them: all but the last end with " \".
// Pure.
std::string wrap_command(std::string_view command, float width, const MeasureText& measure);

}  // namespace dlview::ui
