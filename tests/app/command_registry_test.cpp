#include "app/command_registry.h"

#include <gtest/gtest.h>

namespace dlview::app {
namespace {

TEST(Chord, ReadsModifiersAndKeys) {
  EXPECT_EQ(parse_chord("Ctrl+1"), (Chord{.key = '1', .ctrl = true}));
  EXPECT_EQ(parse_chord("Shift+Ctrl+q"), (Chord{.key = 'Q', .ctrl = true, .shift = true}));
  EXPECT_EQ(parse_chord("Ctrl++"), (Chord{.key = '+', .ctrl = true}));
  EXPECT_EQ(parse_chord("F12")->key - parse_chord("F1")->key, 11);
  EXPECT_TRUE(parse_chord("PageDown"));
}

TEST(Chord, RefusesWhatIsNoKey) {
  for (const char* text : {"", "Ctrl+", "F13", "F1x", "Hyper+A", "AB", " "}) {
    EXPECT_FALSE(parse_chord(text)) << text;
  }
}

TEST(Chord, KnowsWhatATextFieldTakesAsTyping) {
  EXPECT_TRUE(parse_chord("a")->is_typing());
  EXPECT_TRUE(parse_chord("Shift+1")->is_typing());
  EXPECT_FALSE(parse_chord("Ctrl+a")->is_typing());
  EXPECT_FALSE(parse_chord("F12")->is_typing());
  EXPECT_FALSE(parse_chord("Escape")->is_typing());
}

class CommandRegistryTest : public ::testing::Test {
 protected:
  void SetUp() override {
    commands_.add({"view.one", "One", "Ctrl+1", "View", ""}, [this] { ++runs_; });
    commands_.add(
        {"view.zoom_in", "Larger", "Ctrl++", "View", ""}, [this] { ++runs_; },
        [this] { return enabled_; });
  }

  CommandRegistry commands_;
  int runs_ = 0;
  bool enabled_ = true;
};

TEST_F(CommandRegistryTest, RunsACommandByItsIdAndByItsKeys) {
  EXPECT_TRUE(commands_.run("view.one"));
  EXPECT_TRUE(commands_.run(*parse_chord("Ctrl+1")));
  EXPECT_EQ(runs_, 2);
}

TEST_F(CommandRegistryTest, DoesNotRunWhatItDoesNotKnow) {
  EXPECT_FALSE(commands_.run("view.two"));
  EXPECT_FALSE(commands_.run(*parse_chord("1")));
  EXPECT_FALSE(commands_.run(*parse_chord("Ctrl+Shift+1")));
  EXPECT_EQ(runs_, 0);
}

TEST_F(CommandRegistryTest, FindsPlusOnEveryKeyboard) {
  for (const char* keys : {"Ctrl++", "Ctrl+=", "Ctrl+Shift+=", "Ctrl+Shift++"}) {
    EXPECT_TRUE(commands_.run(*parse_chord(keys))) << keys;
  }
}

TEST_F(CommandRegistryTest, RunsTheEnabledOneOfCommandsThatShareAKey) {
  int searches = 0;
  commands_.add({"timeline.in", "In", "Ctrl++", "Timeline", ""}, [&searches] { ++searches; });
  EXPECT_TRUE(commands_.run(*parse_chord("Ctrl++")));
  EXPECT_EQ(runs_, 1);
  enabled_ = false;
  EXPECT_TRUE(commands_.run(*parse_chord("Ctrl++")));
  EXPECT_EQ(runs_, 1);
  EXPECT_EQ(searches, 1);
}

TEST_F(CommandRegistryTest, RunsEnabledCommandsOnly) {
  enabled_ = false;
  EXPECT_TRUE(commands_.infos()[0].enabled);
  EXPECT_FALSE(commands_.infos()[1].enabled);
  EXPECT_FALSE(commands_.run("view.zoom_in"));
  EXPECT_EQ(runs_, 0);
}

// W goes on while it is held; Z and Q do not.
class KeysByPlace : public ::testing::Test {
 protected:
  KeysByPlace() {
    commands_.add(
        {"zoom", "", "W", "", ""}, [this] { did_ += "zoom "; }, [this] { return enabled_; },
        [this](double steps) { steps_ += steps; });
    commands_.add({"alone", "", "Z", "", ""}, [this] { did_ += "alone "; });
    commands_.add({"other", "", "Q", "", ""}, [this] { did_ += "other "; });
  }
  // What the keyboard says, and the place of the key on an American one.
  static KeyPress press(char letter, char place) { return {{.key = letter}, place}; }

  CommandRegistry commands_;
  std::string did_;
  double steps_ = 0;
  bool enabled_ = true;
};

TEST_F(KeysByPlace, AKeyThatIsHeldIsWhereTheHandLies) {
  EXPECT_TRUE(commands_.run(press('W', 'W')));
  EXPECT_TRUE(commands_.run(press('Z', 'W')));  // AZERTY
  EXPECT_TRUE(commands_.run(press('W', 'Z')));
  EXPECT_TRUE(commands_.run(press('Q', 'A')));
  EXPECT_TRUE(commands_.run(press('Z', 'Y')));  // QWERTZ
  EXPECT_EQ(did_, "zoom zoom alone other alone ");
  EXPECT_FALSE(commands_.run(press('W', ',')));  // Dvorak
}

TEST_F(KeysByPlace, OnlyWhatIsHeldGoesOnAndOnlyWhileItIsEnabled) {
  EXPECT_TRUE(commands_.go_on(press('Z', 'W'), 0.25));
  EXPECT_TRUE(commands_.go_on(press('Z', 'W'), 0.5));
  EXPECT_FALSE(commands_.go_on(press('Z', 'Y'), 1));
  enabled_ = false;
  EXPECT_FALSE(commands_.go_on(press('W', 'W'), 1));
  EXPECT_EQ(steps_, 0.75);
}

}  // namespace
}  // namespace dlview::app
