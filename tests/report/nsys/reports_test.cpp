// The reports of nsys on traces whose numbers are worked out by hand. What nsys itself printed for
// real files is in real_exports_test.cpp.

#include "report/nsys/reports.h"

#include <algorithm>
#include <limits>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/nsys/cells.h"
#include "report/nsys/csv.h"
#include "report/nsys/ranges.h"
#include "report/nsys/trace_sketch.h"

namespace dlview::report::nsys {
namespace {

using profile::Profile;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using testing::thread_of;
using testing::TraceSketch;

constexpr auto kToGpu = profile::CopyKind::host_to_device,
               kToHost = profile::CopyKind::device_to_host;

std::optional<Table> make(std::string_view name, const Input& input) {
  return make_report(*parse_report_list(name)->front(), input);
}

// The CSV's rows without its header and the empty line at its end.
std::vector<std::string> rows_of(std::string_view report, const Input& input) {
  const std::optional<Table> table = make(report, input);
  if (!table) return {};
  std::ostringstream written;
  nsys::write_csv(*table, written);
  std::istringstream in(written.str());
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  EXPECT_EQ(lines.back(), "");
  return {lines.begin() + 1, lines.end() - 1};
}

TEST(NsysReports, AreChosenByTheirNamesOldAndNew) {
  const auto both = parse_report_list("gpukernsum,nvtx_sum,cuda_gpu_kern_sum");
  ASSERT_TRUE(both.ok());
  ASSERT_EQ(both->size(), 2U);
  EXPECT_EQ((*both)[0]->name, "cuda_gpu_kern_sum");
  EXPECT_EQ((*both)[1]->name, "nvtx_sum");
  for (const std::string_view wrong : {"kernels", "", "nvtx_sum,"}) {
    const auto none = parse_report_list(wrong);
    ASSERT_FALSE(none.ok()) << wrong;
    EXPECT_THAT(none.error().advice, HasSubstr("cuda_api_sum, cuda_api_trace"));
  }
}

TEST(NsysReports, SortKernelSumsByTimeThenName) {
  TraceSketch sketch;
  sketch.kernel("b", 0, 30);
  sketch.kernel("c<1, 2>", 40, 50);
  sketch.kernel("c<1, 2>", 60, 80);
  sketch.kernel("a", 90, 120);
  sketch.kernel("d", 130, 140);
  const Profile profile = sketch.finish();
  EXPECT_THAT(
      rows_of("cuda_gpu_kern_sum", {profile}),
      ElementsAre("30.0,30,1,30.0,30.0,30,30,0.0,a", "30.0,30,1,30.0,30.0,30,30,0.0,b",
                  "30.0,30,2,15.0,15.0,10,20,7.1,\"c<1, 2>\"", "10.0,10,1,10.0,10.0,10,10,0.0,d"));
}

TEST(NsysReports, TellLaunchesOfOneNameApartByGridAndBlock) {
  TraceSketch sketch;
  sketch.kernel("k", 0, 30, 0, thread_of(7), {20, 1, 1});
  sketch.kernel("k", 40, 50, 0, thread_of(7), {100000, 32, 1});
  const Profile profile = sketch.finish();
  EXPECT_THAT(rows_of("cuda_gpu_kern_gb_sum", {profile}),
              ElementsAre("75.0,30,1,30.0,30.0,30,30,0.0,  20    1    1, 128    1    1,k",
                          "25.0,10,1,10.0,10.0,10,10,0.0,100000   32    1, 128    1    1,k"));
}

TEST(NsysReports, GiveSizesInMegabytes) {
  TraceSketch sketch;
  sketch.trace.names_copy_kinds = true;
  sketch.copy(kToGpu, 1'500'000, 0, 10);
  sketch.copy(kToGpu, 500'000, 20, 50);
  sketch.memset(4096, 60, 70);
  const Profile profile = sketch.finish();
  EXPECT_THAT(rows_of("cuda_gpu_mem_size_sum", {profile}),
              ElementsAre("2.000,2,1.000,1.000,0.500,1.500,0.707,[CUDA memcpy Host-to-Device]",
                          "0.004,1,0.004,0.004,0.004,0.004,0.000,[CUDA memset]"));
  EXPECT_THAT(rows_of("cuda_gpu_mem_time_sum", {profile}),
              ElementsAre("80.0,40,2,20.0,20.0,10,30,14.1,[CUDA memcpy Host-to-Device]",
                          "20.0,10,1,10.0,10.0,10,10,0.0,[CUDA memset]"));
}

TEST(NsysReports, LeaveUnknownSizesOut) {
  TraceSketch sketch;
  sketch.trace.names_copy_kinds = true;
  sketch.copy(kToGpu, 1'500'000, 0, 10);
  sketch.copy(kToGpu, profile::kNoValue, 20, 50);
  const Profile profile = sketch.finish();
  EXPECT_THAT(rows_of("cuda_gpu_mem_size_sum", {profile}),
              ElementsAre("1.500,1,1.500,1.500,1.500,1.500,0.000,[CUDA memcpy Host-to-Device]"));
  EXPECT_THAT(rows_of("cuda_gpu_mem_time_sum", {profile}), ElementsAre(HasSubstr("100.0,40,2,")));
}

TEST(NsysReports, HaveNoMemorySummariesWhereTheFileNamesNoKinds) {
  TraceSketch sketch;
  sketch.kernel("k", 0, 30);
  sketch.copy(kToGpu, 4096, 40, 50);
  const Profile profile = sketch.finish();
  EXPECT_FALSE(make("cuda_gpu_mem_time_sum", {profile}));
  EXPECT_FALSE(make("cuda_gpu_mem_size_sum", {profile}));
  EXPECT_THAT(rows_of("cuda_gpu_kern_sum", {profile}), ElementsAre(HasSubstr(",k")));
}

TEST(NsysReports, RoundInexactHalvesAwayFromZero) {
  // 485307 ns in 60 launches: 8088.45 on average.
  TraceSketch sketch;
  for (int i = 0; i < 59; ++i) sketch.kernel("k", 0, 8088);
  sketch.kernel("k", 0, 8115);
  const Profile profile = sketch.finish();
  EXPECT_THAT(rows_of("cuda_gpu_kern_sum", {profile}),
              ElementsAre("100.0,485307,60,8088.5,8088.0,8088,8115,3.5,k"));
}

TEST(NsysReports, KeepVersionsOfACallApartUnderOneName) {
  TraceSketch sketch;
  sketch.call("cudaMemcpy_v3020", 0, 20);
  sketch.call("cudaMemcpy", 0, 10);
  sketch.call("cudaGraphLaunch_v10000", 30, 40);
  const Profile profile = sketch.finish();
  EXPECT_THAT(rows_of("cuda_api_sum", {profile}),
              ElementsAre("50.0,20,1,20.0,20.0,20,20,0.0,cudaMemcpy",
                          "25.0,10,1,10.0,10.0,10,10,0.0,cudaMemcpy",
                          "25.0,10,1,10.0,10.0,10,10,0.0,cudaGraphLaunch_v10000"));
}

TEST(NsysReports, PutCallsOfEqualTimesInTheOrderOfTheFilesTexts) {
  TraceSketch sketch;
  sketch.call("cuB", 0, 10);
  sketch.call("cuA", 20, 30);
  sketch.call("cuC", 40, 50);
  Profile profile = sketch.finish();
  std::vector<int64_t> ids(profile.strings.size(), profile::kNoValue);
  ids[*profile.strings.find("cuA")] = 83;
  ids[*profile.strings.find("cuB")] = 90;
  ids[*profile.strings.find("cuC")] = 57;
  profile.trace->text_ids = ids;
  EXPECT_THAT(rows_of("cuda_api_sum", {profile}),
              ElementsAre(HasSubstr(",cuC"), HasSubstr(",cuA"), HasSubstr(",cuB")));
}

TEST(NsysReports, CutOnlyFourDigitsOfAVersion) {
  EXPECT_EQ(call_label("cudaLaunchKernel_v7000"), "cudaLaunchKernel");
  EXPECT_EQ(call_label("cuMemcpyHtoD_v2"), "cuMemcpyHtoD_v2");
  EXPECT_EQ(call_label("cudaEventRecordWithFlags_v11010"), "cudaEventRecordWithFlags_v11010");
  EXPECT_EQ(call_label("_v7000"), "_v7000");
}

TEST(NsysReports, FollowKernelsFromTheirCallToTheirEnd) {
  TraceSketch sketch;
  const profile::ThreadId other = thread_of(9, 9);
  sketch.call("cudaLaunchKernel_v7000", 0, 10, 1);
  sketch.call("cudaLaunchKernel_v7000", 20, 60, 2);
  sketch.call("cudaLaunchKernel_v7000", 0, 5, 1, other);  // the same id in another process
  sketch.kernel("k", 15, 25, 1);                          // 5 ns in the queue
  sketch.kernel("k", 30, 50, 2);                          // begins and ends inside its call
  sketch.kernel("k", 6, 8, 1, thread_of(9));
  sketch.kernel("lost", 70, 80, 3);
  const Profile profile = sketch.finish();
  EXPECT_THAT(rows_of("cuda_kern_exec_sum", {profile}),
              ElementsAre("7,8,0,2,1,32.5,32.5,25,40,10.6,25.0,25.0,10,40,21.2,5.0,5.0,5,5,0.0,"
                          "15.0,15.0,10,20,7.1,cudaLaunchKernel,k",
                          "9,9,0,1,1,8.0,8.0,8,8,0.0,5.0,5.0,5,5,0.0,1.0,1.0,1,1,0.0,"
                          "2.0,2.0,2,2,0.0,cudaLaunchKernel,k"));
}

TEST(NsysReports, CountALaunchThatWaitedNoTime) {
  TraceSketch sketch;
  sketch.call("cudaLaunchKernel_v7000", 0, 10, 1);
  sketch.call("cudaLaunchKernel_v7000", 20, 30, 2);
  sketch.call("cudaLaunchKernel_v7000", 40, 50, 3);
  sketch.kernel("k", 10, 15, 1);  // begins as its call ends
  sketch.kernel("k", 29, 35, 2);  // begins 1 ns before
  sketch.kernel("k", 54, 60, 3);
  const Profile profile = sketch.finish();
  EXPECT_THAT(rows_of("cuda_kern_exec_sum", {profile}),
              ElementsAre(AllOf(StartsWith("7,8,0,3,2,"), HasSubstr(",2.0,2.0,0,4,2.8,"))));
}

TEST(NsysReports, NameRangesWithTheirDomain) {
  TraceSketch sketch;
  sketch.domain(1, "NCCL");
  sketch.range("send", 0, 30, profile::NvtxKind::push_pop_range, 1);
  sketch.range("send", 0, 20);
  sketch.range("layer1", 0, 50, profile::NvtxKind::start_end_range);
  sketch.range("mark", 10, profile::kNoValue, profile::NvtxKind::mark);
  const Profile profile = sketch.finish();
  EXPECT_THAT(rows_of("nvtx_sum", {profile}),
              ElementsAre("50.0,50,1,50.0,50.0,50,50,0.0,StartEnd,layer1",
                          "30.0,30,1,30.0,30.0,30,30,0.0,PushPop,NCCL:send",
                          "20.0,20,1,20.0,20.0,20,20,0.0,PushPop,send"));
  EXPECT_THAT(
      rows_of("nvtx_pushpop_sum", {profile}),
      ElementsAre("60.0,30,1,30.0,30.0,30,30,0.0,NCCL:send", "40.0,20,1,20.0,20.0,20,20,0.0,send"));
  EXPECT_THAT(rows_of("nvtx_startend_sum", {profile}),
              ElementsAre("100.0,50,1,50.0,50.0,50,50,0.0,layer1"));
}

TEST(NsysReports, CloseAnOpenRangeWithTheLastOne) {
  TraceSketch sketch;
  sketch.range("open", 10, profile::kNoValue);
  sketch.range("last", 60, 100);
  const Profile profile = sketch.finish();
  EXPECT_THAT(rows_of("nvtx_pushpop_sum", {profile}),
              ElementsAre(HasSubstr(",90,1,90.0,"), HasSubstr(",40,1,40.0,")));
}

// A step with two ops, the second of which launches nothing, and a launch outside of all.
Profile stepping_profile() {
  TraceSketch sketch;
  sketch.range("step", 0, 100);
  sketch.range("op", 10, 40);
  sketch.range("op", 50, 90);
  sketch.call("cudaLaunchKernel_v7000", 20, 22, 1);
  sketch.call("cudaLaunchKernel_v7000", 24, 26, 2);
  sketch.call("cudaLaunchKernel_v7000", 92, 110, 3);  // ends after the step
  sketch.kernel("k", 200, 210, 1);
  sketch.kernel("k", 230, 260, 2);
  sketch.kernel("k", 300, 305, 3);
  sketch.kernel("lost", 400, 401, 9);
  return sketch.finish();
}

TEST(NsysReports, CountAKernelInEveryRangeAroundItsCall) {
  const Profile profile = stepping_profile();
  EXPECT_THAT(rows_of("nvtx_kern_sum", {profile}),
              ElementsAre(",,,,0,1,1,1.0,1.0,1,1,0.0,lost", ",,7,8,0,1,5,5.0,5.0,5,5,0.0,k",
                          "op,PushPop,7,8,1,2,40,20.0,20.0,10,30,14.1,k",
                          "step,PushPop,7,8,1,2,40,20.0,20.0,10,30,14.1,k"));
}

TEST(NsysReports, ProjectRangesOnTheGpu) {
  const Profile profile = stepping_profile();
  EXPECT_THAT(rows_of("nvtx_gpu_proj_sum", {profile}),
              ElementsAre("op,PushPop,60,30,1,60.0,60.0,60,60,0.0,2,2.0,1.0,0.0",
                          "step,PushPop,60,100,1,60.0,60.0,60,60,0.0,2,2.0,0.0,1.0"));
}

TEST(NsysReports, TraceRangesWithTheirPlaceAmongEachOther) {
  const Profile profile = stepping_profile();
  EXPECT_THAT(rows_of("nvtx_pushpop_trace", {profile}),
              ElementsAre("0,100,100,70,30,step,7,8,0,2,1,,:1,step",
                          "10,40,30,0,30,op,7,8,1,0,2,1,:1:2,--op",
                          "50,90,40,0,40,op,7,8,1,0,3,1,:1:3,--op"));
}

TEST(NsysReports, TraceGpuWorkInOrderOfTime) {
  TraceSketch sketch;
  sketch.gpu(0, 1, "NVIDIA A40");
  sketch.gpu(1, 0, "NVIDIA A100");
  sketch.kernel("k", 900, 950, 5, thread_of(7), {20, 2, 1});
  sketch.trace.kernels.green_context = std::vector<int64_t>{0};
  sketch.copy(kToGpu, 4'194'304, 100, 661'498, 4);  // 1511 such copies fit into a second
  const Profile profile = sketch.finish();
  EXPECT_THAT(rows_of("cuda_gpu_trace", {profile}),
              ElementsAre("100,661398,4,,,,,,,,,,4.194,6337.593,Pageable,Device,"
                          "NVIDIA A100 (0),,,,[CUDA memcpy Host-to-Device]",
                          "900,50,5,20,2,1,128,1,1,,,,,,,,NVIDIA A100 (0),,,,k"));
}

TEST(NsysReports, TraceRangesOfOneStartTheShortestFirst) {
  TraceSketch sketch;
  sketch.range("long", 10, 90);
  sketch.range("short", 10, 30);
  sketch.range("open", 10, profile::kNoValue);  // ends with the last range
  sketch.range("same", 10, 30);
  sketch.range("early", 5, 100);
  const Profile profile = sketch.finish();
  EXPECT_THAT(rows_of("nvtx_pushpop_trace", {profile}),
              ElementsAre(HasSubstr("5,100,95,"), HasSubstr(",short,"), HasSubstr(",same,"),
                          HasSubstr(",long,"), HasSubstr(",open,")));
}

TEST(NsysReports, TraceKernelsBeforeCopiesBeforeMemsetsOfOneStart) {
  TraceSketch sketch;
  sketch.memset(1, 50, 60);
  sketch.copy(kToHost, 4, 50, 60);
  sketch.copy(kToGpu, 4, 50, 55);
  sketch.kernel("b", 50, 90);
  sketch.kernel("a", 50, 60);
  sketch.memset(1, 40, 60);
  const Profile profile = sketch.finish();
  EXPECT_THAT(
      rows_of("cuda_gpu_trace", {profile}),
      ElementsAre(HasSubstr("40,20,"), EndsWith(",b"), EndsWith(",a"), EndsWith("Device-to-Host]"),
                  EndsWith("Host-to-Device]"), EndsWith("[CUDA memset]")));
}

TEST(NsysReports, TraceCallsWithTheirThread) {
  TraceSketch sketch;
  sketch.call("cudaFree_v3020", 50, 60, 2);
  sketch.call("cudaMalloc_v3020", 10, 30, 1, thread_of(9, 9));
  testing::add_threads(sketch.trace);
  profile::TraceThread& main = sketch.trace.threads[7 * testing::kThreadsOfProcess + 8 - 1];
  main.name = "python";
  main.priority = 20;
  const Profile profile = sketch.finish();
  EXPECT_THAT(rows_of("cuda_api_trace", {profile}),
              ElementsAre("10,20,cudaMalloc,,1,9,9,,", "50,10,cudaFree,,2,7,8,20,python"));
}

TEST(NsysReports, CountWhatStartsInTheWindow) {
  TraceSketch sketch;
  sketch.kernel("before", 0, 60);
  sketch.kernel("first", 10, 20);
  sketch.kernel("last", 50, 90);
  sketch.kernel("after", 51, 60);
  const Profile profile = sketch.finish();
  EXPECT_THAT(rows_of("cuda_gpu_kern_sum", {profile, Window{10, 50}}),
              ElementsAre(HasSubstr(",last"), HasSubstr(",first")));
  EXPECT_FALSE(make("cuda_gpu_kern_sum", {profile, Window{91, 100}}));
}

// The second step launches the kernel of its op late, and "epoch" holds both steps.
Profile two_steps() {
  TraceSketch sketch;
  sketch.range("epoch", 0, 200);
  sketch.range("step 1", 10, 90);
  sketch.range("step 2", 100, 190);
  sketch.call("cudaLaunchKernel_v7000", 20, 22, 1);
  sketch.call("cudaLaunchKernel_v7000", 120, 122, 2);
  sketch.kernel("early", 110, 130, 1);  // runs in the second step
  sketch.kernel("late", 300, 310, 2);
  sketch.kernel("lost", 150, 151, 9);
  return sketch.finish();
}

TEST(NsysReports, CountWorkWhereItWasLaunched) {
  const Profile profile = two_steps();
  EXPECT_THAT(rows_of("cuda_gpu_kern_sum", {profile, Window{100, 199}}),
              ElementsAre(HasSubstr(",late"), HasSubstr(",lost")));
  EXPECT_THAT(rows_of("cuda_gpu_trace", {profile, Window{10, 99}}),
              ElementsAre(HasSubstr(",early")));
  EXPECT_THAT(rows_of("cuda_kern_exec_sum", {profile, Window{10, 99}}),
              ElementsAre(HasSubstr(",early")));
}

TEST(NsysReports, TieRangesToWorkWhereBothCount) {
  const Profile profile = two_steps();
  EXPECT_THAT(rows_of("nvtx_kern_sum", {profile, Window{100, 199}}),
              ElementsAre(",,,,0,1,1,1.0,1.0,1,1,0.0,lost",
                          "step 2,PushPop,7,8,1,1,10,10.0,10.0,10,10,0.0,late"));
  EXPECT_THAT(rows_of("nvtx_gpu_proj_sum", {profile, Window{100, 199}}),
              ElementsAre("step 2,PushPop,10,90,1,10.0,10.0,10,10,0.0,1,1.0,1.0,0.0"));
  EXPECT_THAT(rows_of("nvtx_kern_sum", {profile, Window{0, 50}}),
              ElementsAre(HasSubstr("epoch,"), HasSubstr("step 1,")));
  EXPECT_THAT(rows_of("nvtx_gpu_proj_sum", {profile, Window{0, 50}}),
              ElementsAre(HasSubstr("epoch,PushPop,20,"), HasSubstr("step 1,PushPop,20,")));
}

TEST(NsysReports, HaveNoWindowForAllIterations) {
  aggregate::Iterations iterations;
  iterations.rows = {{.start_ns = 0, .stop_ns = 99},
                     {.start_ns = 100, .stop_ns = 199},
                     {.start_ns = 200, .stop_ns = 299}};
  EXPECT_FALSE(window_of(iterations, {0, 2}));
  const auto window = window_of(iterations, {1, 2});
  ASSERT_TRUE(window);
  EXPECT_EQ(window->start_ns, 100);
  EXPECT_EQ(window->stop_ns, 299);
}

// Calls begin there, whenever their kernels run.
TEST(NsysReports, TakeTheTimeOnTheHostOfASplitByTheGpu) {
  aggregate::Iterations iterations;
  iterations.rows = {{.start_ns = 500, .stop_ns = 599, .host = base::Interval{0, 99}},
                     {.start_ns = 600, .stop_ns = 699, .host = base::Interval{100, 199}}};
  const auto window = window_of(iterations, {1, 1});
  ASSERT_TRUE(window);
  EXPECT_EQ(window->start_ns, 100);
  EXPECT_EQ(window->stop_ns, 199);
}

// As far as the import lets times reach, and sizes as the file has them.
TEST(NsysReports, KeepSumsThatAreTooLargeAtTheEndOfTheirRange) {
  constexpr int64_t kFar = int64_t{1} << 53, kMost = std::numeric_limits<int64_t>::max();
  constexpr int kRows = 1025;
  TraceSketch sketch;
  sketch.trace.names_copy_kinds = true;
  for (int i = 0; i < kRows; ++i) {
    sketch.range("child", -kFar + i, i == 0 ? kFar : kFar - kRows + i);
    sketch.range("open", -kFar, profile::kNoValue, profile::NvtxKind::start_end_range);
    sketch.call("c", -kFar, kFar, i + 1);
    sketch.kernel("k", -kFar, kFar, i + 1);
    sketch.copy(kToGpu, kMost, 0, 1);
    sketch.copy(kToHost, -kMost, 0, 2);
    sketch.memset(kMost, -kFar, kFar);
  }
  const Profile profile = sketch.finish();
  const std::string most = std::to_string(kMost);
  for (const char* report : {"cuda_gpu_kern_sum", "cuda_gpu_kern_gb_sum", "cuda_gpu_mem_time_sum",
                             "cuda_gpu_sum", "cuda_api_sum", "nvtx_sum", "nvtx_pushpop_sum",
                             "nvtx_startend_sum", "nvtx_kern_sum", "nvtx_gpu_proj_sum"}) {
    EXPECT_THAT(rows_of(report, {profile}), Contains(HasSubstr(',' + most + ','))) << report;
  }
  EXPECT_THAT(rows_of("cuda_gpu_mem_size_sum", {profile}),
              Contains(HasSubstr("9223372036854.775,1025,")));
  EXPECT_EQ(rows_of("cuda_kern_exec_sum", {profile}).size(), 1U);
  EXPECT_THAT(rows_of("nvtx_pushpop_trace", {profile}), Contains(HasSubstr(',' + most + ',')));
  EXPECT_THAT(rows_of("cuda_gpu_trace", {profile}), Contains(HasSubstr(",9223372036854.775,,")))
      << "a rate that no integer holds is left out";
}

TEST(NsysReports, HaveNothingToTellOfAnEmptyTrace) {
  const Profile profile = TraceSketch().finish();
  for (const ReportInfo& report : reports()) EXPECT_FALSE(make_report(report, {profile}));
}

TEST(EnclosingRanges, AreThoseThatAnExhaustiveSearchFinds) {
  std::mt19937 random(20);
  const auto number = [&random](int64_t below) {
    return std::uniform_int_distribution<int64_t>(0, below - 1)(random);
  };
  TraceSketch sketch;
  for (int i = 0; i < 300; ++i) {
    const int64_t start = number(1000);
    sketch.range(
        "r", start, start + number(200),
        number(2) == 0 ? profile::NvtxKind::push_pop_range : profile::NvtxKind::start_end_range, 0,
        thread_of(7, number(3)));
  }
  for (int i = 0; i < 500; ++i) {
    const int64_t start = number(1000);
    sketch.call("c", start, start + number(50), i, thread_of(7, number(3)));
  }
  const Profile profile = sketch.finish();
  const profile::TraceNvtx& nvtx = profile.trace->nvtx;
  const profile::TraceApiCalls& calls = profile.trace->api_calls;
  const EnclosingRanges enclosing = enclose_calls(nvtx, range_ends(nvtx), calls);
  for (std::size_t call = 0; call < calls.size(); ++call) {
    std::vector<std::size_t> expected;
    for (std::size_t range = 0; range < nvtx.size(); ++range) {
      if (nvtx.thread[range] == calls.thread[call] &&
          nvtx.start_ns[range] <= calls.start_ns[call] &&
          nvtx.end_ns[range] >= calls.end_ns[call]) {
        expected.push_back(range);
      }
    }
    std::ranges::stable_sort(expected, [&nvtx](std::size_t a, std::size_t b) {
      return std::pair(nvtx.start_ns[a], -nvtx.end_ns[a]) <
             std::pair(nvtx.start_ns[b], -nvtx.end_ns[b]);
    });
    std::vector<std::size_t> found;
    enclosing.for_each(call, [&found](std::size_t range) { found.push_back(range); });
    std::ranges::reverse(found);
    EXPECT_THAT(found, ::testing::ElementsAreArray(expected)) << call;
  }
}

TEST(EnclosingRanges, ThatAreNeverClosedAreHeldOnce) {
  constexpr int64_t kCount = 20'000;
  TraceSketch sketch;
  for (int64_t i = 0; i < kCount; ++i) {
    sketch.range("leak", 100 * i, profile::kNoValue, profile::NvtxKind::start_end_range);
    sketch.range("step", 100 * i + 10, 100 * i + 60, profile::NvtxKind::push_pop_range);
    sketch.call("c", 100 * i + 20, 100 * i + 30, i);
    sketch.call("c", 100 * i + 50, 100 * i + 70, i);
  }
  const Profile profile = sketch.finish();
  const profile::TraceNvtx& nvtx = profile.trace->nvtx;
  const EnclosingRanges enclosing = enclose_calls(nvtx, range_ends(nvtx), profile.trace->api_calls);
  EXPECT_LE(enclosing.nodes.size(), nvtx.size());
  int64_t around = 0;
  enclosing.for_each(enclosing.innermost.size() - 2, [&around](std::size_t) { ++around; });
  EXPECT_EQ(around, kCount + 1);
}

}  // namespace
}  // namespace dlview::report::nsys
