#include "app/offscreen_program.h"

#include <utility>

namespace dlview::app {
namespace {

constexpr float kFrameSeconds = 1.0f / 60;
// A picture whose animation never ends must not keep anyone waiting.
constexpr int kMaxFrames = 600;

}  // namespace

base::Result<std::unique_ptr<OffscreenProgram>> OffscreenProgram::create(
    int width, int height, const ProgramOptions& options, ProgramHooks hooks) {
  base::Result<render::OffscreenContext> context = render::OffscreenContext::create();
  if (!context) return context.error();
  base::Result<render::Framebuffer> framebuffer = render::Framebuffer::create(width, height);
  if (!framebuffer) return framebuffer.error();
  return std::unique_ptr<OffscreenProgram>(new OffscreenProgram(
      std::move(*context), std::move(*framebuffer), options, std::move(hooks)));
}

OffscreenProgram::OffscreenProgram(render::OffscreenContext context,
                                   render::Framebuffer framebuffer, const ProgramOptions& options,
                                   ProgramHooks hooks)
    : context_(std::move(context)),
      framebuffer_(std::move(framebuffer)),
      program_(std::make_unique<Program>(options, std::move(hooks))) {}

void OffscreenProgram::draw() {
  program_->poll();
  framebuffer_.bind();
  program_->draw_frame(framebuffer_.width(), framebuffer_.height(), kFrameSeconds);
}

void OffscreenProgram::draw_until_settled() {
  if (!program_->settled()) program_->settle();
  for (int frame = 0; frame < kMaxFrames; ++frame) {
    draw();
    if (!program_->settled()) program_->settle();
    if (!program_->wants_frame()) return;
  }
}

void OffscreenProgram::play(const std::vector<render::InputEvent>& events) {
  program_->add_input(events);
  draw_until_settled();
}

render::Image OffscreenProgram::picture() const {
  framebuffer_.bind();
  return render::read_pixels(framebuffer_.width(), framebuffer_.height());
}

}  // namespace dlview::app
