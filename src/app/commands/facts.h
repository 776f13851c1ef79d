// What a command prints, as data: single facts in sections and a few tables. Text and JSON are
// printed from the same declaration: text with readable numbers, JSON with full ones.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "report/table.h"
#include "report/writers/text.h"

namespace dlview::app {

struct Fact {
  std::string id, title;  // the id of a difference begins with "difference"
  report::Cell value;     // monostate: there is none, which `missing` says
  aggregate::Unit unit = aggregate::Unit::none;
  std::string_view missing = report::kNotRecorded;
};

struct FactSection {
  std::string id, title;
  std::vector<Fact> facts;
};

struct Info {
  std::vector<FactSection> sections;
  std::vector<report::Table> tables;  // a table without rows is left out of the text
};

void print(const Info& info, bool as_json, std::ostream& out);

}  // namespace dlview::app
