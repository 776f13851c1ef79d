#include "import/capture/work.h"

#include <optional>
#include <string>
#include <utility>

#include "import/capture/trace_values.h"
#include "import/times.h"

namespace dlview::import::capture {
namespace {

using profile::GlobalId;
using profile::kNoValue;
using profile::Row;

void collect(const profile::Trace& trace, WorkKind kind, const CallIndex& calls,
             const DeviceRows& devices, const TraceNotes& notes, base::LargeVector<Work>& list) {
  const profile::GpuWork& table = table_of(trace, kind);
  std::pair<GlobalId, int32_t> last{kNoValue, -1};  // process and its number for the GPU
  std::optional<Row> gpu;
  for (Row row = 0; row < table.size(); ++row) {
    const char* problem = time_problem(table.start_ns[row], table.end_ns[row]);
    if (problem != nullptr) {
      notes.add(table_name(kind), problem, row, [&] {
        return "from " + std::to_string(table.start_ns[row]) + " ns to " +
               std::to_string(table.end_ns[row]) + " ns";
      });
      continue;
    }
    const GlobalId process = value_or(table.process, row, kNoValue);
    Work work{.kind = kind,
              .row = row,
              .call = calls.find(process, value_or(table.correlation, row, kNoValue))};
    if (kind != WorkKind::sync) {
      const std::pair device(process, value_or(table.device_id, row, 0));
      if (device != last) gpu = devices.find(device.first, device.second);
      last = device;
      if (!gpu) {
        notes.add(table_name(kind), "its GPU is not known", row,
                  [&] { return "deviceId is " + std::to_string(device.second); });
        continue;
      }
      work.device = *gpu;
    }
    list.push_back(work);
  }
}

}  // namespace

const profile::GpuWork& table_of(const profile::Trace& trace, WorkKind kind) {
  switch (kind) {
    case WorkKind::kernel:
      return trace.kernels;
    case WorkKind::graph:
      return trace.graph_launches;
    case WorkKind::memcpy:
      return trace.memcpys;
    case WorkKind::memset:
      return trace.memsets;
    case WorkKind::sync:
      break;
  }
  return trace.syncs;
}

const char* table_name(WorkKind kind) {
  switch (kind) {
    case WorkKind::kernel:
      return "CUPTI_ACTIVITY_KIND_KERNEL";
    case WorkKind::graph:
      return "CUPTI_ACTIVITY_KIND_GRAPH_TRACE";
    case WorkKind::memcpy:
      return "CUPTI_ACTIVITY_KIND_MEMCPY";
    case WorkKind::memset:
      return "CUPTI_ACTIVITY_KIND_MEMSET";
    case WorkKind::sync:
      break;
  }
  return "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION";
}

base::Interval time_of(const profile::Trace& trace, const Work& work) {
  const profile::GpuWork& table = table_of(trace, work.kind);
  return {table.start_ns[work.row], table.end_ns[work.row]};
}

base::LargeVector<Work> collect_work(const profile::Trace& trace, const CallIndex& calls,
                                     const DeviceRows& devices, const TraceNotes& notes) {
  base::LargeVector<Work> list;
  list.reserve(trace.kernels.size() + trace.graph_launches.size() + trace.memcpys.size() +
               trace.memsets.size() + trace.syncs.size());
  for (const WorkKind kind :
       {WorkKind::kernel, WorkKind::graph, WorkKind::memcpy, WorkKind::memset, WorkKind::sync}) {
    collect(trace, kind, calls, devices, notes, list);
  }
  return list;
}

}  // namespace dlview::import::capture
