// OffscreenProgram: the program without a window, drawing into a framebuffer through EGL. It moves
// in frames of a sixtieth of a second, so the same input gives the same pictures.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "app/program.h"
#include "base/result.h"
#include "base/scheduler.h"
#include "render/framebuffer.h"
#include "render/image.h"
#include "render/offscreen_context.h"

namespace dlview::app {

class OffscreenProgram {
 public:
  // `before_each_job`: of its scheduler.
  static base::Result<std::unique_ptr<OffscreenProgram>> create(
      int width, int height, const ProgramOptions& options, ProgramHooks hooks,
      std::function<void()> before_each_job = [] {});

  Program& program() { return *program_; }
  const Program& program() const { return *program_; }

  // Draws one frame.
  void draw();
  // Waits for what is loading or being computed and draws until nothing changes any more.
  void draw_until_settled();
  // False: from now on draw_until_settled() waits for nothing and draws a few frames.
  void set_waits(bool waits) { waits_ = waits; }
  // Hands over events and draws until they are used up and nothing changes any more.
  void play(const std::vector<render::InputEvent>& events);

  // Fails for sizes that the driver does not offer; the size stays.
  base::Status resize(int width, int height);
  // Ends the program as the window does, whatever it is doing, and starts another one with the file
  // that was named last.
  void restart();

  // The last frame.
  render::Image picture() const;
  int width() const { return framebuffer_.width(); }
  int height() const { return framebuffer_.height(); }

 private:
  OffscreenProgram(render::OffscreenContext context, render::Framebuffer framebuffer,
                   const ProgramOptions& options, ProgramHooks hooks,
                   std::function<void()> before_each_job);
  void begin();
  void draw_some();

  ProgramOptions options_;
  ProgramHooks hooks_;
  std::function<void()> before_each_job_;
  bool waits_ = true;
  render::OffscreenContext context_;
  render::Framebuffer framebuffer_;
  std::optional<base::Scheduler> scheduler_;
  std::unique_ptr<Program> program_;
};

}  // namespace dlview::app
