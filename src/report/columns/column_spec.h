// ColumnSpec: what a column of the program's own tables is, and how to write one down.
#pragma once

#include <cstddef>
#include <string_view>

#include "aggregate/metrics.h"
#include "report/table.h"

namespace dlview::report {

// For the screen only, not for files and the terminal.
struct OnScreen {
  std::string_view title = {};      // empty = the column's own
  aggregate::MetricId metric = {};  // the definition of its numbers
  float width = 84;                 // in pixels of the design; with a share, the minimum
  float share = 0;                  // of the remaining width
};

struct ColumnSpec {
  // "kernel_name": the column's id. If tables have different texts for the same id, the table's
  // name precedes it: "idle_gaps.duration".
  std::string_view key;
  std::string_view title;  // in files; the unit is no part of it
  CellKind kind = CellKind::text;
  aggregate::Unit unit = aggregate::Unit::none;
  SortDirection first_sort = SortDirection::ascending;  // of the first click on the header
  OnScreen screen = {};

  constexpr std::string_view id() const { return key.substr(key.find('.') + 1); }
  // The table's name before the id; empty = all tables that have the id.
  constexpr std::string_view table() const {
    const std::size_t end = key.find('.');
    return end == std::string_view::npos ? std::string_view() : key.substr(0, end);
  }
  constexpr std::string_view screen_title() const {
    return screen.title.empty() ? title : screen.title;
  }
};

namespace columns {

constexpr ColumnSpec text(std::string_view key, std::string_view title, OnScreen screen = {}) {
  return {.key = key, .title = title, .screen = screen};
}
// One of a few short words.
constexpr ColumnSpec word(std::string_view key, std::string_view title, OnScreen screen = {}) {
  return {.key = key, .title = title, .kind = CellKind::word, .screen = screen};
}
constexpr ColumnSpec flag(std::string_view key, std::string_view title, OnScreen screen = {}) {
  return {.key = key,
          .title = title,
          .kind = CellKind::flag,
          .first_sort = SortDirection::descending,
          .screen = screen};
}
// An integer.
constexpr ColumnSpec number(std::string_view key, std::string_view title, OnScreen screen = {}) {
  return {.key = key,
          .title = title,
          .kind = CellKind::integer,
          .first_sort = SortDirection::descending,
          .screen = screen};
}
constexpr ColumnSpec in_unit(ColumnSpec column, aggregate::Unit unit) {
  column.unit = unit;
  return column;
}
constexpr ColumnSpec count(std::string_view key, std::string_view title, OnScreen screen = {}) {
  return in_unit(number(key, title, screen), aggregate::Unit::count);
}
// Whole ns.
constexpr ColumnSpec time(std::string_view key, std::string_view title, OnScreen screen = {}) {
  return in_unit(number(key, title, screen), aggregate::Unit::ns);
}
// An average of times, in ns with a fraction.
constexpr ColumnSpec average(std::string_view key, std::string_view title, OnScreen screen = {}) {
  ColumnSpec column = time(key, title, screen);
  column.kind = CellKind::real;
  return column;
}
// A number with a fraction, without a unit.
constexpr ColumnSpec real(std::string_view key, std::string_view title, OnScreen screen = {}) {
  ColumnSpec column = number(key, title, screen);
  column.kind = CellKind::real;
  return column;
}
// 0..100.
constexpr ColumnSpec percent(std::string_view key, std::string_view title, OnScreen screen = {}) {
  return in_unit(average(key, title, screen), aggregate::Unit::percent);
}
// The first click on the header sorts in ascending order: ids, instants, versions.
constexpr ColumnSpec ascending(ColumnSpec column) {
  column.first_sort = SortDirection::ascending;
  return column;
}

}  // namespace columns

}  // namespace dlview::report
