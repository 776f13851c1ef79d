#include "generate/target.h"

#include <system_error>

#include <fmt/format.h>

namespace dlview::generate {

namespace fs = std::filesystem;

base::Status check_target(const fs::path& path, IfExists if_exists) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    return base::Error{"The database cannot be written",
                       fmt::format("{} is a folder", path.string()),
                       "Write the name of a file in it"};
  }
  if (if_exists == IfExists::fail && fs::exists(path, ignored)) {
    return base::Error{"The file exists", path.string(), "Choose another name, or add --overwrite"};
  }
  return base::Success{};
}

}  // namespace dlview::generate
