// A capture of a few ranges, calls and kernels, made by hand, and the profile that comes of it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "import/capture/devices.h"
#include "import/capture/ops.h"
#include "import/capture/trace_rows.h"
#include "profile/builder.h"
#include "profile/trace.h"
#include "support/thread_ids.h"

namespace dlview::testing {

inline constexpr import::capture::TableNames kTables = {
    .kernels = "kernels",
    .graph_launches = "graphs",
    .memcpys = "memcpys",
    .memsets = "memsets",
    .syncs = "syncs",
    .api_calls = "calls",
    .ranges = "ranges",
    .gpus = "gpus",
};

class TraceSketch {
 public:
  static constexpr profile::ThreadId kThread = thread_of(7, 1);

  TraceSketch() {
    add_threads(trace_);
    builder_.add_device({});
    devices_.set(profile::process_of(kThread), 0, 0);
  }

  // A push/pop range, or of another kind.
  void range(std::string_view text, int64_t start_ns, int64_t end_ns,
             profile::ThreadId thread = kThread, int64_t domain = 0,
             profile::NvtxKind kind = profile::NvtxKind::push_pop_range) {
    text_.push_back(builder_.intern(text));
    range_start_.push_back(start_ns);
    range_end_.push_back(end_ns);
    range_thread_.push_back(thread);
    range_domain_.push_back(domain);
    range_kind_.push_back(kind);
  }
  void domain(int64_t id, std::string_view name) {
    trace_.nvtx_domains.push_back({profile::process_of(kThread), id, std::string(name)});
  }
  // Returns the correlation id.
  int64_t call(std::string_view name, int64_t start_ns, int64_t end_ns,
               profile::ThreadId thread = kThread,
               profile::ApiLayer layer = profile::ApiLayer::runtime) {
    return call_with_id(++correlations_, name, start_ns, end_ns, thread, layer);
  }
  int64_t call_with_id(int64_t correlation, std::string_view name, int64_t start_ns, int64_t end_ns,
                       profile::ThreadId thread = kThread,
                       profile::ApiLayer layer = profile::ApiLayer::runtime) {
    call_name_.push_back(builder_.intern(name));
    call_start_.push_back(start_ns);
    call_end_.push_back(end_ns);
    call_thread_.push_back(thread);
    call_layer_.push_back(layer);
    correlation_.push_back(correlation);
    return correlation;
  }
  void kernel(std::string_view name, int64_t start_ns, int64_t end_ns, int64_t correlation,
              profile::ThreadId thread = kThread) {
    kernel_.add(start_ns, end_ns, correlation, profile::process_of(thread));
    kernel_name_.push_back(builder_.intern(name));
  }
  void memcpy(int64_t start_ns, int64_t end_ns, int64_t correlation, int64_t bytes,
              profile::CopyKind kind = profile::CopyKind::host_to_device) {
    memcpy_.add(start_ns, end_ns, correlation, profile::process_of(kThread));
    bytes_.push_back(bytes);
    copy_kind_.push_back(kind);
  }
  void sync(int64_t start_ns, int64_t end_ns, int64_t correlation) {
    sync_.add(start_ns, end_ns, correlation, profile::process_of(kThread));
  }
  void graph(int64_t number, int64_t start_ns, int64_t end_ns, int64_t correlation) {
    graph_.add(start_ns, end_ns, correlation, profile::process_of(kThread));
    graph_number_.push_back(number);
  }
  // A call that launches a kernel; the kernel runs from 1000 ns later for `duration_ns`.
  void launch(std::string_view kernel_name, int64_t start_ns, int64_t duration_ns = 10,
              profile::ThreadId thread = kThread) {
    const int64_t id = call("cudaLaunchKernel_v7000", start_ns, start_ns + 2, thread);
    kernel(kernel_name, start_ns + 1000, start_ns + 1000 + duration_ns, id, thread);
  }
  // Another process that calls its GPU 0 what is GPU 0 of the machine.
  void process(int64_t number) { devices_.set(thread_of(number), 0, 0); }

  profile::Profile finish() && {
    trace_.nvtx = {.start_ns = range_start_,
                   .end_ns = range_end_,
                   .kind = range_kind_,
                   .thread = range_thread_,
                   .end_thread = {},
                   .domain = range_domain_,
                   .text = text_,
                   .range_id = {},
                   .category = {},
                   .color = {},
                   .source_row = {},
                   .event_kind = {},
                   .forward = {},
                   .input_shapes = {},
                   .input_types = {},
                   .input_values = {},
                   .call_stack = {}};
    trace_.api_calls = {.start_ns = call_start_,
                        .end_ns = call_end_,
                        .layer = call_layer_,
                        .thread = call_thread_,
                        .correlation = correlation_,
                        .name = call_name_,
                        .return_value = {}};
    kernel_.fill(trace_.kernels);
    trace_.kernels.short_name = kernel_name_;
    memcpy_.fill(trace_.memcpys);
    trace_.memcpys.bytes = bytes_;
    trace_.memcpys.copy_kind = copy_kind_;
    sync_.fill(trace_.syncs);
    graph_.fill(trace_.graph_launches);
    trace_.graph_launches.graph = graph_number_;
    import::QualityLog quality;
    import::capture::build_ops(trace_, devices_, builder_,
                               {kTables, import::capture::LeftOutRows(), quality});
    builder_.quality = std::move(quality).finish();
    return std::move(builder_).finish();
  }

 private:
  struct WorkColumns {
    std::vector<int64_t> start_ns, end_ns, correlation, process;
    void add(int64_t start, int64_t end, int64_t id, profile::ThreadId of) {
      start_ns.push_back(start);
      end_ns.push_back(end);
      correlation.push_back(id);
      process.push_back(of);
    }
    void fill(profile::GpuWork& work) const {
      work.start_ns = start_ns;
      work.end_ns = end_ns;
      work.correlation = correlation;
      work.process = process;
    }
  };

  profile::Trace trace_;
  profile::ProfileBuilder builder_;
  import::capture::DeviceRows devices_;
  int64_t correlations_ = 0;
  std::vector<profile::StringId> text_, call_name_, kernel_name_;
  std::vector<int64_t> range_start_, range_end_, range_thread_, range_domain_;
  std::vector<profile::NvtxKind> range_kind_;
  std::vector<profile::ApiLayer> call_layer_;
  std::vector<profile::CopyKind> copy_kind_;
  std::vector<int64_t> call_start_, call_end_, call_thread_, correlation_, bytes_, graph_number_;
  WorkColumns kernel_, memcpy_, sync_, graph_;
};

// "ID name type direction" of every op, in order of row.
inline std::vector<std::string> ops_of(const profile::Profile& profile) {
  std::vector<std::string> lines;
  for (profile::Row op = 0; op < profile.ops.size(); ++op) {
    std::string line(profile.text(profile.ops.id[op]));
    for (const profile::StringId id :
         {profile.ops.name[op], profile.ops.type[op], profile.ops.direction[op]}) {
      if (!profile.text(id).empty()) line.append(" ").append(profile.text(id));
    }
    lines.push_back(line);
  }
  return lines;
}

// "ID start-stop: kernels" of every instance, in order of time.
inline std::vector<std::string> instances_of(const profile::Profile& profile) {
  std::vector<std::string> lines;
  const auto& instances = profile.instances;
  for (profile::Row i = 0; i < instances.size(); ++i) {
    std::string line(profile.text(profile.ops.id[instances.op[i]]));
    line += " " + std::to_string(instances.cpu_start_ns[i]) + "-" +
            std::to_string(instances.cpu_stop_ns[i]);
    for (profile::Row k = instances.first_kernel[i]; k < instances.first_kernel[i + 1]; ++k) {
      line.append(" ").append(profile.text(profile.kernels.name[k]));
    }
    lines.push_back(line);
  }
  return lines;
}

}  // namespace dlview::testing
