// The sections of the page of a run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aggregate/findings.h"
#include "report/page/iteration_data.h"
#include "report/page/markup.h"
#include "report/page/run_page.h"

namespace dlview::report::page {

// What a page leaves out when it would be too large.
struct PageLimits {
  double least_kernel_percent = 0, least_op_percent = 0;  // of the largest total of their table
  std::size_t most_rows = SIZE_MAX;                       // of any table
  std::size_t most_iteration_bytes = 2'500'000;
};

// How a page shows a table: these columns of it, as far as they have values.
struct TableChoice {
  std::string id;  // on the page
  std::string caption;
  std::vector<std::string_view> columns;  // ids
  std::string_view sort = {};             // id of a column, descending; empty = as the table is
  double least_percent = 0;               // rows with less of the sum of `sort` are left out
  std::string note = {};
};

// Collects the parts that several sections add to: tables for the script, and metrics to define.
class PageParts {
 public:
  explicit PageParts(const PageLimits& limits) : limits_(limits) {}

  const PageLimits& limits() const { return limits_; }
  // Markup of the first rows; all rows go into the data. Without `rows`, those of the table.
  std::string add_table(const Table& table, const TableChoice& choice,
                        std::optional<std::vector<uint32_t>> rows = std::nullopt);
  // Likewise, but the script has the rows from elsewhere: the JSON has none.
  std::string add_head_only(const Table& table, const TableChoice& choice,
                            std::vector<uint32_t> rows);
  void add_metric(aggregate::MetricId metric);

  std::string tables_json() const;
  const std::vector<aggregate::MetricId>& metrics() const { return metrics_; }

 private:
  PageLimits limits_;
  std::vector<std::string> tables_;
  std::vector<aggregate::MetricId> metrics_;  // each once
};

// What the sections are about.
struct RunParts {
  const RunPageInput& input;
  PageParts& parts;
  const aggregate::FoundFindings& findings;

  const profile::Profile& profile() const { return input.profile; }
  const aggregate::Aggregation& aggregation() const { return input.aggregation; }
};

// A table of `dlview table` for the range; without rows if the profile has none.
Table run_table(const RunParts& run, std::string_view name);

Section key_figure_section(const RunParts& run);
Section iteration_section(const RunParts& run);
Section breakdown_section(const RunParts& run);
// Ops, groups of ops, and kernels.
void append_op_sections(const RunParts& run, std::vector<Section>& sections);
Section finding_section(const RunParts& run);
void append_file_sections(const RunParts& run, std::vector<Section>& sections);

Section comparison_section(const RunParts& run);
// The verdict of the comparison, for the head of the page.
std::string comparison_lead(const aggregate::Comparison& comparison);
Section budget_section(const budget::CheckedRun& budgets);
std::string budget_summary(const budget::CheckedRun& budgets);  // "5 budgets: 1 broken, 4 kept"

// "GPU idle", as the window calls a finding.
std::string title_of(const aggregate::Finding& finding);
// "8 × NVIDIA H100, GB200"; empty = not recorded.
std::string gpu_names(const profile::Profile& profile);
// Without the folder.
std::string file_name(const profile::Profile& profile);

}  // namespace dlview::report::page
