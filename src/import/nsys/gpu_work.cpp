#include "import/nsys/gpu_work.h"

#include <utility>
#include <vector>

namespace dlview::import::nsys {
namespace {

using profile::Dim3;
using profile::StringId;
using Integers = std::vector<int64_t>;

// The columns of profile::GpuWork while they grow.
struct Work {
  Integers start_ns, end_ns, correlation, process, context, green_context, stream, graph_node;
  std::vector<int32_t> device_id;

  // Reads them together with those that only this kind of work has.
  base::Status read(Context& load, const EventTable& table, std::vector<ColumnSpec> columns) {
    const ColumnSpec common[] = {
        {"correlationId", &correlation}, {"globalPid", &process},
        {"deviceId", &device_id},        {"contextId", &context},
        {"streamId", &stream},           {"greenContextId", &green_context},
        {"graphNodeId", &graph_node}};
    columns.insert(columns.end(), std::begin(common), std::end(common));
    return read_events(load, table, start_ns, end_ns, columns);
  }

  void move_to(profile::GpuWork& work) {
    work.start_ns = std::move(start_ns);
    work.end_ns = std::move(end_ns);
    work.correlation = std::move(correlation);
    work.process = std::move(process);
    work.device_id = std::move(device_id);
    work.context = std::move(context);
    work.green_context = std::move(green_context);
    work.stream = std::move(stream);
    work.graph_node = std::move(graph_node);
  }
};

struct Dimensions {
  std::vector<int32_t> x, y, z;

  // Empty unless the file has all three columns.
  std::vector<Dim3> zip() const {
    std::vector<Dim3> sizes;
    if (x.size() != y.size() || x.size() != z.size()) return sizes;
    sizes.reserve(x.size());
    for (std::size_t row = 0; row < x.size(); ++row) sizes.push_back({x[row], y[row], z[row]});
    return sizes;
  }
};

base::Status read_kernels(Context& context, profile::TraceKernels& kernels) {
  Work work;
  Dimensions grid, block;
  std::vector<StringId> short_name, demangled_name, mangled_name;
  std::vector<int32_t> registers;
  Integers static_bytes, dynamic_bytes;
  const base::Status status = work.read(context, {"CUPTI_ACTIVITY_KIND_KERNEL", "Reading kernels"},
                                        {{"shortName", StringIdsColumn{&short_name}},
                                         {"demangledName", StringIdsColumn{&demangled_name}},
                                         {"mangledName", StringIdsColumn{&mangled_name}},
                                         {"gridX", &grid.x},
                                         {"gridY", &grid.y},
                                         {"gridZ", &grid.z},
                                         {"blockX", &block.x},
                                         {"blockY", &block.y},
                                         {"blockZ", &block.z},
                                         {"registersPerThread", &registers},
                                         {"staticSharedMemory", &static_bytes},
                                         {"dynamicSharedMemory", &dynamic_bytes}});
  work.move_to(kernels);
  kernels.short_name = std::move(short_name);
  kernels.demangled_name = std::move(demangled_name);
  kernels.mangled_name = std::move(mangled_name);
  kernels.grid = grid.zip();
  kernels.block = block.zip();
  kernels.registers_per_thread = std::move(registers);
  kernels.static_shared_bytes = std::move(static_bytes);
  kernels.dynamic_shared_bytes = std::move(dynamic_bytes);
  return status;
}

base::Status read_memcpys(Context& context, profile::TraceMemcpys& memcpys) {
  Work work;
  Integers bytes;
  std::vector<int16_t> copy_kind, src_kind, dst_kind;
  const base::Status status =
      work.read(context, {"CUPTI_ACTIVITY_KIND_MEMCPY", "Reading memory copies"},
                {{"bytes", &bytes},
                 {"copyKind", &copy_kind},
                 {"srcKind", &src_kind},
                 {"dstKind", &dst_kind}});
  work.move_to(memcpys);
  memcpys.bytes = std::move(bytes);
  memcpys.copy_kind = std::move(copy_kind);
  memcpys.src_kind = std::move(src_kind);
  memcpys.dst_kind = std::move(dst_kind);
  return status;
}

base::Status read_memsets(Context& context, profile::TraceMemsets& memsets) {
  Work work;
  Integers bytes;
  std::vector<int16_t> memory_kind;
  const base::Status status =
      work.read(context, {"CUPTI_ACTIVITY_KIND_MEMSET", "Reading memory sets"},
                {{"bytes", &bytes}, {"memKind", &memory_kind}});
  work.move_to(memsets);
  memsets.bytes = std::move(bytes);
  memsets.memory_kind = std::move(memory_kind);
  return status;
}

base::Status read_syncs(Context& context, profile::TraceSyncs& syncs) {
  Work work;
  Integers event;
  std::vector<int32_t> sync_type;
  const base::Status status =
      work.read(context, {"CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", "Reading synchronizations"},
                {{"syncType", &sync_type}, {"eventId", &event}});
  work.move_to(syncs);
  syncs.sync_type = std::move(sync_type);
  syncs.event = std::move(event);
  return status;
}

base::Status read_graph_launches(Context& context, profile::TraceGraphLaunches& launches) {
  Work work;
  Integers graph, graph_exec;
  const base::Status status =
      work.read(context, {"CUPTI_ACTIVITY_KIND_GRAPH_TRACE", "Reading CUDA graphs"},
                {{"graphId", &graph}, {"graphExecId", &graph_exec}});
  work.move_to(launches);
  launches.graph = std::move(graph);
  launches.graph_exec = std::move(graph_exec);
  return status;
}

}  // namespace

base::Status read_gpu_work(Context& context, profile::Trace& trace) {
  trace.names_copy_kinds = context.database.has_table("ENUM_CUDA_MEMCPY_OPER");
  if (auto status = read_kernels(context, trace.kernels); !status) return status;
  if (auto status = read_memcpys(context, trace.memcpys); !status) return status;
  if (auto status = read_memsets(context, trace.memsets); !status) return status;
  if (auto status = read_syncs(context, trace.syncs); !status) return status;
  return read_graph_launches(context, trace.graph_launches);
}

}  // namespace dlview::import::nsys
