// The reports of nsys as text.
#pragma once

#include <iosfwd>
#include <string_view>

#include "aggregate/selection.h"
#include "base/result.h"
#include "profile/profile.h"
#include "report/table.h"

namespace dlview::report::nsys {

enum class Format : uint8_t { csv, tsv, column, table, json, hdoc, htable };

// "csv", "tsv", "column", "table", "json", "hdoc" or "htable"; another name is an Error that lists
// them.
base::Result<Format> parse_format(std::string_view name);
std::string_view name_of(Format format);
// Returns the extension of files in the format: ".csv".
std::string_view suffix_of(Format format);
// Whether a text of that format is a document, so that two of them make none.
bool is_document(Format format);

// Writes a table for a terminal below its title. JSON is that of report/writers/json.h.
void write_report(const Table& table, Format format, const profile::Profile& profile,
                  const aggregate::IterationRange& iterations, std::ostream& out);

}  // namespace dlview::report::nsys
