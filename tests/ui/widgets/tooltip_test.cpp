// Tooltips on Dear ImGui alone.

#include "ui/widgets/tooltip.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "ui/view_fixture.h"

namespace dlview::ui {
namespace {

class TooltipTest : public testing::ViewFixture {
 protected:
  TooltipTest() {
    draw = [this](Frame& frame, const Box&, BarLayer&) {
      show_text_tooltip(frame, {{TooltipStyle::heading, text_}, {TooltipStyle::note, "a note"}});
    };
    move_to(300, 300);
  }
  static std::pair<float, float> window_size() {
    const ImDrawData& data = *ImGui::GetDrawData();
    for (int i = 0; i < data.CmdListsCount; ++i) {
      const ImDrawList& list = *data.CmdLists[i];
      if (std::string_view(list._OwnerName).find("Tooltip") == std::string_view::npos) continue;
      std::pair<float, float> size{10000.0f, 10000.0f};  // text is clipped to the window
      for (const ImDrawCmd& command : list.CmdBuffer) {
        const ImVec4 clip = command.ClipRect;
        size = std::min(size, std::pair(clip.z - clip.x, clip.w - clip.y));
      }
      return size;
    }
    ADD_FAILURE() << "no tooltip is drawn";
    return {0, 0};
  }

  std::string text_ = "short";
};

TEST_F(TooltipTest, HasItsSizeInTheFirstFrame) {
  frames(3);
  const auto small = window_size();
  for (const char* text : {"A heading that is much longer\nand has several lines", "short"}) {
    text_ = text;
    frame();
    const auto at_once = window_size();
    frames(3);
    EXPECT_EQ(at_once, window_size()) << text;
  }
  EXPECT_EQ(window_size(), small);
  text_ = "longer than short";
  frame();
  EXPECT_GT(window_size().first, small.first);
}

TEST_F(TooltipTest, WithRowsHasItsSizeInTheFirstFrame) {
  draw = [this](Frame& frame, const Box&, BarLayer&) {
    const std::vector<TooltipRow> rows{{text_, "x 3", "5.00 ms"}, {"short", "x 1", "1.00 ms"}};
    show_rows_tooltip(frame, {{TooltipStyle::name, "an op"}, {TooltipStyle::note, "facts"}}, rows,
                      "and 3 more");
  };
  for (const char* text : {"a kernel", "a kernel with a name that is much longer"}) {
    text_ = text;
    frame();
    const auto at_once = window_size();
    frames(3);
    EXPECT_EQ(at_once, window_size()) << text;
  }
}

TEST_F(TooltipTest, SharesItsWindowWithAnother) {
  draw = [](Frame& frame, const Box&, BarLayer&) {
    show_tooltip(frame, "one");
    show_tooltip(frame, "another one, which is longer");
  };
  frames(4);
  const auto both = window_size();
  draw = [](Frame& frame, const Box&, BarLayer&) {
    show_tooltip(frame, "another one, which is longer");
  };
  frames(4);
  EXPECT_LT(window_size().second, both.second);
  EXPECT_EQ(window_size().first, both.first);
}

}  // namespace
}  // namespace dlview::ui
