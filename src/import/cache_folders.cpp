#include "import/cache_folders.h"

#include <cstdlib>
#include <system_error>

namespace dlview::import {

std::vector<std::filesystem::path> cache_folders() {
  namespace fs = std::filesystem;
  std::vector<fs::path> folders;
  const char* cache = std::getenv("XDG_CACHE_HOME");
  const char* home = std::getenv("HOME");
  if (cache != nullptr && fs::path(cache).is_absolute()) {
    folders.push_back(fs::path(cache) / "dlview");
  } else if (home != nullptr && fs::path(home).is_absolute()) {
    folders.push_back(fs::path(home) / ".cache" / "dlview");
  }
  std::error_code none;
  const fs::path temporary = fs::temp_directory_path(none);
  if (!none) folders.push_back(temporary);
  return folders;
}

}  // namespace dlview::import
