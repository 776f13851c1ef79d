#include "app/picture_file.h"

#include <ctime>

#include <fmt/format.h>

#include "app/output_file.h"

namespace dlview::app {

void save_picture(Program& program, const render::Image& picture) {
  const std::filesystem::path path =
      free_output_path(output_folder(), "dlview", "png", std::time(nullptr));
  const base::Status written = render::write_png(picture, path);
  program.show_notice(written
                          ? fmt::format("Saved {}", path.string())
                          : fmt::format("{}: {}", written.error().title, written.error().detail));
}

}  // namespace dlview::app
