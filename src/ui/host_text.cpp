#include "ui/host_text.h"

#include <fmt/format.h>

#include "aggregate/gaps/gap_text.h"
#include "base/units.h"

namespace dlview::ui {

std::string host_cause_text(const aggregate::HostTime& host) {
  if (host.cause == aggregate::GapCause::queued) return std::string(to_text(host.cause));
  return fmt::format("{} for {}", aggregate::to_text(host.cause),
                     base::format_duration(host.cause_ns));
}

std::string host_text(const profile::Profile& profile, const aggregate::HostTime& host) {
  std::string text = host_cause_text(host);
  if (host.call != 0) text += fmt::format(", {}", profile.text(host.call));
  if (host.instance != profile::kNoRow) {
    const profile::Row op = profile.instances.op[host.instance];
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
