// RangeJoiner: makes one table of the ranges that several threads read. Texts and notes of the
// ranges are given to the context in the order of the ranges, each as soon as those before it have
// been read, while others are still being read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "import/nsys/event_ranges.h"
#include "import/nsys/tables.h"
#include "import/sqlite/row_ranges.h"

namespace dlview::import::nsys {

class RangeJoiner {
 public:
  // All must outlive the object.
  RangeJoiner(Context& context, const EventTable& table,
              const std::vector<sqlite::RowRange>& ranges, EventColumns& columns)
      : context_(context),
        table_(table),
        ranges_(ranges),
        columns_(columns),
        found_(ranges.size()),
        is_read_(ranges.size()) {}

  EventRange& found(std::size_t range) { return found_[range]; }
  // The range has been read, on any thread; one of them joins at a time.
  void take(std::size_t range);
  // Behind all ranges: closes the gaps between them and fills the results.
  void finish();

 private:
  // Profile-wide ids by the numbers of a range.
  struct TextIds {
    std::vector<profile::StringId> references, written;
  };
  class Merger;

  void merge(std::size_t range);
  void replace_numbers();
  void fill_constants();

  Context& context_;
  const EventTable& table_;
  const std::vector<sqlite::RowRange>& ranges_;
  EventColumns& columns_;
  std::vector<EventRange> found_;
  std::vector<TextIds> ids_;  // of the ranges that are merged
  int64_t rows_merged_ = 0;
  std::mutex mutex_;  // of what is below
  std::vector<bool> is_read_;
  bool is_merging_ = false;
};

}  // namespace dlview::import::nsys
