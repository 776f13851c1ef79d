// Figures of two sides next to each other, and their differences: those of two iterations, or of
// two files.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/commands/facts.h"
#include "report/table.h"

namespace dlview::app {

// A figure of both sides: two or three facts in JSON, one row in text.
struct ComparedFact {
  std::string title;
  Fact baseline, value;         // of one unit
  std::string difference_id{};  // of value - baseline in JSON; empty: there is no difference
};

// value - baseline; nothing if one is no number.
report::Cell difference_of(const report::Cell& baseline, const report::Cell& value);

// Adds both sides and their exact difference.
void add_facts(const std::vector<ComparedFact>& compared, FactSection& section);

// One row for each: its name, the baseline, the value and the change.
report::Table metric_table(std::vector<ComparedFact> compared, std::string baseline_title,
                           std::string value_title);

struct ComparedTexts {
  std::string baseline, value, difference;
};
// Two numbers as people read them, and the difference of what is shown: "89.2%", "81.7%", "−7.5
// points". nullopt if one is no number.
std::optional<ComparedTexts> compared_texts(const report::Cell& baseline, const report::Cell& value,
                                            aggregate::Unit unit);

// For a terminal: the numbers first, then the names, of which all but the last are shortened. The
// last column is the name in full, where its length moves nothing. A difference is that of the two
// numbers before it as they are shown; times share a unit and decimals, so that a column reads as
// one, unless most changes are too small for that.
report::Table for_terminal(report::Table table);

}  // namespace dlview::app
