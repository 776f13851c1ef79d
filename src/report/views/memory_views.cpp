#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "aggregate/memory_use.h"
#include "base/saturated_sum.h"
#include "profile/nesting.h"
#include "report/views/declarations.h"

namespace dlview::report::view {
namespace {

using aggregate::MemoryCurve;
using aggregate::MemoryDevice;
using aggregate::MemoryPeak;
using aggregate::OpMemory;
using profile::AllocationIndex;
using profile::InstanceIndex;
using profile::kNoRow;
using profile::kNoValue;
using profile::OpIndex;
using profile::Profile;

// What holds memory without an op.
constexpr std::string_view kOutsideOps = "Outside of ops";
constexpr std::string_view kBefore = "Allocated before the capture";
constexpr std::string_view kUnknown = "Unknown (addresses not recorded)";

std::string_view op_text_or(const Profile& profile, OpIndex op, std::string_view otherwise) {
  return op == kNoRow ? otherwise : profile.text(profile.ops.name[op]);
}

// "/Net/Linear_3" of "/Net/Linear_3/aten::addmm"; empty = in none.
std::string_view module_of(const Profile& profile, OpIndex op) {
  if (op == kNoRow) return {};
  const std::string_view path = profile.text(profile.ops.name[op]);
  const std::size_t length = profile::last_name(profile, path).size();
  return length < path.size() ? path.substr(0, path.size() - length - 1) : std::string_view();
}

// One row of memory_peak or memory_peak_groups.
struct Holder {
  const MemoryPeak* peak = nullptr;
  OpIndex op;             // of memory_peak; kNoRow = `name` tells what it is
  std::string_view name;  // op, module or one of the texts above
  int64_t blocks = 0, bytes = 0;
};

// Most bytes first, by device; the last ones are no ops.
struct Holders {
  std::vector<MemoryPeak> peaks;
  std::vector<Holder> rows;
};

template <typename KeyOf>
std::shared_ptr<const Holders> holders(const Input& input, const KeyOf& holder_of) {
  const Profile& profile = input.profile;
  const auto all = std::make_shared<Holders>();
  all->peaks = aggregate::memory_peaks(profile, input.aggregation);
  const std::vector<InstanceIndex> instances = aggregate::instances_of_allocations(profile);
  for (const MemoryPeak& peak : all->peaks) {
    std::map<std::string_view, std::size_t> places;  // by name: ops have one each
    const auto first = static_cast<std::ptrdiff_t>(all->rows.size());
    for (const AllocationIndex event : peak.alive) {
      const InstanceIndex instance = instances[event];
      Holder holder = holder_of(instance == kNoRow ? OpIndex() : profile.instances.op[instance]);
      const auto [place, is_new] = places.try_emplace(holder.name, all->rows.size());
      if (is_new) {
        holder.peak = &peak;
        all->rows.push_back(holder);
      }
      ++all->rows[place->second].blocks;
      all->rows[place->second].bytes += profile.trace->allocations.bytes[event];
    }
    std::stable_sort(all->rows.begin() + first, all->rows.end(),
                     [](const Holder& a, const Holder& b) { return a.bytes > b.bytes; });
    const int64_t rest = peak.before_bytes.value_or(peak.peak.use.allocated);
    if (rest <= 0) continue;
    all->rows.push_back({&peak, OpIndex(), peak.before_bytes ? kBefore : kUnknown, 0, rest});
  }
  return all;
}

std::string key_of(const MemoryDevice& device, std::string_view name) {
  return fmt::format("{} {}", to_text(device), name);
}

// The columns that both tables of the peak have, after those of the holder.
void append_holder_columns(Table& table, const std::shared_ptr<const Holders>& all) {
  table.row_count = all->rows.size();
  const auto add = [&](ColumnId id, auto value) {
    table.columns.push_back(
        column(id, [all, value](std::size_t i) -> Cell { return value(all->rows[i]); }));
  };
  add("blocks", [](const Holder& row) { return row.blocks > 0 ? Cell(row.blocks) : Cell(); });
  add("held_bytes", [](const Holder& row) { return row.bytes; });
  add("held_share", [](const Holder& row) {
    return 100 * static_cast<double>(row.bytes) /
           static_cast<double>(std::max<int64_t>(row.peak->peak.use.allocated, 1));
  });
  add("peak_time", [](const Holder& row) { return row.peak->peak.time_ns; });
  add("memory_key", [](const Holder& row) { return key_of(row.peak->device, row.name); });
}

Column holder_device_column(const std::shared_ptr<const Holders>& all) {
  return column("memory_device",
                [all](std::size_t i) { return to_text(all->rows[i].peak->device); });
}

struct DeviceRow {
  MemoryDevice device;
  MemoryCurve::Peak peak;
  bool has_reserved = false;
  int64_t reserved = 0;
  OpMemory sums;  // of all ops
};

}  // namespace

Table memory_devices(const Input& input) {
  const auto rows = std::make_shared<std::vector<DeviceRow>>();
  const base::Interval time = aggregate::memory_time(input.aggregation);
  const std::vector<OpMemory> ops = aggregate::op_memory(input.profile, input.aggregation);
  for (const MemoryCurve& curve : aggregate::memory_curves(input.profile)) {
    DeviceRow row{
        curve.device(), curve.peak(time), curve.has_reserved(), curve.most(time).reserved, {}};
    for (const OpMemory& op : ops) {
      if (op.device != row.device) continue;
      row.sums.allocations += op.allocations;
      row.sums.allocated_bytes = base::saturated_sum(row.sums.allocated_bytes, op.allocated_bytes);
      row.sums.frees += op.frees;
      row.sums.freed_bytes = base::saturated_sum(row.sums.freed_bytes, op.freed_bytes);
      row.sums.largest_bytes = std::max(row.sums.largest_bytes, op.largest_bytes);
    }
    rows->push_back(row);
  }
  Table table;
  const auto add = column_adder(table, rows);
  add("memory_device", [](const DeviceRow& row) { return to_text(row.device); });
  add("peak_allocated", [](const DeviceRow& row) { return row.peak.use.allocated; });
  add("peak_reserved", [](const DeviceRow& row) {
    return row.has_reserved && !row.device.is_cpu() ? Cell(row.reserved) : Cell();
  });
  add("peak_time", [](const DeviceRow& row) { return row.peak.time_ns; });
  add("allocations", [](const DeviceRow& row) { return row.sums.allocations; });
  add("allocated_bytes", [](const DeviceRow& row) { return row.sums.allocated_bytes; });
  add("frees", [](const DeviceRow& row) { return row.sums.frees; });
  add("freed_bytes", [](const DeviceRow& row) { return row.sums.freed_bytes; });
  add("largest_bytes", [](const DeviceRow& row) { return row.sums.largest_bytes; });
  return table;
}

Table memory_ops(const Input& input) {
  const Profile& profile = input.profile;
  const auto rows = std::make_shared<const std::vector<OpMemory>>(
      aggregate::op_memory(profile, input.aggregation));
  Table table;
  const auto add = column_adder(table, rows);
  add("op_node_name",
      [&profile](const OpMemory& row) { return op_text_or(profile, row.op, kOutsideOps); });
  add("memory_device", [](const OpMemory& row) { return to_text(row.device); });
  add("allocations", [](const OpMemory& row) { return row.allocations; });
  add("allocated_bytes", [](const OpMemory& row) { return row.allocated_bytes; });
  add("frees", [](const OpMemory& row) { return row.frees; });
  add("freed_bytes", [](const OpMemory& row) { return row.freed_bytes; });
  add("net_bytes", [](const OpMemory& row) { return row.allocated_bytes - row.freed_bytes; });
  add("largest_bytes", [](const OpMemory& row) { return row.largest_bytes; });
  const auto id_of = [&profile](OpIndex op) {
    return op == kNoRow ? std::string_view() : profile.text(profile.ops.id[op]);
  };
  add("op_node_id", [id_of](const OpMemory& row) { return id_of(row.op); });
  add("memory_key", [id_of](const OpMemory& row) { return key_of(row.device, id_of(row.op)); });
  return table;
}

Table memory_events(const Input& input) {
  const Profile& profile = input.profile;
  struct Events {
    std::vector<InstanceIndex> instances;
    std::vector<AllocationIndex> ends, rows;
  };
  const auto events = std::make_shared<Events>();
  events->instances = aggregate::instances_of_allocations(profile);
  events->ends = aggregate::ends_of_blocks(profile);
  events->rows = aggregate::memory_events(profile, input.aggregation, events->instances);
  Table table;
  table.row_count = events->rows.size();
  const auto add = [&](ColumnId id, auto value) {
    table.columns.push_back(column(id, [events, value, &profile](std::size_t i) -> Cell {
      return value(profile.trace->allocations, events->rows[i]);
    }));
  };
  using Rows = profile::TraceAllocations;
  const auto number_or_none = [](int64_t number) {
    return number == kNoValue ? Cell() : Cell(number);
  };
  add("memory_events.time", [](const Rows& all, AllocationIndex row) { return all.time_ns[row]; });
  add("memory_device", [](const Rows& all, AllocationIndex row) {
    return to_text(MemoryDevice{all.device_type[row], all.device[row]});
  });
  add("bytes", [](const Rows& all, AllocationIndex row) { return all.bytes[row]; });
  add("total_allocated", [number_or_none](const Rows& all, AllocationIndex row) {
    return number_or_none(all.total_allocated[row]);
  });
  add("total_reserved", [number_or_none](const Rows& all, AllocationIndex row) {
    return all.device_type[row] == 0 ? Cell() : number_or_none(all.total_reserved[row]);
  });
  add("lifetime", [events](const Rows& all, AllocationIndex row) {
    const AllocationIndex end = events->ends[row];
    const bool has_end = all.bytes[row] > 0 && end != kNoRow;
    return has_end ? Cell(all.time_ns[end] - all.time_ns[row]) : Cell();
  });
  const auto op_of = [&profile, events](AllocationIndex row) {
    const InstanceIndex instance = events->instances[row];
    return instance == kNoRow ? OpIndex() : profile.instances.op[instance];
  };
  add("op_node_name", [&profile, op_of](const Rows&, AllocationIndex row) {
    return op_text_or(profile, op_of(row), kOutsideOps);
  });
  add("op_node_id", [&profile, op_of](const Rows&, AllocationIndex row) {
    const OpIndex op = op_of(row);
    return op == kNoRow ? std::string_view() : profile.text(profile.ops.id[op]);
  });
  add("address", [](const Rows& all, AllocationIndex row) {
    return all.address[row] == kNoValue ? Cell() : Cell(fmt::format("{:#x}", all.address[row]));
  });
  add("process_id", [&profile](const Rows& all, AllocationIndex row) {
    return profile.trace->numbers_of(all.thread[row]).process_id;
  });
  add("thread_id", [&profile](const Rows& all, AllocationIndex row) {
    return profile.trace->numbers_of(all.thread[row]).thread_id;
  });
  // Its row in the trace.
  add("memory_key",
      [](const Rows&, AllocationIndex row) { return fmt::format("{}", profile::Row{row}); });
  return table;
}

Table memory_peak(const Input& input) {
  const Profile& profile = input.profile;
  const auto all = holders(input, [&profile](OpIndex op) {
    return Holder{nullptr, op, op_text_or(profile, op, kOutsideOps), 0, 0};
  });
  Table table;
  table.columns.push_back(
      column("op_node_name", [all](std::size_t i) -> Cell { return all->rows[i].name; }));
  table.columns.push_back(holder_device_column(all));
  append_holder_columns(table, all);
  table.columns.push_back(column("op_node_id", [&profile, all](std::size_t i) -> Cell {
    const OpIndex op = all->rows[i].op;
    return op == kNoRow ? std::string_view() : profile.text(profile.ops.id[op]);
  }));
  return table;
}

Table memory_peak_groups(const Input& input) {
  const Profile& profile = input.profile;
  const auto all = holders(input, [&profile](OpIndex op) {
    const std::string_view module = module_of(profile, op);
    return Holder{nullptr, OpIndex(),
                  op == kNoRow     ? kOutsideOps
                  : module.empty() ? std::string_view("/")
                                   : module,
                  0, 0};
  });
  Table table;
  table.columns.push_back(column("memory_peak_groups.module_path",
                                 [all](std::size_t i) -> Cell { return all->rows[i].name; }));
  table.columns.push_back(holder_device_column(all));
  append_holder_columns(table, all);
  return table;
}

}  // namespace dlview::report::view
