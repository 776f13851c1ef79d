#include "import/nsys/event_ranges.h"

#include <algorithm>
#include <concepts>
#include <limits>
#include <optional>
#include <span>
#include <variant>

#include <fmt/format.h>
#include <sqlite3.h>

#include "base/parallel.h"
#include "base/utf8.h"
#include "import/errors.h"
#include "import/times.h"

namespace dlview::import::nsys {
namespace {

using profile::kNoText;
using profile::StringId;

constexpr int64_t kRowsBetweenReports = 4096;
constexpr Place kEnd{std::numeric_limits<int64_t>::max(), 0};

using Cell = sqlite::TableRows::Cell;

const char* time_problem(const Cell& start, const Cell& end, int64_t origin_ns, bool may_be_open) {
  if (!start.is_integer) return "its start is not an integer";
  const bool is_open = end.is_null && may_be_open;
  if (!end.is_integer && !is_open) return "its end is not an integer";
  const int64_t start_ns = start.integer;
  const int64_t end_ns = is_open ? start_ns : end.integer;
  if (end_ns < start_ns) return "it ends before it starts";
  const bool is_far = start_ns < origin_ns - kLatestNs || end_ns > origin_ns + kLatestNs;
  return is_far ? "it is more than 104 days away from the start of the session" : nullptr;
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
    found_.has_value.assign(columns.longs.size(), false);
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
    const Cell cell = row.cell(column.index);
    if (!found_.has_value[i]) {
      if (cell.is_null) continue;
      found_.has_value[i] = true;
      std::fill(column.slots.at(first_), column.slots.at(slot), profile::kNoValue);
    }
    *column.slots.at(slot) = value_of<int64_t>(cell);
  }
}

void RangeReader::read(const sqlite::TableRows& row, std::size_t slot) {
  ++found_.rows;
  const Cell start = row.cell(0), end = row.cell(1);
  if (const char* problem = time_problem(start, end, context_.origin_ns, table_.may_be_open)) {
    found_.left_out.push_back(found_.rows);
    note(problem, 0,
         [&] { return fmt::format("start is {}, end is {}", row.text(0), row.text(1)); });
    return;
  }
  ++found_.kept;
  *columns_.start_ns.slots.at(slot) = start.integer - context_.origin_ns;
  *columns_.end_ns.slots.at(slot) =
      end.is_null ? profile::kNoValue : end.integer - context_.origin_ns;
  read_longs(row, slot);
  read_all(row, columns_.ints, slot);
  read_all(row, columns_.shorts, slot);
  for (auto& column : columns_.references) *column.slots.at(slot) = reference(row, column.index);
  for (auto& column : columns_.texts) *column.slots.at(slot) = text(row, column.index);
}

// Profile-wide ids by the numbers of a range.
struct TextIds {
  std::vector<StringId> references, written;
};

// Gives texts and notes of one range to the context in the order in which its rows have them.
class RangeMerger {
 public:
  RangeMerger(Context& context, const EventTable& table, const EventColumns& columns,
              const EventRange& found, int64_t rows_before)
      : context_(context),
        table_(table),
        columns_(columns),
        found_(found),
        rows_before_(rows_before) {}

  // `uses` tells in how many cells the range has a reference.
  template <typename CountUses>
  TextIds merge(const CountUses& uses);

 private:
  void add_notes_before(Place place);
  void write_up_to(std::size_t count);

  Context& context_;
  const EventTable& table_;
  const EventColumns& columns_;
  const EventRange& found_;
  int64_t rows_before_;
  std::size_t next_note_ = 0;
  TextIds ids_;
};

void RangeMerger::add_notes_before(Place place) {
  for (; next_note_ < found_.notes.size() && found_.notes[next_note_].place < place; ++next_note_) {
    const EventRange::Note& note = found_.notes[next_note_];
    context_.quality.add_rows(table_.name, note.reason, note.rows, rows_before_ + note.place.row,
                              [&] { return note.example; });
  }
}

void RangeMerger::write_up_to(std::size_t count) {
  const profile::StringTableBuilder& written = found_.texts.written();
  while (ids_.written.size() < count) {
    const auto number = static_cast<StringId>(ids_.written.size());
    ids_.written.push_back(found_.texts.is_utf8(number)
                               ? context_.builder.intern(written, number)
                               : context_.builder.intern(base::with_valid_utf8(written[number])));
  }
}

template <typename CountUses>
TextIds RangeMerger::merge(const CountUses& uses) {
  for (const RangeTexts::Reference& reference : found_.texts.references()) {
    add_notes_before(reference.place);
    write_up_to(reference.texts_before);
    const std::optional<StringId> text = context_.texts.find(reference.id);
    if (!text) {
      const auto number = static_cast<StringId>(ids_.references.size());
      const auto column = static_cast<std::size_t>(reference.place.column);
      context_.quality.add_rows(table_.name, "a text is not in StringIds; the row is used without",
                                uses(number), rows_before_ + reference.place.row, [&] {
                                  return fmt::format("{} {} does not exist",
                                                     columns_.sources()[column].name, reference.id);
                                });
    }
    ids_.references.push_back(text.value_or(kNoText));
  }
  add_notes_before(kEnd);
  write_up_to(found_.texts.written().size());
  return std::move(ids_);
}

// The values of one range.
template <typename T>
std::span<T> values_of(const EventColumns::Typed<T>& column, const sqlite::RowRange& range,
                       const EventRange& found) {
  return {column.slots.at(range.offset), found.kept};
}

// Writes the NULLs of ranges in which all are, or else leaves the column without values.
void fill_nulls(EventColumns& columns, const std::vector<sqlite::RowRange>& ranges,
                const std::vector<EventRange>& found) {
  for (std::size_t i = 0; i < columns.longs.size(); ++i) {
    auto& column = columns.longs[i];
    column.is_null = std::ranges::none_of(
        found, [i](const EventRange& range) { return range.kept > 0 && range.has_value[i]; });
    if (column.is_null) continue;
    for (std::size_t range = 0; range < ranges.size(); ++range) {
      if (found[range].kept == 0 || found[range].has_value[i]) continue;
      std::ranges::fill(values_of(column, ranges[range], found[range]), profile::kNoValue);
    }
  }
}

void replace(std::span<StringId> numbers, const std::vector<StringId>& ids) {
  for (StringId& number : numbers) {
    if (number != kNoText) number = ids[number];
  }
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

void join_ranges(Context& context, const EventTable& table,
                 const std::vector<sqlite::RowRange>& ranges, std::vector<EventRange>& found,
                 EventColumns& columns) {
  std::vector<TextIds> ids;
  int64_t rows_before = 0;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const auto uses = [&](StringId number) {
      std::ptrdiff_t count = 0;
      for (const auto& column : columns.references) {
        count += std::ranges::count(values_of(column, ranges[i], found[i]), number);
      }
      return int64_t{count};
    };
    ids.push_back(RangeMerger(context, table, columns, found[i], rows_before).merge(uses));
    for (const int64_t row : found[i].left_out) {
      context.left_out.add(table.name, rows_before + row);
    }
    rows_before += found[i].rows;
    found[i].texts = {};
  }
  base::parallel_for(ranges.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      for (const auto& column : columns.references) {
        replace(values_of(column, ranges[i], found[i]), ids[i].references);
      }
      for (const auto& column : columns.texts) {
        replace(values_of(column, ranges[i], found[i]), ids[i].written);
      }
    }
  });
  fill_nulls(columns, ranges, found);
  std::size_t rows = 0;
  for (const EventRange& range : found) rows += range.kept;
  columns.for_each([&]<typename T>(EventColumns::Typed<T>& column) {
    if constexpr (std::same_as<T, int64_t>) {
      if (column.is_null) {
        *column.result = context.nulls.of(rows);
        return;
      }
    }
    std::size_t count = 0;
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      if (count != ranges[i].offset) {
        column.slots.move_down(ranges[i].offset, count, found[i].kept);
      }
      count += found[i].kept;
    }
    *column.result = std::move(column.slots).finish(rows);
  });
}

}  // namespace dlview::import::nsys
