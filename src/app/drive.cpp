#include "app/drive.h"

#include <fstream>
#include <iostream>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "app/driver.h"
#include "app/offscreen_program.h"

namespace dlview::app {
namespace {

base::Status drive(const DriveOptions& options) {
  const base::Result<Display> display = parse_display(options.display);
  if (!display) return display.error();
  const base::Result<PictureSize> size = parse_size(options.size);
  if (!size) return size.error();
  std::ifstream script(options.script);
  if (!script) {
    return base::Error{"The script cannot be read", options.script, "Check the path"};
  }
  auto created = OffscreenProgram::create(size->width, size->height,
                                          offscreen_options(*display, ui::ViewId::dashboard),
                                          offscreen_hooks(*display, options.display.selection));
  if (!created) return created.error();
  (*created)->program().open_file(options.path);
  (*created)->draw_until_settled();
  std::optional<base::Error> not_opened;
  if (const base::Error* error = (*created)->program().session().error()) not_opened = *error;
  base::Status driven = Driver(**created, std::cout).run(script);  // an error page has buttons, too
  return driven && not_opened ? base::Status(*not_opened) : driven;
}

}  // namespace

int run_drive(const DriveOptions& options) {
  const base::Status driven = drive(options);
  return driven ? kExitSuccess : unusable(driven.error());
}

void bind_drive(CLI::App& program, ChosenCommand& chosen) {
  const auto options = std::make_shared<DriveOptions>();
  CLI::App* command = program.add_subcommand("drive", "Play a script of input without a window");
  command->add_option("DB", options->path, "Profile")->required();
  command->add_option("--script", options->script, "Script, one command in a line")->required();
  command->add_option("--size", options->size, "Width and height in pixels: WxH")
      ->capture_default_str();
  bind_display(*command, options->display);
  command->footer("A line of a script is one of:\n" + Driver::script_help());
  command->callback([&chosen, options] { chosen = [options] { return run_drive(*options); }; });
}

}  // namespace dlview::app
