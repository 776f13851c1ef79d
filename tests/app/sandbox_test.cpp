#include "app/sandbox.h"

#include <cstdlib>
#include <fstream>

#include <gtest/gtest.h>

#include "support/test_data.h"
#include "workspace/own_files.h"

namespace dlview::app {
namespace {

namespace fs = std::filesystem;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

TEST(SandboxTest, HoldsEveryFolderOfTheUser) {
  const fs::path before = fs::current_path();
  const std::string home = variable("HOME"), cache = variable("XDG_CACHE_HOME");
  fs::path folder;
  {
    auto sandbox = Sandbox::create({});
    ASSERT_TRUE(sandbox.ok());
    folder = (*sandbox)->folder();
    for (const fs::path& path :
         {workspace::config_folder(), workspace::cache_folder(), workspace::state_folder(),
          fs::current_path(), fs::temp_directory_path()}) {
      EXPECT_TRUE(path.string().starts_with(folder.string() + "/")) << path;
    }
  }
  EXPECT_FALSE(fs::exists(folder));
  EXPECT_EQ(fs::current_path(), before);
  EXPECT_EQ(variable("HOME"), home);
  EXPECT_EQ(variable("XDG_CACHE_HOME"), cache);
}

TEST(SandboxTest, OpensOnlyGivenFilesAndItsOwn) {
  const testing::TemporaryFolder users;
  const fs::path given = users.path() / "given.sqlite", other = users.path() / "other.sqlite";
  std::ofstream(given) << "given";
  std::ofstream(other) << "other";
  auto sandbox = Sandbox::create({given.string()});
  ASSERT_TRUE(sandbox.ok());
  std::ofstream("saved.csv") << "saved";
  EXPECT_TRUE((*sandbox)->may_open(given));
  EXPECT_TRUE((*sandbox)->may_open(users.path() / "." / "given.sqlite"));
  EXPECT_TRUE((*sandbox)->may_open("saved.csv"));
  EXPECT_TRUE((*sandbox)->may_open("/no/such/file"));
  EXPECT_TRUE((*sandbox)->may_open("/etc/passwd"));
  EXPECT_FALSE((*sandbox)->may_open(other));
  EXPECT_FALSE((*sandbox)->may_open(users.path()));
}

TEST(SandboxTest, OpensWhatLiesInAGivenFolder) {
  const testing::TemporaryFolder users;
  const fs::path run = users.path() / "run", other = users.path() / "run_2";
  fs::create_directories(run / "host_a");
  fs::create_directories(other);
  const auto sandbox = Sandbox::create({run.string() + "/"});
  ASSERT_TRUE(sandbox.ok());
  EXPECT_TRUE((*sandbox)->may_open(run));
  EXPECT_TRUE((*sandbox)->may_open(run / "host_a"));
  EXPECT_FALSE((*sandbox)->may_open(other));
}

TEST(SandboxTest, RefusesOtherFilesWithAnError) {
  const testing::TemporaryFolder users;
  const fs::path other = users.path() / "other.sqlite";
  std::ofstream(other) << "other";
  auto sandbox = Sandbox::create({});
  ASSERT_TRUE(sandbox.ok());
  const workspace::OpenRequest request = (*sandbox)->hooks({}).file(other.string());
  base::Progress progress;
  const auto loaded = request.load(progress);
  ASSERT_FALSE(loaded.ok());
  EXPECT_EQ(loaded.error().title, "This file is outside the sandbox");
  EXPECT_TRUE(request.path.empty()) << "it is not remembered";
}

}  // namespace
}  // namespace dlview::app
