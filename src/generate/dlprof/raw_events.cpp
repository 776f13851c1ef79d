#include "generate/dlprof/raw_events.h"

#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace dlview::generate::dlprof {
namespace {

using profile::InstanceIndex;
using profile::Profile;
using profile::Row;
using profile::StringId;

// The table read_only_grid_block: each triple once, in order of first use.
class GridBlocks {
 public:
  explicit GridBlocks(SqliteFile& file) : insert_(file, "read_only_grid_block", 4) {}
  int64_t id(const profile::Dim3& size) {
    const auto [entry, added] =
        ids_.emplace(std::tuple(size.x, size.y, size.z), std::ssize(ids_) + 1);
    if (added) insert_(entry->second, size.x, size.y, size.z);
    return entry->second;
  }

 private:
  Insert insert_;
  std::map<std::tuple<int32_t, int32_t, int32_t>, int64_t> ids_;
};

// Names in byte order, each followed by the long names of the kernels that have it.
using EventNames = std::set<std::pair<uint32_t, StringId>>;

template <typename Events>
void add_names(const Profile& profile, const Events& events, const std::vector<uint32_t>& ranks,
               std::vector<EventNames>& names_of_op) {
  for (Row row = 0; row < events.size(); ++row) {
    names_of_op[profile.instances.op[events.instance[row]]].emplace(ranks[events.name[row]],
                                                                    events.name[row]);
  }
}

std::vector<EventNames> event_names_of_ops(const Profile& profile) {
  const std::vector<uint32_t> ranks = text_ranks(profile.strings);
  std::vector<EventNames> names(profile.ops.size());
  add_names(profile, profile.kernels, ranks, names);
  add_names(profile, profile.memory_ops, ranks, names);
  add_names(profile, profile.syncs, ranks, names);
  add_names(profile, profile.api_calls, ranks, names);
  const profile::Kernels& kernels = profile.kernels;
  for (Row row = 0; row < kernels.size(); ++row) {
    names[profile.instances.op[kernels.instance[row]]].emplace(ranks[kernels.name[row]],
                                                               kernels.long_name[row]);
  }
  return names;
}

}  // namespace

void fill_dictionary(const Profile& profile, const RowOrder& order, Dictionary& dictionary) {
  const std::vector<EventNames> event_names = event_names_of_ops(profile);
  const profile::Ops& ops = profile.ops;
  const profile::OpInstances& instances = profile.instances;
  auto instance = order.instances.begin();
  for (const profile::OpIndex op : order.ops) {
    dictionary.id(ops.id[op]);
    dictionary.id(ops.type[op]);
    dictionary.id(std::string_view());  // the device, which is never known
    for (const auto* column : {&ops.data_type, &ops.data_format, &ops.output_format,
                               &ops.parameters_format, &ops.direction}) {
      dictionary.id((*column)[op]);
    }
    for (; instance != order.instances.end() && instances.op[*instance] == op; ++instance) {
      for (const auto* column :
           {&instances.input_names, &instances.input_shapes, &instances.output_names,
            &instances.output_shapes, &instances.parameters}) {
        dictionary.id((*column)[*instance]);
      }
    }
    for (const auto& [rank, name] : event_names[op]) dictionary.id(name);
  }
}

void write_kernels(const Profile& profile, const RowOrder& order, Dictionary& dictionary,
                   SqliteFile& file) {
  Insert insert(file, "read_only_kernels", 15);
  GridBlocks grid_blocks(file);
  const profile::Kernels& kernels = profile.kernels;
  for (const profile::KernelIndex row : order.kernels) {
    const InstanceIndex instance = kernels.instance[row];
    const profile::LaunchIndex launch = kernels.launch[row];
    const profile::Thread& thread = profile.threads[profile.launches.thread[launch]];
    const int64_t grid_id = grid_blocks.id(profile.launches.grid[launch]);
    const int64_t block_id = grid_blocks.id(profile.launches.block[launch]);
    insert(order.kernel_id[row], order.op_id[profile.instances.op[instance]],
           order.op_instance[instance], dictionary.id(kernels.name[row]),
           dictionary.id(kernels.long_name[row]), kernels.uses_tensor_cores[row],
           kernels.api_start_ns[row], kernels.api_stop_ns[row], kernels.gpu_start_ns[row],
           kernels.gpu_stop_ns[row], grid_id, block_id,
           profile.devices[profile.device_of_kernel(row)].device_id, thread.process_id,
           thread.thread_id);
  }
}

void write_memory_ops(const Profile& profile, const RowOrder& order, Dictionary& dictionary,
                      SqliteFile& file) {
  Insert memset(file, "read_only_memsets", 12);
  Insert memcpy(file, "read_only_memcpys", 13);
  const profile::MemoryOps& rows = profile.memory_ops;
  int64_t memset_id = 0, memcpy_id = 0;
  for (const profile::MemoryOpIndex row : order.memory_ops) {
    const InstanceIndex instance = rows.instance[row];
    const int64_t op_id = order.op_id[profile.instances.op[instance]];
    const int64_t name_id = dictionary.id(rows.name[row]);
    const int64_t device_id = profile.devices[rows.device[row]].device_id;
    const profile::Thread& thread = profile.threads[rows.thread[row]];
    if (rows.kind[row] == profile::MemoryOpKind::memset) {
      memset(++memset_id, op_id, order.op_instance[instance], name_id, rows.api_start_ns[row],
             rows.api_stop_ns[row], rows.gpu_start_ns[row], rows.gpu_stop_ns[row], rows.bytes[row],
             device_id, thread.process_id, thread.thread_id);
    } else {
      memcpy(++memcpy_id, op_id, order.op_instance[instance], name_id, rows.api_start_ns[row],
             rows.api_stop_ns[row], rows.gpu_start_ns[row], rows.gpu_stop_ns[row], rows.bytes[row],
             static_cast<int>(rows.copy_kind[row]), device_id, thread.process_id, thread.thread_id);
    }
  }
}

// DLProf knows no GPU times of a sync: they are 0.
void write_syncs(const Profile& profile, const RowOrder& order, Dictionary& dictionary,
                 SqliteFile& file) {
  Insert insert(file, "read_only_cuda_syncs", 13);
  const profile::Syncs& syncs = profile.syncs;
  int64_t id = 0;
  for (const profile::SyncIndex row : order.syncs) {
    const InstanceIndex instance = syncs.instance[row];
    const profile::Thread& thread = profile.threads[syncs.thread[row]];
    insert(++id, order.op_id[profile.instances.op[instance]], order.op_instance[instance],
           dictionary.id(syncs.name[row]), syncs.api_start_ns[row], syncs.api_stop_ns[row], 0, 0,
           syncs.sync_type[row], syncs.event_id[row], syncs.device_id[row], thread.process_id,
           thread.thread_id);
  }
}

void write_api_calls(const Profile& profile, const RowOrder& order, Dictionary& dictionary,
                     SqliteFile& file) {
  Insert insert(file, "read_only_cuda_calls", 8);
  const profile::ApiCalls& calls = profile.api_calls;
  int64_t id = 0;
  for (const profile::ApiCallIndex row : order.api_calls) {
    const InstanceIndex instance = calls.instance[row];
    const profile::Thread& thread = profile.threads[calls.thread[row]];
    insert(++id, order.op_id[profile.instances.op[instance]], order.op_instance[instance],
           dictionary.id(calls.name[row]), calls.api_start_ns[row], calls.api_stop_ns[row],
           thread.process_id, thread.thread_id);
  }
}

}  // namespace dlview::generate::dlprof
