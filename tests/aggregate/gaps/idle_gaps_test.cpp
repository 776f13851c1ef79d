#include "aggregate/gaps/idle_gaps.h"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "aggregate/aggregator.h"
#include "aggregate/breakdown.h"
#include "aggregate/rules/rule_index.h"
#include "profile/builder.h"
#include "support/random_profile.h"
#include "support/sketch.h"

namespace dlview::aggregate {
namespace {

using base::Interval;
using base::IntervalSet;
using profile::DeviceIndex;
using profile::InstanceIndex;
using profile::KernelIndex;
using profile::LaunchIndex;
using profile::MemoryOpIndex;
using profile::Profile;
using profile::Row;
using profile::StringId;
using profile::ThreadIndex;

// One thread, whose GPU works up to 1000 and from 2000 on.
class OneGap {
 public:
  OneGap() {
    builder_.add_device({});
    thread_ = builder_.intern_thread({7, 1});
    const Row step = instance("step", "step", 0, 3000);
    kernel(step, "before", 10, 0, 1000);
  }

  Row instance(std::string_view name, std::string_view type, int64_t start_ns, int64_t stop_ns) {
    const Row op = builder_.add_op({.name = builder_.intern(name), .type = builder_.intern(type)});
    return builder_.add_instance({.op = op,
                                  .cpu_start_ns = start_ns,
                                  .cpu_stop_ns = stop_ns,
                                  .thread = thread_,
                                  .source_id = ++source_id_});
  }
  void kernel(Row instance, std::string_view name, int64_t api_start_ns, int64_t start_ns,
              int64_t stop_ns) {
    builder_.add_kernel({.instance = instance,
                         .name = builder_.intern(name),
                         .api_start_ns = api_start_ns,
                         .api_stop_ns = api_start_ns + 10,
                         .gpu_start_ns = start_ns,
                         .gpu_stop_ns = stop_ns,
                         .launch = builder_.intern_launch({{}, {}, 0, thread_})});
  }
  void call(std::string_view name, int64_t start_ns, int64_t stop_ns) {
    builder_.add_api_call({.instance = 0,
                           .name = builder_.intern(name),
                           .api_start_ns = start_ns,
                           .api_stop_ns = stop_ns,
                           .thread = thread_});
  }

  // The gap, once `after` is launched at that time.
  IdleGap gap(int64_t launched_ns) {
    kernel(instance("last", "relu", 2500, 2600), "after", launched_ns, 2000, 3000);
    profile_ = std::make_shared<const Profile>(std::move(builder_).finish());
    const RuleIndex index(*profile_);
    const Aggregation aggregation = make_cpu_aggregator(profile_)->aggregate({{}, {0, 0}});
    const std::vector<IdleGap> gaps = index.idle_gaps().longest(aggregation, 10);
    EXPECT_EQ(gaps.size(), 1U);
    return gaps.at(0);
  }
  std::string_view op_of(const HostTime& host) const {
    return profile_->text(profile_->ops.name[profile_->instances.op[host.instance]]);
  }
  std::string_view text(StringId id) const { return profile_->text(id); }

 private:
  profile::ProfileBuilder builder_;
  Row thread_ = 0;
  int64_t source_id_ = 0;
  std::shared_ptr<const Profile> profile_;
};

TEST(IdleGaps, LieBetweenTwoPiecesOfWork) {
  OneGap run;
  const IdleGap gap = run.gap(1990);
  EXPECT_EQ(gap.start_ns, 1000);
  EXPECT_EQ(gap.stop_ns, 2000);
  EXPECT_EQ(run.text(gap.next), "after");
  EXPECT_EQ(gap.iteration, 0);
}

TEST(IdleGaps, AreOfWorkThatWasLaunchedBeforeTheyBegan) {
  OneGap run;
  const IdleGap gap = run.gap(1000);
  EXPECT_EQ(gap.host.cause, GapCause::queued);
  EXPECT_EQ(gap.host.cause_ns, 1000);
  EXPECT_EQ(run.op_of(gap.host), "last");
}

TEST(IdleGaps, AreOfALaunchThatTakesMostOfThem) {
  OneGap run;
  run.call("cudaStreamSynchronize_v3020", 900, 1400);
  const IdleGap gap = run.gap(1450);
  EXPECT_EQ(gap.host.cause, GapCause::launch);
  EXPECT_EQ(gap.host.cause_ns, 550);
  EXPECT_EQ(run.op_of(gap.host), "last");
  EXPECT_EQ(gap.host.call, 0U);
}

TEST(IdleGaps, AreOfTheCallThatWaits) {
  OneGap run;
  run.call("cudaMalloc_v3020", 1000, 1300);
  run.call("cudaStreamSynchronize_v3020", 1300, 1650);
  run.call("cudaEventSynchronize_v3020", 1650, 1750);
  const IdleGap gap = run.gap(1900);
  EXPECT_EQ(gap.host.cause, GapCause::wait);
  EXPECT_EQ(gap.host.cause_ns, 450);
  EXPECT_EQ(gap.host.others_ns, 100);
  EXPECT_EQ(run.text(gap.host.call), "cudaStreamSynchronize_v3020");
  EXPECT_EQ(run.op_of(gap.host), "step");
}

TEST(IdleGaps, AreOfAnotherCall) {
  OneGap run;
  run.call("cudaMalloc_v3020", 1000, 1600);
  const IdleGap gap = run.gap(1900);
  EXPECT_EQ(gap.host.cause, GapCause::api_call);
  EXPECT_EQ(gap.host.cause_ns, 600);
  EXPECT_EQ(run.text(gap.host.call), "cudaMalloc_v3020");
}

TEST(IdleGaps, AreOfDataLoadingButForItsCalls) {
  OneGap run;
  run.instance("next", "DataLoader", 1000, 1800);
  run.call("cudaMemcpyAsync_v3020", 1100, 1200);
  const IdleGap gap = run.gap(1900);
  EXPECT_EQ(gap.host.cause, GapCause::data_loader);
  EXPECT_EQ(gap.host.cause_ns, 700);
  EXPECT_EQ(gap.host.call, 0U);
}

TEST(IdleGaps, AreOfTheOpThatRunsLongestInThem) {
  OneGap run;
  run.instance("short", "relu", 1000, 1200);
  const IdleGap gap = run.gap(1900);
  EXPECT_EQ(gap.host.cause, GapCause::op);
  EXPECT_EQ(gap.host.cause_ns, 900);
  EXPECT_EQ(run.op_of(gap.host), "step");
}

TEST(IdleGaps, TellTimeInOtherOpsFromThatInTheNamedOne) {
  profile::ProfileBuilder builder;
  builder.add_device({});
  const Row thread = builder.intern_thread({7, 1});
  const auto instance = [&](std::string_view name, int64_t start_ns, int64_t stop_ns) {
    const Row op = builder.add_op({.name = builder.intern(name)});
    return builder.add_instance(
        {.op = op, .cpu_start_ns = start_ns, .cpu_stop_ns = stop_ns, .thread = thread});
  };
  const Row launch = builder.intern_launch({{}, {}, 0, thread});
  const auto kernel = [&](Row row, int64_t api_start_ns, int64_t start_ns) {
    builder.add_kernel({.instance = row,
                        .api_start_ns = api_start_ns,
                        .api_stop_ns = api_start_ns + 1,
                        .gpu_start_ns = start_ns,
                        .gpu_stop_ns = start_ns + 1000,
                        .launch = launch});
  };
  kernel(instance("first", 0, 100), 10, 0);
  instance("norm", 1000, 1400);
  instance("dropout", 1400, 1700);
  instance("relu", 1700, 1900);
  kernel(instance("last", 1900, 2100), 1950, 2000);
  const auto profile = std::make_shared<const Profile>(std::move(builder).finish());
  const RuleIndex index(*profile);
  const Aggregation aggregation = make_cpu_aggregator(profile)->aggregate({{}, {0, 0}});
  const std::vector<IdleGap> gaps = index.idle_gaps().longest(aggregation, 10);
  ASSERT_EQ(gaps.size(), 1U);
  EXPECT_EQ(gaps[0].host.cause, GapCause::op);
  EXPECT_EQ(gaps[0].host.cause_ns, 950);
  EXPECT_EQ(gaps[0].host.others_ns, 550);
}

TEST(IdleGaps, KeepTheLongestAndOfEqualOnesTheFirst) {
  profile::ProfileBuilder builder;
  builder.add_device({});
  const Row op = builder.add_op({});
  const Row instance = builder.add_instance({.op = op, .cpu_stop_ns = 1000});
  const Row launch = builder.intern_launch({{}, {}, 0, builder.intern_thread({1, 1})});
  for (const int64_t start : {0, 20, 40, 90, 110, 160}) {
    builder.add_kernel(
        {.instance = instance, .gpu_start_ns = start, .gpu_stop_ns = start + 10, .launch = launch});
  }
  const auto profile = std::make_shared<const Profile>(std::move(builder).finish());
  const RuleIndex index(*profile);
  const Aggregation aggregation = make_cpu_aggregator(profile)->aggregate({{}, {0, 0}});
  const std::vector<IdleGap> gaps = index.idle_gaps().longest(aggregation, 3);
  ASSERT_EQ(gaps.size(), 3U);
  EXPECT_EQ(gaps[0].start_ns, 50);
  EXPECT_EQ(gaps[1].start_ns, 120);
  EXPECT_EQ(gaps[2].start_ns, 10);
}

// A thread of the given process loads data from 1000 to `stop_ns`, while the one that launches
// records nothing.
HostTime host_while_loading(int64_t process_id, int64_t stop_ns) {
  profile::ProfileBuilder builder;
  builder.add_device({});
  const Row launching = builder.intern_thread({7, 1});
  const Row launch = builder.intern_launch({{}, {}, 0, launching});
  int64_t source_id = 0;
  const auto instance = [&](std::string_view type, Row thread, int64_t start_ns, int64_t end_ns) {
    return builder.add_instance({.op = builder.add_op({.type = builder.intern(type)}),
                                 .cpu_start_ns = start_ns,
                                 .cpu_stop_ns = end_ns,
                                 .thread = thread,
                                 .source_id = ++source_id});
  };
  for (const int64_t start_ns : {0, 2000}) {
    builder.add_kernel({.instance = instance("relu", launching, start_ns, start_ns + 10),
                        .api_start_ns = start_ns,
                        .api_stop_ns = start_ns + 1,
                        .gpu_start_ns = start_ns,
                        .gpu_stop_ns = start_ns + 1000,
                        .launch = launch});
  }
  instance(kDataLoaderOpType, builder.intern_thread({process_id, 2}), 1000, stop_ns);
  const auto profile = std::make_shared<const Profile>(std::move(builder).finish());
  const RuleIndex index(*profile);
  const Aggregation aggregation = make_cpu_aggregator(profile)->aggregate({{}, {0, 0}});
  return index.idle_gaps().longest(aggregation, 1).at(0).host;
}

TEST(IdleGaps, AreOfDataLoadingByAnotherThread) {
  const HostTime host = host_while_loading(7, 1600);
  EXPECT_EQ(host.cause, GapCause::data_loader);
  EXPECT_EQ(host.cause_ns, 600);
  EXPECT_TRUE(host.waits_for_data());
  EXPECT_EQ(host_while_loading(7, 1499).cause, GapCause::nothing) << "for less than half of it";
  EXPECT_EQ(host_while_loading(8, 1600).cause, GapCause::nothing) << "another process";
}

// The same by looking at everything for each gap.
class SlowGaps {
 public:
  explicit SlowGaps(const Profile& profile) : profile_(profile) {}

  std::vector<IdleGap> find(const Aggregation& aggregation) const {
    const auto& iterations = aggregation.iteration_table->iterations.rows;
    const IterationRange range = aggregation.selection.range;
    const auto first = static_cast<std::size_t>(range.first),
               last = static_cast<std::size_t>(range.last);
    std::vector<IdleGap> gaps;
    for (DeviceIndex device{0}; device < profile_.devices.size(); ++device) {
      const std::vector<Event> events = work_of(device);
      int64_t busy_until = INT64_MAX;
      int64_t from_ns = iterations[first].start_ns;
      if (first > 0) from_ns = std::min(from_ns, iterations[first - 1].stop_ns);
      for (const Event& event : events) {
        if (event.time.start_ns > busy_until && busy_until >= from_ns &&
            event.time.start_ns <= iterations[last].stop_ns) {
          IdleGap gap{.device = device,
                      .start_ns = busy_until,
                      .stop_ns = event.time.start_ns,
                      .instance = event.instance,
                      .next = event.name};
          // That of most nanoseconds; the first one lies between two iterations.
          std::map<int64_t, int64_t> times_ns;
          for (int64_t ns = gap.start_ns + 1; ns < std::max(gap.stop_ns, gap.start_ns + 2); ++ns) {
            int64_t of_ns = range.first;
            for (std::size_t i = first; i <= last; ++i) {
              if (iterations[i].start_ns <= ns) of_ns = static_cast<int64_t>(i);
            }
            ++times_ns[of_ns];
          }
          gap.iteration = std::ranges::max_element(times_ns, {}, [](const auto& entry) {
                            return entry.second;
                          })->first;
          gap.host = host_time(event, gap);
          gaps.push_back(gap);
        }
        busy_until =
            busy_until == INT64_MAX ? event.time.stop_ns : std::max(busy_until, event.time.stop_ns);
      }
    }
    std::ranges::stable_sort(gaps, std::ranges::greater(), &IdleGap::duration_ns);
    return gaps;
  }

 private:
  struct Event {
    Interval time;
    int64_t api_start_ns;
    InstanceIndex instance;
    ThreadIndex thread;
    StringId name;
    int64_t process_id;
  };

  std::vector<Event> work_of(DeviceIndex device) const {
    std::vector<Event> events;
    const auto add = [&](const auto& table, auto row, DeviceIndex on, ThreadIndex thread) {
      const Interval time{table.gpu_start_ns[row], table.gpu_stop_ns[row]};
      if (on != device || time.stop_ns <= time.start_ns) return;
      events.push_back({time, table.api_start_ns[row], table.instance[row], thread, table.name[row],
                        profile_.threads[thread].process_id});
    };
    for (KernelIndex row{0}; row < profile_.kernels.size(); ++row) {
      const LaunchIndex launch = profile_.kernels.launch[row];
      add(profile_.kernels, row, profile_.launches.device[launch],
          profile_.launches.thread[launch]);
    }
    for (MemoryOpIndex row{0}; row < profile_.memory_ops.size(); ++row) {
      add(profile_.memory_ops, row, profile_.memory_ops.device[row],
          profile_.memory_ops.thread[row]);
    }
    std::ranges::stable_sort(events, {}, [](const Event& event) {
      return std::pair(event.time.start_ns, event.process_id);
    });
    return events;
  }

  template <typename Table>
  static void add_calls(const Table& table, ThreadIndex thread, const Interval& within,
                        std::vector<std::pair<StringId, Interval>>& calls) {
    for (Row row = 0; row < table.size(); ++row) {
      const Interval part{std::max(table.api_start_ns[row], within.start_ns),
                          std::min(table.api_stop_ns[row], within.stop_ns)};
      if (table.thread[row] == thread && part.start_ns < part.stop_ns) {
        calls.emplace_back(table.name[row], part);
      }
    }
  }

  HostTime host_time(const Event& next, const IdleGap& gap) const {
    HostTime host{.thread = next.thread};
    if (next.api_start_ns <= gap.start_ns) {
      host.cause = GapCause::queued;
      host.cause_ns = gap.duration_ns();
      host.instance = next.instance;
      return host;
    }
    const Interval within{gap.start_ns, std::min(next.api_start_ns, gap.stop_ns)};
    std::vector<std::pair<StringId, Interval>> calls;
    add_calls(profile_.memory_ops, next.thread, within, calls);
    add_calls(profile_.syncs, next.thread, within, calls);
    add_calls(profile_.api_calls, next.thread, within, calls);
    // What each ns of the gap goes to, the least of the causes.
    std::vector<int> of_ns(static_cast<std::size_t>(gap.duration_ns()),
                           static_cast<int>(GapCause::nothing));
    const auto give = [&](const Interval& time, GapCause cause) {
      for (int64_t ns = time.start_ns; ns < time.stop_ns; ++ns) {
        int& now = of_ns[static_cast<std::size_t>(ns - gap.start_ns)];
        now = std::min(now, static_cast<int>(cause));
      }
    };
    std::map<StringId, int64_t> waits, others;
    for (const auto& [name, time] : calls) {
      const bool waits_here = profile_.text(name).find("Synchronize") != std::string_view::npos;
      give(time, waits_here ? GapCause::wait : GapCause::api_call);
      (waits_here ? waits : others)[name] += time.stop_ns - time.start_ns;
    }
    Interval longest, longest_load;
    InstanceIndex loading;
    for (InstanceIndex row{0}; row < profile_.instances.size(); ++row) {
      const Interval part{std::max(profile_.instances.cpu_start_ns[row], within.start_ns),
                          std::min(profile_.instances.cpu_stop_ns[row], within.stop_ns)};
      if (profile_.instances.thread[row] != next.thread || part.stop_ns <= part.start_ns) continue;
      const auto type = profile_.text(profile_.ops.type[profile_.instances.op[row]]);
      const bool loads = type == kDataLoaderOpType;
      give(part, loads ? GapCause::data_loader : GapCause::op);
      if (loads && part.stop_ns - part.start_ns > longest_load.stop_ns - longest_load.start_ns) {
        longest_load = part;
        loading = row;
      }
      if (part.stop_ns - part.start_ns <= longest.stop_ns - longest.start_ns) continue;
      longest = part;
      host.instance = row;
    }
    for (auto ns = within.stop_ns; ns < gap.stop_ns; ++ns) {
      of_ns[static_cast<std::size_t>(ns - gap.start_ns)] = static_cast<int>(GapCause::launch);
    }
    std::array<int64_t, kGapCauseCount> sums{};
    for (const int cause : of_ns) ++sums[static_cast<std::size_t>(cause)];
    const auto most = std::ranges::max_element(sums) - sums.begin();
    host.cause = static_cast<GapCause>(most);
    if (host.cause == GapCause::nothing) host.instance = {};
    if (host.cause == GapCause::data_loader) host.instance = loading;
    host.cause_ns = sums[static_cast<std::size_t>(most)];
    if (host.cause == GapCause::launch) host.instance = next.instance;
    if (host.cause == GapCause::wait || host.cause == GapCause::api_call) {
      int64_t most_ns = 0;
      for (const auto& [name, ns] : host.cause == GapCause::wait ? waits : others) {
        if (ns <= most_ns) continue;
        most_ns = ns;
        host.call = name;
      }
      host.others_ns = std::max<int64_t>(0, host.cause_ns - most_ns);
    }
    for (auto ns = gap.start_ns; host.cause == GapCause::op && ns < gap.stop_ns; ++ns) {
      const bool is_in_op =
          of_ns[static_cast<std::size_t>(ns - gap.start_ns)] == static_cast<int>(GapCause::op);
      const bool is_named = ns >= longest.start_ns && ns < longest.stop_ns;
      if (is_in_op && !is_named) ++host.others_ns;
    }
    if (host.cause != GapCause::nothing) return host;
    int64_t loading_ns = 0;
    for (int64_t ns = within.start_ns; ns < within.stop_ns; ++ns) {
      loading_ns += is_loading(profile_.threads[next.thread].process_id, ns);
    }
    if (2 * loading_ns >= within.stop_ns - within.start_ns) {
      host.cause = GapCause::data_loader;
      host.cause_ns = loading_ns;
    }
    return host;
  }

  bool is_loading(int64_t process_id, int64_t ns) const {
    for (InstanceIndex row{0}; row < profile_.instances.size(); ++row) {
      if (profile_.text(profile_.ops.type[profile_.instances.op[row]]) == kDataLoaderOpType &&
          profile_.threads[profile_.instances.thread[row]].process_id == process_id &&
          profile_.instances.cpu_start_ns[row] <= ns && ns < profile_.instances.cpu_stop_ns[row]) {
        return true;
      }
    }
    return false;
  }

  const Profile& profile_;
};

// Split at "step", iteration 1 begins at 100 and iteration 0 ends at 99. Kernels of each.
std::shared_ptr<const Profile> two_steps(const std::vector<Interval>& first_kernels,
                                         const Interval& second_kernel) {
  testing::Sketch sketch(1);
  const Row op = sketch.op("op");
  const Row first = sketch.instance(op, 0, 5), second = sketch.instance(op, 100, 105);
  sketch.user_range("/step", 0, 50);
  sketch.user_range("/step", 100, 300);
  for (const Interval& kernel : first_kernels) {
    sketch.kernel(first, kernel.start_ns, kernel.stop_ns);
  }
  sketch.kernel(second, second_kernel.start_ns, second_kernel.stop_ns);
  return sketch.finish();
}
const Cut kTwoSteps{.kind = CutKind::start, .key_op = "step"};

TEST(IdleGaps, ThatBeginWithTheEndOfAnIterationBelongToTheNext) {
  const auto profile = two_steps({{10, 98}, {98, 99}}, {150, 160});
  const RuleIndex index(*profile);
  const auto aggregator = make_cpu_aggregator(profile);
  for (const IterationRange range : {IterationRange{0, 1}, IterationRange{1, 1}}) {
    const Aggregation aggregation = aggregator->aggregate({kTwoSteps, range});
    ASSERT_EQ(aggregation.iteration_table->iterations.rows[0].stop_ns, 99);
    const std::vector<IdleGap> gaps = index.idle_gaps().longest(aggregation, 5);
    ASSERT_EQ(gaps.size(), 1U) << range.first;
    EXPECT_EQ(gaps[0].start_ns, 99);
    EXPECT_EQ(gaps[0].iteration, 1);
  }
  EXPECT_TRUE(index.idle_gaps().longest(aggregator->aggregate({kTwoSteps, {0, 0}}), 5).empty());
}

// The checkpoint of an iteration begins shortly after the GPU has finished the one before.
TEST(IdleGaps, BelongToTheIterationThatHasMostOfThem) {
  const auto profile = two_steps({{10, 90}}, {250, 260});
  const RuleIndex index(*profile);
  const Aggregation aggregation = make_cpu_aggregator(profile)->aggregate({kTwoSteps, {0, 1}});
  const std::vector<IdleGap> gaps = index.idle_gaps().longest(aggregation, 5);
  ASSERT_EQ(gaps.size(), 1U);
  EXPECT_EQ(gaps[0].start_ns, 90);
  EXPECT_EQ(gaps[0].iteration, 1);
}

TEST(IdleGaps, AreThoseOfALookAtEverything) {
  std::size_t causes_seen = 0;
  for (const uint64_t seed : {1, 2, 3, 4, 5, 6}) {
    testing::RandomProfileOptions options{.seed = seed, .length_ns = 120'000};
    options.processes = seed % 2 == 0 ? 2 : 1;
    options.backwards = seed > 3;
    if (seed % 3 == 0) {  // few ops and many calls
      options.instances = 60;
      options.kernels = 150;
      options.syncs = options.api_calls = 600;
    }
    const auto profile = std::make_shared<const Profile>(testing::random_profile(options));
    const RuleIndex index(*profile);
    const auto aggregator = make_cpu_aggregator(profile);
    const Cut cut{.key_op = std::string(testing::kRandomKeyOp)};
    for (const IterationRange range : {IterationRange{0, 3}, IterationRange{2, 2}}) {
      const Aggregation aggregation = aggregator->aggregate({cut, range});
      const std::vector<IdleGap> expected = SlowGaps(*profile).find(aggregation);
      EXPECT_EQ(index.idle_gaps().longest(aggregation, SIZE_MAX), expected);
      const std::vector<IdleGap> few = index.idle_gaps().longest(aggregation, 5);
      ASSERT_EQ(few.size(), std::min<std::size_t>(5, expected.size()));
      EXPECT_TRUE(std::ranges::equal(few, std::span(expected).first(few.size())));
      std::vector<bool> seen(kGapCauseCount);
      for (const IdleGap& gap : expected) seen[static_cast<std::size_t>(gap.host.cause)] = true;
      causes_seen = std::max(causes_seen, static_cast<std::size_t>(std::ranges::count(seen, true)));
    }
  }
  EXPECT_GE(causes_seen, 4U) << "a test of little";
}

TEST(IdleGaps, FollowFiltersOnTimeAndGpu) {
  const auto profile =
      std::make_shared<const Profile>(testing::random_profile({.seed = 9, .length_ns = 120'000}));
  const RuleIndex index(*profile);
  const auto aggregator = make_cpu_aggregator(profile);
  const TimeWindow window{20'000, 70'000};
  const Aggregation all = aggregator->aggregate({{}, {0, 0}});
  const std::vector<IdleGap> gaps = index.idle_gaps().longest(all, SIZE_MAX);
  ASSERT_FALSE(gaps.empty());
  const int64_t device = profile->devices[gaps.front().device].device_id;
  std::vector<IdleGap> expected;
  std::ranges::copy_if(gaps, std::back_inserter(expected), [&](const IdleGap& gap) {
    return profile->devices[gap.device].device_id == device && gap.start_ns >= window.start_ns &&
           gap.stop_ns <= window.stop_ns;
  });
  ASSERT_FALSE(expected.empty());
  ASSERT_LT(expected.size(), gaps.size());
  const Aggregation filtered =
      aggregator->aggregate({{},
                             {0, 0},
                             canonical({{.kind = FilterKind::device, .number = device},
                                        {.kind = FilterKind::time, .window = window}})});
  EXPECT_EQ(index.idle_gaps().longest(filtered, SIZE_MAX), expected);
}

}  // namespace
}  // namespace dlview::aggregate
