#include "app/json_file.h"

#include <fstream>
#include <ios>
#include <system_error>

#include "base/unfinished_file.h"

namespace dlview::app {

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

}  // namespace dlview::app
