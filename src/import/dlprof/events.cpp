#include "import/dlprof/events.h"

#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "import/dlprof/event_tables.h"
#include "import/dlprof/launch_dims.h"

namespace dlview::import::dlprof {
namespace {

using profile::kNoRow;
using profile::MemoryOpKind;
using profile::Row;
using sqlite::Statement;

// The checked part that all events have.
struct ApiFields {
  Row instance = 0;
  base::Interval call;
};

// The checked part that kernels, copies and memsets have.
struct GpuFields {
  Row instance = 0, device = 0;
  base::Interval call, gpu;
};

template <typename Small>
bool fits(int64_t value) {
  return value >= std::numeric_limits<Small>::min() && value <= std::numeric_limits<Small>::max();
}

// Reads rows of the event tables into the builder; what cannot be used goes to the quality log.
class EventReader {
 public:
  EventReader(Context& context, const OpIndex& ops, const DeviceRows& devices, TimeBudget& budget)
      : context_(context), ops_(ops), devices_(devices), budget_(budget) {}

  base::Status read_kernels();
  base::Status read_memory_ops(const TableSpec& table, MemoryOpKind kind);
  base::Status read_syncs();
  base::Status read_api_calls();

 private:
  std::optional<ApiFields> api_fields(const TableSpec& table, const Statement& row);
  std::optional<GpuFields> gpu_fields(const TableSpec& table, const Statement& row);
  std::optional<Row> instance(const TableSpec& table, const Statement& row);
  std::optional<base::Interval> times(const TableSpec& table, const Statement& row, int start,
                                      int stop);
  void note_times(const TableSpec& table, const Statement& row, const char* reason, int start,
                  int stop);
  // The last checks: from here on the row is used.
  bool has_room(const TableSpec& table, const Statement& row, const ApiFields& api);
  bool has_room(const TableSpec& table, const Statement& row, const GpuFields& gpu);
  Row thread(const Statement& row);
  // Notes why the row is not used, quoting the value of one column.
  void reject(const TableSpec& table, const Statement& row, std::string_view reason, int column);

  Context& context_;
  const OpIndex& ops_;
  const DeviceRows& devices_;
  TimeBudget& budget_;
};

void EventReader::reject(const TableSpec& table, const Statement& row, std::string_view reason,
                         int column) {
  context_.quality.add(table.name, reason, row.integer(event::id), [&] {
    return std::string(table.columns[static_cast<std::size_t>(column)].name) + " is " +
           std::string(row.text(column));
  });
}

std::optional<Row> EventReader::instance(const TableSpec& table, const Statement& row) {
  const std::optional<Row> op = ops_.op(row.integer(event::op));
  if (!op) {
    reject(table, row, "its op does not exist", event::op);
    return std::nullopt;
  }
  const int64_t number = row.integer(event::instance);
  const std::span<const Row> instances = ops_.instances(*op);
  if (number < 0 || static_cast<uint64_t>(number) >= instances.size()) {
    reject(table, row, "its op has no such instance", event::instance);
    return std::nullopt;
  }
  const Row found = instances[static_cast<std::size_t>(number)];
  if (found == kNoRow) {
    reject(table, row, "its op instance could not be used", event::instance);
    return std::nullopt;
  }
  return found;
}

void EventReader::note_times(const TableSpec& table, const Statement& row, const char* reason,
                             int start, int stop) {
  context_.quality.add(table.name, reason, row.integer(event::id), [&] {
    return std::string(table.columns[static_cast<std::size_t>(start)].name) + " is " +
           std::string(row.text(start)) + " ns, " +
           table.columns[static_cast<std::size_t>(stop)].name + " is " +
           std::string(row.text(stop)) + " ns";
  });
}

std::optional<base::Interval> EventReader::times(const TableSpec& table, const Statement& row,
                                                 int start, int stop) {
  const base::Interval interval{row.integer(start), row.integer(stop)};
  const char* problem = time_problem(interval.start_ns, interval.stop_ns);
  if (problem == nullptr) return interval;
  note_times(table, row, problem, start, stop);
  return std::nullopt;
}

bool EventReader::has_room(const TableSpec& table, const Statement& row, const ApiFields& api) {
  if (budget_.add_api(api.call)) return true;
  note_times(table, row, kTooMuchTime, event::api_start, event::api_stop);
  return false;
}

bool EventReader::has_room(const TableSpec& table, const Statement& row, const GpuFields& gpu) {
  if (budget_.add_gpu(gpu.instance, gpu.call, gpu.gpu)) return true;
  note_times(table, row, kTooMuchTime, event::gpu_start, event::gpu_stop);
  return false;
}

Row EventReader::thread(const Statement& row) {
  return context_.builder.intern_thread({row.integer(event::process), row.integer(event::thread)});
}

std::optional<ApiFields> EventReader::api_fields(const TableSpec& table, const Statement& row) {
  const std::optional<Row> owner = instance(table, row);
  if (!owner) return std::nullopt;
  const auto call = times(table, row, event::api_start, event::api_stop);
  if (!call) return std::nullopt;
  return ApiFields{*owner, *call};
}

std::optional<GpuFields> EventReader::gpu_fields(const TableSpec& table, const Statement& row) {
  const std::optional<ApiFields> api = api_fields(table, row);
  if (!api) return std::nullopt;
  const std::optional<Row> device = devices_.find(row.integer(event::device));
  if (!device) {
    reject(table, row, "its GPU is not in read_only_gpu_infos", event::device);
    return std::nullopt;
  }
  const auto gpu = times(table, row, event::gpu_start, event::gpu_stop);
  if (!gpu) return std::nullopt;
  return GpuFields{api->instance, *device, api->call, *gpu};
}

base::Status EventReader::read_kernels() {
  LaunchDims dims;
  if (base::Status status = dims.read(context_); !status) return status;
  return for_each_row(context_, kKernels, [&](const Statement& row) {
    const std::optional<GpuFields> fields = gpu_fields(kKernels, row);
    if (!fields || !has_room(kKernels, row, *fields)) return;
    const Row launch = context_.builder.intern_launch(
        {.grid = dims.find(context_, kKernels, row, event::kernel_grid),
         .block = dims.find(context_, kKernels, row, event::kernel_block),
         .device = fields->device,
         .thread = thread(row)});
    context_.builder.add_kernel({.instance = fields->instance,
                                 .name = context_.text(kKernels, row, event::name),
                                 .long_name = context_.text(kKernels, row, event::kernel_long_name),
                                 .uses_tensor_cores = row.integer(event::kernel_uses_tc) != 0,
                                 .api_start_ns = fields->call.start_ns,
                                 .api_stop_ns = fields->call.stop_ns,
                                 .gpu_start_ns = fields->gpu.start_ns,
                                 .gpu_stop_ns = fields->gpu.stop_ns,
                                 .launch = launch,
                                 .source_id = row.integer(event::id)});
  });
}

base::Status EventReader::read_memory_ops(const TableSpec& table, MemoryOpKind kind) {
  return for_each_row(context_, table, [&](const Statement& row) {
    const std::optional<GpuFields> fields = gpu_fields(table, row);
    if (!fields) return;
    const int64_t bytes = row.integer(event::memory_bytes);
    if (bytes < 0) return reject(table, row, "its size is negative", event::memory_bytes);
    const int64_t copy_kind = kind == MemoryOpKind::memcpy ? row.integer(event::memcpy_kind) : 0;
    if (!fits<int8_t>(copy_kind)) {
      return reject(table, row, "its kind of copy has no meaning", event::memcpy_kind);
    }
    if (!has_room(table, row, *fields)) return;
    context_.builder.add_memory_op({.instance = fields->instance,
                                    .kind = kind,
                                    .name = context_.text(table, row, event::name),
                                    .copy_kind = static_cast<int8_t>(copy_kind),
                                    .bytes = bytes,
                                    .api_start_ns = fields->call.start_ns,
                                    .api_stop_ns = fields->call.stop_ns,
                                    .gpu_start_ns = fields->gpu.start_ns,
                                    .gpu_stop_ns = fields->gpu.stop_ns,
                                    .device = fields->device,
                                    .thread = thread(row),
                                    .source_id = row.integer(event::id)});
  });
}

base::Status EventReader::read_syncs() {
  return for_each_row(context_, kSyncs, [&](const Statement& row) {
    const std::optional<ApiFields> fields = api_fields(kSyncs, row);
    if (!fields) return;
    const int64_t type = row.integer(event::sync_type);
    if (!fits<int32_t>(type)) {
      return reject(kSyncs, row, "its kind of synchronisation has no meaning", event::sync_type);
    }
    if (!has_room(kSyncs, row, *fields)) return;
    context_.builder.add_sync({.instance = fields->instance,
                               .name = context_.text(kSyncs, row, event::name),
                               .api_start_ns = fields->call.start_ns,
                               .api_stop_ns = fields->call.stop_ns,
                               .sync_type = static_cast<int32_t>(type),
                               .event_id = row.integer(event::sync_event),
                               .device_id = row.integer(event::sync_device),
                               .thread = thread(row),
                               .source_id = row.integer(event::id)});
  });
}

base::Status EventReader::read_api_calls() {
  return for_each_row(context_, kApiCalls, [&](const Statement& row) {
    const std::optional<ApiFields> fields = api_fields(kApiCalls, row);
    if (!fields || !has_room(kApiCalls, row, *fields)) return;
    context_.builder.add_api_call({.instance = fields->instance,
                                   .name = context_.text(kApiCalls, row, event::name),
                                   .api_start_ns = fields->call.start_ns,
                                   .api_stop_ns = fields->call.stop_ns,
                                   .thread = thread(row),
                                   .source_id = row.integer(event::id)});
  });
}

}  // namespace

base::Status read_events(Context& context, const OpIndex& ops, const DeviceRows& devices,
                         TimeBudget& budget) {
  EventReader reader(context, ops, devices, budget);
  if (base::Status status = reader.read_kernels(); !status) return status;
  for (const auto& [table, kind] :
       {std::pair(&kMemcpys, MemoryOpKind::memcpy), std::pair(&kMemsets, MemoryOpKind::memset)}) {
    if (base::Status status = reader.read_memory_ops(*table, kind); !status) return status;
  }
  if (base::Status status = reader.read_syncs(); !status) return status;
  return reader.read_api_calls();
}

}  // namespace dlview::import::dlprof
