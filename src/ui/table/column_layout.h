// Where the columns of a table lie: their order, which are shown, how wide each is. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "ui/table/table_data.h"

namespace dlview::ui {

// The column of names, which stays at the left while the others scroll sideways: the one that the
// look names, else the first column of names, else the key. kNoColumn = none of them is a column.
std::size_t frozen_column(const TableLook& look);

// Where the columns of a table lie. All columns are numbered by their place in TableLook::columns.
class ColumnLayout {
 public:
  ColumnLayout() = default;
  // The frozen column is the first one.
  explicit ColumnLayout(const std::vector<ColumnLook>& looks, std::size_t frozen = kNoColumn);

  std::size_t count() const { return columns_.size(); }
  std::size_t frozen() const { return frozen_; }
  bool is_shown(std::size_t column) const;
  // Whether it is not shown only because all its cells are equal.
  bool is_hidden_as_constant(std::size_t column) const;
  // A column that does not apply to the data is not placed, whatever the user chose.
  void set_applies(std::size_t column, bool applies) { columns_[column].applies = applies; }
  // What files and copies contain: shown or constant, and more than a picture.
  bool is_exported(std::size_t column) const {
    const Column& which = columns_[column];
    return (is_shown(column) || is_hidden_as_constant(column)) && which.applies &&
           !which.is_picture;
  }
  // The choice of the user, which wins. The last column that is shown stays.
  void show(std::size_t column, bool shown);
  // A constant column is not shown unless the user chose to see it.
  void set_constant(std::size_t column, bool is_constant) {
    columns_[column].is_constant = is_constant;
  }
  // The width chosen by the user, in pixels of the design.
  void set_width(std::size_t column, float width);
  // The width of the longest text in it, in pixels of the design: it does not grow beyond.
  void set_content(std::size_t column, float width) { columns_[column].content = width; }
  float content(std::size_t column) const { return columns_[column].content; }
  // The width that the title and the numbers of a column without a share need, likewise: what it
  // has beyond that goes first to columns with a share that need it.
  void set_need(std::size_t column, float width) { columns_[column].need = width; }
  float need(std::size_t column) const { return columns_[column].need; }
  // Puts the column before the one at `place` of order(); order().size() = behind all. The frozen
  // column stays the first one.
  void move(std::size_t column, std::size_t place);
  // As at first.
  void reset();

  const std::vector<std::size_t>& order() const { return order_; }  // also of those not shown

  struct Placed {
    std::size_t column = 0;
    float left = 0, width = 0;  // from the left edge of the table
    float right() const { return left + width; }
  };
  struct Placement {
    std::vector<Placed> columns;  // in view, each of them whole, from left to right
    float width = 0;              // of these
    bool is_frozen = false;       // the first of them stays while the others scroll
    std::size_t before = 0;       // columns that are scrolled off to the left
    std::size_t after = 0;        // and to the right
    // The scroll positions that put a column first; empty = all columns fit.
    std::vector<float> stops = {};
    float most_scroll() const { return stops.empty() ? 0 : stops.back(); }
    bool scrolls() const { return stops.size() > 1; }
  };
  // In pixels. Columns that do not fit whole are scrolled off; the others share what is left:
  // those with a share first, then all but those whose width the user chose.
  Placement place(float available, float scale, float gap, float scroll = 0) const;

 private:
  struct Column {
    float first_width = 0;
    float width = 0, share = 0;
    bool shown = true;  // at first
    std::optional<bool> chosen = {};
    bool is_picture = false;
    bool applies = true;
    bool is_constant = false;
    bool is_by_hand = false;  // the user chose the width
    float content = 0;        // 0 = not known
    float need = 0;           // likewise
  };

  float lacking(std::span<const Placed> placed, float scale) const;
  void make_room(std::span<Placed> placed, float spare, float scale) const;
  float grow_shares(std::span<Placed> placed, float spare, float scale) const;
  void spread(std::span<Placed> placed, float spare) const;
  void fill(std::span<Placed> placed, float spare, float scale) const;
  void place_scrolled(Placement& placement, std::vector<Placed> all, float available, float scale,
                      float gap, float scroll) const;

  std::vector<Column> columns_;
  std::vector<std::size_t> order_;
  std::size_t frozen_ = kNoColumn;
};

}  // namespace dlview::ui
