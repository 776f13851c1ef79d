// A small table of plain values, for what is compared or printed cell by cell and is not worth a
// type of its own: the aggregated tables stored in a database, a CSV report read back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace dlview::base {

// monostate is SQL's NULL and a cell that was not recorded.
using Value = std::variant<std::monostate, int64_t, double, std::string>;

// Integers in full, reals with six decimals (DLProf stores them so), text as it is, NULL as "NULL".
std::string to_text(const Value& value);

struct ValueTable {
  std::string name;
  std::vector<std::string> columns;
  std::size_t key_columns = 0;  // the first columns identify a row
  std::vector<std::vector<Value>> rows;
};

}  // namespace dlview::base
