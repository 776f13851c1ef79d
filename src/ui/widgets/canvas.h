// Drawing and pointing on the current window's draw list: text, boxes, lines, hit areas, small
// icons. Everything lands on whole pixels. Strings that begin a name path are inspector names.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ui/imgui_compat.h"
#include "ui/look.h"
#include "ui/text.h"
#include "ui/theme.h"

namespace dlview::ui {

struct Box {
  float left = 0, top = 0, right = 0, bottom = 0;
  float width() const { return right - left; }
  float height() const { return bottom - top; }
};
Box box_of(const Area& area, float height);
ItemRect item_rect(const Box& box);

float text_width(const ImFont* font, std::string_view text);
float line_height(const ImFont* font);

void draw_text(const ImFont* font, float left, float top, Color color, std::string_view text);
void draw_text_right(const ImFont* font, float right, float top, Color color,
                     std::string_view text);
// Centered vertically in the box; horizontally at its left edge or center.
void draw_text_in(const ImFont* font, const Box& box, Color color, std::string_view text,
                  bool centered = false);
// Cut to the width. When it was cut the whole text shows on hover, and a right click copies it.
void draw_text_cut(Frame& frame, const ImFont* font, float left, float top, float width,
                   Color color, std::string_view text, CutAt where);
// The same of a text that was cut before.
void draw_shown(Frame& frame, const ImFont* font, const Area& area, Color color,
                std::string_view shown, std::string_view text);
// On a plate in the color of panels, so that it reads over lines and marks. `left`, `top`: of the
// text.
void draw_text_on_plate(const Frame& frame, const ImFont* font, float left, float top, Color color,
                        std::string_view text);
// Wraps at the area's width; returns the bottom.
float draw_wrapped(const ImFont* font, const Area& area, Color color, std::string_view text);
// Lines that were made of `whole`; where they do not say all of it, it shows on hover. Returns the
// bottom.
float draw_lines(Frame& frame, const ImFont* font, const Area& area, Color color,
                 const std::vector<std::string>& lines, std::string_view whole);
// Wraps, addresses being links that open; a word longer than the line is cut. Returns the bottom.
float draw_prose(Frame& frame, const ImFont* font, const Area& area, Color color,
                 const std::vector<TextSpan>& spans);

void fill(const Box& box, Color color, float rounding = 0);
void outline(const Box& box, Color color, float rounding = 0);
void horizontal_line(float left, float right, float top, Color color);
// Diagonal lines over a box: what is unknown, waits or lies outside the range looks so, not only by
// its color. The lines of neighbors meet.
void hatch(const Frame& frame, const Box& box, Color color);
// A part of a bar or a swatch of a legend; hatched where the tone is.
void fill_tone(const Frame& frame, const Box& box, Tone tone, float rounding = 0);

struct Hit {
  bool hovered = false, held = false, clicked = false;  // Enter and Space click, too
  bool has_ring = false;                                // the keyboard is on it
  bool has_arrived = false;                             // it came to it in this frame
};
// How the keyboard reaches a hit area (ui/widgets/focus.h). A button that is as tall as a chart or
// as thin as an edge is for the mouse only: what it does depends on the place. A chart reads the
// arrow keys and Enter itself while it has the ring.
enum class Reach : uint8_t { button, list, chart, mouse };
// An invisible item, recorded in the inspector under `name`.
Hit hit_area(Frame& frame, std::string_view name, const Box& box, Reach reach = Reach::button);
// Whether the mouse has moved too far for a click while its button was, or is, down.
bool was_dragged(const Frame& frame);
// Hovering only: takes no clicks from what lies below.
bool hovered(const Box& box);

// In this frame, or again as long as it is held.
bool pressed(ImGuiKey key);
// Within a popup: Escape closes it.
void close_popup_on_escape();

enum class Icon { check, cross, close, info, up, down, right, sun, moon };
// Fits into a square of `size` around the center.
void draw_icon(Icon icon, float center_x, float center_y, float size, Color color);
// Three bars of different heights.
void draw_brand_mark(const Frame& frame, float left, float bottom);

}  // namespace dlview::ui
