// Where the columns of a table lie: their order, which are shown, how wide each is. Pure.
#pragma once

#include <cstddef>
#include <vector>

#include "ui/table/table_data.h"

namespace dlview::ui {

// All columns are numbered by their place in TableLook::columns.
class ColumnLayout {
 public:
  ColumnLayout() = default;
  explicit ColumnLayout(const std::vector<ColumnLook>& looks);

  std::size_t count() const { return columns_.size(); }
  bool is_shown(std::size_t column) const { return columns_[column].shown; }
  // The last column that is shown stays.
  void show(std::size_t column, bool shown);
  // Pixels of the design.
  void set_width(std::size_t column, float width);
  // Puts the column before the one at `place` of order(); order().size() = behind all.
  void move(std::size_t column, std::size_t place);

  const std::vector<std::size_t>& order() const { return order_; }  // also of those not shown

  struct Placed {
    std::size_t column = 0;
    float left = 0, width = 0;  // from the first one's left edge
    float right() const { return left + width; }
  };
  struct Placement {
    std::vector<Placed> columns;  // shown ones, from left to right
    float width = 0;              // of all: more than what is available = scrolls sideways
  };
  // In pixels. Columns with a share take what is left, no less than their width; a width that was
  // set by hand is kept.
  Placement place(float available, float scale, float gap) const;

 private:
  struct Column {
    float width = 0, share = 0;
    bool shown = true;
  };
  std::vector<Column> columns_;
  std::vector<std::size_t> order_;
};

}  // namespace dlview::ui
