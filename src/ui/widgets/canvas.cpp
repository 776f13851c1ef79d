#include "ui/widgets/canvas.h"

#include <cmath>

#include "ui/stand_ins.h"
#include "ui/widgets/focus.h"
#include "ui/widgets/menu.h"
#include "ui/widgets/tooltip.h"

namespace dlview::ui {
namespace {

constexpr float kHatchStep = 5, kHatchLine = 1.5f;
constexpr float kClickSlack = 3;  // pixels that the mouse may move within a click
constexpr float kTallestButton = 90, kThinnestButton = 12;

bool is_as_large_as_a_button(const Frame& frame, const Box& box) {
  return box.height() <= frame.px(kTallestButton) &&
         std::fmin(box.width(), box.height()) >= frame.px(kThinnestButton);
}

ImVec2 snapped(float x, float y) {
  return {std::round(x), std::round(y)};
}

ImDrawList& canvas() {
  return *ImGui::GetWindowDrawList();
}

void draw_info(ImDrawList& list, ImVec2 center, float size, float line, Color color) {
  list.AddCircle(center, size / 2, color, 0, line);
  list.AddLine({center.x, center.y - size * 0.05f}, {center.x, center.y + size * 0.25f}, color,
               line);
  list.AddCircleFilled({center.x, center.y - size * 0.22f}, line * 0.7f, color);
}

void draw_sun(ImDrawList& list, ImVec2 center, float size, float line, Color color) {
  list.AddCircle(center, size * 0.22f, color, 0, line);
  for (int ray = 0; ray < 8; ++ray) {
    const float angle = static_cast<float>(ray) * 3.14159265f / 4;
    const ImVec2 direction{std::cos(angle), std::sin(angle)};
    list.AddLine({center.x + direction.x * size * 0.36f, center.y + direction.y * size * 0.36f},
                 {center.x + direction.x * size * 0.5f, center.y + direction.y * size * 0.5f},
                 color, line);
  }
}

// A crescent: the outer arc and back along an inner one.
void draw_moon(ImDrawList& list, ImVec2 center, float size, float line, Color color) {
  const float radius = size * 0.42f;
  list.PathArcTo(center, radius, 0.1f, 4.6f, 24);
  list.PathArcTo({center.x + radius * 0.55f, center.y - radius * 0.5f}, radius * 0.72f, 3.75f,
                 0.95f, 24);
  list.PathStroke(color, ImDrawFlags_Closed, line);
}

}  // namespace

Box box_of(const Area& area, float height) {
  return {area.left, area.top, area.right(), area.top + height};
}

ItemRect item_rect(const Box& box) {
  return {box.left, box.top, box.right, box.bottom};
}

float text_width(const ImFont* font, std::string_view text) {
  std::string buffer;
  const std::string_view shown = with_stand_ins(text, buffer);
  return loading_font(font)
      ->CalcTextSizeA(font_size(font), FLT_MAX, 0, shown.data(), shown.data() + shown.size())
      .x;
}

float line_height(const ImFont* font) {
  return std::ceil(font_size(font));
}

void draw_text(const ImFont* font, float left, float top, Color color, std::string_view text) {
  std::string buffer;
  const std::string_view shown = with_stand_ins(text, buffer);
  canvas().AddText(loading_font(font), font_size(font), snapped(left, top), color, shown.data(),
                   shown.data() + shown.size());
}

void draw_text_right(const ImFont* font, float right, float top, Color color,
                     std::string_view text) {
  draw_text(font, right - text_width(font, text), top, color, text);
}

void draw_text_on_plate(const Frame& frame, const ImFont* font, float left, float top, Color color,
                        std::string_view text) {
  const float margin = frame.px(3);
  fill({left - margin, top, left + text_width(font, text) + margin, top + line_height(font)},
       with_opacity(frame.palette().panel, 0.8f), margin);
  draw_text(font, left, top, color, text);
}

void draw_text_in(const ImFont* font, const Box& box, Color color, std::string_view text,
                  bool centered) {
  const float top = box.top + (box.height() - font_size(font)) / 2;
  const float slack = centered ? (box.width() - text_width(font, text)) / 2 : 0;
  draw_text(font, box.left + slack, top, color, text);
}

void draw_text_cut(Frame& frame, const ImFont* font, float left, float top, float width,
                   Color color, std::string_view text, CutAt where) {
  const auto measure = [font](std::string_view part) { return text_width(font, part); };
  draw_shown(frame, font, {left, top, width}, color, cut_text(text, width, where, measure), text);
}

void draw_shown(Frame& frame, const ImFont* font, const Area& area, Color color,
                std::string_view shown, std::string_view text) {
  draw_text(font, area.left, area.top, color, shown);
  if (shown == text) return;
  const Box box = box_of(area, line_height(font));
  if (hovered(box)) show_name_tooltip(frame, text);
  if (CopyMenu menu(frame, text, box); menu.is_open()) {
    menu.item("name", "Copy name", [&] { return std::string(text); });
  }
}

float draw_wrapped(const ImFont* font, const Area& area, Color color, std::string_view text) {
  const auto measure = [font](std::string_view part) { return text_width(font, part); };
  float y = area.top;
  for (const std::string& line : wrap_prose(text, area.width, measure)) {
    draw_text(font, area.left, y, color, line);
    y += line_height(font);
  }
  return y;
}

float draw_lines(Frame& frame, const ImFont* font, const Area& area, Color color,
                 const std::vector<std::string>& lines, std::string_view whole) {
  float y = area.top;
  std::string said;
  for (const std::string& line : lines) {
    draw_text(font, area.left, y, color, line);
    y += line_height(font);
    said += (said.empty() ? "" : " ") + line;
  }
  const Box box{area.left, area.top, area.right(), y};
  if (said != whole && hovered(box))
    show_text_tooltip(frame, {{TooltipStyle::text, std::string(whole)}});
  return y;
}

float draw_prose(Frame& frame, const ImFont* font, const Area& area, Color color,
                 const std::vector<TextSpan>& spans) {
  const float height = line_height(font);
  const float space = text_width(font, " ");
  float x = area.left;
  float y = area.top;
  int word_number = 0;
  for (const TextSpan& span : spans) {
    std::string_view rest = span.text;
    while (!rest.empty()) {
      if (rest.front() == ' ') {
        x += space;
        rest.remove_prefix(1);
        continue;
      }
      const std::string_view word = rest.substr(0, rest.find(' '));
      rest.remove_prefix(word.size());
      const float width = text_width(font, word);
      if (x + width > area.right() && x > area.left) {
        x = area.left;
        y += height;
      }
      const Box box{x, y, x + std::fmin(width, area.right() - x), y + height};
      ImGui::PushID(word_number++);
      if (span.url.empty()) {
        draw_text_cut(frame, font, x, y, box.width() + 1, color, word, CutAt::front);
      } else {
        const Hit hit = hit_area(frame, "link/" + span.url, box);
        draw_text_cut(frame, font, x, y, box.width() + 1, frame.palette().accent, word,
                      CutAt::middle);
        if (hit.hovered) {
          ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
          horizontal_line(box.left, box.right, box.bottom - 1, frame.palette().accent);
        }
        if (hit.clicked) frame.host.open_link(span.url);
      }
      ImGui::PopID();
      x += width;
    }
  }
  return y + height;
}

void fill(const Box& box, Color color, float rounding) {
  canvas().AddRectFilled({box.left, box.top}, {box.right, box.bottom}, color, rounding);
}

void outline(const Box& box, Color color, float rounding) {
  canvas().AddRect({box.left, box.top}, {box.right, box.bottom}, color, rounding);
}

void horizontal_line(float left, float right, float top, Color color) {
  const float y = std::round(top);
  canvas().AddRectFilled({std::round(left), y}, {std::round(right), y + 1}, color);
}

void hatch(const Frame& frame, const Box& box, Color color) {
  if (box.width() < 1 || box.height() < 1) return;
  const float step = frame.px(kHatchStep), height = box.height();
  ImDrawList& list = canvas();
  list.PushClipRect({box.left, box.top}, {box.right, box.bottom}, true);
  // On a grid of the window: a line passes through the points where x + y is a multiple of `step`.
  const float first = std::floor((box.left + box.top) / step) * step;
  for (float sum = first; sum < box.right + box.bottom; sum += step) {
    const float x = sum - box.top;
    list.AddLine({x, box.top}, {x - height, box.bottom}, color, frame.px(kHatchLine));
  }
  list.PopClipRect();
}

void fill_tone(const Frame& frame, const Box& box, Tone tone, float rounding) {
  const Color color = frame.palette().tone(tone);
  fill(box, color, rounding);
  if (is_hatched(tone)) hatch(frame, box, hatch_color(color));
}

Hit hit_area(Frame& frame, std::string_view name, const Box& box, Reach reach) {
  frame.inspector.record_item(name, item_rect(box));
  if (box.width() < 1 || box.height() < 1) return {};
  ImGui::SetCursorScreenPos({box.left, box.top});
  ImGui::PushID(name.data(), name.data() + name.size());
  const bool clicked = ImGui::InvisibleButton("hit", {box.width(), box.height()});
  ImGui::PopID();
  Hit hit{ImGui::IsItemHovered(), ImGui::IsItemActive(), clicked};
  if (frame.focus == nullptr || reach == Reach::mouse) return hit;
  if (reach == Reach::button && !is_as_large_as_a_button(frame, box)) return hit;
  using enum KeyboardFocus::Kind;
  const KeyboardFocus::Control control{ImGui::GetID(name.data(), name.data() + name.size()), box,
                                       reach == Reach::list    ? list
                                       : reach == Reach::chart ? chart
                                                               : button};
  const KeyboardFocus::State state = frame.focus->add(frame, name, control);
  if (hit.held) frame.focus->take(control.id);
  hit.clicked = hit.clicked || state.pressed;
  hit.has_ring = state.has_ring;
  hit.has_arrived = state.arrived;
  return hit;
}

bool was_dragged(const Frame& frame) {
  if (!ImGui::IsMouseDown(ImGuiMouseButton_Left) &&
      !ImGui::IsMouseReleased(ImGuiMouseButton_Left)) {
    return false;  // a key was pressed
  }
  const float slack = frame.px(kClickSlack);
  return ImGui::GetIO().MouseDragMaxDistanceSqr[ImGuiMouseButton_Left] > slack * slack;
}

bool hovered(const Box& box) {
  return ImGui::IsWindowHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem) &&
         ImGui::IsMouseHoveringRect({box.left, box.top}, {box.right, box.bottom});
}

bool pressed(ImGuiKey key) {
  return is_key_pressed(key);
}

void close_popup_on_escape() {
  if (pressed(ImGuiKey_Escape)) ImGui::CloseCurrentPopup();
}

void draw_icon(Icon icon, float center_x, float center_y, float size, Color color) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 center{std::round(center_x), std::round(center_y)};
  const float line = std::fmax(1.0f, size / 8);
  const float arm = size * 0.3f;
  switch (icon) {
    case Icon::check:
      list.PathLineTo({center.x - arm, center.y});
      list.PathLineTo({center.x - arm * 0.25f, center.y + arm * 0.75f});
      list.PathLineTo({center.x + arm, center.y - arm * 0.8f});
      list.PathStroke(color, 0, line * 1.2f);
      return;
    case Icon::cross:
    case Icon::close:
      list.AddLine({center.x - arm, center.y - arm}, {center.x + arm, center.y + arm}, color,
                   line * 1.2f);
      list.AddLine({center.x - arm, center.y + arm}, {center.x + arm, center.y - arm}, color,
                   line * 1.2f);
      return;
    case Icon::info:
      draw_info(list, center, size, line, color);
      return;
    case Icon::up:
      list.AddTriangleFilled({center.x - arm, center.y + arm * 0.6f},
                             {center.x + arm, center.y + arm * 0.6f},
                             {center.x, center.y - arm * 0.6f}, color);
      return;
    case Icon::down:
      list.AddTriangleFilled({center.x - arm, center.y - arm * 0.6f},
                             {center.x, center.y + arm * 0.6f},
                             {center.x + arm, center.y - arm * 0.6f}, color);
      return;
    case Icon::right:
      list.AddTriangleFilled({center.x - arm * 0.6f, center.y - arm},
                             {center.x - arm * 0.6f, center.y + arm},
                             {center.x + arm * 0.6f, center.y}, color);
      return;
    case Icon::sun:
      draw_sun(list, center, size, line, color);
      return;
    case Icon::moon:
      draw_moon(list, center, size, line, color);
      return;
  }
}

void draw_brand_mark(const Frame& frame, float left, float bottom) {
  const float width = frame.px(4);
  const float step = width + frame.px(2);
  const float heights[] = {7, 11, 15};
  const Tone tones[] = {Tone::tensor_core_kernels, Tone::other_kernels, Tone::memory};
  for (int bar = 0; bar < 3; ++bar) {
    const float x = left + static_cast<float>(bar) * step;
    fill({x, bottom - frame.px(heights[bar]), x + width, bottom}, frame.palette().tone(tones[bar]),
         frame.px(1));
  }
}

}  // namespace dlview::ui
