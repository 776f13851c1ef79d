#include "report/dlprof/write_reports.h"

#include <algorithm>
#include <ostream>
#include <string>

#include <fmt/format.h>

#include "report/names.h"
#include "report/writers/csv.h"
#include "report/writers/file.h"
#include "report/writers/json.h"

namespace dlview::report::dlprof {
namespace {

namespace fs = std::filesystem;

std::string_view suffix(Format format) {
  return format == Format::csv ? ".csv" : ".json";
}

struct Output {
  Report report;
  Format format;
  fs::path file;
};

std::vector<Output> outputs(const std::vector<Report>& reports, const std::vector<Format>& formats,
                            const fs::path& folder) {
  std::vector<Output> all;
  for (const Report report : reports) {
    for (const Format format : formats) {
      all.push_back(
          {report, format, folder / fmt::format("{}{}", info(report).file_stem, suffix(format))});
    }
  }
  return all;
}

base::Status write_table(const Table& table, const Output& output, const profile::Profile& profile,
                         const aggregate::Aggregation& aggregation) {
  return write_file(output.file, [&](std::ostream& out) {
    if (output.format == Format::csv) return write_csv(table, out);
    write_json(table, profile.system.profile_name, aggregation.selection.range, out,
               aggregation.selection.cut.split_by);
  });
}

}  // namespace

base::Result<std::vector<Format>> parse_format_list(std::string_view list) {
  std::vector<Format> formats;
  for (const std::string_view name : split_names(list)) {
    if (name != "csv" && name != "json") return unknown_name("format", name, {"csv", "json"});
    const Format format = name == "csv" ? Format::csv : Format::json;
    if (std::find(formats.begin(), formats.end(), format) == formats.end()) {
      formats.push_back(format);
    }
  }
  return formats;
}

base::Result<std::vector<fs::path>> write_reports(const profile::Profile& profile,
                                                  const aggregate::Aggregation& aggregation,
                                                  const std::vector<Report>& reports,
                                                  const std::vector<Format>& formats,
                                                  const fs::path& folder) {
  const base::Status created = create_folder(folder);
  if (!created) return created.error();
  const std::vector<Output> all = outputs(reports, formats, folder);
  for (const Output& output : all) {
    const base::Status allowed =
        refuse_source(output.file, profile, "Choose another folder with --output-dir");
    if (!allowed) return allowed.error();
  }
  std::vector<fs::path> written;
  for (const Output& output : all) {
    const Table table = make_report(output.report, profile, aggregation);
    const base::Status status = write_table(table, output, profile, aggregation);
    if (!status) return status.error();
    written.push_back(output.file);
  }
  return written;
}

}  // namespace dlview::report::dlprof
