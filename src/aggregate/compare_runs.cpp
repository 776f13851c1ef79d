#include "aggregate/compare_runs.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "aggregate/kernel_keys.h"
#include "aggregate/steady.h"
#include "profile/recorded.h"

namespace dlview::aggregate {
namespace {

// Sums over the range of each run, by what the runs have in common.
template <typename Sums>
struct BothSums {
  Sums before, after;
};

struct RunOpSums {
  int64_t gpu_ns = 0, cpu_ns = 0, calls = 0;
};
using OpKey = std::tuple<std::string_view, std::string_view, std::string_view>;

struct KernelSums {
  int64_t ns = 0, launches = 0;
};

class RunComparer {
 public:
  RunComparer(const ComparedRun& before, const ComparedRun& after)
      : before_(before),
        after_(after),
        iterations_before_(static_cast<double>(before.aggregation.selection.range.size())),
        iterations_after_(static_cast<double>(after.aggregation.selection.range.size())),
        tell_gpu_work_(profile::tells_of(before.profile, profile::Evidence::gpu_work) &&
                       profile::tells_of(after.profile, profile::Evidence::gpu_work)) {}

  RunComparison compare() const {
    RunComparison result;
    result.iteration_ns = {before_.aggregation.average_iteration_ns(),
                           after_.aggregation.average_iteration_ns()};
    result.is_split = iterations_before_ > 1 || iterations_after_ > 1;
    for (const Category category : kCategories) {
      result.categories.push_back(
          {category, mean(sum_of(before_, category), sum_of(after_, category))});
    }
    result.gpu_idle_ns = of_iterations(idle_ns);
    result.exposed_communication_ns = of_iterations(
        [](const IterationFacts& facts) { return facts.communication_per_device.exposed_ns; });
    result.has_gpu_activity = tell_gpu_work_;
    result.has_communication = before_.aggregation.iteration_table->has_communication ||
                               after_.aggregation.iteration_table->has_communication;
    result.ops = ops();
    add_idle(result);
    result.kernels = kernels();
    sort_by_difference(result.ops);
    sort_by_difference(result.kernels);
    return result;
  }

 private:
  MeanDifference mean(double before, double after) const {
    return {before / iterations_before_, after / iterations_after_};
  }
  MeanDifference mean(int64_t before, int64_t after) const {
    return mean(static_cast<double>(before), static_cast<double>(after));
  }

  // Over the kept GPUs on average.
  static double sum_of(const ComparedRun& run, Category category) {
    const int64_t devices = std::max<int64_t>(1, run.aggregation.iteration_table->device_count);
    return static_cast<double>(run.aggregation.breakdown[category]) / static_cast<double>(devices);
  }

  // Of a GPU on average.
  static int64_t idle_ns(const IterationFacts& facts) {
    const Breakdown& breakdown = facts.per_device;
    return breakdown.total() - breakdown[Category::tensor_core_kernels] -
           breakdown[Category::other_kernels] - breakdown[Category::memory];
  }

  template <typename ValueOf>
  static std::vector<int64_t> values(const ComparedRun& run, const ValueOf& value_of) {
    const IterationRange& range = run.aggregation.selection.range;
    const std::vector<IterationFacts>& facts = run.aggregation.iteration_table->facts;
    std::vector<int64_t> values;
    for (int64_t i = range.first; i <= range.last; ++i) {
      values.push_back(value_of(facts[static_cast<std::size_t>(i)]));
    }
    return values;
  }
  template <typename ValueOf>
  MeanAndMedian of_iterations(const ValueOf& value_of) const {
    const std::vector<int64_t> before = values(before_, value_of), after = values(after_, value_of);
    const auto sum = [](const std::vector<int64_t>& ns) {
      return std::accumulate(ns.begin(), ns.end(), int64_t{0});
    };
    return {mean(sum(before), sum(after)),
            {static_cast<double>(median_of(before)), static_cast<double>(median_of(after))}};
  }

  void add_idle(RunComparison& result) const {
    if (!tell_gpu_work_ || result.gpu_idle_ns.mean.difference() == 0) return;
    OpChange idle;
    idle.on_gpu = true;
    idle.ns = result.gpu_idle_ns.mean;
    result.ops.push_back(idle);
  }

  template <typename Change>
  static void sort_by_difference(std::vector<Change>& changes) {
    std::ranges::stable_sort(changes, std::ranges::greater{},
                             [](const Change& change) { return std::abs(change.ns.difference()); });
  }

  std::vector<OpChange> ops() const {
    std::map<OpKey, BothSums<RunOpSums>> sums;
    const auto add = [&sums](const ComparedRun& run, RunOpSums BothSums<RunOpSums>::*side) {
      const auto& [profile, aggregation] = run;
      for (const OpAggregate& op : aggregation.ops) {
        RunOpSums& sum =
            sums[{profile.text(profile.ops.name[op.op]), profile.text(profile.ops.type[op.op]),
                  profile.text(profile.ops.direction[op.op])}].*
            side;
        sum.gpu_ns += op.times.gpu.sum;
        sum.cpu_ns += op.times.cpu.sum;
        sum.calls += op.times.count();
      }
    };
    add(before_, &BothSums<RunOpSums>::before);
    add(after_, &BothSums<RunOpSums>::after);
    std::vector<OpChange> changes;
    for (const auto& [key, both] : sums) {
      const MeanDifference gpu = mean(both.before.gpu_ns, both.after.gpu_ns);
      const MeanDifference cpu = mean(both.before.cpu_ns, both.after.cpu_ns);
      const bool on_gpu =
          tell_gpu_work_ && std::abs(gpu.difference()) >= std::abs(cpu.difference());
      const OpChange change{std::get<0>(key),   std::get<1>(key),
                            std::get<2>(key),   on_gpu,
                            on_gpu ? gpu : cpu, mean(both.before.calls, both.after.calls)};
      if (change.ns.difference() != 0) changes.push_back(change);
    }
    return changes;
  }

  std::vector<KernelChange> kernels() const {
    const KernelKeys keys(before_.profile, after_.profile);
    std::map<std::string_view, BothSums<KernelSums>> sums;
    const auto add = [](KernelSums& sum, const KernelAggregate& kernel) {
      sum.ns += kernel.gpu.sum;
      sum.launches += kernel.gpu.count;
    };
    for (const KernelAggregate& kernel : before_.aggregation.kernels) {
      add(sums[keys.before(kernel.name)].before, kernel);
    }
    for (const KernelAggregate& kernel : after_.aggregation.kernels) {
      add(sums[keys.after(kernel.name)].after, kernel);
    }
    std::vector<KernelChange> changes;
    for (const auto& [key, both] : sums) {
      const KernelChange change{keys.name_of(std::string(key)), mean(both.before.ns, both.after.ns),
                                mean(both.before.launches, both.after.launches)};
      if (change.ns.difference() != 0) changes.push_back(change);
    }
    return changes;
  }

  const ComparedRun before_, after_;
  const double iterations_before_, iterations_after_;
  const bool tell_gpu_work_;  // both
};

}  // namespace

PartDifferences part_differences(const RunComparison& comparison) {
  double kernels_ns = 0, memory_ns = 0;
  for (const CategoryChange& change : comparison.categories) {
    if (change.category == Category::memory) memory_ns += change.ns.difference();
    if (change.category == Category::tensor_core_kernels ||
        change.category == Category::other_kernels) {
      kernels_ns += change.ns.difference();
    }
  }
  const double exposed_ns = comparison.exposed_communication_ns.mean.difference();
  return {std::llround(comparison.gpu_idle_ns.mean.difference()), std::llround(exposed_ns),
          std::llround(kernels_ns - exposed_ns), std::llround(memory_ns)};
}

RunComparison compare_runs(const ComparedRun& before, const ComparedRun& after) {
  return RunComparer(before, after).compare();
}

}  // namespace dlview::aggregate
