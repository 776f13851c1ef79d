#include "verify/report_files.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "report/writers/csv.h"

namespace dlview::verify {
namespace {

namespace fs = std::filesystem;
using report::dlprof::ReportInfo;

constexpr const char* kAdvice = "Pass to --reports-dir the folder of DLProf's CSV reports";

base::Status check_folder(const fs::path& folder) {
  const auto unusable = [&](const std::string& reason) {
    return base::Error{"Cannot use the folder of reports",
                       fmt::format("{}: {}", folder.string(), reason), kAdvice};
  };
  std::error_code error;
  const fs::file_status status = fs::status(folder, error);
  if (error) return unusable(error.message());
  if (!fs::is_directory(status)) return unusable("it is a file, not a folder");
  const fs::directory_iterator listing(folder, error);
  if (error) return unusable(error.message());
  return base::Success{};
}

base::Error unreadable(const fs::path& path, const std::string& reason) {
  return {"A report cannot be read", fmt::format("{}: {}", path.string(), reason),
          "Check that it is a file and that you may read it"};
}

// Sets `found` and `text` of a file that is there.
base::Status read(const fs::path& path, ReportFile& file) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) return base::Success{};
  if (error) return unreadable(path, error.message());
  if (!fs::is_regular_file(status)) return unreadable(path, "it is not a regular file");
  const auto bytes = fs::file_size(path, error);
  if (error) return unreadable(path, error.message());
  file.text.resize(bytes);
  std::ifstream in(path, std::ios::binary);
  in.read(file.text.data(), static_cast<std::streamsize>(bytes));
  if (!in) return unreadable(path, "it could not be read completely");
  file.found = true;
  return base::Success{};
}

}  // namespace

base::Result<std::vector<ReportFile>> read_report_files(const fs::path& folder) {
  DLVIEW_TRY(check_folder(folder));
  std::vector<ReportFile> files;
  for (const ReportInfo& info : report::dlprof::kReports) {
    ReportFile file{info.report, fmt::format("{}.csv", info.file_stem), false, ""};
    DLVIEW_TRY(read(folder / file.name, file));
    files.push_back(std::move(file));
  }
  if (std::none_of(files.begin(), files.end(), [](const ReportFile& f) { return f.found; })) {
    return base::Error{"No DLProf report in the folder",
                       fmt::format("{} has no dlprof_*.csv file", folder.string()), kAdvice};
  }
  return files;
}

std::vector<Check> compare_reports(const std::vector<ReportFile>& files,
                                   const profile::Profile& profile,
                                   const aggregate::Aggregation& aggregation) {
  std::vector<Check> checks;
  for (const ReportFile& file : files) {
    if (!file.found) {
      Check& missing = checks.emplace_back();
      missing.name = file.name;
      missing.compared = false;
      missing.note = "missing";
      continue;
    }
    std::ostringstream recomputed;
    report::write_csv(report::dlprof::make_report(file.report, profile, aggregation), recomputed);
    const bool is_advice = file.report == report::dlprof::Report::expert_systems;
    checks.push_back(compare_csv(file.name, file.text, recomputed.view(),
                                 is_advice ? Wording::may_differ : Wording::must_match));
  }
  return checks;
}

}  // namespace dlview::verify
