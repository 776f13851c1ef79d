#include <algorithm>
#include <ostream>
#include <string>

#include <fmt/format.h>

#include "report/table.h"
#include "report/writers/text.h"
#include "verify/verify.h"

namespace dlview::verify {
namespace {

using aggregate::CutKind;
using aggregate::Unit;

// Longer values are cut for the terminal.
constexpr std::size_t kShownLength = 60;

std::string shown(const std::string& value) {
  const auto inside_a_character = [&value](std::size_t at) {
    return (static_cast<unsigned char>(value[at]) & 0xC0) == 0x80;
  };
  std::size_t length = std::min(kShownLength, value.size());
  while (length > 0 && length < value.size() && inside_a_character(length)) --length;
  std::string text = value.substr(0, length);
  std::replace(text.begin(), text.end(), '\n', ' ');
  return fmt::format("\"{}{}\"", report::printable(text), length < value.size() ? "..." : "");
}

std::string_view rule_text(CutKind kind) {
  switch (kind) {
    case CutKind::start:
      return "split at its starts";
    case CutKind::end:
      return "split at its ends";
    case CutKind::stored:
      return "iterations taken from the stored list";
  }
  return "";
}

std::string note_of(const Check& check) {
  if (check.matches() && check.wording_count > 0) {
    return fmt::format("{} text{} worded differently", check.wording_count,
                       check.wording_count == 1 ? "" : "s");
  }
  if (check.matches()) return check.note;
  return fmt::format("{} difference{}", check.difference_count,
                     check.difference_count == 1 ? "" : "s");
}

report::Table as_table(const std::string& title, const std::vector<Check>& checks) {
  report::Table table{"verify", title, report::Layout::rows, {}, checks.size()};
  table.columns = {
      report::text_column(
          "name", title, [&checks](std::size_t row) { return std::string_view(checks[row].name); }),
      report::integer_column("matched", "Matched", Unit::count,
                             [&checks](std::size_t row) { return checks[row].matched; }),
      report::integer_column("rows", "Rows", Unit::count,
                             [&checks](std::size_t row) { return checks[row].rows; }),
      report::text_column("note", "", [&checks](std::size_t row) { return note_of(checks[row]); }),
  };
  return table;
}

void print_difference(std::string_view note, const std::string& name, const Difference& d,
                      std::ostream& out) {
  const std::string cell = d.column.empty() ? d.key : fmt::format("{} {}", d.key, d.column);
  out << fmt::format("  {}{} {}: stored {}, recomputed {}\n", note, name, report::printable(cell),
                     shown(d.stored), shown(d.recomputed));
}

void print_differences(const std::vector<Check>& checks, std::ostream& out) {
  for (const Check& check : checks) {
    for (const Difference& d : check.first_differences) print_difference("", check.name, d, out);
    for (const Difference& d : check.wordings) print_difference("Note: ", check.name, d, out);
    const auto kept = static_cast<int64_t>(check.first_differences.size());
    if (check.difference_count > kept) {
      out << fmt::format("  {}: {} more\n", check.name, check.difference_count - kept);
    }
  }
}

void print_checks(const std::string& title, const std::vector<Check>& checks, std::ostream& out) {
  report::write_text(as_table(title, checks), report::Numbers::in_full, out);
  print_differences(checks, out);
  out << '\n';
}

void print_end(const Verification& verification, std::ostream& out) {
  const std::vector<std::string> left_out = verification.not_compared();
  if (!left_out.empty()) out << "Not compared:\n";
  for (const std::string& name : left_out) out << "  " << report::printable(name) << '\n';
  if (verification.difference_count() > 0) {
    out << "There are differences.\n";
  } else if (left_out.empty()) {
    out << "All values match.\n";
  } else {
    out << fmt::format("All compared values match; {} not compared.\n",
                       left_out.size() == 1
                           ? "1 table or aggregation was"
                           : fmt::format("{} tables or aggregations were", left_out.size()));
  }
}

}  // namespace

void print(const Verification& verification, std::ostream& out) {
  out << report::printable(verification.path) << "\n\n";
  if (!verification.against.empty()) {
    out << "Compared with the export " << report::printable(verification.against) << '\n';
    print_checks("Rows", verification.rows, out);
  }
  for (const AggregationCheck& check : verification.aggregations) {
    const aggregate::Selection& selection = check.selection;
    out << fmt::format("Aggregation {}: iterations {}:{} of {}, iteration marker \"{}\"; {}\n",
                       check.id, selection.range.first, selection.range.last, check.iteration_count,
                       report::printable(selection.cut.key_op), rule_text(selection.cut.kind));
    print_checks("Table", check.tables, out);
    if (!check.reports.empty()) print_checks("Report", check.reports, out);
  }
  if (!verification.reports.empty()) {
    out << fmt::format("Reports in {}, compared with aggregation {}\n",
                       report::printable(verification.reports_folder),
                       verification.reports_aggregation_id);
    print_checks("Report", verification.reports, out);
  }
  print_end(verification, out);
}

}  // namespace dlview::verify
