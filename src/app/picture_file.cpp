#include "app/picture_file.h"

#include <cstdlib>
#include <string>
#include <unistd.h>

#include <fmt/chrono.h>
#include <fmt/format.h>

namespace dlview::app {
namespace {

std::filesystem::path picture_folder() {
  std::error_code ignored;
  const std::filesystem::path here = std::filesystem::current_path(ignored);
  if (access(here.c_str(), W_OK) == 0) return here;
  const char* home = std::getenv("HOME");
  if (home == nullptr) return std::filesystem::temp_directory_path(ignored);
  const std::filesystem::path pictures = std::filesystem::path(home) / "Pictures";
  return std::filesystem::is_directory(pictures, ignored) ? pictures : pictures.parent_path();
}

}  // namespace

std::filesystem::path free_picture_path(const std::filesystem::path& folder, std::time_t now) {
  const std::string stem = fmt::format("dlview-{:%Y%m%d-%H%M%S}", fmt::localtime(now));
  std::filesystem::path path = folder / (stem + ".png");
  for (int i = 2; std::filesystem::exists(path); ++i) {
    path = folder / fmt::format("{}-{}.png", stem, i);
  }
  return path;
}

void save_picture(Program& program, const render::Image& picture) {
  const std::filesystem::path path = free_picture_path(picture_folder(), std::time(nullptr));
  const base::Status written = render::write_png(picture, path);
  program.show_notice(written
                          ? fmt::format("Saved {}", path.string())
                          : fmt::format("{}: {}", written.error().title, written.error().detail));
}

}  // namespace dlview::app
