#include "workspace/file_names.h"

#include <algorithm>
#include <filesystem>

namespace dlview::workspace {
namespace {

namespace fs = std::filesystem;

fs::path without_slash(std::string_view path) {
  const fs::path normal = fs::path(path).lexically_normal();
  return normal.has_filename() ? normal : normal.parent_path();
}

std::string last_parts(const fs::path& path, std::size_t count) {
  fs::path rest = path, name = path.filename();
  for (std::size_t part = 1; part < count && rest.has_relative_path(); ++part) {
    rest = rest.parent_path();
    name = rest.filename() / name;
  }
  return name.string();
}

}  // namespace

std::string name_of_file(std::string_view path) {
  return without_slash(path).filename().string();
}

std::vector<std::string> distinct_names(const std::vector<std::string>& paths) {
  std::vector<std::string> names;
  for (const std::string& text : paths) {
    const fs::path path = without_slash(text);
    std::size_t parts = 1;
    const auto is_shared = [&](const std::string& other) {
      const fs::path other_path = without_slash(other);
      return other_path != path && last_parts(other_path, parts) == last_parts(path, parts);
    };
    const auto most = static_cast<std::size_t>(std::distance(path.begin(), path.end()));
    while (parts < most && std::ranges::any_of(paths, is_shared)) ++parts;
    names.push_back(last_parts(path, parts));
  }
  return names;
}

}  // namespace dlview::workspace
