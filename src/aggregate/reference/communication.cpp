#include "aggregate/reference/communication.h"

#include <algorithm>
#include <map>

#include "profile/communication.h"

namespace dlview::aggregate::reference {
namespace {

using profile::InstanceIndex;
using profile::KernelIndex;
using profile::Profile;

// How many kernels more run from a point in time on than before.
struct Change {
  int64_t communication = 0, others = 0;
};
using Changes = std::map<int64_t, Change>;  // by time in ns

CommunicationSpans sweep(const Changes& changes) {
  CommunicationSpans spans;
  int64_t communication = 0, others = 0, reached_ns = 0;
  for (const auto& [time_ns, change] : changes) {
    if (communication > 0) spans.push_back({reached_ns, time_ns, others == 0});
    reached_ns = time_ns;
    communication += change.communication;
    others += change.others;
  }
  return spans;
}

class Names {
 public:
  explicit Names(const Profile& profile) : profile_(profile) {}

  bool communicates(KernelIndex kernel) {
    return is_communication(profile_.kernels.name[kernel]) ||
           is_communication(profile_.kernels.long_name[kernel]);
  }

 private:
  bool is_communication(profile::StringId name) {
    const auto [known, added] = known_.try_emplace(name, false);
    if (added) known->second = profile::communication_of(profile_.text(name)).has_value();
    return known->second;
  }

  const Profile& profile_;
  std::map<profile::StringId, bool> known_;
};

}  // namespace

std::vector<CommunicationSpans> communication_spans(const Profile& profile, const Kept& kept) {
  std::vector<Changes> changes(profile.devices.size());
  Names names(profile);
  for (InstanceIndex instance{0}; instance < profile.instances.size(); ++instance) {
    for (const TimeWindow& window : kept.windows()) {
      for (const Kept::Part& part : kept.parts(instance, window)) {
        if (!part.is_kernel || part.stop_ns <= part.start_ns) continue;
        int64_t Change::*const running =
            names.communicates(KernelIndex(part.event)) ? &Change::communication : &Change::others;
        ++(changes[part.device][part.start_ns].*running);
        --(changes[part.device][part.stop_ns].*running);
      }
    }
  }
  std::vector<CommunicationSpans> spans;
  for (const Changes& of_device : changes) spans.push_back(sweep(of_device));
  return spans;
}

CommunicationTime communication_between(const CommunicationSpans& spans, int64_t start_ns,
                                        int64_t stop_ns) {
  CommunicationTime result;
  auto span = std::ranges::partition_point(
      spans, [start_ns](const CommunicationSpan& s) { return s.stop_ns <= start_ns; });
  for (; span != spans.end() && span->start_ns < stop_ns; ++span) {
    const int64_t ns = std::min(span->stop_ns, stop_ns) - std::max(span->start_ns, start_ns);
    result.ns += ns;
    if (span->is_exposed) result.exposed_ns += ns;
  }
  return result;
}

}  // namespace dlview::aggregate::reference
