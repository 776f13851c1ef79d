// TableState: what a reader has done to one table, as far as it is worth remembering.
#pragma once

#include <string>

#include "report/query.h"

namespace dlview::ui {

// The list of reports of the CUDA summary, the chosen one being its selected row.
inline constexpr const char* kReportList = "cuda_summary";

struct TableState {
  std::string table;              // TableLook::id
  report::TableQuery query = {};  // empty = as at first
  std::string selected = {};      // the key of a row
  bool operator==(const TableState&) const = default;
};

}  // namespace dlview::ui
