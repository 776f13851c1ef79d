#include "app/folder_listing.h"

#include <fstream>

#include <gtest/gtest.h>

#include "support/test_data.h"

namespace dlview::app {
namespace {

namespace fs = std::filesystem;

TEST(FolderListing, ListsFoldersThenDatabasesThenTheRest) {
  const testing::TemporaryFolder folder;
  for (const char* name : {"notes.txt", "b.sqlite", "a.db", ".hidden"}) {
    std::ofstream(folder.path() / name) << "12345";
  }
  fs::create_directory(folder.path() / "runs");
  const ui::FolderListing listing = list_folder(folder.path());
  EXPECT_EQ(listing.path, fs::absolute(folder.path()).string());
  EXPECT_TRUE(listing.problem.empty());
  ASSERT_EQ(listing.entries.size(), 4u);
  EXPECT_EQ(listing.entries[0].name, "runs");
  EXPECT_TRUE(listing.entries[0].is_folder);
  EXPECT_EQ(listing.entries[1].name, "a.db");
  EXPECT_EQ(listing.entries[1].bytes, 5);
  EXPECT_EQ(listing.entries[2].name, "b.sqlite");
  EXPECT_EQ(listing.entries[3].name, "notes.txt");
}

TEST(FolderListing, SaysWhyAFolderCannotBeRead) {
  const ui::FolderListing listing = list_folder("/no/such/folder");
  EXPECT_EQ(listing.path, "/no/such/folder");
  EXPECT_TRUE(listing.entries.empty());
  EXPECT_FALSE(listing.problem.empty());
}

TEST(FolderListing, FindsTheNearestFolderThatExists) {
  const testing::TemporaryFolder folder;
  EXPECT_EQ(folder_near(folder.path() / "gone" / "run.sqlite"), folder.path());
  EXPECT_EQ(folder_near(folder.path()), folder.path());
  EXPECT_TRUE(fs::is_directory(folder_near("")));
}

}  // namespace
}  // namespace dlview::app
