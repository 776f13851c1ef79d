// What a command tells, as data: single facts in sections and a few tables. Text and JSON are
// printed from the same declaration.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "report/table.h"
#include "report/writers/text.h"

namespace dlview::app {

struct Fact {
  std::string id, title;
  report::Cell value;  // monostate: there is none, which `missing` says
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
