// Where files go that the window writes without asking: the working folder, or where that cannot be
// written, the user's pictures.
#pragma once

#include <ctime>
#include <filesystem>
#include <string_view>

namespace dlview::app {

std::filesystem::path output_folder();

// STEM-YYYYMMDD-HHMMSS.EXTENSION, or with a number behind it when there is a file of that name.
std::filesystem::path free_output_path(const std::filesystem::path& folder, std::string_view stem,
                                       std::string_view extension, std::time_t now);

}  // namespace dlview::app
