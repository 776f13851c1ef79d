#include "ui/palette/shortcuts.h"

#include <gmock/gmock.h>

namespace dlview::ui {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::vector<CommandInfo>& commands() {
  static const std::vector<CommandInfo> all{
      {"file.open", "Open file…", "Ctrl+O", "File", "Open a profile."},
      {"file.demo", "Open demo profile", "", "File", "Generate a run."},
      {"view.close", "Close", "Escape", "", "Close what is on top."},
      {"table.copy", "Copy rows", "Ctrl+C", "Table", "Copy the selected rows.", false},
  };
  return all;
}

std::vector<std::string> titles(const std::vector<ShortcutGroup>& groups, std::string_view group) {
  std::vector<std::string> titles;
  for (const ShortcutGroup& found : groups) {
    if (found.title != group) continue;
    for (const ShortcutRow& row : found.rows) titles.push_back(row.title);
  }
  return titles;
}

TEST(Shortcuts, GroupsCommandsThatHaveKeys) {
  const auto groups = find_shortcuts(commands(), "");
  EXPECT_THAT(titles(groups, "File"), ElementsAre("Open file…"));
  EXPECT_THAT(titles(groups, "View"), ElementsAre("Close"));
  EXPECT_THAT(titles(groups, "Table"), ElementsAre("Copy rows"));
  EXPECT_FALSE(titles(groups, "Mouse").empty());
  EXPECT_FALSE(titles(groups, "Keyboard focus").empty());
}

TEST(Shortcuts, FiltersByTitleKeysAndHelp) {
  EXPECT_THAT(titles(find_shortcuts(commands(), "OPEN"), "File"),
              ElementsAre("Open file…", "Open demo profile"));
  EXPECT_THAT(titles(find_shortcuts(commands(), "ctrl+c"), "Table"), ElementsAre("Copy rows"));
  EXPECT_THAT(titles(find_shortcuts(commands(), "on top"), "View"), ElementsAre("Close"));
  EXPECT_THAT(titles(find_shortcuts(commands(), "selected  copy"), "Table"),
              ElementsAre("Copy rows"));
  EXPECT_THAT(find_shortcuts(commands(), "zebra"), IsEmpty());
}

TEST(Shortcuts, LeaveOutEmptyGroups) {
  for (const ShortcutGroup& group : find_shortcuts(commands(), "open")) {
    EXPECT_FALSE(group.rows.empty()) << group.title;
  }
}

TEST(Shortcuts, SplitAChordIntoKeys) {
  EXPECT_THAT(split_chord("Ctrl+Shift+K"), ElementsAre("Ctrl", "Shift", "K"));
  EXPECT_THAT(split_chord("Ctrl++"), ElementsAre("Ctrl", "+"));
  EXPECT_THAT(split_chord("F1"), ElementsAre("F1"));
  EXPECT_THAT(split_chord(""), IsEmpty());
}

TEST(ShortcutColumns, AreAboutEquallyLong) {
  EXPECT_THAT(fill_columns({10, 10, 10}, 3), ElementsAre(0, 1, 2));
  EXPECT_THAT(fill_columns({10, 20, 10, 5, 5}, 2), ElementsAre(0, 0, 1, 1, 1));
  EXPECT_THAT(fill_columns({3, 3}, 1), ElementsAre(0, 0));
  EXPECT_THAT(fill_columns({}, 3), IsEmpty());
}

}  // namespace
}  // namespace dlview::ui
