// Finds glyphs that no face has: Dear ImGui draws a box for them.
#pragma once

#include <imgui.h>

#include "support/imgui_frames.h"

namespace dlview::testing {

// Boxes in the last frame's draw data, whoever drew them.
inline int count_drawn_boxes() {
  constexpr ImWchar kBox = 0x25a1;
  int boxes = 0;
  for (ImFont* font : ImGui::GetIO().Fonts->Fonts) {
    const ImFontGlyph* box = glyph_of(*font, kBox);
    const ImDrawData& data = *ImGui::GetDrawData();
    for (int list = 0; box != nullptr && list < data.CmdListsCount; ++list) {
      // One corner of each: the upper left.
      for (const ImDrawVert& vertex : data.CmdLists[list]->VtxBuffer) {
        boxes += vertex.uv.x == box->U0 && vertex.uv.y == box->V0 ? 1 : 0;
      }
    }
  }
  return boxes;
}

}  // namespace dlview::testing
