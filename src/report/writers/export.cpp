#include "report/writers/export.h"

#include <algorithm>
#include <cassert>
#include <vector>

#include "base/unfinished_file.h"
#include "report/names.h"
#include "report/writers/delimited.h"
#include "report/writers/file.h"
#include "report/writers/html.h"
#include "report/writers/json.h"
#include "report/writers/pdf.h"
#include "report/writers/xlsx.h"

namespace dlview::report {

const ExportFormatInfo& info(ExportFormat format) {
  return *std::find_if(kExportFormats.begin(), kExportFormats.end(),
                       [format](const ExportFormatInfo& known) { return known.format == format; });
}

base::Result<ExportFormat> parse_export_format(std::string_view name) {
  std::vector<std::string_view> names;
  for (const ExportFormatInfo& known : kExportFormats) {
    if (known.name == name) return known.format;
    names.push_back(known.name);
  }
  return unknown_name("format", name, names);
}

void export_to_stream(const ShownTable& shown, ExportFormat format, std::ostream& out,
                      base::Progress& progress) {
  progress.begin_stage("Writing", static_cast<int64_t>(shown.rows.size()));
  switch (format) {
    case ExportFormat::csv:
      return write_table_csv(shown, out, progress);
    case ExportFormat::json:
      return write_json(shown, out, progress);
    case ExportFormat::html:
      return write_html(shown, out, progress);
    case ExportFormat::tsv:
      return write_tsv(shown, out, progress);
    case ExportFormat::xlsx:
    case ExportFormat::pdf:
      break;
  }
  assert(!"only text formats go to a stream");
}

base::Status export_to_file(const ShownTable& shown, ExportFormat format,
                            const std::filesystem::path& path, base::Progress& progress) {
  progress.begin_stage("Writing", static_cast<int64_t>(shown.rows.size()));
  if (format == ExportFormat::xlsx) return write_xlsx(shown, path, progress);
  if (format == ExportFormat::pdf) return write_pdf(shown, path, progress);
  base::Result<base::UnfinishedFile> file = base::UnfinishedFile::create(path);
  if (!file) return file.error();
  export_to_stream(shown, format, file->out(), progress);
  if (progress.canceled()) return export_canceled();
  return file->finish();
}

}  // namespace dlview::report
