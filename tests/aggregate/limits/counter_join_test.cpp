// Which kernels measured launches are: the four levels, near misses, counts, other GPUs.

#include "aggregate/limits/counter_join.h"

#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "aggregate/limits/counted_run.h"
#include "aggregate/limits/kernel_name_forms.h"
#include "support/test_data.h"

namespace dlview::aggregate {
namespace {

using testing::CountedRun;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// "silu" as Nsight Systems, as a demangler (Kineto) and as Nsight Compute of 2025 write it.
constexpr const char* kSiluOfNsys =
    "void at::native::vectorized_elementwise_kernel<(int)4, "
    "at::native::<unnamed>::silu_kernel(at::TensorIteratorBase &)::[lambda() (instance "
    "1)]::operator ()() const::[lambda(float) (instance 1)], std::array<char *, (unsigned "
    "long)2>>(int, T2, T3)";
constexpr const char* kSiluOfKineto =
    "void at::native::vectorized_elementwise_kernel<4, at::native::(anonymous "
    "namespace)::silu_kernel(at::TensorIteratorBase&)::{lambda()#1}::operator()() "
    "const::{lambda(float)#1}, std::array<char*, 2ul> >(int, at::native::(anonymous "
    "namespace)::silu_kernel(at::TensorIteratorBase&)::{lambda()#1}::operator()() "
    "const::{lambda(float)#1}, std::array<char*, 2ul>)";
constexpr const char* kSiluOfNcu =
    "void vectorized_elementwise_kernel<4, silu_kernel(TensorIteratorBase &)::[lambda() (instance "
    "1)], array<char *, 2>>(int, T2, T3)";
constexpr const char* kGeluOfNsys =
    "void at::native::vectorized_elementwise_kernel<(int)4, "
    "at::native::GeluCUDAKernelImpl(at::TensorIteratorBase &)::[lambda() (instance 1)], "
    "std::array<char *, (unsigned long)2>>(int, T2, T3)";
constexpr const char* kGemmOfNsys =
    "void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_256x128_32x3_tn_align8>"
    "(T1::Params)";
constexpr const char* kGemmOfNcu =
    "void Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_256x128_32x3_tn_align8>(Params)";

// The kernels, each as often as it says, one call each.
struct Launched {
  std::string name;
  int32_t blocks = 1;
  int times = 1;
};
CountedRun run_of(const std::vector<Launched>& kernels) {
  CountedRun run;
  const profile::Row op = run.op("relu");
  for (const Launched& kernel : kernels) {
    for (int i = 0; i < kernel.times; ++i) run.kernel(run.call(op), kernel.name, kernel.blocks);
  }
  return run;
}

CounterJoin join_of(CountedRun&& run) {
  const auto profile = std::move(run).finish();
  return join_counters(*profile, *profile->counters);
}

TEST(CounterJoin, FindsTheNameAsWritten) {
  CountedRun run = run_of({{"volta_sgemm_128x32_nn", 25}});
  run.measured("volta_sgemm_128x32_nn", 25);
  const CounterJoin join = join_of(std::move(run));
  EXPECT_EQ(join.matches[0].state, MatchState::joined);
  EXPECT_EQ(join.matches[0].level, 2);
}

TEST(CounterJoin, DropsNamespacesAndCasts) {
  CountedRun run = run_of({{kGemmOfNsys, 332}, {kSiluOfNsys, 8}});
  run.measured(kGemmOfNcu, 332);
  run.measured(kSiluOfKineto, 8);
  const CounterJoin join = join_of(std::move(run));
  EXPECT_EQ(join.matches[0].level, 3);
  EXPECT_EQ(join.matches[1].level, 3);
  EXPECT_THAT(join.set_of_kernel, ElementsAre(0u, 1u));
}

TEST(CounterJoin, FindsTheFunctorOfBrokenName) {
  CountedRun run = run_of({{kSiluOfNsys, 8}, {kGeluOfNsys, 8}});
  run.measured(kSiluOfNcu, 8);
  const CounterJoin join = join_of(std::move(run));
  EXPECT_EQ(join.matches[0].state, MatchState::joined);
  EXPECT_EQ(join.matches[0].level, 4);
  EXPECT_THAT(join.set_of_kernel, ElementsAre(0u, CounterJoin::kNoSet));
}

TEST(CounterJoin, NeverJoinsTheFunctionAlone) {
  CountedRun run = run_of({{kSiluOfNsys, 8}});
  run.measured("vectorized_elementwise_kernel", 8);
  run.measured("void vectorized_elementwise_kernel<4, Unknown, array<char *, 2>>(int, T2, T3)", 8);
  const CounterJoin join = join_of(std::move(run));
  for (const LaunchMatch& match : join.matches) {
    EXPECT_EQ(match.state, MatchState::none);
    EXPECT_EQ(match.reason, "No kernel has this name, grid and block");
  }
  EXPECT_THAT(join.set_of_kernel, IsEmpty());
}

TEST(CounterJoin, NeedsTheSameGridAndBlock) {
  CountedRun run = run_of({{"k", 25}});
  run.measured("k", 26);
  run.measured("k", 25).block = profile::Dim3{128, 1, 1};
  run.measured("k", 25).grid.reset();
  const CounterJoin join = join_of(std::move(run));
  EXPECT_EQ(join.matches[0].state, MatchState::none);
  EXPECT_EQ(join.matches[1].state, MatchState::none);
  EXPECT_EQ(join.matches[2].reason, "The file has no grid and block");
}

// Two names that level 4 cannot tell apart.
TEST(CounterJoin, RefusesToChoose) {
  std::string half = kSiluOfNsys;
  half.replace(half.find("float"), 5, "c10::Half");
  CountedRun run = run_of({{kSiluOfNsys, 8}, {half, 8}});
  run.measured(kSiluOfNcu, 8);
  const CounterJoin join = join_of(std::move(run));
  EXPECT_EQ(join.matches[0].state, MatchState::ambiguous);
  EXPECT_THAT(join.matches[0].candidates, SizeIs(2));
  EXPECT_THAT(join.set_of_kernel, IsEmpty());
}

TEST(CounterJoin, GridTellsLikeNamesApart) {
  std::string half = kSiluOfNsys;
  half.replace(half.find("float"), 5, "c10::Half");
  CountedRun run = run_of({{kSiluOfNsys, 8}, {half, 9}});
  run.measured(kSiluOfNcu, 9);
  const CounterJoin join = join_of(std::move(run));
  EXPECT_EQ(join.matches[0].level, 4);
  EXPECT_THAT(join.set_of_kernel, ElementsAre(CounterJoin::kNoSet, 0u));
}

// Five launches: one of 50 blocks, two pairs of 200.
TEST(CounterJoin, EqualCountsJoinInOrder) {
  CountedRun run = run_of({{"volta_sgemm_128x32_nn", 200, 2}});
  run.measured("volta_sgemm_128x32_nn", 50);
  run.measured("volta_sgemm_128x32_nn", 200);
  run.measured("volta_sgemm_128x32_nn", 200);
  const CounterJoin join = join_of(std::move(run));
  EXPECT_EQ(join.matches[0].state, MatchState::none);
  EXPECT_TRUE(join.matches[1].by_occurrence);
  ASSERT_THAT(join.set_of_kernel, SizeIs(2));
  EXPECT_THAT(join.launches_of(join.set_of_kernel[0]), ElementsAre(1u));
  EXPECT_THAT(join.launches_of(join.set_of_kernel[1]), ElementsAre(2u));
}

TEST(CounterJoin, UnequalCountsShareTheMean) {
  CountedRun run = run_of({{"k", 25, 50}});
  run.measured("k", 25);
  run.measured("k", 25);
  const CounterJoin join = join_of(std::move(run));
  EXPECT_FALSE(join.matches[0].by_occurrence);
  EXPECT_EQ(join.matches[0].measured_launches, 2);
  EXPECT_EQ(join.matches[0].profile_launches, 50);
  EXPECT_EQ(join.set_count(), 1u);
  EXPECT_THAT(join.launches_of(0), ElementsAre(0u, 1u));
  EXPECT_THAT(join.set_of_kernel, ::testing::Each(0u));
}

// A row of a summary stands for several launches.
TEST(CounterJoin, SummaryNeverJoinsByOccurrence) {
  CountedRun run = run_of({{"k", 25}});
  run.measured("k", 25).invocations = 7;
  const CounterJoin join = join_of(std::move(run));
  EXPECT_EQ(join.matches[0].state, MatchState::joined);
  EXPECT_FALSE(join.matches[0].by_occurrence);
  EXPECT_EQ(join.matches[0].measured_launches, 7);
}

TEST(CounterJoin, FilesAddUp) {
  CountedRun run = run_of({{"k", 25}});
  run.measured("k", 25);
  run.measured("k", 25).file = 1;
  const CounterJoin join = join_of(std::move(run));
  EXPECT_TRUE(join.matches[0].by_occurrence);
  EXPECT_TRUE(join.matches[1].by_occurrence);
  EXPECT_THAT(join.launches_of(0), ElementsAre(0u, 1u));
}

TEST(CounterJoin, RefusesAnotherGpu) {
  CountedRun run = run_of({{"k", 25}});
  profile::CounterLaunch& launch = run.measured("k", 25);
  launch.cc_major = 8;
  launch.cc_minor = 9;
  const CounterJoin join = join_of(std::move(run));
  EXPECT_EQ(join.matches[0].state, MatchState::refused);
  EXPECT_THAT(join.matches[0].reason, HasSubstr("compute capability 8.9"));
  EXPECT_THAT(join.set_of_kernel, IsEmpty());
}

// Kernels of two GPUs by turns, measured on these.
CountedRun run_by_turns(const std::vector<int64_t>& measured_devices) {
  CountedRun run;
  const profile::Row op = run.op("relu");
  const profile::Row second = run.device("NVIDIA H100 80GB HBM3", 9, 0);
  for (const profile::Row device : {0U, second, 0U, second}) {
    run.kernel(run.call(op), "k", 25, 100, false, device);
  }
  for (const int64_t device : measured_devices) run.measured("k", 25).device = device;
  return run;
}

// Nsight Compute has one GPU after the other.
TEST(CounterJoin, OccurrenceCountsEachGpu) {
  const CounterJoin join = join_of(run_by_turns({0, 0, 1, 1}));
  EXPECT_TRUE(join.matches[0].by_occurrence);
  ASSERT_THAT(join.set_of_kernel, SizeIs(4));
  std::vector<profile::Row> launches;
  for (const uint32_t set : join.set_of_kernel) launches.push_back(join.launches_of(set)[0]);
  EXPECT_THAT(launches, ElementsAre(0u, 2u, 1u, 3u));
}

// Equal in all, unequal on each GPU.
TEST(CounterJoin, UnequalCountsOfGpuShareTheMean) {
  const CounterJoin join = join_of(run_by_turns({0, 0, 0, 1}));
  EXPECT_EQ(join.matches[0].state, MatchState::joined);
  EXPECT_FALSE(join.matches[0].by_occurrence);
  EXPECT_EQ(join.set_count(), 1u);
}

// Each launch goes to the kernels of its own GPU model.
TEST(CounterJoin, LaunchesJoinKernelsOfTheirGpu) {
  CountedRun run("NVIDIA A100-SXM4-40GB", 8, 0);
  const profile::Row op = run.op("relu");
  const profile::Row second = run.device("NVIDIA H100 80GB HBM3", 9, 0);
  run.kernel(run.call(op), "k", 25);
  run.kernel(run.call(op), "k", 25, 100, false, second);
  for (const int32_t cc : {9, 8, 7}) {
    profile::CounterLaunch& launch = run.measured("k", 25);
    launch.cc_major = cc;
    launch.cc_minor = 0;
  }
  const CounterJoin join = join_of(std::move(run));
  ASSERT_THAT(join.set_of_kernel, SizeIs(2));
  EXPECT_THAT(join.launches_of(join.set_of_kernel[0]), ElementsAre(1u));
  EXPECT_THAT(join.launches_of(join.set_of_kernel[1]), ElementsAre(0u));
  EXPECT_EQ(join.matches[2].state, MatchState::refused);
  EXPECT_EQ(join.matches[0].profile_launches, 1);
}

// 20,000 launches measured and 20,001 kernels: 400 million pairs, which took gigabytes.
TEST(CounterJoin, ManyUnequalLaunchesShareOneSet) {
  constexpr int kLaunches = 20'000;
  CountedRun run = run_of({{"k", 25, kLaunches + 1}});
  for (int i = 0; i < kLaunches; ++i) run.measured("k", 25);
  const CounterJoin join = join_of(std::move(run));
  EXPECT_EQ(join.set_count(), 1u);
  EXPECT_THAT(join.launches_of(0), SizeIs(kLaunches));
}

TEST(CounterJoin, SplitsTheRangeOffRenamedKernel) {
  CountedRun run = run_of({{"volta_sgemm_128x32_nn", 25}});
  run.measured("step 3/volta_sgemm_128x32_nn", 25);
  const CounterJoin join = join_of(std::move(run));
  EXPECT_EQ(join.matches[0].state, MatchState::joined);
  EXPECT_THAT(join.matches[0].reason, HasSubstr("NVTX ranges not compared"));
}

// Kernel i is launched at 10 i + 5, in range i + 1 of [10 i, 10 i + 10), all in range 0.
profile::Profile with_ranges(CountedRun&& run, const std::vector<std::string>& names) {
  std::vector<profile::StringId> texts;
  for (const std::string& name : names) texts.push_back(run.text(name));
  profile::Profile profile = *std::move(run).finish();
  const std::size_t count = names.size(), kernels = profile.kernels.size();
  std::vector<int64_t> start_ns(kernels), range_start_ns(count, 0), range_end_ns(count);
  for (std::size_t i = 0; i < kernels; ++i) start_ns[i] = static_cast<int64_t>(10 * i + 5);
  range_end_ns[0] = static_cast<int64_t>(10 * count);
  for (std::size_t i = 1; i < count; ++i) {
    range_start_ns[i] = static_cast<int64_t>(10 * (i - 1));
    range_end_ns[i] = range_start_ns[i] + 10;
  }
  profile.kernels.api_start_ns = start_ns;
  profile::Trace& trace = profile.trace.emplace();
  const profile::Thread& thread = profile.threads[0];
  trace.processes.push_back({0, thread.process_id, ""});
  trace.threads.push_back({profile::ProcessIndex(0), thread.thread_id, ""});
  const profile::ThreadId id =
      profile::make_thread_id(profile::ProcessIndex(0), profile::TraceThreadIndex(0));
  trace.nvtx.start_ns = range_start_ns;
  trace.nvtx.end_ns = range_end_ns;
  trace.nvtx.thread = std::vector<profile::ThreadId>(count, id);
  trace.nvtx.domain = std::vector<int64_t>(count, 0);
  trace.nvtx.text = texts;
  trace.kernels.grid = std::vector<profile::Dim3>(1);  // sizes were recorded
  return profile;
}

TEST(CounterJoin, RangesChooseTheKernels) {
  CountedRun run = run_of({{"k", 25, 4}});
  const auto path = [&](std::string_view text) { return run.counter_text(text); };
  run.measured("k", 25).ranges = path("<default domain>/run\n<default domain>/a");
  run.measured("k", 25).ranges = path("<default domain>/run\n<default domain>/two\nlines");
  run.measured("k", 25).ranges = path("<default domain>/run");
  run.measured("k", 25).ranges = path("<default domain>/other");
  run.measured("b/k", 25);
  const profile::Profile profile =
      with_ranges(std::move(run), {"run", "a", "b", "a", "two\nlines"});
  const CounterJoin join = join_counters(profile, *profile.counters);
  ASSERT_THAT(join.set_of_kernel, SizeIs(4));
  EXPECT_EQ(join.matches[0].profile_launches, 2);
  EXPECT_THAT(join.launches_of(join.set_of_kernel[0]), ElementsAre(0u));
  EXPECT_THAT(join.launches_of(join.set_of_kernel[1]), ElementsAre(4u));
  EXPECT_THAT(join.launches_of(join.set_of_kernel[2]), ElementsAre(0u));
  EXPECT_THAT(join.launches_of(join.set_of_kernel[3]), ElementsAre(1u));
  for (const std::size_t launch : {2U, 3U}) {
    EXPECT_EQ(join.matches[launch].state, MatchState::none);
    EXPECT_EQ(join.matches[launch].reason,
              "No kernel of this name, grid and block is in these NVTX ranges");
  }
}

// 20,000 kernels in as many ranges, of which 500 were measured: many minutes when each pair of a
// kernel and a measured launch looked at all ranges of the thread.
TEST(CounterJoin, ManyRangesTakeLinearTime) {
  constexpr int kKernels = 20'000, kMeasured = 500;
  CountedRun run = run_of({{"k", 25, kKernels}});
  std::vector<std::string> names{"run"};
  for (int i = 0; i < kKernels; ++i) names.push_back("step " + std::to_string(i));
  for (int i = 0; i < kMeasured; ++i) {
    run.measured("k", 25).ranges =
        run.counter_text("<default domain>/run\n<default domain>/step " + std::to_string(i));
  }
  const profile::Profile profile = with_ranges(std::move(run), names);
  const CounterJoin join = join_counters(profile, *profile.counters);
  EXPECT_EQ(join.set_count(), static_cast<std::size_t>(kMeasured));
  EXPECT_EQ(join.matches[kMeasured - 1].profile_launches, 1);
}

// Function and functor are the same with the range in front.
TEST(CounterJoin, SplitsTheRangeOffAtEveryLevel) {
  for (const char* name : {kSiluOfKineto, kSiluOfNcu}) {
    CountedRun run = run_of({{kSiluOfNsys, 8}});
    run.measured(std::string("step 3/") + name, 8);
    const CounterJoin join = join_of(std::move(run));
    EXPECT_EQ(join.matches[0].state, MatchState::joined);
    EXPECT_THAT(join.matches[0].reason, HasSubstr("NVTX ranges not compared"));
  }
}

TEST(KernelNames, NormalFormIsOneForAllProfilers) {
  EXPECT_EQ(normalized_kernel_name(kSiluOfNsys), normalized_kernel_name(kSiluOfKineto));
  EXPECT_EQ(normalized_kernel_name(kGemmOfNsys), normalized_kernel_name(kGemmOfNcu));
  EXPECT_NE(normalized_kernel_name(kSiluOfNsys), normalized_kernel_name(kGeluOfNsys));
  EXPECT_EQ(normalized_kernel_name("void f<false, 4u, 2ul>(int)"),
            normalized_kernel_name("void ns::f<(bool)0, (unsigned int)4, (unsigned long)2>(T1)"));
  EXPECT_NE(normalized_kernel_name("void f<float>(int)"), normalized_kernel_name("void f<int>(T)"));
}

// 3 MB: it took 17 s when each scope moved what follows it.
TEST(KernelNames, LongNamesTakeLinearTime) {
  std::string scopes;
  for (int i = 0; i < 100'000; ++i) scopes += "(anonymous namespace)::<unnamed>::";
  EXPECT_EQ(function_and_functor("void " + scopes + "f<" + scopes + "silu_kernel>(T1)"),
            "f silu_kernel");
}

TEST(KernelNames, FunctorSkipsWrappers) {
  EXPECT_EQ(function_and_functor(kSiluOfNsys), "vectorized_elementwise_kernel silu_kernel");
  EXPECT_EQ(function_and_functor("void elementwise_kernel<128, 4, "
                                 "gpu_kernel_impl_nocast<BinaryFunctor<float, MulFunctor<float>>>"
                                 "(TensorIteratorBase &)>(int, T3)"),
            "elementwise_kernel MulFunctor");
  EXPECT_EQ(function_and_functor("void (anonymous namespace)::elementwise_kernel_with_index<int, "
                                 "arange_functor>(T1)"),
            "elementwise_kernel_with_index arange_functor");
  EXPECT_EQ(function_and_functor("volta_sgemm_128x32_nn"), "");
}

// Two kernels of a real program as both profilers name them, among its 113 names.
TEST(CounterJoin, RealKernelsJoinAtLevelThree) {
  DLVIEW_REQUIRE_TEST_DATA();
  std::ifstream file(*testing::test_data_folder() / "ncu" / "rtx5090_nsys_kern_sum_dsocr.csv");
  std::string line;
  std::getline(file, line);
  CountedRun run("NVIDIA GeForce RTX 5090", 12, 0);
  const profile::Row op = run.op("linear");
  int names = 0;
  while (std::getline(file, line)) {
    // The ninth cell, quoted where it has commas.
    std::size_t at = 0;
    for (int i = 0; i < 8; ++i) at = line.find(',', at) + 1;
    std::string name = line.substr(at);
    while (!name.empty() && (name.back() == '\r' || name.back() == '"')) name.pop_back();
    if (name.starts_with('"')) name.erase(0, 1);
    // The same size for all: the name alone decides.
    run.kernel(run.call(op), name, 332);
    ++names;
  }
  ASSERT_EQ(names, 113);
  run.measured(
      "enable_if<!T7, void>::type kernel<int, int, __nv_bfloat16, __nv_bfloat16, __nv_bfloat16, "
      "float, 0, 1, 1, 0, 6, 0, cublasGemvParamsEx<int, cublasGemvTensorStridedBatched<const "
      "__nv_bfloat16>, cublasGemvTensorStridedBatched<const __nv_bfloat16>, "
      "cublasGemvTensorStridedBatched<__nv_bfloat16>, float>>(T13)",
      332);
  run.measured(kGemmOfNcu, 332);
  const CounterJoin join = join_of(std::move(run));
  for (const LaunchMatch& match : join.matches) {
    EXPECT_EQ(match.state, MatchState::joined) << match.reason;
    EXPECT_EQ(match.level, 3);
    EXPECT_EQ(match.profile_launches, 1);
    EXPECT_THAT(match.candidates, IsEmpty());
  }
}

}  // namespace
}  // namespace dlview::aggregate
