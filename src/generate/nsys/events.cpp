#include "generate/nsys/events.h"

#include <algorithm>
#include <map>
#include <vector>

namespace dlview::generate::nsys {
namespace {

using profile::CopyKind;
using profile::MemoryKind;
using profile::Profile;
using profile::Row;

constexpr const char* kLaunch = "cudaLaunchKernel_v7000";

struct Call {
  int64_t start_ns, end_ns;
  Row thread;
  int64_t name;          // in StringIds
  int64_t* correlation;  // of the work that it caused; null when it caused none
};

// Gathers the calls of all events and numbers them in order of time, each process for itself.
class Calls {
 public:
  template <typename Events>
  void add(const Events& events, Row row, Row thread, int64_t name, int64_t* correlation) {
    calls_.push_back(
        {events.api_start_ns[row], events.api_stop_ns[row], thread, name, correlation});
  }

  void write(const Profile& profile, EventTables& tables) {
    std::stable_sort(calls_.begin(), calls_.end(),
                     [](const Call& a, const Call& b) { return a.start_ns < b.start_ns; });
    std::map<int64_t, int64_t> last;  // by process
    for (const Call& call : calls_) {
      const profile::Thread& thread = profile.threads[call.thread];
      const int64_t correlation = ++last[thread.process_id];
      if (call.correlation != nullptr) *call.correlation = correlation;
      tables.call({call.start_ns, call.end_ns, thread, correlation, call.name});
    }
  }

 private:
  std::vector<Call> calls_;
};

// The correlation ids of all events, by their rows.
struct Correlations {
  std::vector<int64_t> kernels, memory_ops, syncs;
};

Correlations write_calls(Export& out, const Profile& profile, EventTables& tables) {
  Correlations ids{std::vector<int64_t>(profile.kernels.size()),
                   std::vector<int64_t>(profile.memory_ops.size()),
                   std::vector<int64_t>(profile.syncs.size())};
  Calls calls;
  const int64_t launch = out.strings.id(std::string_view(kLaunch));
  for (Row row = 0; row < profile.kernels.size(); ++row) {
    const Row thread = profile.launches.thread[profile.kernels.launch[row]];
    calls.add(profile.kernels, row, thread, launch, &ids.kernels[row]);
  }
  const auto add_all = [&](const auto& events, std::vector<int64_t>* correlations) {
    for (Row row = 0; row < events.size(); ++row) {
      calls.add(events, row, events.thread[row], out.strings.id(profile.strings, events.name[row]),
                correlations == nullptr ? nullptr : &(*correlations)[row]);
    }
  };
  add_all(profile.memory_ops, &ids.memory_ops);
  add_all(profile.syncs, &ids.syncs);
  add_all(profile.api_calls, nullptr);
  calls.write(profile, tables);
  return ids;
}

void write_kernels(Export& out, const Profile& profile, const std::vector<int64_t>& correlations,
                   EventTables& tables) {
  const profile::Kernels& kernels = profile.kernels;
  for (profile::KernelIndex row{0}; row < kernels.size(); ++row) {
    const profile::LaunchIndex launch = kernels.launch[row];
    const bool is_communication = profile.text(kernels.name[row]).starts_with("nccl");
    const WorkValues work{kernels.gpu_start_ns[row],
                          kernels.gpu_stop_ns[row],
                          profile.devices[profile.device_of_kernel(row)].device_id,
                          is_communication ? kCommunicationStream : kComputeStream,
                          correlations[row],
                          profile.threads[profile.launches.thread[launch]]};
    tables.kernel({work, out.strings.id(profile.strings, kernels.name[row]),
                   out.strings.id(profile.strings, kernels.long_name[row]),
                   profile.launches.grid[launch], profile.launches.block[launch]});
  }
}

void write_memory_ops(const Profile& profile, const std::vector<int64_t>& correlations,
                      EventTables& tables) {
  const profile::MemoryOps& rows = profile.memory_ops;
  for (Row row = 0; row < rows.size(); ++row) {
    const WorkValues work{
        rows.gpu_start_ns[row], rows.gpu_stop_ns[row], profile.devices[rows.device[row]].device_id,
        kComputeStream,         correlations[row],     profile.threads[rows.thread[row]]};
    if (rows.kind[row] == profile::MemoryOpKind::memset) {
      tables.set(work, rows.bytes[row]);
      continue;
    }
    const CopyKind kind = rows.copy_kind[row];
    tables.copy({work, rows.bytes[row], kind,
                 kind == CopyKind::host_to_device ? MemoryKind::pageable : MemoryKind::device,
                 kind == CopyKind::device_to_host ? MemoryKind::pageable : MemoryKind::device});
  }
}

void write_syncs(const Profile& profile, const std::vector<int64_t>& correlations,
                 EventTables& tables) {
  const profile::Syncs& syncs = profile.syncs;
  for (Row row = 0; row < syncs.size(); ++row) {
    const WorkValues work{syncs.api_start_ns[row], syncs.api_stop_ns[row],
                          syncs.device_id[row],    kComputeStream,
                          correlations[row],       profile.threads[syncs.thread[row]]};
    tables.synchronization(work, syncs.sync_type[row], syncs.event_id[row]);
  }
}

}  // namespace

void write_events(Export& out, const Profile& profile, EventTables& tables) {
  const Correlations correlations = write_calls(out, profile, tables);
  write_kernels(out, profile, correlations.kernels, tables);
  write_memory_ops(profile, correlations.memory_ops, tables);
  write_syncs(profile, correlations.syncs, tables);
}

}  // namespace dlview::generate::nsys
