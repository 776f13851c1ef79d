// The formats in which the window and `dlview table` write what is shown of a table.
#pragma once

#include <array>
#include <filesystem>
#include <iosfwd>
#include <string_view>

#include "base/progress.h"
#include "base/result.h"
#include "report/writers/shown_table.h"

namespace dlview::report {

enum class ExportFormat : uint8_t { csv, json, xlsx, pdf, html, tsv };

struct ExportFormatInfo {
  ExportFormat format;
  std::string_view name;   // "xlsx", also the end of a file's name
  std::string_view title;  // "Excel workbook"
  bool is_text;            // can go to a terminal or a pipe
};

inline constexpr std::array<ExportFormatInfo, 6> kExportFormats{{
    {ExportFormat::csv, "csv", "Comma-separated values", true},
    {ExportFormat::json, "json", "JSON", true},
    {ExportFormat::xlsx, "xlsx", "Excel workbook", false},
    {ExportFormat::pdf, "pdf", "PDF", false},
    {ExportFormat::html, "html", "Web page", true},
    {ExportFormat::tsv, "tsv", "Tab-separated text", true},
}};

const ExportFormatInfo& info(ExportFormat format);
// "csv", ...; an unknown name is an Error that lists the valid ones.
base::Result<ExportFormat> parse_export_format(std::string_view name);

// Writes row by row, so that a table of any length costs no memory, and counts the rows in
// `progress`. A file appears under its name
// only when it is complete. A canceled job returns an Error titled "Canceled".
base::Status export_to_file(const ShownTable& shown, ExportFormat format,
                            const std::filesystem::path& path, base::Progress& progress);

// Writes text formats. The caller checks the stream for errors.
void export_to_stream(const ShownTable& shown, ExportFormat format, std::ostream& out,
                      base::Progress& progress);

}  // namespace dlview::report
