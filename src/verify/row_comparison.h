// RowComparison: what is equal and what differs in the rows of a stored and a recomputed table, one
// pair of rows after the other. Who calls it brings the rows together by their keys; it keeps none.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/value_table.h"
#include "verify/compare.h"

namespace dlview::verify {

class RowComparison {
 public:
  using Row = std::vector<base::Value>;

  // Uses only the names, columns and keys of the tables. Columns that the stored table does not
  // have are not compared. In `prose` columns, another wording is a note.
  RowComparison(const base::ValueTable& stored, const base::ValueTable& recomputed,
                std::span<const std::string_view> prose = {});

  // Below, at or above 0: the stored row's key comes before, is or comes after the recomputed
  // one's.
  int order(const Row& stored, const Row& recomputed) const;
  // Indices of rows in order of their keys; equal ones stay as they are.
  std::vector<std::size_t> sorted_stored(const std::vector<Row>& rows) const;
  std::vector<std::size_t> sorted_recomputed(const std::vector<Row>& rows) const;

  void add_pair(const Row& stored, const Row& recomputed);
  void add_stored_only(const Row& stored);
  void add_recomputed_only(const Row& recomputed);

  Check take() { return std::move(check_); }

 private:
  using Places = std::vector<std::size_t>;

  Places stored_keys_, recomputed_keys_, stored_values_, recomputed_values_;
  struct ValueColumn {
    std::string name;
    bool is_prose = false;
  };
  std::vector<ValueColumn> value_columns_;
  Check check_;
};

}  // namespace dlview::verify
