// A Trace of a few events, for tests whose numbers are worked out by hand. Process 7 with thread 8
// unless told otherwise.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "profile/builder.h"
#include "support/thread_ids.h"

namespace dlview::testing {

class TraceSketch {
 public:
  static constexpr profile::ThreadId kThread = thread_of(7, 8);

  void kernel(std::string_view name, int64_t start_ns, int64_t end_ns, int64_t correlation = 0,
              profile::ThreadId process = thread_of(7), profile::Dim3 grid = {}) {
    add_work(kernels_, start_ns, end_ns, correlation, process);
    kernel_names_.push_back(builder_.intern(name));
    grids_.push_back(grid);
  }
  void copy(profile::CopyKind kind, int64_t bytes, int64_t start_ns, int64_t end_ns,
            int64_t correlation = 0) {
    add_work(copies_, start_ns, end_ns, correlation, thread_of(7));
    copy_kinds_.push_back(kind);
    copy_bytes_.push_back(bytes);
  }
  void memset(int64_t bytes, int64_t start_ns, int64_t end_ns) {
    add_work(memsets_, start_ns, end_ns, 0, thread_of(7));
    memset_bytes_.push_back(bytes);
  }
  void call(std::string_view name, int64_t start_ns, int64_t end_ns, int64_t correlation = 0,
            profile::ThreadId thread = kThread) {
    call_starts_.push_back(start_ns);
    call_ends_.push_back(end_ns);
    call_ids_.push_back(correlation);
    call_threads_.push_back(thread);
    call_names_.push_back(builder_.intern(name));
  }
  void range(std::string_view text, int64_t start_ns, int64_t end_ns,
             profile::NvtxKind kind = profile::NvtxKind::push_pop_range, int64_t domain = 0,
             profile::ThreadId thread = kThread) {
    range_starts_.push_back(start_ns);
    range_ends_.push_back(end_ns);
    range_kinds_.push_back(kind);
    range_domains_.push_back(domain);
    range_threads_.push_back(thread);
    range_texts_.push_back(builder_.intern(text));
  }
  void domain(int64_t id, std::string_view name) {
    trace.nvtx_domains.push_back({profile::process_of(kThread), id, std::string(name)});
  }
  void gpu(int64_t id, int64_t cuda_device, std::string_view name) {
    profile::TraceGpu gpu;
    gpu.id = id;
    gpu.cuda_device = cuda_device;
    gpu.name = name;
    trace.gpus.push_back(gpu);
  }

  profile::Profile finish() {
    if (trace.threads.empty()) add_threads(trace);
    move_to(trace.kernels, kernels_);
    trace.kernels.demangled_name = std::move(kernel_names_);
    trace.kernels.block = std::vector<profile::Dim3>(grids_.size(), {128, 1, 1});
    trace.kernels.grid = std::move(grids_);
    move_to(trace.memcpys, copies_);
    trace.memcpys.src_kind = std::vector(copy_kinds_.size(), profile::MemoryKind::pageable);
    trace.memcpys.dst_kind = std::vector(copy_kinds_.size(), profile::MemoryKind::device);
    trace.memcpys.copy_kind = std::move(copy_kinds_);
    trace.memcpys.bytes = std::move(copy_bytes_);
    move_to(trace.memsets, memsets_);
    trace.memsets.bytes = std::move(memset_bytes_);
    trace.api_calls.start_ns = std::move(call_starts_);
    trace.api_calls.end_ns = std::move(call_ends_);
    trace.api_calls.correlation = std::move(call_ids_);
    trace.api_calls.thread = std::move(call_threads_);
    trace.api_calls.name = std::move(call_names_);
    trace.nvtx.start_ns = std::move(range_starts_);
    trace.nvtx.end_ns = std::move(range_ends_);
    trace.nvtx.kind = std::move(range_kinds_);
    trace.nvtx.domain = std::move(range_domains_);
    trace.nvtx.thread = std::move(range_threads_);
    trace.nvtx.text = std::move(range_texts_);
    profile::Profile profile = std::move(builder_).finish();
    profile.trace = std::move(trace);
    return profile;
  }

  profile::Trace trace;  // what the functions above do not set

 private:
  struct Work {
    std::vector<int64_t> start_ns, end_ns, correlation;
    std::vector<profile::ThreadId> process;
  };

  static void add_work(Work& work, int64_t start_ns, int64_t end_ns, int64_t correlation,
                       profile::ThreadId process) {
    work.start_ns.push_back(start_ns);
    work.end_ns.push_back(end_ns);
    work.correlation.push_back(correlation);
    work.process.push_back(process);
  }
  static void move_to(profile::GpuWork& columns, Work& work) {
    columns.device_id = std::vector<int32_t>(work.start_ns.size(), 0);
    columns.start_ns = std::move(work.start_ns);
    columns.end_ns = std::move(work.end_ns);
    columns.correlation = std::move(work.correlation);
    columns.process = std::move(work.process);
  }

  profile::ProfileBuilder builder_;
  Work kernels_, copies_, memsets_;
  std::vector<profile::StringId> kernel_names_, call_names_, range_texts_;
  std::vector<profile::Dim3> grids_;
  std::vector<profile::CopyKind> copy_kinds_;
  std::vector<profile::NvtxKind> range_kinds_;
  std::vector<int64_t> copy_bytes_, memset_bytes_;
  std::vector<int64_t> call_starts_, call_ends_, call_ids_, call_threads_;
  std::vector<int64_t> range_starts_, range_ends_, range_domains_, range_threads_;
};

}  // namespace dlview::testing
