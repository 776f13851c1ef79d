#include "report/nsys/write_reports.h"

#include <algorithm>
#include <array>
#include <ostream>

#include "report/names.h"
#include "report/nsys/csv.h"
#include "report/writers/file.h"
#include "report/writers/json.h"
#include "report/writers/text.h"

namespace dlview::report::nsys {
namespace {

namespace fs = std::filesystem;

struct FormatInfo {
  Format format;
  std::string_view name, suffix;
};
constexpr std::array<FormatInfo, 3> kFormats{{{Format::csv, "csv", ".csv"},
                                              {Format::table, "table", ".txt"},
                                              {Format::json, "json", ".json"}}};

std::string_view suffix(Format format) {
  return std::find_if(kFormats.begin(), kFormats.end(),
                      [format](const FormatInfo& info) { return info.format == format; })
      ->suffix;
}

}  // namespace

base::Result<Format> parse_format(std::string_view name) {
  std::vector<std::string_view> names;
  for (const FormatInfo& info : kFormats) {
    if (info.name == name) return info.format;
    names.push_back(info.name);
  }
  return unknown_name("format", name, names);
}

void write_report(const Table& table, Format format, const profile::Profile& profile,
                  const aggregate::IterationRange& iterations, std::ostream& out) {
  switch (format) {
    case Format::csv:
      return nsys::write_csv(table, out);
    case Format::table:
      out << table.title << '\n';
      write_text(table, out, "");
      out << '\n';
      return;
    case Format::json:
      return write_json(table, profile.system.profile_name, iterations, out);
  }
}

base::Result<std::vector<fs::path>> write_reports(const std::vector<Table>& tables, Format format,
                                                  const profile::Profile& profile,
                                                  const aggregate::IterationRange& iterations,
                                                  const fs::path& folder) {
  if (const base::Status created = create_folder(folder); !created) return created.error();
  std::vector<fs::path> files;
  for (const Table& table : tables) {
    files.push_back(folder / (table.name + std::string(suffix(format))));
    const base::Status allowed =
        refuse_source(files.back(), profile, "Choose another folder with --output-dir");
    if (!allowed) return allowed.error();
  }
  for (std::size_t i = 0; i < tables.size(); ++i) {
    const base::Status status = write_file(files[i], [&](std::ostream& out) {
      write_report(tables[i], format, profile, iterations, out);
    });
    if (!status) return status.error();
  }
  return files;
}

}  // namespace dlview::report::nsys
