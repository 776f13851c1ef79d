#include "import/dlprof/events.h"

#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "base/untouched_vector.h"
#include "import/dlprof/event_parts.h"
#include "import/dlprof/event_tables.h"
#include "import/dlprof/launch_dims.h"
#include "import/dlprof/row_check.h"

namespace dlview::import::dlprof {
namespace {

using profile::MemoryOpKind;
using profile::Row;
using profile::Thread;
using sqlite::TableRows;

template <typename Small>
bool fits(int64_t value) {
  return value >= std::numeric_limits<Small>::min() && value <= std::numeric_limits<Small>::max();
}

Thread thread_of(const TableRows& row) {
  return {row.integer(event::process), row.integer(event::thread)};
}

// Reads rows of the event tables into the builder; what cannot be used goes to the quality log.
class EventReader {
 public:
  EventReader(Context& context, const OpLookup& ops, const DeviceRows& devices, TimeBudget& budget)
      : context_(context), ops_(ops), devices_(devices), budget_(budget) {}

  base::Status read_kernels();
  base::Status read_memory_ops(const TableSpec& table, MemoryOpKind kind);
  base::Status read_syncs();
  base::Status read_api_calls();

 private:
  // Reads a table: `read(row, check, parts, range)` is called on all cores. What has come together
  // goes to `use`, without rows whose time is too much, and with rows of the builder.
  template <typename RowType, typename Key, typename Read, typename Use>
  base::Status read_table(const TableSpec& table, Row RowType::*reference, const Read& read,
                          const Use& use);
  template <typename RowType>
  bool has_room(const TableSpec& table, const RowType& row);
  template <typename RowType, typename Key>
  bool has_room_for_all(const EventParts<RowType, Key>& parts);
  template <typename RowType>
  GpuTime gpu_time(const RowType& row) const {
    return {row.instance,
            context_.builder.instance_start_ns(row.instance),
            {row.api_start_ns, row.api_stop_ns},
            {row.gpu_start_ns, row.gpu_stop_ns}};
  }
  Row row_of(const Thread& thread) { return context_.builder.intern_thread(thread); }
  Row row_of(const LaunchKey& launch) {
    return context_.builder.intern_launch(
        {launch.grid, launch.block, launch.device, row_of(launch.thread)});
  }

  Context& context_;
  const OpLookup& ops_;
  const DeviceRows& devices_;
  TimeBudget& budget_;
};

template <typename RowType>
bool EventReader::has_room(const TableSpec& table, const RowType& row) {
  const base::Interval call{row.api_start_ns, row.api_stop_ns};
  if constexpr (requires { row.gpu_start_ns; }) {
    const base::Interval gpu{row.gpu_start_ns, row.gpu_stop_ns};
    if (budget_.add_gpu(gpu_time(row))) return true;
    note_times(table, row.source_id, kTooMuchTime, gpu, event::gpu_start, event::gpu_stop,
               context_.quality);
  } else {
    if (budget_.add_api(call)) return true;
    note_times(table, row.source_id, kTooMuchTime, call, event::api_start, event::api_stop,
               context_.quality);
  }
  return false;
}

template <typename RowType, typename Key>
bool EventReader::has_room_for_all(const EventParts<RowType, Key>& parts) {
  return budget_.add_all(parts.template sum<TimeSums>([&](TimeSums& sums, const RowType& row) {
    if constexpr (requires { row.gpu_start_ns; }) {
      sums.add_gpu(gpu_time(row));
    } else {
      sums.add_api({row.api_start_ns, row.api_stop_ns});
    }
  }));
}

template <typename RowType, typename Key, typename Read, typename Use>
base::Status EventReader::read_table(const TableSpec& table, Row RowType::*reference,
                                     const Read& read, const Use& use) {
  base::Result<RangedTable> ranged = begin_ranges(context_, table);
  if (!ranged) return std::move(ranged).error();
  EventParts<RowType, Key> parts(ranged->cut.ranges);
  const base::Status status =
      read_ranges(context_, *ranged, [&](const TableRows& row, std::size_t range) {
        const RowCheck check(table, ops_, devices_, ranged->notes[range]);
        read(row, check, parts, range);
      });
  if (!status) return status;
  const auto intern = [this](const Key& key) { return row_of(key); };
  if (has_room_for_all(parts)) {
    parts.settle_all(reference, intern);
  } else {
    if (budget_.needs_spans()) budget_.set_spans(context_.builder.gpu_spans());
    parts.settle(
        reference, [&](const RowType& row) { return has_room(table, row); }, intern);
  }
  use(parts);
  return status;
}

base::Status EventReader::read_kernels() {
  LaunchDims dims;
  DLVIEW_TRY(dims.read(context_));
  using Parts = EventParts<profile::KernelRow, LaunchKey>;
  const auto read = [&](const TableRows& row, const RowCheck& check, Parts& parts,
                        std::size_t range) {
    const std::optional<GpuFields> fields = check.gpu_fields(row);
    if (!fields) return;
    const LaunchKey launch{dims.find(kKernels, row, event::kernel_grid, check.notes()),
                           dims.find(kKernels, row, event::kernel_block, check.notes()),
                           fields->device, thread_of(row)};
    parts.add(range,
              {.instance = fields->instance,
               .name = context_.text(kKernels, row, event::name, check.notes()),
               .long_name = context_.text(kKernels, row, event::kernel_long_name, check.notes()),
               .uses_tensor_cores = row.integer(event::kernel_uses_tc) != 0,
               .api_start_ns = fields->call.start_ns,
               .api_stop_ns = fields->call.stop_ns,
               .gpu_start_ns = fields->gpu.start_ns,
               .gpu_stop_ns = fields->gpu.stop_ns,
               .launch = parts.number(range, launch),
               .source_id = row.integer(event::id)});
  };
  const auto use = [&](const Parts& parts) {
    base::UntouchedVector<Row> instance_of(parts.size());
    parts.for_each_at_once(
        [&](std::size_t i, const profile::KernelRow& row) { instance_of[i] = row.instance; });
    context_.builder.add_kernels(instance_of, [&](std::size_t i) { return parts[i]; });
  };
  return read_table<profile::KernelRow, LaunchKey>(kKernels, &profile::KernelRow::launch, read,
                                                   use);
}

base::Status EventReader::read_memory_ops(const TableSpec& table, MemoryOpKind kind) {
  using Parts = EventParts<profile::MemoryOpRow, Thread>;
  const auto read = [&](const TableRows& row, const RowCheck& check, Parts& parts,
                        std::size_t range) {
    const std::optional<GpuFields> fields = check.gpu_fields(row);
    if (!fields) return;
    const int64_t bytes = row.integer(event::memory_bytes);
    if (bytes < 0) return check.reject(row, "its size is negative", event::memory_bytes);
    const int64_t copy_kind = kind == MemoryOpKind::memcpy ? row.integer(event::memcpy_kind) : 0;
    if (!fits<int8_t>(copy_kind)) {
      return check.reject(row, "unknown copy kind", event::memcpy_kind);
    }
    parts.add(range, {.instance = fields->instance,
                      .kind = kind,
                      .name = context_.text(table, row, event::name, check.notes()),
                      .copy_kind = static_cast<profile::CopyKind>(copy_kind),
                      .bytes = bytes,
                      .api_start_ns = fields->call.start_ns,
                      .api_stop_ns = fields->call.stop_ns,
                      .gpu_start_ns = fields->gpu.start_ns,
                      .gpu_stop_ns = fields->gpu.stop_ns,
                      .device = fields->device,
                      .thread = parts.number(range, thread_of(row)),
                      .source_id = row.integer(event::id)});
  };
  return read_table<profile::MemoryOpRow, Thread>(
      table, &profile::MemoryOpRow::thread, read, [&](const Parts& parts) {
        parts.for_each([&](const auto& row) { context_.builder.add_memory_op(row); });
      });
}

base::Status EventReader::read_syncs() {
  using Parts = EventParts<profile::SyncRow, Thread>;
  const auto read = [&](const TableRows& row, const RowCheck& check, Parts& parts,
                        std::size_t range) {
    const std::optional<ApiFields> fields = check.api_fields(row);
    if (!fields) return;
    const int64_t type = row.integer(event::sync_type);
    if (!fits<int32_t>(type)) {
      return check.reject(row, "unknown synchronization kind", event::sync_type);
    }
    parts.add(range, {.instance = fields->instance,
                      .name = context_.text(kSyncs, row, event::name, check.notes()),
                      .api_start_ns = fields->call.start_ns,
                      .api_stop_ns = fields->call.stop_ns,
                      .sync_type = static_cast<int32_t>(type),
                      .event_id = row.integer(event::sync_event),
                      .device_id = row.integer(event::sync_device),
                      .thread = parts.number(range, thread_of(row)),
                      .source_id = row.integer(event::id)});
  };
  return read_table<profile::SyncRow, Thread>(
      kSyncs, &profile::SyncRow::thread, read, [&](const Parts& parts) {
        parts.for_each([&](const auto& row) { context_.builder.add_sync(row); });
      });
}

base::Status EventReader::read_api_calls() {
  using Parts = EventParts<profile::ApiCallRow, Thread>;
  const auto read = [&](const TableRows& row, const RowCheck& check, Parts& parts,
                        std::size_t range) {
    const std::optional<ApiFields> fields = check.api_fields(row);
    if (!fields) return;
    parts.add(range, {.instance = fields->instance,
                      .name = context_.text(kApiCalls, row, event::name, check.notes()),
                      .api_start_ns = fields->call.start_ns,
                      .api_stop_ns = fields->call.stop_ns,
                      .thread = parts.number(range, thread_of(row)),
                      .source_id = row.integer(event::id)});
  };
  return read_table<profile::ApiCallRow, Thread>(
      kApiCalls, &profile::ApiCallRow::thread, read, [&](const Parts& parts) {
        parts.for_each([&](const auto& row) { context_.builder.add_api_call(row); });
      });
}

}  // namespace

base::Status read_events(Context& context, const OpLookup& ops, const DeviceRows& devices,
                         TimeBudget& budget) {
  EventReader reader(context, ops, devices, budget);
  DLVIEW_TRY(reader.read_kernels());
  for (const auto& [table, kind] :
       {std::pair(&kMemcpys, MemoryOpKind::memcpy), std::pair(&kMemsets, MemoryOpKind::memset)}) {
    if (base::Status status = reader.read_memory_ops(*table, kind); !status) return status;
  }
  DLVIEW_TRY(reader.read_syncs());
  return reader.read_api_calls();
}

}  // namespace dlview::import::dlprof
