#include "bench/engine/reference_load.h"

#include <algorithm>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace dlview::bench {
namespace {

using profile::Row;
using profile::StringId;

constexpr int kGpus = 2;
constexpr int kKernelNames = 3;  // of an op

class Load {
 public:
  explicit Load(const LoadSize& size) : size_(size) {}

  profile::Profile make() {
    for (int gpu = 0; gpu < kGpus; ++gpu) add_gpu(gpu);
    add_ops();
    const int64_t instances = size_.iterations * size_.ops;
    reserve(static_cast<std::size_t>(instances));
    for (int64_t i = 0; i < instances; ++i) {
      add_instance(i, size_.kernels * (i + 1) / instances - size_.kernels * i / instances);
    }
    return finish();
  }

 private:
  int64_t up_to(int64_t most) {
    return static_cast<int64_t>(random_() % static_cast<uint64_t>(most)) + 1;
  }

  void add_gpu(int gpu) {
    profile::Device device;
    device.source_id = device.device_id = gpu;
    device.name = "GPU";
    device.compute_capability_major = 9;
    device.sm_count = 132;
    profile_.devices.push_back(device);
    profile_.threads.push_back({1, gpu});
    for (int32_t blocks = 1; blocks <= 16; ++blocks) {
      launches_grid_.push_back({blocks, 1, 1});
      launches_block_.push_back({256, 1, 1});
      launches_device_.push_back(static_cast<Row>(gpu));
      launches_thread_.push_back(static_cast<Row>(gpu));
    }
  }

  void add_ops() {
    std::vector<StringId> ids, names, types, directions, data_types, empty;
    std::vector<profile::TensorCoreSupport> support;
    std::vector<int64_t> source_ids;
    for (int64_t op = 0; op < size_.ops; ++op) {
      ids.push_back(strings_.intern(fmt::format("OP_{}", op)));
      names.push_back(
          strings_.intern(op == 0 ? reference_key_op()
                                  : fmt::format("/net/stage{}/block{}/layer{}{}/op", op / 200,
                                                op / 20, op, op % 2 == 0 ? "/conv" : "")));
      types.push_back(strings_.intern(fmt::format("type{}", op % 40)));
      directions.push_back(strings_.intern(op % 2 == 0 ? "fprop" : "bprop"));
      data_types.push_back(strings_.intern("float16"));
      empty.push_back(0);
      support.push_back(op % 3 == 0 ? profile::TensorCoreSupport::eligible
                                    : profile::TensorCoreSupport::none);
      source_ids.push_back(op + 1);
      for (int k = 0; k < kKernelNames; ++k) {
        kernel_names_.push_back(strings_.intern(fmt::format("kernel_{}", (op * 7 + k * 31) % 400)));
      }
    }
    profile_.ops = {ids,   names, types, directions, data_types, empty,
                    empty, empty, empty, support,    source_ids};
  }

  void reserve(std::size_t instances) {
    for (auto* column : {&cpu_start_, &cpu_stop_, &instance_id_}) column->reserve(instances);
    for (auto* column : {&op_, &thread_, &first_kernel_, &first_memory_op_}) {
      column->reserve(instances + 1);
    }
    const auto kernels = static_cast<std::size_t>(size_.kernels);
    for (auto* column : {&api_start_, &api_stop_, &gpu_start_, &gpu_stop_, &kernel_id_}) {
      column->reserve(kernels);
    }
    for (auto* column : {&kernel_instance_, &launch_}) column->reserve(kernels);
    name_.reserve(kernels);
    uses_tensor_cores_.reserve(kernels);
  }

  void add_instance(int64_t number, int64_t kernels) {
    const auto op = static_cast<Row>(number % size_.ops);
    const auto gpu = static_cast<std::size_t>(op % kGpus);
    first_kernel_.push_back(static_cast<Row>(name_.size()));
    first_memory_op_.push_back(0);
    op_.push_back(op);
    thread_.push_back(static_cast<Row>(gpu));
    instance_id_.push_back(number + 1);
    cpu_start_.push_back(now_ns_);
    for (int64_t k = 0; k < kernels; ++k) {
      kernel_instance_.push_back(static_cast<Row>(number));
      const auto kind =
          static_cast<std::size_t>(op) * kKernelNames + static_cast<std::size_t>(k % kKernelNames);
      name_.push_back(kernel_names_[kind]);
      uses_tensor_cores_.push_back(op % 3 == 0 && k % kKernelNames == 0 ? 1 : 0);
      launch_.push_back(static_cast<Row>(gpu * 16 + static_cast<std::size_t>(up_to(16) - 1)));
      api_start_.push_back(now_ns_ += up_to(500));
      api_stop_.push_back(now_ns_ += 2'000 + up_to(3'000));
      // Now and then two kernels of a GPU overlap.
      const int64_t start_ns = std::max(now_ns_, gpu_free_ns_[gpu]) + up_to(900);
      const int64_t stop_ns = start_ns + 1'000 + up_to(9'000);
      gpu_start_.push_back(start_ns);
      gpu_stop_.push_back(stop_ns);
      gpu_free_ns_[gpu] = up_to(16) == 1 ? stop_ns - 1'000 : stop_ns;
      kernel_id_.push_back(static_cast<int64_t>(kernel_id_.size()) + 1);
    }
    cpu_stop_.push_back(now_ns_ += up_to(1'000));
    now_ns_ += up_to(1'000);
  }

  profile::Profile finish() {
    const std::size_t instances = op_.size();
    first_kernel_.push_back(static_cast<Row>(name_.size()));
    first_memory_op_.push_back(0);
    const std::vector<StringId> no_text(instances, 0);
    const std::vector<Row> none(instances + 1, 0);
    profile_.last_ns = std::max({now_ns_, gpu_free_ns_[0], gpu_free_ns_[1]}) + 1'000;
    auto& [op, cpu_start, cpu_stop, thread, in_names, in_shapes, out_names, out_shapes, parameters,
           source_id, forward, first_kernel, first_memory_op, first_sync, first_api_call] =
        profile_.instances;
    op = std::move(op_);
    cpu_start = std::move(cpu_start_);
    cpu_stop = std::move(cpu_stop_);
    thread = std::move(thread_);
    in_names = in_shapes = out_names = out_shapes = parameters = profile::Column(no_text);
    source_id = std::move(instance_id_);
    first_kernel = std::move(first_kernel_);
    first_memory_op = std::move(first_memory_op_);
    const profile::Column no_events(none);
    first_sync = no_events;
    first_api_call = no_events;
    const profile::Column<StringId> names(std::move(name_));
    profile_.kernels = {std::move(kernel_instance_),
                        names,
                        names,
                        std::move(uses_tensor_cores_),
                        std::move(api_start_),
                        std::move(api_stop_),
                        std::move(gpu_start_),
                        std::move(gpu_stop_),
                        std::move(launch_),
                        std::move(kernel_id_)};
    profile_.launches = {std::move(launches_grid_), std::move(launches_block_),
                         std::move(launches_device_), std::move(launches_thread_)};
    profile_.strings = std::move(strings_).finish();
    return std::move(profile_);
  }

  LoadSize size_;
  std::mt19937_64 random_{1};
  profile::Profile profile_;
  profile::StringTableBuilder strings_;
  std::vector<StringId> kernel_names_;  // kKernelNames of each op
  std::vector<profile::Dim3> launches_grid_, launches_block_;
  std::vector<Row> launches_device_, launches_thread_;
  std::vector<Row> op_, thread_, first_kernel_, first_memory_op_, kernel_instance_, launch_;
  std::vector<int64_t> cpu_start_, cpu_stop_, instance_id_, kernel_id_;
  std::vector<int64_t> api_start_, api_stop_, gpu_start_, gpu_stop_;
  std::vector<StringId> name_;
  std::vector<uint8_t> uses_tensor_cores_;
  int64_t now_ns_ = 0;
  int64_t gpu_free_ns_[kGpus] = {};
};

}  // namespace

std::shared_ptr<const profile::Profile> reference_load(const LoadSize& size) {
  static std::map<LoadSize, std::shared_ptr<const profile::Profile>> loads;
  auto& load = loads[size];
  if (load == nullptr) load = std::make_shared<const profile::Profile>(Load(size).make());
  return load;
}

std::string reference_key_op() {
  return "step";
}

}  // namespace dlview::bench
