// How the recorder writes its events, each when it is closed.
#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "generate/pytorch/recorder.h"

namespace dlview::generate::pytorch {
namespace {

constexpr std::size_t kManyRecords = 1 << 14;

}  // namespace

void Recorder::argue(int64_t value) {
  char digits[24];
  arguments_.append(digits, std::to_chars(digits, digits + sizeof(digits), value).ptr);
}

void Recorder::begin_x(std::string_view category, std::string_view quoted_name) {
  ++truth_.x_events;
  writer_.begin();
  writer_.add("\"ph\"", "\"X\"");
  writer_.add("\"cat\"", category);
  writer_.add("\"name\"", quoted_name);
}

void Recorder::add_times_and_arguments(int64_t start_ns, int64_t end_ns) {
  writer_.end_line();
  writer_.add_time("\"ts\"", offset_ns_ + start_ns);
  writer_.add_time("\"dur\"", end_ns - start_ns);
  if (!arguments_.empty()) {
    writer_.end_line();
    arguments_ += "\n    }";
    writer_.add("\"args\"", arguments_);
  }
  writer_.end();
}

void Recorder::write_flow(bool is_start, bool is_launch, int64_t id, int64_t at_ns,
                          HostThread thread) {
  writer_.begin();
  writer_.add("\"ph\"", is_start ? "\"s\"" : "\"f\"");
  writer_.add("\"id\"", id);
  writer_.add("\"pid\"", process_);
  writer_.add("\"tid\"", thread_id(thread));
  writer_.add_time("\"ts\"", offset_ns_ + at_ns);
  writer_.end_line();
  const std::string_view category = !is_launch ? "\"fwdbwd\"" : is_old_ ? "\"async\"" : "\"ac2g\"";
  writer_.add("\"cat\"", category);
  writer_.add("\"name\"", is_launch && is_old_ ? "\"launch\"" : category);
  if (!is_start) writer_.add("\"bp\"", "\"e\"");
  writer_.end();
}

void Recorder::write_end_of_launch(const GpuRecord& record) {
  writer_.begin();
  writer_.add("\"ph\"", "\"f\"");
  writer_.add("\"id\"", record.correlation);
  writer_.add("\"pid\"", device_);
  writer_.add("\"tid\"", stream_texts_[slot(record.stream)]);
  writer_.add_time("\"ts\"", offset_ns_ + record.start_ns);
  writer_.end_line();
  writer_.add("\"cat\"", is_old_ ? "\"async\"" : "\"ac2g\"");
  writer_.add("\"name\"", is_old_ ? "\"launch\"" : "\"ac2g\"");
  writer_.add("\"bp\"", "\"e\"");
  writer_.end();
}

// Writer D: no categories, and an arrow for each GPU activity.
void Recorder::write_array_event(const HostRecord& record) {
  const auto write = [&](std::string_view phase, bool has_duration) {
    writer_.begin();
    writer_.add("\"name\"", at(record.spec->name).quoted);
    writer_.add("\"ph\"", phase);
    writer_.add_time("\"ts\"", record.start_ns);
    if (has_duration) writer_.add_time("\"dur\"", record.end_ns - record.start_ns);
    writer_.add("\"tid\"", thread_text(record.thread));
    writer_.add("\"pid\"", "\"CPU functions\"");
    if (!has_duration) {
      writer_.add("\"id\"", next_frame_id_++);
      writer_.add("\"cat\"", "\"cpu_to_cuda\"");
    }
    writer_.add("\"args\"", "{}");
    writer_.end();
  };
  ++truth_.x_events;
  write("\"X\"", true);
  for (int64_t i = 0; i < record.launches; ++i) write("\"s\"", false);
}

void Recorder::write_op(const HostRecord& record) {
  if (is_array_) return write_array_event(record);
  begin_x(is_old_                      ? "\"Operator\""
          : record.spec->is_annotation ? "\"user_annotation\""
                                       : "\"cpu_op\"",
          at(record.spec->name).quoted);
  writer_.add("\"pid\"", process_);
  writer_.add("\"tid\"", thread_text(record.thread));
  arguments_ = "{\n      ";
  if (is_old_) {
    argue("\"Device\": ");
    argue(process_);
    argue(", ");
  }
  argue("\"External id\": ");
  argue(record.external_id);
  if (is_old_) {
    argue(", \"Trace name\": \"PyTorch Profiler\", \"Trace iteration\": 0");
  } else if (options_.schema == PytorchSchema::v2023) {
    argue(",\"Ev Idx\": ");
    argue(record.order);
  } else {
    argue(",\"Record function id\": 0");
  }
  if (record.sequence >= 0) {
    argue(", \"Sequence number\": ");
    argue(record.sequence);
    argue(", \"Fwd thread id\": ");
    argue(record.forward_thread);
  }
  argue(record.spec->arguments);
  if (options_.schema >= PytorchSchema::v2024) {
    argue(", \"Ev Idx\": ");
    argue(record.order);
  }
  add_times_and_arguments(record.start_ns, record.end_ns);
  if (record.flow == 0 || options_.schema < PytorchSchema::v2024) return;
  const bool is_start = record.flow > 0;
  if (is_start) {
    ++truth_.links["flows"];
    ++truth_.links["flows_that_agree"];
  }
  write_flow(is_start, false, is_start ? record.flow : -record.flow, record.start_ns,
             record.thread);
}

void Recorder::write_frame(const FrameRecord& record) {
  const OpenFrame& frame = record.frame;
  begin_x("\"python_function\"", frame.spec->name);
  writer_.add("\"pid\"", process_);
  writer_.add("\"tid\"", thread_text(record.thread));
  arguments_ = "{\n      \"Python parent id\": ";
  if (frame.parent == 0) {
    argue("null");
  } else {
    argue(frame.parent);
  }
  argue(", \"Python id\": ");
  argue(frame.id);
  if (frame.spec->module_id >= 0) {
    argue(", \"Python module id\": ");
    argue(frame.spec->module_id);
  }
  argue(", \"Ev Idx\": ");
  argue(frame.order);
  add_times_and_arguments(frame.start_ns, record.end_ns);
}

void Recorder::write_memory(const MemoryRecord& record) {
  const int gpu_type = is_amd_ ? 6 : 1;
  PytorchTruth::Memory& row =
      truth_.memory[record.is_on_gpu ? fmt::format("{}:{}", gpu_type, device_) : "0:-1"];
  ++row.events;
  ++(record.bytes > 0 ? row.allocations : row.frees);
  (record.bytes > 0 ? row.allocated_bytes : row.freed_bytes) += std::abs(record.bytes);
  writer_.begin();
  writer_.add("\"ph\"", "\"i\"");
  if (!is_old_) writer_.add("\"cat\"", "\"cpu_instant_event\"");
  writer_.add("\"s\"", "\"t\"");
  writer_.add("\"name\"", "\"[memory]\"");
  writer_.end_line();
  writer_.add("\"pid\"", process_);
  writer_.add("\"tid\"", thread_id(record.thread));
  writer_.end_line();
  writer_.add_time("\"ts\"", offset_ns_ + record.at_ns);
  writer_.end_line();
  arguments_ = "{\n      ";
  if (!is_old_) {
    row.peak_allocated = std::max(row.peak_allocated, record.allocated);
    row.peak_reserved = std::max(row.peak_reserved, record.reserved);
    argue("\"Total Reserved\": ");
    argue(record.reserved);
    argue(", \"Total Allocated\": ");
    argue(record.allocated);
    argue(", \"Bytes\": ");
    argue(record.bytes);
    argue(", \"Addr\": ");
    argue(record.address);
    argue(", \"Device Id\": ");
    argue(record.is_on_gpu ? device_ : -1);
    argue(", \"Device Type\": ");
    argue(record.is_on_gpu ? gpu_type : 0);
    argue(", \"Ev Idx\": ");
    argue(record.order);
  } else {
    argue("\"Device Type\": ");
    argue(record.is_on_gpu ? 1 : 0);
    argue(", \"Device Id\": ");
    argue(record.is_on_gpu ? device_ : -1);
    argue(", \"Bytes\": ");
    argue(record.bytes);
  }
  argue("\n    }");
  writer_.add("\"args\"", arguments_);
  writer_.end();
}

// What AMD's calls say of the GPU activity they cause.
void Recorder::argue_launched(const CallRecord& record) {
  const GpuSpec& spec = *record.launched;
  if (spec.kind != GpuKind::kernel) {
    argue(", \"bytes\": \"");
    argue(spec.bytes);
    return argue("\"");
  }
  argue(", \"kernel\": ");
  argue(at(spec.name).quoted);
  argue(",      \"grid\": [");
  argue(record.spec->counts_threads ? spec.blocks * spec.threads : spec.blocks);
  argue(", 1, 1],      \"block\": [");
  argue(int64_t{spec.threads});
  argue(", 1, 1],      \"shared memory\": ");
  argue(spec.shared_bytes);
}

void Recorder::write_call(const CallRecord& record) {
  begin_x(is_old_                  ? "\"Runtime\""
          : record.spec->is_driver ? "\"cuda_driver\""
                                   : "\"cuda_runtime\"",
          record.spec->name);
  writer_.add("\"pid\"", process_);
  writer_.add("\"tid\"", thread_text(record.thread));
  arguments_ = "{\n      ";
  if (!is_old_ && record.external_id >= 0) {
    argue("\"External id\": ");
    argue(record.external_id);
    argue(",\n      ");
  }
  argue(is_amd_ ? "\"cid\": " : "\"cbid\": ");
  argue(record.spec->number);
  argue(", \"correlation\": ");
  argue(record.correlation);
  if (is_amd_ && record.launched != nullptr) argue_launched(record);
  if (is_old_ && record.external_id >= 0) {
    argue(",\n      \"external id\": ");
    argue(record.external_id);
  }
  add_times_and_arguments(record.start_ns, record.end_ns);
  // In 2021 only launches had an arrow; today all calls have.
  if (record.launches || !is_old_) {
    write_flow(true, true, record.correlation, record.start_ns, record.thread);
  }
}

void Recorder::write_gpu(const GpuRecord& record) {
  const GpuSpec& spec = *record.spec;
  static constexpr std::string_view kOld[] = {"\"Kernel\"", "\"Memcpy\"", "\"Memset\""};
  static constexpr std::string_view kNew[] = {"\"kernel\"", "\"gpu_memcpy\"", "\"gpu_memset\""};
  begin_x((is_old_ ? kOld : kNew)[static_cast<std::size_t>(spec.kind)], at(spec.name).quoted);
  writer_.add("\"pid\"", device_);
  writer_.add("\"tid\"", stream_texts_[slot(record.stream)]);
  arguments_ = "{\n      ";
  if (!is_old_ && record.external_id >= 0) {
    argue("\"External id\": ");
    argue(record.external_id);
    argue(",\n      ");
  }
  if (spec.kind == GpuKind::kernel && !is_amd_) argue("\"queued\": 0, ");
  argue("\"device\": ");
  argue(device_);
  argue(is_amd_ ? ",\n      \"stream\": " : ", \"context\": 1,\n      \"stream\": ");
  argue(record.stream);
  argue(", \"correlation\": ");
  argue(record.correlation);
  if (is_old_ && record.external_id >= 0) {
    argue(", \"external id\": ");
    argue(record.external_id);
  }
  if (spec.kind == GpuKind::kernel && is_amd_) {
    argue(record.graph_node < 0 ? ", \"kind\": \"Dispatch Kernel\""
                                : ", \"kind\": \"Dispatch Task\"");
  } else if (spec.kind == GpuKind::kernel) {
    argue(spec.arguments);
  } else {
    argue(",\n      \"bytes\": ");
    argue(spec.bytes);
    if (const int64_t ns = record.end_ns - record.start_ns; ns > 0) {
      argue(", \"memory bandwidth (GB/s)\": ");
      argue(fmt::format("{}", static_cast<double>(spec.bytes) / static_cast<double>(ns)));
    }
  }
  if (record.graph_node >= 0 && !is_amd_ && options_.schema == PytorchSchema::v2026) {
    argue(",\n      \"graph id\": 3, \"graph node id\": ");
    argue(12'884'901'888 + record.graph_node);
  }
  add_times_and_arguments(record.start_ns, record.end_ns);
  write_end_of_launch(record);
}

void Recorder::write_annotation(const AnnotationRecord& record) {
  begin_x("\"gpu_user_annotation\"", at(record.name).quoted);
  writer_.add("\"pid\"", device_);
  writer_.add("\"tid\"", stream_texts_[slot(record.stream)]);
  arguments_ = "{\n      \"External id\": ";
  argue(record.external_id);
  add_times_and_arguments(record.start_ns, record.end_ns);
}

void Recorder::write_overhead(const OverheadRecord& record) {
  begin_x("\"overhead\"", record.name);
  writer_.add("\"pid\"", -1);
  writer_.add("\"tid\"", int64_t{0});
  arguments_.clear();
  add_times_and_arguments(record.start_ns, record.end_ns);
}

void Recorder::write_sync(const SyncRecord& record) {
  begin_x("\"cuda_sync\"", record.quoted_kind);
  writer_.add("\"pid\"", device_);
  writer_.add("\"tid\"", stream_texts_[slot(record.stream)]);
  arguments_ = "{\n      \"cuda_sync_kind\": ";
  argue(record.quoted_kind);
  argue(", ");
  if (record.waits_for != 0) {
    argue("\"wait_on_stream\": ");
    argue(int64_t{record.waits_for});
    argue(", \"wait_on_cuda_event_id\": ");
    argue(int64_t{record.waits_for} + 100);
    argue(",\n      ");
  }
  argue("\"stream\": ");
  argue(record.stream);
  argue(", \"correlation\": ");
  argue(record.correlation);
  argue(",\n      \"device\": ");
  argue(device_);
  argue(", \"context\": 1");
  add_times_and_arguments(record.start_ns, record.end_ns);
}

void Recorder::write_counter(const CounterRecord& record) {
  writer_.begin();
  writer_.add("\"ph\"", "\"C\"");
  writer_.add("\"name\"", "\"Queue Length\"");
  writer_.add("\"pid\"", device_);
  writer_.end_line();
  writer_.add_time("\"ts\"", offset_ns_ + record.at_ns);
  writer_.end_line();
  arguments_ = "{\n      \"stream ";
  argue(int64_t{record.stream});
  argue("\": ");
  argue(record.value);
  argue("\n    }");
  writer_.add("\"args\"", arguments_);
  writer_.end();
}

void Recorder::flush_if_many() {
  if (host_records_.size() + frame_records_.size() + call_records_.size() > kManyRecords) flush();
}

void Recorder::flush() {
  std::sort(host_records_.begin(), host_records_.end(),
            [](const HostRecord& a, const HostRecord& b) { return a.order < b.order; });
  for (const HostRecord& record : host_records_) write_op(record);
  for (const MemoryRecord& record : memory_records_) write_memory(record);
  std::sort(
      frame_records_.begin(), frame_records_.end(),
      [](const FrameRecord& a, const FrameRecord& b) { return a.frame.order < b.frame.order; });
  for (const FrameRecord& record : frame_records_) write_frame(record);
  // GPU activities behind their calls; those without a call have the smallest correlation.
  std::size_t next = 0;
  const auto write_gpu_until = [&](int64_t correlation) {
    while (next < gpu_records_.size() && gpu_records_[next].correlation <= correlation) {
      write_gpu(gpu_records_[next++]);
    }
  };
  write_gpu_until(kFirstCorrelation - 1);
  for (const CallRecord& record : call_records_) {
    write_call(record);
    write_gpu_until(record.correlation);
  }
  for (const AnnotationRecord& record : annotation_records_) write_annotation(record);
  for (const OverheadRecord& record : overhead_records_) write_overhead(record);
  for (const SyncRecord& record : sync_records_) write_sync(record);
  for (const CounterRecord& record : counter_records_) write_counter(record);
  host_records_.clear();
  memory_records_.clear();
  frame_records_.clear();
  call_records_.clear();
  gpu_records_.clear();
  annotation_records_.clear();
  overhead_records_.clear();
  sync_records_.clear();
  counter_records_.clear();
  unions_.sweep(now_);
}

void Recorder::write_metadatum(std::string_view quoted_name, const std::string& process,
                               const std::string& thread, std::string_view member) {
  writer_.begin();
  writer_.add("\"name\"", quoted_name);
  writer_.add("\"ph\"", "\"M\"");
  writer_.add_time("\"ts\"", offset_ns_ + first_ns_);
  writer_.add("\"pid\"", process);
  writer_.add("\"tid\"", thread);
  writer_.end_line();
  const std::string arguments = fmt::format("{{\n      {}\n    }}", member);
  writer_.add("\"args\"", arguments);
  writer_.end();
}

void Recorder::write_metadata() {
  const auto name_process = [&](int64_t id, const std::string& label, int64_t index) {
    const std::string process = fmt::format("{}", id);
    write_metadatum("\"process_name\"", process, "0", "\"name\": \"python3\"");
    write_metadatum("\"process_labels\"", process, "0", fmt::format("\"labels\": \"{}\"", label));
    write_metadatum("\"process_sort_index\"", process, "0",
                    fmt::format("\"sort_index\": {}", index));
  };
  const auto name_thread = [&](int64_t process, const std::string& thread, const std::string& text,
                               int64_t index) {
    const std::string id = fmt::format("{}", process);
    write_metadatum("\"thread_name\"", id, thread, fmt::format("\"name\": \"{}\"", text));
    write_metadatum("\"thread_sort_index\"", id, thread, fmt::format("\"sort_index\": {}", index));
  };
  name_process(process_, "CPU", process_);
  const int64_t devices = options_.schema >= PytorchSchema::v2024 ? 16 : 8;
  for (int64_t device = 0; device < devices; ++device) {
    name_process(device, fmt::format("GPU {}", device), 5'000'000 + device);
  }
  for (const int stream : {kComputeStream, kCommunicationStream, kCopyStream}) {
    if (free_of(stream) == 0) continue;
    name_thread(device_, stream_texts_[slot(stream)], fmt::format("stream {} ", stream), stream);
  }
  for (const HostThread thread : {HostThread::main, HostThread::autograd}) {
    name_thread(process_, thread_text(thread),
                fmt::format("thread {} ({})", thread_id(thread),
                            thread == HostThread::main ? "python3" : "pt_autograd_0"),
                thread_id(thread));
  }
  writer_.begin();
  writer_.add("\"ph\"", "\"X\"");
  writer_.add("\"cat\"", "\"Trace\"");
  writer_.add_time("\"ts\"", offset_ns_ + first_ns_ - 20'000);
  writer_.add_time("\"dur\"", last_ns_ - first_ns_ + 40'000);
  writer_.end_line();
  writer_.add("\"pid\"", is_old_ ? "\"Traces\"" : "\"Spans\"");
  writer_.add("\"tid\"", "\"PyTorch Profiler\"");
  writer_.end_line();
  writer_.add("\"name\"", "\"PyTorch Profiler (0)\"");
  writer_.end_line();
  writer_.add("\"args\"", "{\n      \"Op count\": 0\n    }");
  writer_.end();
  const auto mark = [&](std::string_view text, std::string_view process, std::string_view thread,
                        int64_t ns) {
    writer_.begin();
    writer_.add("\"name\"", text);
    writer_.add("\"ph\"", "\"i\"");
    writer_.add("\"s\"", "\"g\"");
    writer_.end_line();
    writer_.add("\"pid\"", process);
    writer_.add("\"tid\"", thread);
    writer_.add_time("\"ts\"", offset_ns_ + ns);
    writer_.end();
  };
  mark("\"Iteration Start: PyTorch Profiler\"", "\"Traces\"", "\"Trace PyTorch Profiler\"",
       first_ns_ - 20'000);
  mark("\"Record Window End\"", "\"\"", "\"\"", last_ns_ + 20'000);
}

}  // namespace dlview::generate::pytorch
