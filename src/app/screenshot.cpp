#include "app/screenshot.h"

#include <filesystem>
#include <memory>
#include <string_view>

#include <fmt/format.h>

#include "app/offscreen_program.h"
#include "base/shell_quote.h"
#include "render/image.h"
#include "report/writers/text.h"
#include "workspace/run.h"
#include "workspace/state_string.h"

namespace dlview::app {
namespace {

base::Status check_picture_name(const std::string& path) {
  const std::string extension = std::filesystem::path(path).extension().string();
  if (extension.empty() || CLI::detail::to_lower(extension) == ".png") return base::Success{};
  return base::Error{
      "Screenshots are PNG files", path + " has another extension",
      "Write to a PNG file: -o " +
          base::shell_quoted(std::filesystem::path(path).replace_extension(".png").string())};
}

// Of options that choose what the Timeline shows, behind a --view that shows something else. The
// Iterations show a pair of iterations, too.
void refuse_view_without_timeline(const CLI::App& command, const ScreenshotOptions& options) {
  if (!options.view) return;
  const base::Result<ui::ViewId> view = ui::parse_view(*options.view);
  if (!view || *view == ui::ViewId::timeline) return;
  const bool shows_pair = *view == ui::ViewId::iterations && command.count("--beside") > 0;
  for (const char* option : {"--time", "--iteration", "--beside"}) {
    if (command.count(option) == 0 || (shows_pair && option != std::string_view("--time")))
      continue;
    throw CLI::ValidationError(option,
                               fmt::format("applies to the Timeline only, not to --view {}. Omit "
                                           "--view, or choose a range with --iterations A:B",
                                           *options.view));
  }
}

base::Error no_such_view(const profile::Profile& profile, ui::ViewId view) {
  return {fmt::format("This profile has no view \"{}\"", ui::info(view).name), "",
          "Valid values: " + ui::view_names(&profile)};
}

}  // namespace

base::Status take_screenshot(const ScreenshotOptions& options) {
  DLVIEW_TRY(check_picture_name(options.output));
  const base::Result<Display> display = parse_display(options.display);
  if (!display) return display.error();
  const base::Result<PictureSize> size = parse_size(options.size);
  if (!size) return size.error();
  const std::optional<std::string>& named =
      options.view ? options.view : options.display.selection.view;
  const base::Result<ui::ViewId> view = named ? ui::parse_view(*named) : ui::ViewId::dashboard;
  if (!view) return view.error();

  DisplayOptions asked = options.display;
  std::string path = options.path;
  if (!options.captures.empty()) path = show_captures(options.captures, asked.selection);
  asked.selection.view.reset();  // decided
  auto created =
      OffscreenProgram::create(size->width, size->height, offscreen_options(*display, *view),
                               offscreen_hooks(*display, asked.selection));
  if (!created) return created.error();
  OffscreenProgram& offscreen = **created;
  offscreen.program().open_file(path);
  offscreen.draw_until_settled();
  // Another profile and budgets show their own view.
  if (options.view && offscreen.program().view() != *view) {
    offscreen.program().act(workspace::ShowView{std::string(ui::info(*view).name)});
    offscreen.draw_until_settled();
  }
  for (const auto& run : offscreen.program().runs()) {
    if (const base::Error* error = run->session.error()) return *error;
  }
  const workspace::Session& session = offscreen.program().session();
  const bool has_ranks = offscreen.program().has_ranks();
  if (session.profile() == nullptr) {
    if (!has_ranks) return base::Error{"Nothing to show", options.path, "Name a profile"};
    return render::write_png(offscreen.picture(), options.output);
  }
  if (!ui::is_view_of(*session.profile(), *view, has_ranks))
    return no_such_view(*session.profile(), *view);
  const base::Status there = workspace::check_timeline_request(
      session, options.display.selection.timeline, options.display.selection.compared);
  if (!there) return there.error();
  return render::write_png(offscreen.picture(), options.output);
}

int run_screenshot(const ScreenshotOptions& options) {
  const base::Status taken = take_screenshot(options);
  return taken ? kExitSuccess : unusable(taken.error());
}

void bind_screenshot(CLI::App& program, ChosenCommand& chosen) {
  const auto options = std::make_shared<ScreenshotOptions>();
  CLI::App* command = program.add_subcommand(
      "screenshot", "Write a screenshot of a view as PNG, without a display");
  const auto files = std::make_shared<std::vector<std::string>>();
  command->add_option("FILE", *files, "Profile; for --view trend two or more")->required();
  command->add_option("-o,--output", options->output, "PNG file to write")->required();
  command->add_option("--view", options->view,
                      fmt::format("View: one of {}; default: dashboard", ui::view_names()));
  command->add_option("--size", options->size, "Width and height in pixels: WxH")
      ->capture_default_str();
  bind_display(*command, options->display);
  command->footer(
      "Examples:\n"
      "  dlview screenshot run.sqlite -o run.png\n"
      "  dlview screenshot run.sqlite -o run.png --view iterations --size 1920x1080 --theme light\n"
      "  dlview screenshot run.sqlite -o run.png --view timeline --time 1.20s:1.25s\n"
      "  dlview screenshot run.sqlite -o run.png --iteration 12 --beside 87\n"
      "  dlview screenshot before.sqlite --with after.sqlite -o compared.png\n"
      "  dlview screenshot nightly/*.sqlite --view trend -o trend.png");
  command->callback([&chosen, options, command, files] {
    options->path = files->front();
    if (files->size() > 1) {
      const bool is_trend = options->view && *options->view == workspace::kTrendView;
      if (!is_trend) {
        throw CLI::ValidationError(
            "FILE",
            fmt::format("Only --view trend takes several files, but {} were given; the "
                        "second is {}. Name one file; --with FILE compares with another one",
                        files->size(), report::printable((*files)[1])));
      }
      options->captures = *files;
    }
    refuse_view_without_timeline(*command, *options);
    chosen = [options] { return run_screenshot(*options); };
  });
}

}  // namespace dlview::app
