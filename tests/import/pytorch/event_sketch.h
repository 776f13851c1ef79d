// A few events of a PyTorch profiler trace, made by hand, and the profile that comes of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "import/pytorch/trace_profile.h"

namespace dlview::testing {

class EventSketch {
 public:
  static constexpr int64_t kOrigin = 1'700'000'000'000'000'000;
  static constexpr uint32_t kMain = 0, kAutograd = 1;
  // Before the name of a backward op.
  static constexpr const char* kEvaluate = "autograd::engine::evaluate_function: ";

  EventSketch() {
    events.threads = {{"100", "100", "python", ""}, {"100", "102", "python", "pt_autograd_0"}};
    events.header.cuda_runtime_version = "12090";
    events.header.devices.push_back({0, "NVIDIA H100", int64_t{80} << 30, 132, 9, 0});
  }

  // Times are ns from kOrigin. Returns the event for what else it has.
  dlview::import::pytorch::HostEvent& op(std::string_view name, int64_t start_ns, int64_t stop_ns,
                                         uint32_t thread = kMain) {
    dlview::import::pytorch::HostEvent event;
    set_time(event, start_ns, stop_ns);
    event.name = builder.intern(name);
    event.thread = thread;
    events.host.push_back(event);
    return events.host.back();
  }
  dlview::import::pytorch::HostEvent& annotation(std::string_view name, int64_t start_ns,
                                                 int64_t stop_ns, uint32_t thread = kMain) {
    dlview::import::pytorch::HostEvent& event = op(name, start_ns, stop_ns, thread);
    event.kind = dlview::import::pytorch::HostEvent::Kind::annotation;
    return event;
  }
  // An op of the forward pass that has backward ops of that number.
  void forward(std::string_view name, int64_t start_ns, int64_t stop_ns, int64_t number,
               uint32_t thread = kMain) {
    dlview::import::pytorch::HostEvent& event = op(name, start_ns, stop_ns, thread);
    event.sequence_number = number;
    event.forward_thread = 0;
  }
  void backward(std::string_view name, int64_t start_ns, int64_t stop_ns, int64_t number,
                uint32_t thread = kAutograd) {
    dlview::import::pytorch::HostEvent& event = op(name, start_ns, stop_ns, thread);
    event.sequence_number = number;
    event.forward_thread = 1;
  }
  void module(std::string_view name, int64_t start_ns, int64_t stop_ns, uint32_t thread = kMain) {
    dlview::import::pytorch::PythonFrame frame;
    set_time(frame, start_ns, stop_ns);
    frame.name = builder.intern("nn.Module: " + std::string(name));
    frame.thread = thread;
    events.modules.push_back(frame);
    ++events.frames;
  }
  dlview::import::pytorch::CallEvent& call(std::string_view name, int64_t start_ns, int64_t stop_ns,
                                           int64_t correlation, uint32_t thread = kMain) {
    dlview::import::pytorch::CallEvent event;
    set_time(event, start_ns, stop_ns);
    event.name = builder.intern(name);
    event.thread = thread;
    event.correlation = correlation;
    event.grid = event.block = {0, 0, 0};
    events.calls.push_back(event);
    return events.calls.back();
  }  // namespace dlview::testing
  dlview::import::pytorch::KernelEvent& kernel(std::string_view name, int64_t start_ns,
                                               int64_t stop_ns, int64_t correlation) {
    dlview::import::pytorch::KernelEvent event;
    set_time(event, start_ns, stop_ns);
    event.name = builder.intern(name);
    event.device = 0;
    event.stream = 7;
    event.correlation = correlation;
    event.grid = event.block = {0, 0, 0};
    events.kernels.push_back(event);
    return events.kernels.back();
  }
  // A call of 2 ns, and its kernel of 10 ns that begins 1000 ns later.
  void launch(std::string_view kernel_name, int64_t start_ns, uint32_t thread = kMain) {
    call("cudaLaunchKernel", start_ns, start_ns + 2, ++correlations_, thread);
    kernel(kernel_name, start_ns + 1000, start_ns + 1010, correlations_);
  }
  dlview::import::pytorch::MemoryEvent& memcpy(std::string_view name, int64_t start_ns,
                                               int64_t stop_ns, int64_t correlation,
                                               int64_t bytes) {
    dlview::import::pytorch::MemoryEvent event;
    set_time(event, start_ns, stop_ns);
    event.name = builder.intern(name);
    event.device = 0;
    event.correlation = correlation;
    event.bytes = bytes;
    events.memcpys.push_back(event);
    return events.memcpys.back();
  }

  // Of a stream of GPU 0; kNoValue = none.
  dlview::import::pytorch::SyncEvent& sync(std::string_view kind, int64_t start_ns, int64_t stop_ns,
                                           int64_t stream) {
    dlview::import::pytorch::SyncEvent event;
    set_time(event, start_ns, stop_ns);
    event.name = event.kind = builder.intern(kind);
    event.device = 0;
    event.stream = stream;
    event.blocks_host = kind.find("Wait") == std::string_view::npos;
    events.syncs.push_back(event);
    return events.syncs.back();
  }
  void overhead(std::string_view name, int64_t start_ns, int64_t stop_ns) {
    dlview::import::pytorch::OverheadEvent event;
    set_time(event, start_ns, stop_ns);
    event.name = builder.intern(name);
    events.overheads.push_back(event);
  }

  // A value of a counter, whose process may be a GPU.
  void counter(std::string_view name, std::string_view value_name, int64_t process, int64_t time_ns,
               double value) {
    const dlview::import::pytorch::CounterSeries series{
        builder.intern(name), builder.intern(value_name), builder.intern(std::to_string(process)),
        process};
    const auto found = std::ranges::find(events.counter_series, series);
    const auto place = static_cast<uint32_t>(found - events.counter_series.begin());
    if (found == events.counter_series.end()) events.counter_series.push_back(series);
    events.counters.push_back({kOrigin + time_ns, value, place});
  }

  // Of events.op_inputs.
  uint32_t inputs(std::string_view dims, std::string_view types) {
    events.op_inputs.push_back({builder.intern(dims), builder.intern(types), 0, 0});
    return static_cast<uint32_t>(events.op_inputs.size() - 1);
  }

  profile::Profile finish() && {
    return dlview::import::pytorch::profile_of(std::move(events), std::move(builder),
                                               dlview::import::QualityLog());
  }

  dlview::import::pytorch::TraceEvents events;
  profile::ProfileBuilder builder;

 private:
  void set_time(dlview::import::pytorch::EventTime& time, int64_t start_ns, int64_t stop_ns) {
    time.start_ns = kOrigin + start_ns;
    time.stop_ns = kOrigin + stop_ns;
    if (!events.span) events.span = dlview::import::pytorch::EventTime{kOrigin, kOrigin};
    events.span->stop_ns = std::max(events.span->stop_ns, time.stop_ns);
  }

  int64_t correlations_ = 0;
};

// "/path|direction start-stop: kernels" of every instance, in order of time.
inline std::vector<std::string> op_lines(const profile::Profile& profile) {
  std::vector<std::string> lines;
  const auto& instances = profile.instances;
  for (profile::Row i = 0; i < instances.size(); ++i) {
    const auto op = instances.op[i];
    std::string line(profile.text(profile.ops.name[op]));
    const std::string_view direction = profile.text(profile.ops.direction[op]);
    if (!direction.empty()) line.append("|").append(direction);
    line += " " + std::to_string(instances.cpu_start_ns[i]) + "-" +
            std::to_string(instances.cpu_stop_ns[i]);
    for (profile::Row k = instances.first_kernel[i]; k < instances.first_kernel[i + 1]; ++k) {
      line.append(" ").append(profile.text(profile.kernels.long_name[k]));
    }
    lines.push_back(line);
  }
  return lines;
}

}  // namespace dlview::testing
