// A profile of a few ops, instances and events, with times that fit on a line of paper, for tests
// whose numbers are worked out by hand.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "profile/builder.h"

namespace dlview::testing {

class Sketch {
 public:
  explicit Sketch(int devices = 1) {
    for (int i = 0; i < devices; ++i) {
      profile::Device device;
      device.source_id = i + 1;
      device.device_id = i;
      builder_.add_device(device);
    }
  }

  profile::Row op(std::string_view name, std::string_view type = "relu", bool eligible = false,
                  std::string_view data_type = "", std::string_view direction = "") {
    profile::OpRow row;
    row.id = builder_.intern("OP_" + std::to_string(++op_count_));
    row.name = builder_.intern(name);
    row.type = builder_.intern(type);
    row.data_type = builder_.intern(data_type);
    row.direction = builder_.intern(direction);
    row.tensor_core_support = name.starts_with("unassociated_")
                                  ? profile::TensorCoreSupport::unassociated
                              : eligible ? profile::TensorCoreSupport::eligible
                                         : profile::TensorCoreSupport::none;
    return builder_.add_op(row);
  }
  profile::Row instance(profile::Row op, int64_t start_ns, int64_t stop_ns,
                        profile::Thread thread = {1, 1}) {
    profile::OpInstanceRow row;
    row.op = op;
    row.cpu_start_ns = start_ns;
    row.cpu_stop_ns = stop_ns;
    row.thread = builder_.intern_thread(thread);
    row.source_id = ++source_id_;
    return builder_.add_instance(row);
  }
  // Of an instance that another one caused.
  void caused_by(profile::Row backward, profile::Row forward) {
    forward_of_.resize(builder_.instance_count(), profile::kNoRow);
    forward_of_[backward] = forward;
  }
  // `number`: that the range counts with.
  void user_range(std::string_view path, int64_t start_ns, int64_t stop_ns,
                  int64_t number = profile::kNoValue) {
    builder_.add_user_range({.name = builder_.intern(path.substr(path.rfind('/') + 1)),
                             .path = builder_.intern(path),
                             .start_ns = start_ns,
                             .stop_ns = stop_ns,
                             .number = number,
                             .thread = builder_.intern_thread({1, 1})});
  }
  // Its API call takes 2 ns.
  void kernel(profile::Row instance, int64_t start_ns, int64_t stop_ns, profile::Row device = 0,
              std::string_view name = "k", bool tensor_cores = false,
              std::string_view long_name = {}) {
    profile::KernelRow row;
    row.instance = instance;
    row.name = builder_.intern(name);
    row.long_name = builder_.intern(long_name);
    row.uses_tensor_cores = tensor_cores;
    row.api_stop_ns = 2;
    row.gpu_start_ns = start_ns;
    row.gpu_stop_ns = stop_ns;
    row.launch = builder_.intern_launch({{}, {}, device, 0});
    row.source_id = ++source_id_;
    builder_.add_kernel(row);
  }
  // Its API call takes 3 ns.
  void copy(profile::Row instance, int64_t start_ns, int64_t stop_ns, profile::Row device = 0,
            std::string_view name = "cudaMemcpyAsync") {
    profile::MemoryOpRow row;
    row.instance = instance;
    row.name = builder_.intern(name);
    row.api_stop_ns = 3;
    row.gpu_start_ns = start_ns;
    row.gpu_stop_ns = stop_ns;
    row.device = device;
    builder_.add_memory_op(row);
  }
  void sync(profile::Row instance, int64_t start_ns, int64_t stop_ns) {
    profile::SyncRow row;
    row.instance = instance;
    row.api_start_ns = start_ns;
    row.api_stop_ns = stop_ns;
    builder_.add_sync(row);
  }
  void call(profile::Row instance, int64_t start_ns, int64_t stop_ns) {
    profile::ApiCallRow row;
    row.instance = instance;
    row.api_start_ns = start_ns;
    row.api_stop_ns = stop_ns;
    builder_.add_api_call(row);
  }
  void stored(profile::StoredAggregation aggregation) {
    builder_.stored_aggregations.push_back(std::move(aggregation));
  }

  std::shared_ptr<const profile::Profile> finish() {
    if (!forward_of_.empty()) {
      forward_of_.resize(builder_.instance_count(), profile::kNoRow);
      builder_.set_forward_instances(forward_of_);
    }
    return std::make_shared<const profile::Profile>(std::move(builder_).finish());
  }

 private:
  profile::ProfileBuilder builder_;
  std::vector<profile::Row> forward_of_;
  int op_count_ = 0;
  int64_t source_id_ = 0;
};

}  // namespace dlview::testing
