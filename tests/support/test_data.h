// Where the real profiles lie: the folder that the environment variable DLVIEW_TEST_DATA names.
// Tests that need them call DLVIEW_REQUIRE_TEST_DATA and are skipped, visibly, when it is not set.
#pragma once

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>

#include <gtest/gtest.h>

namespace dlview::testing {

std::optional<std::filesystem::path> test_data_folder();

// The name of a file as that of a parameterized test, which may hold no dots.
inline std::string test_name_of(std::string file) {
  std::ranges::replace(file, '.', '_');
  return file;
}

// A fresh folder below the system's temporary one, removed with all that is in it.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// For root, to whom nothing is forbidden: gives what is in the folder to an ordinary user, and acts
// as that user until the object dies. Changes nothing for others.
class OrdinaryUser {
 public:
  explicit OrdinaryUser(const std::filesystem::path& folder);
  ~OrdinaryUser();
  OrdinaryUser(const OrdinaryUser&) = delete;
  OrdinaryUser& operator=(const OrdinaryUser&) = delete;

 private:
  bool was_root_;
};

}  // namespace dlview::testing

#define DLVIEW_REQUIRE_TEST_DATA()                                               \
  if (!dlview::testing::test_data_folder()) {                                    \
    GTEST_SKIP() << "set DLVIEW_TEST_DATA to the folder with the real profiles"; \
  }
