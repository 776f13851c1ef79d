#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>  // join

#include "aggregate/finding_pages.h"
#include "aggregate/findings.h"
#include "profile/display_name.h"
#include "profile/thread_name.h"
#include "report/views/declarations.h"

namespace dlview::report::view {
namespace {

using aggregate::Finding;
using aggregate::FindingFigures;
using aggregate::FindingPlace;
using profile::kNoRow;
using profile::Profile;

aggregate::FoundFindings find(const Input& input, const aggregate::RuleIndex& rules,
                              std::size_t most_places) {
  const auto limits = input.arguments.limits
                          ? input.arguments.limits
                          : std::make_shared<const aggregate::LimitIndex>(input.profile);
  return aggregate::find_findings(input.profile, input.aggregation, {}, &rules, most_places,
                                  limits.get());
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
      column("detector", advice(&aggregate::Advice::detector)),
      column("problem", advice(&aggregate::Advice::problem)),
      column("recommendation", advice(&aggregate::Advice::recommendation)),
      column("count", [=](std::size_t row) { return figure(row, &FindingFigures::count); }),
      column("total_time", [=](std::size_t row) { return figure(row, &FindingFigures::total_ns); }),
      column("range_pct",
             [=](std::size_t row) { return figure(row, &FindingFigures::range_percent); }),
      column("findings.stake", [of](std::size_t row) { return optional(of(row).stake_ns); }),
      column("stake_basis",
             [of](std::size_t row) { return std::string_view(of(row).stake_basis); }),
      column("threshold",
             [of](std::size_t row) {
               return to_text(of(row).thresholds, aggregate::AdviceThresholds{});
             }),
      column("median_stake",
             [=](std::size_t row) { return saved(row, &aggregate::Savings::median_ns); }),
      column("iterations",
             [=](std::size_t row) { return saved(row, &aggregate::Savings::iterations); }),
      column("worst_iterations", [of](std::size_t row) { return Cell(worst_iterations(of(row))); }),
      column("op_node_name",
             [of, &profile](std::size_t row) -> Cell {
               const profile::OpIndex op = of(row).op;
               return op == kNoRow ? Cell() : Cell(profile.text(profile.ops.name[op]));
             }),
      column("thread",
             [of, &profile](std::size_t row) -> Cell {
               const profile::ThreadIndex thread = of(row).thread;
               return thread == kNoRow ? Cell() : Cell(profile::short_thread_name(profile, thread));
             }),
      column("part_of", [rows](std::size_t row) { return std::string_view((*rows)[row].part_of); }),
  };
  return table;
}

Table finding_checks(const Input& input) {
  const aggregate::RuleIndex rules(input.profile);
  return make_finding_checks(find(input, rules, 0).checks, rules);
}

Table finding_places(const Input& input) {
  std::vector<PlaceOfFinding> places;
  for (const ListedFinding& row : all_findings(input, SIZE_MAX)) {
    for (const FindingPlace& place : row.finding.places) {
      places.push_back({row.finding.advice.detector, place});
    }
  }
  const auto rows = std::make_shared<const std::vector<PlaceOfFinding>>(std::move(places));
  const auto number = [rows](ColumnId id, int64_t FindingPlace::*member) {
    return column(id, [rows, member](std::size_t row) { return (*rows)[row].place.*member; });
  };
  const Profile& profile = input.profile;
  const auto op_text = [rows,
                        &profile](profile::Ops::Column<profile::StringId> profile::Ops::*texts) {
    return [rows, &profile, texts](std::size_t row) -> Cell {
      const profile::InstanceIndex instance = (*rows)[row].place.instance;
      if (instance == kNoRow) return {};
      return profile.text((profile.ops.*texts)[profile.instances.op[instance]]);
    };
  };
  Table table;
  table.row_count = rows->size();
  table.columns = {
      column("detector",
             [rows](std::size_t row) { return std::string_view((*rows)[row].detector); }),
      number("iter_value", &FindingPlace::iteration),
      number("finding_places.start", &FindingPlace::start_ns),
      number("duration", &FindingPlace::duration_ns),
      number("finding_places.stake", &FindingPlace::stake_ns),
      column("op_node_id", op_text(&profile::Ops::id)),
      column("op_node_name", op_text(&profile::Ops::name)),
      column("finding_places.api_call",
             [rows, &profile](std::size_t row) -> Cell {
               const profile::StringId call = (*rows)[row].place.call;
               return call == 0 ? Cell() : Cell(profile::call_name(profile.text(call)));
             }),
      column("process_id",
             [rows, &profile](std::size_t row) -> Cell {
               const profile::InstanceIndex instance = (*rows)[row].place.instance;
               if (instance == kNoRow) return {};
               return profile.threads[profile.instances.thread[instance]].process_id;
             }),
      column("device_id",
             [rows, &profile](std::size_t row) -> Cell {
               const profile::DeviceIndex device = (*rows)[row].place.device;
               if (device == kNoRow) return {};
               return profile.devices[device].device_id;
             }),
      column("busy_pct",
             [rows](std::size_t row) -> Cell {
               const std::optional<double>& busy = (*rows)[row].place.busy_percent;
               return busy ? Cell(*busy) : Cell();
             }),
      column("host_cause",
             [rows](std::size_t row) -> Cell {
               const auto& host = (*rows)[row].place.host;
               return host ? Cell(aggregate::to_text(host->cause)) : Cell();
             }),
  };
  return table;
}

}  // namespace dlview::report::view

namespace dlview::report {

Table make_finding_checks(std::vector<aggregate::Check> checks, const aggregate::RuleIndex& rules) {
  for (const aggregate::UntoldRule& untold : rules.untold()) {
    checks.push_back({.detector = untold.detector, .not_checked = untold.what});
  }
  const auto rows = std::make_shared<const std::vector<aggregate::Check>>(std::move(checks));
  Table table{"finding_checks", "Finding checks", Layout::rows, {}, rows->size()};
  table.columns = {
      column("detector", [rows](std::size_t row) { return (*rows)[row].detector; }),
      column(
          "title",
          [rows](std::size_t row) { return aggregate::finding_page((*rows)[row].detector).title; }),
      column("value_pct",
             [rows](std::size_t row) -> Cell {
               const std::optional<double>& value = (*rows)[row].value;
               return value ? Cell(*value) : Cell();
             }),
      column("threshold",
             [rows](std::size_t row) -> Cell {
               const std::string_view id = (*rows)[row].threshold;
               if (id.empty()) return {};
               return to_text(std::span(&id, 1), aggregate::AdviceThresholds{});
             }),
      column("found",
             [rows](std::size_t row) -> Cell {
               const aggregate::Check& check = (*rows)[row];
               return check.not_checked.empty() ? Cell(check.is_found) : Cell();
             }),
      column("not_checked", [rows](std::size_t row) { return (*rows)[row].not_checked; }),
  };
  return table;
}

}  // namespace dlview::report
