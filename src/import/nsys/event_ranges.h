// The rows of a table of events, read range by range by several threads into columns that they
// share, then joined: the result is that of one thread that reads all rows in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "import/nsys/range_texts.h"
#include "import/nsys/tables.h"
#include "import/sqlite/row_ranges.h"
#include "import/sqlite/table_rows.h"
#include "profile/column.h"
#include "profile/column_slots.h"

namespace dlview::import::nsys {

// The columns that are read of a table; start and end are the first two.
class EventColumns {
 public:
  template <typename T>
  struct Typed {
    int index;  // in sources()
    profile::Column<T>* result;
    profile::ColumnSlots<T> slots;
    std::optional<T> constant = {};  // the value of all rows, where they have the same
  };

  EventColumns(std::size_t room, profile::Column<int64_t>& start_ns,
               profile::Column<int64_t>& end_ns);
  void add(const ColumnSpec& column);
  // Where they come from in the table.
  const std::vector<sqlite::RowColumn>& sources() const { return sources_; }

  template <typename Use>
  void for_each(Use&& use) {
    use(start_ns);
    use(end_ns);
    for_all(use, longs, ints, shorts, references, texts);
  }

  Typed<int64_t> start_ns, end_ns;
  std::vector<Typed<int64_t>> longs;
  std::vector<Typed<int32_t>> ints;
  std::vector<Typed<int16_t>> shorts;
  std::vector<Typed<profile::StringId>> references, texts;  // numbers of RangeTexts at first

 private:
  template <typename Use, typename... Lists>
  static void for_all(Use& use, Lists&... lists) {
    const auto each = [&use](auto& list) {
      for (auto& column : list) use(column);
    };
    (each(lists), ...);
  }

  std::size_t room_;
  std::vector<sqlite::RowColumn> sources_;
};

// The result of one thread for one range.
struct EventRange {
  struct Note {
    const char* reason;
    Place place;  // of the first row
    int64_t rows;
    std::string example;
  };
  // Nothing is written as long as all rows have the value of the first one.
  struct FirstValue {
    int64_t value = 0;
    bool is_only = true;
  };
  int64_t rows = 0;                      // read
  std::size_t kept = 0;                  // used rows; they begin at the range's offset
  std::vector<FirstValue> first_values;  // of EventColumns::longs
  RangeTexts texts;
  std::vector<Note> notes;        // in order of place
  std::vector<int64_t> left_out;  // rows that cannot be used, from 1
};

base::Status read_range(const Context& context, const EventTable& table, sqlite::TableRows& rows,
                        const sqlite::RowRange& range, EventColumns& columns, EventRange& found);

}  // namespace dlview::import::nsys
