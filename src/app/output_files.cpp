#include "app/output_files.h"

#include <cstdlib>
#include <string>
#include <unistd.h>

#include <fmt/chrono.h>
#include <fmt/format.h>

namespace dlview::app {
namespace {

render::Image part_of(const render::Image& frame, const ui::ItemRect& part) {
  return render::crop(frame, static_cast<int>(part.left), static_cast<int>(part.top),
                      static_cast<int>(part.right), static_cast<int>(part.bottom));
}

}  // namespace

std::filesystem::path output_folder() {
  std::error_code ignored;
  const std::filesystem::path here = std::filesystem::current_path(ignored);
  if (access(here.c_str(), W_OK) == 0) return here;
  const char* home = std::getenv("HOME");
  if (home == nullptr) return std::filesystem::temp_directory_path(ignored);
  const std::filesystem::path pictures = std::filesystem::path(home) / "Pictures";
  return std::filesystem::is_directory(pictures, ignored) ? pictures : pictures.parent_path();
}

std::filesystem::path free_output_path(const std::filesystem::path& folder, std::string_view stem,
                                       std::string_view extension, std::time_t now) {
  const std::string name = fmt::format("{}-{:%Y%m%d-%H%M%S}", stem, fmt::localtime(now));
  std::filesystem::path path = folder / fmt::format("{}.{}", name, extension);
  // A folder that cannot be looked into is reported by whoever writes there.
  std::error_code ignored;
  for (int i = 2; std::filesystem::exists(path, ignored); ++i) {
    path = folder / fmt::format("{}-{}.{}", name, i, extension);
  }
  return path;
}

void save_picture(Program& program, const render::Image& frame,
                  const Program::PictureRequest& request) {
  const std::string stem = request.name.empty() ? "dlview" : "dlview-" + request.name;
  const std::filesystem::path path =
      free_output_path(output_folder(), stem, "png", std::time(nullptr));
  const base::Status written =
      render::write_png(request.part ? part_of(frame, *request.part) : frame, path);
  if (written) {
    program.show_notice(fmt::format("Saved {}", path.string()));
  } else {
    program.show_problem(base::without_advice(written.error()));
  }
}

}  // namespace dlview::app
