#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "aggregate/gaps/gap_text.h"
#include "aggregate/outliers.h"
#include "aggregate/rules/detectors.h"
#include "base/units.h"

namespace dlview::aggregate {
namespace {

using profile::Profile;

// Iterations that warm up, hold hardly any work or were left early say nothing of the rest.
bool is_of_interest(const Outlier& outlier) {
  switch (outlier.kind) {
    case OutlierClass::warm_up:
    case OutlierClass::start_up:
    case OutlierClass::little_work:
    case OutlierClass::ran_ahead:
      return false;
    default:
      return outlier.difference_ns > 0;
  }
}

Fact fact_of(OutlierClass kind) {
  switch (kind) {
    case OutlierClass::checkpoint_or_io:
    case OutlierClass::data_loader:
    case OutlierClass::synchronization:
    case OutlierClass::host_busy:
    case OutlierClass::gpu_idle:
      return Fact::gpu_idle;
    case OutlierClass::communication:
      return Fact::communication;
    default:
      return Fact::own;
  }
}

std::string numbers_text(const std::vector<const Outlier*>& outliers) {
  constexpr std::size_t kMost = 3;
  std::string text = outliers.size() == 1 ? "Iteration" : "Iterations";
  for (std::size_t i = 0; i < std::min(kMost, outliers.size()); ++i) {
    text += fmt::format("{} {} (+{})", i == 0 ? "" : ",", outliers[i]->iteration,
                        base::format_duration(outliers[i]->difference_ns));
  }
  return text + (outliers.size() > kMost ? " and more" : "");
}

// " (1 in 2)" where nine in ten follow each other at the same distance, as when a few
// workers take turns; else empty.
std::string period_text(const std::vector<const Outlier*>& outliers) {
  constexpr std::size_t kFewest = 6;
  if (outliers.size() < kFewest) return "";
  std::vector<int64_t> iterations;
  for (const Outlier* outlier : outliers) iterations.push_back(outlier->iteration);
  std::ranges::sort(iterations);
  std::map<int64_t, std::size_t> distances;
  for (std::size_t i = 1; i < iterations.size(); ++i) {
    ++distances[iterations[i] - iterations[i - 1]];
  }
  const auto most =
      std::ranges::max_element(distances, {}, [](const auto& distance) { return distance.second; });
  const auto [distance, count] = *most;
  if (distance < 2 || 10 * count < 9 * (iterations.size() - 1)) return "";
  return fmt::format(" (1 in {})", distance);
}

std::string cause_text(const Profile& profile, const Outlier& outlier) {
  if (outlier.host) return fmt::format("The host was {}. ", place_of_host(profile, *outlier.host));
  if (outlier.op == profile::kNoRow) return "";
  return fmt::format("{} differs most: +{}{}. ", profile.text(profile.ops.name[outlier.op]),
                     base::format_duration(outlier.op_difference_ns),
                     profile.devices.size() > 1 ? " (sum over GPUs)" : "");
}

// The op that the host was in, if that is known, else the one that differs most.
profile::OpIndex op_of(const Profile& profile, const Outlier& outlier) {
  if (!outlier.host) return outlier.op;
  const profile::InstanceIndex instance = outlier.host->instance;
  return instance == profile::kNoRow ? profile::OpIndex() : profile.instances.op[instance];
}

// One finding for each class.
void report_class(OutlierClass kind, std::vector<const Outlier*> outliers, FindingReport& report) {
  const RangeView& view = report.view();
  std::ranges::stable_sort(outliers, std::ranges::greater{}, &Outlier::difference_ns);
  PerIteration saved_ns = view.zeros();
  int64_t longer_ns = 0;
  for (const Outlier* outlier : outliers) {
    longer_ns += outlier->difference_ns;
    // A host that runs ahead catches up: its next iterations are shorter.
    view.add(saved_ns, outlier->iteration,
             std::min(outlier->difference_ns, outlier->part_difference_ns));
  }
  const Outlier& worst = *outliers.front();
  Finding& finding = report.add(
      "slow_iterations",
      fmt::format("{} iteration{}{} take{} {} longer in total: {}",
                  base::format_count(std::ssize(outliers)), outliers.size() == 1 ? "" : "s",
                  period_text(outliers), outliers.size() == 1 ? "s" : "",
                  base::format_duration(longer_ns), to_text(kind)),
      fmt::format("{}. {}Compare with the typical iteration", numbers_text(outliers),
                  cause_text(report.profile(), worst)));
  finding.savings = view.savings(saved_ns);
  finding.stake_ns = finding.savings->mean_ns;
  finding.stake_basis = fmt::format("time above the typical iteration ({})", to_text(kind));
  finding.fact = fact_of(kind);
  finding.op = op_of(report.profile(), worst);
  if (worst.host) finding.thread = worst.host->thread;
  finding.advice.action = "ShowIterations";
}

}  // namespace

void report_slow_iterations(const RuleIndex& index, FindingReport& report) {
  const RangeView& view = report.view();
  const Outliers outliers =
      find_outliers(report.profile(), *view.aggregation().iteration_table, &index);
  std::map<OutlierClass, std::vector<const Outlier*>> by_class;
  for (const Outlier& outlier : outliers.rows) {
    const bool is_in_range = outlier.iteration >= view.first() && outlier.iteration <= view.last();
    if (is_in_range && is_of_interest(outlier)) by_class[outlier.kind].push_back(&outlier);
  }
  report.check({.detector = "slow_iterations", .is_found = !by_class.empty()});
  for (const auto& [kind, rows] : by_class) report_class(kind, rows, report);
}

}  // namespace dlview::aggregate
