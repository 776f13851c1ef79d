// Ops and kernels, findings, and the file: sections that are lists.
#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "aggregate/gaps/gap_text.h"
#include "aggregate/key_names.h"
#include "base/units.h"
#include "profile/display_name.h"
#include "profile/recorded.h"
#include "report/capture.h"
#include "report/page/sections.h"
#include "report/query.h"
#include "report/views/views.h"

namespace dlview::report::page {
namespace {

using aggregate::Finding;
using aggregate::FindingPlace;

std::optional<std::size_t> find_column(const Table& table, std::string_view id) {
  const auto found = std::ranges::find(table.columns, id, &Column::id);
  if (found == table.columns.end()) return std::nullopt;
  return static_cast<std::size_t>(found - table.columns.begin());
}

double number_of(const Cell& cell) {
  if (const auto* whole = std::get_if<int64_t>(&cell)) return static_cast<double>(*whole);
  if (const auto* real = std::get_if<double>(&cell)) return *real;
  return 0;
}

// Those of the choice in which a row has a value.
std::vector<std::size_t> chosen_columns(const Table& table, const TableChoice& choice,
                                        const std::vector<uint32_t>& rows) {
  std::vector<std::size_t> columns;
  for (const std::string_view id : choice.columns) {
    const auto column = find_column(table, id);
    if (!column) continue;
    const bool has_value = std::ranges::any_of(rows, [&](uint32_t row) {
      return !std::holds_alternative<std::monostate>(table.cell(row, *column));
    });
    if (has_value || rows.empty()) columns.push_back(*column);
  }
  return columns;
}

struct ChosenRows {
  std::vector<uint32_t> rows;
  std::string left_out;  // empty = nothing
};

ChosenRows chosen_rows(const Table& table, const TableChoice& choice, std::size_t most_rows,
                       std::optional<std::vector<uint32_t>> given) {
  ChosenRows chosen;
  if (given) {
    chosen.rows = *std::move(given);
  } else {
    chosen.rows.resize(table.row_count);
    std::iota(chosen.rows.begin(), chosen.rows.end(), 0U);
  }
  const auto sort = find_column(table, choice.sort);
  if (sort) {
    std::vector<double> keys(table.row_count);
    double whole = 0;
    for (const uint32_t row : chosen.rows) {
      keys[row] = number_of(table.cell(row, *sort));
      whole += keys[row];
    }
    std::ranges::stable_sort(chosen.rows,
                             [&keys](uint32_t a, uint32_t b) { return keys[a] > keys[b]; });
    const std::size_t before = chosen.rows.size();
    const double least = whole * choice.least_percent / 100;
    std::erase_if(chosen.rows, [&](uint32_t row) { return least > 0 && keys[row] < least; });
    if (chosen.rows.size() < before) {
      chosen.left_out =
          fmt::format("{} with less than {}% of the time left out of this page.",
                      base::counted(static_cast<int64_t>(before - chosen.rows.size()), "rows"),
                      choice.least_percent);
    }
  }
  if (chosen.rows.size() > most_rows) {
    chosen.left_out =
        fmt::format("{} more rows left out of this page.",
                    base::format_count(static_cast<int64_t>(chosen.rows.size() - most_rows)));
    chosen.rows.resize(most_rows);
  }
  return chosen;
}

std::string place_text(const RunParts& run, const FindingPlace& place) {
  const profile::Profile& profile = run.profile();
  std::vector<std::string> parts{base::format_duration(place.stake_ns),
                                 fmt::format("iteration {}", base::format_count(place.iteration))};
  if (place.device != profile::kNoRow && profile.devices.size() > 1) {
    parts.push_back(fmt::format("GPU {}", profile.devices[place.device].device_id));
  }
  if (place.busy_percent) {
    parts.push_back(fmt::format("{} busy", base::format_percent(*place.busy_percent)));
  }
  if (place.call != 0) parts.emplace_back(profile::call_name(profile.text(place.call)));
  if (place.host) {
    parts.push_back(aggregate::short_place_of_host(profile, *place.host));
  } else if (place.instance != profile::kNoRow) {
    const profile::OpIndex op = profile.instances.op[place.instance];
    parts.push_back(aggregate::readable_key(profile.text(profile.ops.name[op])));
  }
  return fmt::format("{}", fmt::join(parts, " · "));
}

// With a period, unless it ends with one.
std::string sentence(const std::string& text) {
  return text.empty() || text.ends_with('.') ? text : text + '.';
}

void append_finding(std::string& out, const RunParts& run, const Finding& finding, bool is_part) {
  const std::string element = is_part ? "h4" : "h3";
  std::string savings;
  if (finding.stake_ns) {
    const double percent = 100 * static_cast<double>(*finding.stake_ns) /
                           std::max(1.0, run.aggregation().average_iteration_ns());
    savings = fmt::format(
        "<span title=\"{} ns per iteration\">{} · {}</span>", base::format_count(*finding.stake_ns),
        text(base::format_duration(*finding.stake_ns)), text(base::format_percent(percent)));
  }
  out += fmt::format("<div class=\"{}finding\">\n<{}>{}{}</{}>\n<p>{}</p>\n",
                     is_part ? "" : "panel ", element, text(title_of(finding)), savings, element,
                     text(sentence(finding.advice.problem)));
  if (!finding.advice.recommendation.empty()) {
    out += fmt::format("<p>{}</p>\n", text(sentence(finding.advice.recommendation)));
  }
  if (!finding.places.empty()) {
    out += "<ul>";
    for (const FindingPlace& place : finding.places) {
      out += fmt::format("<li>{}</li>", text(place_text(run, place)));
    }
    out += "</ul>\n";
  }
  for (const Finding& part : finding.parts) append_finding(out, run, part, true);
  out += "</div>\n";
}

struct MachineFact {
  std::string_view title;
  std::string value;  // empty = not recorded
};

std::vector<MachineFact> machine_facts(const RunPageInput& input) {
  const profile::Profile& profile = input.profile;
  const profile::SystemFacts& system = profile.system;
  const NamedVersion driver = driver_version(profile), runtime = runtime_version(profile);
  std::vector<MachineFact> facts{{"Format", profile.source.format},
                                 {"Size", base::format_bytes(profile.source.file_bytes)},
                                 {"GPUs", gpu_count(profile)},
                                 {"GPU names", gpu_names(profile)},
                                 {"CPU model", system.cpu_model},
                                 {driver.title, driver.version},
                                 {runtime.title, runtime.version},
                                 {"cuDNN version", system.cudnn_version},
                                 {"Framework", system.framework},
                                 {"Operating system", system.os_name},
                                 {"Nsight Systems version", system.nsys_version},
                                 {"DLProf version", system.dlprof_version},
                                 {"Database version", system.database_version}};
  if (profile.trace) {
    const profile::Trace& trace = *profile.trace;
    facts.push_back({"Captured", recording_time(trace)});
    if (trace.duration_ns) {
      facts.push_back({"Duration of the capture", base::format_duration(*trace.duration_ns)});
    }
    facts.push_back({"CPU cores", trace.capture.cpu_cores});
    facts.push_back({"Kernel release", trace.capture.kernel_release});
    facts.push_back({"Backend of torch.distributed", trace.capture.backend});
  }
  facts.push_back({"dlview version", input.version});
  return facts;
}

// Who recorded it, and where: only on request.
std::vector<MachineFact> host_facts(const profile::Profile& profile) {
  std::vector<MachineFact> facts{{"Path", profile.source.path},
                                 {"Command", profile.system.original_command}};
  if (profile.trace) {
    facts.push_back({"Host", profile.trace->capture.host});
    facts.push_back({"Program", profile.trace->capture.program});
    facts.push_back({"Processes", process_names(profile)});
  }
  for (const profile::StoredAggregation& stored : profile.stored_aggregations) {
    facts.push_back({"User", stored.user});
    facts.push_back({"Host", stored.host});
  }
  return facts;
}

std::string fact_table(std::string_view caption, const std::vector<MachineFact>& facts,
                       Folders folders) {
  PlainTable table{std::string(caption), {"Fact", "Value"}, {}, {}};
  std::string missing;
  for (const MachineFact& fact : facts) {
    if (fact.value.empty()) {
      missing += fmt::format("{}{}", missing.empty() ? "" : ", ", fact.title);
    } else {
      table.rows.push_back({text(fact.title), name(fact.value, folders)});
    }
  }
  return plain_table(table) + (missing.empty() ? "" : note("Not recorded: " + missing + "."));
}

}  // namespace

std::string PageParts::add_table(const Table& table, const TableChoice& choice,
                                 std::optional<std::vector<uint32_t>> rows) {
  ChosenRows chosen = chosen_rows(table, choice, limits_.most_rows, std::move(rows));
  const std::vector<std::size_t> columns = chosen_columns(table, choice, chosen.rows);
  TableView view{table, chosen.rows, columns, choice.id, choice.caption, std::nullopt};
  view.note = choice.note;
  if (!chosen.left_out.empty()) view.note += (view.note.empty() ? "" : " ") + chosen.left_out;
  const auto sort = find_column(table, choice.sort);
  const auto place = sort ? std::ranges::find(columns, *sort) : columns.end();
  if (place != columns.end()) view.sorted_by = static_cast<std::size_t>(place - columns.begin());
  for (const std::size_t column : columns) {
    add_metric(page::title_of(table, table.columns[column]).metric);
  }
  tables_.push_back(table_json(view));
  return table_markup(view);
}

std::string PageParts::add_head_only(const Table& table, const TableChoice& choice,
                                     std::vector<uint32_t> rows) {
  const std::vector<std::size_t> columns = chosen_columns(table, choice, rows);
  TableView view{table, rows, columns, choice.id, choice.caption, std::nullopt, choice.note};
  const auto sort = find_column(table, choice.sort);
  const auto place = sort ? std::ranges::find(columns, *sort) : columns.end();
  if (place != columns.end()) view.sorted_by = static_cast<std::size_t>(place - columns.begin());
  for (const std::size_t column : columns) {
    add_metric(page::title_of(table, table.columns[column]).metric);
  }
  TableView head = view;
  head.rows = {};
  tables_.push_back(table_json(head));
  return table_markup(view);
}

void PageParts::add_metric(aggregate::MetricId metric) {
  if (metric.empty() || std::ranges::find(metrics_, metric) != metrics_.end()) return;
  metrics_.push_back(metric);
}

std::string PageParts::tables_json() const {
  std::string json = "{\"tables\":[";
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    if (i > 0) json += ',';
    json += tables_[i];
  }
  return json + "]}";
}

void append_op_sections(const RunParts& run, std::vector<Section>& sections) {
  const PageLimits& limits = run.parts.limits();
  const bool has_gpu = profile::tells_of(run.profile(), profile::Evidence::gpu_work);
  const std::string_view by = has_gpu ? "gpu_time" : "cpu_time";
  sections.push_back(
      {"ops", "Ops",
       run.parts.add_table(run_table(run, "op_nodes"),
                           {"op_nodes",
                            "Ops",
                            {"op_node_name", "op_node_type", "direction", "data_type", "num_calls",
                             "gpu_time", "cpu_time", "kernel_calls", "tc_eligible", "using_tc"},
                            by,
                            limits.least_op_percent})});
  const Table groups = run_table(run, "group_ops");
  const auto row_type = find_column(groups, "row_type");
  std::vector<uint32_t> group_rows;
  for (std::size_t row = 0; row_type && row < groups.row_count; ++row) {
    if (groups.cell(row, *row_type) == Cell(kGroupRow)) {
      group_rows.push_back(static_cast<uint32_t>(row));
    }
  }
  if (group_rows.size() > 1) {
    sections.push_back(
        {"groups", "Groups",
         run.parts.add_table(
             groups,
             {"group_ops",
              "Groups of ops",
              {"row_full_name", "level", "num_op_instances", "gpu_time_sum", "cpu_time_sum",
               "cpu_overhead_sum", "gpu_idle_sum", "num_supported_leaf_ops", "num_tc_leaf_ops"},
              has_gpu ? "gpu_time_sum" : "cpu_time_sum",
              0,
              "A group contains the groups below it: times of a group and of those inside it "
              "overlap."},
             std::move(group_rows))});
  }
  const Table kernels = run_table(run, "kernel_summaries");
  if (!has_gpu && kernels.row_count == 0) return;
  sections.push_back({"kernels", "Kernels",
                      run.parts.add_table(kernels, {"kernel_summaries",
                                                    "Kernels by op and name",
                                                    {"kernel_name", "op_node_id", "uses_tc",
                                                     "calls", "gpu_time", "avg", "min", "max"},
                                                    "gpu_time",
                                                    limits.least_kernel_percent})});
}

Section finding_section(const RunParts& run) {
  Section section{"findings", "Findings", ""};
  for (const Finding& finding : run.findings.findings) {
    append_finding(section.body, run, finding, false);
  }
  if (run.findings.findings.empty()) {
    section.body += panel("<p class=\"note\">Nothing exceeds a threshold.</p>\n");
  }
  section.body += run.parts.add_table(
      make_finding_checks(run.findings.checks, *run.input.rules),
      {"finding_checks", "Checks", {"title", "value_pct", "threshold", "found", "not_checked"}});
  run.parts.add_metric("findings");
  return section;
}

void append_file_sections(const RunParts& run, std::vector<Section>& sections) {
  const profile::Profile& profile = run.profile();
  std::string machine =
      panel(fact_table("Machine and capture", machine_facts(run.input), Folders::leave_out));
  if (run.input.with_host) machine += panel(fact_table("Host", host_facts(profile), Folders::keep));
  sections.push_back({"machine", "Machine", machine});

  std::string quality;
  const std::string damage = profile::file_damage(profile);
  if (!damage.empty()) quality += panel("<p>" + text(damage) + "</p>\n");
  PlainTable skipped{"Skipped rows", {"Table", "Rows", "Reason", "Example"}, {}, {1}};
  for (const profile::QualityNote& each : profile.quality) {
    if (each.rows == 0) continue;
    skipped.rows.push_back({name(each.table), base::format_count(each.rows), text(each.reason),
                            text(each.first_example)});
  }
  if (!skipped.rows.empty()) quality += plain_table(skipped);
  PlainTable missing{"Not recorded", {"What", "How to record it"}, {}, {}};
  for (const profile::NotRecorded& each : profile.not_recorded) {
    missing.rows.push_back({text(each.what), text(each.remedy)});
  }
  if (!missing.rows.empty()) quality += plain_table(missing);
  if (quality.empty()) {
    quality = panel("<p class=\"note\">Nothing is missing, and no row was skipped.</p>\n");
  }
  sections.push_back({"quality", "Data quality", quality});
}

}  // namespace dlview::report::page
