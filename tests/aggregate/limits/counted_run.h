// A profile of kernels with names, sizes and times, and measured launches beside them, for tests
// whose answers are known.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "profile/builder.h"
#include "profile/counters.h"

namespace dlview::testing {

class CountedRun {
 public:
  explicit CountedRun(std::string gpu = "NVIDIA H100 80GB HBM3", int32_t cc_major = 9,
                      int32_t cc_minor = 0) {
    profile::Device device;
    device.name = std::move(gpu);
    device.compute_capability_major = cc_major;
    device.compute_capability_minor = cc_minor;
    device.sm_count = 132;
    builder_.add_device(device);
    counters_ = std::make_shared<profile::KernelCounters>();
    counters_->files.emplace_back();
  }

  profile::Row op(std::string_view type, std::string_view data_type = "float16",
                  std::string_view name = "") {
    profile::OpRow row;
    row.id = builder_.intern("OP_" + std::to_string(++ops_));
    row.name = builder_.intern(name.empty() ? "/net/op" + std::to_string(ops_) : std::string(name));
    row.type = builder_.intern(type);
    row.data_type = builder_.intern(data_type);
    return builder_.add_op(row);
  }
  // A call of the op; with input shapes and parameters as PyTorch's traces have them.
  profile::Row call(profile::Row op, std::string_view shapes = "",
                    std::string_view parameters = "") {
    profile::OpInstanceRow row;
    row.op = op;
    row.cpu_start_ns = now_ns_;
    row.cpu_stop_ns = now_ns_ += 10;
    row.thread = builder_.intern_thread({1, 1});
    row.input_shapes = builder_.intern(shapes);
    row.parameters = builder_.intern(parameters);
    return builder_.add_instance(row);
  }
  // A GPU besides the first.
  profile::Row device(std::string gpu, int32_t cc_major, int32_t cc_minor) {
    profile::Device device;
    device.name = std::move(gpu);
    device.device_id = device.source_id = static_cast<int64_t>(builder_.device_count());
    device.compute_capability_major = cc_major;
    device.compute_capability_minor = cc_minor;
    return builder_.add_device(device);
  }
  // Kernels run one after the other. Row numbers follow the calls.
  void kernel(profile::Row call, std::string_view name, int32_t blocks, int64_t duration_ns = 100,
              bool tensor_cores = false, profile::Row device = 0) {
    profile::KernelRow row;
    row.instance = call;
    row.name = row.long_name = builder_.intern(name);
    row.uses_tensor_cores = tensor_cores;
    row.gpu_start_ns = gpu_ns_;
    row.gpu_stop_ns = gpu_ns_ += duration_ns;
    row.launch = builder_.intern_launch({{blocks, 1, 1}, {256, 1, 1}, device, 0});
    builder_.add_kernel(row);
  }

  profile::CounterLaunch& measured(std::string_view name, int32_t blocks,
                                   std::vector<std::pair<std::string, double>> metrics = {}) {
    profile::CounterLaunch launch;
    launch.id = static_cast<int64_t>(counters_->launches.size());
    launch.kernel = texts_.intern(name);
    launch.grid = profile::Dim3{blocks, 1, 1};
    launch.block = profile::Dim3{256, 1, 1};
    launch.first_value = counters_->values.size();
    for (const auto& [metric, value] : metrics) {
      const auto row = static_cast<profile::Row>(counters_->metrics.size());
      counters_->metrics.push_back({"", metric, ""});
      counters_->values.push_back(
          {row, value, profile::CounterValue::kNone, profile::CounterValue::kNone, 0});
    }
    counters_->launches.push_back(launch);
    return counters_->launches.back();
  }
  profile::StringId text(std::string_view text) { return builder_.intern(text); }
  profile::StringId counter_text(std::string_view text) { return texts_.intern(text); }

  std::shared_ptr<const profile::Profile> finish() && {
    counters_->strings = std::move(texts_).finish();
    auto profile = std::make_shared<profile::Profile>(std::move(builder_).finish());
    if (!counters_->launches.empty()) profile->counters = counters_;
    return profile;
  }

 private:
  profile::ProfileBuilder builder_;
  profile::StringTableBuilder texts_;
  std::shared_ptr<profile::KernelCounters> counters_;
  int ops_ = 0;
  int64_t now_ns_ = 0, gpu_ns_ = 1000;
};

}  // namespace dlview::testing
