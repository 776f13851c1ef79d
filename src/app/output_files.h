// Files that the window writes without asking: pictures and exported tables. They go to the working
// folder, or where that cannot be written, to the user's pictures.
#pragma once

#include <ctime>
#include <filesystem>
#include <string_view>

#include "app/program.h"
#include "render/image.h"

namespace dlview::app {

std::filesystem::path output_folder();

// STEM-YYYYMMDD-HHMMSS.EXTENSION, or with a number behind it when there is a file of that name.
std::filesystem::path free_output_path(const std::filesystem::path& folder, std::string_view stem,
                                       std::string_view extension, std::time_t now);

// Writes what was asked for of the frame, and says in the program's notice where it is, or why it
// is not.
void save_picture(Program& program, const render::Image& frame,
                  const Program::PictureRequest& request);

}  // namespace dlview::app
