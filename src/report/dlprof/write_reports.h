// DLProf's reports as files.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "aggregate/aggregation.h"
#include "base/result.h"
#include "profile/profile.h"
#include "report/dlprof/reports.h"

namespace dlview::report::dlprof {

enum class Format : uint8_t { csv, json };

// "csv,json"; an unknown name is an Error that lists the valid ones.
base::Result<std::vector<Format>> parse_format_list(std::string_view list);

// Writes each report in each format as <folder>/<file_stem>.<format>, creating the folder, and
// returns the files written, in that order. A file appears under its name only when it is complete;
// older ones are replaced. Fails for a folder that cannot be written and for a file that is the
// profile's own database.
base::Result<std::vector<std::filesystem::path>> write_reports(
    const profile::Profile& profile, const aggregate::Aggregation& aggregation,
    const std::vector<Report>& reports, const std::vector<Format>& formats,
    const std::filesystem::path& folder);

}  // namespace dlview::report::dlprof
