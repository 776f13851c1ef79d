// What writers put into PyTorch traces, a tiny trace for each: vocabularies, categories, ids,
// times, and which op, direction and GPU an event belongs to. The whole way from JSON to the
// Profile.
//
// clang-format off
// Rows of the definition of traces, and the tests of each:
//
// Format
//   names, recognition             PytorchTrace*, PytorchTraceText.*, OddTraces.SaysWhatOtherJsonIs
//   writers, layouts, key order    GeneratedPytorchTrace, RealTraces.*, KeyChain.*
//   phases, B and E, markers       PhasesWithoutTimeAreNoWork, OddTraces.GivesEndsToGpuActivity,
//                                  BadTraces (begin_end, marker_years_away),
//                                  OddTraces.LeavesOutStrays
//   times, base                    JsonScanner.ScalesDecimals*, TimesCountFromTheBaseOrTheEpoch
//   numbers                        NumbersMayExceed*, NumbersBeyond*, IdsBeyond*,
//                                  TextsAndInfinities*
//   pid, tid                       ThreadIdsMayBeAnything, TraceThreads.*,
//                                  OddTraces.TakesWholeFloats*
//   header, private keys           TraceReaderTest.ReadsTheHeader*, TraceHeaderTest.*
//   bad JSON                       BadTraces.GiveWhatTheyMust, OddTraces.GoesOnAfterAnOpenBracket
//   cut off                        OddTraces.OpensATraceCutOffAnywhere
//   nesting, long names            OddTraces.LimitsNestingAndLength, OddTraces.LeavesOutANameThat*,
//                                  OpeningLimits in opening_limits_test.cpp
//   ts 0                           OddTraces.KeepsGpuActivityAtZero*, BadTraces (zero_times)
// Categories
//   all, also unknown ones         EveryCategoryHasItsPlace, TraceReaderTest.UnknownCategories*
//   all arguments, one by one      TraceArguments.*
//   cpu_op, its arguments          TraceReaderTest.ReadsOps, TraceOps.SayWhatTheirInputsAre
//   triton                         NumbersInNamesOfOpsStay, GridsOfTritonOpsAreNotThoseOfKernels
//   record_param_comms             TraceReaderTest.ReadsCollectives, CollectivesInsideAnOpAreParts
//   annotations, also of GPUs      NumbersInNamesOfStepsAreCut, GpuAnnotationsAreNeither*
//   kernels, copies, memsets       TraceReaderTest.ReadsGpuActivity, TraceCopies.*, AmdCopiesMay*
//   calls                          TraceReaderTest.ReadsCalls, TraceCalls.*
//   frames                         TraceReaderTest.ReadsModules*, ReadPythonFrames.*
//   memory                         TraceReaderTest.ReadsAllocations
//   counters                       TraceReaderTest.ReadsCounters, TraceCounters.*
//   cuda_sync, cuda_event          ASyncEventAndItsCallAreOne, TraceCalls.OnAGpuAreNoWaits*,
//                                  CudaEventsArePointsOnStreams
//   overhead                       TraceReaderTest.ReadsOverheadOfTheProfiler
//   MTIA, XPU                      MtiaEventsAreGpuWork, XpuQueuesAreStreams,
//                                  XpuSynchronizationIsOfTheHost
// Near misses
//   none, equal keys, escapes      CorrelationsThatAreNone*, NegativeSequence*, TheLastOfEqual*,
//                                  NamesMayHaveEscapes, ArgumentsMayBeNoObject, FlowsOfEqualIds*,
//                                  ListsThatAreCut*
//   times, header, metadata        TimesMayBeBelowZero, DisplayUnits*, ComputeProperties*,
//                                  MetadataMayStandAnywhere
// Mapping
//   threads, devices               TraceThreads.*, TraceDevices.*, AHostMayHaveTheNumberOfAGpu
//   iterations                     TraceSteps.*, OneStepStaysWhole, AnnotationsWithArguments*,
//                                  StepsAreThoseOfTheThreadWithMost
//   ops, nesting, recomputation    OpNames.*, TraceOps.*
//   op of a kernel, graphs         TraceCalls.*, ExternalIdsDoNotChoose*, GraphsBelongTo*
//   direction, forward op          TraceOps.*, AccumulationIsBackwardByItsName, ForwardOpsAreOf*
//   groups                         TraceOps.LieIn*
//   nested ops, stacks             Operators.*, OperatorTree.* of tests/aggregate
//   copies, launches               TraceCopies.*, TraceDevices.OfAmdHaveNone
//   memory, communication          MemoryUse.*, Collectives.* of tests/aggregate
//   data type, layout              DataTypes.*, TensorLayout.*, TraceOps.SayTheLayout*
//   data loader                    LoadersAreOpsOfTheirOwnType
//   rank, process groups           RankOfFileName.*, TraceHeaderTest.GivesTheRankBeforeTheName
//   not recorded                   TraceLacks.*
// Pitfalls
//   1 order, 2 whole us            TheOrderOfEventsDoesNotMatter, EventsOfNoTimeStay
//   3 crossing, 4 overlap          ReadPythonFrames.KeepsFramesThatCross,
//                                  KernelsMayOverlapOnAStream
//   5 kernel before its call       KernelsMayBeginBeforeTheirCall
//   6 a GPU that runs behind       RealPytorchTrace (windows and launches of each step)
//   7, 8 pids, no names            AHostMayHaveTheNumberOfAGpu, TraceCalls.MayBeMissing
//   9, 10 words, numbers           AllVocabulariesGiveTheSame, NumbersInNames*
//   11 sequence numbers            TraceOps.TakeTheLatestOfEqualSequenceNumbers
//   12, 13 ranks, merged traces    TraceProcesses.*, OddTraces.NumbersCorrelations*
// clang-format on

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "aggregate/iterations.h"
#include "import/pytorch/event_sketch.h"
#include "import/pytorch/trace_profile.h"
#include "import/pytorch/trace_reader.h"
#include "import/test_database.h"
#include "support/test_data.h"

namespace dlview::import::pytorch {
namespace {

using profile::Profile;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::op_lines;

// An X event; `rest` may have "args".
std::string x_event(std::string_view category, std::string_view name, std::string_view place,
                    std::string_view times, std::string_view rest = "") {
  return fmt::format(R"({{"ph": "X", "cat": "{}", "name": "{}", {}, {}{}{}}})", category, name,
                     place, times, rest.empty() ? "" : ", ", rest);
}

constexpr std::string_view kHost = R"("pid": 100, "tid": 100)";
constexpr std::string_view kGpu = R"("pid": 0, "tid": 7)";

class TraceRowsTest : public ::testing::Test {
 protected:
  base::Result<TraceEvents> events_of(const std::vector<std::string>& events,
                                      profile::ProfileBuilder& builder, QualityLog& quality,
                                      std::string_view header) {
    const std::string json = fmt::format("{{\"schemaVersion\": 1, {}\"traceEvents\": [{}]}}",
                                         header, fmt::join(events, ",\n"));
    base::Progress progress;
    const base::Result<ByteSource> source =
        ByteSource::open(testing::write_file(folder_.path() / "trace.json", json), progress);
    if (!source) return source.error();
    return read_trace_events(*source, builder, quality, progress);
  }
  TraceEvents read(const std::vector<std::string>& events, std::string_view header = "") {
    QualityLog quality;
    auto result = events_of(events, builder_, quality, header);
    EXPECT_TRUE(result) << base::to_text(result.error());
    return result ? *std::move(result) : TraceEvents();
  }
  Profile open(const std::vector<std::string>& events, std::string_view header = "") {
    profile::ProfileBuilder builder;
    QualityLog quality;
    auto result = events_of(events, builder, quality, header);
    EXPECT_TRUE(result) << base::to_text(result.error());
    if (!result) return {};
    return profile_of(*std::move(result), std::move(builder), std::move(quality));
  }

  profile::ProfileBuilder builder_;
  testing::TemporaryFolder folder_;
};

std::string op_event(std::string_view name, std::string_view times, std::string_view rest = "") {
  return x_event("cpu_op", name, kHost, times, rest);
}

// A launch at `at_us`, and its kernel of 2 us, 5 us later.
std::vector<std::string> with_launch(std::vector<std::string> events, int at_us,
                                     std::string_view call = "cudaLaunchKernel",
                                     std::string_view kernel = "k") {
  events.push_back(x_event("cuda_runtime", call, kHost, fmt::format(R"("ts": {}, "dur": 1)", at_us),
                           R"("args": {"correlation": 9})"));
  events.push_back(x_event("kernel", kernel, kGpu, fmt::format(R"("ts": {}, "dur": 2)", at_us + 5),
                           R"("args": {"device": 0, "stream": 7, "correlation": 9})"));
  return events;
}

// Vocabularies

TEST_F(TraceRowsTest, AllVocabulariesGiveTheSame) {
  const auto lines = [this](bool is_old) {
    const auto word = [is_old](const char* old_word, const char* new_word) {
      return is_old ? old_word : new_word;
    };
    const std::string id = word(R"("external id": 3)", R"("External id": 3)");
    const std::string gpu = R"("args": {"device": 0, "stream": 7, "bytes": 64, )" + id;
    const Profile profile = open({
        x_event(word("Operator", "cpu_op"), "aten::copy_", kHost, R"("ts": 1, "dur": 9)",
                is_old ? R"("args": {"Input dims": [[4]], "Input type": ["float"]})"
                       : R"("args": {"Input Dims": [[4]], "Input type": ["float"]})"),
        x_event(word("Runtime", "cuda_runtime"), "cudaLaunchKernel", kHost, R"("ts": 2, "dur": 1)",
                R"("args": {"correlation": 1})"),
        x_event(word("Runtime", "cuda_runtime"), "cudaMemcpyAsync", kHost, R"("ts": 4, "dur": 1)",
                R"("args": {"correlation": 2})"),
        x_event(word("Runtime", "cuda_runtime"), "cudaMemsetAsync", kHost, R"("ts": 6, "dur": 1)",
                R"("args": {"correlation": 3})"),
        x_event(word("Kernel", "kernel"), "k", kGpu, R"("ts": 20, "dur": 1)",
                gpu + R"(, "correlation": 1})"),
        x_event(word("Memcpy", "gpu_memcpy"), "Memcpy HtoD (Pinned -> Device)", kGpu,
                R"("ts": 22, "dur": 1)", gpu + R"(, "correlation": 2})"),
        x_event(word("Memset", "gpu_memset"), "Memset (Device)", kGpu, R"("ts": 24, "dur": 1)",
                gpu + R"(, "correlation": 3})"),
        fmt::format(R"({{"ph": "s", "id": 1, "cat": "{}", "name": "a", {}, "ts": 2}})",
                    word("async", "ac2g"), kHost),
        fmt::format(R"({{"ph": "f", "id": 1, "cat": "{}", "name": "a", {}, "ts": 20}})",
                    word("async_cpu_to_gpu", "ac2g"), kGpu),
    });
    std::vector<std::string> all = op_lines(profile);
    for (profile::Row i = 0; i < profile.memory_ops.size(); ++i) {
      all.push_back(fmt::format("{} {} bytes {}-{}", profile.text(profile.memory_ops.name[i]),
                                profile.memory_ops.bytes[i], profile.memory_ops.gpu_start_ns[i],
                                profile.memory_ops.gpu_stop_ns[i]));
    }
    all.emplace_back(profile.text(profile.instances.input_shapes[0]));
    all.push_back(fmt::format("{} notes", profile.quality.size()));
    return all;
  };
  EXPECT_THAT(lines(true),
              ElementsAre("/aten::copy_|fprop 0-9000 k", "cudaMemcpyAsync 64 bytes 21000-22000",
                          "cudaMemsetAsync 64 bytes 23000-24000", "[[4]]", "0 notes"));
  EXPECT_EQ(lines(true), lines(false));
}

TEST_F(TraceRowsTest, EveryCategoryHasItsPlace) {
  struct CategoryPlace {
    const char* category;
    const char* place;
  };
  constexpr CategoryPlace kPlaces[] = {
      {"cpu_op", "host"},
      {"Operator", "host"},
      {"user_annotation", "host"},
      {"python_function", "frame"},
      {"cuda_runtime", "call"},
      {"cuda_driver", "call"},
      {"Runtime", "call"},
      {"mtia_runtime", "call"},
      {"xpu_runtime", "call"},
      {"xpu_driver", "call"},
      {"mtia_ccp_events", "gpu"},
      {"xpu_sync", "sync"},
      {"xpu_scope_profiler", "skipped"},
      {"privateuse1_runtime", "call"},
      {"privateuse1_driver", "call"},
      {"kernel", "gpu"},
      {"Kernel", "gpu"},
      {"gpu_memcpy", "gpu"},
      {"Memcpy", "gpu"},
      {"gpu_memset", "gpu"},
      {"Memset", "gpu"},
      {"cuda_sync", "sync"},
      {"gpu_user_annotation", "skipped"},
      {"overhead", "overhead"},
      {"cuda_event", "sync"},
      {"cuda_profiler_range", "skipped"},
      {"collective_comm", "skipped"},
      {"hardware_counters", "skipped"},
      {"Trace", "nowhere"},
      {"hpu_op", "host"},        // unknown, on the host's process
      {"glow_runtime", "host"},  // the same
  };
  for (const CategoryPlace& row : kPlaces) {
    const TraceEvents events = read({op_event("aten::mm", R"("ts": 1, "dur": 1)"),
                                     x_event(row.category, "e", kHost, R"("ts": 2, "dur": 1)")});
    std::map<std::string, std::size_t> places{
        {"host", events.host.size() - 1},
        {"frame", static_cast<std::size_t>(events.frames)},
        {"call", events.calls.size()},
        {"gpu", events.kernels.size() + events.memcpys.size() + events.memsets.size()},
        {"sync", events.syncs.size()},
        {"overhead", events.overheads.size()},
        {"skipped", events.skipped.size()}};
    std::erase_if(places, [](const auto& place) { return place.second == 0; });
    const std::map<std::string, std::size_t> expected{{row.place, 1}};
    EXPECT_EQ(places, std::string_view(row.place) == "nowhere" ? decltype(places)() : expected)
        << row.category;
  }
}

TEST_F(TraceRowsTest, PhasesWithoutTimeAreNoWork) {
  const TraceEvents events = read({
      op_event("aten::mm", R"("ts": 5, "dur": 1)"),
      R"({"ph": "i", "name": "Iteration Start: PyTorch Profiler", "pid": "Traces", "tid": "a", "ts": 1})",
      R"({"ph": "i", "name": "Record Window End", "pid": "", "tid": "", "ts": 900})",
      R"({"ph": "C", "name": "Queue Length", "pid": 1, "ts": 1, "args": {"a": 1}})",
      R"({"ph": "n", "name": "async instant", "pid": 1, "tid": 1, "ts": 1})",
  });
  EXPECT_EQ(events.x_events, 1);
  EXPECT_EQ(events.span->start_ns, 5000);
  EXPECT_EQ(events.span->stop_ns, 6000);
  EXPECT_EQ(events.threads.size(), 1U);
}

// Ids and numbers

TEST_F(TraceRowsTest, ThreadIdsMayBeAnything) {
  const auto at = [](const char* tid) {
    return x_event("cpu_op", "aten::mm", fmt::format(R"("pid": 100, "tid": {})", tid),
                   R"("ts": 1, "dur": 1)");
  };
  const Profile profile =
      open({at("3004819264"), at("1890023232"), at("-1890023232"), at("\"5786\""), at("5786"),
            at("\"stream 7\""), at("140216842854592")});
  std::vector<int64_t> numbers;
  for (const profile::TraceThread& thread : profile.trace->threads)
    numbers.push_back(thread.number);
  EXPECT_THAT(numbers, ElementsAre(-1890023232, -1, 5786, 1890023232, 3004819264, 140216842854592));
  EXPECT_EQ(profile.instances.size(), 6U) << "5786 and its text are one thread";
}

TEST_F(TraceRowsTest, NumbersMayExceedInt64WhereNotRead) {
  const Profile profile =
      open({op_event("aten::mm", R"("ts": 1, "dur": 1)",
                     R"("args": {"Comms Id": 10159970886766084423, "External id": 1})")});
  EXPECT_THAT(profile.quality, IsEmpty());
}

TEST_F(TraceRowsTest, NumbersBeyondInt64AreNotRecorded) {
  const Profile profile =
      open({op_event("aten::mm", R"("ts": 1, "dur": 1)"),
            x_event("cuda_runtime", "cudaLaunchKernel", kHost, R"("ts": 1, "dur": 1)",
                    R"("args": {"correlation": 10159970886766084423})"),
            x_event("kernel", "k", kGpu, R"("ts": 5, "dur": 1)",
                    R"("args": {"device": 0, "correlation": 10159970886766084423})")});
  ASSERT_EQ(profile.kernels.size(), 1U);
  EXPECT_THAT(op_lines(profile), Contains("/aten::mm|fprop 0-1000")) << "launched by none";
  ASSERT_EQ(profile.quality.size(), 1U);
  EXPECT_EQ(profile.quality[0].rows, 2);
}

TEST_F(TraceRowsTest, IdsBeyond64BitsAreNotRecorded) {
  constexpr std::string_view kBig = "999999999999999999999999999999";
  const auto args = [kBig](const std::vector<const char*>& keys) {
    std::vector<std::string> members;
    for (const char* const key : keys) members.push_back(fmt::format("\"{}\": {}", key, kBig));
    return fmt::format("\"args\": {{{}}}", fmt::join(members, ", "));
  };
  const std::string times = R"("ts": 1, "dur": 1)";
  const std::string place = fmt::format(R"("pid": {}, "tid": {})", kBig, kBig);
  const TraceEvents events =
      read({x_event("cpu_op", "aten::mm", place, times,
                    args({"External id", "Ev Idx", "Sequence number", "Fwd thread id"})),
            x_event("python_function", "nn.Module: Linear_0", place, times,
                    args({"Python id", "Python parent id", "Python module id"})),
            x_event("kernel", "k", kGpu, times,
                    args({"device", "stream", "context", "correlation", "registers per thread",
                          "shared memory", "graph id", "graph node id"})),
            x_event("cuda_sync", "s", kGpu, times,
                    args({"stream", "wait_on_stream", "wait_on_cuda_event_id", "correlation"}))});
  ASSERT_EQ(events.threads.size(), 1U);
  EXPECT_EQ(events.threads[0].thread, kBig) << "a text as any other";
  const HostEvent& op = events.host.at(0);
  EXPECT_EQ(op.sequence_number, kNoValue);
  EXPECT_EQ(op.forward_thread, kNoValue);
  const PythonFrame& module = events.modules.at(0);
  EXPECT_EQ(module.id, kNoValue);
  EXPECT_EQ(module.parent, kNoValue);
  EXPECT_EQ(module.module_id, kNoValue);
  const KernelEvent& kernel = events.kernels.at(0);
  EXPECT_EQ(kernel.device, 0) << "of the process";
  EXPECT_EQ(kernel.stream, 7) << "of the thread";
  for (const int64_t number : {kernel.context, kernel.correlation, kernel.registers_per_thread,
                               kernel.shared_bytes, kernel.graph, kernel.graph_node}) {
    EXPECT_EQ(number, kNoValue);
  }
  const SyncEvent& sync = events.syncs.at(0);
  EXPECT_EQ(sync.waits_for_stream, kNoValue);
  EXPECT_EQ(sync.event, kNoValue);
  EXPECT_EQ(sync.correlation, kNoValue);
}

TEST_F(TraceRowsTest, TextsAndInfinitiesAreNumbersOrUnknown) {
  const TraceEvents events = read(
      {op_event("aten::mm", R"("ts": 1, "dur": 1)"),
       x_event("kernel", "a", kGpu, R"("ts": 1, "dur": 1)", R"("args": {"blocks per SM": inf})"),
       x_event("kernel", "b", kGpu, R"("ts": 1, "dur": 1)",
               R"("args": {"blocks per SM": "inf", "est. achieved occupancy %": 0})"),
       x_event("kernel", "c", kGpu, R"("ts": 1, "dur": 1)", R"("args": {"blocks per SM": 2})"),
       x_event("gpu_memcpy", "d", kGpu, R"("ts": 1, "dur": 1)", R"("args": {"bytes": "400"})"),
       x_event("cuda_sync", "e", kGpu, R"("ts": 1, "dur": 1)",
               R"("args": {"cuda_sync_kind": "Context Sync", "stream": -1})")});
  ASSERT_EQ(events.kernels.size(), 3U);
  EXPECT_LT(events.kernels[0].blocks_per_sm, 0);
  EXPECT_LT(events.kernels[1].blocks_per_sm, 0);
  EXPECT_EQ(events.kernels[1].occupancy_percent, 0);
  EXPECT_EQ(events.kernels[0].occupancy_percent, kNoValue);
  EXPECT_EQ(events.kernels[2].blocks_per_sm, 2);
  EXPECT_EQ(events.memcpys.at(0).bytes, 400);
  EXPECT_EQ(events.syncs.at(0).stream, kNoValue);
}

// Times

TEST_F(TraceRowsTest, TimesCountFromTheBaseOrTheEpoch) {
  const auto start_of = [this](const char* ts, const char* header) {
    return open({op_event("aten::mm", fmt::format(R"("ts": {}, "dur": 2.5)", ts))}, header)
        .trace->utc_start_ns;
  };
  EXPECT_EQ(start_of("1712195495520870.926", ""), 1712195495520870926);
  EXPECT_EQ(start_of("1712195495520870", ""), 1712195495520870000);
  EXPECT_EQ(start_of("5.001", R"("baseTimeNanoseconds": 1767225600000000000, )"),
            1767225600000005001);
  EXPECT_EQ(start_of("5.001", ""), std::nullopt) << "relative, without a base";
}

TEST_F(TraceRowsTest, EventsOfNoTimeStay) {
  Profile profile = open(with_launch({op_event("aten::mm", R"("ts": 10, "dur": 0)")}, 10));
  EXPECT_THAT(op_lines(profile), ElementsAre("/aten::mm|fprop 0-0 k"));
}

TEST_F(TraceRowsTest, TheOrderOfEventsDoesNotMatter) {
  std::vector<std::string> events = with_launch({op_event("aten::linear", R"("ts": 1, "dur": 50)"),
                                                 op_event("aten::addmm", R"("ts": 5, "dur": 20)"),
                                                 op_event("aten::relu", R"("ts": 60, "dur": 5)")},
                                                7);
  const std::vector<std::string> lines = op_lines(open(events));
  std::reverse(events.begin(), events.end());
  EXPECT_EQ(op_lines(open(events)), lines);
  EXPECT_THAT(lines, ElementsAre("/aten::linear|fprop 0-50000 k", "/aten::relu|fprop 59000-64000"));
}

// The op of a kernel

TEST_F(TraceRowsTest, ExternalIdsDoNotChooseTheOp) {
  std::vector<std::string> events =
      with_launch({op_event("aten::mm", R"("ts": 1, "dur": 9)", R"("args": {"External id": 1})"),
                   op_event("aten::mul", R"("ts": 20, "dur": 9)", R"("args": {"External id": 9})")},
                  5);
  events.back() = x_event(
      "kernel", "k", kGpu, R"("ts": 40, "dur": 2)",
      R"("args": {"device": 0, "stream": 7, "correlation": 9, "External id": 9, "external id": 9})");
  EXPECT_THAT(op_lines(open(events)),
              ElementsAre("/aten::mm|fprop 0-9000 k", "/aten::mul|fprop 19000-28000"));
}

// Their texts look the same: "grid(100,)".
TEST_F(TraceRowsTest, GridsOfTritonOpsAreNotThoseOfKernels) {
  const Profile profile = open(with_launch(
      {op_event("triton_poi_fused_add_0", R"("ts": 1, "dur": 9)",
                R"x("args": {"kernel_backend": "triton", "grid": "grid(100,)", "stream": 3})x")},
      5));
  EXPECT_TRUE(profile.trace->kernels.grid.empty());
  EXPECT_EQ(profile.trace->kernels.stream[0], 7);
}

TEST_F(TraceRowsTest, KernelsMayOverlapOnAStream) {
  std::vector<std::string> events = with_launch({op_event("aten::mm", R"("ts": 1, "dur": 9)")}, 5);
  events.push_back(x_event("kernel", "next", kGpu, R"("ts": 11, "dur": 5)",
                           R"("args": {"device": 0, "stream": 7, "correlation": 9})"));
  EXPECT_THAT(op_lines(open(events)), ElementsAre("/aten::mm|fprop 0-9000 k next"));
}

TEST_F(TraceRowsTest, KernelsMayBeginBeforeTheirCall) {
  std::vector<std::string> events =
      with_launch({op_event("aten::mm", R"("ts": 1, "dur": 99)")}, 50);
  events.back() = x_event("kernel", "k", kGpu, R"("ts": 40, "dur": 2)",
                          R"("args": {"device": 0, "stream": 7, "correlation": 9})");
  const Profile profile = open(events);
  EXPECT_THAT(op_lines(profile), ElementsAre("/aten::mm|fprop 0-99000 k"));
  EXPECT_EQ(profile.kernels.gpu_start_ns[0], 39'000);
}

TEST_F(TraceRowsTest, GraphsBelongToTheOpThatLaunches) {
  for (const char* call : {"cudaGraphLaunch", "hipGraphLaunch"}) {
    std::vector<std::string> events =
        with_launch({op_event("my::replay", R"("ts": 1, "dur": 99)")}, 50, call, "a");
    events.push_back(x_event("kernel", "b", kGpu, R"("ts": 60, "dur": 2)",
                             R"("args": {"device": 0, "stream": 7, "correlation": 9})"));
    EXPECT_THAT(op_lines(open(events)), ElementsAre("/my::replay|fprop 0-99000 a b")) << call;
  }
}

TEST_F(TraceRowsTest, AmdCopiesMayBeKernels) {
  const Profile profile = open(with_launch({op_event("aten::copy_", R"("ts": 1, "dur": 9)")}, 5,
                                           "hipLaunchKernel", "__amd_rocclr_copyBuffer"));
  EXPECT_EQ(profile.memory_ops.size(), 0U);
  EXPECT_THAT(op_lines(profile), ElementsAre("/aten::copy_|fprop 0-9000 __amd_rocclr_copyBuffer"));
}

TEST_F(TraceRowsTest, AHostMayHaveTheNumberOfAGpu) {
  const auto call = x_event("cuda_runtime", "hipLaunchKernel", R"("pid": 1, "tid": 1)",
                            R"("ts": 2, "dur": 1)", R"("args": {"correlation": 4})");
  const Profile profile =
      open({x_event("cpu_op", "aten::mm", R"("pid": 1, "tid": 1)", R"("ts": 1, "dur": 9)"), call,
            x_event("kernel", "k", R"("pid": 1, "tid": 7)", R"("ts": 20, "dur": 1)",
                    R"("args": {"stream": 7, "correlation": 4})"),
            x_event("python_function", "nn.Module: Net_0", R"("pid": 0, "tid": 1)",
                    R"("ts": 1, "dur": 30)")});
  ASSERT_EQ(profile.devices.size(), 1U);
  EXPECT_EQ(profile.devices[std::size_t{0}].device_id, 1);
  EXPECT_THAT(op_lines(profile), Contains("/aten::mm|fprop 0-9000 k"));
}

TEST_F(TraceRowsTest, MtiaEventsAreGpuWork) {
  static constexpr std::string_view kMtia = R"("pid": "MTIA 17", "tid": "Stream 108")";
  const auto device_event = [](const char* name, const char* times, const char* args) {
    return x_event("mtia_ccp_events", name, kMtia, times, args);
  };
  const std::vector<std::string> trace{
      op_event("aten::copy_", R"("ts": 1, "dur": 9)"),
      x_event("mtia_runtime", "enqueueCommand memcpyHtoDAsync", kHost, R"("ts": 2, "dur": 1)",
              R"("args": {"correlation": 5, "device": 17, "stream_id": "108"})"),
      device_event("dma_request", R"("ts": 20, "dur": 3)",
                   R"("args": {"direction": "HOST_TO_DEVICE", "size": 1024, "correlation": 5})"),
      device_event("pe_exe", R"("ts": 30, "dur": 4)", R"("args": {"stream": 108})"),
      device_event("event_wait", R"("ts": 10, "dur": 90)", R"("args": {"stream": 108})"),
      device_event("event_record", R"("ts": 35, "dur": 1)", R"("args": {"stream": 108})")};
  const Profile profile = open(trace);
  ASSERT_EQ(profile.devices.size(), 1U);
  EXPECT_EQ(profile.devices[std::size_t{0}].device_id, 17);
  ASSERT_EQ(profile.memory_ops.size(), 1U);
  EXPECT_EQ(profile.memory_ops.bytes[0], 1024);
  EXPECT_EQ(profile.memory_ops.copy_kind[0], profile::CopyKind::host_to_device);
  EXPECT_EQ(profile.text(profile.ops.name[profile.instances.op[profile.memory_ops.instance[0]]]),
            "/aten::copy_");
  ASSERT_EQ(profile.kernels.size(), 1U) << "waiting is no work";
  EXPECT_EQ(profile.text(profile.kernels.long_name[0]), "pe_exe");
  EXPECT_EQ(profile.trace->kernels.stream[0], 108);
  const profile::TraceSyncEvents& marks = profile.trace->sync_events;
  ASSERT_EQ(marks.size(), 2U);
  EXPECT_EQ(profile.text(marks.name[0]), "event_wait");
  EXPECT_EQ(marks.device_id[0], 17);
  EXPECT_EQ(marks.stream[0], 108);
  EXPECT_EQ(marks.end_ns[1] - marks.start_ns[1], 1000);
  EXPECT_EQ(profile.syncs.size(), 0U) << "the host does not wait";
}

TEST_F(TraceRowsTest, XpuQueuesAreStreams) {
  const Profile profile =
      open({op_event("aten::mm", R"("ts": 1, "dur": 9)"),
            x_event("xpu_runtime", "urEnqueueKernelLaunch", kHost, R"("ts": 2, "dur": 1)",
                    R"("args": {"correlation": 5})"),
            x_event("kernel", "gemm_kernel", R"("pid": 1, "tid": "queue")", R"("ts": 20, "dur": 3)",
                    R"("args": {"device": 1, "sycl queue": 4, "correlation": 5})")});
  EXPECT_THAT(op_lines(profile), ElementsAre("/aten::mm|fprop 0-9000 gemm_kernel"));
  EXPECT_EQ(profile.trace->kernels.stream[0], 4);
  EXPECT_EQ(profile.trace->gpus.at(0).id, 1);
  EXPECT_EQ(profile.trace->gpus[0].vendor, profile::Vendor::intel);
}

// Its process is -1, and its thread is the host's.
TEST_F(TraceRowsTest, XpuSynchronizationIsOfTheHost) {
  const auto sync = [](const char* name, const char* type, int at_us) {
    return x_event("xpu_sync", name, R"("pid": -1, "tid": 100)",
                   fmt::format(R"("ts": {}, "dur": 5)", at_us),
                   fmt::format(R"("args": {{"Type": "{}", "correlation": {}, "Return_code": 0}})",
                               type, at_us));
  };
  const auto call = [](const char* name, int at_us) {
    return x_event("xpu_driver", name, kHost, fmt::format(R"("ts": {}, "dur": 5)", at_us),
                   fmt::format(R"("args": {{"correlation": {}}})", at_us));
  };
  const Profile profile = open({
      op_event("aten::item", R"("ts": 1, "dur": 90)"),
      call("zeEventHostSynchronize", 10),
      call("zeCommandQueueSynchronize", 20),
      call("zeFenceHostSynchronize", 30),
      sync("zeEventHostSynchronize", "HOST_EVENT", 10),
      sync("zeCommandQueueSynchronize", "HOST_COMMAND_QUEUE", 20),
      sync("zeCommandListAppendBarrier", "GPU_BARRIER_EXECUTION", 40),
  });
  const profile::TraceSyncEvents& events = profile.trace->sync_events;
  ASSERT_EQ(events.size(), 3U);
  for (profile::Row i = 0; i < 3; ++i) {
    EXPECT_EQ(events.device_id[i], -1);
    EXPECT_EQ(events.stream[i], profile::kNoValue);
  }
  EXPECT_EQ(profile.text(events.name[2]), "zeCommandListAppendBarrier");
  ASSERT_EQ(profile.syncs.size(), 3U) << "a call and its event are one; a barrier blocks no host";
  std::vector<int32_t> types;
  for (const int32_t type : profile.trace->syncs.sync_type) types.push_back(type);
  EXPECT_THAT(types, ElementsAre(2, 3, 3));
  for (profile::Row i = 0; i < 3; ++i) {
    EXPECT_EQ(profile.text(profile.ops.name[profile.instances.op[profile.syncs.instance[i]]]),
              "/aten::item");
  }
}

// Forward and backward

TEST_F(TraceRowsTest, AccumulationIsBackwardByItsName) {
  // As in traces of 2021: on the engine's thread, without an evaluation or a sequence number.
  const auto line = [this](const char* category, const char* name) {
    return op_lines(open({x_event(category, name, R"("pid": 100, "tid": 102)",
                                  R"("ts": 1, "dur": 5)", R"("args": {"External id": 4})")}));
  };
  EXPECT_THAT(line("Operator", "torch::autograd::AccumulateGrad"),
              ElementsAre("/torch::autograd::AccumulateGrad|bprop 0-5000"));
  EXPECT_THAT(line("cpu_op", "mine::AccumulateGrad"),
              ElementsAre("/mine::AccumulateGrad|fprop 0-5000"));
  EXPECT_THAT(line("cpu_op", "torch::autograd::AccumulateGradient"),
              ElementsAre("/torch::autograd::AccumulateGradient|fprop 0-5000"));
}

// As expect.py has it; the table of collectives names them.
TEST_F(TraceRowsTest, CollectivesInsideAnOpAreParts) {
  std::vector<std::string> events =
      with_launch({op_event("autograd::engine::evaluate_function: torch::autograd::AccumulateGrad",
                            R"("ts": 1, "dur": 50)"),
                   op_event("torch::autograd::AccumulateGrad", R"("ts": 2, "dur": 45)"),
                   op_event("c10d::allreduce_", R"("ts": 3, "dur": 40)"),
                   op_event("record_param_comms", R"("ts": 4, "dur": 30)",
                            R"("args": {"Collective name": "allreduce", "dtype": "Float"})")},
                  10, "cudaLaunchKernel", "ncclDevKernel_AllReduce");
  const Profile profile = open(events);
  EXPECT_THAT(
      op_lines(profile),
      ElementsAre("/torch::autograd::AccumulateGrad|bprop 0-50000 ncclDevKernel_AllReduce"));
  ASSERT_EQ(profile.trace->collectives.size(), 1U);
  EXPECT_EQ(profile.text(profile.trace->collectives.name[0]), "allreduce");
}

TEST_F(TraceRowsTest, ForwardOpsAreOfTheSameProcess) {
  const auto forward = [](int pid, const char* module, int at_us) {
    const std::string place = fmt::format(R"("pid": {0}, "tid": {0})", pid);
    return std::vector<std::string>{
        x_event("python_function", fmt::format("nn.Module: {}", module), place,
                fmt::format(R"("ts": {}, "dur": 20)", at_us)),
        x_event("cpu_op", "aten::mul", place, fmt::format(R"("ts": {}, "dur": 5)", at_us + 1),
                R"("args": {"Sequence number": 7, "Fwd thread id": 0})")};
  };
  std::vector<std::string> events = forward(100, "Mine_0", 1);
  for (const std::string& event : forward(200, "Other_0", 50)) events.push_back(event);
  events.push_back(op_event("MulBackward0", R"("ts": 100, "dur": 5)",
                            R"("args": {"Sequence number": 7, "Fwd thread id": 1})"));
  EXPECT_THAT(op_lines(open(events)), Contains("/Mine_0/MulBackward0|bprop 99000-104000"));
}

TEST_F(TraceRowsTest, SequenceNumbersWithoutAForwardThreadAreForward) {
  EXPECT_THAT(op_lines(open({op_event("aten::mul", R"("ts": 1, "dur": 5)",
                                      R"("args": {"Sequence number": 7})")})),
              ElementsAre("/aten::mul|fprop 0-5000"));
}

// Types

TEST_F(TraceRowsTest, OneStepStaysWhole) {
  const auto key_of = [this](int steps) {
    std::vector<std::string> events;
    for (int i = 0; i < steps; ++i) {
      events.push_back(x_event("user_annotation", fmt::format("ProfilerStep#{}", i), kHost,
                               fmt::format(R"("ts": {}, "dur": 80)", 100 * i)));
      events.push_back(op_event("aten::mm", fmt::format(R"("ts": {}, "dur": 50)", 100 * i + 10)));
    }
    return aggregate::default_cut(aggregate::KeyRanking(open(events))).key_op;
  };
  EXPECT_EQ(key_of(1), "");
  EXPECT_EQ(key_of(4), "ProfilerStep");
}

TEST_F(TraceRowsTest, LoadersAreOpsOfTheirOwnType) {
  for (const char* name : {"enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__",
                           "enumerate(DataPipe)#ShufflerIterDataPipe"}) {
    const Profile profile = open({x_event("user_annotation", name, kHost, R"("ts": 1, "dur": 5)"),
                                  op_event("aten::mm", R"("ts": 10, "dur": 5)")});
    std::vector<std::string> types;
    for (const auto type : profile.ops.type) types.emplace_back(profile.text(type));
    EXPECT_THAT(types, Contains("DataLoader")) << name;
  }
}

TEST_F(TraceRowsTest, NumbersInNamesOfStepsAreCut) {
  const std::map<std::string, std::string> rows{
      {"ProfilerStep#552", "ProfilerStep"},
      {"## forward ##", "## forward ##"},
      {"Optimizer.step#SGD.step", "Optimizer.step#SGD.step"},
      {"step[7]", "step"},
      {"step[DECODE bs=32]", "step[DECODE bs=*]"},
      {"execute_context_1(888_788544)_generation_0(0)", "execute_context_*(*_*)_generation_*(*)"},
      {"step (bs=7)", "step (bs=*)"},
      {"step 12 [bs=32 [8]]", "step * [bs=* [*]]"},
      {"iteration(bs=3)", "iteration(bs=*)"},
      {"batch 4 (of 10)", "batch * (of *)"},
      {"execute 3 (a [1])", "execute * (a [*])"},
      // Near misses: names of layers and of other things.
      {"Linear(64, 8)", "Linear(64, 8)"},
      {"blocks[0].attn", "blocks[0].attn"},
      {"stepper(3) of(4)x", "stepper(3) of(4)x"},
      {"batch_norm(64, 1)", "batch_norm(64, 1)"},
      {"batchnorm(64, 1)", "batchnorm(64, 1)"},
      {"layer_norm(64, 1)", "layer_norm(64, 1)"},
      {"step_2_linear(64, 8)", "step_2_linear(64, 8)"},
      {"iteration_cell(3, 4)", "iteration_cell(3, 4)"},
      {"step.linear(64, 8)", "step.linear(64, 8)"},
      {"executor(64, 8)", "executor(64, 8)"},
      {"execute_model_1", "execute_model_1"},
      {"step (a) 2b", "step (a) 2b"},
      {"step (a) 2 (b)", "step (a) 2 (b)"},
      {"execute_a(b)_2_c(d)", "execute_a(b)_2_c(d)"},
      {"batch 2 (a", "batch 2 (a"},
      {"## Call CompiledFxGraph fal4x12 ##", "## Call CompiledFxGraph fal4x12 ##"},
  };
  for (const auto& [name, without_number] : rows) {
    const Profile profile = open({x_event("user_annotation", name, kHost, R"("ts": 1, "dur": 50)"),
                                  op_event("aten::mm", R"("ts": 10, "dur": 5)")});
    std::vector<std::string> names;
    for (const auto range : profile.user_ranges.name) names.emplace_back(profile.text(range));
    EXPECT_THAT(names, Contains(without_number)) << name;
  }
}

TEST_F(TraceRowsTest, NumbersInNamesOfOpsStay) {
  EXPECT_THAT(op_lines(open({op_event("triton_poi_fused_add_0", R"("ts": 1, "dur": 5)",
                                      R"("args": {"kernel_backend": "triton"})")})),
              ElementsAre("/triton_poi_fused_add_0|fprop 0-5000"));
  EXPECT_THAT(op_lines(open({op_event("Torch-Compiled Region: 0/1", R"("ts": 1, "dur": 9)"),
                             op_event("aten::mm", R"("ts": 2, "dur": 5)")})),
              Contains("/Torch-Compiled Region: 0/1/aten::mm|fprop 1000-6000"));
}

TEST_F(TraceRowsTest, AnnotationsWithArgumentsSplitTheRun) {
  std::vector<std::string> events;
  for (int i = 0; i < 6; ++i) {
    const std::string name =
        fmt::format("execute_context_{}({})_generation_{}({})", i % 2, i * 88, 32 - i, 500 + i);
    events.push_back(
        x_event("user_annotation", name, kHost, fmt::format(R"("ts": {}, "dur": 80)", 100 * i)));
    events.push_back(op_event("aten::mm", fmt::format(R"("ts": {}, "dur": 50)", 100 * i + 10)));
  }
  const Profile profile = open(events);
  ASSERT_EQ(profile.user_ranges.size(), 6U);
  for (profile::Row i = 0; i < 6; ++i) {
    EXPECT_EQ(profile.user_ranges.name[i], profile.user_ranges.name[0]);
  }
  EXPECT_EQ(aggregate::default_cut(aggregate::KeyRanking(profile)).key_op,
            "execute_context_*(*)_generation_*(*)");
}

TEST_F(TraceRowsTest, GpuAnnotationsAreNeitherWorkNorSteps) {
  std::vector<std::string> events = with_launch({op_event("aten::mm", R"("ts": 1, "dur": 9)")}, 5);
  events.push_back(x_event("gpu_user_annotation", "ProfilerStep#5", kGpu, R"("ts": 9, "dur": 5)"));
  const Profile profile = open(events);
  EXPECT_EQ(profile.kernels.size(), 1U);
  EXPECT_EQ(profile.user_ranges.size(), 0U);
}

// Near misses

// A call and a kernel that both have none do not belong together.
TEST_F(TraceRowsTest, CorrelationsThatAreNoneRelateNothing) {
  const auto lines_with = [this](const char* correlation) {
    return op_lines(
        open({op_event("aten::mm", R"("ts": 1, "dur": 50)"),
              x_event("cuda_runtime", "cudaLaunchKernel", kHost, R"("ts": 5, "dur": 1)",
                      fmt::format(R"("args": {{"correlation": {}}})", correlation)),
              x_event("kernel", "k", kGpu, R"("ts": 20, "dur": 2)",
                      fmt::format(R"("args": {{"device": 0, "correlation": {}}})", correlation))}));
  };
  for (const char* none : {"0", "-1", "\"0\"", "\"-1\"", "null", "\"\"", "[9]"}) {
    EXPECT_THAT(lines_with(none), Contains("/aten::mm|fprop 0-50000")) << none;
  }
  for (const char* same : {"9", "\"9\"", "9.0", "\"0_9\"", "-7"}) {
    EXPECT_THAT(lines_with(same), ElementsAre("/aten::mm|fprop 0-50000 k")) << same;
  }
}

TEST_F(TraceRowsTest, NegativeSequenceNumbersAreNone) {
  std::vector<std::string> events{
      x_event("python_function", "nn.Module: Mine_0", kHost, R"("ts": 1, "dur": 20)"),
      op_event("aten::mul", R"("ts": 2, "dur": 5)",
               R"("args": {"Sequence number": -1, "Fwd thread id": 0})"),
      op_event("MulBackward0", R"("ts": 100, "dur": 5)",
               R"("args": {"Sequence number": -1, "Fwd thread id": 1})")};
  const Profile profile = open(events);
  EXPECT_THAT(op_lines(profile), ElementsAre("/Mine_0/aten::mul|fprop 1000-6000"))
      << "without a number, the name of a backward op is one of a range";
}

TEST_F(TraceRowsTest, TheLastOfEqualKeysCounts) {
  const Profile profile =
      open({op_event("aten::mm", R"("ts": 1, "dur": 50)"),
            x_event("cuda_runtime", "cudaLaunchKernel", kHost, R"("ts": 5, "dur": 1)",
                    R"("args": {"correlation": 9})"),
            R"({"ph": "X", "cat": "cpu_op", "cat": "kernel", "name": "a", "name": "k", "pid": 0,
           "tid": 7, "ts": 3, "ts": 20, "dur": 9, "dur": 2, "args": {"correlation": 9, "device": 5},
           "args": {"device": 1, "device": 0, "correlation": 1, "correlation": 9}})"});
  EXPECT_THAT(op_lines(profile), ElementsAre("/aten::mm|fprop 0-50000 k"));
  EXPECT_EQ(profile.kernels.gpu_stop_ns[0], 21'000);
  EXPECT_EQ(profile.trace->kernels.device_id[0], 0);
}

TEST_F(TraceRowsTest, NamesMayHaveEscapes) {
  // As Go, PHP and JavaScript write them.
  const Profile profile =
      open(with_launch({op_event("aten::mm", R"("ts": 1, "dur": 9)")}, 5, "cudaLaunchKernel",
                       R"(void k\u003cint\u003e(a\/b, \ud83d\ude00, \"q\"))"));
  EXPECT_EQ(profile.text(profile.kernels.long_name[0]), "void k<int>(a/b, \U0001F600, \"q\")");
}

TEST_F(TraceRowsTest, ArgumentsMayBeNoObject) {
  for (const char* args : {"null", "[]", "\"\"", "{}", R"({"a": {"b": [{"correlation": 9}]}})"}) {
    const TraceEvents events = read(
        {op_event("aten::mm", R"("ts": 1, "dur": 9)", fmt::format(R"("args": {})", args)),
         x_event("kernel", "k", kGpu, R"("ts": 9, "dur": 1)", fmt::format(R"("args": {})", args))});
    ASSERT_EQ(events.host.size(), 1U) << args;
    ASSERT_EQ(events.kernels.size(), 1U) << args;
    EXPECT_EQ(events.kernels[0].correlation, kNoValue) << args;
    EXPECT_EQ(events.kernels[0].device, 0) << args;
    EXPECT_EQ(events.kernels[0].stream, 7) << args;
  }
}

// PyTorch cuts long lists to the text "[]".
TEST_F(TraceRowsTest, ListsThatAreCutAreNotRecorded) {
  const TraceEvents events =
      read({op_event("aten::cat", R"("ts": 1, "dur": 9)",
                     R"("args": {"Input Dims": "[]", "Input type": "[]", "Input Strides": "[]"})"),
            op_event("aten::mm", R"("ts": 20, "dur": 9)", R"("args": {"Input Dims": []})")});
  EXPECT_EQ(events.host.at(0).inputs, HostEvent::kNoInputs);
  EXPECT_NE(events.host.at(1).inputs, HostEvent::kNoInputs) << "an empty list is one";
}

TEST_F(TraceRowsTest, FlowsOfEqualIdsRelateNothing) {
  std::vector<std::string> events = with_launch({op_event("aten::mm", R"("ts": 1, "dur": 9)"),
                                                 op_event("aten::mul", R"("ts": 30, "dur": 9)")},
                                                5);
  const std::vector<std::string> without = op_lines(open(events));
  const auto flow = [](const char* phase, const char* category, std::string_view place, int ts) {
    return fmt::format(R"({{"ph": "{}", "id": 9, "cat": "{}", "name": "{}", {}, "ts": {}}})", phase,
                       category, category, place, ts);
  };
  events.push_back(flow("s", "fwdbwd", kHost, 30));
  events.push_back(flow("f", "ac2g", kGpu, 10));
  events.push_back(flow("s", "ac2g", kHost, 30));
  EXPECT_EQ(op_lines(open(events)), without);
  EXPECT_THAT(without, Contains("/aten::mm|fprop 0-9000 k"));
}

TEST_F(TraceRowsTest, TimesMayBeBelowZero) {
  const TraceEvents events = read({op_event("aten::mm", R"("ts": -10.5, "dur": 50)"),
                                   op_event("aten::mul", R"("ts": 60.0004, "dur": 1.9996)"),
                                   op_event("aten::add", R"("ts": "70", "dur": "1.5")"),
                                   op_event("aten::sub", R"("ts": 8e1)")});
  ASSERT_EQ(events.host.size(), 4U);
  EXPECT_EQ(events.host[0].start_ns, -10'500);
  EXPECT_EQ(events.host[0].stop_ns, 39'500);
  EXPECT_EQ(events.host[1].start_ns, 60'000) << "digits below a nanosecond are rounded";
  EXPECT_EQ(events.host[1].stop_ns, 62'000);
  EXPECT_EQ(events.host[2].stop_ns, 71'500) << "texts";
  EXPECT_EQ(events.host[3].start_ns, 80'000);
  EXPECT_EQ(events.host[3].stop_ns, 80'000) << "without a duration";
  EXPECT_EQ(events.span->start_ns, -10'500);
}

// "ms" and "ns" tell a viewer how to print times.
TEST_F(TraceRowsTest, DisplayUnitsDoNotChangeTimes) {
  const auto stop_of = [this](const char* header) {
    return read({op_event("aten::mm", R"("ts": 1, "dur": 9.5)")}, header).host.at(0).stop_ns;
  };
  for (const char* unit : {"ns", "ms", "us"}) {
    EXPECT_EQ(stop_of(fmt::format(R"("displayTimeUnit": "{}", )", unit).c_str()), 10'500) << unit;
  }
}

// Writers put metadata in front of the events, behind them, or both.
TEST_F(TraceRowsTest, MetadataMayStandAnywhere) {
  const std::vector<std::string> metadata{
      R"({"ph": "M", "name": "process_sort_index", "pid": 100, "tid": 0, "args": {"sort_index": 5}})",
      R"({"ph": "M", "name": "process_labels", "pid": 100, "tid": 0, "args": {"labels": "CPU"}})",
      R"({"ph": "M", "name": "process_name", "pid": 100, "tid": 0, "args": {"name": "python3"}})",
      R"x({"ph": "M", "name": "thread_name", "pid": 100, "tid": "100", "args": {"name": "thread 100 (main)"}})x"};
  const std::string op = op_event("aten::mm", R"("ts": 1, "dur": 9)");
  std::vector<std::string> before = metadata, after{op};
  before.push_back(op);
  after.insert(after.end(), metadata.begin(), metadata.end());
  for (const auto& events : {before, after}) {
    const Profile profile = open(events);
    ASSERT_EQ(profile.trace->threads.size(), 1U);
    EXPECT_EQ(profile.trace->threads[std::size_t{0}].name, "main");
    EXPECT_EQ(profile.trace->processes[std::size_t{0}].name, "python3");
  }
}

// Files of May 2021 call them so.
TEST_F(TraceRowsTest, ComputePropertiesAreThoseOfGpus) {
  for (const char* key : {"deviceProperties", "computeProperties"}) {
    const Profile profile = open(
        with_launch({op_event("aten::mm", R"("ts": 1, "dur": 9)")}, 5),
        fmt::format(R"("{}": [{{"id": "0", "name": "V100", "numSms": 80, "computeMajor": 7}}], )",
                    key));
    ASSERT_EQ(profile.devices.size(), 1U) << key;
    EXPECT_EQ(profile.devices[std::size_t{0}].name, "V100") << key;
    EXPECT_EQ(profile.devices[std::size_t{0}].compute_capability_major, 7) << key;
  }
}

// A worker that has fewer of them does not split the run.
TEST_F(TraceRowsTest, StepsAreThoseOfTheThreadWithMost) {
  std::vector<std::string> events;
  const auto add = [&events](int thread, int number, int at_us) {
    events.push_back(x_event("user_annotation", fmt::format("ProfilerStep#{}", number),
                             fmt::format(R"("pid": 100, "tid": {})", thread),
                             fmt::format(R"("ts": {}, "dur": 80)", at_us)));
    events.push_back(x_event("cpu_op", "aten::mm", fmt::format(R"("pid": 100, "tid": {})", thread),
                             fmt::format(R"("ts": {}, "dur": 5)", at_us + 10)));
  };
  for (int i = 0; i < 2; ++i) add(7, i, 50 + 100 * i);
  for (int i = 0; i < 4; ++i) add(9, i, 100 * i);
  const Profile profile = open(events);
  const aggregate::Iterations found =
      aggregate::cut_iterations(profile, aggregate::default_cut(aggregate::KeyRanking(profile)));
  ASSERT_EQ(found.rows.size(), 4U);
  EXPECT_EQ(found.rows[1].start_ns, 100'000);
}

// Synchronization

TEST_F(TraceRowsTest, ASyncEventAndItsCallAreOne) {
  const Profile profile = open(
      {op_event("aten::item", R"("ts": 1, "dur": 50)"),
       x_event("cuda_runtime", "cudaDeviceSynchronize", kHost, R"("ts": 5, "dur": 9)",
               R"("args": {"correlation": 3})"),
       x_event("cuda_runtime", "cudaStreamSynchronize", kHost, R"("ts": 20, "dur": 9)",
               R"("args": {"correlation": 4})"),
       x_event("cuda_sync", "Context Sync", kGpu, R"("ts": 6, "dur": 7)",
               R"("args": {"cuda_sync_kind": "Context Sync", "device": 0, "correlation": 3})")});
  EXPECT_EQ(profile.syncs.size(), 2U);
}

TEST_F(TraceRowsTest, CudaEventsArePointsOnStreams) {
  const Profile profile =
      open({op_event("aten::mm", R"("ts": 1, "dur": 50)"),
            x_event("cuda_runtime", "cudaEventRecord", kHost, R"("ts": 5, "dur": 1)",
                    R"("args": {"correlation": 3})"),
            x_event("cuda_event", "cudaEvent", kGpu, R"("ts": 9, "dur": 0.001)",
                    R"("args": {"event_id": 4, "device": 0, "stream": 7, "correlation": 3})")});
  const profile::TraceSyncEvents& events = profile.trace->sync_events;
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(profile.text(events.name[0]), "cudaEvent");
  EXPECT_EQ(events.start_ns[0], 8000);
  EXPECT_EQ(events.end_ns[0], 8001);
  EXPECT_EQ(events.stream[0], 7);
  EXPECT_EQ(events.event[0], 4);
  EXPECT_EQ(profile.syncs.size(), 0U);
  EXPECT_TRUE(profile.trace->gpus.empty()) << "no GPU activity";
  const auto row =
      std::ranges::find(profile.recorded_tables, "cuda_event", &profile::RecordedTable::name);
  ASSERT_NE(row, profile.recorded_tables.end());
  EXPECT_EQ(row->rows, 1);
}

}  // namespace
}  // namespace dlview::import::pytorch
