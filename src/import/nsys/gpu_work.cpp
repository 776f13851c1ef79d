#include "import/nsys/gpu_work.h"

#include <utility>
#include <vector>

#include "base/parallel.h"
#include "profile/column_slots.h"

namespace dlview::import::nsys {
namespace {

using profile::Column;
using profile::Dim3;

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
  return read_work(context, {kTables.memcpys, "Reading memory copies"}, memcpys,
                   {{"bytes", &memcpys.bytes},
                    {"copyKind", &memcpys.copy_kind},
                    {"srcKind", &memcpys.src_kind},
                    {"dstKind", &memcpys.dst_kind},
                    {"virtualAddress", &memcpys.virtual_address}});
}

base::Status read_memsets(Context& context, profile::TraceMemsets& memsets) {
  return read_work(context, {kTables.memsets, "Reading memory sets"}, memsets,
                   {{"bytes", &memsets.bytes}, {"memKind", &memsets.memory_kind}});
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

}  // namespace

base::Status read_gpu_work(Context& context, profile::Trace& trace) {
  trace.names_copy_kinds = context.database.has_table("ENUM_CUDA_MEMCPY_OPER");
  if (auto status = read_kernels(context, trace.kernels); !status) return status;
  if (auto status = read_memcpys(context, trace.memcpys); !status) return status;
  if (auto status = read_memsets(context, trace.memsets); !status) return status;
  if (auto status = read_syncs(context, trace.syncs); !status) return status;
  if (auto status = read_graph_launches(context, trace.graph_launches); !status) return status;
  if (auto status = read_cpu_faults(context, trace.cpu_page_faults); !status) return status;
  return read_gpu_faults(context, trace.gpu_page_faults);
}

}  // namespace dlview::import::nsys
