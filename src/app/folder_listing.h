// What the list of files shows of a folder.
#pragma once

#include <filesystem>

#include "ui/model.h"

namespace dlview::app {

// Hidden entries are left out. Profiles are what ends in .sqlite, .db, .sqlite3, .nsys-rep or
// .qdrep; other files are listed after them, for a profile can have any name.
ui::FolderListing list_folder(const std::filesystem::path& folder);

// The nearest folder above `path`, or `path` itself, that exists; the working folder otherwise.
std::filesystem::path folder_near(const std::filesystem::path& path);

}  // namespace dlview::app
