#include "ui/first_page.h"

#include <gtest/gtest.h>

namespace dlview::ui {
namespace {

constexpr int64_t kNow = 1'780'000'000;  // 2026-05-28

TEST(AgeText, CountsInTheLargestUnit) {
  EXPECT_EQ(age_text(kNow - 5, kNow), "just now");
  EXPECT_EQ(age_text(kNow + 60, kNow), "just now") << "a clock that was set back";
  EXPECT_EQ(age_text(kNow - 5 * 60, kNow), "5 min ago");
  EXPECT_EQ(age_text(kNow - 3 * 3600, kNow), "3 h ago");
  EXPECT_EQ(age_text(kNow - 30 * 3600, kNow), "yesterday");
  EXPECT_EQ(age_text(kNow - 12 * 86400, kNow), "12 days ago");
  EXPECT_EQ(age_text(kNow - 100 * 86400, kNow), "2026-02-17");
}

TEST(AgeText, IsEmptyWhereUnknown) {
  EXPECT_EQ(age_text(0, kNow), "");
  EXPECT_EQ(age_text(kNow, 0), "");
}

TEST(ShortenHome, ReplacesTheHomeFolderOnly) {
  EXPECT_EQ(shorten_home("/home/me/runs", "/home/me"), "~/runs");
  EXPECT_EQ(shorten_home("/home/me", "/home/me"), "~");
  EXPECT_EQ(shorten_home("/home/men/runs", "/home/me"), "/home/men/runs");
  EXPECT_EQ(shorten_home("/data", ""), "/data");
  EXPECT_EQ(shorten_home("/data", "/"), "/data");
}

TEST(WrapCommand, BreaksAtBlanksAsAShellTakesIt) {
  const auto letters = [](std::string_view text) { return static_cast<float>(text.size()); };
  EXPECT_EQ(wrap_command("nsys profile -o run", 40, letters), "nsys profile -o run");
  EXPECT_EQ(wrap_command("nsys profile -o run python", 16, letters),
            "nsys profile \\\n  -o run python");
  EXPECT_EQ(wrap_command("a-very-long-word b", 4, letters), "a-very-long-word \\\n  b");
}

}  // namespace
}  // namespace dlview::ui
