#include "workspace/bookmark_file.h"

#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "support/random_profile.h"
#include "support/test_data.h"

namespace dlview::workspace {
namespace {

using timeline::Bookmarks;

class BookmarkFileTest : public ::testing::Test {
 protected:
  std::filesystem::path path() const { return folder_.path() / "config" / "bookmarks.json"; }

  testing::TemporaryFolder folder_;
  const Bookmarks one_{{{300, 50}, {0, 900}, "slow copy – \"why\"?"}};
  const Bookmarks two_{{{-5, 7}, {-10, 20}, ""}, {{36'000'000'000'001, 1}, {0, 2}, "late"}};
};

TEST_F(BookmarkFileTest, KeepsThemForEachRun) {
  const BookmarkFile file(path());
  EXPECT_TRUE(file.of("a").empty());
  EXPECT_TRUE(file.keep("a", "/runs/a.sqlite", {}, one_));
  EXPECT_TRUE(BookmarkFile(path()).keep("b", "/runs/b.sqlite", {}, two_));
  EXPECT_EQ(file.of("a"), one_);
  EXPECT_EQ(file.of("b"), two_);
  EXPECT_TRUE(file.keep("a", "/runs/a.sqlite", one_, {}));
  EXPECT_TRUE(file.of("a").empty());
  EXPECT_EQ(file.of("b"), two_);
}

TEST_F(BookmarkFileTest, KeepsWhatTwoWindowsWrite) {
  const BookmarkFile file(path());
  Bookmarks named = one_;
  named[0].note = "named";
  EXPECT_TRUE(file.keep("a", "/runs/a.sqlite", {}, one_));
  EXPECT_TRUE(file.keep("a", "/runs/a.sqlite", {}, two_)) << "which knows nothing of the first";
  EXPECT_EQ(file.of("a"), (Bookmarks{two_[0], one_[0], two_[1]}));
  EXPECT_TRUE(file.keep("a", "/runs/a.sqlite", one_, named));
  EXPECT_TRUE(file.keep("a", "/runs/a.sqlite", two_, {two_[1]}));
  EXPECT_EQ(file.of("a"), (Bookmarks{named[0], two_[1]}));
}

TEST_F(BookmarkFileTest, RefusesTimesThatDoNotFit) {
  std::filesystem::create_directories(path().parent_path());
  std::ofstream(path()) << R"({"a": {"bookmarks": [
      {"time": [9223372036854775807, 10], "window": [0, 9]},
      {"time": [0, 10], "window": [18446744073709551615, 9]}]}})";
  EXPECT_TRUE(BookmarkFile(path()).of("a").empty());
}

TEST_F(BookmarkFileTest, PassesOverWhatIsNoBookmark) {
  std::filesystem::create_directories(path().parent_path());
  std::ofstream(path()) << R"({"a": {"bookmarks": [7, {"time": [1, 0], "window": [0, 9]},
      {"time": [1, 2]}, {"time": [1, 2], "window": [0, 9], "note": 3}]}, "b": []})";
  const BookmarkFile file(path());
  EXPECT_EQ(file.of("a"), (Bookmarks{{{1, 2}, {0, 9}, ""}}));
  EXPECT_TRUE(file.of("b").empty());
}

TEST_F(BookmarkFileTest, LeavesABrokenFileAsItIs) {
  std::filesystem::create_directories(path().parent_path());
  std::ofstream(path()) << "{ not finished";
  const BookmarkFile file(path());
  EXPECT_TRUE(file.of("a").empty());
  EXPECT_FALSE(file.keep("a", "/runs/a.sqlite", {}, one_));
  std::stringstream text;
  text << std::ifstream(path()).rdbuf();
  EXPECT_EQ(text.str(), "{ not finished");
}

TEST(RunIdentity, FollowsTheEvents) {
  testing::RandomProfileOptions options;
  const std::string one = run_identity(testing::random_profile(options));
  EXPECT_EQ(one.size(), 16U);
  EXPECT_EQ(run_identity(testing::random_profile(options)), one);
  options.seed = 2;
  EXPECT_NE(run_identity(testing::random_profile(options)), one);
  options.seed = 1;
  options.kernels = 701;
  EXPECT_NE(run_identity(testing::random_profile(options)), one);
}

}  // namespace
}  // namespace dlview::workspace
