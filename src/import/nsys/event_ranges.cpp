#include "import/nsys/event_ranges.h"

#include <algorithm>
#include <limits>
#include <variant>

#include <fmt/format.h>
#include <sqlite3.h>

#include "base/utf8.h"
#include "import/errors.h"
#include "import/times.h"

namespace dlview::import::nsys {
namespace {

using profile::kNoText;
using profile::StringId;

using Cell = sqlite::TableRows::Cell;

const char* problem_of_times(const Cell& start, const Cell& end, int64_t origin_ns, Times times) {
  if (times == Times::none) return nullptr;
  if (!start.is_integer) return "its start is not an integer";
  const bool is_open = times == Times::instants || (end.is_null && times == Times::open_spans);
  if (!end.is_integer && !is_open) return "its end is not an integer";
  const int64_t start_ns = start.integer;
  const int64_t end_ns = is_open ? start_ns : end.integer;
  if (end_ns < start_ns) return "it ends before it starts";
  const bool is_far = start_ns < origin_ns - kLatestNs || end_ns > origin_ns + kLatestNs;
  return is_far ? "it is more than 104 days from the start of the capture" : nullptr;
}

template <typename T>
T value_of(const Cell& cell) {
  constexpr T kNull = sizeof(T) == sizeof(int64_t) ? static_cast<T>(profile::kNoValue) : T{-1};
  using Limits = std::numeric_limits<T>;
  if (cell.is_null) return kNull;
  return static_cast<T>(std::clamp<int64_t>(cell.integer, Limits::min(), Limits::max()));
}

base::Error too_many_rows(const std::filesystem::path& path) {
  return sqlite_error(path, SQLITE_CORRUPT, "a table has more rows than row numbers");
}

class RangeReader {
 public:
  // The values of the range's rows stand from `first` on.
  RangeReader(const Context& context, const EventTable& table, EventColumns& columns,
              std::size_t first, EventRange& found)
      : context_(context), table_(table), columns_(columns), first_(first), found_(found) {
    found_.first_values.resize(columns.longs.size());
  }

  // The row is the next one of the range; `slot` is where its values go.
  void read(const sqlite::TableRows& row, std::size_t slot);

 private:
  template <typename Describe>
  void note(const char* reason, int column, Describe&& describe);
  template <typename T>
  static void read_all(const sqlite::TableRows& row, std::vector<EventColumns::Typed<T>>& columns,
                       std::size_t slot) {
    for (auto& column : columns) *column.slots.at(slot) = value_of<T>(row.cell(column.index));
  }
  void read_longs(const sqlite::TableRows& row, std::size_t slot);
  StringId reference(const sqlite::TableRows& row, int column);
  StringId text(const sqlite::TableRows& row, int column);

  const Context& context_;
  const EventTable& table_;
  EventColumns& columns_;
  const std::size_t first_;
  EventRange& found_;
};

template <typename Describe>
void RangeReader::note(const char* reason, int column, Describe&& describe) {
  for (EventRange::Note& known : found_.notes) {
    if (known.reason == reason) {
      ++known.rows;
      return;
    }
  }
  found_.notes.push_back({reason, {found_.rows, column}, 1, describe()});
}

StringId RangeReader::reference(const sqlite::TableRows& row, int column) {
  const Cell cell = row.cell(column);
  if (cell.is_null) return kNoText;
  return found_.texts.reference(cell.integer, {found_.rows, column});
}

StringId RangeReader::text(const sqlite::TableRows& row, int column) {
  if (row.is_null(column)) return kNoText;
  const StringId number = found_.texts.write(row.text(column));
  if (!found_.texts.is_utf8(number)) {
    note(kNotUtf8, column,
         [&] { return describe_not_utf8(base::with_valid_utf8(row.text(column))); });
  }
  return number;
}

void RangeReader::read_longs(const sqlite::TableRows& row, std::size_t slot) {
  for (std::size_t i = 0; i < columns_.longs.size(); ++i) {
    const auto& column = columns_.longs[i];
    const auto value = value_of<int64_t>(row.cell(column.index));
    EventRange::FirstValue& first = found_.first_values[i];
    if (first.is_only) {
      if (slot == first_) first.value = value;
      if (value == first.value) continue;
      first.is_only = false;
      std::fill(column.slots.at(first_), column.slots.at(slot), first.value);
    }
    *column.slots.at(slot) = value;
  }
}

void RangeReader::read(const sqlite::TableRows& row, std::size_t slot) {
  ++found_.rows;
  const Cell start = row.cell(0), end = row.cell(1);
  if (const char* problem = problem_of_times(start, end, context_.origin_ns, table_.times)) {
    found_.left_out.push_back(found_.rows);
    note(problem, 0,
         [&] { return fmt::format("start is {}, end is {}", row.text(0), row.text(1)); });
    return;
  }
  ++found_.kept;
  if (table_.times != Times::none) {
    *columns_.start_ns.slots.at(slot) = start.integer - context_.origin_ns;
  }
  if (table_.times == Times::spans || table_.times == Times::open_spans) {
    *columns_.end_ns.slots.at(slot) =
        end.is_null ? profile::kNoValue : end.integer - context_.origin_ns;
  }
  read_longs(row, slot);
  read_all(row, columns_.ints, slot);
  read_all(row, columns_.shorts, slot);
  for (auto& column : columns_.references) *column.slots.at(slot) = reference(row, column.index);
  for (auto& column : columns_.texts) *column.slots.at(slot) = text(row, column.index);
}

}  // namespace

EventColumns::EventColumns(std::size_t room, profile::Column<int64_t>& start,
                           profile::Column<int64_t>& end)
    : start_ns{0, &start, profile::ColumnSlots<int64_t>(room)},
      end_ns{1, &end, profile::ColumnSlots<int64_t>(room)},
      room_(room),
      sources_{{"start"}, {"end"}} {}

void EventColumns::add(const ColumnSpec& column) {
  const int index = static_cast<int>(sources_.size());
  const bool is_text = std::holds_alternative<TextColumn>(column.values);
  sources_.push_back(
      {column.name, is_text ? sqlite::RowColumn::Kind::text : sqlite::RowColumn::Kind::integer});
  const auto append = [&]<typename T>(std::vector<Typed<T>>& list, profile::Column<T>* result) {
    list.push_back({index, result, profile::ColumnSlots<T>(room_)});
  };
  struct Sort {
    EventColumns& columns;
    const decltype(append)& to;
    void operator()(profile::Column<int64_t>* values) const { to(columns.longs, values); }
    void operator()(profile::Column<int32_t>* values) const { to(columns.ints, values); }
    void operator()(profile::Column<int16_t>* values) const { to(columns.shorts, values); }
    void operator()(const StringIdsColumn& ids) const { to(columns.references, ids.values); }
    void operator()(const TextColumn& written) const { to(columns.texts, written.values); }
  };
  std::visit(Sort{*this, append}, column.values);
}

base::Status read_range(const Context& context, const EventTable& table, sqlite::TableRows& rows,
                        const sqlite::RowRange& range, EventColumns& columns, EventRange& found) {
  RangeReader reader(context, table, columns, range.offset, found);
  while (rows.next()) {
    if (found.kept == range.room) return too_many_rows(context.database.path());
    reader.read(rows, range.offset + found.kept);
    if (found.rows % kRowsBetweenReports == 0) context.progress.add_done(kRowsBetweenReports);
  }
  return rows.status();
}

}  // namespace dlview::import::nsys
