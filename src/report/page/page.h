// Page: one self-contained HTML file that opens by double click, without server, network or a
// second file (docs/dev/spec.md, html.*).
//
// A page stands in its HTML: headline, figures, the first rows of tables and SVG charts need no
// script. The script of all pages (assets/report) sorts and searches tables, and makes
// parts interactive that have data blocks. A policy in the head forbids all else: the hashes of
// the one style and the one script are those that the build computed (page_hashes.cmake).
#pragma once

#include <cstddef>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dlview::report::page {

// A heading of level 2 and what stands below it.
struct Section {
  std::string id;     // of the link to it: "iterations"; [a-z0-9_]
  std::string title;  // a text, not markup
  std::string body;   // markup
};

// Data for the script. No browser runs it or loads anything for it.
struct DataBlock {
  enum class Kind { json, deflated };
  std::string id;  // of its element: "data_tables"
  Kind kind = Kind::json;
  std::string data;  // JSON, or base64 (markup.h) of a zlib stream
};

struct Page {
  std::string title;    // of the window: "run.sqlite · dlview"
  std::string kind;     // small, above the headline: "Training run", "Trend of 12 captures"
  std::string heading;  // the headline, level 1: the name of the file
  std::vector<std::string> facts;  // texts in one line below it
  std::string lead;                // markup below that: a verdict; may be empty
  std::vector<Section> sections;   // in this order; the navigation lists them
  std::vector<DataBlock> data;
  std::string footer;  // markup; may be empty
};

void write_page(const Page& page, std::ostream& out);

// The number of bytes that write_page() writes.
std::size_t size_of(const Page& page);

}  // namespace dlview::report::page
