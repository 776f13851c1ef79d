#include "report/nsys/write_reports.h"

#include <algorithm>
#include <array>
#include <ostream>
#include <vector>

#include "report/names.h"
#include "report/nsys/column_text.h"
#include "report/nsys/csv.h"
#include "report/nsys/html.h"
#include "report/writers/json.h"
#include "report/writers/text.h"

namespace dlview::report::nsys {
namespace {

struct FormatInfo {
  Format format;
  std::string_view name, suffix;
  bool is_document;
};
constexpr std::array<FormatInfo, 7> kFormats{{{Format::csv, "csv", ".csv", false},
                                              {Format::tsv, "tsv", ".tsv", false},
                                              {Format::column, "column", ".txt", false},
                                              {Format::table, "table", ".txt", false},
                                              {Format::json, "json", ".json", true},
                                              {Format::hdoc, "hdoc", ".html", true},
                                              {Format::htable, "htable", ".html", false}}};

const FormatInfo& info_of(Format format) {
  return *std::ranges::find(kFormats, format, &FormatInfo::format);
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

std::string_view name_of(Format format) {
  return info_of(format).name;
}

std::string_view suffix_of(Format format) {
  return info_of(format).suffix;
}

bool is_document(Format format) {
  return info_of(format).is_document;
}

void write_report(const Table& table, Format format, const profile::Profile& profile,
                  const aggregate::IterationRange& iterations, std::ostream& out) {
  switch (format) {
    case Format::csv:
      return nsys::write_csv(table, out);
    case Format::tsv:
      return nsys::write_tsv(table, out);
    case Format::column:
      return write_columns(table, out);
    case Format::table:
      out << table.title << '\n';
      write_text(table, Numbers::in_full, out, "");
      out << '\n';
      return;
    case Format::json:
      return write_json(table, profile.system.profile_name, iterations, out);
    case Format::hdoc:
      return write_html(table, HtmlPart::document, out);
    case Format::htable:
      return write_html(table, HtmlPart::table, out);
  }
}

}  // namespace dlview::report::nsys
