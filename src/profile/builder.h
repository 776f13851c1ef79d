// ProfileBuilder: takes rows in any order and arranges them into the columns of a Profile. Used by
// the importers, the generator and tests. Row numbers returned by add_* are the builder's own; the
// finished profile has instances and events in the orders that profile.h states.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/intervals.h"
#include "base/large_memory.h"
#include "profile/profile.h"

namespace dlview::profile {

struct OpRow {
  StringId id = 0, name = 0, type = 0, direction = 0, data_type = 0;
  StringId data_format = 0, output_format = 0, parameters_format = 0, stack_trace = 0;
  TensorCoreSupport tensor_core_support = TensorCoreSupport::none;
  int64_t source_id = 0;
};

struct OpInstanceRow {
  Row op = 0;
  int64_t cpu_start_ns = 0, cpu_stop_ns = 0;
  Row thread = 0;
  StringId input_names = 0, input_shapes = 0, output_names = 0, output_shapes = 0, parameters = 0;
  int64_t source_id = 0;
};

struct LaunchRow {
  Dim3 grid, block;
  Row device = 0, thread = 0;
};

struct KernelRow {
  Row instance = 0;  // the number that add_instance returned
  StringId name = 0, long_name = 0;
  bool uses_tensor_cores = false;
  int64_t api_start_ns = 0, api_stop_ns = 0, gpu_start_ns = 0, gpu_stop_ns = 0;
  Row launch = 0;
  int64_t source_id = 0;
};

struct MemoryOpRow {
  Row instance = 0;
  MemoryOpKind kind = MemoryOpKind::memcpy;
  StringId name = 0;
  CopyKind copy_kind = CopyKind::unknown;
  int64_t bytes = 0;
  int64_t api_start_ns = 0, api_stop_ns = 0, gpu_start_ns = 0, gpu_stop_ns = 0;
  Row device = 0, thread = 0;
  int64_t source_id = 0;
};

struct SyncRow {
  Row instance = 0;
  StringId name = 0;
  int64_t api_start_ns = 0, api_stop_ns = 0;
  int32_t sync_type = 0;
  int64_t event_id = 0, device_id = 0;
  Row thread = 0;
  int64_t source_id = 0;
};

struct ApiCallRow {
  Row instance = 0;
  StringId name = 0;
  int64_t api_start_ns = 0, api_stop_ns = 0;
  Row thread = 0;
  int64_t source_id = 0;
};

struct UserRangeRow {
  StringId name = 0, path = 0;
  int64_t start_ns = 0, stop_ns = 0;
  int64_t number = kNoValue;
  Row thread = 0;
};

class ProfileBuilder {
 public:
  StringId intern(std::string_view text) { return strings_.intern(text); }
  StringId intern(const StringTableBuilder& other, StringId id) {
    return strings_.intern(other, id);
  }
  // Valid until the next intern().
  std::string_view text(StringId id) const { return strings_[id]; }

  Row add_op(const OpRow& op);
  Row add_instance(const OpInstanceRow& instance);
  void add_kernel(const KernelRow& kernel) { kernels_.push_back(kernel); }

  // Adds all instances, or all kernels, at once. Calls row(i) on several threads, and stores no
  // rows in addition to the columns. Instance i has the number i. Kernels come after all instances,
  // and row(i) belongs to instance_of[i].
  template <typename RowType>
  using MakeRow = std::function<RowType(std::size_t)>;
  void add_instances(std::size_t count, const MakeRow<OpInstanceRow>& row);
  void add_kernels(std::span<const Row> instance_of, const MakeRow<KernelRow>& row);
  // By number of the instance: of a backward op the number of its forward op, else kNoRow. After
  // all instances.
  void set_forward_instances(std::span<const Row> forward_of);

  // Instances that were added so far; they are numbered from 0.
  std::size_t instance_count() const {
    return instances_.empty() ? profile_.instances.cpu_start_ns.size() : instances_.size();
  }
  // When the instance of this number began.
  int64_t instance_start_ns(Row number) const {
    return instances_.empty() ? profile_.instances.cpu_start_ns[instance_row(number)]
                              : instances_[number].cpu_start_ns;
  }

  // From the first to the last kernel or memory operation that was added so far, by the number of
  // its instance; {0, -1} for an instance without any.
  std::vector<base::Interval> gpu_spans() const;

  void add_memory_op(const MemoryOpRow& memory_op) { memory_ops_.push_back(memory_op); }
  void add_sync(const SyncRow& sync) { syncs_.push_back(sync); }
  void add_api_call(const ApiCallRow& call) { api_calls_.push_back(call); }
  void add_user_range(const UserRangeRow& range) { user_ranges_.push_back(range); }
  // Sets the nesting of a path of ops or user ranges; the first call for a path counts.
  void set_nesting(StringId path, std::string_view nesting);

  // Returns the same row for equal launches or threads.
  Row intern_launch(const LaunchRow& launch);
  Row intern_thread(const Thread& thread);

  // Devices must be added in order of device_id.
  Row add_device(Device device);
  std::size_t device_count() const { return devices_.size(); }
  const Device& device(Row row) const { return devices_[row]; }

  // Facts that need no arranging are written here directly.
  SourceInfo source;
  SystemFacts system;
  std::vector<StoredAggregation> stored_aggregations;
  std::vector<QualityNote> quality;
  std::vector<RecordedTable> recorded_tables;
  std::vector<ProfilerMessage> profiler_messages;
  std::vector<NotRecorded> not_recorded;

  Profile finish() &&;

 private:
  // Brings the instances that were added one by one into their order.
  void arrange_instances();
  // In the finished profile.
  Row instance_row(Row number) const { return rows_.empty() ? number : rows_[number]; }
  // Events that were added one by one; fills in the offsets of the instances.
  template <typename EventRow, typename... Field>
  auto take_events(base::LargeVector<EventRow>& events, int64_t EventRow::*time, Column<Row>& first,
                   const Field&... fields);
  void finish_memory_ops();
  void finish_calls();
  void finish_ops();
  void finish_user_ranges();
  void finish_nestings();

  Profile profile_;              // as far as it is finished
  base::LargeVector<Row> rows_;  // of instances, by number; empty where they have come in order
  StringTableBuilder strings_;
  std::vector<OpRow> ops_;
  base::LargeVector<OpInstanceRow> instances_;
  std::vector<LaunchRow> launches_;
  base::LargeVector<KernelRow> kernels_;
  base::LargeVector<MemoryOpRow> memory_ops_;
  base::LargeVector<SyncRow> syncs_;
  base::LargeVector<ApiCallRow> api_calls_;
  base::LargeVector<UserRangeRow> user_ranges_;
  std::map<StringId, StringId> nestings_;  // by path, where the two differ
  std::vector<Thread> threads_;
  std::vector<Device> devices_;
  using LaunchKey = std::tuple<int32_t, int32_t, int32_t, int32_t, int32_t, int32_t, Row, Row>;
  std::map<LaunchKey, Row> launch_rows_;
  std::map<std::pair<int64_t, int64_t>, Row> thread_rows_;
};

}  // namespace dlview::profile
