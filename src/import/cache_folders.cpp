#include "import/cache_folders.h"

#include <cstdlib>
#include <string>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace dlview::import {
namespace {

namespace fs = std::filesystem;

// Whether it is a folder, no link to one, that nobody else can use; made if it is missing.
bool make_private(const fs::path& folder) {
  mkdir(folder.c_str(), 0700);
  struct stat facts {};
  return lstat(folder.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode) &&
         facts.st_uid == geteuid() && (facts.st_mode & 0777) == 0700;
}

}  // namespace

fs::path lasting_cache_folder() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  const char* home = std::getenv("HOME");
  if (cache != nullptr && fs::path(cache).is_absolute()) {
    return fs::path(cache) / "dlview";
  }
  const bool has_home = home != nullptr && fs::path(home).is_absolute();
  return has_home ? fs::path(home) / ".cache" / "dlview" : fs::path();
}

bool is_private_folder(const fs::path& folder) {
  struct stat facts {};
  return lstat(folder.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode) &&
         facts.st_uid == geteuid() && (facts.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

bool is_cache_name(std::string_view name, std::string_view extension) {
  constexpr std::size_t kDigits = 16;
  if (!name.ends_with(extension)) return false;
  name.remove_suffix(extension.size());
  if (name.size() <= kDigits || name[name.size() - kDigits - 1] != '-') return false;
  return name.find_last_not_of("0123456789abcdef") == name.size() - kDigits - 1;
}

std::vector<fs::path> cache_folders() {
  std::vector<fs::path> folders;
  if (fs::path lasting = lasting_cache_folder(); !lasting.empty()) {
    folders.push_back(std::move(lasting));
  }
  std::error_code none;
  const fs::path temporary = fs::temp_directory_path(none);
  if (none) return folders;
  const fs::path own = temporary / ("dlview-" + std::to_string(geteuid()));
  if (make_private(own)) folders.push_back(own);
  return folders;
}

}  // namespace dlview::import
