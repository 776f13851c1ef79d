// The events of a trace that a test writes, or of a file, and all of them as a text.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>
#include <zlib.h>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "import/pytorch/trace_reader.h"
#include "import/test_database.h"
#include "support/test_data.h"

namespace dlview::import::pytorch {

// What the reader made of a file.
struct ReadTrace {
  base::Result<TraceEvents> events = base::Error{};
  profile::ProfileBuilder builder;
  std::vector<profile::QualityNote> notes;

  const TraceEvents& operator*() const { return *events; }
  const TraceEvents* operator->() const { return &*events; }
  std::string text(StringId id) const { return std::string(builder.text(id)); }
  // By reason: the rows.
  std::map<std::string, int64_t> reasons() const {
    std::map<std::string, int64_t> all;
    for (const profile::QualityNote& note : notes) all[note.reason] = note.rows;
    return all;
  }
  template <typename Events>
  std::vector<std::string> names(const Events& events_of_kind) const {
    std::vector<std::string> all;
    for (const auto& event : events_of_kind) all.push_back(text(event.name));
    return all;
  }
};

inline ReadTrace read_trace(const std::filesystem::path& path, const ReadOptions& options = {}) {
  ReadTrace trace;
  base::Progress progress;
  const base::Result<ByteSource> source = ByteSource::open(path, progress);
  if (!source) {
    trace.events = source.error();
    return trace;
  }
  QualityLog quality;
  trace.events = read_trace_events(*source, trace.builder, quality, progress, options);
  trace.notes = std::move(quality).finish();
  return trace;
}

// Everything that was read, as a text.
inline std::string dump(const ReadTrace& trace) {
  if (!trace.events) return base::to_text(trace.events.error());
  const TraceEvents& events = *trace;
  std::string all;
  const auto add = [&all](const auto&... values) {
    ((all += fmt::format("{} ", values)), ...);
    all += '\n';
  };
  const auto add_dim = [&all](const profile::Dim3& dim) {
    all += fmt::format("({} {} {}) ", dim.x, dim.y, dim.z);
  };
  const auto text = [&trace](StringId id) { return trace.text(id); };
  for (const TraceEventThread& thread : events.threads) {
    add("thread", thread.process, thread.thread, thread.process_name, thread.thread_name,
        thread.is_used);
  }
  for (const OpInputs& inputs : events.op_inputs) {
    add("inputs", text(inputs.dims), text(inputs.types), text(inputs.strides),
        text(inputs.concrete));
  }
  for (const HostEvent& host : events.host) {
    add("host", host.start_ns, host.stop_ns, text(host.name), host.thread,
        static_cast<int>(host.kind), host.is_triton, host.sequence_number, host.forward_thread,
        host.inputs, text(host.call_stack));
  }
  for (const CollectiveEvent& each : events.collectives) {
    add("collective", each.host_event, text(each.name), text(each.data_type), text(each.group_name),
        text(each.group_description), text(each.group_ranks), each.in_elements, each.out_elements,
        each.group_size, each.rank, each.source_rank, each.target_rank, each.sequence);
  }
  for (const PythonFrame& frame : events.modules) {
    add("frame", frame.start_ns, frame.stop_ns, text(frame.name), frame.thread, frame.id,
        frame.parent, frame.module_id);
  }
  for (const CallEvent& call : events.calls) {
    add_dim(call.grid);
    add_dim(call.block);
    add("call", call.start_ns, call.stop_ns, text(call.name), call.thread,
        static_cast<int>(call.layer), call.correlation);
  }
  const auto add_gpu = [&](const GpuEvent& gpu) {
    add("gpu", gpu.start_ns, gpu.stop_ns, text(gpu.name), gpu.device, gpu.stream, gpu.context,
        gpu.correlation);
  };
  for (const KernelEvent& kernel : events.kernels) {
    add_dim(kernel.grid);
    add_dim(kernel.block);
    add("kernel", kernel.registers_per_thread, kernel.shared_bytes, kernel.occupancy_percent,
        kernel.blocks_per_sm, kernel.warps_per_sm, kernel.graph, kernel.graph_node);
    add_gpu(kernel);
  }
  for (const auto* const list : {&events.memcpys, &events.memsets}) {
    for (const MemoryEvent& memory : *list) {
      add("memory", memory.bytes, text(memory.direction));
      add_gpu(memory);
    }
  }
  for (const SyncEvent& sync : events.syncs) {
    add("sync", static_cast<int>(sync.source), sync.blocks_host, text(sync.kind), sync.event,
        sync.waits_for_stream);
    add_gpu(sync);
  }
  for (const OverheadEvent& overhead : events.overheads) {
    add("overhead", overhead.start_ns, overhead.stop_ns, text(overhead.name));
  }
  for (const AllocationEvent& each : events.allocations) {
    add("memory", each.time_ns, each.thread, each.address, each.bytes, each.total_allocated,
        each.total_reserved, each.device_type, each.device);
  }
  for (const CounterSeries& series : events.counter_series) {
    add("series", text(series.counter), text(series.value), text(series.process), series.device);
  }
  for (const CounterEvent& each : events.counters) {
    add("counter", each.time_ns, each.value, each.series);
  }
  for (const SkippedEvents& skipped : events.skipped) {
    add("skipped", skipped.category, skipped.count);
  }
  add("all", events.frames, events.x_events, events.is_cut_off, events.bytes_left,
      events.header.base_time_ns.value_or(-1), events.header.devices.size());
  if (events.span) add("span", events.span->start_ns, events.span->stop_ns);
  for (const profile::QualityNote& note : trace.notes) {
    add("note", note.table, note.reason, note.rows, note.first_example);
  }
  return all;
}

// Traces of events that a test writes.
class TraceText : public ::testing::Test {
 protected:
  ReadTrace read(const std::string& json, const ReadOptions& options = {}) {
    return read_trace(testing::write_file(folder_.path() / "trace.json", json), options);
  }
  ReadTrace read_packed(const std::string& json, const ReadOptions& options = {}) {
    const std::filesystem::path path = folder_.path() / "trace.json.gz";
    const gzFile file = gzopen(path.c_str(), "wb1");
    EXPECT_EQ(gzwrite(file, json.data(), static_cast<unsigned>(json.size())),
              static_cast<int>(json.size()));
    EXPECT_EQ(gzclose(file), Z_OK);
    return read_trace(path, options);
  }
  // A trace of these events and an op, which makes it one of PyTorch.
  ReadTrace read_list(const std::string& events, const std::string& header = {}) {
    return read("{\"schemaVersion\": 1, " + header + "\"traceEvents\": [" +
                (events.empty() ? "" : events + ",\n") + kOp + "]}");
  }
  ReadTrace read_list_with(const std::string& events, const ReadOptions& options) {
    return read("{\"schemaVersion\": 1, \"traceEvents\": [" + events + ",\n" + kOp + "]}", options);
  }
  static constexpr const char* kOp =
      R"({"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":2,"ts":5,"dur":1,"args":{}})";

  testing::TemporaryFolder folder_;
};

inline std::filesystem::path pytorch_data() {
  return *testing::test_data_folder() / "pytorch";
}

}  // namespace dlview::import::pytorch
