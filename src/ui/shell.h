// Shell: the window's contents. Navigation bar, the chosen view or a page that says why there is
// none, status bar. One draw() call builds one Dear ImGui frame; all coordinates are framebuffer
// pixels, so io.DisplaySize has to be the framebuffer's size and io.DisplayFramebufferScale 1.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "ui/background.h"
#include "ui/look.h"
#include "ui/model.h"
#include "ui/table/tables.h"
#include "ui/timeline/command.h"

namespace dlview::ui {

// Identifies a run while it is open.
using RunId = int;

class Shell {
 public:
  // Needs a current Dear ImGui context, and at destruction the OpenGL context that drew.
  explicit Shell(base::Scheduler& scheduler);
  ~Shell();
  Shell(const Shell&) = delete;
  Shell& operator=(const Shell&) = delete;

  // Takes theme and scale (1 = 96 dpi) into use; call between frames, before the first one too.
  // Returns whether the fonts were baked anew: the renderer's font texture must then be remade.
  bool set_look(ThemeKind theme, float scale);
  // The same for faces that the profile's texts need, beside those of the other runs; null = no
  // profile is open.
  bool set_texts(const std::shared_ptr<const profile::Profile>& profile);

  // Selects the run whose views all functions below act on; other runs' views do not change. Run 0
  // is selected first.
  void show_run(RunId run);
  // Frees the run's views. If it was selected, call show_run() before any other function.
  void close_run(RunId run);

  // Call between ImGui::NewFrame() and ImGui::Render().
  void draw(const Model& model, Host& host);

  // Tables are sorted and filtered in the background: true, once, when there is something new to
  // draw.
  bool poll();
  // Why such work failed, once.
  std::optional<base::Error> take_failure();
  // No such work waits or runs; settle() blocks until then.
  bool settled() const;
  void settle();
  // For the table that has the keyboard, with the next draw().
  void run(TableCommand command);
  void toggle_digits();
  // Steps of what zooms and pans, or parts of one.
  void run(timeline::Command command, double steps = 1);
  // Where the Timeline begins, once it is there.
  void set_timeline(const timeline::Request& request);
  // The part of the run that it shows; nothing while that is all of it.
  std::optional<timeline::TimeWindow> timeline_window() const;
  bool has_timeline_selection() const;
  bool timeline_measures() const;
  bool timeline_can_set_bookmark() const;
  bool timeline_is_side_by_side() const;
  // A text is searched for in it.
  bool is_searching_timeline() const;
  timeline::ColourBy timeline_colours() const;
  // Of the open profile; to be set when it has been opened, and kept when they are others.
  void set_bookmarks(timeline::Bookmarks bookmarks);
  const timeline::Bookmarks& bookmarks() const;
  // Takes effect with the next draw(); an unknown table is passed over.
  void set_table(TableState state);
  // Of the view's tables those that are not as at first.
  std::vector<TableState> table_states(ViewId view) const;
  // In the table that has the keyboard.
  bool has_selected_row(ViewId view) const;
  // Likewise, one that lies somewhere in the Timeline; and shows it there, with the next draws.
  bool can_show_row_in_timeline(ViewId view) const;
  void show_row_in_timeline();

  // What the last draw() put on screen.
  const Inspector& inspector() const;

  // True while something moves without input (progress of unknown length): draw again soon.
  bool animating() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace dlview::ui
