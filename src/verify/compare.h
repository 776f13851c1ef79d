// Compares stored with recomputed values, tolerance zero: integers and texts exactly, reals when
// they print equal with six decimals, which is how DLProf stores them (spec.md 8).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/value_table.h"

namespace dlview::verify {

// One cell that differs, or a whole row that only one side has: then `column` is empty and the
// other side reads "no such row". A whole column or table reads likewise.
struct Difference {
  std::string key;  // what identifies the row: "CONV2D_1", "row 12"
  std::string column;
  std::string stored, recomputed;
  bool operator==(const Difference&) const = default;
};

// The number of differences of a check, and of its wordings, that are stored; all are counted.
inline constexpr std::size_t kDifferencesKept = 10;

struct Check {
  std::string name;     // of the table or of the report's file
  int64_t rows = 0;     // rows that at least one side has
  int64_t matched = 0;  // of these, equal in every cell but for wording
  int64_t difference_count = 0;
  std::vector<Difference> first_differences;
  int64_t wording_count = 0;         // texts that say the same in other words; no differences
  std::vector<Difference> wordings;  // the first of them
  bool compared = true;
  std::string note;  // why nothing was compared, or what else there is to say

  bool matches() const { return difference_count == 0; }
  void add(Difference difference);
  void add_wording(Difference difference);
};

bool equal(const base::Value& stored, const base::Value& recomputed);

// Rows are matched by their keys, in any order; rows with equal keys in their order. Columns that
// an older database does not have are not compared. In `prose` columns, another wording is a note
// (wording.h).
Check compare(const base::ValueTable& stored, const base::ValueTable& recomputed,
              std::span<const std::string_view> prose = {});

// Adds a difference for each column that the stored table should have and has not.
void add_absent_columns(const base::ValueTable& stored, const base::ValueTable& recomputed,
                        Check& check);

enum class Wording : uint8_t { must_match, may_differ };

// Compares CSV texts record by record, cell by cell; a note says if only the bytes differ. Another
// wording is a note where it may differ (wording.h).
Check compare_csv(std::string name, std::string_view stored, std::string_view recomputed,
                  Wording wording = Wording::must_match);

}  // namespace dlview::verify
