#include "report/page/page.h"

#include <ostream>
#include <sstream>

#include <fmt/format.h>

#include "embedded/dlview_page.h"
#include "report/page/markup.h"
#include "report/page/page_hashes.h"

namespace dlview::report::page {
namespace {

std::string_view text_of(std::span<const unsigned char> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void write_head(const Page& page, std::ostream& out) {
  out << fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
      "style-src 'sha256-{}'; script-src 'sha256-{}'; img-src data:; base-uri 'none'; "
      "form-action 'none'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n"
      "<meta name=\"referrer\" content=\"no-referrer\">\n"
      "<title>{}</title>\n<style>",
      base64_of_hex(kStyleSha256), base64_of_hex(kScriptSha256), text(page.title));
  out << text_of(page_assets::style()) << "</style>\n</head>\n";
}

// Stripes over parts of charts, for those who do not see the colors.
constexpr std::string_view kHatch =
    "<svg class=\"defs\" width=\"0\" height=\"0\" aria-hidden=\"true\"><defs><pattern id=\"hatch\" "
    "width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">"
    "<line class=\"hatch_lines\" x1=\"1\" x2=\"1\" y1=\"0\" y2=\"6\"/></pattern></defs></svg>\n";

void write_top(const Page& page, std::ostream& out) {
  out << "<a class=\"skip\" href=\"#content\">Skip to the content</a>\n<header class=\"top\">\n";
  if (!page.kind.empty()) out << fmt::format("<p class=\"kind\">{}</p>\n", text(page.kind));
  out << fmt::format("<h1>{}</h1>\n", name(page.heading));
  if (!page.facts.empty()) {
    out << "<ul class=\"facts\">";
    for (const std::string& fact : page.facts) out << fmt::format("<li>{}</li>", text(fact));
    out << "</ul>\n";
  }
  out << page.lead << "</header>\n";
}

void write_navigation(const Page& page, std::ostream& out) {
  out << "<nav class=\"sections\" aria-label=\"Sections\"><ul>";
  for (const Section& section : page.sections) {
    out << fmt::format("<li><a href=\"#{}\">{}</a></li>", section.id, text(section.title));
  }
  out << "</ul><p class=\"now\" id=\"now\" hidden></p></nav>\n";
}

void write_data(const DataBlock& block, std::ostream& out) {
  const bool is_json = block.kind == DataBlock::Kind::json;
  out << fmt::format("<script type=\"{}\" id=\"{}\">",
                     is_json ? "application/json" : "application/octet-stream;base64", block.id)
      << block.data << "</script>\n";
}

}  // namespace

void write_page(const Page& page, std::ostream& out) {
  write_head(page, out);
  out << "<body>\n" << kHatch;
  write_top(page, out);
  write_navigation(page, out);
  out << "<main id=\"content\">\n";
  for (const Section& section : page.sections) {
    out << fmt::format(
               "<section id=\"{0}\" aria-labelledby=\"{0}_title\">\n<h2 "
               "id=\"{0}_title\">{1}</h2>\n",
               section.id, text(section.title))
        << section.body << "</section>\n";
  }
  out << "</main>\n";
  if (!page.footer.empty()) out << "<footer>" << page.footer << "</footer>\n";
  for (const DataBlock& block : page.data) write_data(block, out);
  out << "<script>" << text_of(page_assets::script()) << text_of(page_assets::run_script())
      << "</script>\n</body>\n</html>\n";
}

std::size_t size_of(const Page& page) {
  std::ostringstream out;
  write_page(page, out);
  return out.str().size();
}

}  // namespace dlview::report::page
