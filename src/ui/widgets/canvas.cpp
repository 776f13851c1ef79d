#include "ui/widgets/canvas.h"

#include <cmath>

#include "ui/widgets/menu.h"
#include "ui/widgets/tooltip.h"

namespace dlview::ui {
namespace {

constexpr float kClickSlack = 3;  // pixels that a hand may move within a click

ImVec2 snapped(float x, float y) {
  return {std::round(x), std::round(y)};
}

ImDrawList& canvas() {
  return *ImGui::GetWindowDrawList();
}

void draw_info(ImDrawList& list, ImVec2 centre, float size, float line, Colour colour) {
  list.AddCircle(centre, size / 2, colour, 0, line);
  list.AddLine({centre.x, centre.y - size * 0.05f}, {centre.x, centre.y + size * 0.25f}, colour,
               line);
  list.AddCircleFilled({centre.x, centre.y - size * 0.22f}, line * 0.7f, colour);
}

void draw_sun(ImDrawList& list, ImVec2 centre, float size, float line, Colour colour) {
  list.AddCircle(centre, size * 0.22f, colour, 0, line);
  for (int ray = 0; ray < 8; ++ray) {
    const float angle = static_cast<float>(ray) * 3.14159265f / 4;
    const ImVec2 direction{std::cos(angle), std::sin(angle)};
    list.AddLine({centre.x + direction.x * size * 0.36f, centre.y + direction.y * size * 0.36f},
                 {centre.x + direction.x * size * 0.5f, centre.y + direction.y * size * 0.5f},
                 colour, line);
  }
}

// A crescent: the outer arc and back along an inner one.
void draw_moon(ImDrawList& list, ImVec2 centre, float size, float line, Colour colour) {
  const float radius = size * 0.42f;
  list.PathArcTo(centre, radius, 0.1f, 4.6f, 24);
  list.PathArcTo({centre.x + radius * 0.55f, centre.y - radius * 0.5f}, radius * 0.72f, 3.75f,
                 0.95f, 24);
  list.PathStroke(colour, ImDrawFlags_Closed, line);
}

}  // namespace

Box box_of(const Area& area, float height) {
  return {area.left, area.top, area.right(), area.top + height};
}

ItemRect item_rect(const Box& box) {
  return {box.left, box.top, box.right, box.bottom};
}

float text_width(const ImFont* font, std::string_view text) {
  return loading_font(font)
      ->CalcTextSizeA(font_size(font), FLT_MAX, 0, text.data(), text.data() + text.size())
      .x;
}

float line_height(const ImFont* font) {
  return std::ceil(font_size(font));
}

void draw_text(const ImFont* font, float left, float top, Colour colour, std::string_view text) {
  canvas().AddText(loading_font(font), font_size(font), snapped(left, top), colour, text.data(),
                   text.data() + text.size());
}

void draw_text_right(const ImFont* font, float right, float top, Colour colour,
                     std::string_view text) {
  draw_text(font, right - text_width(font, text), top, colour, text);
}

void draw_text_in(const ImFont* font, const Box& box, Colour colour, std::string_view text,
                  bool centred) {
  const float top = box.top + (box.height() - font_size(font)) / 2;
  const float slack = centred ? (box.width() - text_width(font, text)) / 2 : 0;
  draw_text(font, box.left + slack, top, colour, text);
}

void draw_text_cut(Frame& frame, const ImFont* font, float left, float top, float width,
                   Colour colour, std::string_view text, CutAt where) {
  const auto measure = [font](std::string_view part) { return text_width(font, part); };
  const std::string shown = cut_text(text, width, where, measure);
  draw_text(font, left, top, colour, shown);
  if (shown == text) return;
  const Box box{left, top, left + width, top + line_height(font)};
  if (hovered(box)) show_name_tooltip(frame, text);
  if (CopyMenu menu(frame, text, box); menu.is_open()) {
    menu.item("name", "Copy name", [&] { return std::string(text); });
  }
}

float draw_wrapped(const ImFont* font, const Area& area, Colour colour, std::string_view text) {
  const auto measure = [font](std::string_view part) { return text_width(font, part); };
  float y = area.top;
  for (const std::string& line : wrap_prose(text, area.width, measure)) {
    draw_text(font, area.left, y, colour, line);
    y += line_height(font);
  }
  return y;
}

float draw_prose(Frame& frame, const ImFont* font, const Area& area, Colour colour,
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
        draw_text_cut(frame, font, x, y, box.width() + 1, colour, word, CutAt::front);
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

void fill(const Box& box, Colour colour, float rounding) {
  canvas().AddRectFilled({box.left, box.top}, {box.right, box.bottom}, colour, rounding);
}

void outline(const Box& box, Colour colour, float rounding) {
  canvas().AddRect({box.left, box.top}, {box.right, box.bottom}, colour, rounding);
}

void horizontal_line(float left, float right, float top, Colour colour) {
  const float y = std::round(top);
  canvas().AddRectFilled({std::round(left), y}, {std::round(right), y + 1}, colour);
}

Hit hit_area(Frame& frame, std::string_view name, const Box& box) {
  frame.inspector.record_item(name, item_rect(box));
  if (box.width() < 1 || box.height() < 1) return {};
  ImGui::SetCursorScreenPos({box.left, box.top});
  ImGui::PushID(name.data(), name.data() + name.size());
  const bool clicked = ImGui::InvisibleButton("hit", {box.width(), box.height()});
  ImGui::PopID();
  return {ImGui::IsItemHovered(), ImGui::IsItemActive(), clicked};
}

bool was_dragged(const Frame& frame) {
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

void draw_icon(Icon icon, float centre_x, float centre_y, float size, Colour colour) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 centre{std::round(centre_x), std::round(centre_y)};
  const float line = std::fmax(1.0f, size / 8);
  const float arm = size * 0.3f;
  switch (icon) {
    case Icon::check:
      list.PathLineTo({centre.x - arm, centre.y});
      list.PathLineTo({centre.x - arm * 0.25f, centre.y + arm * 0.75f});
      list.PathLineTo({centre.x + arm, centre.y - arm * 0.8f});
      list.PathStroke(colour, 0, line * 1.2f);
      return;
    case Icon::cross:
    case Icon::close:
      list.AddLine({centre.x - arm, centre.y - arm}, {centre.x + arm, centre.y + arm}, colour,
                   line * 1.2f);
      list.AddLine({centre.x - arm, centre.y + arm}, {centre.x + arm, centre.y - arm}, colour,
                   line * 1.2f);
      return;
    case Icon::info:
      draw_info(list, centre, size, line, colour);
      return;
    case Icon::up:
      list.AddTriangleFilled({centre.x - arm, centre.y + arm * 0.6f},
                             {centre.x + arm, centre.y + arm * 0.6f},
                             {centre.x, centre.y - arm * 0.6f}, colour);
      return;
    case Icon::down:
      list.AddTriangleFilled({centre.x - arm, centre.y - arm * 0.6f},
                             {centre.x, centre.y + arm * 0.6f},
                             {centre.x + arm, centre.y - arm * 0.6f}, colour);
      return;
    case Icon::right:
      list.AddTriangleFilled({centre.x - arm * 0.6f, centre.y - arm},
                             {centre.x - arm * 0.6f, centre.y + arm},
                             {centre.x + arm * 0.6f, centre.y}, colour);
      return;
    case Icon::sun:
      draw_sun(list, centre, size, line, colour);
      return;
    case Icon::moon:
      draw_moon(list, centre, size, line, colour);
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
