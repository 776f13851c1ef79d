#include "aggregate/definitions.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <sstream>

#include <fmt/format.h>

#include "aggregate/sources.h"

namespace dlview::aggregate {
namespace {

// Each reaches to the first metric of the next one.
struct Section {
  std::string_view title, first_metric;
};
constexpr std::array<Section, 8> kSections{{
    {"Range and iterations", "wall_time"},
    {"Steady range, outliers, two iterations compared", "steady_range"},
    {"Key op", "key_op_score"},
    {"GPU utilization and resource usage", "gpu_utilization"},
    {"Tensor Cores", "tensor_core_efficiency"},
    {"Op types, groups and ops", "op_gpu_time"},
    {"Kernels and memory operations", "kernel_gpu_time"},
    {"Expert systems", "time_at_stake"},
}};

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

std::vector<std::string> words_of(std::string_view text) {
  std::istringstream stream{lower_case(text)};
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

bool has_all(const Metric& metric, const profile::Profile* profile,
             const std::vector<std::string>& words) {
  const std::string text = lower_case(
      fmt::format("{} {} {}", metric.title, metric.formula, definition_note(metric, profile)));
  return std::ranges::all_of(
      words, [&](const std::string& word) { return text.find(word) != std::string::npos; });
}

}  // namespace

std::vector<DefinitionSection> find_definitions(std::string_view search,
                                                const profile::Profile* profile) {
  const std::vector<std::string> words = words_of(search);
  std::vector<DefinitionSection> sections;
  for (const Metric& metric : all_metrics()) {
    const auto begun = std::ranges::find(kSections, metric.id, &Section::first_metric);
    if (begun != kSections.end()) sections.push_back({begun->title, {}});
    if (has_all(metric, profile, words)) sections.back().metrics.push_back(&metric);
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

}  // namespace dlview::aggregate
