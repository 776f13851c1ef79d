// Takes down what the synthetic run does, as a profiler would, and numbers it as DLProf does: ops
// by type and first execution ("CONV2D_7"), rows in the order of a DLProf database.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "generate/demo/op_spec.h"
#include "profile/builder.h"

namespace dlview::generate::demo {

class Recorder {
 public:
  using Instance = profile::Row;

  profile::Row add_device(profile::Device device) { return builder_.add_device(std::move(device)); }
  profile::Row add_thread(const profile::Thread& thread) { return builder_.intern_thread(thread); }

  // Specs are known by their address and must outlive the recorder. What runs for the `place`-th
  // time in a step, counted from 0, is an op of its own.
  Instance begin(const OpSpec& op, int place, profile::Row thread, int64_t cpu_start_ns);
  void end(Instance instance, int64_t cpu_stop_ns) {
    instances_[instance].cpu_stop_ns = cpu_stop_ns;
  }

  struct Times {
    int64_t api_start_ns, api_stop_ns, gpu_start_ns, gpu_stop_ns;
  };
  void kernel(Instance instance, const KernelSpec& kernel, profile::Row device, const Times& times);
  void memory_op(Instance instance, const MemorySpec& memory, profile::Row device,
                 const Times& times);
  // CUPTI: 1 the device, 2 an event, 3 a stream.
  void sync(Instance instance, std::string_view call, int32_t sync_type, int64_t api_start_ns,
            int64_t api_stop_ns);
  void api_call(Instance instance, std::string_view call, int64_t api_start_ns,
                int64_t api_stop_ns);

  profile::Profile finish(profile::SystemFacts system) &&;

 private:
  struct KernelTexts {
    profile::StringId name, long_name;
  };
  profile::StringId intern(std::string_view text);
  profile::Row add_op(const OpSpec& op);
  void fit_to_calls();
  void name_ops();
  void add_ops_in_order();
  void add_instances_in_order();
  // Indices of `events` by (op, name, api start).
  template <typename EventRow>
  std::vector<profile::Row> file_order(const std::vector<EventRow>& events) const;
  void number_events();

  profile::ProfileBuilder builder_;
  std::vector<std::string> texts_;                                 // by StringId
  std::map<std::pair<const OpSpec*, int>, profile::Row> op_rows_;  // by spec and place
  std::map<const KernelSpec*, KernelTexts> kernel_texts_;
  std::vector<profile::OpRow> ops_;
  std::vector<profile::OpInstanceRow> instances_;
  std::vector<profile::KernelRow> kernels_;
  std::vector<profile::MemoryOpRow> memory_ops_;
  std::vector<profile::SyncRow> syncs_;
  std::vector<profile::ApiCallRow> api_calls_;
};

}  // namespace dlview::generate::demo
