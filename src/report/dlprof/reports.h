// DLProf's eight reports as tables, under DLProf's names, file names, column titles and row orders
// (formats.md 9), for any Aggregation of any Profile.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "aggregate/aggregation.h"
#include "base/result.h"
#include "profile/profile.h"
#include "report/table.h"

namespace dlview::report::dlprof {

enum class Report : uint8_t {
  summary,
  detail,
  iteration,
  kernel,
  tensor,
  op_type,
  group_op,
  expert_systems,
};

struct ReportInfo {
  Report report;
  std::string_view name;       // as `--reports` takes it
  std::string_view alias;      // another spelling of it, or ""
  std::string_view file_stem;  // "dlprof_op_type"
};

inline constexpr std::array<ReportInfo, 8> kReports{{
    {Report::summary, "summary", "", "dlprof_summary"},
    {Report::detail, "detail", "detailed", "dlprof_detailed"},
    {Report::iteration, "iteration", "", "dlprof_iteration"},
    {Report::kernel, "kernel", "", "dlprof_kernel"},
    {Report::tensor, "tensor", "tensor_core", "dlprof_tensor_core"},
    {Report::op_type, "op_type", "", "dlprof_op_type"},
    {Report::group_op, "group_op", "group_node", "dlprof_group_op"},
    {Report::expert_systems, "expert_systems", "", "dlprof_expert_systems"},
}};

const ReportInfo& info(Report report);

// "summary,kernel" or "all", in the order of kReports, each once; an unknown name is an Error that
// lists the valid ones.
base::Result<std::vector<Report>> parse_report_list(std::string_view list);

// The table refers to both arguments, which must outlive it.
Table make_report(Report report, const profile::Profile& profile,
                  const aggregate::Aggregation& aggregation);

// The single tables of make_report().
Table summary_report(const profile::Profile&, const aggregate::Aggregation&);
Table detail_report(const profile::Profile&, const aggregate::Aggregation&);
Table iteration_report(const profile::Profile&, const aggregate::Aggregation&);
Table kernel_report(const profile::Profile&, const aggregate::Aggregation&);
Table tensor_report(const profile::Profile&, const aggregate::Aggregation&);
Table op_type_report(const profile::Profile&, const aggregate::Aggregation&);
Table group_op_report(const profile::Profile&, const aggregate::Aggregation&);
Table expert_systems_report(const profile::Profile&, const aggregate::Aggregation&);

}  // namespace dlview::report::dlprof
