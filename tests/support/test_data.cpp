#include "support/test_data.h"

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <unistd.h>

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

OrdinaryUser::OrdinaryUser(const std::filesystem::path& folder) : was_root_(geteuid() == 0) {
  if (!was_root_) return;
  constexpr uid_t kNobody = 65534;
  bool is_given = chown(folder.c_str(), kNobody, kNobody) == 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    is_given = is_given && lchown(entry.path().c_str(), kNobody, kNobody) == 0;
  }
  if (!is_given || seteuid(kNobody) != 0) throw std::runtime_error("cannot act as another user");
}

OrdinaryUser::~OrdinaryUser() {
  if (was_root_ && seteuid(0) != 0) std::abort();
}

}  // namespace dlview::testing
