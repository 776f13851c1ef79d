// Shell: the window's contents. Navigation bar, the chosen view or a page that says why there is
// none, status bar. One draw() call builds one Dear ImGui frame; all coordinates are framebuffer
// pixels, so io.DisplaySize has to be the framebuffer's size and io.DisplayFramebufferScale 1.
#pragma once

#include <memory>
#include <optional>

#include "ui/background.h"
#include "ui/look.h"
#include "ui/model.h"
#include "workspace/look.h"

namespace dlview::ui {

class RunViews;

class Shell final : public workspace::Looks {
 public:
  // Needs a current Dear ImGui context, and at destruction the OpenGL context that drew.
  explicit Shell(base::Scheduler& scheduler);
  ~Shell() override;
  Shell(const Shell&) = delete;
  Shell& operator=(const Shell&) = delete;

  // Sets theme, scale (1 = 96 dpi) and palette; call between frames, before the first one too.
  // Returns whether the fonts were baked again: the renderer's font texture must then be remade.
  bool set_look(ThemeKind theme, float scale, PaletteKind kind = PaletteKind::standard);
  // The same for faces that the profile's texts need, beside those of the other runs; null = no
  // profile is open in the run. They are looked for in the background: call before each frame.
  bool set_texts(workspace::RunId run, const std::shared_ptr<const profile::Profile>& profile);

  // The run's views; made by the first call, they stay until close_run().
  RunViews& run_views(workspace::RunId run);
  workspace::RunLook& look(workspace::RunId run) override;
  void clear(workspace::RunId run) override;
  void close_run(workspace::RunId run) override;
  std::string view_named(std::string_view name) const override;

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
  // Keyboard focus (ui/widgets/focus.h): goes `by` controls on.
  void step_focus(int by);
  bool has_focus_ring() const;
  // The control with the ring uses arrows and Enter itself.
  bool focus_takes_keys() const;
  // Whether Escape belongs to the control with the ring.
  bool focus_keeps_escape() const;
  void hide_focus();
  void open_context_menu();  // of the control with the ring

  // For the table that has the keyboard, with the next draw().
  void run(TableCommand command);
  void toggle_digits();
  // The selected row of the table that has the keyboard, with the next draws.
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
