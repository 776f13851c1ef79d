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

  static std::vector<std::string> recent_paths(const FileMemory& memory) {
    std::vector<std::string> paths;
    for (const RecentFile& file : memory.recent()) paths.push_back(file.path);
    return paths;
  }

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
  EXPECT_EQ(recent_paths(later), (std::vector<std::string>{a, b}));
}

TEST_F(FileMemoryTest, MarksFilesThatAreGone) {
  FileMemory memory(memory_file());
  memory.remember((folder_.path() / "gone.sqlite").string(), "view=dashboard");
  memory.remember(file("here.sqlite"), "view=dashboard");
  const std::vector<RecentFile> recent = memory.recent();
  ASSERT_EQ(recent.size(), 2u);
  EXPECT_TRUE(recent[0].exists);
  EXPECT_FALSE(recent[1].exists);
}

TEST_F(FileMemoryTest, RemembersFactsOfEachProfile) {
  ProfileFacts facts{1'780'000'000, "4× NVIDIA A100", 12'400'000'000, 59, {}};
  facts.picture.bars = {{1, 2, 3, 4, 5, 6, 7}, {0, 0, 0, 0, 0, 0, 63}};
  const std::string path = file("a.sqlite");
  FileMemory memory(memory_file());
  memory.remember(path, "view=dashboard", facts);
  memory.remember(path, "view=ops");
  EXPECT_EQ(memory.recent().front().facts, facts) << "a later state leaves them";
  EXPECT_EQ(FileMemory(memory_file()).recent().front().facts, facts);
}

TEST_F(FileMemoryTest, ReadsAFileOfAnEarlierVersion) {
  const std::string old = file("old.json");
  std::ofstream(old) << R"([{"path": "/a.sqlite", "state": "view=ops"},
                            {"path": "/b.sqlite", "duration_ns": -5, "gpus": 7, "picture": "?"}])";
  const std::vector<RecentFile> recent = FileMemory(old).recent();
  ASSERT_EQ(recent.size(), 2u);
  EXPECT_EQ(recent[0].facts, ProfileFacts{});
  EXPECT_EQ(recent[1].facts, ProfileFacts{});
}

TEST_F(FileMemoryTest, ForgetsOneFile) {
  const std::string a = file("a.sqlite"), b = file("b.sqlite");
  FileMemory memory(memory_file());
  memory.remember(a, "");
  memory.remember(b, "");
  const int before = memory.changes();
  memory.forget(a);
  EXPECT_NE(memory.changes(), before);
  EXPECT_EQ(recent_paths(FileMemory(memory_file())), (std::vector<std::string>{b}));
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

TEST_F(FileMemoryTest, SurvivesInvalidUtf8PathsAndReadOnlyFolders) {
  FileMemory memory(memory_file());
  memory.remember("/profiles/\xff.sqlite", "view=dashboard");
  EXPECT_EQ(memory.recall("/profiles/\xff.sqlite"), "view=dashboard");
  FileMemory nowhere("/proc/none/files.json");
  nowhere.remember("/a", "b");
  EXPECT_EQ(nowhere.recall("/a"), "b");
}

}  // namespace
}  // namespace dlview::workspace
