// What makes the real program comfortable: scale, the state string, the page without a file, small
// windows.

#include <map>
#include <string>

#include <gmock/gmock.h>

#include "app/program_commands.h"
#include "app/run_support.h"
#include "support/imgui_frames.h"
#include "ui/imgui_compat.h"
#include "workspace/state_string.h"

namespace dlview::app {
namespace {

using ::testing::HasSubstr;

class ComfortOfProgram : public RunTest {
 protected:
  double height_of(const std::string& name) {
    const Json rect = item(name);
    return rect[3].get<double>() - rect[1].get<double>();
  }
};

TEST_F(ComfortOfProgram, AMonitorOfAnotherScaleBakesTheFontsAnew) {
  const float font_before = ui::font_size(ImGui::GetFont());
  const ImFontAtlas* atlas = ImGui::GetIO().Fonts;
  const int area_before = testing::texture_area(*atlas);
  const double tab_before = height_of("nav/dashboard");
  program().set_display_scale(2);
  offscreen_->draw_until_settled();
  EXPECT_NEAR(ui::font_size(ImGui::GetFont()), 2 * font_before, 1);
  EXPECT_GT(testing::texture_area(*atlas), area_before);
  EXPECT_NEAR(height_of("nav/dashboard"), 2 * tab_before, 1);
  must("key Ctrl++");
  EXPECT_NEAR(height_of("nav/dashboard"), 2.2 * tab_before, 1);
  must("key Ctrl+0");
  EXPECT_NEAR(height_of("nav/dashboard"), 2 * tab_before, 1);
}

TEST_F(ComfortOfProgram, AStateStringBringsBackViewRangeKeyOpAndCut) {
  must("click-item strip/steady\ncommand view.iterations\nclick-item iterations/cut/end");
  must("key Ctrl+Shift+C");
  const std::string copied = ImGui::GetClipboardText();
  const Json before = state();
  must("command view.dashboard\nkey Ctrl+R");
  ASSERT_NE(state()["selection"], before["selection"]);
  const auto request = workspace::parse_state(copied);
  ASSERT_TRUE(request.ok());
  open(workspace::file_request(path_, *request, workspace::EngineChoice::automatic));
  EXPECT_EQ(state()["selection"], before["selection"]);
  EXPECT_EQ(state()["view"], "iterations");
}

TEST_F(ComfortOfProgram, GoToFindsAKernelByItsName) {
  const profile::Profile& profile = *program().session().profile();
  const std::string kernel(profile.text(profile.kernels.name[0]));
  must("key Ctrl+K\ntype " + kernel);
  EXPECT_EQ(value("finder/0"), kernel);
  must("key Enter");
  EXPECT_EQ(value("subject/name"), kernel);
}

TEST_F(ComfortOfProgram, EveryCommandOfAMenuStandsInIt) {
  const std::map<std::string, std::string> buttons{
      {"File", "nav/file"}, {"Range", "nav/range"}, {"View", "nav/view"}, {"Help", "nav/help"}};
  for (const auto& [menu, button] : buttons) {
    must("click-item " + button);
    for (const ProgramCommand& command : program_commands()) {
      EXPECT_EQ(has_item(std::string("menu/") + command.id), menu == command.menu) << command.id;
    }
    must("key Escape");
  }
}

}  // namespace
}  // namespace dlview::app
