#include "aggregate/rules/finding_report.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "base/units.h"
#include "profile/thread_name.h"

namespace dlview::aggregate {
namespace {

constexpr int64_t kFewestForMedian = 3;
constexpr double kLeastMost = 50;  // percent of what is called most

// Per iteration: "2.45", "1,234".
std::string mean_count(const RangeView& view, int64_t count) {
  const double each = static_cast<double>(count) / static_cast<double>(view.size());
  return each < 999.5 ? fmt::format("{:.3g}", each) : base::format_count(std::llround(each));
}

}  // namespace

Finding* FindingReport::saves(std::string_view detector, int64_t saved_ns, std::string_view basis) {
  const double percent = view_.percent(saved_ns);
  const bool is_found = saved_ns > 0 && percent >= thresholds_.saving;
  check({detector, percent, "saving", is_found});
  if (!is_found) return nullptr;
  Finding& finding = add(detector, "", "");
  finding.thresholds = {"saving"};
  if (const int64_t mean_ns = saved_ns / view_.size(); mean_ns > 0) {
    finding.stake_ns = mean_ns;
    finding.stake_basis = basis;
  }
  return &finding;
}

Finding* FindingReport::saves(std::string_view detector, const PerIteration& saved_ns,
                              std::string_view basis) {
  const int64_t sum_ns = std::accumulate(saved_ns.begin(), saved_ns.end(), int64_t{0});
  Finding* finding = saves(detector, sum_ns, basis);
  if (finding != nullptr) finding->savings = view_.savings(saved_ns);
  return finding;
}

Finding& FindingReport::add(std::string_view detector, std::string problem,
                            std::string recommendation) {
  Finding& finding = findings_.emplace_back();
  finding.advice.detector = detector;
  finding.advice.problem = std::move(problem);
  finding.advice.recommendation = std::move(recommendation);
  return finding;
}

std::string amount_text(const RangeView& view, const PerIteration& ns, PerIterationWords words) {
  const Savings savings = view.savings(ns);
  const int64_t sum_ns = std::accumulate(ns.begin(), ns.end(), int64_t{0});
  std::string text =
      fmt::format("{}{} ({})", base::format_duration(savings.mean_ns),
                  view.size() == 1 || words == PerIterationWords::without ? "" : " per iteration",
                  base::format_percent(view.percent(sum_ns)));
  if (view.size() < kFewestForMedian || savings.mean_ns < 2 * savings.median_ns) return text;
  const int64_t worst = savings.worst.front();
  return text +
         fmt::format("; median {}, max {} (iteration {})", base::format_duration(savings.median_ns),
                     base::format_duration(ns[static_cast<std::size_t>(worst - view.first())]),
                     worst);
}

std::string times_text(const RangeView& view, int64_t count) {
  const std::string times = count == 1 ? "once" : base::format_count(count) + " times";
  if (view.size() == 1) return times;
  if (count < view.size()) {
    return fmt::format("{} in {} iterations", times, base::format_count(view.size()));
  }
  return count == view.size() ? "once per iteration"
                              : mean_count(view, count) + " times per iteration";
}

std::string launches_text(const RangeView& view, int64_t count) {
  const auto launches = [](std::string_view number) {
    return fmt::format("{} launch{}", number, number == "1" ? "" : "es");
  };
  if (view.size() == 1) return launches(base::format_count(count));
  if (count < view.size()) {
    return fmt::format("{} in {} iterations", launches(base::format_count(count)),
                       base::format_count(view.size()));
  }
  return launches(mean_count(view, count)) + " per iteration";
}

std::string where_text(const profile::Profile& profile, const Finding& finding) {
  std::string text;
  bool names_thread = false;  // "/step/backward (thread 2)"
  if (finding.op != profile::kNoRow) {
    const std::string_view op = profile.text(profile.ops.name[finding.op]);
    text = finding.op_percent < kLeastMost ? fmt::format("Largest share in op {} ({})", op,
                                                         base::format_percent(finding.op_percent))
                                           : fmt::format("Mostly in op {}", op);
    names_thread = op.find("(thread ") != std::string_view::npos;
  }
  if (finding.thread != profile::kNoRow && !names_thread) {
    text += fmt::format("{}{}", text.empty() ? "On " : ", ",
                        profile::short_thread_name(profile, finding.thread));
  }
  return text.empty() ? "" : text + ". ";
}

}  // namespace dlview::aggregate
