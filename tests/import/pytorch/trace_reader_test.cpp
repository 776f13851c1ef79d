#include "import/pytorch/trace_reader.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>
#include <zlib.h>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/utf8.h"
#include "import/pytorch/json_scanner.h"
#include "import/pytorch/simple_json.h"
#include "import/test_database.h"
#include "support/test_data.h"

namespace dlview::import::pytorch {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::SimpleJson;
using testing::SimpleJsonParser;

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

ReadTrace read_trace(const fs::path& path, const ReadOptions& options = {}) {
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
std::string dump(const ReadTrace& trace) {
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
    add("thread", thread.process, thread.thread, thread.process_name, thread.thread_name);
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
      add("memory", memory.bytes);
      add_gpu(memory);
    }
  }
  for (const SyncEvent& sync : events.syncs) {
    add("sync", text(sync.kind), sync.event);
    add_gpu(sync);
  }
  for (const AllocationEvent& each : events.allocations) {
    add("memory", each.time_ns, each.thread, each.address, each.bytes, each.total_allocated,
        each.total_reserved, each.device_type, each.device);
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

class TraceReaderTest : public ::testing::Test {
 protected:
  ReadTrace read(const std::string& json, const ReadOptions& options = {}) {
    return read_trace(testing::write_file(folder_.path() / "trace.json", json), options);
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

TEST(JsonScanner, ScalesDecimalsExactly) {
  const auto ns = [](std::string_view text) { return scaled_decimal(text, 3); };
  EXPECT_EQ(ns("1712195495520870.926"), 1712195495520870926);
  EXPECT_EQ(ns("9007199254740993"), 9007199254740993000);
  EXPECT_EQ(ns("5.1"), 5100);
  EXPECT_EQ(ns("0"), 0);
  EXPECT_EQ(ns("-0.001"), -1);
  EXPECT_EQ(ns("1.0004"), 1000);
  EXPECT_EQ(ns("1.0005"), 1001);
  EXPECT_EQ(ns("-1.0005"), -1001);
  EXPECT_EQ(ns("0.00049999"), 0);
  EXPECT_EQ(ns("0.0005"), 1);
  EXPECT_EQ(ns("1e3"), 1'000'000);
  EXPECT_EQ(ns("1.25E+2"), 125'000);
  EXPECT_EQ(ns("12345e-4"), 1235);
  EXPECT_EQ(ns("5e-4"), 1);
  EXPECT_EQ(ns("5e-5"), 0);
  EXPECT_EQ(ns("0e999999999999"), 0);
  EXPECT_EQ(ns("9223372036854775.807"), INT64_MAX);
  EXPECT_EQ(ns("9223372036854775.8074"), INT64_MAX);
  for (const char* const bad : {"9223372036854775.8075", "9223372036854775.808", "1e300", "", "-",
                                ".", "1.2.3", "1e", "1e+", "abc", "1x", "inf"}) {
    EXPECT_EQ(ns(bad), std::nullopt) << bad;
  }
}

// Digit by digit; of numbers that fit, and without an exponent.
std::optional<int64_t> slow_scaled_decimal(std::string_view text, int shift) {
  const bool is_negative = text.starts_with('-');
  int64_t number = 0, left = INT64_MIN;  // digits of the fraction that still count
  for (const char letter : text.substr(is_negative ? 1 : 0)) {
    if (letter == '.') {
      left = shift;
    } else if (left == 0) {
      if (letter >= '5') ++number;
      left = -1;
    } else if (left != -1) {
      if (letter < '0' || letter > '9') return std::nullopt;
      number = 10 * number + (letter - '0');
      if (left > 0) --left;
    }
  }
  for (int64_t i = left == INT64_MIN ? shift : left; i > 0; --i) number *= 10;
  return is_negative ? -number : number;
}

TEST(JsonScanner, ScalesRandomDecimalsAsDigitByDigit) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 20'000; ++i) {
    std::string text = i % 5 == 0 ? "-" : "";
    for (uint64_t digits = 1 + random() % 13; digits > 0; --digits) {
      text += static_cast<char>('0' + random() % 10);
    }
    if (i % 3 > 0) text += '.';
    for (uint64_t digits = i % 3 > 0 ? random() % 14 : 0; digits > 0; --digits) {
      text += static_cast<char>('0' + random() % 10);
    }
    if (i % 50 == 0) text[text.size() - 1 - random() % text.size()] = "/:-x"[random() % 4];
    if (const auto number = slow_scaled_decimal(text, 3)) {
      if (text.find_first_of("/:-x", 1) != std::string::npos) continue;
      EXPECT_EQ(scaled_decimal(text, 3), number) << text;
    } else {
      EXPECT_EQ(scaled_decimal(text, 3), std::nullopt) << text;
    }
  }
}

TEST(JsonScanner, EndsNumbersAndWordsAtOtherLetters) {
  std::mt19937_64 random(1);
  constexpr std::string_view kLetters = "0123456789.-+eE/NAinfx ,]}:;\n\t\"\xff";
  for (int i = 0; i < 20'000; ++i) {
    std::string json;
    for (uint64_t letters = random() % 40; letters > 0; --letters) {
      json += random() % 4 > 0 ? static_cast<char>('0' + random() % 10)
                               : kLetters[random() % kLetters.size()];
    }
    json += ", and what follows";
    const std::size_t begin = json.find_first_not_of(" \n\t");
    if (json[begin] == '"') continue;
    const std::size_t end = json.find_first_not_of(
        "0123456789+-./abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", begin);
    JsonScanner scanner(json);
    JsonValue value;
    scanner.value(value);
    EXPECT_EQ(value.raw, std::string_view(json).substr(begin, end - begin)) << json;
  }
}

TEST(JsonScanner, KeepsWhatIsNoEscape) {
  EXPECT_EQ(unescaped(R"(a\tb\"\\\/\n)"), "a\tb\"\\/\n");
  EXPECT_EQ(unescaped(R"(C:\ml\users)"), "C:\\ml\\users");
  EXPECT_EQ(unescaped(R"(\u0041\u00e9\u20ac\ud83d\ude00)"),
            "A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
  EXPECT_EQ(unescaped(R"(\ud83d\u0041 \u12 \)"), R"(\ud83dA \u12 \)");
  EXPECT_EQ(without_spaces("[ [1, 2],\n [\"a b\\\" \" , 3]\t]"), "[[1,2],[\"a b\\\" \",3]]");
}

TEST(JsonScanner, TellsBadFromCut) {
  const auto scan = [](std::string_view json) {
    JsonScanner scanner(json);
    JsonValue value;
    return scanner.value(value);
  };
  for (const char* const good : {"{}", "[]", "[1,2,]", "{\"a\": [inf, -nan, N/A], }", "\"\\\"\" ",
                                 "1 ", "{\"a\":{\"b\":[]}}"}) {
    EXPECT_EQ(scan(good), Scan::ok) << good;
  }
  for (const char* const cut :
       {"", " ", "{", "[1", "\"a", "\"a\\", "12", "{\"a\"", "{\"a\":", "[{}"}) {
    EXPECT_EQ(scan(cut), Scan::cut) << cut;
  }
  for (const char* const bad :
       {"]", "[1}", "{1", "{\"a\" 1", "[\"a\"b\"]", "[,]", "abc ", "{\"a\":}", "[[}"}) {
    EXPECT_EQ(scan(bad), Scan::bad) << bad;
  }
  const auto nested = [](int depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_EQ(scan(nested(JsonScanner::kDeepest)), Scan::ok);
  EXPECT_EQ(scan(nested(JsonScanner::kDeepest + 1)), Scan::bad);
}

TEST_F(TraceReaderTest, ReadsOps) {
  const ReadTrace trace = read_list(
      R"({"ph": "X", "cat": "cpu_op", "name": "aten::linear", "pid": 7, "tid": "8", "ts": 10.001,
          "dur": 2.5, "args": {"External id": 3, "Sequence number": 12, "Fwd thread id": 0,
          "Input Dims": [[32, 3], [], [[1, 2]]], "Input type": ["float", "", "TensorList"],
          "Input Strides": [[3, 1], [], []], "Concrete Inputs": ["", "a b", "1"],
          "Call stack": "b.py(2): g;a.py(1): f"}},
         {"ph": "X", "cat": "Operator", "name": "old", "pid": 7, "tid": 8, "ts": 12, "dur": 1,
          "args": {"Input dims": [[32,3],[],[[1,2]]], "kernel_backend": "triton"}},
         {"ph": "X", "cat": "user_annotation", "name": "step", "pid": 7, "tid": 9, "ts": 1})");
  ASSERT_TRUE(trace.events);
  ASSERT_EQ(trace->host.size(), 4U);
  const HostEvent& op = trace->host[0];
  EXPECT_EQ(op.start_ns, 10'001);
  EXPECT_EQ(op.stop_ns, 12'501);
  EXPECT_EQ(op.sequence_number, 12);
  EXPECT_EQ(op.forward_thread, 0);
  EXPECT_EQ(trace.text(op.call_stack), "b.py(2): g;a.py(1): f");
  const OpInputs& inputs = trace->op_inputs[op.inputs];
  EXPECT_EQ(trace.text(inputs.dims), "[[32,3],[],[[1,2]]]");
  EXPECT_EQ(trace.text(inputs.types), R"(["float","","TensorList"])");
  EXPECT_EQ(trace.text(inputs.strides), "[[3,1],[],[]]");
  EXPECT_EQ(trace.text(inputs.concrete), R"(["","a b","1"])");
  const HostEvent& old = trace->host[1];
  EXPECT_TRUE(old.is_triton);
  EXPECT_EQ(old.thread, op.thread) << "a number and its text";
  EXPECT_EQ(trace->op_inputs[old.inputs].dims, inputs.dims);
  EXPECT_EQ(old.sequence_number, kNoValue);
  const HostEvent& step = trace->host[2];
  EXPECT_EQ(step.kind, HostEvent::Kind::annotation);
  EXPECT_EQ(step.stop_ns, step.start_ns) << "without a duration";
  EXPECT_EQ(step.inputs, HostEvent::kNoInputs);
  EXPECT_EQ(trace->threads.size(), 3U);
  EXPECT_EQ(trace->threads[step.thread].thread, "9");
  EXPECT_EQ(trace->x_events, 4);
  EXPECT_EQ(trace->span->start_ns, 1000);
  EXPECT_EQ(trace->span->stop_ns, 13'000);
  EXPECT_THAT(trace.notes, IsEmpty());
}

TEST_F(TraceReaderTest, ReadsCollectives) {
  const ReadTrace trace = read_list(
      R"({"ph": "X", "cat": "cpu_op", "name": "record_param_comms", "pid": 7, "tid": 8, "ts": 1,
          "args": {"Collective name": "allreduce", "dtype": "Float", "In msg nelems": 10,
          "Out msg nelems": 11, "Group size": 2, "Process Group Name": "0", "Rank": 1,
          "Process Group Description": "default_pg", "Process Group Ranks": "[0, 1]",
          "Src Rank": 3, "Dst Rank": 4, "Seq": 5, "Comms Id": 10159970886766084423}},
         {"ph": "X", "cat": "cpu_op", "name": "record_param_comms", "pid": 7, "tid": 8, "ts": 2})");
  ASSERT_TRUE(trace.events);
  ASSERT_EQ(trace->collectives.size(), 2U);
  EXPECT_EQ(trace->collectives[1].name, 0U) << "one without arguments";
  const CollectiveEvent& each = trace->collectives[0];
  EXPECT_EQ(each.host_event, 0U);
  EXPECT_EQ(trace.text(each.name), "allreduce");
  EXPECT_EQ(trace.text(each.data_type), "Float");
  EXPECT_EQ(trace.text(each.group_name), "0");
  EXPECT_EQ(trace.text(each.group_description), "default_pg");
  EXPECT_EQ(trace.text(each.group_ranks), "[0, 1]");
  EXPECT_THAT(std::vector({each.in_elements, each.out_elements, each.group_size, each.rank,
                           each.source_rank, each.target_rank, each.sequence}),
              ElementsAre(10, 11, 2, 1, 3, 4, 5));
  EXPECT_THAT(trace.notes, IsEmpty()) << "numbers that are not read may have any size";
}

TEST_F(TraceReaderTest, ReadsCalls) {
  const ReadTrace trace = read_list(
      R"({"ph": "X", "cat": "Runtime", "name": "cudaLaunchKernel", "pid": 7, "tid": 8, "ts": 1,
          "dur": 2, "args": {"cbid": 211, "correlation": "77", "external id": 5}},
         {"ph": "X", "cat": "cuda_driver", "name": "cuLaunchKernel", "pid": 7, "tid": 8, "ts": 4},
         {"ph": "X", "cat": "cuda_runtime", "name": "hipLaunchKernel", "pid": 7, "tid": 8, "ts": 5,
          "args": {"grid": [4, 2, 1], "block": [256, 1, 1]}},
         {"ph": "X", "cat": "mtia_runtime", "name": "run", "pid": 7, "tid": 8, "ts": 6})");
  ASSERT_TRUE(trace.events);
  ASSERT_EQ(trace->calls.size(), 4U);
  EXPECT_EQ(trace->calls[0].correlation, 77);
  EXPECT_EQ(trace->calls[0].layer, profile::ApiLayer::runtime);
  EXPECT_EQ(trace->calls[0].grid, (profile::Dim3{0, 0, 0}));
  EXPECT_EQ(trace->calls[1].layer, profile::ApiLayer::driver);
  EXPECT_EQ(trace->calls[1].correlation, kNoValue);
  EXPECT_EQ(trace->calls[2].grid, (profile::Dim3{4, 2, 1}));
  EXPECT_EQ(trace->calls[2].block, (profile::Dim3{256, 1, 1}));
}

TEST_F(TraceReaderTest, ReadsGpuActivity) {
  const ReadTrace trace = read_list(
      R"j({"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 1.5, "dur": 2,
          "args": {"queued": 0, "device": 3, "context": 1, "stream": 9, "correlation": 77,
          "registers per thread": 32, "shared memory": 1024, "blocks per SM": 0.5,
          "warps per SM": "inf", "grid": [1, 2, 3], "block": [4, 5, 6], "graph id": 8,
          "graph node id": 10, "est. achieved occupancy %": 0,
          "occupancy": {"limitingFactors": "REGS|SMEM", "allocated": {"grid": [9, 9, 9]}}}},
         {"ph": "X", "cat": "Kernel", "name": "old", "pid": 2, "tid": "stream 7", "ts": 2},
         {"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy PtoP", "pid": 0, "tid": 7, "ts": 3,
          "args": {"fromDevice": 1, "inDevice": 5, "toDevice": 2, "bytes": 400}},
         {"ph": "X", "cat": "gpu_memset", "name": "Memset (Device)", "pid": 0, "tid": 7, "ts": 4},
         {"ph": "X", "cat": "cuda_sync", "name": "Event Sync", "pid": 0, "tid": 7, "ts": 5,
          "args": {"cuda_sync_kind": "Event Sync", "stream": 4294967295, "correlation": 6,
          "device": 0, "context": 1, "wait_on_cuda_event_id": 12}})j");
  ASSERT_TRUE(trace.events);
  ASSERT_EQ(trace->kernels.size(), 2U);
  const KernelEvent& kernel = trace->kernels[0];
  EXPECT_THAT(std::vector({kernel.device, kernel.context, kernel.stream, kernel.correlation,
                           kernel.registers_per_thread, kernel.shared_bytes,
                           kernel.occupancy_percent, kernel.graph, kernel.graph_node}),
              ElementsAre(3, 1, 9, 77, 32, 1024, 0, 8, 10));
  EXPECT_EQ(kernel.grid, (profile::Dim3{1, 2, 3}));
  EXPECT_EQ(kernel.block, (profile::Dim3{4, 5, 6}));
  EXPECT_EQ(kernel.blocks_per_sm, 0.5);
  EXPECT_LT(kernel.warps_per_sm, 0);
  EXPECT_EQ(trace->kernels[1].device, 2) << "by the process";
  EXPECT_EQ(trace->kernels[1].stream, 7);
  EXPECT_EQ(trace->kernels[1].occupancy_percent, kNoValue);
  EXPECT_EQ(trace->memcpys[0].device, 5);
  EXPECT_EQ(trace->memcpys[0].bytes, 400);
  EXPECT_EQ(trace->memsets[0].bytes, kNoValue);
  EXPECT_EQ(trace.text(trace->syncs[0].kind), "Event Sync");
  EXPECT_EQ(trace->syncs[0].stream, kNoValue);
  EXPECT_EQ(trace->syncs[0].event, 12);
  EXPECT_EQ(trace->threads.size(), 1U) << "streams are no threads";
}

TEST_F(TraceReaderTest, ReadsDecimalsAsTheLibraryDoes) {
  std::mt19937_64 random(1);
  std::vector<std::string> numbers{"0.1", "0.000001",        "12.", "1.5e3", "-0.5",
                                   "3",   "0.30000000000001"};
  for (int i = 0; i < 2000; ++i) {
    numbers.push_back(std::to_string(random() % 1'000'000));
    numbers.back().insert(random() % numbers.back().size() + 1, ".");
  }
  std::string events;
  for (const std::string& number : numbers) {
    events += R"({"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 1, "args": )";
    events += "{\"blocks per SM\": " + number + "}},\n";
  }
  events.resize(events.size() - 2);
  const ReadTrace trace = read_list_with(events, {});
  ASSERT_TRUE(trace.events);
  ASSERT_EQ(trace->kernels.size(), numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    EXPECT_EQ(trace->kernels[i].blocks_per_sm, std::strtod(numbers[i].c_str(), nullptr))
        << numbers[i];
  }
}

TEST_F(TraceReaderTest, ReadsModulesAndAllFramesOnRequest) {
  constexpr const char* kFrames =
      R"({"ph": "X", "cat": "python_function", "name": "nn.Module: Linear_3", "pid": 1, "tid": 2,
          "ts": 1, "args": {"Python id": 5, "Python parent id": 4, "Python module id": 3}},
         {"ph": "X", "cat": "python_function", "name": "a.py(1): f", "pid": 0, "tid": 0, "ts": 0,
          "args": {"Python id": 4, "Python parent id": null}})";
  const ReadTrace trace = read_list(kFrames);
  ASSERT_EQ(trace->modules.size(), 1U);
  EXPECT_EQ(trace->frames, 2);
  EXPECT_EQ(trace->x_events, 3);
  EXPECT_EQ(trace->span->start_ns, 0) << "frames count";
  EXPECT_EQ(trace.text(trace->modules[0].name), "nn.Module: Linear_3");
  EXPECT_EQ(trace->modules[0].id, 5);
  EXPECT_EQ(trace->modules[0].parent, 4);
  EXPECT_EQ(trace->modules[0].module_id, 3);
  const ReadTrace all = read(fmt::format("[{},{}]", kFrames, kOp), {.all_frames = true});
  ASSERT_EQ(all->modules.size(), 2U);
  EXPECT_EQ(all->modules[1].parent, kNoValue);
}

TEST_F(TraceReaderTest, ReadsAllocations) {
  const ReadTrace trace = read_list(
      R"({"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", "pid": 1, "tid": 2,
          "ts": 9, "args": {"Addr": 140216842854592, "Bytes": -8, "Total Allocated": 100,
          "Total Reserved": 200, "Device Type": 1, "Device Id": 0}},
         {"ph": "i", "s": "t", "name": "[memory]", "pid": 1, "tid": "2", "ts": 10,
          "args": {"Device Type": 0, "Device Id": -1, "Bytes": 4}})");
  ASSERT_EQ(trace->allocations.size(), 2U);
  const AllocationEvent& each = trace->allocations[0];
  EXPECT_THAT(std::vector({each.time_ns, each.address, each.bytes, each.total_allocated,
                           each.total_reserved, each.device_type, each.device}),
              ElementsAre(9000, 140216842854592, -8, 100, 200, 1, 0));
  EXPECT_EQ(trace->allocations[1].total_allocated, kNoValue);
  EXPECT_EQ(trace->allocations[1].thread, each.thread);
}

TEST_F(TraceReaderTest, NamesThreads) {
  const ReadTrace trace = read_list(
      R"j({"name": "process_name", "ph": "M", "ts": 1, "pid": 1, "tid": 0, "args": {"name": "python"}},
         {"name": "thread_name", "ph": "M", "ts": 1, "pid": "1", "tid": 2,
          "args": {"name": "thread 2 (pt_main)"
}
},
         {"name": "process_labels", "ph": "M", "ts": 1, "pid": 1, "tid": 0, "args": {"labels": "CPU"}},
         {"name": "thread_name", "ph": "M", "ts": 1, "pid": 0, "tid": 7, "args": {"name": "stream 7"}})j");
  ASSERT_EQ(trace->threads.size(), 1U);
  EXPECT_EQ(trace->threads[0].process, "1");
  EXPECT_EQ(trace->threads[0].process_name, "python");
  EXPECT_EQ(trace->threads[0].thread_name, "thread 2 (pt_main)");
}

TEST_F(TraceReaderTest, SkipsWhatIsNotShown) {
  const ReadTrace trace = read_list(
      R"j({"ph": "X", "cat": "Trace", "name": "PyTorch Profiler (0)", "pid": "Spans", "tid": "a",
          "ts": 0, "dur": 99999},
         {"ph": "s", "id": 1, "pid": 1, "tid": 2, "ts": 0, "cat": "ac2g", "name": "ac2g"},
         {"ph": "f", "id": 1, "pid": 1, "tid": 2, "ts": 0, "cat": "fwdbwd", "name": "b", "bp": "e"},
         {"ph": "C", "name": "Queue Length", "pid": 1, "ts": 0, "args": {"stream 7": 1}},
         {"ph": "X", "cat": "gpu_user_annotation", "name": "a", "pid": 0, "tid": 7, "ts": 4},
         {"ph": "X", "cat": "overhead", "name": "Buffer Flush", "pid": -1, "tid": 0, "ts": 4},
         {"ph": "X", "cat": "overhead", "name": "Buffer Flush", "pid": -1, "tid": 0, "ts": 4},
         {"name": "Record Window End", "ph": "i", "s": "g", "pid": "", "tid": "", "ts": 9e15})j");
  std::map<std::string, int64_t> skipped;
  for (const SkippedEvents& each : trace->skipped) skipped[each.category] = each.count;
  EXPECT_EQ(skipped, (std::map<std::string, int64_t>{
                         {"counters", 1}, {"gpu_user_annotation", 1}, {"overhead", 2}}));
  EXPECT_EQ(trace->x_events, 4);
  EXPECT_EQ(trace->span->start_ns, 4000);
  EXPECT_EQ(trace->span->stop_ns, 6000);
  EXPECT_THAT(trace.notes, IsEmpty());
}

TEST_F(TraceReaderTest, UnknownCategoriesStayIfTheirProcessIsAHost) {
  const ReadTrace trace = read_list(
      R"({"ph": "X", "cat": "mtia_ccp_events", "name": "a", "pid": 17, "tid": 7, "ts": 4},
         {"ph": "X", "cat": "hpu_op", "name": "b", "pid": 1, "tid": 2, "ts": 4},
         {"ph": "X", "cat": "hpu_op", "name": "c", "pid": 1, "tid": 3, "ts": 4})");
  EXPECT_THAT(trace.names(trace->host), ElementsAre("b", "c", "aten::mm"));
  EXPECT_EQ(trace->host[0].kind, HostEvent::Kind::other);
  EXPECT_EQ(trace->threads.size(), 2U);
  ASSERT_EQ(trace->skipped.size(), 1U);
  EXPECT_EQ(trace->skipped[0].category, "mtia_ccp_events");
  EXPECT_EQ(trace.reasons(),
            (std::map<std::string, int64_t>{{"unknown category \"mtia_ccp_events\"", 1},
                                            {"unknown category \"hpu_op\"", 2}}));
}

TEST_F(TraceReaderTest, ReadsTheHeaderOnBothSidesOfTheEvents) {
  const ReadTrace trace =
      read(std::string("\xef\xbb\xbf {\"traceEvents\": [") + kOp + R"(], "user": {"rank": 9},
      "deviceProperties": [{"id": 2, "name": "H100", "totalGlobalMem": 85051572224,
      "computeMajor": 9, "computeMinor": 0, "numSms": 132}, {"id": 3, "name": ""}],
      "distributedInfo": {"backend": "nccl", "rank": 34, "world_size": 300, "nccl_version": "2.20"},
      "record_shapes": 1, "with_stack": 0, "cuda_runtime_version": 12040,
      "baseTimeNanoseconds": 1767225600000000000, "PT_PROFILER_JOB_NAME": "secret"})");
  const TraceHeader& header = trace->header;
  EXPECT_EQ(header.base_time_ns, 1767225600000000000);
  ASSERT_EQ(header.devices.size(), 2U);
  EXPECT_EQ(header.devices[0].id, 2);
  EXPECT_EQ(header.devices[0].name, "H100");
  EXPECT_EQ(header.devices[0].memory_bytes, 85051572224);
  EXPECT_EQ(header.devices[0].sm_count, 132);
  EXPECT_EQ(header.devices[0].compute_capability_major, 9);
  EXPECT_EQ(header.devices[1].sm_count, std::nullopt);
  EXPECT_EQ(header.record_shapes, true);
  EXPECT_EQ(header.with_stack, false);
  EXPECT_EQ(header.profile_memory, std::nullopt);
  EXPECT_EQ(header.cuda_runtime_version, "12040");
  EXPECT_EQ(header.backend, "nccl");
  EXPECT_EQ(header.nccl_version, "2.20");
  EXPECT_EQ(header.rank, 34);
  EXPECT_EQ(header.world_size, 300);
}

TEST_F(TraceReaderTest, NotesEventsWithoutTimes) {
  const ReadTrace trace = read_list(
      R"({"ph": "X", "cat": "cpu_op", "name": "a", "pid": 1, "tid": 2, "dur": 1},
         {"ph": "X", "cat": "cpu_op", "name": "b", "pid": 1, "tid": 2, "ts": 1e300, "dur": 1},
         {"ph": "X", "cat": "cpu_op", "name": "c", "pid": 1, "tid": 2, "ts": 1, "dur": -5},
         {"ph": "X", "cat": "cpu_op", "name": "d", "pid": 1, "tid": 2, "ts": 1,
          "args": {"Sequence number": 99999999999999999999}},
         {"cat": "cpu_op", "name": "e"}, 5)");
  EXPECT_THAT(trace.names(trace->host), ElementsAre("c", "d", "aten::mm"));
  EXPECT_EQ(trace->host[0].stop_ns, 1000);
  EXPECT_EQ(trace->host[1].sequence_number, kNoValue);
  EXPECT_EQ(trace.reasons(),
            (std::map<std::string, int64_t>{
                {"an event without a start time is left out", 1},
                {"an event whose time exceeds 64 bits is left out", 1},
                {"a negative duration counts as 0", 1},
                {"a value is not a number or exceeds 64 bits; it counts as not recorded", 1},
                {"an event without a phase is left out", 1},
                {"damaged JSON; the events in it are left out", 1}}));
  EXPECT_THAT(trace.notes[0].first_example, HasSubstr("row 6: 5"));
}

TEST_F(TraceReaderTest, KeepsGpuActivityAtZeroWhereAllIs) {
  const std::string zero =
      R"({"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 0, "dur": 0})";
  EXPECT_EQ(read_list(zero)->kernels.size(), 1U);
  EXPECT_EQ(read_list(zero)->x_events, 2);
  const ReadTrace trace = read_list(
      zero + "," + zero +
      R"(,{"ph": "X", "cat": "gpu_memset", "name": "m", "pid": 0, "tid": 7, "ts": 7, "dur": 1})");
  EXPECT_EQ(trace->kernels.size(), 0U);
  EXPECT_EQ(trace->x_events, 2);
  EXPECT_EQ(trace->span->start_ns, 5000);
  EXPECT_EQ(trace.reasons(),
            (std::map<std::string, int64_t>{{"GPU activity without a time is left out", 2}}));
}

TEST_F(TraceReaderTest, KeepsGpuActivityAtZeroThatTakesTime) {
  const ReadTrace trace = read_list(
      R"({"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 0, "dur": 2},
         {"ph": "X", "cat": "kernel", "name": "l", "pid": 0, "tid": 7, "ts": 4, "dur": 2})");
  EXPECT_EQ(trace->kernels.size(), 2U);
  EXPECT_EQ(trace->span->start_ns, 0);
  EXPECT_THAT(trace.notes, IsEmpty());
}

TEST_F(TraceReaderTest, GivesEndsToGpuActivity) {
  const ReadTrace trace = read_list(
      R"({"ph": "B", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 1},
         {"ph": "B", "cat": "Trace", "name": "t", "pid": 0, "tid": 7, "ts": 2},
         {"ph": "B", "cat": "kernel", "name": "no time", "pid": 0, "tid": 7},
         {"ph": "E", "pid": 0, "tid": 7, "ts": 3},
         {"ph": "E", "pid": 0, "tid": 7, "ts": 4},
         {"ph": "E", "pid": 0, "tid": 7, "ts": 5},
         {"ph": "B", "cat": "gpu_memcpy", "name": "c", "pid": 0, "tid": 7, "ts": 5},
         {"ph": "E", "name": "c", "pid": 0, "tid": 7, "ts": 6})");
  ASSERT_EQ(trace->kernels.size(), 1U);
  EXPECT_EQ(trace->kernels[0].stop_ns, 5000);
  EXPECT_EQ(trace->memcpys.at(0).stop_ns, 6000);
  EXPECT_EQ(trace.reasons(),
            (std::map<std::string, int64_t>{{"an event without a start time is left out", 1}}));
}

TEST_F(TraceReaderTest, NumbersNotesByTheirObjects) {
  const ReadTrace trace = read_list(
      R"({"ph": "X", "cat": "cpu_op", "name": "a", "pid": 1, "tid": 2, "ts": 1},
         {"ph": "E", "name": "b", "pid": 1, "tid": 2, "ts": 2},
         {"ph": "X", "cat": "new", "name": "c", "pid": 1, "tid": 2, "ts": 3},
         {"ph": "B", "cat": "cpu_op", "name": "d", "pid": 1, "tid": 2, "ts": 4})");
  std::vector<std::string> examples;
  for (const profile::QualityNote& note : trace.notes) examples.push_back(note.first_example);
  EXPECT_THAT(examples, ElementsAre("row 4: d", "row 2: b", HasSubstr("row 3: ")));
}

TEST_F(TraceReaderTest, CountsFurtherUnknownCategoriesAsOne) {
  std::string events;
  for (int i = 0; i < 70; ++i) {
    events +=
        fmt::format(R"({}{{"ph": "X", "cat": "c{}", "name": "a", "pid": 1, "tid": 2, "ts": 4}})",
                    i > 0 ? "," : "", i);
  }
  const ReadTrace trace = read_list(events);
  EXPECT_EQ(trace.notes.size(), 65U);
  EXPECT_EQ(trace.reasons()["other unknown categories"], 6);
  ReadOptions pieces;
  pieces.block_bytes = 200;
  EXPECT_EQ(dump(read_list_with(events, pieces)), dump(trace));
}

TEST_F(TraceReaderTest, LeavesOutCollectivesOfLeftOutEvents) {
  const ReadTrace trace = read_list(
      R"({"ph": "X", "cat": "new", "name": "record_param_comms", "pid": 9, "tid": 8, "ts": 1,
          "args": {"Collective name": "allreduce"}})");
  EXPECT_EQ(trace->collectives.size(), 0U);
}

TEST_F(TraceReaderTest, LeavesOutStrays) {
  const ReadTrace trace = read_list(
      R"({"ph": "X", "cat": "cpu_op", "name": "a", "pid": 1, "tid": 2, "ts": 1, "dur": 3},
         {"ph": "X", "cat": "cpu_op", "name": "far", "pid": 1, "tid": 2, "ts": 9e15})");
  EXPECT_THAT(trace.names(trace->host), ElementsAre("a", "aten::mm"));
  EXPECT_EQ(trace->span->stop_ns, 6000);
  ASSERT_EQ(trace.notes.size(), 1U);
  EXPECT_THAT(trace.notes[0].first_example, HasSubstr("row 2: "));
}

TEST_F(TraceReaderTest, NumbersCorrelationsAndGpusThatAreTexts) {
  const std::string events =
      R"({"ph": "X", "cat": "cuda_runtime", "name": "l", "pid": 1, "tid": 2, "ts": 1,
          "args": {"correlation": "0_12"}},
         {"ph": "X", "cat": "kernel", "name": "k", "pid": "[TP00] 3", "tid": 7, "ts": 2,
          "args": {"correlation": "0_12"}},
         {"ph": "X", "cat": "kernel", "name": "k", "pid": "GPU b", "tid": 7, "ts": 3,
          "args": {"correlation": "1_12"}},
         {"ph": "X", "cat": "kernel", "name": "k", "pid": "GPU a", "tid": 7, "ts": 3})";
  const ReadTrace trace = read_list(events);
  EXPECT_LT(trace->calls[0].correlation, INT32_MIN);
  EXPECT_EQ(trace->kernels[0].correlation, trace->calls[0].correlation);
  EXPECT_NE(trace->kernels[1].correlation, trace->calls[0].correlation);
  EXPECT_EQ(trace->kernels[0].device, 3);
  EXPECT_EQ(trace->kernels[1].device, 0);
  EXPECT_EQ(trace->kernels[2].device, 1);
  ReadOptions pieces;
  pieces.block_bytes = 150;
  EXPECT_EQ(dump(read_list_with(events, pieces)), dump(trace));
}

TEST_F(TraceReaderTest, TakesWholeFloatsAsIds) {
  const ReadTrace trace =
      read_list(R"({"ph": "X", "cat": "cpu_op", "name": "a", "pid": 1.0, "tid": 2.0, "ts": 1})");
  ASSERT_EQ(trace->threads.size(), 1U);
  EXPECT_EQ(trace->threads[0].thread, "2");
}

TEST_F(TraceReaderTest, GoesOnAfterAnOpenBracket) {
  const std::string open =
      R"({"ph": "X", "cat": "cpu_op", "name": "open", "pid": 1, "tid": 2, "ts": 1,
          "args": {"Input Dims": [[1], )";
  const std::string op = kOp;
  const ReadTrace trace =
      read("{\"traceEvents\": [" + op + "," + open + op + "," + op + "], \"with_stack\": 1}");
  ASSERT_TRUE(trace.events);
  EXPECT_EQ(trace->host.size(), 3U);
  EXPECT_FALSE(trace->is_cut_off);
  EXPECT_EQ(trace->header.with_stack, true);
  EXPECT_EQ(trace.reasons(),
            (std::map<std::string, int64_t>{{"damaged JSON; the events in it are left out", 1}}));
}

TEST_F(TraceReaderTest, FindsTheHeaderAfterADamagedEvent) {
  const ReadTrace trace = read(std::string("{\"traceEvents\": [") + kOp +
                               R"(, {"ph": x}], "mine": {"a": [1]}, "with_stack": 1})");
  ASSERT_TRUE(trace.events);
  EXPECT_FALSE(trace->is_cut_off);
  EXPECT_EQ(trace->header.with_stack, true);
}

// Would take minutes if each of them were searched to the end.
TEST_F(TraceReaderTest, TakesLinearTimeForManyQuotes) {
  std::string header = "{\"traceEvents\": [" + std::string(kOp) + "], \"INFO\": x";
  for (int i = 0; i < 1'000'000; ++i) header += "\\\"";
  EXPECT_TRUE(read(header + "}").events);
}

TEST_F(TraceReaderTest, TakesLinearTimeForUnmatchedEnds) {
  std::string events;
  for (const char* const phase : {"B", "E"}) {
    for (int i = 0; i < 50'000; ++i) {
      events += fmt::format(
          R"({{"ph": "{0}", "cat": "cpu_op", "name": "{0}", "pid": 1, "tid": 2, "ts": {1}}},)",
          phase, i);
    }
  }
  events.pop_back();
  EXPECT_EQ(read_list(events).reasons()["an end event without a begin is left out"], 50'000);
}

TEST_F(TraceReaderTest, OpensATraceCutOffAnywhere) {
  std::string json = "{\"schemaVersion\": 1,\n\"traceEvents\": [";
  std::vector<std::size_t> ends;
  for (int i = 0; i < 3; ++i) {
    json += std::string(i > 0 ? ", " : "") + kOp;
    ends.push_back(json.size());
  }
  json += "], \"baseTimeNanoseconds\": 1}";
  for (std::size_t bytes = 1; bytes <= json.size(); ++bytes) {
    const ReadTrace trace = read(json.substr(0, bytes));
    const auto whole = static_cast<std::size_t>(
        std::ranges::count_if(ends, [bytes](std::size_t end) { return end <= bytes; }));
    if (whole == 0) {
      ASSERT_FALSE(trace.events) << bytes;
      EXPECT_EQ(trace.events.error().title, "The trace is truncated");
      continue;
    }
    ASSERT_TRUE(trace.events) << bytes;
    EXPECT_EQ(trace->host.size(), whole) << bytes;
    EXPECT_EQ(trace->is_cut_off, bytes < json.size()) << bytes;
    if (trace->is_cut_off) {
      EXPECT_EQ(trace->bytes_left, static_cast<int64_t>(bytes - ends[whole - 1])) << bytes;
    }
    EXPECT_EQ(trace.reasons().count("the file is truncated"), trace->is_cut_off ? 1U : 0U);
  }
}

TEST_F(TraceReaderTest, SaysWhatOtherJsonIs) {
  const auto error = [this](const std::string& json) {
    const ReadTrace trace = read(json);
    return trace.events ? "read" : base::to_text(trace.events.error());
  };
  EXPECT_THAT(error("[]"), HasSubstr("Nothing was recorded in the trace"));
  EXPECT_THAT(error("[]"), HasSubstr("has no events"));
  EXPECT_THAT(error("[]"), HasSubstr("call prof.step() after each step"));
  EXPECT_THAT(error("{\"a\": 1}"), HasSubstr("has no events"));
  EXPECT_THAT(error("[]x"), HasSubstr("has no events"));
  EXPECT_THAT(error("text"), HasSubstr("This is not a PyTorch profiler trace"));
  EXPECT_THAT(error(R"({"traceEvents": [{"ph": "M", "name": "process_name", "pid": 1, "ts": 0,
                        "args": {"name": "/host:CPU"}}]})"),
              HasSubstr("JAX or TensorFlow"));
  EXPECT_THAT(error(R"({"traceEvents": [{"ph": "C", "name": "a", "ts": 0}],
                        "viztracer_metadata": {"version": "1"}})"),
              HasSubstr("VizTracer"));
  EXPECT_THAT(error(R"({"traceEvents": [{"ph": "C", "name": "Queue Length", "ts": 0}]})"),
              HasSubstr("no ops, annotations or GPU activity"));
}

TEST_F(TraceReaderTest, LimitsNestingAndLength) {
  const std::string deep = R"({"ph": "X", "cat": "cpu_op", "name": "deep", "ts": 1, "args": )" +
                           std::string(600, '[') + std::string(600, ']') + "}";
  const ReadTrace nested = read_list(deep);
  EXPECT_THAT(nested.names(nested->host), ElementsAre("aten::mm"));
  EXPECT_EQ(nested.reasons(),
            (std::map<std::string, int64_t>{{"damaged JSON; the events in it are left out", 1}}));
  ReadOptions options;
  options.window_bytes = 1000;
  options.block_bytes = 300;
  options.most_event_bytes = 2000;
  const std::string op = kOp;
  std::string json = "{\"traceEvents\": [" + op;
  for (int i = 0; i < 100; ++i) json += "," + op;
  json +=
      R"(,{"ph": "X", "cat": "cpu_op", "name": ")" + std::string(100'000, 'x') + "\", \"ts\": 1}";
  for (int i = 0; i < 100; ++i) json += "," + op;
  const ReadTrace trace = read(json + "], \"baseTimeNanoseconds\": 5}", options);
  ASSERT_TRUE(trace.events);
  EXPECT_EQ(trace->host.size(), 201U);
  EXPECT_EQ(trace->header.base_time_ns, 5);
  EXPECT_FALSE(trace->is_cut_off);
}

TEST_F(TraceReaderTest, ACancelEndsIt) {
  base::Progress progress;
  const base::Result<ByteSource> source = ByteSource::open(
      testing::write_file(folder_.path() / "a.json", fmt::format("[{}]", kOp)), progress);
  ASSERT_TRUE(source);
  progress.cancel();
  profile::ProfileBuilder builder;
  QualityLog quality;
  EXPECT_EQ(read_trace_events(*source, builder, quality, progress).error().title, "Canceled");
}

TEST_F(TraceReaderTest, ACancelEndsItInTheMiddle) {
  std::string json = std::string("[") + kOp;
  for (int i = 0; i < 50'000; ++i) (json += ",\n") += kOp;
  base::Progress progress;
  const base::Result<ByteSource> source =
      ByteSource::open(testing::write_file(folder_.path() / "a.json", json + "]"), progress);
  ASSERT_TRUE(source);
  std::thread user([&progress] {
    while (progress.snapshot().done == 0) std::this_thread::yield();
    progress.cancel();
  });
  profile::ProfileBuilder builder;
  QualityLog quality;
  ReadOptions options;
  options.block_bytes = options.window_bytes = 2000;
  const base::Result<TraceEvents> events =
      read_trace_events(*source, builder, quality, progress, options);
  user.join();
  ASSERT_FALSE(events);
  EXPECT_EQ(events.error().title, "Canceled");
  EXPECT_LT(progress.snapshot().done, static_cast<int64_t>(json.size()));
}

// Bad files: must.json says what each gives.

fs::path pytorch_data() {
  return *testing::test_data_folder() / "pytorch";
}

int64_t number(const SimpleJson& value) {
  return value.kind == SimpleJson::Kind::number ? std::stoll(value.text) : 0;
}

TEST(BadTraces, GiveWhatTheyMust) {
  DLVIEW_REQUIRE_TEST_DATA();
  const fs::path folder = pytorch_data() / "bad";
  const SimpleJson must = SimpleJsonParser(testing::contents_of(folder / "must.json")).parse();
  ASSERT_GT(must.fields.size(), 20U);
  for (const auto& [name, figures] : must.fields) {
    SCOPED_TRACE(name);
    const ReadTrace trace = read_trace(folder / name);
    if (figures["exit_code"].text == "2") {
      EXPECT_FALSE(trace.events);
      continue;
    }
    if (!trace.events) ADD_FAILURE() << base::to_text(trace.events.error());
    if (!trace.events) continue;
    EXPECT_EQ(trace->x_events, number(figures["x_events"]));
    EXPECT_EQ(trace->span->stop_ns - trace->span->start_ns, number(figures["span_ns"]));
    const bool has_category = name != "autograd_array.json";
    int64_t ops = 0, steps = 0;
    std::map<std::string, int64_t> durations;
    for (const HostEvent& host : trace->host) {
      const std::string host_name = trace.text(host.name);
      ops += host.kind == HostEvent::Kind::op ? 1 : 0;
      if (host_name.starts_with("ProfilerStep#")) {
        EXPECT_EQ(host.stop_ns - host.start_ns, number(figures["steps_ns"].elements.at(steps)));
        ++steps;
      }
      durations[host_name] = host.stop_ns - host.start_ns;
    }
    EXPECT_EQ(steps, static_cast<int64_t>(figures["steps_ns"].elements.size()));
    EXPECT_EQ(ops, number(figures["host_ops"])) << has_category;
    for (const auto& [range, ns] : figures["ranges_ns"].fields) {
      EXPECT_EQ(durations[range], number(ns)) << range;
    }
    int64_t kernel_ns = 0, gpu_ns = 0;
    for (const KernelEvent& kernel : trace->kernels) kernel_ns += kernel.stop_ns - kernel.start_ns;
    for (const auto* const list : {&trace->memcpys, &trace->memsets}) {
      for (const MemoryEvent& memory : *list) gpu_ns += memory.stop_ns - memory.start_ns;
    }
    EXPECT_EQ(kernel_ns, number(figures["kernel_ns"]));
    EXPECT_EQ(kernel_ns + gpu_ns, number(figures["gpu_ns"]));
    EXPECT_EQ(
        static_cast<int64_t>(trace->kernels.size() + trace->memcpys.size() + trace->memsets.size()),
        number(figures["gpu_events"]));
    EXPECT_EQ(trace->bytes_left, number(figures["bytes_left"]));
    EXPECT_EQ(trace->is_cut_off, figures["note"].text == "cut off");
    if (figures["base_time_ns"].kind == SimpleJson::Kind::number) {
      EXPECT_EQ(trace->header.base_time_ns, number(figures["base_time_ns"]));
    }
    if (figures["rank"].kind == SimpleJson::Kind::number) {
      EXPECT_EQ(trace->header.rank, number(figures["rank"]));
    }
    for (const SimpleJson& unknown : figures["not_recorded"].elements) {
      for (const KernelEvent& kernel : trace->kernels) {
        if (unknown.text == "blocks per SM") {
          EXPECT_LT(kernel.blocks_per_sm, 0);
        } else if (unknown.text != "memory bandwidth (GB/s)") {
          EXPECT_EQ(kernel.occupancy_percent, kNoValue);
        }
      }
    }
    if (name == "backslashes.json" || name == "newlines.json" || name == "control_bytes.json" ||
        name == "not_utf8.json") {
      const ReadTrace all = read_trace(folder / name, {.all_frames = true});
      std::vector<std::string> names = all.names(all->modules);
      for (const std::string& kernel : all.names(all->kernels)) names.push_back(kernel);
      for (const SimpleJson& must_be : figures["names"].elements) {
        EXPECT_THAT(names, ::testing::Contains(must_be.text));
      }
    }
    const bool has_note =
        figures["note"].kind == SimpleJson::Kind::text && name != "backslashes.json";
    const std::size_t expected_notes = name == "begin_end.json" ? 2 : has_note ? 1 : 0;
    EXPECT_EQ(trace.notes.size(), expected_notes);
    for (const profile::QualityNote& note : trace.notes) {
      if (name == "zero_times.json") {
        EXPECT_EQ(note.rows, number(figures["left_out"]));
      }
    }
  }
}

// Real files, against a reader that is too simple to be wrong in the same way.

std::vector<fs::path> real_traces() {
  std::vector<fs::path> folders{fs::path(DLVIEW_SOURCE_DIR) / "tests/import/pytorch/traces"};
  if (testing::test_data_folder()) folders.push_back(pytorch_data());
  std::vector<fs::path> paths;
  for (const fs::path& folder : folders) {
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
      const std::string name = entry.path().filename().string();
      if (name.ends_with(".json") || name.ends_with(".json.gz")) paths.push_back(entry.path());
    }
  }
  std::ranges::sort(paths);
  return paths;
}

std::string unpacked(const fs::path& path) {
  const gzFile file = gzopen(path.c_str(), "rb");
  std::string all, block(1 << 20, '\0');
  for (int got = 1; got > 0;) {
    got = gzread(file, block.data(), static_cast<unsigned>(block.size()));
    all.append(block, 0, static_cast<std::size_t>(std::max(got, 0)));
  }
  gzclose(file);
  return all;
}

// Events as lines of text, by what they are.
using EventLines = std::map<std::string, std::vector<std::string>>;

std::string ns_of(const SimpleJson& micros) {
  std::string text = micros.text.empty() ? "0" : micros.text;
  const std::size_t point = text.find('.');
  std::string fraction = point == std::string::npos ? "" : text.substr(point + 1);
  if (fraction.size() > 3 || text.find('e') != std::string::npos) throw std::runtime_error(text);
  fraction.resize(3, '0');
  return std::to_string(std::stoll(text.substr(0, point) + fraction));
}

std::string times_of(const SimpleJson& event) {
  const int64_t start = std::stoll(ns_of(event["ts"]));
  return fmt::format("{} {} {}", start, start + std::stoll(ns_of(event["dur"])),
                     event["name"].text);
}

std::string number_of(const SimpleJson& value) {
  return value.kind == SimpleJson::Kind::null ? "-" : value.text;
}

std::string list_of(const SimpleJson& value) {
  return value.kind == SimpleJson::Kind::list ? value.dense() : "";
}

const SimpleJson& either(const SimpleJson& first, const SimpleJson& second) {
  return first.kind == SimpleJson::Kind::null ? second : first;
}

std::string dims_of(const SimpleJson& list) {
  return list.kind == SimpleJson::Kind::list ? list.dense() : "[0,0,0]";
}

void add_simple(EventLines& lines, const SimpleJson& event) {
  const std::string phase = event["ph"].text, category = event["cat"].text;
  const SimpleJson& args = event["args"];
  const std::string thread = event["pid"].text + "/" + event["tid"].text;
  if (event["name"].text == "[memory]" && phase == "i") {
    lines["memory"].push_back(fmt::format(
        "{} {} {} {} {} {} {} {}", ns_of(event["ts"]), thread, number_of(args["Addr"]),
        args["Bytes"].text, number_of(args["Total Allocated"]), number_of(args["Total Reserved"]),
        number_of(args["Device Type"]), number_of(args["Device Id"])));
  }
  if (phase != "X" || category == "Trace") return;
  lines["x"].emplace_back();
  if (category == "cpu_op" || category == "Operator" || category == "user_annotation") {
    lines["host"].push_back(fmt::format(
        "{} {} {} {} {} {} {} {} {} {}", times_of(event), thread, category == "user_annotation",
        number_of(args["Sequence number"]), number_of(args["Fwd thread id"]),
        list_of(either(args["Input Dims"], args["Input dims"])), list_of(args["Input type"]),
        list_of(args["Input Strides"]), list_of(args["Concrete Inputs"]), args["Call stack"].text));
  }
  if (category == "cuda_runtime" || category == "cuda_driver" || category == "Runtime" ||
      category == "mtia_runtime") {
    lines["call"].push_back(fmt::format("{} {} {} {} {} {}", times_of(event), thread,
                                        category == "cuda_driver", number_of(args["correlation"]),
                                        dims_of(args["grid"]), dims_of(args["block"])));
  }
  if (category == "python_function") {
    lines["frame"].emplace_back();
    if (event["name"].text.starts_with("nn.Module: ")) {
      lines["module"].push_back(
          fmt::format("{} {} {} {} {}", times_of(event), thread, number_of(args["Python id"]),
                      number_of(args["Python parent id"]), number_of(args["Python module id"])));
    }
  }
  const std::string gpu = fmt::format("{} {} {} {}", times_of(event), args["device"].text,
                                      args["stream"].text, number_of(args["correlation"]));
  if (category == "kernel" || category == "Kernel") {
    lines["kernel"].push_back(
        fmt::format("{} {} {} {} {} {}", gpu, dims_of(args["grid"]), dims_of(args["block"]),
                    number_of(args["registers per thread"]), number_of(args["shared memory"]),
                    number_of(args["est. achieved occupancy %"])));
  }
  for (const char* const kind : {"cpy", "set"}) {
    if (category == std::string("gpu_mem") + kind || category == std::string("Mem") + kind) {
      lines[kind].push_back(fmt::format("{} {}", gpu, number_of(args["bytes"])));
    }
  }
  if (category == "cuda_sync") lines["sync"].push_back(args["cuda_sync_kind"].text);
}

EventLines lines_of(const ReadTrace& trace) {
  EventLines lines;
  const auto times = [&](const EventTime& time, StringId name) {
    return fmt::format("{} {} {}", time.start_ns, time.stop_ns, trace.text(name));
  };
  const auto thread = [&](uint32_t number) {
    return trace->threads[number].process + "/" + trace->threads[number].thread;
  };
  const auto number = [](int64_t value) { return value == kNoValue ? "-" : std::to_string(value); };
  const auto dims = [](const profile::Dim3& dim) {
    return fmt::format("[{},{},{}]", dim.x, dim.y, dim.z);
  };
  const auto gpu = [&](const GpuEvent& event) {
    return fmt::format("{} {} {} {}", times(event, event.name), event.device, event.stream,
                       number(event.correlation));
  };
  for (const HostEvent& host : trace->host) {
    if (host.kind == HostEvent::Kind::other) continue;
    const OpInputs inputs =
        host.inputs == HostEvent::kNoInputs ? OpInputs() : trace->op_inputs[host.inputs];
    lines["host"].push_back(fmt::format(
        "{} {} {} {} {} {} {} {} {} {}", times(host, host.name), thread(host.thread),
        host.kind == HostEvent::Kind::annotation, number(host.sequence_number),
        number(host.forward_thread), trace.text(inputs.dims), trace.text(inputs.types),
        trace.text(inputs.strides), trace.text(inputs.concrete), trace.text(host.call_stack)));
  }
  for (const CallEvent& call : trace->calls) {
    lines["call"].push_back(
        fmt::format("{} {} {} {} {} {}", times(call, call.name), thread(call.thread),
                    call.layer == profile::ApiLayer::driver, number(call.correlation),
                    dims(call.grid), dims(call.block)));
  }
  for (const PythonFrame& frame : trace->modules) {
    lines["module"].push_back(fmt::format("{} {} {} {} {}", times(frame, frame.name),
                                          thread(frame.thread), number(frame.id),
                                          number(frame.parent), number(frame.module_id)));
  }
  for (const KernelEvent& kernel : trace->kernels) {
    lines["kernel"].push_back(fmt::format("{} {} {} {} {} {}", gpu(kernel), dims(kernel.grid),
                                          dims(kernel.block), number(kernel.registers_per_thread),
                                          number(kernel.shared_bytes),
                                          number(kernel.occupancy_percent)));
  }
  const auto add_memory = [&](const std::string& kind, const auto& events) {
    for (const MemoryEvent& memory : events) {
      lines[kind].push_back(fmt::format("{} {}", gpu(memory), number(memory.bytes)));
    }
  };
  add_memory("cpy", trace->memcpys);
  add_memory("set", trace->memsets);
  for (const SyncEvent& sync : trace->syncs) lines["sync"].push_back(trace.text(sync.kind));
  for (const AllocationEvent& each : trace->allocations) {
    lines["memory"].push_back(fmt::format("{} {} {} {} {} {} {} {}", each.time_ns,
                                          thread(each.thread), number(each.address), each.bytes,
                                          number(each.total_allocated), number(each.total_reserved),
                                          number(each.device_type), number(each.device)));
  }
  if (trace->x_events > 0) lines["x"].resize(static_cast<std::size_t>(trace->x_events));
  if (trace->frames > 0) lines["frame"].resize(static_cast<std::size_t>(trace->frames));
  return lines;
}

TEST(RealTraces, AgreeWithASimpleReader) {
  const std::vector<fs::path> paths = real_traces();
  ASSERT_GT(paths.size(), 5U);
  for (const fs::path& path : paths) {
    SCOPED_TRACE(path);
    EventLines expected;
    SimpleJsonParser(unpacked(path)).parse("traceEvents", [&](const SimpleJson& event) {
      add_simple(expected, event);
    });
    const ReadTrace trace = read_trace(path);
    if (expected["host"].empty()) {
      EXPECT_FALSE(trace.events) << "nothing of PyTorch in it";
      continue;
    }
    ASSERT_TRUE(trace.events) << base::to_text(trace.events.error());
    EventLines lines = lines_of(trace);
    std::set<std::string> kinds;
    for (const auto& each : expected) kinds.insert(each.first);
    for (const auto& each : lines) kinds.insert(each.first);
    for (const std::string& kind : kinds) {
      ASSERT_EQ(lines[kind].size(), expected[kind].size()) << kind;
      for (std::size_t i = 0; i < lines[kind].size(); ++i) {
        ASSERT_EQ(lines[kind][i], expected[kind][i]) << kind << " " << i;
      }
    }
    EXPECT_FALSE(trace->is_cut_off);
  }
}

TEST(RealTraces, DoNotDependOnThePieces) {
  for (const fs::path& path : real_traces()) {
    ReadOptions options;
    options.block_bytes = 5000;
    options.window_bytes = 70'001;
    EXPECT_TRUE(dump(read_trace(path, options)) == dump(read_trace(path))) << path;
  }
}

// Small pieces on several threads give what one large piece gives.
TEST(BadTraces, DoNotDependOnThePieces) {
  DLVIEW_REQUIRE_TEST_DATA();
  for (const fs::directory_entry& entry : fs::directory_iterator(pytorch_data() / "bad")) {
    if (entry.path().filename().string().find(".json") == std::string::npos) continue;
    const std::string whole = dump(read_trace(entry.path()));
    for (const std::size_t bytes : {64, 500, 1777}) {
      ReadOptions options;
      options.block_bytes = bytes;
      options.window_bytes = 7 * bytes;
      EXPECT_EQ(dump(read_trace(entry.path(), options)), whole) << entry.path() << " " << bytes;
    }
  }
}

}  // namespace
}  // namespace dlview::import::pytorch
