// KeptTimeline against sets of intervals, which are clipped to one window after the other.

#include "aggregate/cpu/kept_timeline.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "aggregate/cpu/device_timeline.h"
#include "aggregate/cpu/kept_sweep.h"
#include "aggregate/engine/time_order.h"
#include "aggregate/run_windows.h"
#include "base/intervals.h"
#include "support/random_profile.h"
#include "support/seeds.h"
#include "support/sketch.h"

namespace dlview::aggregate::cpu {
namespace {

using profile::KernelIndex;
using profile::MemoryOpIndex;
using profile::Profile;
using profile::Row;

constexpr int64_t kTwoTo32 = int64_t{1} << 32;

class Timelines {
 public:
  Timelines(std::shared_ptr<const Profile> profile, int64_t block_rows)
      : profile_(std::move(profile)),
        index_(*profile_),
        packed_(*profile_, index_),
        kept_(*profile_, index_, packed_, 1),
        orders_(time_orders(*profile_, index_)) {
    for (const TimeOrder& order : orders_) timelines_.emplace_back(order);
    for (const DeviceTimeline& timeline : timelines_) {
      KeptTimeline::Maker maker(timeline.events(), {.block_rows = block_rows});
      while (!maker.work(static_cast<std::size_t>(block_rows))) {
      }
      kept_timelines_.push_back(maker.take());
    }
  }

  // At bounds of events and windows, and beside them.
  void expect_agreement(const std::vector<Filter>& filters) {
    const RowFilter filter(*profile_, filters);
    kept_.look_up(filter);
    for (Row device = 0; device < orders_.size(); ++device) {
      const std::vector<int64_t> times_ns = times(orders_[device], filters);
      const auto actual = kept_timelines_[device].covered_before(times_ns, kept_);
      const auto expected = covered_before(orders_[device], filter, times_ns);
      ASSERT_EQ(actual.size(), expected.size());
      for (std::size_t t = 0; t < actual.size(); ++t) {
        ASSERT_EQ(actual[t].ns, expected[t].ns) << "GPU " << device << ", before " << times_ns[t]
                                                << ", window " << value_text(filters.front());
      }
      levels_.insert(KeptLevels(orders_[device].levels(), kept_).size());
    }
  }

  const std::set<std::size_t>& levels() const { return levels_; }  // that there were

 private:
  bool keeps(const RowFilter& filter, TimeOrder::Event event) const {
    const auto& [kernels, memory_ops] = std::tie(profile_->kernels, profile_->memory_ops);
    const auto& op = profile_->instances.op;
    if (event < kernels.size()) {
      return filter.keeps_op(op[kernels.instance[event]]) &&
             filter.passes_kernel(KernelIndex(event));
    }
    const MemoryOpIndex behind(static_cast<Row>(event - kernels.size()));
    return behind < memory_ops.size() && filter.keeps_op(op[memory_ops.instance[behind]]) &&
           filter.passes_memory_op(behind);
  }
  static std::vector<int64_t> times(const TimeOrder& order, const std::vector<Filter>& filters) {
    std::set<int64_t> times_ns;
    const auto add = [&](int64_t ns) { times_ns.insert({ns - 1, ns, ns + 1}); };
    for (const TimeOrder::Event event : order.events()) {
      add(order.time_of(event).start_ns);
      add(order.time_of(event).stop_ns);
    }
    for (const Filter& filter : filters) {
      if (filter.kind != FilterKind::time) continue;
      add(filter.window.start_ns);
      add(filter.window.stop_ns);
    }
    return {times_ns.begin(), times_ns.end()};
  }
  std::vector<Coverage> covered_before(const TimeOrder& order, const RowFilter& filter,
                                       const std::vector<int64_t>& times_ns) const {
    std::vector<Coverage> result(times_ns.size());
    for (const TimeWindow& window : filter.windows()) {
      for (std::size_t l = 0; l < kLevelCount; ++l) {
        const auto level = static_cast<Levels>(1U << l);
        if ((level & kHostLevels) != 0) continue;
        std::vector<base::Interval> events;
        for (const TimeOrder::Event event : order.events()) {
          if ((order.levels()[order.cell_of(event)] & level) == 0 || !keeps(filter, event))
            continue;
          const base::Interval time = order.time_of(event);
          events.push_back(
              {std::max(time.start_ns, window.start_ns), std::min(time.stop_ns, window.stop_ns)});
        }
        const auto covered = base::IntervalSet::union_of(events);
        for (std::size_t t = 0; t < times_ns.size(); ++t) {
          result[t].ns[l] += covered.covered_ns(std::numeric_limits<int64_t>::min(), times_ns[t]);
        }
      }
    }
    return result;
  }

  std::shared_ptr<const Profile> profile_;
  ProfileIndex index_;
  PackedInstances packed_;
  Kept kept_;
  std::vector<TimeOrder> orders_;
  std::vector<DeviceTimeline> timelines_;
  std::vector<KeptTimeline> kept_timelines_;
  std::set<std::size_t> levels_;
};

Filter window(int64_t start_ns, int64_t stop_ns) {
  return {.kind = FilterKind::time, .window = {start_ns, stop_ns}};
}

class KeptTimelines : public ::testing::TestWithParam<int64_t> {};

TEST_P(KeptTimelines, AreUnionsInAnyLevels) {
  std::set<std::size_t> levels;
  for (uint64_t seed = 1; seed <= testing::seeds(3); ++seed) {
    SCOPED_TRACE(seed);
    testing::RandomProfileOptions options = many_runs(seed);
    options.instances = 400;
    options.kernels = 600;
    options.memory_ops = 150;
    const auto profile = std::make_shared<const Profile>(testing::random_profile(options));
    Timelines timelines(profile, GetParam());
    RunWindows random(*profile, seed);
    const auto kernels = static_cast<int64_t>(profile->kernels.size());
    for (int i = 0; i < 12; ++i) {
      std::vector<Filter> filters = i % 3 == 2 ? random.scattered(80, 900) : random.filters();
      const auto kernel = static_cast<Row>(random.below(kernels));
      const std::string name(profile->text(profile->kernels.name[kernel]));
      if (i % 4 == 1) filters.push_back({.kind = FilterKind::kernel, .text = name});
      if (i % 4 == 2 && i != 6) filters.push_back({.kind = FilterKind::tensor_core, .number = 0});
      if (i % 4 == 2 && i != 2) filters.push_back({.kind = FilterKind::tensor_core, .number = 1});
      if (i % 4 == 3) {
        const Row op = profile->instances.op[profile->kernels.instance[kernel]];
        filters.push_back({.kind = FilterKind::op_type,
                           .text = std::string(profile->text(profile->ops.type[op]))});
      }
      timelines.expect_agreement(filters);
    }
    levels.insert(timelines.levels().begin(), timelines.levels().end());
  }
  for (std::size_t count = 1; count <= 5; ++count) EXPECT_TRUE(levels.contains(count)) << count;
}

// Events that are alone, some that overlap, one that just fits in 32 bits, one that does not, and
// gaps; with every window between their bounds, alone and two at a time.
TEST_P(KeptTimelines, AreUnionsInEachWindow) {
  testing::Sketch sketch;
  const Row i = sketch.instance(sketch.op("net/op"), 0, 50);
  sketch.kernel(i, 10, 20);
  sketch.copy(i, 20, 24);
  sketch.kernel(i, 30, 40, 0, "tc", true);
  sketch.kernel(i, 35, 36);
  sketch.copy(i, 38, 50);
  sketch.kernel(i, 60, 60);
  const int64_t fits_ns = 100, long_ns = fits_ns + kTwoTo32;
  sketch.kernel(i, fits_ns, fits_ns + kTwoTo32 - 1, 0, "tc", true);
  sketch.kernel(i, long_ns, long_ns + kTwoTo32);
  sketch.kernel(i, long_ns + kTwoTo32 + 5, long_ns + kTwoTo32 + 9);
  Timelines timelines(sketch.finish(), GetParam());
  std::vector<int64_t> bounds{-5,
                              10,
                              15,
                              20,
                              24,
                              27,
                              35,
                              38,
                              50,
                              55,
                              60,
                              fits_ns,
                              fits_ns + 7,
                              long_ns - 1,
                              long_ns,
                              long_ns + 3,
                              long_ns + kTwoTo32,
                              long_ns + kTwoTo32 + 7,
                              long_ns + 2 * kTwoTo32};
  timelines.expect_agreement({{.kind = FilterKind::op_type, .text = "relu"}});
  for (std::size_t a = 0; a < bounds.size(); ++a) {
    for (std::size_t b = a; b < bounds.size(); ++b) {
      timelines.expect_agreement({window(bounds[a], bounds[b])});
      if (b + 2 >= bounds.size()) continue;
      timelines.expect_agreement(
          {window(bounds[a], bounds[b]), window(bounds[b] + 1, bounds[b + 2])});
      timelines.expect_agreement({window(bounds[a], bounds[b]),
                                  window(bounds[b + 1], bounds[b + 2]),
                                  {.kind = FilterKind::tensor_core, .number = 1}});
    }
  }
}

INSTANTIATE_TEST_SUITE_P(BlockRows, KeptTimelines, ::testing::Values(1, 2, 7));

}  // namespace
}  // namespace dlview::aggregate::cpu
