// Events that are damaged, incomplete or far away, files that are cut or not a trace, and limits.
#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/utf8.h"
#include "import/pytorch/read_trace.h"
#include "import/pytorch/simple_json.h"
#include "profile/recorded.h"

namespace dlview::import::pytorch {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::SimpleJson;
using testing::SimpleJsonParser;

class OddTraces : public TraceText {};

TEST_F(OddTraces, NotesEventsWithoutTimes) {
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

TEST_F(OddTraces, KeepsGpuActivityAtZeroWhereAllIs) {
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

TEST_F(OddTraces, KeepsGpuActivityAtZeroThatTakesTime) {
  const ReadTrace trace = read_list(
      R"({"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 0, "dur": 2},
         {"ph": "X", "cat": "kernel", "name": "l", "pid": 0, "tid": 7, "ts": 4, "dur": 2})");
  EXPECT_EQ(trace->kernels.size(), 2U);
  EXPECT_EQ(trace->span->start_ns, 0);
  EXPECT_THAT(trace.notes, IsEmpty());
}

TEST_F(OddTraces, GivesEndsToGpuActivity) {
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

TEST_F(OddTraces, NumbersNotesByTheirObjects) {
  const ReadTrace trace = read_list(
      R"({"ph": "X", "cat": "cpu_op", "name": "a", "pid": 1, "tid": 2, "ts": 1},
         {"ph": "E", "name": "b", "pid": 1, "tid": 2, "ts": 2},
         {"ph": "X", "cat": "new", "name": "c", "pid": 1, "tid": 2, "ts": 3},
         {"ph": "B", "cat": "cpu_op", "name": "d", "pid": 1, "tid": 2, "ts": 4})");
  std::vector<std::string> examples;
  for (const profile::QualityNote& note : trace.notes) examples.push_back(note.first_example);
  EXPECT_THAT(examples, ElementsAre("row 4: d", "row 2: b", HasSubstr("row 3: ")));
}

TEST_F(OddTraces, CountsFurtherUnknownCategoriesAsOne) {
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

TEST_F(OddTraces, LeavesOutCollectivesOfLeftOutEvents) {
  const ReadTrace trace = read_list(
      R"({"ph": "X", "cat": "new", "name": "record_param_comms", "pid": 9, "tid": 8, "ts": 1,
          "args": {"Collective name": "allreduce"}})");
  EXPECT_EQ(trace->collectives.size(), 0U);
}

TEST_F(OddTraces, LeavesOutStrays) {
  const ReadTrace trace = read_list(
      R"({"ph": "X", "cat": "cpu_op", "name": "a", "pid": 1, "tid": 2, "ts": 1, "dur": 3},
         {"ph": "X", "cat": "cpu_op", "name": "far", "pid": 1, "tid": 2, "ts": 9e15})");
  EXPECT_THAT(trace.names(trace->host), ElementsAre("a", "aten::mm"));
  EXPECT_EQ(trace->span->stop_ns, 6000);
  ASSERT_EQ(trace.notes.size(), 1U);
  EXPECT_THAT(trace.notes[0].first_example, HasSubstr("row 2: "));
}

TEST_F(OddTraces, NumbersCorrelationsAndGpusThatAreTexts) {
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

// Such numbers stand for texts within the reader.
TEST_F(OddTraces, TakesGpusBelowAllNumbersFromTheProcess) {
  for (const char* const number : {"-2147483649", "-2147483650", "-3000000000", "-9000000000",
                                   "-9223372036854775807", "\"-3000000000\""}) {
    for (const char* const category : {"kernel", "gpu_memcpy", "gpu_memset", "cuda_sync"}) {
      for (const char* const key : {"device", "inDevice"}) {
        SCOPED_TRACE(fmt::format("{} {} {}", category, key, number));
        const std::string events = fmt::format(
            R"({{"ph": "X", "cat": "{}", "name": "Memcpy HtoD", "pid": 3, "tid": 7, "ts": 20,
                "dur": 5, "args": {{"{}": {}, "stream": 7, "correlation": {}}}}})",
            category, key, number, number);
        const ReadTrace trace = read_list(events);
        std::vector<int64_t> devices;
        for (const KernelEvent& event : trace->kernels) devices.push_back(event.device);
        for (const MemoryEvent& event : trace->memcpys) devices.push_back(event.device);
        for (const MemoryEvent& event : trace->memsets) devices.push_back(event.device);
        for (const SyncEvent& event : trace->syncs) devices.push_back(event.device);
        EXPECT_THAT(devices, ElementsAre(3));
        ReadOptions pieces;
        pieces.block_bytes = 100;
        EXPECT_EQ(dump(read_list_with(events, pieces)), dump(trace));
      }
    }
  }
}

TEST_F(OddTraces, KeepsTheLeastNumberOfAGpu) {
  const ReadTrace trace = read_list(
      R"({"ph": "X", "cat": "kernel", "name": "k", "pid": 3, "tid": 7, "ts": 2,
          "args": {"device": -2147483648}})");
  EXPECT_EQ(trace->kernels.at(0).device, INT32_MIN);
}

TEST_F(OddTraces, TakesWholeFloatsAsIds) {
  const ReadTrace trace =
      read_list(R"({"ph": "X", "cat": "cpu_op", "name": "a", "pid": 1.0, "tid": 2.0, "ts": 1})");
  ASSERT_EQ(trace->threads.size(), 1U);
  EXPECT_EQ(trace->threads[0].thread, "2");
}

TEST_F(OddTraces, GoesOnAfterAnOpenBracket) {
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

TEST_F(OddTraces, FindsTheHeaderAfterADamagedEvent) {
  const ReadTrace trace = read(std::string("{\"traceEvents\": [") + kOp +
                               R"(, {"ph": x}], "mine": {"a": [1]}, "with_stack": 1})");
  ASSERT_TRUE(trace.events);
  EXPECT_FALSE(trace->is_cut_off);
  EXPECT_EQ(trace->header.with_stack, true);
}

// Would take minutes if each of them were searched to the end.
TEST_F(OddTraces, TakesLinearTimeForManyQuotes) {
  std::string header = "{\"traceEvents\": [" + std::string(kOp) + "], \"INFO\": x";
  for (int i = 0; i < 1'000'000; ++i) header += "\\\"";
  EXPECT_TRUE(read(header + "}").events);
}

TEST_F(OddTraces, TakesLinearTimeForUnmatchedEnds) {
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

TEST_F(OddTraces, OpensATraceCutOffAnywhere) {
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
    EXPECT_EQ(trace.reasons().count(std::string(profile::kTruncated)), trace->is_cut_off ? 1U : 0U);
  }
}

TEST_F(OddTraces, SaysWhatOtherJsonIs) {
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

TEST_F(OddTraces, LimitsNestingAndLength) {
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

// In a gzip file, which is far smaller than the name.
TEST_F(OddTraces, LeavesOutANameThatUnpacksToTooMuch) {
  ReadOptions options;
  options.window_bytes = std::size_t{1} << 18;
  options.block_bytes = std::size_t{1} << 16;
  options.most_event_bytes = std::size_t{1} << 20;
  const std::string op = kOp;
  const ReadTrace trace = read_packed(
      "{\"traceEvents\": [" + op + R"(,{"ph": "X", "cat": "cpu_op", "ts": 1, "name": ")" +
          std::string(8 * options.most_event_bytes, 'x') + "\"}," + op + "]}",
      options);
  ASSERT_TRUE(trace.events);
  EXPECT_EQ(trace->host.size(), 2U);
  EXPECT_FALSE(trace->is_cut_off);
  EXPECT_EQ(trace.reasons(),
            (std::map<std::string, int64_t>{{"damaged JSON; the events in it are left out", 1}}));
}

TEST_F(OddTraces, ACancelEndsIt) {
  base::Progress progress;
  const base::Result<ByteSource> source = ByteSource::open(
      testing::write_file(folder_.path() / "a.json", fmt::format("[{}]", kOp)), progress);
  ASSERT_TRUE(source);
  progress.cancel();
  profile::ProfileBuilder builder;
  QualityLog quality;
  EXPECT_EQ(read_trace_events(*source, builder, quality, progress).error().title, "Canceled");
}

TEST_F(OddTraces, ACancelEndsItInTheMiddle) {
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
