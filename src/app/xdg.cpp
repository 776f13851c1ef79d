#include "app/xdg.h"

#include <cstdlib>

namespace dlview::app {
namespace {

// The specification ignores relative paths.
std::filesystem::path absolute_path_of(const char* variable) {
  const char* value = std::getenv(variable);
  std::filesystem::path path = value == nullptr ? "" : value;
  return path.is_absolute() ? path : std::filesystem::path();
}

std::filesystem::path folder(const char* variable, const char* below_home) {
  if (const auto base = absolute_path_of(variable); !base.empty()) return base / "dlview";
  if (const auto home = absolute_path_of("HOME"); !home.empty())
    return home / below_home / "dlview";
  std::error_code ignored;
  return std::filesystem::temp_directory_path(ignored) / "dlview";
}

}  // namespace

std::filesystem::path config_folder() {
  return folder("XDG_CONFIG_HOME", ".config");
}
std::filesystem::path cache_folder() {
  return folder("XDG_CACHE_HOME", ".cache");
}
std::filesystem::path state_folder() {
  return folder("XDG_STATE_HOME", ".local/state");
}

}  // namespace dlview::app
