#include "workspace/file_memory.h"

#include <fstream>

#include <gtest/gtest.h>

#include "support/test_data.h"

namespace dlview::workspace {
namespace {

class FileMemoryTest : public ::testing::Test {
 protected:
  std::string file(const std::string& name) const {
    const std::filesystem::path path = folder_.path() / name;
    std::ofstream(path) << "x";
    return path.string();
  }
  std::filesystem::path memory_file() const { return folder_.path() / "state" / "files.json"; }

  testing::TemporaryFolder folder_;
};

TEST_F(FileMemoryTest, RemembersWhatWasLookedAtInEachFile) {
  const std::string a = file("a.sqlite"), b = file("b.sqlite");
  FileMemory memory(memory_file());
  EXPECT_EQ(memory.recall(a), "");
  memory.remember(a, "view=dashboard");
  memory.remember(b, "view=iterations");
  memory.remember(a, "view=iterations,range=1:2");
  const FileMemory later(memory_file());
  EXPECT_EQ(later.recall(a), "view=iterations,range=1:2");
  EXPECT_EQ(later.recall(b), "view=iterations");
  EXPECT_EQ(later.recent(), (std::vector<std::string>{a, b}));
}

TEST_F(FileMemoryTest, LeavesOutFilesThatAreGone) {
  FileMemory memory(memory_file());
  memory.remember((folder_.path() / "gone.sqlite").string(), "view=dashboard");
  EXPECT_TRUE(memory.recent().empty());
}

TEST_F(FileMemoryTest, ForgetsTheOldestOfManyFiles) {
  FileMemory memory(memory_file());
  for (int i = 0; i < 40; ++i) memory.remember("/profiles/" + std::to_string(i), "");
  memory.remember("/profiles/last", "s");
  const FileMemory later(memory_file());
  EXPECT_EQ(later.recall("/profiles/last"), "s");
  memory.remember("/profiles/5", "again");
  EXPECT_EQ(memory.recall("/profiles/5"), "again");
}

TEST_F(FileMemoryTest, PassesOverABrokenMemory) {
  for (const char* text : {"", "{", "7", "[1, {\"path\": 2}, {\"state\": \"x\"}]"}) {
    const std::string broken = file("broken.json");
    std::ofstream(broken) << text;
    const FileMemory memory(broken);
    EXPECT_TRUE(memory.recent().empty()) << text;
  }
}

TEST_F(FileMemoryTest, BearsAPathThatIsNotUtf8AndAFolderThatCannotBeMade) {
  FileMemory memory(memory_file());
  memory.remember("/profiles/\xff.sqlite", "view=dashboard");
  EXPECT_EQ(memory.recall("/profiles/\xff.sqlite"), "view=dashboard");
  FileMemory nowhere("/proc/none/files.json");
  nowhere.remember("/a", "b");
  EXPECT_EQ(nowhere.recall("/a"), "b");
}

}  // namespace
}  // namespace dlview::workspace
