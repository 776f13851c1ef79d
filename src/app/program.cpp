#include "app/program.h"

#include <algorithm>
#include <filesystem>
#include <utility>
#include <variant>

#include <imgui.h>

#include "app/program_commands.h"
#include "ui/theme.h"

namespace dlview::app {
namespace {

// A change may need a second frame to settle (a size that follows from a text), and what is hovered
// is known one frame later.
constexpr int kFramesAfterChange = 3;
// A frame that keeps changing what it shows is drawn as it is after so many attempts.
constexpr int kMaxBuilds = 3;
// Frames that are built anew repeat a moment: Dear ImGui's clock must move, but not noticeably.
constexpr float kNoTime = 1e-6f;

}  // namespace

Program::Program(const ProgramOptions& options, ProgramHooks hooks)
    : hooks_(std::move(hooks)),
      session_(hooks_.wake),
      view_(options.view),
      theme_(options.theme),
      display_scale_(options.display_scale),
      zoom_(options.zoom),
      show_timings_(options.show_timings) {
  add_program_commands(commands_, *this);
}

void Program::open(OpenRequest request) {
  session_.open(std::move(request));
  notice_.clear();
  changed();
}

void Program::add_input(const std::vector<render::InputEvent>& events) {
  if (events.empty()) return;
  input_.add(events);
  frames_to_draw_ = kFramesAfterChange;
  for (const render::InputEvent& event : events) {
    if (const auto* drop = std::get_if<render::FileDrop>(&event)) open_file(drop->path);
  }
}

void Program::poll() {
  if (session_.poll()) changed();
}

void Program::settle() {
  session_.settle();
  changed();
}

bool Program::wants_frame() const {
  return frames_to_draw_ > 0 || !input_.empty() || shell_.animating();
}

void Program::draw_frame(int width, int height, float seconds) {
  frames_to_draw_ = std::max(0, frames_to_draw_ - 1);
  input_.apply(ImGui::GetIO(), [this](const Chord& chord) { return commands_.run(chord); });
  for (int build = 0; build < kMaxBuilds; ++build) {
    rebuild_ = false;
    apply_look();
    imgui_.begin_frame(width, height, build == 0 ? seconds : kNoTime);
    const std::vector<ui::CommandInfo> commands = commands_.infos();
    shell_.draw(describe(commands), *this);
    ImGui::Render();
    if (!rebuild_) break;
  }
  imgui_.draw(ui::palette(theme_).background);
}

void Program::apply_look() {
  if (shell_.set_look(theme_, display_scale_ * zoom_)) imgui_.remake_font_texture();
}

ui::Model Program::describe(const std::vector<ui::CommandInfo>& commands) const {
  ui::Model model;
  session_.describe(model);
  model.view = view_;
  model.theme = theme_;
  model.kernel_details = kernel_details_;
  model.notice = notice_;
  model.commands = commands;
  model.version = DLVIEW_VERSION;
  if (!show_timings_) model.aggregation_ms = -1;
  return model;
}

void Program::changed() {
  rebuild_ = true;
  frames_to_draw_ = kFramesAfterChange;
}

render::CursorShape Program::cursor() const {
  switch (ImGui::GetMouseCursor()) {
    case ImGuiMouseCursor_TextInput:
      return render::CursorShape::text;
    case ImGuiMouseCursor_ResizeNS:
      return render::CursorShape::resize_ns;
    case ImGuiMouseCursor_ResizeEW:
      return render::CursorShape::resize_ew;
    case ImGuiMouseCursor_Hand:
      return render::CursorShape::hand;
    default:
      return render::CursorShape::arrow;
  }
}

std::string Program::title() const {
  if (session_.name().empty()) return "dlview";
  return std::filesystem::path(session_.name()).filename().string() + " - dlview";
}

bool Program::take_screenshot_request() {
  return std::exchange(screenshot_requested_, false);
}

void Program::show_notice(std::string notice) {
  notice_ = std::move(notice);
  changed();
}

void Program::set_display_scale(float scale) {
  if (scale == display_scale_) return;
  display_scale_ = scale;
  changed();
}

void Program::change_zoom(float factor) {
  zoom_ = factor == 0 ? 1.0f : std::clamp(zoom_ * factor, 0.5f, 3.0f);
  changed();
}

void Program::toggle_theme() {
  theme_ = theme_ == ui::ThemeKind::dark ? ui::ThemeKind::light : ui::ThemeKind::dark;
  changed();
}

void Program::toggle_kernel_details() {
  kernel_details_ = !kernel_details_;
  changed();
}

void Program::request_screenshot() {
  screenshot_requested_ = true;
  notice_.clear();
  changed();
}

void Program::select(const aggregate::Selection& selection) {
  if (selection == session_.selection()) return;
  session_.select(selection);
  changed();
}

void Program::show(ui::ViewId view) {
  if (view == view_) return;
  view_ = view;
  changed();
}

void Program::run_command(std::string_view id) {
  commands_.run(id);
}

void Program::cancel_loading() {
  session_.cancel_loading();
  changed();
}

void Program::copy_text(const std::string& text) {
  ImGui::SetClipboardText(text.c_str());
}
void Program::open_link(const std::string& url) {
  hooks_.open_link(url);
}

}  // namespace dlview::app
