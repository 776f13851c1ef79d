#include "workspace/own_files.h"

#include <cstdlib>
#include <fstream>
#include <ios>
#include <system_error>

#include "base/unfinished_file.h"

namespace dlview::workspace {
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

nlohmann::json read_json(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) {
    return nlohmann::json(nlohmann::json::value_t::discarded);
  }
  std::ifstream file(path, std::ios::binary);
  try {
    return nlohmann::json::parse(file, nullptr, /*allow_exceptions=*/false);
  } catch (const std::ios_base::failure&) {  // a disk that fails
    return nlohmann::json(nlohmann::json::value_t::discarded);
  }
}

bool write_json(const nlohmann::json& json, const std::filesystem::path& path) {
  std::error_code ignored;
  std::filesystem::create_directories(path.parent_path(), ignored);
  auto file = base::UnfinishedFile::create(path);
  if (!file) return false;
  file->out() << json.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
  return file->finish().ok();
}

}  // namespace dlview::workspace
