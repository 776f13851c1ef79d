#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "aggregate/findings.h"
#include "report/views/declarations.h"

namespace dlview::report::view {
namespace {

using aggregate::Finding;
using aggregate::FindingFigures;
using aggregate::FindingPlace;
using aggregate::Unit;
using profile::kNoRow;
using profile::Profile;

// The findings of the range by the default thresholds, with at most so many places each. A rule
// that the file cannot answer has a row without figures behind them.
std::vector<Finding> all_findings(const Input& input, std::size_t most_places) {
  const aggregate::RuleIndex rules(input.profile);
  std::vector<Finding> findings =
      aggregate::find_findings(input.profile, input.aggregation, {}, &rules, most_places);
  for (const aggregate::UntoldRule& untold : rules.untold()) {
    Finding& finding = findings.emplace_back();
    finding.advice.detector = untold.detector;
    finding.advice.problem = fmt::format("Not told: {}", untold.what);
  }
  return findings;
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
  const auto rows = std::make_shared<const std::vector<Finding>>(all_findings(input, 0));
  Table table;
  table.row_count = rows->size();
  const auto figure = [rows](std::size_t row, auto FindingFigures::*member) {
    const auto& figures = (*rows)[row].figures;
    return figures ? Cell((*figures).*member) : Cell();
  };
  const auto advice = [rows](std::string aggregate::Advice::*member) {
    return [rows, member](std::size_t row) -> Cell {
      return std::string_view((*rows)[row].advice.*member);
    };
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
      integer_column("stake", "At Stake per Iteration", Unit::ns,
                     [rows](std::size_t row) { return optional((*rows)[row].stake_ns); }),
      text_column("stake_basis", "What Is at Stake",
                  [rows](std::size_t row) { return std::string_view((*rows)[row].stake_basis); }),
      text_column("threshold", "Threshold",
                  [rows](std::size_t row) {
                    return to_text((*rows)[row].thresholds, aggregate::AdviceThresholds{});
                  }),
  };
  return table;
}

Table finding_places(const Input& input) {
  std::vector<PlaceOfFinding> places;
  for (const Finding& finding : all_findings(input, SIZE_MAX)) {
    for (const FindingPlace& place : finding.places) {
      places.push_back({finding.advice.detector, place});
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
      number("stake", "At Stake", Unit::ns, &FindingPlace::stake_ns),
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
