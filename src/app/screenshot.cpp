#include "app/screenshot.h"

#include <memory>

#include <fmt/format.h>

#include "app/offscreen_program.h"
#include "app/timeline_request.h"
#include "app/view_state.h"
#include "render/image.h"

namespace dlview::app {
base::Status take_screenshot(const ScreenshotOptions& options) {
  const base::Result<Display> display = parse_display(options.display);
  if (!display) return display.error();
  const base::Result<PictureSize> size = parse_size(options.size);
  if (!size) return size.error();
  const ui::ViewId stated = options.display.selection.view.value_or(ui::ViewId::dashboard);
  const base::Result<ui::ViewId> view = options.view ? parse_view(*options.view) : stated;
  if (!view) return view.error();

  DisplayOptions asked = options.display;
  asked.selection.view.reset();  // decided
  auto created =
      OffscreenProgram::create(size->width, size->height, offscreen_options(*display, *view),
                               offscreen_hooks(*display, asked.selection));
  if (!created) return created.error();
  OffscreenProgram& offscreen = **created;
  offscreen.program().open_file(options.path);
  offscreen.draw_until_settled();
  if (const base::Error* error = offscreen.program().session().error()) return *error;
  const base::Status there =
      check_timeline_request(offscreen.program().session(), options.display.selection.timeline,
                             options.display.selection.compared);
  if (!there) return there.error();
  return render::write_png(offscreen.picture(), options.output);
}

int run_screenshot(const ScreenshotOptions& options) {
  const base::Status taken = take_screenshot(options);
  return taken ? kExitSuccess : unusable(taken.error());
}

void bind_screenshot(CLI::App& program, ChosenCommand& chosen) {
  const auto options = std::make_shared<ScreenshotOptions>();
  CLI::App* command =
      program.add_subcommand("screenshot", "Write a view as a PNG picture, without a display");
  command->add_option("DB", options->path, "Profile")->required();
  command->add_option("-o,--output", options->output, "PNG file to write")->required();
  command->add_option("--view", options->view,
                      fmt::format("One of {}; dashboard by default", view_names()));
  command->add_option("--size", options->size, "Width and height in pixels: WxH")
      ->capture_default_str();
  bind_display(*command, options->display);
  command->footer(
      "Examples:\n"
      "  dlview screenshot run.sqlite -o run.png\n"
      "  dlview screenshot run.sqlite -o run.png --view iterations --size 1920x1080 --theme light\n"
      "  dlview screenshot run.sqlite -o run.png --view timeline --time 1.20s:1.25s\n"
      "  dlview screenshot run.sqlite -o run.png --iteration 12 --beside 87");
  command->callback(
      [&chosen, options] { chosen = [options] { return run_screenshot(*options); }; });
}

}  // namespace dlview::app
