#include "report/page/run_page.h"

#include <algorithm>
#include <array>
#include <memory>
#include <ostream>
#include <utility>

#include <fmt/format.h>

#include "aggregate/definitions.h"
#include "aggregate/finding_pages.h"
#include "aggregate/key_names.h"
#include "aggregate/provenance.h"
#include "base/units.h"
#include "profile/recorded.h"
#include "report/capture.h"
#include "report/page/markup.h"
#include "report/page/sections.h"
#include "report/writers/file.h"
#include "report/writers/shown_table.h"

namespace dlview::report::page {
namespace {

using aggregate::Aggregation;
using aggregate::Finding;

// From all to the least that is still a page.
constexpr std::array<PageLimits, 5> kLevels{
    {{},
     {.least_kernel_percent = 0.1},
     {.least_kernel_percent = 0.1, .least_op_percent = 0.1},
     {.least_kernel_percent = 0.1, .least_op_percent = 0.1, .most_rows = 1000},
     {.least_kernel_percent = 0.1,
      .least_op_percent = 0.1,
      .most_rows = kStaticRows,
      .most_iteration_bytes = 500'000}}};

std::string iterations_fact(const Aggregation& aggregation) {
  const auto& range = aggregation.selection.range;
  const auto all = static_cast<int64_t>(aggregation.iteration_table->iterations.rows.size());
  if (all == 1) return "not split into iterations";
  return fmt::format("iterations {}–{} of {}", base::format_count(range.first),
                     base::format_count(range.last), base::format_count(all));
}

std::vector<std::string> facts_of(const RunPageInput& input) {
  const profile::Profile& profile = input.profile;
  std::vector<std::string> facts;
  const auto add = [&facts](std::string fact) {
    if (!fact.empty()) facts.push_back(std::move(fact));
  };
  add(gpu_names(profile));
  add(iterations_fact(input.aggregation));
  const std::string& key = input.aggregation.selection.cut.key_op;
  if (!key.empty()) {
    add(fmt::format("split at {}, by the {}", aggregate::key_op_label(profile, key),
                    aggregate::to_text(input.aggregation.iteration_table->iterations.split_by)));
  }
  for (const aggregate::Filter& filter : input.aggregation.selection.filters) {
    add("only " + to_text(filter));
  }
  if (profile.trace) add(recording_time(*profile.trace));
  add(profile.source.format);
  return facts;
}

// What both runs are: once where they are alike.
std::vector<std::string> facts_of_both(const RunPageInput& input) {
  const profile::Profile &from = input.profile, &to = *input.comparison->runs->after().profile;
  std::vector<std::string> facts;
  const auto add = [&facts](const std::string& before, const std::string& after) {
    if (before.empty() && after.empty()) return;
    const auto shown = [](const std::string& fact) { return fact.empty() ? "unknown" : fact; };
    facts.push_back(before == after ? before : fmt::format("{} → {}", shown(before), shown(after)));
  };
  add(gpu_names(from), gpu_names(to));
  add(from.source.format, to.source.format);
  return facts;
}

const Finding* largest_savings(const aggregate::FoundFindings& found) {
  const auto has_savings = [](const Finding& finding) { return finding.stake_ns.has_value(); };
  const auto place = std::ranges::find_if(found.findings, has_savings);
  return place == found.findings.end() ? nullptr : &*place;
}

// What the run is like, in two sentences.
std::string run_lead(const RunParts& run) {
  const Aggregation& aggregation = run.aggregation();
  const auto iterations = aggregation.selection.range.size();
  std::string sentence =
      iterations == 1
          ? fmt::format("The range takes {}", base::format_duration(aggregation.range_ns))
          : fmt::format("An iteration takes {} (median of {})",
                        base::format_duration(
                            aggregate::percentile(aggregate::sorted_durations(aggregation), 0.5)),
                        base::format_count(iterations));
  if (profile::tells_of(run.profile(), profile::Evidence::gpu_work) &&
      !aggregation.devices.empty()) {
    sentence += fmt::format("; kernels run in {} of it",
                            base::format_percent(aggregation.gpu_utilization()));
  }
  std::string lead = "<p>" + text(sentence) + ".</p>";
  if (const Finding* const largest = largest_savings(run.findings)) {
    const double percent = 100 * static_cast<double>(*largest->stake_ns) /
                           std::max(1.0, aggregation.average_iteration_ns());
    lead += fmt::format(
        "<p>{}</p>",
        text(fmt::format("Largest potential savings: {}, at most {} per iteration ({}).",
                         title_of(*largest), base::format_duration(*largest->stake_ns),
                         base::format_percent(percent))));
  }
  return lead;
}

std::string lead_of(const RunParts& run) {
  std::string style, lead;
  if (run.input.comparison) {
    lead += comparison_lead(*run.input.comparison);
    const auto& change = run.input.comparison->judgment.iteration;
    if (run.input.comparison->is_judged() && change) {
      if (change->verdict == aggregate::Verdict::slower) style = " worse";
      if (change->verdict == aggregate::Verdict::faster) style = " better";
    }
  }
  if (run.input.budgets != nullptr) {
    const budget::CheckedRun& budgets = *run.input.budgets;
    lead += fmt::format("<p>{}.</p>", text(budget_summary(budgets)));
    const int code = budget::exit_code_of(budgets.verdicts, budgets.inconclusive);
    // What is broken is worse, although the run may be faster than another one.
    constexpr int kBroken = 1;
    if (code == kBroken) style = " worse";
    if (style.empty()) style = code == 0 ? " better" : " worse";
  }
  if (lead.empty()) lead = run_lead(run);
  return fmt::format("<div class=\"verdict{}\">{}</div>\n", style, lead);
}

Section definition_section(const RunParts& run) {
  std::vector<Definition> definitions;
  const std::vector<aggregate::MetricId>& used = run.parts.metrics();
  for (const aggregate::Metric& metric : aggregate::all_metrics()) {
    const aggregate::MetricId id(metric);
    if (std::ranges::find(used, id) == used.end()) continue;
    Definition& definition = definitions.emplace_back();
    definition.metric = id;
    definition.note = aggregate::definition_note(metric, &run.profile());
    const std::string rows = aggregate::source_rows(run.aggregation(), {id});
    if (!rows.empty()) definition.source = "In this range: " + rows;
    definition.sql = aggregate::sql_of(run.profile(), run.aggregation(), {id}).value_or("");
  }
  return {"definitions", "Definitions", panel(definition_list(definitions))};
}

// "3 kernel rows below 0.1% ..." stands with the tables; this names what concerns the whole page.
std::string footer_of(const RunPageInput& input, bool has_columns) {
  std::string footer;
  if (!has_columns) {
    footer +=
        "<p>The iterations are too many for this page: their range cannot be changed here."
        "</p>";
  }
  footer += fmt::format("<p>{}</p>",
                        text(fmt::format("Written by dlview {}. Times are those of the profile; "
                                         "the page loads nothing and sends nothing.",
                                         input.version)));
  return footer;
}

Page page_within(const RunPageInput& input, const aggregate::FoundFindings& findings,
                 const PageLimits& limits) {
  PageParts parts(limits);
  const RunParts run{input, parts, findings};
  Page page;
  page.heading = file_name(input.profile);
  page.kind = input.comparison           ? "Two runs compared"
              : input.budgets != nullptr ? "Budgets of a run"
                                         : "GPU training run";
  if (input.comparison) {
    page.heading += " → " + file_name(*input.comparison->runs->after().profile);
  }
  page.title = page.heading + " · dlview";
  page.facts = input.comparison ? facts_of_both(input) : facts_of(input);
  page.lead = lead_of(run);
  // What is about one of two runs comes after what is about both.
  if (input.comparison) page.sections.push_back(comparison_section(run));
  if (input.budgets != nullptr && input.comparison) {
    page.sections.push_back(budget_section(*input.budgets));
  }
  page.sections.push_back(key_figure_section(run));
  if (input.budgets != nullptr && !input.comparison) {
    page.sections.push_back(budget_section(*input.budgets));
  }
  if (input.aggregation.iteration_table->iterations.rows.size() > 1) {
    page.sections.push_back(iteration_section(run));
  }
  page.sections.push_back(breakdown_section(run));
  append_op_sections(run, page.sections);
  page.sections.push_back(finding_section(run));
  append_file_sections(run, page.sections);
  page.sections.push_back(definition_section(run));
  IterationBlocks iterations =
      iteration_blocks(input.profile, input.aggregation, limits.most_iteration_bytes);
  page.data = std::move(iterations.blocks);
  page.data.push_back({"data_tables", DataBlock::Kind::json, parts.tables_json()});
  page.footer = footer_of(input, iterations.has_columns);
  return page;
}

}  // namespace

std::string title_of(const Finding& finding) {
  const std::string_view title = aggregate::finding_page(finding.advice.detector).title;
  return std::string(title.empty() ? std::string_view(finding.advice.detector) : title);
}

std::string file_name(const profile::Profile& profile) {
  return std::filesystem::path(profile.source.path).filename().string();
}

std::string gpu_names(const profile::Profile& profile) {
  std::vector<std::pair<std::string, int>> counts;
  for (const profile::Device& device : profile.devices) {
    if (device.name.empty()) continue;
    const auto same = std::ranges::find(counts, device.name, &std::pair<std::string, int>::first);
    if (same == counts.end()) {
      counts.emplace_back(device.name, 1);
    } else {
      ++same->second;
    }
  }
  std::string names;
  for (const auto& [name, count] : counts) {
    if (!names.empty()) names += ", ";
    names += count == 1 ? name : fmt::format("{} × {}", count, name);
  }
  return names;
}

Page make_run_page(const RunPageInput& input, std::size_t most_bytes) {
  std::unique_ptr<const aggregate::RuleIndex> own_rules;
  std::unique_ptr<const aggregate::LimitIndex> own_limits;
  RunPageInput whole = input;
  if (whole.rules == nullptr) {
    own_rules = std::make_unique<const aggregate::RuleIndex>(input.profile);
    whole.rules = own_rules.get();
  }
  if (whole.limits == nullptr) {
    own_limits = std::make_unique<const aggregate::LimitIndex>(input.profile);
    whole.limits = own_limits.get();
  }
  const aggregate::FoundFindings findings = aggregate::find_findings(
      input.profile, input.aggregation, {}, whole.rules, aggregate::kWorstPlaces, whole.limits);
  for (const PageLimits& limits : kLevels) {
    Page page = page_within(whole, findings, limits);
    if (&limits == &kLevels.back() || size_of(page) <= most_bytes) return page;
  }
  return {};  // not reached
}

base::Status write_run_page(const RunPageInput& input, const std::filesystem::path& file) {
  constexpr const char* kAdvice = "Choose another name for the page";
  DLVIEW_TRY(refuse_source(file, input.profile, kAdvice));
  if (input.comparison) {
    DLVIEW_TRY(refuse_source(file, *input.comparison->runs->after().profile, kAdvice));
  }
  const Page page = make_run_page(input);
  return write_file(file, [&page](std::ostream& out) { write_page(page, out); });
}

}  // namespace dlview::report::page
