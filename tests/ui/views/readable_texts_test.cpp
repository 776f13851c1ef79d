// Texts that tell something are not written in the color of what is disabled.
#include "aggregate/rules/rule_index.h"
#include "ui/view_fixture.h"
#include "ui/views/dashboard/dashboard.h"
#include "ui/views/iterations/chart.h"

namespace dlview::ui {
namespace {

class ReadableTexts : public testing::ViewFixture {
 protected:
  // Whether a glyph of the last frame has the color: all else is drawn with the white pixel, once
  // lines do not come from the atlas.
  bool is_written_in(Color color) {
    ImGui::GetStyle().AntiAliasedLinesUseTex = false;
    frame();
    const ImVec2 white = ImGui::GetIO().Fonts->TexUvWhitePixel;
    const ImDrawData& drawn = *ImGui::GetDrawData();
    for (int i = 0; i < drawn.CmdListsCount; ++i) {
      for (const ImDrawVert& vertex : drawn.CmdLists[i]->VtxBuffer) {
        const bool is_glyph = vertex.uv.x != white.x || vertex.uv.y != white.y;
        if (is_glyph && vertex.col == color) return true;
      }
    }
    return false;
  }
  const Palette& colors() const { return palette(ThemeKind::dark); }
};

TEST_F(ReadableTexts, OfTheDashboardAreCompleteWithHiddenParts) {
  base::Scheduler scheduler;
  Background background(scheduler);
  DashboardView view;
  draw = [&](Frame& frame, const Box& box, BarLayer&) { view.draw(frame, box, background); };
  ImGui::GetIO().DisplaySize = {1280, 4000};
  testing::Sketch sketch;
  const auto step = sketch.op("train/step");
  for (int64_t i = 0; i < 4; ++i) {
    const auto instance = sketch.instance(step, 100 * i, 100 * i + 90);
    sketch.kernel(instance, 100 * i + 10, 100 * i + 50);
    sketch.copy(instance, 100 * i + 50, 100 * i + 60);
  }
  open(sketch.finish(), "train/step");
  model.rules = std::make_shared<const aggregate::RuleIndex>(*model.profile);
  ASSERT_FALSE(model.rules->untold().empty());
  frames(2);
  click("dashboard/kernel_time/legend/memory");
  EXPECT_NE(value("dashboard/advice/untold/" + std::string(model.rules->untold()[0].detector)),
            "(none)");
  EXPECT_TRUE(is_written_in(colors().dim));
  EXPECT_FALSE(is_written_in(colors().faint));
}

TEST_F(ReadableTexts, OfTheLegendAreThoseOfHiddenCategoriesToo) {
  HiddenCategories hidden;
  draw = [&hidden](Frame& frame, const Box& box, BarLayer&) {
    draw_chart_legend(frame, {box.left, box.top, box.width()}, hidden, "");
  };
  open(testing::run_of_twenty_steps(), "train/step");
  frames(2);
  EXPECT_TRUE(is_written_in(colors().dim)) << "I/O is not recorded";
  for (std::size_t category = 0; category < aggregate::kCategoryCount; ++category) {
    hidden.flip(category);
  }
  EXPECT_FALSE(is_written_in(colors().faint));
}

}  // namespace
}  // namespace dlview::ui
