// The keyboard alone: every control is reached by Tab and pressed by Enter or Space.

#include <set>

#include <gmock/gmock.h>

#include "app/run_support.h"
#include "ui/view.h"

namespace dlview::app {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

class KeyboardOfProgram : public RunTest {
 protected:
  // The control with the ring; empty = none.
  std::string focus() {
    const auto& values = program().inspector().values();
    const auto found = values.find("focus");
    return found == values.end() ? "" : found->second;
  }
  // Tab from one control to the next, once around.
  std::set<std::string> all_controls() {
    must("key Tab");
    const std::string first = focus();
    std::set<std::string> seen{first};
    for (int i = 0; i < kMostControls; ++i) {
      must("key Tab");
      if (focus() == first) return seen;
      seen.insert(focus());
    }
    ADD_FAILURE() << "Tab does not come back to " << first;
    return seen;
  }
  void tab_to(const std::string& name) {
    for (int i = 0; i < kMostControls && focus() != name; ++i) must("key Tab");
    ASSERT_EQ(focus(), name);
  }

  static constexpr int kMostControls = 400;
};

TEST_F(KeyboardOfProgram, TabReachesABarTableAndStatusInEachView) {
  const profile::Profile& profile = *program().session().profile();
  for (const ui::ViewInfo& view : ui::views()) {
    if (!ui::is_view_of(profile, view.id)) continue;
    must("command view." + std::string(view.name));
    const std::set<std::string> controls = all_controls();
    EXPECT_THAT(controls, Contains("nav/dashboard")) << view.name;
    EXPECT_THAT(controls, Contains("nav/file")) << view.name;
    EXPECT_THAT(controls, Contains("status/engine")) << view.name;
    EXPECT_GT(controls.size(), 15u) << view.name;
    must("key Escape");
    EXPECT_EQ(focus(), "");
  }
}

TEST_F(KeyboardOfProgram, TabAndShiftTabAreOpposite) {
  must("key Tab\nkey Tab\nkey Tab");
  const std::string third = focus();
  must("key Tab\nkey Shift+Tab");
  EXPECT_EQ(focus(), third);
  must("key Shift+Tab\nkey Shift+Tab\nkey Shift+Tab");
  const std::string last = focus();
  must("key Tab\nkey Tab\nkey Tab");
  EXPECT_EQ(focus(), third);
  EXPECT_NE(last, "");
}

TEST_F(KeyboardOfProgram, EnterAndSpacePressTheControl) {
  tab_to("nav/theme");
  must("key Space");
  EXPECT_EQ(state()["theme"], "light");
  must("key Enter");
  EXPECT_EQ(state()["theme"], "dark");
}

TEST_F(KeyboardOfProgram, ArrowsGoThroughTabsAndEnterShowsTheView) {
  tab_to("nav/dashboard");
  must("key Right");
  EXPECT_EQ(focus(), "nav/" + std::string(ui::views()[1].name));
  must("key Enter");
  EXPECT_EQ(state()["view"], ui::views()[1].name);
  must("key Left\nkey Enter");
  EXPECT_EQ(state()["view"], "dashboard");
}

TEST_F(KeyboardOfProgram, OpensAMenuAndComesBackToItsButton) {
  tab_to("nav/file");
  must("key Enter");
  EXPECT_TRUE(has_item("menu/file.open"));
  must("key Escape");
  EXPECT_FALSE(has_item("menu/file.open"));
  EXPECT_EQ(focus(), "nav/file");
  must("key Enter\nkey Down\nkey Enter");
  EXPECT_EQ(state()["overlay"], "files");
  must("key Escape");
  EXPECT_EQ(focus(), "nav/file");
}

TEST_F(KeyboardOfProgram, GivesATableTheArrowKeys) {
  must("command view.ops");
  tab_to("ops/rows");
  must("key Down\nkey Down");
  EXPECT_EQ(focus(), "ops/rows") << "the arrows are the table's";
  EXPECT_THAT(state()["state_string"].get<std::string>(), HasSubstr("row.ops="));
}

TEST_F(KeyboardOfProgram, LeavesTheArrowKeysOfAnotherControlAlone) {
  must("command view.ops");
  tab_to("ops/columns");
  const Json before = state()["state_string"];
  must("key Down");
  EXPECT_EQ(state()["state_string"], before) << "no row was selected";
}

TEST_F(KeyboardOfProgram, OpensTheMenuOfASelectedRow) {
  must("command view.ops");
  tab_to("ops/rows");
  must("key Down\nkey Down\nkey Shift+F10");
  EXPECT_TRUE(has_item("copy/cell"));
  const std::string name = cell("ops", 2, "op_node_name");
  must("key Down\nkey Enter");
  EXPECT_EQ(ImGui::GetClipboardText(), name);
  EXPECT_EQ(focus(), "ops/rows");
}

TEST_F(KeyboardOfProgram, TypesIntoAFieldAndGoesOn) {
  must("command view.iterations");
  tab_to("iterations/start_field");
  must("type 5\nkey Tab");
  EXPECT_EQ(range()[0], 5);
  EXPECT_NE(focus(), "iterations/start_field");
  tab_to("iterations/stop_field");
  must("type 9\nkey Enter");
  EXPECT_EQ(range(), Json::array({5, 9}));
}

TEST_F(KeyboardOfProgram, AClickHidesTheRingAndTabGoesOnFromThere) {
  tab_to("nav/dashboard");
  must("click-item nav/ops");
  EXPECT_EQ(focus(), "");
  must("key Shift+Tab\nkey Tab");
  EXPECT_EQ(focus(), "nav/ops");
}

TEST_F(KeyboardOfProgram, StaysInsideAnOverlay) {
  must("command help.about");
  const std::set<std::string> controls = all_controls();
  EXPECT_EQ(controls, std::set<std::string>{"overlay/close"});
  must("key Enter");
  EXPECT_EQ(state()["overlay"], "");
}

TEST_F(KeyboardOfProgram, EditsAThreshold) {
  must("command help.thresholds");
  must("key Tab");
  const std::set<std::string> controls = all_controls();
  EXPECT_THAT(controls, Contains(HasSubstr("thresholds/")));
  must("key Escape");
  EXPECT_EQ(state()["overlay"], "");
}

TEST_F(KeyboardOfProgram, EscapeHidesTheRingBeforeItClosesAPane) {
  must("command view.kernel_details");
  tab_to("nav/file");
  must("key Escape");
  EXPECT_EQ(focus(), "");
  EXPECT_TRUE(state()["kernel_details"]);
  must("key Escape");
  EXPECT_FALSE(state()["kernel_details"]);
}

TEST_F(KeyboardOfProgram, LeavesArrowKeysToIterationsWithoutARing) {
  must("command view.iterations\nkey Right");
  const Json compared = state()["selected_iteration"];
  EXPECT_FALSE(compared.is_null());
  tab_to("nav/dashboard");
  must("key Right");
  EXPECT_EQ(state()["selected_iteration"], compared);
}

class ShortcutsOfProgram : public KeyboardOfProgram {};

TEST_F(ShortcutsOfProgram, AreFilteredByWhatIsTypedAtOnce) {
  must("key F1\ntype theme");
  EXPECT_EQ(value("shortcuts/search"), "theme");
  EXPECT_TRUE(has_value("shortcuts/view.theme"));
  EXPECT_FALSE(has_value("shortcuts/file.open"));
}

TEST_F(ShortcutsOfProgram, RunTheSelectedCommand) {
  must("key F1\ntype copy state\nkey Enter");
  EXPECT_EQ(state()["overlay"], "");
  EXPECT_THAT(state()["notice"].get<std::string>(), HasSubstr("--state"));
}

TEST_F(ShortcutsOfProgram, AreWalkedByArrows) {
  must("key F1");
  EXPECT_FALSE(has_value("shortcuts/current")) << "nothing runs by accident";
  must("key Down\nkey Down");
  const std::string second = value("shortcuts/current");
  must("key Down\nkey Up");
  EXPECT_EQ(value("shortcuts/current"), second);
  EXPECT_NE(value("shortcuts/help"), "");
}

TEST_F(ShortcutsOfProgram, FitIntoASmallWindow) {
  must("size 640 480\nkey F1");
  const Json items = state()["items"];
  for (const auto& [name, rect] : items.items()) {
    if (!name.starts_with("shortcuts/")) continue;
    EXPECT_GE(rect[0].get<double>(), 0) << name;
    EXPECT_LE(rect[2].get<double>(), 640) << name;
  }
}

}  // namespace
}  // namespace dlview::app
