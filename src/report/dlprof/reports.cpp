#include "report/dlprof/reports.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "report/names.h"
#include "report/not_recorded.h"

namespace dlview::report::dlprof {

const ReportInfo& info(Report report) {
  return kReports[static_cast<std::size_t>(report)];
}

base::Result<std::vector<Report>> parse_report_list(std::string_view list) {
  std::array<bool, kReports.size()> wanted{};
  for (const std::string_view name : split_names(list)) {
    if (name == "all") {
      wanted.fill(true);
      continue;
    }
    const auto* const found =
        std::find_if(kReports.begin(), kReports.end(), [&](const ReportInfo& known) {
          return name == known.name || (!known.alias.empty() && name == known.alias);
        });
    if (found == kReports.end()) {
      std::vector<std::string_view> names{"all"};
      for (const ReportInfo& known : kReports) names.push_back(known.name);
      return unknown_name("report", name, names);
    }
    wanted[static_cast<std::size_t>(found->report)] = true;
  }
  std::vector<Report> reports;
  for (const ReportInfo& known : kReports) {
    if (wanted[static_cast<std::size_t>(known.report)]) reports.push_back(known.report);
  }
  return reports;
}

namespace {

Table table_of(Report report, const profile::Profile& profile,
               const aggregate::Aggregation& aggregation) {
  switch (report) {
    case Report::summary:
      return summary_report(profile, aggregation);
    case Report::detail:
      return detail_report(profile, aggregation);
    case Report::iteration:
      return iteration_report(profile, aggregation);
    case Report::kernel:
      return kernel_report(profile, aggregation);
    case Report::tensor:
      return tensor_report(profile, aggregation);
    case Report::op_type:
      return op_type_report(profile, aggregation);
    case Report::group_op:
      return group_op_report(profile, aggregation);
    case Report::expert_systems:
      return expert_systems_report(profile, aggregation);
  }
  return {};
}

}  // namespace

Table make_report(Report report, const profile::Profile& profile,
                  const aggregate::Aggregation& aggregation) {
  Table table = table_of(report, profile, aggregation);
  if (table.layout == Layout::rows) empty_what_was_not_recorded(table, profile, aggregation);
  return table;
}

}  // namespace dlview::report::dlprof
