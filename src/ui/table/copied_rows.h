// What leaves a table by the clipboard or a file: the columns that are shown, in their order on
// screen, every digit.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ui/table/table_parts.h"

namespace dlview::ui {

// By column of the table, from left to right.
std::vector<std::size_t> shown_columns(const ColumnLayout& layout,
                                       const std::vector<std::size_t>& in_table);

// Puts rows onto the clipboard, with a header line, cells apart by tabs.
void copy_rows(Host& host, const TableData& data, const std::vector<std::size_t>& columns,
               std::span<const uint32_t> rows);
// Those that are marked. More than kMostCopied are left alone, and a notice says so.
inline constexpr std::size_t kMostCopied = 100'000;
void copy_rows(TableDraw& draw);

// The text of a filter that passes cells with just this value.
std::string filter_for(const report::Column& column, const report::Cell& cell);

}  // namespace dlview::ui
