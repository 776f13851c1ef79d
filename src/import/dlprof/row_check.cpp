#include "import/dlprof/row_check.h"

#include <span>
#include <string>

#include "import/dlprof/event_tables.h"
#include "import/times.h"

namespace dlview::import::dlprof {

using profile::kNoRow;
using profile::Row;
using sqlite::TableRows;

void note_times(const TableSpec& table, int64_t id, std::string_view reason,
                base::Interval interval, int start, int stop, QualityLog& notes) {
  notes.add(table.name, reason, id, [&] {
    return std::string(table.columns[static_cast<std::size_t>(start)].name) + " is " +
           std::to_string(interval.start_ns) + " ns, " +
           table.columns[static_cast<std::size_t>(stop)].name + " is " +
           std::to_string(interval.stop_ns) + " ns";
  });
}

void RowCheck::reject(const TableRows& row, std::string_view reason, int column) const {
  notes_.add(table_.name, reason, row.integer(event::id), [&] {
    return std::string(table_.columns[static_cast<std::size_t>(column)].name) + " is " +
           std::string(row.text(column));
  });
}

std::optional<Row> RowCheck::instance(const TableRows& row) const {
  const std::optional<Row> op = ops_.op(row.integer(event::op));
  if (!op) {
    reject(row, "its op does not exist", event::op);
    return std::nullopt;
  }
  const int64_t number = row.integer(event::instance);
  const std::span<const Row> instances = ops_.instances(*op);
  if (number < 0 || static_cast<uint64_t>(number) >= instances.size()) {
    reject(row, "its op has no such instance", event::instance);
    return std::nullopt;
  }
  const Row found = instances[static_cast<std::size_t>(number)];
  if (found == kNoRow) {
    reject(row, "its op instance could not be used", event::instance);
    return std::nullopt;
  }
  return found;
}

std::optional<base::Interval> RowCheck::times(const TableRows& row, int start, int stop) const {
  const base::Interval interval{row.integer(start), row.integer(stop)};
  const char* problem = time_problem(interval.start_ns, interval.stop_ns);
  if (problem == nullptr) return interval;
  note_times(table_, row.integer(event::id), problem, interval, start, stop, notes_);
  return std::nullopt;
}

std::optional<ApiFields> RowCheck::api_fields(const TableRows& row) const {
  const std::optional<Row> owner = instance(row);
  if (!owner) return std::nullopt;
  const auto call = times(row, event::api_start, event::api_stop);
  if (!call) return std::nullopt;
  return ApiFields{*owner, *call};
}

std::optional<GpuFields> RowCheck::gpu_fields(const TableRows& row) const {
  const std::optional<ApiFields> api = api_fields(row);
  if (!api) return std::nullopt;
  const std::optional<Row> device = devices_.find(row.integer(event::device));
  if (!device) {
    reject(row, "its GPU is not in read_only_gpu_infos", event::device);
    return std::nullopt;
  }
  const auto gpu = times(row, event::gpu_start, event::gpu_stop);
  if (!gpu) return std::nullopt;
  return GpuFields{api->instance, *device, api->call, *gpu};
}

}  // namespace dlview::import::dlprof
