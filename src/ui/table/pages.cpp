#include "ui/table/pages.h"

#include <array>
#include <string>

#include <fmt/format.h>

#include "base/units.h"

namespace dlview::ui {
namespace {

struct PageSize {
  std::size_t rows;
  std::string_view label;
};
// From the right to the left.
constexpr std::array<PageSize, 5> kPageSizes{
    {{100, "100"}, {50, "50"}, {25, "25"}, {10, "10"}, {0, "endless"}}};

// A word that can be clicked, ending at `right`.
struct Word {
  float left = 0;
  bool clicked = false;
};
Word draw_word(Frame& frame, const std::string& name, float right, const Box& line,
               std::string_view text, bool lit, bool enabled = true) {
  const ImFont* font = frame.fonts().small;
  const Palette& colours = frame.palette();
  const Box box{right - text_width(font, text) - 2 * frame.px(5), line.top, right, line.bottom};
  const Hit hit = hit_area(frame, name, box);
  const Colour colour = !enabled ? colours.faint : lit || hit.hovered ? colours.text : colours.dim;
  draw_text_in(font, box, colour, text, true);
  if (lit) {
    fill({box.left + frame.px(5), box.bottom - frame.px(5), box.right - frame.px(5),
          box.bottom - frame.px(4)},
         colours.accent);
  }
  return {box.left, hit.clicked && enabled};
}

float draw_label(const Frame& frame, float right, const Box& line, std::string_view text) {
  const ImFont* font = frame.fonts().small;
  const float left = right - text_width(font, text);
  draw_text_in(font, {left, line.top, right, line.bottom}, frame.palette().dim, text);
  return left;
}

}  // namespace

float draw_pages(TableDraw& draw, TableRows& rows, const Box& box) {
  Frame& frame = draw.frame;
  std::size_t& size = draw.tables.rows_per_page;
  float x = box.right;
  const std::size_t before = size;
  for (const PageSize& choice : kPageSizes) {
    const std::string name = draw.path("pages", choice.label);
    const Word word = draw_word(frame, name, x, box, choice.label, before == choice.rows);
    if (word.clicked) size = choice.rows;
    x = word.left;
  }
  x = draw_label(frame, x - frame.px(4), box, "Rows per page");
  if (before == 0) return x;
  const std::size_t count = rows.page_count(draw);
  const std::size_t page = rows.page();
  x -= frame.px(18);
  const Word next =
      draw_word(frame, draw.path("pages", "next"), x, box, "Next ›", false, page + 1 < count);
  x = draw_label(frame, next.left - frame.px(4), box,
                 fmt::format("Page {} of {}", base::format_count(static_cast<int64_t>(page) + 1),
                             base::format_count(static_cast<int64_t>(count))));
  const Word previous = draw_word(frame, draw.path("pages", "previous"), x - frame.px(4), box,
                                  "‹ Previous", false, page > 0);
  if (next.clicked) rows.set_page(page + 1);
  if (previous.clicked) rows.set_page(page - 1);
  return previous.left;
}

}  // namespace dlview::ui
