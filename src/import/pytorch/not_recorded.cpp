#include "import/pytorch/not_recorded.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "import/not_recorded_list.h"
#include "profile/data_loading.h"
#include "profile/recorded.h"

namespace dlview::import::pytorch {
namespace {

constexpr const char* kActivities =
    "torch.profiler.profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA])";

void add_gpu(const profile::Trace& trace, NotRecordedList& lacks) {
  const bool has_work = trace.kernels.size() + trace.memcpys.size() + trace.memsets.size() > 0;
  const bool has_calls = trace.api_calls.size() > 0;
  lacks.add_if(!has_work && !has_calls, profile::kNoGpuWorkAndCalls, kActivities);
  lacks.add_if(!has_work && has_calls, profile::kNoGpuWork,
               "Check that the run used the GPU. If it did, call torch.cuda.synchronize() before "
               "the profiler stops.");
  lacks.add_if(has_work && !has_calls, profile::kNoApiCalls, kActivities);
}

void add_memory(const TraceEvents& events, NotRecordedList& lacks) {
  const bool has_totals = std::ranges::any_of(
      events.allocations, [](const auto& event) { return event.total_reserved != kNoValue; });
  lacks.add_if(events.allocations.empty(), "GPU memory in use",
               "torch.profiler.profile(profile_memory=True)");
  lacks.add_if(!events.allocations.empty() && !has_totals, "Totals of allocated memory",
               "PyTorch 1.10 or later with profile_memory=True");
}

}  // namespace

std::vector<profile::NotRecorded> list_not_recorded(const TraceEvents& events, bool has_cuda_syncs,
                                                    const profile::Trace& trace,
                                                    const profile::Profile& profile) {
  NotRecordedList lacks;
  add_gpu(trace, lacks);
  lacks.add_if(events.host.empty(), profile::kNoOps, kActivities);
  const auto is_step = [&](StringId name) { return profile.text(name) == "ProfilerStep"; };
  lacks.add_if(std::ranges::none_of(profile.user_ranges.name, is_step),
               "Iteration markers (ProfilerStep)", "prof.step() after each iteration");
  const auto loads_data = [&](StringId type) {
    return profile.text(type) == profile::kDataLoaderOpType;
  };
  lacks.add_if(!events.host.empty() && std::ranges::none_of(profile.ops.type, loads_data),
               profile::kNoDataLoader,
               "torch.utils.data.DataLoader, or torch.profiler.record_function(\"DataLoader\")");
  const auto has_shapes = [](const OpInputs& inputs) { return inputs.dims != 0; };
  lacks.add_if(!events.host.empty() && std::ranges::none_of(events.op_inputs, has_shapes),
               "Input shapes and data types", "torch.profiler.profile(record_shapes=True)");
  lacks.add_if(events.modules.empty() && events.frames == 0, "Modules and Python frames",
               "torch.profiler.profile(with_stack=True)");
  add_memory(events, lacks);
  const bool is_nvidia = std::ranges::any_of(trace.gpus, [](const profile::TraceGpu& gpu) {
    return gpu.vendor == profile::Vendor::nvidia;
  });
  lacks.add_if(is_nvidia && !has_cuda_syncs, "Stream synchronization",
               "torch.profiler.profile(experimental_config=_ExperimentalConfig("
               "enable_cuda_sync_events=True))");
  lacks.add_if(!trace.gpus.empty() && events.header.devices.empty(),
               "Names, sizes and generations of the GPUs", "PyTorch 1.9 or later records them.");
  lacks.add_if(true, "I/O time", "The PyTorch profiler does not record it.");
  return std::move(lacks).take();
}

}  // namespace dlview::import::pytorch
