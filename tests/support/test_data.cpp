#include "support/test_data.h"

#include <cstdlib>
#include <string>

namespace dlview::testing {

std::optional<std::filesystem::path> test_data_folder() {
  const char* folder = std::getenv("DLVIEW_TEST_DATA");
  if (folder == nullptr || *folder == '\0') return std::nullopt;
  return std::filesystem::path(folder);
}

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "dlview-test-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace dlview::testing
