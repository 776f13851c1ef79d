// Icicle: the tree of groups and ops as boxes below each other, as wide as what each holds. What is
// smaller than a pixel is folded into a mark that says how many.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ui/table/table_data.h"
#include "ui/text.h"
#include "ui/views/tables/kernel_columns.h"
#include "ui/widgets/canvas.h"

namespace dlview::ui {

struct IcicleBox {
  uint32_t row = 0;  // the first of those folded together
  uint32_t level = 0;
  float left = 0, right = 0;           // pixels
  uint32_t folded = 1;                 // so many rows stand here
  std::array<TonePart, 3> parts = {};  // of its time, once it is to be drawn
};

// Boxes of all rows below `root` (kTop = of all), `width` pixels for the whole. `values` are by
// row; a row holds no less than its children together.
std::vector<IcicleBox> lay_out_icicle(const RowTree& tree, std::span<const int64_t> values,
                                      uint32_t root, float width);

// The name of a box, cut in its middle where it has no room; empty where less than six letters of
// it would stay.
std::string icicle_label(std::string_view name, float room, const MeasureText& measure);

class Icicle {
 public:
  // Of all levels that were drawn last.
  float height(const Frame& frame) const;
  // Nothing took time, so nothing was drawn.
  bool is_empty() const { return boxes_.empty(); }
  // Fills the box. Returns the row that was clicked.
  std::optional<uint32_t> draw(Frame& frame, const Box& box,
                               const std::shared_ptr<const TableData>& data,
                               std::optional<std::size_t> selected);

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
  std::string root_name_;  // other numbers may have it in another row
  uint32_t laid_out_root_ = RowTree::kTop;
  std::vector<int64_t> values_;
  std::vector<IcicleBox> boxes_;
  uint32_t menu_row_ = RowTree::kTop;  // the last one that was clicked with the right button
};

}  // namespace dlview::ui
