#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>  // join

#include "aggregate/finding_pages.h"
#include "aggregate/findings.h"
#include "profile/thread_name.h"
#include "report/views/declarations.h"

namespace dlview::report::view {
namespace {

using aggregate::Finding;
using aggregate::FindingFigures;
using aggregate::FindingPlace;
using aggregate::Unit;
using profile::kNoRow;
using profile::Profile;

aggregate::FoundFindings find(const Input& input, const aggregate::RuleIndex& rules,
                              std::size_t most_places) {
  return aggregate::find_findings(input.profile, input.aggregation, {}, &rules, most_places);
}

// A finding, or a part of one.
struct ListedFinding {
  Finding finding;
  std::string part_of;  // detector; empty for a finding of its own
};

void list(const std::vector<Finding>& findings, const std::string& part_of,
          std::vector<ListedFinding>& rows) {
  for (const Finding& finding : findings) {
    rows.push_back({finding, part_of});
    list(finding.parts, finding.advice.detector, rows);
  }
}

// The findings of the range by the default thresholds, with at most so many places each, the parts
// of one behind it. A rule that the file cannot answer has a row without figures behind them.
std::vector<ListedFinding> all_findings(const Input& input, std::size_t most_places) {
  const aggregate::RuleIndex rules(input.profile);
  std::vector<ListedFinding> rows;
  list(find(input, rules, most_places).findings, "", rows);
  for (const aggregate::UntoldRule& untold : rules.untold()) {
    Finding& finding = rows.emplace_back().finding;
    finding.advice.detector = untold.detector;
    finding.advice.problem = fmt::format("Not checked: {}", untold.what);
  }
  return rows;
}

std::string worst_iterations(const Finding& finding) {
  return finding.savings ? fmt::format("{}", fmt::join(finding.savings->worst, ", ")) : "";
}

struct PlaceOfFinding {
  std::string detector;
  FindingPlace place;
};

Cell optional(const std::optional<int64_t>& number) {
  return number ? Cell(*number) : Cell();
}

}  // namespace

Table findings(const Input& input) {
  const auto rows = std::make_shared<const std::vector<ListedFinding>>(all_findings(input, 0));
  const Profile& profile = input.profile;
  Table table;
  table.row_count = rows->size();
  const auto of = [rows](std::size_t row) -> const Finding& { return (*rows)[row].finding; };
  const auto figure = [of](std::size_t row, auto FindingFigures::*member) {
    const auto& figures = of(row).figures;
    return figures ? Cell((*figures).*member) : Cell();
  };
  const auto saved = [of](std::size_t row, int64_t aggregate::Savings::*member) {
    const auto& savings = of(row).savings;
    return savings ? Cell((*savings).*member) : Cell();
  };
  const auto advice = [of](std::string aggregate::Advice::*member) {
    return
        [of, member](std::size_t row) -> Cell { return std::string_view(of(row).advice.*member); };
  };
  table.columns = {
      word_column("detector", "Detector", advice(&aggregate::Advice::detector)),
      text_column("problem", "Problem", advice(&aggregate::Advice::problem)),
      text_column("recommendation", "Recommendation", advice(&aggregate::Advice::recommendation)),
      integer_column("count", "Count", Unit::count,
                     [=](std::size_t row) { return figure(row, &FindingFigures::count); }),
      integer_column("total_time", "Total Time", Unit::ns,
                     [=](std::size_t row) { return figure(row, &FindingFigures::total_ns); }),
      real_column("range_pct", "Share of the Range", Unit::percent,
                  [=](std::size_t row) { return figure(row, &FindingFigures::range_percent); }),
      integer_column("stake", "Potential Savings per Iteration", Unit::ns,
                     [of](std::size_t row) { return optional(of(row).stake_ns); }),
      text_column("stake_basis", "What Could Be Saved",
                  [of](std::size_t row) { return std::string_view(of(row).stake_basis); }),
      text_column("threshold", "Threshold",
                  [of](std::size_t row) {
                    return to_text(of(row).thresholds, aggregate::AdviceThresholds{});
                  }),
      integer_column("median_stake", "Median of the Iterations", Unit::ns,
                     [=](std::size_t row) { return saved(row, &aggregate::Savings::median_ns); }),
      integer_column("iterations", "Affected Iterations", Unit::count,
                     [=](std::size_t row) { return saved(row, &aggregate::Savings::iterations); }),
      word_column("worst_iterations", "Worst Iterations",
                  [of](std::size_t row) { return Cell(worst_iterations(of(row))); }),
      text_column("op_node_name", "Op Name",
                  [of, &profile](std::size_t row) -> Cell {
                    const profile::Row op = of(row).op;
                    return op == kNoRow ? Cell() : Cell(profile.text(profile.ops.name[op]));
                  }),
      word_column("thread", "Thread",
                  [of, &profile](std::size_t row) -> Cell {
                    const profile::Row thread = of(row).thread;
                    return thread == kNoRow ? Cell()
                                            : Cell(profile::short_thread_name(profile, thread));
                  }),
      word_column("part_of", "Part of",
                  [rows](std::size_t row) { return std::string_view((*rows)[row].part_of); }),
  };
  return table;
}

Table finding_checks(const Input& input) {
  const aggregate::RuleIndex rules(input.profile);
  std::vector<aggregate::Check> checks = find(input, rules, 0).checks;
  for (const aggregate::UntoldRule& untold : rules.untold()) {
    checks.push_back({.detector = untold.detector, .not_checked = untold.what});
  }
  const auto rows = std::make_shared<const std::vector<aggregate::Check>>(std::move(checks));
  Table table;
  table.row_count = rows->size();
  table.columns = {
      word_column("detector", "Detector",
                  [rows](std::size_t row) { return (*rows)[row].detector; }),
      text_column(
          "title", "Looked for",
          [rows](std::size_t row) { return aggregate::finding_page((*rows)[row].detector).title; }),
      real_column("value_pct", "Measured", Unit::percent,
                  [rows](std::size_t row) -> Cell {
                    const std::optional<double>& value = (*rows)[row].value;
                    return value ? Cell(*value) : Cell();
                  }),
      text_column("threshold", "Threshold",
                  [rows](std::size_t row) -> Cell {
                    const std::string_view id = (*rows)[row].threshold;
                    if (id.empty()) return {};
                    return to_text(std::span(&id, 1), aggregate::AdviceThresholds{});
                  }),
      flag_column("found", "Found",
                  [rows](std::size_t row) -> Cell {
                    const aggregate::Check& check = (*rows)[row];
                    return check.not_checked.empty() ? Cell(check.is_found) : Cell();
                  }),
      text_column("not_checked", "Not Checked",
                  [rows](std::size_t row) { return (*rows)[row].not_checked; }),
  };
  return table;
}

Table finding_places(const Input& input) {
  std::vector<PlaceOfFinding> places;
  for (const ListedFinding& row : all_findings(input, SIZE_MAX)) {
    for (const FindingPlace& place : row.finding.places) {
      places.push_back({row.finding.advice.detector, place});
    }
  }
  const auto rows = std::make_shared<const std::vector<PlaceOfFinding>>(std::move(places));
  const auto number = [rows](const char* id, const char* title, Unit unit,
                             int64_t FindingPlace::*member) {
    return integer_column(id, title, unit,
                          [rows, member](std::size_t row) { return (*rows)[row].place.*member; });
  };
  const Profile& profile = input.profile;
  const auto op_text = [rows, &profile](profile::Column<profile::StringId> profile::Ops::*texts) {
    return [rows, &profile, texts](std::size_t row) -> Cell {
      const profile::Row instance = (*rows)[row].place.instance;
      if (instance == kNoRow) return {};
      return profile.text((profile.ops.*texts)[profile.instances.op[instance]]);
    };
  };
  Table table;
  table.row_count = rows->size();
  table.columns = {
      word_column("detector", "Detector",
                  [rows](std::size_t row) { return std::string_view((*rows)[row].detector); }),
      ascending(number("iter_value", "Iteration", Unit::count, &FindingPlace::iteration)),
      ascending(number("start", "Start", Unit::ns, &FindingPlace::start_ns)),
      number("duration", "Duration", Unit::ns, &FindingPlace::duration_ns),
      number("stake", "Potential Savings", Unit::ns, &FindingPlace::stake_ns),
      text_column("op_node_id", "Op ID", op_text(&profile::Ops::id)),
      text_column("op_node_name", "Op Name", op_text(&profile::Ops::name)),
      text_column("api_call", "API Call",
                  [rows, &profile](std::size_t row) -> Cell {
                    const profile::StringId call = (*rows)[row].place.call;
                    return call == 0 ? Cell() : Cell(profile.text(call));
                  }),
      ascending(number("process_id", "Process", Unit::none, &FindingPlace::process_id)),
      ascending(integer_column("device_id", "GPU", Unit::none,
                               [rows, &profile](std::size_t row) -> Cell {
                                 const profile::Row device = (*rows)[row].place.device;
                                 if (device == kNoRow) return {};
                                 return profile.devices[device].device_id;
                               })),
      real_column("busy_pct", "GPU Busy", Unit::percent,
                  [rows](std::size_t row) -> Cell {
                    const std::optional<double>& busy = (*rows)[row].place.busy_percent;
                    return busy ? Cell(*busy) : Cell();
                  }),
      word_column("host_cause", "What the Host Did",
                  [rows](std::size_t row) -> Cell {
                    const auto& host = (*rows)[row].place.host;
                    return host ? Cell(aggregate::to_text(host->cause)) : Cell();
                  }),
  };
  return table;
}

}  // namespace dlview::report::view
