#include "import/nsys/gpu_work.h"

#include <atomic>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/parallel.h"
#include "profile/column_slots.h"

namespace dlview::import::nsys {
namespace {

using profile::Column;
using profile::CopyKind;
using profile::Dim3;
using profile::MemoryKind;
using profile::MemoryOperation;

// Reads the columns of all work together with those that only this kind has.
base::Status read_work(Context& context, const EventTable& table, profile::GpuWork& work,
                       std::vector<ColumnSpec> columns) {
  const ColumnSpec common[] = {
      {"correlationId", &work.correlation}, {"globalPid", &work.process},
      {"deviceId", &work.device_id},        {"contextId", &work.context},
      {"streamId", &work.stream},           {"greenContextId", &work.green_context},
      {"graphNodeId", &work.graph_node}};
  columns.insert(columns.end(), std::begin(common), std::end(common));
  return read_events(context, table, work.start_ns, work.end_ns, columns);
}

struct Dimensions {
  Column<int32_t> x, y, z;

  // Empty unless the file has all three columns.
  Column<Dim3> zip() const {
    if (x.size() != y.size() || x.size() != z.size()) return {};
    profile::ColumnSlots<Dim3> sizes(x.size());
    base::parallel_for(x.size(), capture::kRowsAtOnce, [&](std::size_t begin, std::size_t end) {
      for (std::size_t row = begin; row < end; ++row) *sizes.at(row) = {x[row], y[row], z[row]};
    });
    return std::move(sizes).finish(x.size());
  }
};

// Converts numbers to kinds. One that does not fit int8_t becomes `otherwise` and is noted.
template <typename Kind>
Column<Kind> kinds_of(const Column<int16_t>& numbers, Kind otherwise, const char* table,
                      std::string_view column, Context& context) {
  profile::ColumnSlots<Kind> kinds(numbers.size());
  std::atomic<bool> all_fit = true;
  base::parallel_for(numbers.size(), capture::kRowsAtOnce, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) {
      const bool fits = std::in_range<int8_t>(numbers[row]);
      *kinds.at(row) = fits ? static_cast<Kind>(numbers[row]) : otherwise;
      if (!fits) all_fit = false;
    }
  });
  for (std::size_t row = 0; !all_fit && row < numbers.size(); ++row) {
    if (std::in_range<int8_t>(numbers[row])) continue;
    context.quality.add(table, fmt::format("unknown {}", column),
                        context.left_out.number_of(table, row),
                        [&] { return fmt::format("{} is {}", column, numbers[row]); });
  }
  return std::move(kinds).finish(numbers.size());
}

base::Status read_kernels(Context& context, profile::TraceKernels& kernels) {
  Dimensions grid, block;
  const base::Status status =
      read_work(context, {kTables.kernels, "Reading kernels"}, kernels,
                {{"shortName", StringIdsColumn{&kernels.short_name}},
                 {"demangledName", StringIdsColumn{&kernels.demangled_name}},
                 {"mangledName", StringIdsColumn{&kernels.mangled_name}},
                 {"gridX", &grid.x},
                 {"gridY", &grid.y},
                 {"gridZ", &grid.z},
                 {"blockX", &block.x},
                 {"blockY", &block.y},
                 {"blockZ", &block.z},
                 {"registersPerThread", &kernels.registers_per_thread},
                 {"staticSharedMemory", &kernels.static_shared_bytes},
                 {"dynamicSharedMemory", &kernels.dynamic_shared_bytes}});
  kernels.grid = grid.zip();
  kernels.block = block.zip();
  return status;
}

base::Status read_memcpys(Context& context, profile::TraceMemcpys& memcpys) {
  Column<int16_t> copy_kind, src_kind, dst_kind;
  const base::Status status = read_work(context, {kTables.memcpys, "Reading memcpys"}, memcpys,
                                        {{"bytes", &memcpys.bytes},
                                         {"copyKind", &copy_kind},
                                         {"srcKind", &src_kind},
                                         {"dstKind", &dst_kind},
                                         {"virtualAddress", &memcpys.virtual_address}});
  if (!status) return status;
  const auto memory_kinds = [&](const Column<int16_t>& numbers, std::string_view column) {
    return kinds_of(numbers, MemoryKind::not_recorded, kTables.memcpys, column, context);
  };
  memcpys.copy_kind = kinds_of(copy_kind, CopyKind::unknown, kTables.memcpys, "copyKind", context);
  memcpys.src_kind = memory_kinds(src_kind, "srcKind");
  memcpys.dst_kind = memory_kinds(dst_kind, "dstKind");
  return status;
}

base::Status read_memsets(Context& context, profile::TraceMemsets& memsets) {
  Column<int16_t> memory_kind;
  const base::Status status = read_work(context, {kTables.memsets, "Reading memsets"}, memsets,
                                        {{"bytes", &memsets.bytes}, {"memKind", &memory_kind}});
  if (!status) return status;
  memsets.memory_kind =
      kinds_of(memory_kind, MemoryKind::not_recorded, kTables.memsets, "memKind", context);
  return status;
}

base::Status read_syncs(Context& context, profile::TraceSyncs& syncs) {
  return read_work(context, {kTables.syncs, "Reading synchronizations"}, syncs,
                   {{"syncType", &syncs.sync_type}, {"eventId", &syncs.event}});
}

base::Status read_graph_launches(Context& context, profile::TraceGraphLaunches& launches) {
  return read_work(context, {kTables.graph_launches, "Reading CUDA graphs"}, launches,
                   {{"graphId", &launches.graph}, {"graphExecId", &launches.graph_exec}});
}

base::Status read_cpu_faults(Context& context, profile::TraceCpuFaults& faults) {
  const ColumnSpec columns[] = {{"address", &faults.address},
                                {"CpuInstruction", StringIdsColumn{&faults.instruction}}};
  return read_instants(context, {"CUDA_UM_CPU_PAGE_FAULT_EVENTS", "Reading page faults of the CPU"},
                       faults.start_ns, columns);
}

base::Status read_gpu_faults(Context& context, profile::TraceGpuFaults& faults) {
  const ColumnSpec columns[] = {{"address", &faults.address},
                                {"numberOfPageFaults", &faults.count}};
  return read_events(context, {"CUDA_UM_GPU_PAGE_FAULT_EVENTS", "Reading page faults of GPUs"},
                     faults.start_ns, faults.end_ns, columns);
}

// nsys profile --cuda-memory-usage=true.
base::Status read_memory_usage(Context& context, profile::TraceMemoryUsage& usage) {
  constexpr const char* kTable = "CUDA_GPU_MEMORY_USAGE_EVENTS";
  Column<int16_t> kind, operation;
  const ColumnSpec columns[] = {{"globalPid", &usage.process},
                                {"deviceId", &usage.device_id},
                                {"memKind", &kind},
                                {"memoryOperationType", &operation},
                                {"bytes", &usage.bytes},
                                {"address", &usage.address},
                                {"name", TextColumn{&usage.name}},
                                {"correlationId", &usage.correlation}};
  DLVIEW_TRY(read_instants(context, {kTable, "Reading memory usage"}, usage.time_ns, columns));
  usage.memory_kind = kinds_of(kind, MemoryKind::not_recorded, kTable, "memKind", context);
  usage.operation =
      kinds_of(operation, MemoryOperation::not_recorded, kTable, "memoryOperationType", context);
  return base::Success{};
}

}  // namespace

base::Status read_gpu_work(Context& context, profile::Trace& trace) {
  trace.names_copy_kinds = context.database.has_table("ENUM_CUDA_MEMCPY_OPER");
  DLVIEW_TRY(read_kernels(context, trace.kernels));
  DLVIEW_TRY(read_memcpys(context, trace.memcpys));
  DLVIEW_TRY(read_memsets(context, trace.memsets));
  DLVIEW_TRY(read_syncs(context, trace.syncs));
  DLVIEW_TRY(read_graph_launches(context, trace.graph_launches));
  DLVIEW_TRY(read_cpu_faults(context, trace.cpu_page_faults));
  DLVIEW_TRY(read_gpu_faults(context, trace.gpu_page_faults));
  return read_memory_usage(context, trace.memory_usage);
}

}  // namespace dlview::import::nsys
