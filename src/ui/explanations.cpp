#include "ui/explanations.h"

#include <fmt/format.h>

#include "aggregate/gaps/gap_text.h"
#include "base/units.h"
#include "profile/display_name.h"
#include "profile/recorded.h"
#include "ui/text.h"

namespace dlview::ui {
std::string tensor_core_text(const profile::Profile& profile, profile::OpIndex row,
                             const aggregate::OpAggregate* op,
                             const aggregate::UnknownTensorCoreUse* unknown) {
  if (!profile::tells_of(profile, profile::Evidence::gpu_work)) return "not recorded";
  if (op != nullptr && op->uses_tensor_cores()) {
    const int64_t using_them = op->tensor_core_kernels, all = op->kernel_gpu.count;
    if (all == 1) return "used by its kernel";
    return using_them == all ? fmt::format("used by all {}", base::counted(all, "kernels"))
                             : fmt::format("used by {} of {}", base::format_count(using_them),
                                           base::counted(all, "kernels"));
  }
  if (unknown != nullptr && unknown->is_of_op(row)) {
    return "unknown: no rule matches the names of some of its kernels";
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
  return fmt::format("{} · dlview's rules: {}{}", use, to_text(present), by);
}

std::string_view explain_op(const profile::Profile& profile, profile::OpIndex row) {
  const std::string_view name = profile.text(profile.ops.name[row]);
  if (profile.trace && name.ends_with(" (self time)")) {
    return "Self time: the range without those inside it. Each uninterrupted part counts "
           "as a call, so the number of calls differs from that of the range.";
  }
  if (!profile.is_unassociated(row)) return "";
  if (profile.text(profile.ops.type[row]) == "no_launch") {
    return "GPU activity without a recorded launch: the capture began after it. It has no CPU "
           "time.";
  }
  return "CUDA API calls outside all ops and ranges, and the GPU activity they launched.";
}

std::string host_cause_text(const aggregate::HostTime& host) {
  if (host.cause == aggregate::GapCause::queued) return std::string(to_text(host.cause));
  return fmt::format("{} for {}", aggregate::to_text(host.cause),
                     base::format_duration(host.cause_ns));
}

std::string host_text(const profile::Profile& profile, const aggregate::HostTime& host) {
  std::string text = host_cause_text(host);
  if (host.call != 0) text += fmt::format(", {}", profile::call_name(profile.text(host.call)));
  if (host.range != profile::kNoText) {
    text += fmt::format(", in {}", profile::bare_range_name(profile.text(host.range)));
  }
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
