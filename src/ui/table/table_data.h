// What a DataTable shows: a report::Table with whatever it refers to, how its columns look, and how
// its cells read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aggregate/aggregation.h"
#include "aggregate/filter.h"
#include "aggregate/metrics.h"
#include "profile/profile.h"
#include "profile/python_frames.h"
#include "report/columns.h"
#include "report/query.h"
#include "report/table.h"
#include "timeline/request.h"
#include "ui/model.h"
#include "ui/text.h"
#include "ui/theme.h"
#include "ui/widgets/limit_mark.h"

namespace dlview::ui {

// What a DataTable shows: a report::Table with whatever it refers to, and how its columns look.

// Rows that contain rows.
struct RowTree {
  static constexpr uint32_t kTop = UINT32_MAX;
  std::vector<uint32_t> parent;  // of each row; kTop = none
  // Tells rows apart when numbers change (OpenRows). Computed with the table: reading the texts of
  // 100,000 keys takes longer than a frame may.
  std::vector<uint64_t> key;
  std::vector<bool> is_open;  // whether the rows it contains are shown
  std::vector<bool> has_children;

  uint32_t level(uint32_t row) const;  // 0 = at the top
};

class Sparklines;

class CopyMenu;  // ui/widgets/menu.h

struct TableData {
  // Null of tables that are not of a profile, as those of a run of ranks.
  std::shared_ptr<const profile::Profile> profile;
  std::shared_ptr<const aggregate::Aggregation> aggregation;
  report::Table table;  // of these two
  std::shared_ptr<const RowTree> tree = nullptr;
  std::string when_none = {};  // instead of rows, when there are none; empty = that of the look
  std::string title = {};      // of files that are written of it; empty = that of the look
  // Under which selection it is exported as long as it is what the view shows: that of its
  // aggregation; what the model has selected, for which it was kept because it would be the same;
  // or that without filters, which change nothing of it.
  enum class ExportedUnder : uint8_t { aggregation, selection, unfiltered_selection };
  ExportedUnder exported_under = ExportedUnder::aggregation;
  std::shared_ptr<Sparklines> sparklines = nullptr;  // of its rows; null = none
  // What limits its rows, by row; null = not known yet, or the table has no such column.
  std::shared_ptr<const std::vector<LimitBadge>> badges = nullptr;
  // With which it was made, if they had been read.
  std::shared_ptr<const profile::PythonFrames> python_frames = nullptr;
};

// A column of the table on screen. Columns of the table without one are not shown.
struct ColumnLook {
  std::string id;                   // of a column of the table
  std::string title = {};           // empty = the table's own
  aggregate::MetricId metric = {};  // its definition, above the title and the numbers
  float width = 84;                 // pixels of the design; the least, where there is a share
  float share = 0;                  // of the width that the others leave
  bool shown = true;                // at first
  bool stays = false;               // also where all its cells are equal
  bool code = false;                // names: code face
  CutAt cut = CutAt::front;
  // With it a bar stands beside each number: its part of `bar_of`, or of the largest one shown.
  std::function<Tone(const report::Table&, std::size_t row)> bar = {};
  double bar_of = 0;
  // The cell is drawn as the row's sparkline. Its number is for sorting and filters.
  bool sparkline = false;
  // The cell is drawn as the row's badge; its text is for sorting, search and files.
  enum class Badge : uint8_t { none, letter, word };
  Badge badge = Badge::none;
  // Not set = always. Where it is false the column is not there, whatever the reader has chosen.
  std::function<bool(const TableData&)> applies = {};
  // What narrows everything to the value of a cell; nullopt = nothing does.
  std::function<std::optional<aggregate::Filter>(const report::Table&, std::size_t row)> filter =
      {};
  std::optional<ViewId> shown_in = {};  // where that filter is best looked at
  bool instant = false;                 // a point in time
  bool is_difference = false;           // with its sign
  // What the cell shows where few digits are shown; not set = what suits its column.
  std::function<std::string(const report::Table&, std::size_t row)> few_digits = {};
  bool tree = false;  // indented by the level of the row, with a triangle to open and close
  // Where it says so the cell is drawn as something to look at; a flag that is not set as a cross.
  std::function<bool(const report::Table&, std::size_t row)> attention = {};
  // What stands on screen instead of the text, which the tooltip, copies and files have.
  std::function<std::string(const report::Table&, std::size_t row)> screen_text = {};
  // What the tooltip of a flag says.
  std::function<std::string(const report::Table&, std::size_t row)> reason = {};
};

// With the words, the definition and the width that the column is declared with.
ColumnLook column_look(report::ColumnId id);

// Where a row lies in the Timeline: what is to be shown there; nothing = the row lies nowhere. May
// look at every event, on any thread.
using PlaceOfRow =
    std::function<std::optional<timeline::Request>(const TableData&, std::size_t row)>;

struct TableLook {
  std::string id;              // "ops": the first part of its inspector names
  std::string title;           // "Ops"
  std::string noun;            // "ops": "Showing 63 of 1 642 ops"
  report::ColumnName key;      // its text tells rows apart when numbers change
  report::ColumnName op = {};  // of op ids; empty = rows are not of one op each
  std::string when_none;       // instead of rows, when the table has none
  std::string when_filtered =
      {};  // the same where filters may have left them out; empty = as above
  std::vector<ColumnLook> columns = {};
  report::TableQuery first_query = {};
  std::string prompt = {};  // instead of all, as long as there is nothing to make the table of
  std::string note = {};    // dim, behind the title
  PlaceOfRow place = {};    // not set = rows lie nowhere
  // What else a right click on a row offers; not set = nothing.
  std::function<void(CopyMenu&, Host&, const TableData&, std::size_t row)> actions = {};
  // The id of the column that stays at the left; empty = the first column of names, else the key.
  std::string frozen = {};
  // The row that is selected fills another table: the first one is selected by default.
  bool is_driving = false;
  // What a row is, over the details of the selected one, and the column of its name: "Operator",
  // "torch_op". Empty = there are no details of rows.
  std::string row_kind = {};
  report::ColumnName row_name = {};
};

// What stands instead of the rows of a table without any.
const std::string& why_none(const TableLook& look, const TableData& data);

// The place of the column in the table; kNoColumn = the table does not have it.
inline constexpr std::size_t kNoColumn = SIZE_MAX;
std::size_t find_column(const report::Table& table, report::ColumnName name);
// Nothing where the table does not have the column.
report::Cell cell_in(const report::Table& table, std::size_t row, report::ColumnName name);
// Its text; empty where the table does not have the column.
std::string text_of_cell(const report::Table& table, std::size_t row, report::ColumnName name);
// All cells of the column, with the same end.
std::function<report::Cell(std::size_t row)> cells_of(const report::Table& table,
                                                      report::ColumnName name);

// A cell as people read it: three significant digits with a unit, or every digit.

// Three digits tell a duration, but not when something began: instants are told to the µs.
enum class Digits { few, instant, all };

// "13.8 s", "13.820 000 s" or "13 820 000 000"; not recorded is "–".
std::string cell_text(const report::Column& column, const report::Cell& cell, Digits digits);

// With its unit and every digit: "13,820,000,000 ns".
std::string full_cell_text(const report::Column& column, const report::Cell& cell);

// 0 for what is not a number.
double number_of(const report::Cell& cell);

}  // namespace dlview::ui
