#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "verify/compare.h"
#include "verify/csv_reader.h"
#include "verify/wording.h"

namespace dlview::verify {
namespace {

using Record = std::vector<std::string>;

// A report tells no detector: something in the record has to tell that it is the same advice.
bool says_the_same(const Record& stored, const Record& recomputed) {
  return std::ranges::equal(stored, recomputed, have_same_content) &&
         std::ranges::any_of(stored, has_content);
}

// Adds the cells that differ; true when none does.
bool compare_records(int64_t number, const Record& stored, const Record& recomputed,
                     const Record& header, Wording wording, Check& check) {
  const bool is_wording = wording == Wording::may_differ && says_the_same(stored, recomputed);
  bool same = true;
  const std::size_t count = std::max(stored.size(), recomputed.size());
  for (std::size_t c = 0; c < count; ++c) {
    const std::string* const a = c < stored.size() ? &stored[c] : nullptr;
    const std::string* const b = c < recomputed.size() ? &recomputed[c] : nullptr;
    if (a != nullptr && b != nullptr && *a == *b) continue;
    Difference difference{
        fmt::format("row {}", number),
        c < header.size() && !header[c].empty() ? header[c] : fmt::format("cell {}", c + 1),
        a != nullptr ? *a : "no such cell", b != nullptr ? *b : "no such cell"};
    if (is_wording) {
      check.add_wording(std::move(difference));
      continue;
    }
    same = false;
    check.add(std::move(difference));
  }
  return same;
}

}  // namespace

Check compare_csv(std::string name, std::string_view stored, std::string_view recomputed,
                  Wording wording) {
  Check check;
  check.name = std::move(name);
  CsvReader stored_reader(stored), recomputed_reader(recomputed);
  Record stored_record, recomputed_record, header;
  while (true) {
    const bool has_stored = stored_reader.next(stored_record);
    const bool has_recomputed = recomputed_reader.next(recomputed_record);
    if (!has_stored && !has_recomputed) break;
    ++check.rows;
    if (has_stored != has_recomputed) {
      check.add({fmt::format("row {}", check.rows), "", has_stored ? "a row" : "no such row",
                 has_recomputed ? "a row" : "no such row"});
      continue;
    }
    if (compare_records(check.rows, stored_record, recomputed_record, header, wording, check)) {
      ++check.matched;
    }
    // Below a title of one cell comes the header.
    if (check.rows == 2 && recomputed_record.size() > 2) header = recomputed_record;
  }
  if (stored == recomputed) {
    check.note = "byte for byte identical";
  } else if (check.matches() && check.wording_count == 0) {
    check.note = "all cells equal; quotes or line ends differ";
  }
  return check;
}

}  // namespace dlview::verify
