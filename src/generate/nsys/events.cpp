#include "generate/nsys/events.h"

#include <algorithm>
#include <map>
#include <vector>

namespace dlview::generate::nsys {
namespace {

using profile::Profile;
using profile::Row;
using profile::StringId;
using enum NsysSchema;

constexpr const char* kLaunch = "cudaLaunchKernel_v7000";
constexpr int64_t kContext = 1, kStream = 7, kCommunicationStream = 20;
constexpr int64_t kRegisters = 64, kPageable = 0, kDevice = 2;

constexpr ColumnSpec kKernelColumns[] = {{"start INTEGER NOT NULL"},
                                         {"end INTEGER NOT NULL"},
                                         {"deviceId INTEGER NOT NULL"},
                                         {"contextId INTEGER NOT NULL"},
                                         {"greenContextId INTEGER", v2026},
                                         {"streamId INTEGER NOT NULL"},
                                         {"correlationId INTEGER"},
                                         {"globalPid INTEGER"},
                                         {"demangledName INTEGER NOT NULL"},
                                         {"shortName INTEGER NOT NULL"},
                                         {"mangledName INTEGER", v2023},
                                         {"launchType INTEGER"},
                                         {"cacheConfig INTEGER"},
                                         {"registersPerThread INTEGER NOT NULL"},
                                         {"gridX INTEGER NOT NULL"},
                                         {"gridY INTEGER NOT NULL"},
                                         {"gridZ INTEGER NOT NULL"},
                                         {"blockX INTEGER NOT NULL"},
                                         {"blockY INTEGER NOT NULL"},
                                         {"blockZ INTEGER NOT NULL"},
                                         {"staticSharedMemory INTEGER NOT NULL"},
                                         {"dynamicSharedMemory INTEGER NOT NULL"},
                                         {"graphNodeId INTEGER"},
                                         {"sharedMemoryLimitConfig INTEGER"},
                                         {"qmdBulkReleaseDone INTEGER", v2026},
                                         {"graphId INTEGER", v2026},
                                         {"clusterX INTEGER", v2026},
                                         {"clusterY INTEGER", v2026},
                                         {"clusterZ INTEGER", v2026},
                                         {"sharedMemoryRequestedPercentage INTEGER", v2026}};
constexpr TableSpec kKernels{"CUPTI_ACTIVITY_KIND_KERNEL", kKernelColumns};

constexpr ColumnSpec kMemcpyColumns[] = {{"start INTEGER NOT NULL"},
                                         {"end INTEGER NOT NULL"},
                                         {"deviceId INTEGER NOT NULL"},
                                         {"contextId INTEGER NOT NULL"},
                                         {"greenContextId INTEGER", v2026},
                                         {"streamId INTEGER NOT NULL"},
                                         {"correlationId INTEGER"},
                                         {"globalPid INTEGER"},
                                         {"bytes INTEGER NOT NULL"},
                                         {"copyKind INTEGER NOT NULL"},
                                         {"srcKind INTEGER"},
                                         {"dstKind INTEGER"},
                                         {"migrationCause INTEGER"},
                                         {"graphNodeId INTEGER"},
                                         {"virtualAddress INTEGER", v2023},
                                         {"copyCount INTEGER", v2026}};
constexpr TableSpec kMemcpys{"CUPTI_ACTIVITY_KIND_MEMCPY", kMemcpyColumns};

constexpr ColumnSpec kMemsetColumns[] = {
    {"start INTEGER NOT NULL"},        {"end INTEGER NOT NULL"},
    {"deviceId INTEGER NOT NULL"},     {"contextId INTEGER NOT NULL"},
    {"greenContextId INTEGER", v2026}, {"streamId INTEGER NOT NULL"},
    {"correlationId INTEGER"},         {"globalPid INTEGER"},
    {"value INTEGER NOT NULL"},        {"bytes INTEGER NOT NULL"},
    {"graphNodeId INTEGER"},           {"memKind INTEGER"}};
constexpr TableSpec kMemsets{"CUPTI_ACTIVITY_KIND_MEMSET", kMemsetColumns};

constexpr ColumnSpec kSyncColumns[] = {{"start INTEGER NOT NULL"},
                                       {"end INTEGER NOT NULL"},
                                       {"deviceId INTEGER NOT NULL"},
                                       {"contextId INTEGER NOT NULL"},
                                       {"greenContextId INTEGER", v2026},
                                       {"streamId INTEGER NOT NULL"},
                                       {"correlationId INTEGER"},
                                       {"globalPid INTEGER"},
                                       {"deprecatedSyncType INTEGER", v2026},
                                       {"syncType INTEGER NOT NULL"},
                                       {"eventId INTEGER NOT NULL"},
                                       {"eventSyncId INTEGER", v2026}};
constexpr TableSpec kSyncs{"CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", kSyncColumns};

constexpr ColumnSpec kCallColumns[] = {
    {"start INTEGER NOT NULL"},       {"end INTEGER NOT NULL"},
    {"eventClass INTEGER NOT NULL"},  {"globalTid INTEGER"},
    {"correlationId INTEGER"},        {"nameId INTEGER NOT NULL"},
    {"returnValue INTEGER NOT NULL"}, {"callchainId INTEGER"}};
constexpr TableSpec kCalls{"CUPTI_ACTIVITY_KIND_RUNTIME", kCallColumns};

struct Call {
  int64_t start_ns, end_ns;
  Row thread;
  int64_t name;          // in StringIds
  int64_t* correlation;  // of the work that it caused; null when it caused none
};

// Gathers the calls of all events and numbers them in order of time, each process for itself.
class Calls {
 public:
  explicit Calls(Export& out) : out_(out) {}

  template <typename Events>
  void add(const Events& events, Row row, Row thread, int64_t name, int64_t* correlation) {
    calls_.push_back(
        {events.api_start_ns[row], events.api_stop_ns[row], thread, name, correlation});
  }

  void write() {
    std::stable_sort(calls_.begin(), calls_.end(),
                     [](const Call& a, const Call& b) { return a.start_ns < b.start_ns; });
    Table table(out_.file, out_.schema, kCalls);
    std::map<int64_t, int64_t> last;  // by process
    for (const Call& call : calls_) {
      const profile::Thread& thread = out_.profile.threads[call.thread];
      const int64_t correlation = ++last[thread.process_id];
      if (call.correlation != nullptr) *call.correlation = correlation;
      table.add({call.start_ns, call.end_ns, 0, global_thread(thread), correlation, call.name, 0});
    }
  }

 private:
  Export& out_;
  std::vector<Call> calls_;
};

// The correlation ids of all events, by their rows.
struct Correlations {
  std::vector<int64_t> kernels, memory_ops, syncs;
};

Correlations write_calls(Export& out) {
  const Profile& profile = out.profile;
  Correlations ids{std::vector<int64_t>(profile.kernels.size()),
                   std::vector<int64_t>(profile.memory_ops.size()),
                   std::vector<int64_t>(profile.syncs.size())};
  Calls calls(out);
  const int64_t launch = out.strings.id(std::string_view(kLaunch));
  for (Row row = 0; row < profile.kernels.size(); ++row) {
    const Row thread = profile.launches.thread[profile.kernels.launch[row]];
    calls.add(profile.kernels, row, thread, launch, &ids.kernels[row]);
  }
  const auto add_all = [&](const auto& events, std::vector<int64_t>* correlations) {
    for (Row row = 0; row < events.size(); ++row) {
      calls.add(events, row, events.thread[row], out.strings.id(events.name[row]),
                correlations == nullptr ? nullptr : &(*correlations)[row]);
    }
  };
  add_all(profile.memory_ops, &ids.memory_ops);
  add_all(profile.syncs, &ids.syncs);
  add_all(profile.api_calls, nullptr);
  calls.write();
  return ids;
}

void write_kernels(Export& out, const std::vector<int64_t>& correlations) {
  const Profile& profile = out.profile;
  const profile::Kernels& kernels = profile.kernels;
  Table table(out.file, out.schema, kKernels);
  for (Row row = 0; row < kernels.size(); ++row) {
    const Row launch = kernels.launch[row];
    const profile::Dim3 &grid = profile.launches.grid[launch],
                        &block = profile.launches.block[launch];
    const bool is_communication = profile.text(kernels.name[row]).starts_with("nccl");
    const int64_t short_name = out.strings.id(kernels.name[row]);
    table.add({kernels.gpu_start_ns[row],
               kernels.gpu_stop_ns[row],
               profile.devices[profile.device_of_kernel(row)].device_id,
               kContext,
               nullptr,
               is_communication ? kCommunicationStream : kStream,
               correlations[row],
               global_process(profile.threads[profile.launches.thread[launch]]),
               out.strings.id(kernels.long_name[row]),
               short_name,
               short_name,
               1,
               0,
               kRegisters,
               grid.x,
               grid.y,
               grid.z,
               block.x,
               block.y,
               block.z,
               0,
               0});
  }
}

void write_memory_ops(Export& out, const std::vector<int64_t>& correlations) {
  const Profile& profile = out.profile;
  const profile::MemoryOps& rows = profile.memory_ops;
  Table memcpys(out.file, out.schema, kMemcpys), memsets(out.file, out.schema, kMemsets);
  for (Row row = 0; row < rows.size(); ++row) {
    const int64_t start_ns = rows.gpu_start_ns[row], end_ns = rows.gpu_stop_ns[row];
    const int64_t device = profile.devices[rows.device[row]].device_id;
    const int64_t process = global_process(profile.threads[rows.thread[row]]);
    if (rows.kind[row] == profile::MemoryOpKind::memset) {
      memsets.add({start_ns, end_ns, device, kContext, nullptr, kStream, correlations[row], process,
                   0, rows.bytes[row], nullptr, kDevice});
      continue;
    }
    const int64_t copy_kind = rows.copy_kind[row];  // 1 comes from the host, 2 goes there
    memcpys.add({start_ns, end_ns, device, kContext, nullptr, kStream, correlations[row], process,
                 rows.bytes[row], copy_kind, copy_kind == 1 ? kPageable : kDevice,
                 copy_kind == 2 ? kPageable : kDevice});
  }
}

void write_syncs(Export& out, const std::vector<int64_t>& correlations) {
  const profile::Syncs& syncs = out.profile.syncs;
  Table table(out.file, out.schema, kSyncs);
  for (Row row = 0; row < syncs.size(); ++row) {
    table.add({syncs.api_start_ns[row], syncs.api_stop_ns[row], syncs.device_id[row], kContext,
               nullptr, kStream, correlations[row],
               global_process(out.profile.threads[syncs.thread[row]]), syncs.sync_type[row],
               syncs.sync_type[row], syncs.event_id[row]});
  }
}

}  // namespace

void write_events(Export& out) {
  const Correlations correlations = write_calls(out);
  write_kernels(out, correlations.kernels);
  write_memory_ops(out, correlations.memory_ops);
  write_syncs(out, correlations.syncs);
}

}  // namespace dlview::generate::nsys
