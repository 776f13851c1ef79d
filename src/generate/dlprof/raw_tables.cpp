#include "generate/dlprof/raw_tables.h"

#include <algorithm>
#include <numeric>

#include "generate/dlprof/raw_events.h"

namespace dlview::generate::dlprof {
namespace {

using profile::Profile;
using profile::Row;

void write_devices(const Profile& profile, SqliteFile& file) {
  Insert gpu_info(file, "read_only_gpu_infos", 6);
  Insert gpu_memory(file, "gpu_memories", 3);
  const std::vector<int64_t> ids = gpu_info_ids(profile);
  std::vector<Row> rows(profile.devices.size());
  for (Row row = 0; row < rows.size(); ++row) rows[static_cast<std::size_t>(ids[row]) - 1] = row;
  for (const Row row : rows) {
    const profile::Device& device = profile.devices[row];
    gpu_info(ids[row], device.device_id, device.name, device.compute_capability_major,
             device.compute_capability_minor, device.sm_count);
    gpu_memory(ids[row], device.memory_total_bytes.value_or(0),
               device.memory_used_bytes.value_or(0));
  }
}

void write_facts(const Profile& profile, Dictionary& dictionary, SqliteFile& file) {
  const profile::SystemFacts& s = profile.system;
  Insert(file, "read_only_domains", 2)(kDomainId, dictionary.id(s.domain));
  Insert(file, "read_only_system_config", 15)(
      1, 1, s.gpu_count, s.cpu_model, s.driver_version, s.framework, s.cuda_version,
      s.cudnn_version, s.nsys_version, s.dlprof_version, s.dlprof_build, s.profile_name,
      s.mode_enum, s.mode, s.original_command);
  Insert(file, "db_version", 3)(1, s.database_version, s.original_database_version);
  Insert(file, "read_only_model_info", 4)(1, kDomainId, s.domain, s.profile_name);
  if (!s.model_config) return;
  const profile::ModelConfig& m = *s.model_config;
  Insert(file, "read_only_model_config", 11)(
      1, m.num_workers, m.pin_memory, m.cudnn_benchmark_disabled, m.detect_anomaly, m.gradcheck,
      m.gradgradcheck, m.autograd_profile, m.autograd_set_detect_anomaly, m.emit_nvtx,
      m.amp_enabled);
}

void write_ops(const Profile& profile, const RowOrder& order, Dictionary& dictionary,
               SqliteFile& file) {
  Insert insert(file, "read_only_ops", 14);
  const profile::Ops& ops = profile.ops;
  const int64_t no_device = dictionary.id(std::string_view());
  for (const Row row : order.ops) {
    insert(order.op_id[row], kDomainId, dictionary.id(ops.id[row]), profile.text(ops.id[row]),
           profile.text(ops.name[row]), dictionary.id(ops.type[row]), no_device,
           static_cast<int>(ops.tensor_core_support[row]), dictionary.id(ops.data_type[row]),
           dictionary.id(ops.data_format[row]), dictionary.id(ops.output_format[row]),
           dictionary.id(ops.parameters_format[row]), dictionary.id(ops.direction[row]),
           profile.text(ops.stack_trace[row]));
  }
}

void write_instances(const Profile& profile, const RowOrder& order, Dictionary& dictionary,
                     SqliteFile& file) {
  Insert insert(file, "read_only_op_instances", 11);
  const profile::OpInstances& instances = profile.instances;
  int64_t id = 0;
  for (const Row row : order.instances) {
    const profile::Thread& thread = profile.threads[instances.thread[row]];
    insert(++id, order.op_id[instances.op[row]], instances.cpu_start_ns[row],
           instances.cpu_stop_ns[row], thread.process_id, thread.thread_id,
           dictionary.id(instances.input_names[row]), dictionary.id(instances.input_shapes[row]),
           dictionary.id(instances.output_names[row]), dictionary.id(instances.output_shapes[row]),
           dictionary.id(instances.parameters[row]));
  }
}

}  // namespace

void write_raw_tables(const Profile& profile, const RowOrder& order, Dictionary& dictionary,
                      SqliteFile& file) {
  write_facts(profile, dictionary, file);
  write_devices(profile, file);
  fill_dictionary(profile, order, dictionary);
  write_ops(profile, order, dictionary, file);
  write_instances(profile, order, dictionary, file);
  write_kernels(profile, order, dictionary, file);
  write_memory_ops(profile, order, dictionary, file);
  write_syncs(profile, order, dictionary, file);
  write_api_calls(profile, order, dictionary, file);
}

std::vector<int64_t> gpu_info_ids(const Profile& profile) {
  std::vector<Row> rows(profile.devices.size());
  std::iota(rows.begin(), rows.end(), Row{0});
  std::stable_sort(rows.begin(), rows.end(), [&profile](Row a, Row b) {
    return profile.devices[a].source_id < profile.devices[b].source_id;
  });
  std::vector<int64_t> ids(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) ids[rows[i]] = static_cast<int64_t>(i) + 1;
  return ids;
}

}  // namespace dlview::generate::dlprof
