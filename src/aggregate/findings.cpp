#include "aggregate/findings.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <numeric>
#include <string_view>

#include <fmt/format.h>

#include "aggregate/rules/detectors.h"
#include "aggregate/rules/merge_findings.h"
#include "aggregate/rules/rules.h"
#include "aggregate/steady.h"
#include "base/units.h"
#include "profile/recorded.h"
#include "profile/whole_graphs.h"

namespace dlview::aggregate {
namespace {

using profile::Profile;

// Kernels that take so many times as long as the range did not run in it.
constexpr int64_t kRunsLaterFactor = 3;

std::vector<const OpAggregate*> with_kernels(std::vector<const OpAggregate*> ops) {
  std::erase_if(ops, [](const OpAggregate* op) { return op->kernel_gpu.count == 0; });
  return ops;
}

// `ops`: eligible ones.
std::string missed_tensor_cores_text(std::size_t ops) {
  return ops == 1 ? "1 eligible op runs without Tensor Cores"
                  : fmt::format("{} eligible ops run without Tensor Cores", ops);
}

double percent_of(int64_t part, int64_t whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

// DLProf's advice with potential savings, and its checks.
class DlprofFindings {
 public:
  // `unknown`: null until it is known.
  DlprofFindings(FindingReport& report, const UnknownTensorCoreUse* unknown)
      : report_(report),
        unknown_(unknown),
        profile_(report.profile()),
        view_(report.view()),
        aggregation_(view_.aggregation()) {}

  void report() {
    // The aggregation has the advice of the defaults.
    const std::vector<Advice> advice = report_.thresholds() == AdviceThresholds{}
                                           ? aggregation_.advice
                                           : advise(profile_, aggregation_, report_.thresholds());
    for (const Advice& each : advice) add(each);
    add_checks(advice);
  }

 private:
  void add(const Advice& advice) {
    Finding& finding = report_.add("", "", "");
    finding.advice = advice;
    finding.thresholds = thresholds_of(advice);
    speak_of_the_window(finding.advice);
    name_memory_first(finding);
    add_stake(finding);
  }

  void tell_variation(Advice& advice) const {
    const IterationRange range = aggregation_.selection.range;
    advice.problem = fmt::format(
        "Iterations {} to {} vary a lot (5th-to-95th percentile span: {:.1f}× the median)",
        range.first, range.last, iteration_variation(aggregation_));
    const auto steady = steady_range(aggregation_.iteration_table->iterations);
    if (steady && *steady != range) {
      advice.recommendation =
          fmt::format("Choose the steady state: iterations {} to {}", steady->first, steady->last);
    }
  }

  // DLProf's texts speak of its command line, and of an empty name when no key op is set.
  void speak_of_the_window(Advice& advice) const {
    if (advice.detector == "iteration_variation_detector") return tell_variation(advice);
    if (advice.detector != "no_iterations_detector") return;
    const std::string& key_op = aggregation_.selection.cut.key_op;
    advice.problem =
        key_op.empty()
            ? "The run is not split into iterations: no iteration marker is set"
            : fmt::format("The run is not split into iterations: iteration marker {} was not found",
                          key_op);
    advice.recommendation = advice_on_one_step(profile_);
    if (advice.recommendation.empty()) {
      advice.recommendation =
          "Name each step (prof.step(), an NVTX range), or choose an op that runs once per "
          "iteration as the iteration marker";
    }
    advice.action = "ShowIterations";
  }

  // DLProf's text names the largest category of the host, however little that is beside memory
  // operations.
  void name_memory_first(Finding& finding) const {
    if (finding.advice.detector != "underutilized_gpu_detector" || finding.thresholds.empty()) {
      return;
    }
    const double percent = aggregation_.share(Category::memory);
    for (const Category category :
         {Category::cpu, Category::data_loader, Category::io, Category::other}) {
      if (aggregation_.share(category) >= percent) return;
    }
    finding.advice.recommendation = fmt::format(
        "Exposed memory operations take {} of the range, more than any host activity: reduce them "
        "first. {}",
        base::format_percent(percent), finding.advice.recommendation);
  }

  void add_stake(Finding& finding) const {
    const std::string_view detector = finding.advice.detector;
    if (detector == "amp_detector") {
      const auto ops = with_kernels(ops_without_tensor_cores(profile_, aggregation_, unknown_));
      if (!ops.empty()) {  // DLProf counts other ops: all eligible ones in FP32
        const bool knows_types = std::ranges::all_of(ops, [this](const OpAggregate* op) {
          return !profile_.text(profile_.ops.data_type[op->op]).empty();
        });
        finding.advice.problem =
            fmt::format("{}, {}{} half precision", missed_tensor_cores_text(ops.size()),
                        ops.size() == 1 ? "not" : "none", knows_types ? " in" : " known to use");
      }
      int64_t kernel_ns = 0;
      for (const OpAggregate* op : ops) kernel_ns += op->kernel_gpu.sum;
      set(finding, kernel_ns / view_.used_gpus(),
          fmt::format("kernel time of {}", base::counted(std::ssize(ops), "ops")));
      finding.fact = Fact::tensor_cores;
    } else if (detector == "cudnn_benchmark_detector") {
      set(finding, convolutions_ns() / view_.used_gpus(), "kernel time of all convolutions");
    } else if (detector == "dataloader_detector" && !finding.thresholds.empty()) {
      set(finding, exclusive_ns({Category::data_loader}), "data loading while the GPU is idle");
      finding.fact = Fact::gpu_idle;
    } else if (detector == "no_fusion_detector") {
      set(finding, exclusive_ns({Category::other_kernels}), "kernels without Tensor Cores");
    } else if (detector == "batch_size_detector" ||
               (detector == "underutilized_gpu_detector" && !finding.thresholds.empty())) {
      set(finding, exclusive_ns({Category::data_loader, Category::cpu, Category::other}),
          "time in which a used GPU is idle");
      finding.fact = Fact::gpu_idle;
    } else if (detector == "iteration_variation_detector") {
      set(finding, sum(above_median_ns()), "time above the median iteration");
      finding.fact = cause_of_variation();
    }
  }

  static int64_t sum(const PerIteration& ns) {
    return std::accumulate(ns.begin(), ns.end(), int64_t{0});
  }

  void set(Finding& finding, int64_t range_ns, std::string basis) const {
    const int64_t stake_ns = range_ns / view_.size();
    if (stake_ns <= 0) return;
    finding.stake_ns = stake_ns;
    finding.stake_basis = std::move(basis);
  }

  // Mean over the used GPUs; 0 when none was used.
  int64_t exclusive_ns(std::initializer_list<Category> categories) const {
    int64_t total_ns = 0;
    for (const DeviceAggregate& device : aggregation_.devices) {
      if (device.kernel_union_ns == 0) continue;
      for (const Category category : categories) total_ns += device.breakdown[category];
    }
    return total_ns / view_.used_gpus();
  }

  int64_t convolutions_ns() const {
    int64_t total_ns = 0;
    for (const OpAggregate& op : aggregation_.ops) {
      const std::string_view type = profile_.text(profile_.ops.type[op.op]);
      if (type.find("conv") != std::string_view::npos) total_ns += op.kernel_gpu.sum;
    }
    return total_ns;
  }

  PerIteration above_median_ns() const {
    const int64_t median = percentile(sorted_durations(aggregation_), 0.5);
    PerIteration above = view_.zeros();
    for (int64_t i = view_.first(); i <= view_.last(); ++i) {
      view_.add(above, i, std::max<int64_t>(0, view_.iteration(i).duration_ns() - median));
    }
    return above;
  }

  // What fills at least half of the time above the median.
  Fact cause_of_variation() const {
    const PerIteration above = above_median_ns();
    PerIteration exposed = view_.zeros();
    for (int64_t i = view_.first(); i <= view_.last(); ++i) {
      const auto& facts = aggregation_.iteration_table->facts[static_cast<std::size_t>(i)];
      view_.add(exposed, i, facts.communication_device_sum.exposed_ns / view_.used_gpus());
    }
    const auto explains = [&](const PerIteration& ns) {
      const int64_t median = median_of(ns);
      int64_t explained_ns = 0;
      for (std::size_t i = 0; i < ns.size(); ++i) {
        explained_ns += std::clamp<int64_t>(ns[i] - median, 0, above[i]);
      }
      return 2 * explained_ns >= sum(above);
    };
    if (explains(idle_ns(view_, nullptr))) return Fact::gpu_idle;
    return explains(exposed) ? Fact::communication : Fact::own;
  }

  void add_checks(const std::vector<Advice>& advice) {
    // An advice may be given for another reason than the threshold of its detector.
    const auto is_found = [&](std::string_view detector) {
      return std::ranges::find(advice, detector, &Advice::detector) != advice.end();
    };
    const auto measured = [&](std::string_view detector, std::string_view threshold, double value) {
      report_.check({detector, value, threshold, is_found(detector)});
    };
    measured("underutilized_gpu_detector", "gpu_utilization", aggregation_.gpu_utilization());
    if (profile::tells_of(profile_, profile::Evidence::data_loader)) {
      measured("dataloader_detector", "data_loader", aggregation_.share(Category::data_loader));
    } else if (is_found("dataloader_detector")) {
      report_.check({.detector = "dataloader_detector", .is_found = true});
    } else {
      report_.check(
          {.detector = "dataloader_detector", .not_checked = "data loading not recorded"});
    }
    measured("iteration_variation_detector", "iteration_variation",
             100 * iteration_variation(aggregation_));
    if (const std::optional<double> used = used_memory_percent(profile_)) {
      measured("batch_size_detector", "gpu_memory", *used);
    }
    for (const std::string_view detector :
         {"no_fusion_detector", "amp_detector", "cudnn_benchmark_detector",
          "configuration_detector", "no_iterations_detector"}) {
      report_.check({.detector = detector, .is_found = is_found(detector)});
    }
  }

  FindingReport& report_;
  const UnknownTensorCoreUse* unknown_;
  const Profile& profile_;
  const RangeView& view_;
  const Aggregation& aggregation_;
};

// ". 2 more eligible ops are not counted: use of Tensor Cores unknown"; may be empty.
std::string unknown_use_text(const FindingReport& report, const UnknownTensorCoreUse* unknown) {
  const auto is_unknown = [&](const OpAggregate& op) {
    return report.profile().is_eligible(op.op) && !op.uses_tensor_cores() &&
           op.kernel_gpu.count > 0 && unknown != nullptr && unknown->is_of_op(op.op);
  };
  const auto count = std::ranges::count_if(report.view().aggregation().ops, is_unknown);
  if (count == 0) return "";
  return fmt::format(
      ". {}: use of Tensor Cores unknown",
      count == 1 ? "1 more eligible op is not counted"
                 : fmt::format("{} more eligible ops are not counted", base::format_count(count)));
}

// In AMP runs the amp detector keeps quiet although single ops stay outside. An op of unknown use
// may use Tensor Cores, and then has no time to save.
void report_missed_tensor_cores(FindingReport& report, const UnknownTensorCoreUse* unknown) {
  const Profile& profile = report.profile();
  const bool known = std::ranges::any_of(report.findings(), [](const Finding& finding) {
    return finding.advice.detector == "amp_detector";
  });
  const auto ops =
      with_kernels(ops_without_tensor_cores(profile, report.view().aggregation(), unknown));
  if (known) return;
  int64_t kernel_ns = 0;
  const OpAggregate* longest = nullptr;
  for (const OpAggregate* op : ops) {
    kernel_ns += op->kernel_gpu.sum;
    if (longest == nullptr || op->kernel_gpu.sum > longest->kernel_gpu.sum) longest = op;
  }
  Finding* finding =
      report.saves("eligible_without_tensor_cores", kernel_ns / report.view().used_gpus(),
                   fmt::format("kernel time of {}", base::counted(std::ssize(ops), "ops")));
  if (finding == nullptr) return;
  finding->fact = Fact::tensor_cores;
  finding->op = longest->op;
  Advice& advice = finding->advice;
  advice.problem = missed_tensor_cores_text(ops.size());
  const std::string_view data_type = profile.text(profile.ops.data_type[longest->op]);
  advice.recommendation = fmt::format(
      "{}{} takes {} of kernel time in the range. {} channels and batch sizes that are "
      "multiples of 8{}",
      profile.text(profile.ops.name[longest->op]),
      data_type.empty() ? "" : fmt::format(" ({})", data_type),
      ops.size() == 1 ? base::format_duration(longest->kernel_gpu.sum)
                      : "the longest: " + base::format_duration(longest->kernel_gpu.sum),
      is_half_precision(data_type) ? "It already runs in half precision: use"
                                   : "Run in half precision, with",
      unknown_use_text(report, unknown));
  advice.action = "ShowBadDataTypeOps";
}

// What runs in a graph that was traced as a whole is unknown.
void report_whole_graphs(FindingReport& report) {
  const Profile& profile = report.profile();
  const Aggregation& aggregation = report.view().aggregation();
  if (!profile.trace) return;
  int64_t graphs_ns = 0, launches = 0;
  for (const KernelAggregate& kernel : aggregation.kernels) {
    if (!profile::is_whole_graph(profile.text(kernel.name))) continue;
    graphs_ns += kernel.gpu.sum;
    launches += kernel.gpu.count;
  }
  const bool is_found = launches > 0 && aggregation.all_kernels.gpu_ns > 0;
  report.check({.detector = "whole_graphs_detector", .is_found = is_found});
  if (!is_found) return;
  report.add(
      "whole_graphs_detector",
      fmt::format("{} of the kernel time is in CUDA graphs that were traced as a whole",
                  base::format_percent(percent_of(graphs_ns, aggregation.all_kernels.gpu_ns))),
      fmt::format("{} {} counted as one kernel each: their kernels and their use of "
                  "Tensor Cores are unknown. Record again with nsys profile "
                  "--cuda-graph-trace=node",
                  base::format_count(launches), launches == 1 ? "launch is" : "launches are"));
}

// Where the host runs far ahead, iterations split by its calls say nothing of the GPU's time.
void report_work_runs_later(FindingReport& report) {
  const Aggregation& aggregation = report.view().aggregation();
  const int64_t work_ns = aggregation.all_kernels.gpu_ns / report.view().used_gpus();
  const bool is_found =
      aggregation.range_ns > 0 && work_ns / kRunsLaterFactor > aggregation.range_ns;
  report.check({.detector = "work_runs_later_detector", .is_found = is_found});
  if (!is_found) return;
  Finding& finding = report.add(
      "work_runs_later_detector",
      fmt::format("The host runs ahead: the range launches {} of kernel time and lasts {}",
                  base::format_duration(work_ns), base::format_duration(aggregation.range_ns)),
      "Iterations split by the host do not show GPU time. Split them by the GPU, in the Iterations "
      "view or with --split-by gpu");
  finding.advice.action = "ShowIterations";
}

// A run split by ranges leaves out what lies around them: a warm-up, or what a better marker would
// hold.
void report_work_outside(FindingReport& report) {
  const Aggregation& aggregation = report.view().aggregation();
  const Iterations& iterations = aggregation.iteration_table->iterations;
  const Outside& outside = aggregation.iteration_table->outside;
  if (iterations.ranges.empty() || outside.kernels == 0) return;
  const double kernels =
      percent_of(outside.before.kernels + outside.after.kernels, outside.kernels);
  const double time =
      percent_of(outside.before.kernel_ns + outside.after.kernel_ns, outside.kernel_ns);
  const bool is_found = std::max(kernels, time) > report.thresholds().work_outside;
  report.check({"work_outside_iterations", std::max(kernels, time), "work_outside", is_found});
  if (!is_found) return;
  Finding& finding = report.add(
      "work_outside_iterations",
      fmt::format("{} of the kernels run outside all iterations", base::format_percent(kernels)),
      fmt::format("{} kernels run before the first {}, {} after the last: {} of all kernel time, "
                  "which no panel counts. Choose a marker that covers them, unless they are a "
                  "warm-up",
                  base::format_count(outside.before.kernels), aggregation.selection.cut.key_op,
                  base::format_count(outside.after.kernels), base::format_percent(time)));
  finding.advice.action = "ShowIterations";
  finding.thresholds = {"work_outside"};
}

// Where the GPU is hardly used, findings about its work are left out. Their checks say so.
void withdraw_left_out(FoundFindings& found) {
  if (find_finding(found.findings, "gpu_hardly_used") == nullptr) return;
  for (Check& check : found.checks) {
    if (!check.is_found || find_finding(found.findings, check.detector) != nullptr) continue;
    check.is_found = false;
    check.not_checked = "omitted: the GPU is hardly used";
  }
}

}  // namespace

FoundFindings find_findings(const Profile& profile, const Aggregation& selected,
                            const AdviceThresholds& thresholds, const RuleIndex* rules,
                            std::size_t most_places, const LimitIndex* limits) {
  const RangeView view(selected.whole());
  FindingReport report(profile, view, thresholds);
  const UnknownTensorCoreUse* unknown = rules == nullptr ? nullptr : &rules->unknown_use();
  DlprofFindings(report, unknown).report();
  if (rules != nullptr || !profile.source.by_tensor_core_rules) {
    report_missed_tensor_cores(report, unknown);
  }
  apply_rules(rules, most_places, report);
  if (limits != nullptr) report_limits(*limits, most_places, report);
  report_work_outside(report);
  report_whole_graphs(report);
  report_work_runs_later(report);
  FoundFindings found{merge_findings(std::move(report.findings())), std::move(report.checks())};
  withdraw_left_out(found);
  return found;
}

const Finding* find_finding(const std::vector<Finding>& findings, std::string_view detector) {
  for (const Finding& finding : findings) {
    if (finding.advice.detector == detector) return &finding;
    if (const Finding* part = find_finding(finding.parts, detector)) return part;
  }
  return nullptr;
}

std::vector<const OpAggregate*> ops_without_tensor_cores(const Profile& profile,
                                                         const Aggregation& aggregation,
                                                         const UnknownTensorCoreUse* unknown) {
  std::vector<const OpAggregate*> ops;
  for (const OpAggregate& op : aggregation.ops) {
    if (!profile.is_eligible(op.op) || op.uses_tensor_cores()) continue;
    if (unknown == nullptr || !unknown->is_of_op(op.op)) ops.push_back(&op);
  }
  std::stable_sort(ops.begin(), ops.end(), [](const OpAggregate* a, const OpAggregate* b) {
    return a->times.gpu.sum > b->times.gpu.sum;
  });
  return ops;
}

}  // namespace dlview::aggregate
