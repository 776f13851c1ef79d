#include "verify/raw_tables.h"

#include <string>

#include "verify/row_builder.h"

namespace dlview::verify {
namespace {

using base::ValueTable;
using profile::ApiCallIndex;
using profile::DeviceIndex;
using profile::Dim3;
using profile::InstanceIndex;
using profile::KernelIndex;
using profile::LaunchIndex;
using profile::MemoryOpIndex;
using profile::OpIndex;
using profile::Profile;
using profile::Row;
using profile::SyncIndex;
using profile::ThreadIndex;

class Reader {
 public:
  explicit Reader(const Profile& profile) : p_(profile) {}

  ValueTable ops() const;
  ValueTable instances() const;
  ValueTable kernels() const;
  ValueTable memory_ops() const;
  ValueTable syncs() const;
  ValueTable api_calls() const;

 private:
  std::string_view op_id(InstanceIndex instance) const {
    return p_.text(p_.ops.id[p_.instances.op[instance]]);
  }
  void add_thread(RowBuilder& row, ThreadIndex thread) const {
    row.add(p_.threads[thread].process_id).add(p_.threads[thread].thread_id);
  }
  void add_device(RowBuilder& row, DeviceIndex device) const {
    row.add(p_.devices[device].device_id);
  }
  static void add_dimensions(RowBuilder& row, const Dim3& d) {
    row.add(int64_t{d.x}).add(int64_t{d.y}).add(int64_t{d.z});
  }
  // Of kernels, memory operations, syncs and calls: what identifies one, and the end of the call.
  template <typename Events>
  RowBuilder event(const Events& events, Row i) const {
    RowBuilder row;
    row.add(op_id(events.instance[i])).add(events.api_start_ns[i]);
    row.add(p_.instances.cpu_start_ns[events.instance[i]]).add(p_.text(events.name[i]));
    row.add(events.api_stop_ns[i]);
    return row;
  }

  const Profile& p_;
};

ValueTable Reader::ops() const {
  ValueTable table{"read_only_ops",
                   {"op_id", "op_name", "op_type", "tc_support_status", "direction", "data_type",
                    "data_format", "output_format", "parameters_format", "stack_trace"},
                   1,
                   {}};
  for (OpIndex op{0}; op < p_.ops.size(); ++op) {
    RowBuilder row;
    row.add(p_.text(p_.ops.id[op])).add(p_.text(p_.ops.name[op])).add(p_.text(p_.ops.type[op]));
    row.add(static_cast<int64_t>(p_.ops.tensor_core_support[op]));
    for (const profile::StringId text :
         {p_.ops.direction[op], p_.ops.data_type[op], p_.ops.data_format[op],
          p_.ops.output_format[op], p_.ops.parameters_format[op], p_.ops.stack_trace[op]}) {
      row.add(p_.text(text));
    }
    table.rows.push_back(row.take());
  }
  return table;
}

ValueTable Reader::instances() const {
  ValueTable table{"read_only_op_instances",
                   {"op_id", "cpu_start", "cpu_stop", "process_id", "thread_id", "input_names",
                    "input_shapes", "output_names", "output_shapes", "parameters"},
                   2,
                   {}};
  for (InstanceIndex i{0}; i < p_.instances.size(); ++i) {
    RowBuilder row;
    row.add(op_id(i)).add(p_.instances.cpu_start_ns[i]).add(p_.instances.cpu_stop_ns[i]);
    add_thread(row, p_.instances.thread[i]);
    for (const profile::StringId text :
         {p_.instances.input_names[i], p_.instances.input_shapes[i], p_.instances.output_names[i],
          p_.instances.output_shapes[i], p_.instances.parameters[i]}) {
      row.add(p_.text(text));
    }
    table.rows.push_back(row.take());
  }
  return table;
}

ValueTable Reader::kernels() const {
  ValueTable table{"read_only_kernels",
                   {"op_id", "api_start", "cpu_start", "name", "api_stop", "gpu_start", "gpu_stop",
                    "long_name", "uses_tc", "device_id", "process_id", "thread_id", "grid_x",
                    "grid_y", "grid_z", "block_x", "block_y", "block_z"},
                   2,
                   {}};
  for (KernelIndex k{0}; k < p_.kernels.size(); ++k) {
    RowBuilder row = event(p_.kernels, k);
    row.add(p_.kernels.gpu_start_ns[k]).add(p_.kernels.gpu_stop_ns[k]);
    row.add(p_.text(p_.kernels.long_name[k])).add(p_.kernels.uses_tensor_cores[k] != 0);
    const LaunchIndex launch = p_.kernels.launch[k];
    add_device(row, p_.launches.device[launch]);
    add_thread(row, p_.launches.thread[launch]);
    add_dimensions(row, p_.launches.grid[launch]);
    add_dimensions(row, p_.launches.block[launch]);
    table.rows.push_back(row.take());
  }
  return table;
}

ValueTable Reader::memory_ops() const {
  ValueTable table{"read_only_memcpys, read_only_memsets",
                   {"op_id", "api_start", "cpu_start", "name", "api_stop", "gpu_start", "gpu_stop",
                    "is_memset", "copy_kind", "num_bytes", "device_id", "process_id", "thread_id"},
                   2,
                   {}};
  for (MemoryOpIndex m{0}; m < p_.memory_ops.size(); ++m) {
    RowBuilder row = event(p_.memory_ops, m);
    row.add(p_.memory_ops.gpu_start_ns[m]).add(p_.memory_ops.gpu_stop_ns[m]);
    row.add(p_.memory_ops.kind[m] == profile::MemoryOpKind::memset);
    row.add(static_cast<int64_t>(p_.memory_ops.copy_kind[m])).add(p_.memory_ops.bytes[m]);
    add_device(row, p_.memory_ops.device[m]);
    add_thread(row, p_.memory_ops.thread[m]);
    table.rows.push_back(row.take());
  }
  return table;
}

ValueTable Reader::syncs() const {
  ValueTable table{"read_only_cuda_syncs",
                   {"op_id", "api_start", "cpu_start", "name", "api_stop", "sync_type", "event_id",
                    "device_id", "process_id", "thread_id"},
                   2,
                   {}};
  for (SyncIndex s{0}; s < p_.syncs.size(); ++s) {
    RowBuilder row = event(p_.syncs, s);
    row.add(int64_t{p_.syncs.sync_type[s]}).add(p_.syncs.event_id[s]).add(p_.syncs.device_id[s]);
    add_thread(row, p_.syncs.thread[s]);
    table.rows.push_back(row.take());
  }
  return table;
}

ValueTable Reader::api_calls() const {
  ValueTable table{
      "read_only_cuda_calls",
      {"op_id", "api_start", "cpu_start", "name", "api_stop", "process_id", "thread_id"},
      2,
      {}};
  for (ApiCallIndex c{0}; c < p_.api_calls.size(); ++c) {
    RowBuilder row = event(p_.api_calls, c);
    add_thread(row, p_.api_calls.thread[c]);
    table.rows.push_back(row.take());
  }
  return table;
}

}  // namespace

std::vector<ValueTable> raw_tables(const Profile& profile) {
  const Reader reader(profile);
  return {reader.ops(),        reader.instances(), reader.kernels(),
          reader.memory_ops(), reader.syncs(),     reader.api_calls()};
}

}  // namespace dlview::verify
