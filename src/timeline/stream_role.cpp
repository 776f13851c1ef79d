#include "timeline/stream_role.h"

#include <numeric>
#include <string_view>

#include "profile/communication.h"

namespace dlview::timeline {
namespace {

using profile::CopyKind;

StreamWork work_of_copy(CopyKind kind) {
  switch (kind) {
    case CopyKind::host_to_device:
      return StreamWork::to_device;
    case CopyKind::device_to_host:
      return StreamWork::to_host;
    case CopyKind::device_to_device:
      return StreamWork::in_device;
    case CopyKind::peer_to_peer:
      return StreamWork::between_devices;
    default:
      return StreamWork::other_copies;
  }
}

StreamWork stream_work_of(EventRef event, const Events& events) {
  if (event.kind == EventKind::kernel) {
    return events.category(event) == Category::communication ? StreamWork::communication
                                                             : StreamWork::kernels;
  }
  const profile::MemoryOps& memory_ops = events.profile().memory_ops;
  if (memory_ops.kind[event.row] == profile::MemoryOpKind::memset) return StreamWork::memsets;
  return work_of_copy(memory_ops.copy_kind[event.row]);
}

std::string_view library_of(EventRef kernel, const profile::Profile& profile) {
  for (const profile::StringId name :
       {profile.kernels.name[kernel.row], profile.kernels.long_name[kernel.row]}) {
    if (const auto found = profile::communication_of(profile.text(name))) return found->library;
  }
  return "communication";
}

std::string_view title_of(StreamWork work, std::string_view library) {
  switch (work) {
    case StreamWork::kernels:
      return "kernels";
    case StreamWork::communication:
      return library;
    case StreamWork::to_device:
      return "H2D copies";
    case StreamWork::to_host:
      return "D2H copies";
    case StreamWork::in_device:
      return "D2D copies";
    case StreamWork::between_devices:
      return "P2P copies";
    case StreamWork::other_copies:
      return "copies";
    case StreamWork::memsets:
      return "memsets";
  }
  return "";
}

}  // namespace

std::string stream_role(const StreamTimes& times, std::string_view library) {
  const int64_t all = std::accumulate(times.begin(), times.end(), int64_t{0});
  if (all <= 0) return "";
  const double least = kLeastRoleShare * static_cast<double>(all);
  for (std::size_t i = 0; i < kStreamWorkCount; ++i) {
    if (static_cast<double>(times[i]) >= least) {
      return std::string(title_of(static_cast<StreamWork>(i), library));
    }
  }
  int64_t copies = 0;
  for (const StreamWork copy : {StreamWork::to_device, StreamWork::to_host, StreamWork::in_device,
                                StreamWork::between_devices, StreamWork::other_copies}) {
    copies += times[static_cast<std::size_t>(copy)];
  }
  return static_cast<double>(copies) >= least ? "copies" : "";
}

std::string stream_role(const std::vector<EventRef>& work, const Events& events) {
  StreamTimes times = {};
  std::string_view library;
  for (const EventRef event : work) {
    const StreamWork kind = stream_work_of(event, events);
    const base::Interval time = events.time(event);
    times[static_cast<std::size_t>(kind)] += time.stop_ns - time.start_ns;
    if (kind == StreamWork::communication && library.empty()) {
      library = library_of(event, events.profile());
    }
  }
  return stream_role(times, library);
}

}  // namespace dlview::timeline
