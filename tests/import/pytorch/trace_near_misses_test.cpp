// What looks like something else in PyTorch traces: ids that are none, equal keys, cut lists, odd
// headers. The rows of the definition stand in trace_rows_test.cpp.

#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "aggregate/iterations.h"
#include "import/pytorch/event_sketch.h"
#include "import/pytorch/trace_rows.h"

namespace dlview::import::pytorch {
namespace {

using profile::Profile;
using ::testing::Contains;
using ::testing::ElementsAre;
using testing::op_lines;

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

}  // namespace
}  // namespace dlview::import::pytorch
