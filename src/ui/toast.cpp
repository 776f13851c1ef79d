#include "ui/toast.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

namespace dlview::ui {
namespace {

// A surface of its own, so that it lies above scrolling parts; it takes no input.
void draw_floating(Frame& frame, const char* id, const Box& box, float opacity, const ImFont* font,
                   std::string_view text) {
  const Palette& colours = frame.palette();
  ImGui::SetNextWindowPos({box.left - 1, box.top - 1});
  ImGui::SetNextWindowSize({box.width() + 2, box.height() + 2});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::Begin(id, nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoInputs |
                   ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoFocusOnAppearing);
  ImGui::PopStyleVar();
  fill(box, with_opacity(colours.raised, opacity), frame.px(6));
  outline(box, with_opacity(mix(colours.line, colours.text, 0.2f), opacity), frame.px(6));
  const float inset = frame.px(14);
  draw_text_cut(frame, font, box.left + inset, box.top + (box.height() - font_size(font)) / 2,
                box.width() - 2 * inset, with_opacity(colours.text, opacity), text, CutAt::middle);
  ImGui::End();
}

}  // namespace

void draw_toast(Frame& frame, float bottom) {
  const std::string& notice = frame.model.notice;
  frame.inspector.record_value("notice", notice);
  if (notice.empty()) return;
  const ImFont* font = frame.fonts().text;
  const float window = ImGui::GetIO().DisplaySize.x;
  const float width = std::min(text_width(font, notice) + frame.px(30), window - 2 * frame.px(24));
  const float left = std::round((window - width) / 2);
  draw_floating(frame, "toast",
                {left, bottom - frame.px(46), left + std::ceil(width), bottom - frame.px(14)},
                frame.model.notice_opacity, font, notice);
}

void draw_frame_times(Frame& frame, float top) {
  if (!frame.model.frame_times) return;
  const FrameTimes& times = *frame.model.frame_times;
  const std::string text =
      fmt::format("frame: built in {:.1f} ms · drawn in {:.1f} ms", times.build_ms, times.draw_ms);
  frame.inspector.record_value("frame_times", text);
  const ImFont* font = frame.fonts().small;
  const float right = ImGui::GetIO().DisplaySize.x - frame.px(12);
  const float left = right - std::ceil(text_width(font, text) + frame.px(30));
  draw_floating(frame, "frame times", {left, top + frame.px(8), right, top + frame.px(34)}, 0.9f,
                font, text);
}

}  // namespace dlview::ui
