#include "app/notices.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dlview::app {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> texts(const Notices& notices) {
  std::vector<std::string> all;
  for (const ui::Notice& notice : notices.shown(true)) all.push_back(notice.text);
  return all;
}

TEST(Notices, ReplaceWhatTheLastCommandDid) {
  Notices notices;
  EXPECT_EQ(notices.newest(), "");
  notices.show("Copied");
  notices.show("Saved");
  EXPECT_THAT(texts(notices), ElementsAre("Saved"));
}

TEST(Notices, KeepProblemsForTheirTime) {
  Notices notices;
  notices.show_problem("disk full");
  notices.pass(3);
  notices.show("Copied");
  notices.show("Saved");
  EXPECT_THAT(texts(notices), ElementsAre("disk full", "Saved"));
  EXPECT_EQ(notices.newest(), "Saved");
  EXPECT_TRUE(notices.pass(2.5f));
  EXPECT_THAT(texts(notices), ElementsAre("Saved"));
  EXPECT_TRUE(notices.pass(3));
  EXPECT_TRUE(notices.empty());
}

TEST(Notices, ShowFewProblemsEachOnce) {
  Notices notices;
  for (const char* problem : {"a", "b", "c", "a", "d"}) notices.show_problem(problem);
  EXPECT_THAT(texts(notices), ElementsAre("c", "a", "d"));
}

TEST(Notices, KeepWhatWasDoneBesideAProblem) {
  Notices notices;
  notices.show("Saved");
  notices.show_problem("disk full");
  EXPECT_THAT(texts(notices), ElementsAre("Saved", "disk full"));
}

TEST(Notices, FadeAtTheEnd) {
  Notices notices;
  notices.show("Copied");
  EXPECT_FALSE(notices.is_fading());
  EXPECT_NEAR(notices.seconds_to_change(true), 4.41f, 1e-4);
  EXPECT_NEAR(notices.seconds_to_change(false), 5.01f, 1e-4);
  EXPECT_FALSE(notices.pass(4.7f));
  EXPECT_TRUE(notices.is_fading());
  EXPECT_NEAR(notices.shown(true).front().opacity, 0.5f, 1e-3);
  EXPECT_EQ(notices.shown(false).front().opacity, 1);
}

}  // namespace
}  // namespace dlview::app
