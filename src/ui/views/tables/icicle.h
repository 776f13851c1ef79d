// Icicle: the tree of groups and ops as boxes below each other, whose width is their time. Boxes
// narrower than a pixel are folded into a mark with their number.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/query/text_pattern.h"
#include "ui/table/table_data.h"
#include "ui/text.h"
#include "ui/views/tables/group_colors.h"
#include "ui/views/tables/kernel_columns.h"
#include "ui/widgets/canvas.h"

namespace dlview::ui {

struct IcicleBox {
  uint32_t row = 0;  // the first of the folded rows
  uint32_t level = 0;
  float left = 0, right = 0;  // pixels
  uint32_t folded = 1;        // the number of rows in this box
  TimeParts parts = {};       // of its time, set before it is drawn
};

// Boxes of all rows below `root` (kTop = all rows), `width` pixels in total. `values` are by row;
// the value of a row is at least the sum of its children.
std::vector<IcicleBox> lay_out_icicle(const RowTree& tree, std::span<const int64_t> values,
                                      uint32_t root, float width);

// The name of a box, truncated in the middle to fit; empty if fewer than six letters would remain.
std::string icicle_label(std::string_view name, float room, const MeasureText& measure);

class Icicle {
 public:
  // The height of all levels in the last frame.
  float height(const Frame& frame) const;
  // Whether nothing was drawn, because no row took time.
  bool is_empty() const { return boxes_.empty(); }
  // Fills the box. Returns the row that was clicked.
  std::optional<uint32_t> draw(Frame& frame, const Box& box,
                               const std::shared_ptr<const TableData>& data,
                               std::optional<std::size_t> selected);

  // The classes that fill the boxes with the next drawing; null = the surfaces of the levels, and
  // the categories at their feet.
  void color_by(std::shared_ptr<const GroupColors> colors) { colors_ = std::move(colors); }
  // Rows whose name has the text, or matches the expression in slashes, stand out; the others are
  // dimmed. Empty = none is searched for. A wrong expression is as if nothing was searched for.
  void search(const std::shared_ptr<const TableData>& data, std::string_view text);
  // Rows with GPU time that were found, those with most time first; nullopt = no search.
  const std::optional<std::vector<uint32_t>>& hits() const { return hits_; }
  // The row fills the width; where it does already, or nothing is selected, all rows do.
  void fit(const TableData& data, std::optional<std::size_t> row);
  // Shows all rows if the row does not lie below the root.
  void reveal(const TableData& data, uint32_t row);
  // The name of what fills the width; empty = all rows do.
  const std::string& root_name() const { return root_name_; }

 private:
  void prepare(const std::shared_ptr<const TableData>& data, float width);
  void zoom_to(const TableData& data, uint32_t row);
  void draw_part(Frame& frame, const Box& place, const IcicleBox& part, const TableData& data,
                 bool selected) const;
  void explain(Frame& frame, const IcicleBox& part, const TableData& data) const;
  void draw_menu(Frame& frame, const Box& box, const TableData& data);

  std::shared_ptr<const TableData> prepared_for_;
  float width_ = 0;
  uint32_t root_ = RowTree::kTop;
  std::string root_name_;  // its row can change with the numbers
  uint32_t laid_out_root_ = RowTree::kTop;
  std::vector<int64_t> values_;
  std::vector<IcicleBox> boxes_;
  std::shared_ptr<const GroupColors> colors_;
  std::string searched_;
  std::shared_ptr<const TableData> searched_in_;
  std::optional<std::vector<uint32_t>> hits_;
  std::vector<bool> is_hit_;           // by row; empty = no search
  uint32_t menu_row_ = RowTree::kTop;  // the last row that was right-clicked
};

}  // namespace dlview::ui
