// No text on screen is cut off by the edge of a cell, a panel or the window: what does not fit ends
// with an ellipsis or is left out. Looks at the glyphs that Dear ImGui draws.

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <imgui.h>

#include "app/run_support.h"
#include "app/trace_support.h"
#include "ui/view.h"

namespace dlview::app {
namespace {

using ::testing::IsEmpty;

constexpr float kTolerance = 1.5f;  // pixels: glyphs may touch the edge

// Four corners with a part of the font texture; lines and surfaces use a point or a line of it.
bool is_glyph(const ImDrawVert& first, const ImDrawVert& opposite) {
  return first.uv.x != opposite.uv.x && first.uv.y != opposite.uv.y;
}

// Glyphs that the left or right edge of their clip rectangle cuts, as "x, y".
std::vector<std::string> cut_glyphs(const ImDrawData& data) {
  std::vector<std::string> cut;
  for (int l = 0; l < data.CmdListsCount; ++l) {
    const ImDrawList& list = *data.CmdLists[l];
    for (const ImDrawCmd& command : list.CmdBuffer) {
      const ImVec4& clip = command.ClipRect;
      for (unsigned i = 0; i + 6 <= command.ElemCount; i += 3) {
        const auto vertex = [&](unsigned of) -> const ImDrawVert& {
          const auto index = static_cast<int>(command.IdxOffset + i + of);
          return list.VtxBuffer[static_cast<int>(command.VtxOffset) + list.IdxBuffer[index]];
        };
        const ImDrawVert &first = vertex(0), &opposite = vertex(2);
        // A rectangle is two triangles that share their first corner and the diagonal.
        if (&first != &vertex(3) || &opposite != &vertex(4) || !is_glyph(first, opposite)) continue;
        const float left = first.pos.x, right = opposite.pos.x;
        if (opposite.pos.y <= clip.y || first.pos.y >= clip.w) continue;
        const bool is_cut = (left < clip.x - kTolerance && right > clip.x + kTolerance) ||
                            (left < clip.z - kTolerance && right > clip.z + kTolerance);
        if (is_cut) cut.push_back(fmt::format("{:.0f}, {:.0f}", left, first.pos.y));
      }
    }
  }
  return cut;
}

class CutText : public RunTest {
 protected:
  std::vector<std::string> now() {
    offscreen_->draw();
    return cut_glyphs(*ImGui::GetDrawData());
  }
  void look_at_each_view() {
    const profile::Profile& profile = *program().session().profile();
    for (const char* size : {"1280 800", "1920 1080", "800 600"}) {
      must(fmt::format("size {}", size));
      for (const ui::ViewInfo& view : ui::views()) {
        if (!ui::is_view_of(profile, view.id)) continue;
        must(fmt::format("command view.{}", view.name));
        EXPECT_THAT(now(), IsEmpty()) << view.name << " at " << size;
      }
    }
  }
};

TEST_F(CutText, IsFoundWhereAnEdgeCutsIt) {
  must("command view.dashboard");
  offscreen_->draw();
  ImDrawData data = *ImGui::GetDrawData();
  EXPECT_THAT(cut_glyphs(data), IsEmpty());
  // The same frame, every list clipped in the middle of the window.
  for (int l = 0; l < data.CmdListsCount; ++l) {
    for (ImDrawCmd& command : data.CmdLists[l]->CmdBuffer) {
      command.ClipRect.z = std::min(command.ClipRect.z, 303.0f);
    }
  }
  EXPECT_FALSE(cut_glyphs(data).empty());
}

TEST_F(CutText, IsInNoView) {
  look_at_each_view();
}

TEST_F(CutText, IsInNoViewOfATrace) {
  const testing::TemporaryFolder folder;
  open(generated_trace(folder.path() / "trace.json", true));
  look_at_each_view();
}

}  // namespace
}  // namespace dlview::app
