// Lines and cells of the CSV that Nsight Compute writes, and what the columns of its tables are.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "profile/counters.h"

namespace dlview::import::ncu {

struct Cell {
  const char* begin = nullptr;
  const char* end = nullptr;
  bool has_doubled_quotes = false;

  std::string_view raw() const { return {begin, static_cast<std::size_t>(end - begin)}; }
  std::string text() const;  // with single quotes
};

// What follows a cell.
enum class After : uint8_t {
  cell,     // another cell of the line
  line,     // the end of the line, or of the file
  more,     // the text ends within the cell; more of it decides
  unclosed  // a quote is not closed: another row, or the end of the file, follows
};

// The text in which the end of a cell was searched for and not found. Cells that begin in it have
// to end in their line: else each would search the same text, in quadratic time.
struct UnclosedQuote {
  const char* begin = nullptr;
  const char* end = nullptr;
};

// Reads the cell at `at` and moves `at` past its comma or line end. Quotes inside a cell are
// doubled, but the columns of NVTX ranges may have single ones. `is_end`: the file ends at `end`.
// `unclosed`: the last one before.
After read_cell(const char*& at, const char* end, bool is_end, Cell& cell, UnclosedQuote& unclosed);

// Whether a line is the header of a table.
bool is_header(std::string_view line);
// Whether it is of ncu's log: "==PROF== ...".
bool is_log_line(std::string_view line);

// The columns of a table that have a name of their own. All but those from `section` on say which
// launch a row belongs to.
enum class Role : uint8_t {
  id,
  process_id,
  process,
  host,
  kernel,
  kernel_time,
  context,
  stream,
  block,
  grid,
  device,
  cc,
  invocations,
  domain,            // of a summary by NVTX range
  range,             // of it
  push_pop_ranges,   // NVTX ranges of the thread, with --nvtx
  start_end_ranges,  // of all threads
  section,
  body_item,
  metric,
  unit,
  value,
  minimum,
  maximum,
  average,
  rule_name,
  rule_type,
  rule_description,
  speedup_type,
  speedup,
  other,  // on the raw page a metric
};
inline constexpr std::size_t kRoles = static_cast<std::size_t>(Role::other) + 1;

// What a header says of its table.
struct TableShape {
  static constexpr int kAbsent = -1;

  profile::CounterPage page = profile::CounterPage::details;
  std::vector<std::string> names;   // of the columns
  std::vector<Role> roles;          // of the columns
  std::array<int, kRoles> place{};  // of a role; kAbsent = no such column
  // Columns before the first that does not say which launch it is, if they are all that do; else 0.
  std::size_t key_columns = 0;
  // Whether section, metric and unit follow at once, then the values.
  bool is_regular = false;
  std::size_t metric_columns = 0, value_columns = 0;  // of a regular table
  // Fields after the name of a range: "PL_Type", "PL_Value", "Color", ...
  int range_fields = 6;

  bool has(Role role) const { return at(role) != kAbsent; }
  int at(Role role) const { return place[static_cast<std::size_t>(role)]; }
};

bool names_launch(Role role);
TableShape shape_of(const std::vector<std::string>& names);

// Ranges in a cell of Push/Pop ranges, "4711 "domain:name:none:..." "..."", as "domain/name" joined
// by '\n'.
std::string range_path(std::string_view cell, int range_fields);
// Name of a range without the fields after it.
std::string_view without_fields(std::string_view range, int range_fields);

}  // namespace dlview::import::ncu
