#include "ui/explanations.h"

#include <fmt/format.h>

#include "aggregate/gaps/gap_text.h"
#include "base/units.h"
#include "profile/recorded.h"

namespace dlview::ui {
namespace {

// Whether an op with these instances has kernels, and the rules know none of their names.
bool all_kernels_unknown(const profile::Profile& profile, profile::TensorCoreVerdicts& verdicts,
                         std::span<const profile::InstanceIndex> instances) {
  bool has_kernels = false;
  for (const profile::InstanceIndex instance : instances) {
    const profile::KernelIndex end = profile.instances.first_kernel[instance + 1];
    for (auto kernel = profile.instances.first_kernel[instance]; kernel < end; ++kernel) {
      if (verdicts.of(kernel).use != profile::TensorCoreUse::unknown) return false;
      has_kernels = true;
    }
  }
  return has_kernels;
}

}  // namespace

std::string tensor_core_text(const profile::Profile& profile, profile::OpIndex row,
                             const aggregate::OpAggregate* op,
                             std::span<const profile::InstanceIndex> instances) {
  if (!profile::tells_of(profile, profile::Evidence::gpu_work)) return "not recorded";
  if (op != nullptr && op->uses_tensor_cores()) {
    return fmt::format("used by {} of {} kernels", base::format_count(op->tensor_core_kernels),
                       base::format_count(op->kernel_gpu.count));
  }
  profile::TensorCoreVerdicts verdicts(profile);
  if (profile.source.by_tensor_core_rules && all_kernels_unknown(profile, verdicts, instances)) {
    return "unknown: no rule knows the names of its kernels";
  }
  if (!profile::tells_eligibility(profile, row)) return "not used; whether eligible is unknown";
  return profile.is_eligible(row) ? "eligible, but not used" : "not eligible";
}

std::string tensor_core_text(const profile::Profile& profile, bool counted,
                             profile::KernelIndex kernel) {
  const std::string use = counted ? "used" : "not used";
  using profile::TensorCoreUse;
  const auto [present, rule] = profile::TensorCoreVerdicts(profile).of(kernel);
  const std::string by = rule.empty() ? "" : fmt::format(" · rule {}", rule);
  if (present == TensorCoreUse::unknown) return (counted ? use : "unknown") + by;
  if (counted == (present == TensorCoreUse::yes)) return use + by;
  return fmt::format("{} · the present rules say {}{}", use, to_text(present), by);
}

std::string_view explain_op(const profile::Profile& profile, profile::OpIndex row) {
  const std::string_view name = profile.text(profile.ops.name[row]);
  if (profile.trace && name.ends_with(" (self time)")) {
    return "The time of a range in which no range inside it runs. Each stretch of it counts as a "
           "call, so that it has more calls than the range has, or fewer where only stretches with "
           "CUDA calls count.";
  }
  if (!profile.is_unassociated(row)) return "";
  if (profile.text(profile.ops.type[row]) == "no_launch") {
    return "GPU work whose launch is not in the file: the capture began after it. It has no time "
           "on the CPU.";
  }
  return "CUDA calls, and the work that they launched, outside of every op and range.";
}

std::string host_cause_text(const aggregate::HostTime& host) {
  if (host.cause == aggregate::GapCause::queued) return std::string(to_text(host.cause));
  return fmt::format("{} for {}", aggregate::to_text(host.cause),
                     base::format_duration(host.cause_ns));
}

std::string host_text(const profile::Profile& profile, const aggregate::HostTime& host) {
  std::string text = host_cause_text(host);
  if (host.call != 0) text += fmt::format(", {}", profile.text(host.call));
  if (host.instance != profile::kNoRow) {
    const profile::OpIndex op = profile.instances.op[host.instance];
    text += fmt::format(", in {}", profile.text(profile.ops.name[op]));
  }
  if (host.other) {
    text += fmt::format("; {} was busy for {}", aggregate::busy_thread_text(profile, *host.other),
                        base::format_duration(host.other->busy_ns));
    const std::string busy_in = aggregate::busy_in_text(profile, *host.other);
    if (!busy_in.empty()) text += " in " + busy_in;
  }
  return text;
}

}  // namespace dlview::ui
