#include "import/capture/work.h"

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "base/units.h"
#include "import/times.h"

namespace dlview::import::capture {
namespace {

using profile::kNoRow;
using profile::kNoText;
using profile::kNoValue;
using profile::ProfileBuilder;
using profile::Row;
using profile::StringId;
using profile::ThreadId;
using profile::Trace;

void collect(const profile::Trace& trace, WorkKind kind, const CallIndex& calls,
             const DeviceRows& devices, const TraceNotes& notes, base::LargeVector<Work>& list) {
  const profile::GpuWork& table = table_of(trace, kind);
  std::pair<ThreadId, int32_t> last{kNoValue, -1};  // process and its number for the GPU
  std::optional<Row> gpu;
  for (Row row = 0; row < table.size(); ++row) {
    const char* problem = time_problem(table.start_ns[row], table.end_ns[row]);
    if (problem != nullptr) {
      notes.add(table_name(notes.tables, kind), problem, row, [&] {
        return "from " + std::to_string(table.start_ns[row]) + " ns to " +
               std::to_string(table.end_ns[row]) + " ns";
      });
      continue;
    }
    const ThreadId process = value_or(table.process, row, kNoValue);
    Work work{.kind = kind,
              .row = row,
              .call = calls.find(process, value_or(table.correlation, row, kNoValue))};
    if (kind != WorkKind::sync) {
      const std::pair device(process, value_or(table.device_id, row, 0));
      if (device != last) gpu = devices.find(device.first, device.second);
      last = device;
      if (!gpu) {
        notes.add(table_name(notes.tables, kind), "unknown GPU", row,
                  [&] { return "deviceId is " + std::to_string(device.second); });
        continue;
      }
      work.device = *gpu;
    }
    list.push_back(work);
  }
}

bool launches_kernel(std::string_view call) {
  return (call.starts_with("cudaLaunch") || call.starts_with("cuLaunch")) &&
         call.find("HostFunc") == std::string_view::npos;
}

// Where calls were recorded, but not those that launched some of the work.
void note_unlaunched(std::span<const Work> work, ProfileBuilder& builder) {
  int64_t kernels = 0, memory_ops = 0;
  for (const Work& w : work) {
    if (w.call != kNoRow || w.kind == WorkKind::sync) continue;
    ++(w.kind == WorkKind::kernel || w.kind == WorkKind::graph ? kernels : memory_ops);
  }
  if (kernels + memory_ops == 0) return;
  std::string parts;
  const auto add = [&parts](int64_t count, std::string_view what) {
    if (count == 0) return;
    parts += fmt::format("{}{} {}{}", parts.empty() ? "" : " and ", base::format_count(count), what,
                         count == 1 ? "" : "s");
  };
  add(kernels, "kernel");
  add(memory_ops, "memory operation");
  builder.not_recorded.push_back(
      {"Launches of " + parts,
       "Their API calls are not in the file, for example because the capture began later. Their "
       "ops are unknown (unassociated_no_launch). Begin the capture before the first step, after "
       "torch.cuda.synchronize()"});
}

// Calls that launch a kernel, did not fail, and of which no work tells.
int64_t count_unfinished(const Trace& trace, const CallIndex& calls, std::span<const Work> work,
                         const ProfileBuilder& builder) {
  std::vector<bool> has_work(trace.api_calls.size());
  for (const Work& w : work) {
    if (w.call != kNoRow) has_work[w.call] = true;
  }
  std::unordered_map<StringId, bool> launching;
  int64_t count = 0;
  for (const Row call : calls.by_thread().rows) {
    const StringId name = value_or(trace.api_calls.name, call, kNoText);
    const int64_t returned = value_or(trace.api_calls.return_value, call, kNoValue);
    if (has_work[call] || name == kNoText || (returned != 0 && returned != kNoValue)) continue;
    const auto [known, is_new] = launching.try_emplace(name, false);
    if (is_new) known->second = launches_kernel(builder.text(name));
    count += known->second ? 1 : 0;
  }
  return count;
}

void note_unfinished(const Trace& trace, const CallIndex& calls, std::span<const Work> work,
                     ProfileBuilder& builder) {
  const int64_t count = count_unfinished(trace, calls, work, builder);
  if (count == 0) return;
  builder.not_recorded.push_back(
      {fmt::format("Kernels of {} {}", base::format_count(count),
                   count == 1 ? "launch" : "launches"),
       "The file has the launches but not these kernels: the capture ended before they ran, or the "
       "launches built a CUDA graph. Their ops have too little GPU time. End the capture after "
       "torch.cuda.synchronize()"});
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

const char* table_name(const TableNames& tables, WorkKind kind) {
  switch (kind) {
    case WorkKind::kernel:
      return tables.kernels;
    case WorkKind::graph:
      return tables.graph_launches;
    case WorkKind::memcpy:
      return tables.memcpys;
    case WorkKind::memset:
      return tables.memsets;
    case WorkKind::sync:
      break;
  }
  return tables.syncs;
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

void note_missing_work(const Trace& trace, const CallIndex& calls, std::span<const Work> work,
                       ProfileBuilder& builder) {
  if (trace.api_calls.size() == 0) return;
  note_unlaunched(work, builder);
  // Without these no kernel has a call, in a run of several processes.
  if (trace.kernels.correlation.empty() || trace.kernels.process.empty()) return;
  note_unfinished(trace, calls, work, builder);
}

}  // namespace dlview::import::capture
