#include "aggregate/definitions.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <sstream>

#include <fmt/format.h>

#include "aggregate/provenance.h"

namespace dlview::aggregate {
namespace {

// Each reaches to the first metric of the next one.
struct Section {
  std::string_view title;
  MetricId first_metric;
};
constexpr std::array<Section, 10> kSections{{
    {"Range and iterations", "wall_time"},
    {"Steady state, outliers, two iterations compared", "steady_range"},
    {"Iteration marker", "key_op_score"},
    {"GPU utilization and resource usage", "gpu_utilization"},
    {"Tensor Cores", "tensor_core_efficiency"},
    {"Op types, groups and ops", "op_gpu_time"},
    {"Kernels and memory operations", "kernel_gpu_time"},
    {"Limits: FLOP, bytes and roofs", "limit_flop"},
    {"Potential savings", "time_at_stake"},
    {"Ranks", "rank_own_work"},
}};

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

}  // namespace

std::vector<DefinitionSection> find_definitions(std::string_view search,
                                                const profile::Profile* profile) {
  const SearchWords words(search);
  std::vector<DefinitionSection> sections;
  for (const Metric& metric : all_metrics()) {
    const auto begun = std::ranges::find(kSections, MetricId(metric), &Section::first_metric);
    if (begun != kSections.end()) sections.push_back({begun->title, {}});
    if (words.are_in({metric.title, metric.formula, definition_note(metric, profile)})) {
      sections.back().metrics.push_back(&metric);
    }
  }
  std::erase_if(sections, [](const DefinitionSection& section) { return section.metrics.empty(); });
  return sections;
}

std::string definition_note(const Metric& metric, const profile::Profile* profile) {
  const std::string_view accounting = to_text(metric.accounting);
  return fmt::format(
      "{}From {}.{}", accounting.empty() ? "" : fmt::format("Counted as {}. ", accounting),
      source_tables(metric, profile), metric.obeys_filters ? "" : " Filters do not change it.");
}

SearchWords::SearchWords(std::string_view search) {
  std::istringstream stream{lower_case(search)};
  for (std::string word; stream >> word;) words_.push_back(word);
}

bool SearchWords::are_in(std::initializer_list<std::string_view> texts) const {
  std::string all;
  for (const std::string_view text : texts) all += lower_case(text) + '\n';
  return std::ranges::all_of(
      words_, [&](const std::string& word) { return all.find(word) != std::string::npos; });
}

}  // namespace dlview::aggregate
