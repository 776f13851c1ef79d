#include "app/drive.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <system_error>

#include <fmt/format.h>
#include <glad/gl.h>

#include "app/driver.h"
#include "app/offscreen_program.h"
#include "app/random_player.h"
#include "app/sandbox.h"
#include "base/descriptor.h"
#include "base/shell_quote.h"
#include "base/units.h"
#include "import/open.h"

namespace dlview::app {
namespace {

namespace fs = std::filesystem;

// What a program needs to be driven, in the order in which it is made.
struct Driven {
  Display display;
  std::unique_ptr<Sandbox> sandbox;
  std::unique_ptr<OffscreenProgram> offscreen;
};

std::string with_working_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::absolute(path, ignored).lexically_normal().string();
}

base::Result<Driven> start(const DriveOptions& options) {
  Driven driven;
  const base::Result<Display> display = parse_display(options.display);
  if (!display) return display.error();
  driven.display = *display;
  const base::Result<PictureSize> size = parse_size(options.size);
  if (!size) return size.error();
  ProgramOptions program_options = offscreen_options(*display, ui::ViewId::dashboard);
  ProgramHooks hooks = offscreen_hooks(*display, options.display.selection);
  if (options.sandbox) {
    base::Result<std::unique_ptr<Sandbox>> sandbox = Sandbox::create(options.paths);
    if (!sandbox) return sandbox.error();
    driven.sandbox = std::move(*sandbox);
    program_options.show_timings = true;  // as in the window: notices fade, held keys go on
    hooks = driven.sandbox->hooks(*display);
  }
  auto created = OffscreenProgram::create(size->width, size->height, program_options, hooks);
  if (!created) return created.error();
  driven.offscreen = std::move(*created);
  return driven;
}

// Opens the first file; its error where that cannot be opened.
std::optional<base::Error> open_first(const DriveOptions& options, OffscreenProgram& offscreen) {
  offscreen.program().open_file(options.paths.front());
  offscreen.draw_until_settled();
  const base::Error* error = offscreen.program().session().error();
  return error == nullptr ? std::nullopt : std::optional(*error);
}

// Returns the error of a file that the script opened and left open, although it is not a profile.
base::Status check_open_files(const Program& program) {
  for (const auto& run : program.runs()) {
    if (const base::Error* error = run->session.error()) return *error;
  }
  return base::Success{};
}

base::Status play_script(const DriveOptions& options) {
  std::ifstream script(options.script);
  if (!script) {
    return base::Error{"The script cannot be read", options.script, "Check the path"};
  }
  if (!options.keep_going) {
    for (auto path = options.paths.begin() + 1; path != options.paths.end(); ++path) {
      if (base::Status known = import::check_format(*path); !known) return known;
    }
  }
  base::Result<Driven> driven = start(options);
  if (!driven) return driven.error();
  const std::optional<base::Error> not_opened = open_first(options, *driven->offscreen);
  const BadLine bad_line = options.keep_going ? BadLine::is_passed_over : BadLine::ends;
  // An error page has buttons, too.
  const base::Status played =
      Driver(*driven->offscreen, std::cout, options.sandbox).run(script, bad_line);
  if (!played) return played;
  if (not_opened) return *not_opened;
  return options.keep_going ? played : check_open_files(driven->offscreen->program());
}

std::string mebibytes(int64_t bytes) {
  return fmt::format("{:.1f} MiB", static_cast<double>(bytes) / (1 << 20));
}

void print_played(const RandomPlayer& player, double seconds) {
  fmt::print("Played {} lines in {:.0f} s; {} failed.\n", base::format_count(player.lines()),
             seconds, base::format_count(player.failed_lines()));
  const PlayedMemory& memory = player.memory();
  if (!memory.all.are_enough()) {
    fmt::print("Memory: {} readings, too few to compare.\n", memory.all.count());
    return;
  }
  fmt::print(
      "Memory allocated with the first file reopened: {} early, {} late (limit +{}); "
      "small blocks {:+.0f} KiB (limit {:+} KiB); {} readings; {} resident.\n",
      mebibytes(memory.all.early()), mebibytes(memory.all.late()), mebibytes(PlayedMemory::kLimit),
      static_cast<double>(memory.small.late() - memory.small.early()) / 1024,
      PlayedMemory::kSmallLimit / 1024, memory.all.count(), mebibytes(memory.resident));
}

std::string replay_command(const DriveOptions& options, const std::string& log) {
  std::string command = "dlview drive";
  for (const std::string& path : options.paths) command += " " + base::shell_quoted(path);
  return command + " --sandbox --keep-going --script " + base::shell_quoted(log);
}

base::Error log_error(const std::string& path) {
  return {"The log cannot be written", path, "Choose another file with --log"};
}

// Without --log, a new file with a name that nobody can guess.
base::Result<std::string> log_path_of(const DriveOptions& options) {
  if (!options.log.empty()) return with_working_folder(options.log);
  std::error_code ignored;
  std::string path =
      fs::temp_directory_path(ignored) / fmt::format("dlview-random-{}-XXXXXX", *options.seed);
  const base::Descriptor made(mkstemp(path.data()));
  if (!made) return log_error(path);
  return path;
}

// 0, or 1 where the memory grew.
base::Result<int> play_random(const DriveOptions& options) {
  const base::Result<std::string> made_path = log_path_of(options);
  if (!made_path) return made_path.error();
  const std::string& log_path = *made_path;
  std::ofstream log(log_path);
  if (!log) return log_error(log_path);
  fmt::print(stderr, "Seed {}. Replay with: {}\n", *options.seed,
             replay_command(options, log_path));
  base::Result<Driven> driven = start(options);
  if (!driven) return driven.error();
  if (const auto not_opened = open_first(options, *driven->offscreen)) return *not_opened;
  glEnable(GL_RASTERIZER_DISCARD);  // filling pixels takes long, and nobody looks at them
  RandomPlayer player(
      *driven->offscreen,
      {.seed = *options.seed, .files = options.paths, .no_profiles = Sandbox::no_profiles()}, log);
  player.play_for(options.seconds);
  print_played(player, options.seconds);
  if (!player.memory().grows()) return kExitSuccess;
  fmt::print(stderr, "Memory grew beyond the limit. Seed {}, log {}\n", *options.seed, log_path);
  return kExitDifferences;
}

}  // namespace

int run_drive(const DriveOptions& given) {
  DriveOptions options = given;
  // The sandbox has a working folder of its own.
  for (std::string& path : options.paths) path = with_working_folder(path);
  options.sandbox = options.sandbox || options.seed;
  if (options.seed) {
    const base::Result<int> played = play_random(options);
    return played ? *played : unusable(played.error());
  }
  const base::Status played = play_script(options);
  return played ? kExitSuccess : unusable(played.error());
}

void bind_drive(CLI::App& program, ChosenCommand& chosen) {
  const auto options = std::make_shared<DriveOptions>();
  CLI::App* command =
      program.add_subcommand("drive", "Play scripted or random input without a window");
  command->add_option("FILE", options->paths, "Profiles; the first is opened")->required();
  CLI::Option* script =
      command->add_option("--script", options->script, "Script file, one command per line");
  CLI::Option* random =
      command->add_option("--random", options->seed, "Play random input with this seed");
  script->excludes(random);
  command->add_option("--seconds", options->seconds, "Play random input for this many seconds")
      ->check(CLI::Range(0.0, 1e6))
      ->needs(random)
      ->capture_default_str();
  command->add_option("--log", options->log, "Write the random input to this script file")
      ->needs(random);
  command->add_flag("--sandbox", options->sandbox,
                    "Write only to a temporary folder and open only the given files; implied by "
                    "--random");
  command->add_flag("--keep-going", options->keep_going,
                    "Skip script lines that fail, and files that do not open");
  command->add_option("--size", options->size, "Width and height in pixels: WxH")
      ->capture_default_str();
  bind_display(*command, options->display);
  command->footer("Lines of a script:\n" + Driver::script_help());
  command->callback([&chosen, options, script, random] {
    if (script->count() + random->count() == 0) throw CLI::RequiredError("--script or --random");
    chosen = [options] { return run_drive(*options); };
  });
}

}  // namespace dlview::app
