#include "verify/report_files.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "report/writers/csv.h"

namespace dlview::verify {

namespace fs = std::filesystem;
using report::dlprof::ReportInfo;

base::Result<std::vector<ReportFile>> read_report_files(const fs::path& folder) {
  std::vector<ReportFile> files;
  for (const ReportInfo& info : report::dlprof::kReports) {
    ReportFile file{info.report, fmt::format("{}.csv", info.file_stem), false, ""};
    std::error_code ignored;
    file.found = fs::exists(folder / file.name, ignored);
    if (file.found) {
      std::ifstream in(folder / file.name, std::ios::binary);
      file.text.assign(std::istreambuf_iterator<char>(in), {});
      if (!in) {
        return base::Error{"A report cannot be read", (folder / file.name).string(),
                           "Check the file's permissions"};
      }
    }
    files.push_back(std::move(file));
  }
  if (std::none_of(files.begin(), files.end(), [](const ReportFile& f) { return f.found; })) {
    return base::Error{"No DLProf report in the folder",
                       fmt::format("{} has no dlprof_*.csv file", folder.string()),
                       "Give --reports-dir the folder that DLProf wrote its CSV reports to"};
  }
  return files;
}

std::vector<Check> compare_reports(const std::vector<ReportFile>& files,
                                   const profile::Profile& profile,
                                   const aggregate::Aggregation& aggregation) {
  std::vector<Check> checks;
  for (const ReportFile& file : files) {
    if (!file.found) {
      checks.emplace_back().name = file.name;
      checks.back().note = "missing";
      continue;
    }
    std::ostringstream recomputed;
    report::write_csv(report::dlprof::make_report(file.report, profile, aggregation), recomputed);
    checks.push_back(compare_csv(file.name, file.text, recomputed.view()));
  }
  return checks;
}

}  // namespace dlview::verify
