// What threads did while a GPU was idle, from thread states, CPU samples and ranges.
#include "aggregate/host/host_record.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "aggregate/aggregator.h"
#include "aggregate/gaps/gap_text.h"
#include "aggregate/host/function_names.h"
#include "aggregate/iterations.h"
#include "aggregate/key_ops.h"
#include "aggregate/outliers.h"
#include "aggregate/rules/rule_index.h"
#include "generate/programs/machine.h"
#include "generate/ranks.h"
#include "import/open.h"
#include "support/opened_capture.h"
#include "support/test_data.h"

namespace dlview::aggregate {
namespace {

using base::Interval;
using generate::programs::Host;
using generate::programs::Kernel;
using generate::programs::Machine;
using generate::programs::Stream;
using profile::kNoText;
using profile::Profile;

constexpr int64_t kMs = 1'000'000;
constexpr int64_t kProcess = 100, kMain = 100, kHelper = 101;

// A thread that launches a kernel, does something for about 50 ms, and launches another one.
class HostGap {
 public:
  explicit HostGap(std::string name = "python")
      : main_(machine_, kProcess, kMain, std::move(name), kMs) {
    stream_.device = machine_.add_device();
    main_.launch({"first", "first", kMs}, stream_);
  }
  Host& main() { return main_; }
  // Right behind the first kernel.
  void launch_from_main() {
    main_.launch({"other", "other", kMs}, stream_);
    ++gap_count_;
  }
  void launch_from_helper() {
    helper("").launch({"other", "other", kMs}, stream_);
    ++gap_count_;
  }
  void change_export(std::string sql) { change_ = std::move(sql); }
  void lose_last_switch() { machine_.capture().switches.pop_back(); }
  Host helper(std::string name, int64_t thread = kHelper) {
    return Host(machine_, kProcess, thread, std::move(name), main_.now_ns());
  }

  HostTime host() {
    main_.launch({"second", "second", kMs}, stream_);
    profile_ = testing::opened_capture(machine_.capture(), change_);
    const RuleIndex index(*profile_);
    const Aggregation aggregation = make_cpu_aggregator(profile_)->aggregate({{}, {0, 0}});
    const std::vector<IdleGap> gaps = index.idle_gaps().longest(aggregation, 10);
    EXPECT_EQ(gaps.size(), gap_count_);  // the longest first
    place_ = place_of_host(*profile_, gaps.at(0).host);
    return gaps.at(0).host;
  }
  const std::string& place() const { return place_; }
  int64_t number_of(const BusyThread& thread) const {
    return profile_->trace->numbers_of(thread.id).thread_id;
  }

 private:
  Machine machine_{1};
  Host main_;
  Stream stream_;
  std::shared_ptr<const Profile> profile_;
  std::string place_, change_;
  std::size_t gap_count_ = 1;
};

const std::vector<std::string> kReading{"main", "worker(void*)",
                                        "load::(anonymous namespace)::read_batch<float>(int)",
                                        "std::vector<int>::push_back(int)"};

TEST(HostOfAGap, IsAsleepWhereTheSchedulerSaysSo) {
  HostGap run;
  run.main().sleep(50 * kMs);
  const HostTime host = run.host();
  EXPECT_EQ(host.cause, GapCause::asleep);
  EXPECT_NEAR(static_cast<double>(host.asleep_ns), 50e6, 6e6);
  EXPECT_EQ(host.asleep_ns, host.cause_ns);
  EXPECT_EQ(run.place(), "asleep");
}

TEST(HostOfAGap, IsInTheOsCallInWhichItSleeps) {
  HostGap run;
  run.main().sleep(10 * kMs, "poll");
  run.main().sleep(40 * kMs, "pthread_cond_wait");
  const HostTime host = run.host();
  EXPECT_EQ(host.cause, GapCause::os_call);
  EXPECT_EQ(run.place(), "in the OS call pthread_cond_wait and other OS calls");
}

TEST(HostOfAGap, IsInAnOsCallWithoutAName) {
  HostGap run;
  run.main().sleep(50 * kMs, "poll");
  run.change_export("UPDATE OSRT_API SET nameId = 999;");
  EXPECT_EQ(run.host().cause, GapCause::os_call);
  EXPECT_EQ(run.place(), "in an OS call");
}

// On a thread whose ops a framework names, ranges without calls are not ops.
class QuietGap : public HostGap {
 public:
  QuietGap() {
    main().range("aten::view, op_id = 1", [&] { main().run(kMs); });
  }
  void range(std::string text, int64_t ns) {
    main().range(std::move(text), [&] { main().run(ns); });
  }
};

TEST(HostOfAGap, IsInTheRangeThatLaunchedNothing) {
  QuietGap run;
  run.main().range("save_checkpoint", [&] {
    run.range("aten::detach, op_id = 2", kMs);
    run.range("write", 40 * kMs);
  });
  run.range("log", 3 * kMs);
  const HostTime host = run.host();
  EXPECT_EQ(host.cause, GapCause::host_range);
  EXPECT_EQ(host.instance, profile::kNoRow);
  EXPECT_EQ(run.place(), "in save_checkpoint");

  QuietGap two;
  two.range("save_checkpoint", 40 * kMs);
  two.range("log", 20 * kMs);
  EXPECT_EQ(two.host().cause, GapCause::host_range);
  EXPECT_EQ(two.place(), "in save_checkpoint and other host ranges");
}

// PyTorch numbers each range.
TEST(HostOfAGap, AddsUpRangesOfOneName) {
  QuietGap run;
  for (int i = 0; i < 20; ++i) run.range(fmt::format("preprocess, op_id = {}", i), 2 * kMs);
  run.range("log, op_id = 30", 10 * kMs);
  EXPECT_EQ(run.host().cause, GapCause::host_range);
  EXPECT_EQ(run.place(), "in preprocess and other host ranges");
}

// As a checkpoint of tensors on the GPU: the copy, and then the file.
TEST(HostOfAGap, IsInTheRestOfARangeThatLaunched) {
  QuietGap run;
  run.main().range("train", [&] {
    run.main().range("save_checkpoint", [&] {
      run.main().range("aten::to, op_id = 4", [&] { run.launch_from_main(); });
      run.main().run(50 * kMs);
    });
    run.main().run(kMs);
  });
  EXPECT_EQ(run.host().cause, GapCause::host_range);
  EXPECT_EQ(run.place(), "in save_checkpoint");
}

TEST(HostOfAGap, IsNotInAStepOrARangeThatGoesOn) {
  QuietGap step;
  step.main().range("step 4", [&] {
    step.main().range("aten::mm, op_id = 4", [&] { step.launch_from_main(); });
    step.main().run(50 * kMs);
  });
  EXPECT_EQ(step.host().cause, GapCause::nothing);
  EXPECT_EQ(step.place(), "between ops (nothing recorded)");

  QuietGap goes_on;
  goes_on.main().range("epoch", [&] {
    goes_on.main().run(50 * kMs);
    goes_on.main().range("aten::mm, op_id = 4", [&] { goes_on.launch_from_main(); });
  });
  EXPECT_EQ(goes_on.host().cause, GapCause::nothing);
}

TEST(HostOfAGap, IsNotInAMarkerOfDlprof) {
  QuietGap run;
  run.range("{'traceMarker': ['a.py:1'], 'funcStack': '/Net::forward/DataLoader'}", 50 * kMs);
  EXPECT_EQ(run.host().cause, GapCause::nothing);
}

TEST(HostOfAGap, NamesTheRangeOfAnOsCallAndOfSleep) {
  QuietGap writes, sleeps, shortly;
  writes.main().range("save_checkpoint", [&] { writes.main().sleep(50 * kMs, "fsync"); });
  const HostTime host = writes.host();
  EXPECT_EQ(host.cause, GapCause::os_call);
  EXPECT_EQ(host.instance, profile::kNoRow) << "aten::view took less";
  EXPECT_EQ(writes.place(), "in the OS call fsync, in save_checkpoint");
  sleeps.main().range("wait_for_writer", [&] { sleeps.main().sleep(50 * kMs); });
  EXPECT_EQ(sleeps.host().cause, GapCause::asleep);
  EXPECT_EQ(sleeps.place(), "asleep in wait_for_writer");
  shortly.main().range("wait_for_writer", [&] { shortly.main().sleep(10 * kMs); });
  shortly.main().sleep(40 * kMs);
  shortly.host();
  EXPECT_EQ(shortly.place(), "asleep");
}

TEST(HostOfAGap, LoadsDataInARangeWhoseNameSaysSo) {
  QuietGap run;
  run.main().range("prepare", [&] { run.range("load_batch", 50 * kMs); });
  EXPECT_EQ(run.host().cause, GapCause::data_loader);
  EXPECT_EQ(run.place(), "in load_batch");
}

TEST(HostOfAGap, LoadsDataInTheOpAndNotInTheRangeAroundIt) {
  QuietGap run;
  run.main().range("prepare", [&] {
    for (int i = 0; i < 3; ++i) run.range("enumerate(DataLoader)#Iter.__next__", 15 * kMs);
  });
  const HostTime host = run.host();
  EXPECT_EQ(host.cause, GapCause::data_loader);
  EXPECT_EQ(host.range, kNoText);
  EXPECT_NE(host.instance, profile::kNoRow);
}

TEST(HostOfAGap, DoesNotWaitForDataWhileItSaves) {
  for (const char* range : {"save_checkpoint", "wait_for_input", "eval/wait_for_sample"}) {
    QuietGap run;
    run.helper("pt_data_pin").compute(50 * kMs, kReading);
    run.range(range, 50 * kMs);
    const bool saves = std::string_view(range) == "save_checkpoint";
    EXPECT_EQ(run.host().cause, saves ? GapCause::host_range : GapCause::data_loader)
        << range << ": " << run.place();
  }
}

TEST(HostOfAGap, NamesTheThreadThatWasBusyAndItsFunction) {
  HostGap run;
  run.helper("worker").compute(50 * kMs, kReading);
  run.main().sleep(50 * kMs);
  const HostTime host = run.host();
  EXPECT_EQ(host.cause, GapCause::asleep);
  ASSERT_TRUE(host.other);
  EXPECT_EQ(run.number_of(*host.other), kHelper);
  EXPECT_EQ(run.place(), "asleep, while thread worker (101) was in load::read_batch");
}

TEST(HostOfAGap, NamesNoThreadThatWasBusyForLessThanHalf) {
  HostGap run;
  run.helper("worker").compute(15 * kMs, kReading);
  run.main().sleep(50 * kMs);
  EXPECT_FALSE(run.host().other);
}

TEST(HostOfAGap, WaitsForDataWhileAThreadLoadsIt) {
  HostGap by_function;
  by_function.helper("").compute(50 * kMs, {"main", "at::native::_pin_memory_cuda(at::Tensor)",
                                            "at::native::copy_kernel(int)"});
  by_function.main().sleep(50 * kMs);
  EXPECT_EQ(by_function.host().cause, GapCause::data_loader);
  EXPECT_EQ(by_function.place(),
            "asleep, waiting for data that pin-memory thread 101 prepares in "
            "at::native::copy_kernel");

  HostGap by_range;
  Host reader = by_range.helper("dali");
  reader.range("[DALI][DataReader] Prefetch", [&] { reader.run(50 * kMs); });
  by_range.main().sleep(50 * kMs);
  EXPECT_EQ(by_range.host().cause, GapCause::data_loader);
  EXPECT_EQ(
      by_range.place(),
      "asleep, waiting for data that thread dali (101) prepares in [DALI][DataReader] Prefetch");
}

TEST(HostOfAGap, WaitsForTheThreadThatHandsDataOverAtTheEnd) {
  HostGap at_end;
  Host pin = at_end.helper("pt_data_pin");
  pin.run(44 * kMs);
  pin.compute(5 * kMs, kReading);
  at_end.main().sleep(50 * kMs);
  EXPECT_EQ(at_end.host().cause, GapCause::data_loader);

  HostGap at_begin;
  at_begin.helper("pt_data_pin").compute(5 * kMs, kReading);
  at_begin.main().sleep(50 * kMs);
  EXPECT_EQ(at_begin.host().cause, GapCause::asleep);

  HostGap of_another_thread;
  Host worker = of_another_thread.helper("logger");
  worker.run(44 * kMs);
  worker.compute(5 * kMs, kReading);
  of_another_thread.main().sleep(50 * kMs);
  EXPECT_EQ(of_another_thread.host().cause, GapCause::asleep);
}

// The autograd engine's thread waits for the program's, or the other way round.
TEST(HostOfAGap, WaitsForAThreadThatLaunchesRatherThanForData) {
  HostGap run;
  run.launch_from_helper();
  run.helper("pt_data_pin", kHelper + 1).compute(50 * kMs, kReading);
  run.helper("").compute(40 * kMs, {"main", "step(int)"});
  run.main().sleep(50 * kMs);
  const HostTime host = run.host();
  EXPECT_EQ(host.cause, GapCause::asleep);
  ASSERT_TRUE(host.other);
  EXPECT_EQ(run.number_of(*host.other), kHelper);
  EXPECT_EQ(run.place(), "asleep, while thread 101 was in step");

  HostGap idle;
  idle.launch_from_helper();
  idle.helper("pt_data_pin", kHelper + 1).compute(50 * kMs, kReading);
  idle.helper("").compute(20 * kMs, {"main", "step(int)"});
  idle.main().sleep(50 * kMs);
  EXPECT_EQ(idle.host().cause, GapCause::data_loader);
}

TEST(HostOfAGap, OfANamedLoaderWaitsForItsWorkers) {
  HostGap loader("pt_data_pin"), other("python");
  for (HostGap* run : {&loader, &other}) run->main().sleep(50 * kMs);
  EXPECT_EQ(loader.host().cause, GapCause::data_loader);
  EXPECT_EQ(loader.place(), "asleep, waiting for data");
  EXPECT_EQ(other.host().cause, GapCause::asleep);
}

TEST(HostOfAGap, FindsTheThreadThatLoadsDataAmongMany) {
  HostGap run;
  for (int64_t i = 1; i <= 150; ++i) run.helper("worker", kHelper + i).run(49 * kMs);
  Host pin = run.helper("pt_data_pin");
  pin.run(44 * kMs);
  pin.compute(5 * kMs, kReading);
  run.main().sleep(50 * kMs);
  const HostTime host = run.host();
  EXPECT_EQ(host.cause, GapCause::data_loader);
  ASSERT_TRUE(host.other);
  EXPECT_EQ(run.number_of(*host.other), kHelper);
}

TEST(HostOfAGap, RunsItselfBesideAThreadThatLoadsData) {
  HostGap run;
  run.helper("pt_data_pin").compute(50 * kMs, kReading);
  run.main().sleep(2 * kMs);
  run.main().run(48 * kMs);
  const HostTime host = run.host();
  EXPECT_EQ(host.cause, GapCause::nothing);
  EXPECT_NEAR(static_cast<double>(host.running_ns), 48e6, 5e6);
  EXPECT_FALSE(host.other);
  EXPECT_EQ(run.place(), "running on a CPU between ops");
}

TEST(HostOfAGap, WaitsForDataWhereItSleepsForHalfOfIt) {
  HostGap less, more;
  for (HostGap* run : {&less, &more}) {
    const int64_t asleep_ns = run == &less ? 20 * kMs : 30 * kMs;
    run->helper("pt_data_pin").compute(50 * kMs, kReading);
    run->main().sleep(asleep_ns);
    run->main().run(50 * kMs - asleep_ns);
  }
  EXPECT_EQ(less.host().cause, GapCause::nothing);
  EXPECT_EQ(more.host().cause, GapCause::data_loader);
}

TEST(HostOfAGap, WaitsForDataInAnOsCallWhereNoStatesAreRecorded) {
  HostGap waiting, reading;
  for (HostGap* run : {&waiting, &reading}) {
    run->helper("pt_data_pin").compute(50 * kMs, kReading);
    run->main().sleep(50 * kMs, run == &waiting ? "pthread_cond_wait" : "read");
    run->change_export("DELETE FROM SCHED_EVENTS;");
  }
  EXPECT_EQ(waiting.host().cause, GapCause::data_loader);
  EXPECT_EQ(reading.host().cause, GapCause::os_call);
}

TEST(HostOfAGap, IsNotAsleepWhereSamplesProveThatASwitchWasLost) {
  HostGap run;
  run.main().sleep(2 * kMs);
  run.lose_last_switch();
  run.main().compute(48 * kMs, kReading);
  const HostTime host = run.host();
  EXPECT_EQ(host.cause, GapCause::nothing);
  EXPECT_LT(host.asleep_ns, 5 * kMs);
}

TEST(HostOfAGap, ComputesItselfBesideAThreadThatLoadsData) {
  HostGap run;
  run.helper("pt_data_pin").compute(50 * kMs, kReading);
  run.main().range("augment", [&] { run.main().run(50 * kMs); });
  EXPECT_EQ(run.host().cause, GapCause::op);
}

TEST(HostOfAGap, TellsNothingOfWhatWasNotRecorded) {
  HostGap run;
  run.main().run(50 * kMs);
  const HostTime host = run.host();
  EXPECT_EQ(host.cause, GapCause::nothing);
  EXPECT_EQ(host.asleep_ns, 0);
  EXPECT_FALSE(host.other);
}

TEST(HostRecord, TellsStatesFromTheFirstChangeOn) {
  Machine machine(1);
  Host main(machine, kProcess, kMain, "python", kMs);
  Stream stream{.device = machine.add_device()};
  main.launch({"kernel", "kernel", kMs}, stream);
  machine.capture().switches = {{10'000, 0, true}, {30'000, 0, false}, {30'500, 0, false},
                                {60'000, 0, true}, {61'000, 0, true},  {70'000, 0, false}};
  const auto profile = testing::opened_capture(machine.capture());
  const HostRecord record(*profile);
  const HostThread* const thread = record.find({kProcess, kMain});
  ASSERT_NE(thread, nullptr);
  const auto states = [&](int64_t start_ns, int64_t stop_ns) {
    const HostRecord::States found = HostRecord::states(*thread, {start_ns, stop_ns});
    return std::pair(found.running_ns, found.asleep_ns);
  };
  EXPECT_EQ(states(0, 10'000), std::pair(int64_t{0}, int64_t{0}));
  EXPECT_EQ(states(0, 40'000), std::pair(int64_t{20'000}, int64_t{10'000}));
  EXPECT_EQ(states(40'000, 80'000), std::pair(int64_t{10'000}, int64_t{30'000}));
}

TEST(HostRecord, CountsARecursiveFunctionOncePerSample) {
  Machine machine(1);
  Host main(machine, kProcess, kMain, "python", kMs);
  Stream stream{.device = machine.add_device()};
  main.launch({"kernel", "kernel", kMs}, stream);
  main.compute(4 * kMs, {"outer", "visit", "visit", "visit"});
  main.compute(2 * kMs, {"outer", "leaf"});
  const auto profile = testing::opened_capture(machine.capture());
  const HostRecord record(*profile);
  const HostThread* const thread = record.find({kProcess, kMain});
  ASSERT_NE(thread, nullptr);
  const Sampled sampled = record.sampled(record.samples(*thread, {0, 100 * kMs}));
  EXPECT_EQ(profile->text(sampled.function), "visit");
  EXPECT_LT(sampled.in_function, sampled.samples);
  EXPECT_GE(2 * sampled.in_function, sampled.samples);
}

TEST(FunctionNames, ArePlain) {
  EXPECT_EQ(plain_function_name("void at::native::(anonymous namespace)::copy_kernel<float>(at::"
                                "TensorIterator&, bool)"),
            "at::native::copy_kernel");
  EXPECT_EQ(plain_function_name("read"), "read");
  EXPECT_EQ(plain_function_name("std::vector<int, std::allocator<int> >::push_back(int&&)"),
            "std::vector::push_back");
  EXPECT_EQ(plain_function_name("a::b::operator()(int) const"), "a::b::operator()");
  EXPECT_EQ(plain_function_name("bool a::operator<(int, int)"), "bool a::operator<");
  EXPECT_EQ(plain_function_name("(lambda)"), "(lambda)");
}

// In exports and in traces; the GPU is idle from shortly before the step on.
TEST(HostOfASlowStep, IsInTheCheckpoint) {
  for (const auto format : {generate::RanksFormat::nsys, generate::RanksFormat::pytorch}) {
    const testing::TemporaryFolder folder;
    generate::RanksOptions options;
    options.format = format;
    options.ranks = 2;
    options.iterations = 20;
    options.only_rank = 0;
    options.skew = *generate::parse_skew("all=10:+300%");
    base::Progress progress;
    ASSERT_TRUE(generate::generate_ranks(folder.path() / "run", options, progress).ok());
    std::shared_ptr<const Profile> profile;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path() / "run")) {
      base::Result<Profile> opened = import::open_profile(entry.path(), progress);
      if (opened) profile = std::make_shared<const Profile>(std::move(*opened));
    }
    ASSERT_TRUE(profile);
    const RuleIndex index(*profile);
    const Aggregation aggregation =
        make_cpu_aggregator(profile)->aggregate({default_cut(KeyRanking(*profile)), {0, 19}});
    const Outliers outliers = find_outliers(*profile, *aggregation.iteration_table, &index);
    const auto slow = std::ranges::find(outliers.rows, 10, &Outlier::iteration);
    ASSERT_NE(slow, outliers.rows.end());
    EXPECT_EQ(slow->kind, OutlierClass::checkpoint_or_io);
    const IdleGap gap = index.idle_gaps().longest(aggregation, 1).at(0);
    EXPECT_EQ(gap.iteration, 10);
    EXPECT_EQ(place_of_host(*profile, gap.host), "in save_checkpoint");
  }
}

TEST(HostRecordOfRealExport, NamesTheInputPipelineAsCause) {
  DLVIEW_REQUIRE_TEST_DATA();
  base::Progress progress;
  base::Result<Profile> opened = import::open_profile(
      *testing::test_data_folder() / "nsys" / "2023.4_dataloader_bound_59_steps.sqlite", progress);
  ASSERT_TRUE(opened.ok());
  const auto profile = std::make_shared<const Profile>(std::move(*opened));
  const RuleIndex index(*profile);
  const Aggregation aggregation = make_cpu_aggregator(profile)->aggregate({{}, {0, 0}});
  int64_t data_ns = 0, asleep_ns = 0, all_ns = 0;
  for (const IdleGap& gap : index.idle_gaps().longest(aggregation, 60)) {
    all_ns += gap.duration_ns();
    if (gap.host.cause != GapCause::data_loader) continue;
    data_ns += gap.duration_ns();
    ASSERT_TRUE(gap.host.other);
    EXPECT_EQ(profile->trace->numbers_of(gap.host.other->id).thread_id, 114211);
    asleep_ns += gap.host.asleep_ns;
  }
  EXPECT_GT(10 * data_ns, 9 * all_ns);
  EXPECT_GT(10 * asleep_ns, 9 * data_ns);
}

}  // namespace
}  // namespace dlview::aggregate
