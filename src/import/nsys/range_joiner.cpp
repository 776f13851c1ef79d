#include "import/nsys/range_joiner.h"

#include <algorithm>
#include <concepts>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "base/parallel.h"
#include "base/utf8.h"

namespace dlview::import::nsys {
namespace {

using profile::kNoText;
using profile::StringId;

constexpr Place kEnd{std::numeric_limits<int64_t>::max(), 0};

// The values of one range.
template <typename T>
std::span<T> values_of(const EventColumns::Typed<T>& column, const sqlite::RowRange& range,
                       const EventRange& found) {
  return {column.slots.at(range.offset), found.kept};
}

// The value that a column of longs has in all rows; nothing where there are several, or no rows.
std::optional<int64_t> constant_of(std::size_t column, const std::vector<EventRange>& found) {
  std::optional<int64_t> constant;
  for (const EventRange& range : found) {
    if (range.kept == 0) continue;
    const EventRange::FirstValue& first = range.first_values[column];
    if (!first.is_only || (constant && *constant != first.value)) return std::nullopt;
    constant = first.value;
  }
  return constant;
}

void replace(std::span<StringId> numbers, const std::vector<StringId>& ids) {
  for (StringId& number : numbers) {
    if (number != kNoText) number = ids[number];
  }
}

}  // namespace

// Gives texts and notes of one range to the context in the order in which its rows have them.
class RangeJoiner::Merger {
 public:
  Merger(Context& context, const EventTable& table, const EventColumns& columns,
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

void RangeJoiner::Merger::add_notes_before(Place place) {
  for (; next_note_ < found_.notes.size() && found_.notes[next_note_].place < place; ++next_note_) {
    const EventRange::Note& note = found_.notes[next_note_];
    context_.quality.add_rows(table_.name, note.reason, note.rows, rows_before_ + note.place.row,
                              [&] { return note.example; });
  }
}

void RangeJoiner::Merger::write_up_to(std::size_t count) {
  const profile::StringTableBuilder& written = found_.texts.written();
  while (ids_.written.size() < count) {
    const auto number = static_cast<StringId>(ids_.written.size());
    ids_.written.push_back(found_.texts.is_utf8(number)
                               ? context_.builder.intern(written, number)
                               : context_.builder.intern(base::with_valid_utf8(written[number])));
  }
}

template <typename CountUses>
RangeJoiner::TextIds RangeJoiner::Merger::merge(const CountUses& uses) {
  for (const RangeTexts::Reference& reference : found_.texts.references()) {
    add_notes_before(reference.place);
    write_up_to(reference.texts_before);
    const std::optional<StringId> text = context_.texts.find(reference.id);
    if (!text) {
      const auto number = static_cast<StringId>(ids_.references.size());
      const auto column = static_cast<std::size_t>(reference.place.column);
      context_.quality.add_rows(table_.name,
                                "text id missing from StringIds; row kept without text",
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

void RangeJoiner::take(std::size_t range) {
  {
    const std::lock_guard lock(mutex_);
    is_read_[range] = true;
    if (std::exchange(is_merging_, true)) return;
  }
  for (;;) {
    const std::size_t next = ids_.size();
    {
      const std::lock_guard lock(mutex_);
      is_merging_ = next < ranges_.size() && is_read_[next];
      if (!is_merging_) return;
    }
    merge(next);
  }
}

void RangeJoiner::merge(std::size_t range) {
  EventRange& found = found_[range];
  const auto uses = [&](StringId number) {
    std::ptrdiff_t count = 0;
    for (const auto& column : columns_.references) {
      count += std::ranges::count(values_of(column, ranges_[range], found), number);
    }
    return int64_t{count};
  };
  ids_.push_back(Merger(context_, table_, columns_, found, rows_merged_).merge(uses));
  for (const int64_t row : found.left_out) context_.left_out.add(table_.name, rows_merged_ + row);
  rows_merged_ += found.rows;
  found.texts = {};
}

void RangeJoiner::replace_numbers() {
  base::parallel_for(ranges_.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      for (const auto& column : columns_.references) {
        replace(values_of(column, ranges_[i], found_[i]), ids_[i].references);
      }
      for (const auto& column : columns_.texts) {
        replace(values_of(column, ranges_[i], found_[i]), ids_[i].written);
      }
    }
  });
}

// Writes the values of ranges that have only one, unless the whole column has.
void RangeJoiner::fill_constants() {
  for (std::size_t i = 0; i < columns_.longs.size(); ++i) {
    auto& column = columns_.longs[i];
    column.constant = constant_of(i, found_);
    if (column.constant) continue;
    base::parallel_for(ranges_.size(), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t range = begin; range < end; ++range) {
        if (found_[range].kept == 0) continue;
        const EventRange::FirstValue& first = found_[range].first_values[i];
        if (!first.is_only) continue;
        std::ranges::fill(values_of(column, ranges_[range], found_[range]), first.value);
      }
    });
  }
}

void RangeJoiner::finish() {
  replace_numbers();
  fill_constants();
  std::size_t rows = 0;
  for (const EventRange& range : found_) rows += range.kept;
  columns_.for_each([&]<typename T>(EventColumns::Typed<T>& column) {
    if constexpr (std::same_as<T, int64_t>) {
      if (column.constant) {
        *column.result = context_.constants.of(*column.constant, rows);
        return;
      }
    }
    std::size_t count = 0;
    for (std::size_t i = 0; i < ranges_.size(); ++i) {
      if (count != ranges_[i].offset) {
        column.slots.move_down(ranges_[i].offset, count, found_[i].kept);
      }
      count += found_[i].kept;
    }
    *column.result = std::move(column.slots).finish(rows);
  });
}

}  // namespace dlview::import::nsys
