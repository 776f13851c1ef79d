#include "aggregate/outliers.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "aggregate/compare.h"
#include "aggregate/idle_cause.h"
#include "aggregate/steady.h"
#include "aggregate/step_names.h"
#include "base/stop_point.h"
#include "profile/data_loading.h"
#include "profile/recorded.h"

namespace dlview::aggregate {
namespace {

using profile::Profile;

// The category whose change has the sign of the whole change and is largest.
Category leading_category(const IterationComparison& comparison, int sign) {
  const auto leads = [sign](const CategoryDifference& a, const CategoryDifference& b) {
    return sign * a.difference_ns() < sign * b.difference_ns();
  };
  return std::max_element(comparison.categories.begin(), comparison.categories.end(), leads)
      ->category;
}

bool op_writes_the_model(const Profile& profile, profile::OpIndex op) {
  return writes_the_model(
      fmt::format("{} {}", profile.text(profile.ops.name[op]), profile.text(profile.ops.type[op])));
}

// "pread64", "writev", "fsync"; not "poll" or "pthread_cond_wait".
bool reads_or_writes(std::string_view os_call) {
  constexpr std::array<std::string_view, 5> kParts{"read", "write", "sync", "sendfile", "open"};
  return !os_call.starts_with("pthread_") &&
         std::ranges::any_of(kParts, [&](std::string_view part) {
           return os_call.find(part) != std::string_view::npos;
         });
}

bool is_loading(const Profile& profile, profile::OpIndex op) {
  if (profile::loads_data(profile, op)) return true;
  const std::string_view name = profile.text(profile.ops.name[op]);
  return brings_data(name.substr(name.rfind('/') + 1));
}

// The first iteration that is none of these; what precedes the first key op does not count.
int64_t first_regular(const std::vector<int64_t>& outlying) {
  int64_t first = 1;
  for (const int64_t iteration : outlying) first += iteration == first ? 1 : 0;
  return first;
}

class Classifier {
 public:
  Classifier(const Profile& profile, const IterationTable& table, const RuleIndex* rules,
             const std::vector<int64_t>& outlying)
      : profile_(profile),
        table_(table),
        tells_calls_(profile::tells_of(profile, profile::Evidence::api_calls)),
        warm_up_end_(warm_up_end(table.iterations).value_or(first_regular(outlying))) {
    const auto last = static_cast<int64_t>(table.facts.size()) - 1;
    typical_ =
        typical_iteration(table, steady_range(table.iterations).value_or(IterationRange{0, last}));
    if (rules != nullptr) causes_.emplace(*rules, table.iterations);
  }

  int64_t typical() const { return typical_; }

  Outlier classify(int64_t iteration) {
    const IterationComparison comparison =
        compare_iterations(profile_, table_, iteration, typical_);
    Outlier result;
    result.iteration = iteration;
    result.difference_ns = comparison.duration_ns - comparison.baseline_duration_ns;
    const int sign = result.difference_ns < 0 ? -1 : 1;
    result.category = leading_category(comparison, sign);
    for (const OpDifference& op : comparison.ops) {
      if (op.is_idle() || sign * op.difference_ns() <= 0) continue;
      result.op = op.op;
      result.op_difference_ns = op.difference_ns();
      break;
    }
    if (const std::optional<OutlierClass> kind = kind_by_work(result, comparison)) {
      result.kind = *kind;
      return result;
    }
    classify_by_cause(comparison, sign, result);
    const bool has_better_class =
        result.kind == OutlierClass::data_loader || result.kind == OutlierClass::checkpoint_or_io;
    if (sign > 0 && iteration < warm_up_end_ && !has_better_class) {
      result.kind = OutlierClass::warm_up;
    }
    return result;
  }

 private:
  std::optional<OutlierClass> kind_by_work(const Outlier& outlier,
                                           const IterationComparison& comparison) const {
    const auto kernels = [this](int64_t i) {
      return table_.facts[static_cast<std::size_t>(i)].kernels.count;
    };
    const bool hardly_any_kernels = kernels(outlier.iteration) * 4 < kernels(typical_);
    const bool hardly_any_time = comparison.duration_ns * 4 < comparison.baseline_duration_ns;
    // The last one may have been cut off.
    const bool is_whole = outlier.iteration + 1 < std::ssize(table_.facts);
    if (hardly_any_time && !hardly_any_kernels && is_whole && kernels(typical_) > 0) {
      return OutlierClass::ran_ahead;
    }
    if (!hardly_any_kernels && !hardly_any_time) return std::nullopt;
    return outlier.iteration == 0 ? OutlierClass::start_up : OutlierClass::little_work;
  }

  void classify_by_cause(const IterationComparison& comparison, int sign, Outlier& outlier) {
    const PartDifferences parts = part_differences(comparison);
    const int64_t most = std::max(
        {sign * parts.idle, sign * parts.communication, sign * parts.kernels, sign * parts.memory});
    outlier.part_difference_ns = sign * most;
    if (most <= 0 || profile_.kernels.size() + profile_.memory_ops.size() == 0) {
      // No GPU: ops are all there is.
      outlier.part_difference_ns = outlier.difference_ns;
      outlier.kind = kind_of_op(outlier.op, tells_calls_, OutlierClass::other);
    } else if (most == sign * parts.idle) {
      classify_idle(comparison, sign, outlier);
    } else if (most == sign * parts.communication) {
      outlier.kind = OutlierClass::communication;
    } else if (most == sign * parts.memory) {
      outlier.kind = outlier.op != profile::kNoRow && op_writes_the_model(profile_, outlier.op)
                         ? OutlierClass::checkpoint_or_io
                         : OutlierClass::memory_operations;
    } else {
      outlier.kind = kind_of_kernels(comparison, sign);
    }
  }

  // By the op that the host was in; `otherwise` where there is none, or its name says nothing and
  // the host may have waited in it.
  OutlierClass kind_of_op(profile::OpIndex op, bool is_busy, OutlierClass otherwise) const {
    if (op == profile::kNoRow) return otherwise;
    if (op_writes_the_model(profile_, op)) return OutlierClass::checkpoint_or_io;
    if (is_loading(profile_, op)) return OutlierClass::data_loader;
    return is_busy ? OutlierClass::host_busy : otherwise;
  }

  void classify_idle(const IterationComparison& comparison, int sign, Outlier& outlier) {
    if (outlier.category == Category::data_loader) {
      outlier.kind = OutlierClass::data_loader;
    } else if (outlier.category == Category::io) {
      outlier.kind = OutlierClass::checkpoint_or_io;
    } else if (outlier.op != profile::kNoRow && op_writes_the_model(profile_, outlier.op)) {
      outlier.kind = OutlierClass::checkpoint_or_io;
    } else if (!causes_) {
      // An op of the host that fills most of the difference.
      const bool fills = 2 * sign * outlier.op_difference_ns >= sign * outlier.difference_ns;
      outlier.kind =
          kind_of_op(fills ? outlier.op : profile::OpIndex(), tells_calls_, OutlierClass::gpu_idle);
    } else {
      // A shorter iteration lacks what the host does in the typical one.
      const int64_t longer = sign > 0 ? comparison.iteration : comparison.baseline,
                    shorter = sign > 0 ? comparison.baseline : comparison.iteration;
      outlier.host = causes_->difference(longer, shorter);
      outlier.kind = outlier.host ? kind_of_host(*outlier.host) : OutlierClass::gpu_idle;
    }
  }

  OutlierClass kind_of_host(const HostTime& host) const {
    const bool had_cpu = host.running_ns > 0 && 2 * host.running_ns >= host.cause_ns;
    // Without its calls the host may have waited for the GPU, unless it had a CPU.
    const bool is_busy = tells_calls_ || had_cpu;
    if (host.range != profile::kNoText && writes_the_model(profile_.text(host.range))) {
      return OutlierClass::checkpoint_or_io;
    }
    switch (host.cause) {
      case GapCause::wait:
        return OutlierClass::synchronization;
      case GapCause::data_loader:
        return OutlierClass::data_loader;
      case GapCause::op:
        return kind_of_op(host.instance == profile::kNoRow ? profile::OpIndex()
                                                           : profile_.instances.op[host.instance],
                          is_busy, is_busy ? OutlierClass::host_busy : OutlierClass::gpu_idle);
      case GapCause::api_call:
        return OutlierClass::host_busy;
      case GapCause::launch:
        return is_busy ? OutlierClass::host_busy : OutlierClass::gpu_idle;
      case GapCause::host_range:
      case GapCause::nothing:
        return had_cpu ? OutlierClass::host_busy : OutlierClass::gpu_idle;
      case GapCause::os_call:
        return reads_or_writes(profile_.text(host.call)) ? OutlierClass::checkpoint_or_io
                                                         : OutlierClass::gpu_idle;
      default:
        return OutlierClass::gpu_idle;
    }
  }

  OutlierClass kind_of_kernels(const IterationComparison& comparison, int sign) const {
    const double slowdown =
        kernel_slowdown(profile_, table_.iterations, comparison.iteration, comparison.baseline);
    if (slowdown != 1 && (slowdown > 1) == (sign > 0)) return OutlierClass::clocks;
    int64_t of_other_counts = 0, of_same_counts = 0;
    for (const KernelDifference& kernel : comparison.kernels) {
      (kernel.count == kernel.baseline_count ? of_same_counts : of_other_counts) +=
          sign * kernel.difference_ns();
    }
    return of_other_counts > of_same_counts ? OutlierClass::more_kernels
                                            : OutlierClass::slower_kernels;
  }

  const Profile& profile_;
  const IterationTable& table_;
  bool tells_calls_;                  // whether CUDA API calls are recorded
  std::optional<IdleCauses> causes_;  // nothing without an index
  int64_t warm_up_end_;
  int64_t typical_ = 0;
};

}  // namespace

std::string_view to_text(OutlierClass kind) {
  switch (kind) {
    case OutlierClass::warm_up:
      return "warm-up";
    case OutlierClass::start_up:
      return "start-up";
    case OutlierClass::little_work:
      return "little work";
    case OutlierClass::ran_ahead:
      return "host ran ahead";
    case OutlierClass::checkpoint_or_io:
      return "checkpoint or I/O";
    case OutlierClass::data_loader:
      return "data loading";
    case OutlierClass::synchronization:
      return "synchronization";
    case OutlierClass::host_busy:
      return "host busy";
    case OutlierClass::gpu_idle:
      return "GPU idle";
    case OutlierClass::communication:
      return "exposed communication";
    case OutlierClass::memory_operations:
      return "memory operations";
    case OutlierClass::clocks:
      return "clocks";
    case OutlierClass::more_kernels:
      return "kernel count";
    case OutlierClass::slower_kernels:
      return "kernel durations";
    case OutlierClass::other:
      break;
  }
  return "unknown cause";
}

Outliers find_outliers(const Profile& profile, const IterationTable& table,
                       const RuleIndex* rules) {
  const std::vector<int64_t> outlying = outlying_iterations(table.iterations);
  Classifier classifier(profile, table, rules, outlying);
  Outliers result{classifier.typical(), {}};
  for (const int64_t iteration : outlying) {
    base::stop_point();
    result.rows.push_back(classifier.classify(iteration));
  }
  return result;
}

}  // namespace dlview::aggregate
