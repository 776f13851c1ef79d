// The pictures that F12 takes: dlview-YYYYMMDD-HHMMSS.png in the working folder, or where that
// cannot be written, in the user's pictures.
#pragma once

#include <ctime>
#include <filesystem>

#include "app/program.h"
#include "render/image.h"

namespace dlview::app {

// A path in `folder` under which there is no file yet.
std::filesystem::path free_picture_path(const std::filesystem::path& folder, std::time_t now);

// Writes the picture and tells in the program's notice where it lies, or why it does not.
void save_picture(Program& program, const render::Image& picture);

}  // namespace dlview::app
