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

#include "import/pytorch/trace_rows.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "import/pytorch/event_sketch.h"

namespace dlview::import::pytorch {
namespace {

using profile::Profile;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::op_lines;

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
