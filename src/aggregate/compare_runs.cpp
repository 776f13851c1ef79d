#include "aggregate/compare_runs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "aggregate/instance_times.h"
#include "aggregate/steady.h"
#include "base/units.h"
#include "profile/communication.h"
#include "profile/kernel_labels.h"
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

  static bool has_changed(const MeanDifference& ns, const MeanDifference& calls) {
    return ns.difference() != 0 || calls.difference() != 0;
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
      if (has_changed(change.ns, change.calls)) changes.push_back(change);
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
      if (has_changed(change.ns, change.launches)) changes.push_back(change);
    }
    return changes;
  }

  const ComparedRun before_, after_;
  const double iterations_before_, iterations_after_;
  const bool tell_gpu_work_;  // both
};

using profile::Profile;
using profile::StringId;

// By name; those with several identities are added to `ambiguous`.
std::map<StringId, std::string> identities_of(const Profile& profile,
                                              std::set<std::string, std::less<>>& ambiguous) {
  std::set<std::pair<StringId, StringId>> pairs;
  std::pair<StringId, StringId> last{UINT32_MAX, UINT32_MAX};
  for (profile::KernelIndex kernel{0}; kernel < profile.kernels.size(); ++kernel) {
    const std::pair pair{profile.kernels.name[kernel], profile.kernels.long_name[kernel]};
    if (pair != last) pairs.insert(last = pair);
  }
  std::map<StringId, std::string> identities;
  for (const auto& [name, long_name] : pairs) {
    const std::string identity =
        profile::kernel_identity({profile.text(name), profile.text(long_name)});
    const auto [entry, is_new] = identities.emplace(name, identity);
    if (!is_new && entry->second != identity) ambiguous.emplace(profile.text(name));
  }
  return identities;
}

using profile::KernelIndex;
using profile::OpIndex;
using profile::Profile;

constexpr double kLeastChange = 0.05, kShareAlike = 0.8;
constexpr std::size_t kFewestKernels = 3;
constexpr int64_t kAhead = 2;  // iterations

struct NamedTime {
  int64_t ns = 0, count = 0;
};
using TimesByName = std::map<std::pair<OpIndex, profile::StringId>, NamedTime>;

TimesByName times_by_name(const Profile& profile, const Iterations& iterations, int64_t number) {
  TimesByName times;
  const profile::Kernels& kernels = profile.kernels;
  const auto row = [&](int64_t i) { return iterations.rows[static_cast<std::size_t>(i)]; };
  const Iteration iteration = row(number);
  const KernelIndex first = kernels_of(profile, row(std::max<int64_t>(0, number - kAhead))).first,
                    last = kernels_of(profile, iteration).last;
  for (KernelIndex i = first; i < last; ++i) {
    if (kernels.gpu_start_ns[i] < iteration.start_ns ||
        kernels.gpu_start_ns[i] >= iteration.stop_ns) {
      continue;
    }
    NamedTime& time = times[{profile.instances.op[kernels.instance[i]], kernels.name[i]}];
    time.ns += kernels.gpu_stop_ns[i] - kernels.gpu_start_ns[i];
    ++time.count;
  }
  std::erase_if(times, [&](const auto& entry) {
    return profile::communication_of(profile.text(entry.first.second)).has_value();
  });
  return times;
}

struct Change {
  double factor = 1, baseline_ns = 0;
};

constexpr int64_t kNamedShare = 5;  // a fifth
constexpr double kLeastPercent = 1;

std::string signed_text(int64_t ns) {
  return fmt::format("{}{}", ns < 0 ? "−" : "+", base::format_duration(std::abs(ns)));
}

// Returns whether both are longer, or both shorter.
bool is_same_way(int64_t difference_ns, int64_t whole_ns) {
  return difference_ns != 0 && (difference_ns < 0) == (whole_ns < 0);
}

// ": GPU idle +1.13 ms, kernels +0.3 ms"; empty where no part differs as the whole does.
std::string parts_text(int64_t whole_ns, const PartDifferences& parts) {
  std::array<std::pair<int64_t, std::string_view>, 4> all{
      {{parts.idle, "GPU idle"},
       {parts.communication, "exposed communication"},
       {parts.kernels, "kernels"},
       {parts.memory, "memory operations"}}};
  std::ranges::stable_sort(all, std::ranges::greater{},
                           [](const auto& part) { return std::abs(part.first); });
  std::string text;
  for (const auto& [ns, name] : all) {
    if (kNamedShare * std::abs(ns) < std::abs(whole_ns) || ns == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? ": " : ", ", name, signed_text(ns));
  }
  return text;
}

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

std::string_view to_text(ChangeKind kind) {
  constexpr std::array<std::string_view, 7> kTexts{"same",        "added",  "removed", "more calls",
                                                   "fewer calls", "slower", "faster"};
  return kTexts[static_cast<std::size_t>(kind)];
}

ChangeKind kind_of_change(const MeanDifference& ns, const MeanDifference& calls) {
  if (calls.before == 0 && calls.after == 0) return ChangeKind::same;
  if (calls.before == 0) return ChangeKind::added;
  if (calls.after == 0) return ChangeKind::removed;
  const double by_calls = calls.difference() * (ns.before / calls.before);
  const double by_mean = calls.after * (ns.after / calls.after - ns.before / calls.before);
  const bool are_calls =
      std::abs(by_calls) > std::abs(by_mean) || (ns.difference() == 0 && calls.difference() != 0);
  if (are_calls) {
    return calls.difference() > 0 ? ChangeKind::more_calls : ChangeKind::fewer_calls;
  }
  return by_mean > 0 ? ChangeKind::slower : by_mean < 0 ? ChangeKind::faster : ChangeKind::same;
}

RunComparison compare_runs(const ComparedRun& before, const ComparedRun& after) {
  return RunComparer(before, after).compare();
}

KernelKeys::KernelKeys(const Profile& before, const Profile& after) {
  std::set<std::string, std::less<>> ambiguous;
  before_ = identities_of(before, ambiguous);
  after_ = identities_of(after, ambiguous);
  const auto settle = [&ambiguous](const Profile& profile, Keys& keys) {
    for (auto& [name, key] : keys) {
      if (ambiguous.contains(profile.text(name))) key = profile.text(name);
    }
  };
  settle(before, before_);
  settle(after, after_);
  add_names(before, before_);
  add_names(after, after_);
  std::map<std::string, int> uses;
  for (const auto& [key, name] : names_) ++uses[name];
  for (auto& [key, name] : names_) {
    if (uses.at(name) > 1) name = key;
  }
}

void KernelKeys::add_names(const Profile& profile, const Keys& keys) {
  for (const auto& [id, key] : keys) {
    std::string& name = names_[key];
    if (profile.text(id).size() > name.size()) name = profile.text(id);
  }
}

double kernel_slowdown(const Profile& profile, const Iterations& iterations, int64_t iteration,
                       int64_t baseline) {
  const TimesByName here = times_by_name(profile, iterations, iteration);
  std::vector<Change> changes;
  double all_ns = 0;
  for (const auto& [name, before] : times_by_name(profile, iterations, baseline)) {
    all_ns += static_cast<double>(before.ns);
    const auto after = here.find(name);
    if (after == here.end() || after->second.count != before.count || before.ns == 0) continue;
    changes.push_back({static_cast<double>(after->second.ns) / static_cast<double>(before.ns),
                       static_cast<double>(before.ns)});
  }
  if (changes.size() < kFewestKernels) return 1;
  std::ranges::sort(changes, {}, &Change::factor);
  double median = 1, before_ns = 0;
  for (const Change& change : changes) {
    before_ns += change.baseline_ns;
    if (2 * before_ns < all_ns) continue;
    median = change.factor;
    break;
  }
  if (std::abs(median - 1) < kLeastChange) return 1;
  double alike_ns = 0;
  for (const Change& change : changes) {
    const bool is_alike = (change.factor - 1) / (median - 1) >= 0.5;
    if (is_alike) alike_ns += change.baseline_ns;
  }
  return alike_ns >= kShareAlike * all_ns ? median : 1;
}

std::string change_text(const profile::Profile& profile, const IterationComparison& comparison) {
  const int64_t difference_ns = comparison.duration_ns - comparison.baseline_duration_ns;
  std::string text = fmt::format("Iteration {} ", comparison.iteration);
  if (difference_ns == 0) {
    return text + fmt::format("takes as long as iteration {}.", comparison.baseline);
  }
  text += fmt::format("is {} {} than iteration {}", base::format_duration(std::abs(difference_ns)),
                      difference_ns < 0 ? "shorter" : "longer", comparison.baseline);
  const bool has_gpu_activity = profile.kernels.size() + profile.memory_ops.size() > 0;
  const std::string parts =
      has_gpu_activity ? parts_text(difference_ns, part_differences(comparison)) : "";
  if (!parts.empty()) return text + parts + ".";
  for (const OpDifference& op : comparison.ops) {
    if (!is_same_way(op.difference_ns(), difference_ns)) continue;
    return text + fmt::format(": {} {}.",
                              op.is_idle() ? "GPU idle" : profile.text(profile.ops.name[op.op]),
                              signed_text(op.difference_ns()));
  }
  return text + ".";
}

std::string change_text(const RunComparison& comparison) {
  const double difference = comparison.iteration_ns.difference();
  if (100 * std::abs(difference) < kLeastPercent * comparison.iteration_ns.before) {
    return comparison.is_split ? "Iterations take as long as before."
                               : "The run takes as long as before.";
  }
  const auto difference_ns = std::llround(difference);
  const std::string text = fmt::format(
      "{} {} {}", comparison.is_split ? "Iterations are" : "The run is",
      base::format_duration(std::abs(difference)), difference < 0 ? "shorter" : "longer");
  const std::string parts =
      comparison.has_gpu_activity ? parts_text(difference_ns, part_differences(comparison)) : "";
  if (!parts.empty()) return text + parts + ".";
  for (const OpChange& op : comparison.ops) {
    const auto op_ns = std::llround(op.ns.difference());
    if (!is_same_way(op_ns, difference_ns)) continue;
    return text + fmt::format(": {} {}.", op.is_idle() ? "GPU idle" : op.name, signed_text(op_ns));
  }
  return text + ".";
}

}  // namespace dlview::aggregate
