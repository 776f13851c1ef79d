// The rows of a DataTable: the visible ones are drawn, and what the mouse and the keys do to them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "ui/table/scrolling.h"
#include "ui/table/table_draw.h"

namespace dlview::ui {

inline constexpr float kTableRowHeight = 27;
inline constexpr float kScrollRoom = 16;  // right of the rows, for the scroll bar
inline constexpr float kRowPadding = 6;   // of the ground of a row, to either side of its cells

class TableRows {
 public:
  void draw(TableDraw& draw, const Box& box);

  // Moves as little as it takes to show the selected row.
  void reveal() { reveal_ = true; }
  // Of the rows in view.
  float bottom() const { return bottom_; }
  // Sideways, in pixels.
  float scroll_x() const { return scroll_x_; }
  void limit_scroll_x(float most);
  // By so many columns, to the right or, below 0, to the left.
  void scroll_columns(const TableDraw& draw, int columns);

  std::size_t page() const { return page_; }
  void set_page(std::size_t page);
  std::size_t page_count(const TableDraw& draw) const;
  // Places of the page that is shown.
  std::size_t first_place(const TableDraw& draw) const;
  std::size_t place_count(const TableDraw& draw) const;

 private:
  struct CellAt {
    std::size_t place = 0, column = 0;  // of the look
    Box box;
  };

  void prepare(TableDraw& draw, float row_height);
  void draw_row(TableDraw& draw, std::size_t place, const Box& row, float row_height);
  void take_mouse(TableDraw& draw, const Box& box);
  void take_keys(TableDraw& draw, float view);
  void take_sideways_keys(TableDraw& draw);
  void explain(TableDraw& draw, const CellAt& at);
  bool select_menu_cell(const TableDraw& draw, const Box& box);
  void draw_menu(TableDraw& draw, const Box& box, bool opens);

  std::optional<CellAt> cell_at_mouse(const TableDraw& draw, const Box& box) const;

  RowPositions positions_;  // of the page
  int generation_ = -1;
  std::size_t page_ = 0;
  std::size_t page_size_ = 0;
  float row_height_ = 0;

  double scroll_ = 0;
  double shown_scroll_ = 0;  // the same in whole rows
  float bottom_ = 0;
  float scroll_x_ = 0;
  ScrollBar bar_, side_bar_;
  std::optional<CellAt> menu_cell_;
  // Where the pointer is, and since when: what it rests on is explained, what it passes is not.
  std::size_t hover_place_ = 0, hover_column_ = kNoColumn;
  double hover_since_ = 0;
  bool reveal_ = false;
};

// A word that can be clicked, in a small face, ending at `right`.
struct Word {
  float left = 0;
  bool clicked = false;
};
Word draw_word(Frame& frame, const std::string& name, float right, const Box& line,
               std::string_view text, bool lit, bool enabled = true);

// Pages at the foot of a table, for those who want them; endless scrolling is the default.
// Returns the left edge of what it drew at the right end of the box.
float draw_pages(TableDraw& draw, TableRows& rows, const Box& box);

}  // namespace dlview::ui
