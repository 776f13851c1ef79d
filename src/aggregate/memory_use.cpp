#include "aggregate/memory_use.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <map>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "aggregate/host_events.h"  // kEventsBetweenStops
#include "aggregate/range_paths.h"
#include "aggregate/row_filter.h"
#include "base/saturated_sum.h"
#include "base/stop_point.h"
#include "profile/cuda_devices.h"

namespace dlview::aggregate {
namespace {

using profile::AllocationIndex;
using profile::InstanceIndex;
using profile::kNoRow;
using profile::kNoValue;
using profile::OpIndex;
using profile::Profile;
using profile::Row;
using profile::ThreadId;
using profile::TraceAllocations;

MemoryDevice device_of(const TraceAllocations& table, std::size_t row) {
  return {table.device_type[row], table.device[row]};
}

// Numbers of a damaged file may be anything.
int64_t negated(int64_t value) {
  return value == INT64_MIN ? INT64_MAX : -value;
}

// The instances of each thread by start, and which of them is open at a time.
class InstancesByThread {
 public:
  explicit InstancesByThread(const Profile& profile) : profile_(profile) {
    for (std::size_t row = 0; row < profile.instances.size(); ++row) {
      if (row % kEventsBetweenStops == 0) base::stop_point();
      const auto instance = InstanceIndex(static_cast<Row>(row));
      if (profile.is_unassociated(profile.instances.op[instance])) continue;
      const profile::Thread& thread = profile.threads[profile.instances.thread[instance]];
      threads_[key_of(thread)].rows.push_back(instance);
    }
    for (auto& entry : threads_) {
      auto& of_thread = entry.second;
      // The latest start first, so that a search for one that ends late enough goes back in time.
      std::ranges::reverse(of_thread.rows);
      of_thread.stops = base::MaxTree(of_thread.rows.size(), [&](std::size_t place) {
        return profile_.instances.cpu_stop_ns[of_thread.rows[place]];
      });
    }
  }

  InstanceIndex open_at(const profile::Thread& thread, int64_t time_ns) const {
    const auto found = threads_.find(key_of(thread));
    if (found == threads_.end()) return {};
    const std::vector<InstanceIndex>& rows = found->second.rows;
    const auto begun = std::ranges::partition_point(rows, [&](InstanceIndex instance) {
      return profile_.instances.cpu_start_ns[instance] > time_ns;
    });
    const std::size_t place = found->second.stops.first_above(
        static_cast<std::size_t>(begun - rows.begin()), rows.size(), time_ns - 1,
        [&](std::size_t each) { return profile_.instances.cpu_stop_ns[rows[each]]; });
    return place == rows.size() ? InstanceIndex() : rows[place];
  }

 private:
  struct Instances {
    std::vector<InstanceIndex> rows;
    base::MaxTree stops;
  };

  const Profile& profile_;
  std::map<ThreadKey, Instances> threads_;
};

}  // namespace

std::string_view to_text(profile::MemoryKind kind) {
  using enum profile::MemoryKind;
  switch (kind) {
    case pageable:
      return "Pageable";
    case pinned:
      return "Pinned";
    case device:
      return "Device";
    case array:
      return "Array";
    case managed:
      return "Managed";
    case device_static:
      return "Device static";
    case managed_static:
      return "Managed static";
    case not_recorded:
      return "";
    case unknown:
      break;
  }
  return "Unknown";
}

std::string to_text(const MemoryDevice& device) {
  if (device.kind != profile::MemoryKind::not_recorded &&
      device.kind != profile::MemoryKind::device) {
    std::string kind(to_text(device.kind));
    kind.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(kind.front())));
    return fmt::format("{} {}", to_text(MemoryDevice{device.type, device.number}), kind);
  }
  switch (device.type) {
    case 0:
      return "CPU";
    case 1:  // CUDA
    case 6:  // HIP
      return fmt::format("cuda:{}", device.number);
    case 12:
      return fmt::format("xpu:{}", device.number);
    case 19:
      return fmt::format("mtia:{}", device.number);
    default:
      return fmt::format("device {} of type {}", device.number, device.type);
  }
}

MemoryCurve::MemoryCurve(const TraceAllocations& table, MemoryDevice device,
                         std::vector<Row> events)
    : device_(device), events_(std::move(events)) {
  const std::size_t count = events_.size();
  has_totals_ = std::ranges::all_of(
      events_, [&table](Row row) { return table.total_allocated[row] != kNoValue; });
  has_reserved_ = has_totals_ && std::ranges::any_of(events_, [&table](Row row) {
                    return table.total_reserved[row] != kNoValue;
                  });
  times_.reserve(count);
  allocated_.reserve(count + 1);
  reserved_.reserve(count + 1);
  allocated_.push_back(0);
  reserved_.push_back(0);
  if (has_totals_ && count > 0) {
    const Row first = events_.front();
    allocated_[0] = base::saturated_sum(table.total_allocated[first], negated(table.bytes[first]));
    reserved_[0] = std::max<int64_t>(table.total_reserved[first], 0);
  }
  for (const Row row : events_) {
    if (times_.size() % kEventsBetweenStops == 0) base::stop_point();
    times_.push_back(table.time_ns[row]);
    allocated_.push_back(has_totals_ ? table.total_allocated[row]
                                     : base::saturated_sum(allocated_.back(), table.bytes[row]));
    const int64_t reserved = table.total_reserved[row];
    reserved_.push_back(reserved == kNoValue ? reserved_.back() : reserved);
  }
  index();
}

MemoryCurve::MemoryCurve(MemoryDevice device, std::vector<int64_t> times_ns,
                         const std::vector<int64_t>& in_use_bytes)
    : device_(device), times_(std::move(times_ns)), allocated_{0} {
  allocated_.insert(allocated_.end(), in_use_bytes.begin(), in_use_bytes.end());
  reserved_.resize(allocated_.size());
  index();
}

void MemoryCurve::index() {
  most_allocated_ =
      base::MaxTree(allocated_.size(), [this](std::size_t i) { return allocated_[i]; });
  most_reserved_ = base::MaxTree(reserved_.size(), [this](std::size_t i) { return reserved_[i]; });
}

std::size_t MemoryCurve::events_until(int64_t time_ns) const {
  return static_cast<std::size_t>(std::ranges::upper_bound(times_, time_ns) - times_.begin());
}

MemoryCurve::Use MemoryCurve::after(std::size_t events) const {
  return {allocated_[events], reserved_[events]};
}

MemoryCurve::Use MemoryCurve::at(int64_t time_ns) const {
  return after(events_until(time_ns));
}

MemoryCurve::Use MemoryCurve::most(const base::Interval& time) const {
  const std::size_t first = events_until(time.start_ns);
  const std::size_t end = std::max(events_until(time.stop_ns), first) + 1;
  return {
      most_allocated_.greatest(first, end, [this](std::size_t i) { return allocated_[i]; }).value,
      most_reserved_.greatest(first, end, [this](std::size_t i) { return reserved_[i]; }).value};
}

MemoryCurve::Peak MemoryCurve::peak(const base::Interval& time) const {
  const std::size_t first = events_until(time.start_ns);
  const std::size_t end = std::max(events_until(time.stop_ns), first) + 1;
  const std::size_t event =
      most_allocated_.greatest(first, end, [this](std::size_t i) { return allocated_[i]; }).place;
  return {event == first ? time.start_ns : times_[event - 1], event, after(event)};
}

namespace {

bool cpu_last(const MemoryDevice& a, const MemoryDevice& b) {
  return std::pair(a.is_cpu(), a) < std::pair(b.is_cpu(), b);
}

std::vector<MemoryCurve> curves_of_usage(const Profile& profile) {
  struct Steps {
    std::vector<int64_t> times_ns, in_use_bytes;
  };
  std::map<MemoryDevice, Steps, decltype(&cpu_last)> devices(&cpu_last);
  for (const MemoryUse& use : memory_uses(profile)) {
    Steps& steps = devices[use.device];
    steps.times_ns.push_back(profile.trace->memory_usage.time_ns[use.row]);
    steps.in_use_bytes.push_back(use.in_use_bytes);
  }
  std::vector<MemoryCurve> curves;
  for (auto& [device, steps] : devices) {
    curves.emplace_back(device, std::move(steps.times_ns), steps.in_use_bytes);
  }
  return curves;
}

// The device that a process means; its own number where no GPU of the profile is that.
MemoryDevice device_of_usage(const Profile& profile, Row row) {
  const profile::TraceMemoryUsage& table = profile.trace->memory_usage;
  const auto kind =
      table.memory_kind.empty() ? profile::MemoryKind::not_recorded : table.memory_kind[row];
  const int64_t number = table.device_id.empty() ? 0 : table.device_id[row];
  const bool is_host = kind == profile::MemoryKind::pageable || kind == profile::MemoryKind::pinned;
  if (is_host) return {0, -1, kind};
  const ThreadId process = table.process.empty() ? kNoValue : table.process[row];
  constexpr int64_t kCuda = 1;
  if (const auto gpu = profile::recorded_gpu(*profile.trace, process, number)) {
    const auto device = std::ranges::find(profile.devices, *gpu, &profile::Device::source_id);
    if (device != profile.devices.end()) return {kCuda, device->device_id, kind};
  }
  return {kCuda, number, kind};
}

}  // namespace

bool has_memory_usage(const Profile& profile) {
  return profile.trace && profile.trace->memory_usage.size() > 0;
}

std::vector<MemoryUse> memory_uses(const Profile& profile) {
  if (!has_memory_usage(profile)) return {};
  using profile::MemoryOperation;
  const profile::TraceMemoryUsage& table = profile.trace->memory_usage;
  std::vector<MemoryUse> uses(table.size());
  for (Row row = 0; row < uses.size(); ++row) uses[row].row = row;
  std::ranges::stable_sort(uses, {},
                           [&table](const MemoryUse& use) { return table.time_ns[use.row]; });
  std::map<MemoryDevice, int64_t> in_use;
  // Addresses are those of a process.
  std::map<std::pair<ThreadId, int64_t>, std::pair<MemoryDevice, int64_t>> blocks;
  std::size_t done = 0;
  for (MemoryUse& use : uses) {
    if (++done % kEventsBetweenStops == 0) base::stop_point();
    const Row row = use.row;
    use.device = device_of_usage(profile, row);
    int64_t& total = in_use[use.device];
    const int64_t bytes = table.bytes.empty() || table.bytes[row] == kNoValue
                              ? 0
                              : std::max<int64_t>(table.bytes[row], 0);
    const bool has_address = !table.address.empty() && table.address[row] != kNoValue;
    const std::pair key(table.process.empty() ? kNoValue : table.process[row],
                        has_address ? table.address[row] : 0);
    const MemoryOperation operation =
        table.operation.empty() ? MemoryOperation::not_recorded : table.operation[row];
    if (operation == MemoryOperation::allocation) {
      total = base::saturated_sum(total, bytes);
      if (has_address) blocks[key] = {use.device, bytes};
    } else if (operation == MemoryOperation::deallocation) {
      const auto block = has_address ? blocks.find(key) : blocks.end();
      const bool is_known = block != blocks.end() && block->second.first == use.device;
      total = std::max<int64_t>(0, total - (is_known ? block->second.second : bytes));
      if (is_known) blocks.erase(block);
    }
    use.in_use_bytes = total;
  }
  return uses;
}

std::vector<MemoryCurve> memory_curves(const Profile& profile) {
  if (!has_memory_events(profile)) return curves_of_usage(profile);
  const TraceAllocations& table = profile.trace->allocations;
  std::map<MemoryDevice, std::vector<Row>, decltype(&cpu_last)> devices(&cpu_last);
  for (std::size_t row = 0; row < table.size(); ++row) {
    if (row % kEventsBetweenStops == 0) base::stop_point();
    devices[device_of(table, row)].push_back(static_cast<Row>(row));
  }
  std::vector<MemoryCurve> curves;
  for (auto& [device, rows] : devices) curves.emplace_back(table, device, std::move(rows));
  return curves;
}

std::vector<std::optional<profile::DeviceIndex>> gpus_of(const Profile& profile,
                                                         const std::vector<MemoryCurve>& curves) {
  using profile::DeviceIndex;
  std::vector<std::optional<DeviceIndex>> gpus(curves.size());
  std::size_t with_memory = 0, unknown = 0, last = 0;
  for (std::size_t i = 0; i < curves.size(); ++i) {
    const MemoryDevice& device = curves[i].device();
    if (device.is_cpu()) continue;
    ++with_memory;
    last = i;
    const auto gpu =
        std::ranges::lower_bound(profile.devices, device.number, {}, &profile::Device::device_id);
    if (gpu != profile.devices.end() && gpu->device_id == device.number) {
      gpus[i] = DeviceIndex(static_cast<Row>(gpu - profile.devices.begin()));
    } else {
      ++unknown;
    }
  }
  if (with_memory == 1 && profile.devices.size() == 1) {
    gpus[last] = DeviceIndex{0};
  } else if (unknown > 0) {
    std::ranges::fill(gpus, std::nullopt);
  }
  return gpus;
}

std::vector<InstanceIndex> instances_of_allocations(const Profile& profile) {
  std::vector<InstanceIndex> instances;
  if (!has_memory_events(profile)) return instances;
  const TraceAllocations& table = profile.trace->allocations;
  const InstancesByThread by_thread(profile);
  instances.reserve(table.size());
  for (std::size_t row = 0; row < table.size(); ++row) {
    if (row % kEventsBetweenStops == 0) base::stop_point();
    instances.push_back(
        by_thread.open_at(profile.trace->numbers_of(table.thread[row]), table.time_ns[row]));
  }
  return instances;
}

std::vector<AllocationIndex> ends_of_blocks(const Profile& profile) {
  if (!has_memory_events(profile)) return {};
  const TraceAllocations& table = profile.trace->allocations;
  std::vector<AllocationIndex> ends(table.size());
  std::map<MemoryDevice, std::unordered_map<int64_t, Row>> alive;  // by address
  for (std::size_t row = 0; row < table.size(); ++row) {
    if (row % kEventsBetweenStops == 0) base::stop_point();
    if (table.address[row] == kNoValue) continue;
    const auto event = static_cast<Row>(row);
    auto& blocks = alive[device_of(table, row)];
    const auto block = blocks.find(table.address[row]);
    if (block != blocks.end()) {
      ends[block->second] = AllocationIndex(event);
      blocks.erase(block);
    }
    if (table.bytes[row] > 0) blocks.emplace(table.address[row], event);
  }
  return ends;
}

base::Interval memory_time(const Aggregation& aggregation) {
  const std::vector<Iteration>& iterations = aggregation.iteration_table->iterations.rows;
  const IterationRange& range = aggregation.selection.range;
  return {iterations[static_cast<std::size_t>(range.first)].host_time().start_ns,
          iterations[static_cast<std::size_t>(range.last)].host_time().stop_ns};
}

std::vector<MemoryPeak> memory_peaks(const Profile& profile, const Aggregation& aggregation) {
  std::vector<MemoryPeak> peaks;
  const std::vector<MemoryCurve> curves = memory_curves(profile);
  if (curves.empty()) return peaks;
  const TraceAllocations& table = profile.trace->allocations;
  const std::vector<AllocationIndex> ends = ends_of_blocks(profile);
  const base::Interval time = memory_time(aggregation);
  for (const MemoryCurve& curve : curves) {
    MemoryPeak& peak = peaks.emplace_back();
    peak.device = curve.device();
    peak.peak = curve.peak(time);
    peak.has_totals = curve.has_totals();
    const bool has_addresses = std::ranges::any_of(
        curve.events(), [&table](Row row) { return table.address[row] != kNoValue; });
    if (!has_addresses) continue;
    // Events of the device up to the peak; a block ends if its end is among them.
    int64_t alive_bytes = 0;
    const std::size_t until = peak.peak.event;
    const Row last = until == 0 ? 0 : curve.events()[until - 1];
    for (std::size_t i = 0; i < until; ++i) {
      const Row row = curve.events()[i];
      if (table.bytes[row] <= 0 || table.address[row] == kNoValue) continue;
      if (ends[row] != kNoRow && ends[row] <= last) continue;
      peak.alive.emplace_back(row);
      alive_bytes = base::saturated_sum(alive_bytes, table.bytes[row]);
    }
    peak.before_bytes =
        std::max<int64_t>(0, base::saturated_sum(peak.peak.use.allocated, negated(alive_bytes)));
  }
  return peaks;
}

std::vector<AllocationIndex> memory_events(const Profile& profile, const Aggregation& aggregation,
                                           const std::vector<InstanceIndex>& instances) {
  std::vector<AllocationIndex> events;
  if (!has_memory_events(profile)) return events;
  const TraceAllocations& table = profile.trace->allocations;
  const base::Interval time = memory_time(aggregation);
  const RowFilter filter(profile, aggregation.selection.filters);
  bool keeps_all_ops = true;
  for (OpIndex op{0}; op < profile.ops.size(); ++op) {
    keeps_all_ops = keeps_all_ops && filter.keeps_op(op);
  }
  const auto matches = [&](InstanceIndex instance) {
    if (keeps_all_ops) return true;
    return instance != kNoRow && filter.keeps_op(profile.instances.op[instance]);
  };
  const auto first = std::ranges::lower_bound(table.time_ns, time.start_ns);
  const auto end = std::ranges::upper_bound(table.time_ns, time.stop_ns);
  for (auto at = first; at < end; ++at) {
    const auto row = AllocationIndex(static_cast<Row>(at - table.time_ns.begin()));
    if (filter.starts_inside(*at) && matches(instances[row])) events.push_back(row);
  }
  return events;
}

std::vector<OpMemory> op_memory(const Profile& profile, const Aggregation& aggregation) {
  std::vector<OpMemory> rows;
  if (!has_memory_events(profile)) return rows;
  const TraceAllocations& table = profile.trace->allocations;
  const std::vector<InstanceIndex> instances = instances_of_allocations(profile);
  std::map<std::pair<Row, MemoryDevice>, std::size_t> places;
  for (const AllocationIndex event : memory_events(profile, aggregation, instances)) {
    const InstanceIndex instance = instances[event];
    const OpIndex op = instance == kNoRow ? OpIndex() : profile.instances.op[instance];
    const MemoryDevice device = device_of(table, event);
    const auto [place, is_new] = places.try_emplace({op, device}, rows.size());
    if (is_new) rows.push_back({.op = op, .device = device});
    OpMemory& row = rows[place->second];
    const int64_t bytes = table.bytes[event];
    if (bytes > 0) {
      ++row.allocations;
      row.allocated_bytes = base::saturated_sum(row.allocated_bytes, bytes);
      row.largest_bytes = std::max(row.largest_bytes, bytes);
    } else if (bytes < 0) {
      ++row.frees;
      row.freed_bytes = base::saturated_sum(row.freed_bytes, negated(bytes));
    }
  }
  return rows;
}

bool has_memory_events(const Profile& profile) {
  return profile.trace && profile.trace->allocations.size() > 0;
}

}  // namespace dlview::aggregate
