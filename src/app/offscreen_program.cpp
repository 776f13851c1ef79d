#include "app/offscreen_program.h"

#include <string>
#include <utility>

namespace dlview::app {
namespace {

constexpr float kFrameSeconds = 1.0f / 60;
// A picture whose animation never ends must not keep anyone waiting.
constexpr int kMaxFrames = 600;
// Enough for a click, whose events are seen in a frame each.
constexpr int kFramesInAHurry = 4;

}  // namespace

base::Result<std::unique_ptr<OffscreenProgram>> OffscreenProgram::create(
    int width, int height, const ProgramOptions& options, ProgramHooks hooks,
    std::function<void()> before_each_job) {
  base::Result<render::OffscreenContext> context = render::OffscreenContext::create();
  if (!context) return context.error();
  base::Result<render::Framebuffer> framebuffer = render::Framebuffer::create(width, height);
  if (!framebuffer) return framebuffer.error();
  return std::unique_ptr<OffscreenProgram>(
      new OffscreenProgram(std::move(*context), std::move(*framebuffer), options, std::move(hooks),
                           std::move(before_each_job)));
}

OffscreenProgram::OffscreenProgram(render::OffscreenContext context,
                                   render::Framebuffer framebuffer, const ProgramOptions& options,
                                   ProgramHooks hooks, std::function<void()> before_each_job)
    : options_(options),
      hooks_(std::move(hooks)),
      before_each_job_(std::move(before_each_job)),
      context_(std::move(context)),
      framebuffer_(std::move(framebuffer)) {
  begin();
}

void OffscreenProgram::begin() {
  // Nobody sleeps until a task wakes him: frames wait for tasks, or do not look at them.
  scheduler_.emplace([] {}, before_each_job_);
  program_ = std::make_unique<Program>(options_, hooks_, *scheduler_);
}

void OffscreenProgram::draw() {
  program_->poll();
  framebuffer_.bind();
  program_->draw_frame(framebuffer_.width(), framebuffer_.height(), kFrameSeconds);
}

void OffscreenProgram::draw_some() {
  for (int frame = 0; frame < kFramesInAHurry; ++frame) {
    draw();
    if (!program_->wants_frame()) return;
  }
}

void OffscreenProgram::draw_until_settled() {
  if (!waits_) return draw_some();
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

base::Status OffscreenProgram::resize(int width, int height) {
  base::Result<render::Framebuffer> other = render::Framebuffer::create(width, height);
  if (!other) return other.error();
  framebuffer_ = std::move(*other);
  return base::Success{};
}

void OffscreenProgram::restart() {
  std::vector<std::string> files;
  std::size_t shown = 0;
  for (const auto& run : program_->runs()) {
    if (run->id == program_->run().id) shown = files.size();
    if (!run->name().empty()) files.push_back(run->name());
  }
  program_->remember();
  program_.reset();  // there is one at a time
  begin();
  program_->open_files(files, shown);
}

render::Image OffscreenProgram::picture() const {
  framebuffer_.bind();
  return render::read_pixels(framebuffer_.width(), framebuffer_.height());
}

}  // namespace dlview::app
