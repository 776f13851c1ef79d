// DLProf's CSV reports in a folder, compared with dlview's own.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "aggregate/aggregation.h"
#include "base/result.h"
#include "profile/profile.h"
#include "report/dlprof/reports.h"
#include "verify/compare.h"

namespace dlview::verify {

struct ReportFile {
  report::dlprof::Report report;
  std::string name;  // "dlprof_kernel.csv"
  bool found = false;
  std::string text;
};

// All eight, found or not; an Error when the folder has none of them or one cannot be read.
base::Result<std::vector<ReportFile>> read_report_files(const std::filesystem::path& folder);

// One check for each file; a missing one is named in its note and counts as no difference.
std::vector<Check> compare_reports(const std::vector<ReportFile>& files,
                                   const profile::Profile& profile,
                                   const aggregate::Aggregation& aggregation);

}  // namespace dlview::verify
