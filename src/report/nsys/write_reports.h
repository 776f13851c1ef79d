// The reports of nsys as text.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <string_view>
#include <vector>

#include "aggregate/selection.h"
#include "base/result.h"
#include "profile/profile.h"
#include "report/table.h"

namespace dlview::report::nsys {

enum class Format : uint8_t { csv, table, json };

// "csv", "table" or "json"; another name is an Error that lists them.
base::Result<Format> parse_format(std::string_view name);

// A table for a terminal stands under its title. JSON is that of report/writers/json.h.
void write_report(const Table& table, Format format, const profile::Profile& profile,
                  const aggregate::IterationRange& iterations, std::ostream& out);

// Writes each table as <folder>/<name>.csv, .txt or .json, creating the folder, and returns the
// files written, as report/dlprof/write_reports.h does.
base::Result<std::vector<std::filesystem::path>> write_reports(
    const std::vector<Table>& tables, Format format, const profile::Profile& profile,
    const aggregate::IterationRange& iterations, const std::filesystem::path& folder);

}  // namespace dlview::report::nsys
