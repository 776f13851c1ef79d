// The cells of a DataTable.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "ui/table/table_draw.h"
#include "ui/widgets/number.h"

namespace dlview::ui {

// Pixels of the design that the number of a cell with a bar has.
inline constexpr float kNumberBesideBar = 74;

// What a name or a word reads on screen, in the row of the table.
std::string screen_text(const TableDraw& draw, std::size_t row, std::size_t of_look);
ImFont* font_of(const TableDraw& draw, std::size_t of_look);
std::string one_line(std::string text);

// Shows the texts of the row that are cut whole, or cuts them again.
void turn_texts(TableDraw& draw, std::size_t place);

// Cuts names of these rows that look the same, though they differ, where they differ. Call it
// before the rows are drawn; it costs something only when they or the widths have changed.
void tell_names_apart(TableDraw& draw, std::size_t first, std::size_t end);

// How much higher than the others a row is for the texts in it that are shown whole.
float extra_height(const TableDraw& draw, std::size_t place);

// `row_height` is that of a row without opened texts.
void draw_cell(TableDraw& draw, std::size_t place, std::size_t of_look, const Box& cell,
               float row_height);

// What hovering tells: a number in full with its definition, a name that was cut.
void explain_cell(TableDraw& draw, std::size_t place, std::size_t of_look, const Box& cell);

// For the copy menu; its metric is empty where the column has none.
Number number_in(const TableDraw& draw, std::size_t place, std::size_t of_look);

std::string title_of(const TableDraw& draw, std::size_t of_look);

// The op of the row; kNoRow = rows of this table are not of one op each.
profile::OpIndex op_of(const TableDraw& draw, std::size_t place);

// What would narrow everything to the value of this cell; nullopt = nothing would.
std::optional<aggregate::Filter> cross_filter(const TableDraw& draw, std::size_t place,
                                              std::size_t of_look);

}  // namespace dlview::ui
