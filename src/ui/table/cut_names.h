// The texts of a table, cut to the widths of their cells; kept from frame to frame.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "ui/table/common_words.h"
#include "ui/table/row_order.h"

namespace dlview::ui {

struct TableDraw;

struct CutName {
  std::string text;
  bool is_cut = false;
  float dots_left = 0, dots_right = 0;  // its first "…", from the left edge of the text
};

// The texts of the rows that are shown, cut where the names of their column agree. What the names
// agree on is looked up in up to 256 of the rows, when a column is first drawn after they have
// changed.
class CutNames {
 public:
  // Call in every frame, before the others.
  void update(const std::shared_ptr<const ShownRows>& shown);
  // A cell of the column that tell_apart() is called for.
  struct Cell {
    std::size_t place = 0;
    std::string text;
    float width = 0;
  };
  // Cuts different texts of these cells that look the same once more, around where they differ.
  void tell_apart(const TableDraw& draw, std::size_t of_look, const std::vector<Cell>& cells);
  // Returns whether these are not the cells of the last call: places and widths of columns.
  bool are_others(std::size_t first, std::size_t end, std::vector<float> widths);
  // The text of a cell in one line. Valid until the next call.
  const CutName& cut(const TableDraw& draw, std::size_t place, std::size_t of_look,
                     const std::string& text, float width);
  // The whole text in lines as wide as the cell. Valid until the next call.
  const std::vector<std::string>& lines(const TableDraw& draw, std::size_t place,
                                        std::size_t of_look, const std::string& text, float width);

 private:
  struct Kept {
    float width = -1, font_size = 0;
    CutName name;
    std::vector<std::string> lines;  // empty = not asked for
  };

  Kept& kept(const TableDraw& draw, std::size_t place, std::size_t of_look, float width);
  const CommonWords& common_words(const TableDraw& draw, std::size_t of_look);

  std::weak_ptr<const ShownRows> seen_;
  std::vector<std::optional<CommonWords>> words_;  // by column of the look
  std::unordered_map<uint64_t, Kept> kept_;        // by place and column
  // The cells of which the names have been told apart.
  std::size_t told_first_ = 0, told_end_ = 0;
  std::vector<float> told_widths_;
};

// Pixels that the texts of a column need to be shown whole; of long tables some rows decide.
float content_width(const TableDraw& draw, std::size_t of_look);
// Pixels that the title of a column, some of its numbers, and a bar of half its usual length need.
float number_width(const TableDraw& draw, std::size_t of_look);

}  // namespace dlview::ui
