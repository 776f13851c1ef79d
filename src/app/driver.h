// Driver: plays a script of user input to a program without a window, for UI tests. One command in
// a line, words apart by blanks, empty lines and lines that begin with # are passed over:
//
//   command ID              runs a command of the registry
//   move X Y                moves the mouse; framebuffer pixels from the top left
//   down [BUTTON], up [BUTTON]   0 left (default), 1 right, 2 middle
//   click X Y, double-click X Y, right-click X Y
//   drag X1 Y1 X2 Y2 STEPS  a press, STEPS moves with a frame each, and the release
//   wheel N [ACROSS]        turns the wheel by N lines where the mouse is, and sideways
//   key CHORD               "Ctrl+2", "F12", "Enter"
//   hold KEY, release KEY   Ctrl, Shift, Alt or any other key, for the lines between
//   type TEXT               the rest of the line
//   drop PATH               drops a file onto the window
//   drop-together PATH...   drops several files at once; no path holds blanks
//   size W H, scale X       of the window and of its monitor
//   frames N                draws N frames
//   click-item NAME, double-click-item NAME, right-click-item NAME, move-item NAME
//                           at an item's center
//   drag-item NAME DX DY    from an item's center
//   state [FILE]            the state as JSON, by default on the output
//   screenshot FILE
//   restart                 ends the program and starts it again with the file that was open
//   close-all               closes all profiles
//   forget                  forgets which files were opened, and how they were looked at
//   no-wait LINE            runs LINE and draws a few frames, without waiting for background work
//
// After each other command frames are drawn until nothing changes any more.
#pragma once

#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/offscreen_program.h"
#include "base/result.h"

namespace dlview::app {

// Whether a line that fails ends the script or is skipped.
enum class BadLine { ends, is_passed_over };

class Driver {
 public:
  // `in_sandbox`: files with a relative path are deleted with the sandbox, and stderr says so.
  Driver(OffscreenProgram& offscreen, std::ostream& output, bool in_sandbox = false);

  // Returns the error of the first line that ended the script.
  base::Status run(std::istream& script, BadLine bad_line = BadLine::ends);
  base::Status run_line(std::string_view line);

  // The commands, one in a line with its arguments.
  static std::string script_help();

 private:
  using Words = std::vector<std::string>;
  struct Verb;
  static std::span<const Verb> verbs();

  base::Status run_verb(std::string_view line);
  base::Status command(const Words& words);
  base::Status move(const Words& words);
  base::Status button(const Words& words);
  base::Status click(const Words& words);
  base::Status drag(const Words& words);
  base::Status wheel(const Words& words);
  base::Status key(const Words& words);
  base::Status hold(const Words& words);
  base::Status type(const Words& words);
  base::Status drop(const Words& words);
  base::Status size(const Words& words);
  base::Status scale(const Words& words);
  base::Status frames(const Words& words);
  base::Status click_item(const Words& words);
  base::Status drag_item(const Words& words);
  base::Status state(const Words& words);
  base::Status screenshot(const Words& words);
  // Says so if the file is deleted with the sandbox.
  void warn_of_sandbox(const std::string& path) const;
  base::Status restart(const Words& words);
  base::Status forget(const Words& words);
  base::Status close_all(const Words& words);
  base::Status hurry(const Words& words);

  struct Point {
    float x = 0, y = 0;
  };
  struct Clicks {
    int times = 1, button = 0;
  };
  base::Result<Point> center_of(const std::string& item) const;
  void move_to(Point point);
  void press(int button, bool down);
  void click_at(Point point, Clicks clicks);
  // What the name of a verb says: click, double-click, right-click, or none for other names.
  static Clicks clicks_of(std::string_view verb);
  void drag_between(Point from, Point to, int steps);

  OffscreenProgram& offscreen_;
  std::ostream& output_;
  bool in_sandbox_;
};

}  // namespace dlview::app
