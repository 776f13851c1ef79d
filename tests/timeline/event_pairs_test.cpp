#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "profile/builder.h"
#include "support/sketch.h"
#include "timeline/iteration_events.h"
#include "timeline/lanes_support.h"

namespace dlview::timeline {
namespace {

using profile::InstanceIndex;
using profile::KernelIndex;
using profile::kNoRow;
using profile::Profile;
using profile::Row;
using testing::iterations_of;

template <typename Use>
void for_each_place(const Lanes& lanes, const Use& use) {
  for (std::size_t group = 0; group < lanes.groups.size(); ++group) {
    for (std::size_t lane = 0; lane < lanes.groups[group].lanes.size(); ++lane) {
      const std::vector<Line>& lines = lanes.groups[group].lanes[lane].lines;
      for (std::size_t line = 0; line < lines.size(); ++line) {
        for (std::size_t at = 0; at < lines[line].size(); ++at) use(Place{group, lane, line, at});
      }
    }
  }
}

// The slow, obvious one: lists of all that is alike, made anew for each event.
class Slow {
 public:
  explicit Slow(const Lanes& lanes) : lanes_(lanes), profile_(lanes.events.profile()) {}

  std::optional<Place> partner(const Place& place, const aggregate::Iteration& own,
                               const aggregate::Iteration& other) const {
    const EventRef event = event_at(lanes_, place);
    const InstanceIndex instance = instance_of(profile_, event);
    if (instance == kNoRow) {
      const auto there = in_lane(place, other);
      const auto number = number_in(in_lane(place, own), place);
      return number && *number < there.size() ? std::optional(there[*number]) : std::nullopt;
    }
    const auto there = instances_like(instance, other);
    const auto number = number_in(instances_like(instance, own), instance);
    if (!number || *number >= there.size()) return std::nullopt;
    const InstanceIndex partner = there[*number];
    if (event.kind == EventKind::op) return find_place(lanes_, {EventKind::op, partner});
    const auto ours = rows_like(event, instance), others = rows_like(event, partner);
    const auto count = std::distance(ours.begin(), ours.find(key_of(event)));
    if (count >= std::ssize(others)) return std::nullopt;
    return find_place(lanes_, {event.kind, std::next(others.begin(), count)->second});
  }

 private:
  template <typename Thing>
  static std::optional<std::size_t> number_in(const std::vector<Thing>& all, const Thing& thing) {
    const auto found = std::ranges::find(all, thing);
    if (found == all.end()) return std::nullopt;
    return static_cast<std::size_t>(found - all.begin());
  }
  // What is counted of an instance: work by its rows, calls by their times.
  using Key = std::tuple<int64_t, int64_t, Row>;
  Key key_of(EventRef event) const {
    const base::Interval time = lanes_.events.time(event);
    return is_call(event.kind) ? Key{time.start_ns, time.stop_ns, 0} : Key{0, 0, event.row};
  }
  std::vector<InstanceIndex> instances_like(InstanceIndex instance,
                                            const aggregate::Iteration& iteration) const {
    const auto process = [this](InstanceIndex row) {
      return profile_.threads[profile_.instances.thread[row]].process_id;
    };
    std::vector<InstanceIndex> rows;
    for (InstanceIndex row = iteration.first_instance; row < iteration.last_instance; ++row) {
      if (profile_.instances.op[row] == profile_.instances.op[instance] &&
          process(row) == process(instance)) {
        rows.push_back(row);
      }
    }
    return rows;
  }
  std::map<Key, Row> rows_like(EventRef event, InstanceIndex instance) const {
    std::size_t count = 0;
    const bool is_kernel = work_of(event).kind == EventKind::kernel;
    const bool is_memory = work_of(event).kind == EventKind::memory_op;
    if (is_kernel)
      count = profile_.kernels.size();
    else if (is_memory)
      count = profile_.memory_ops.size();
    else
      count = event.kind == EventKind::sync ? profile_.syncs.size() : profile_.api_calls.size();
    std::map<Key, Row> rows;
    for (Row row = 0; row < count; ++row) {
      const EventRef other{event.kind, row};
      if (instance_of(profile_, other) != instance) continue;
      if (lanes_.events.name_key(other) != lanes_.events.name_key(event)) continue;
      if (event.kind == EventKind::kernel &&
          profile_.device_of_kernel(KernelIndex(row)) !=
              profile_.device_of_kernel(KernelIndex(event.row))) {
        continue;
      }
      if (event.kind == EventKind::memory_op &&
          profile_.memory_ops.device[row] != profile_.memory_ops.device[event.row]) {
        continue;
      }
      rows.emplace(key_of(other), row);
    }
    return rows;
  }
  std::vector<Place> in_lane(const Place& place, const aggregate::Iteration& iteration) const {
    const EventRef like = event_at(lanes_, place);
    std::vector<Place> places;
    for_each_place(lanes_, [&](const Place& other) {
      const EventRef event = event_at(lanes_, other);
      const int64_t start_ns = lanes_.events.start_ns(event);
      if (other.group == place.group && other.lane == place.lane && event.kind == like.kind &&
          instance_of(profile_, event) == kNoRow &&
          lanes_.events.name_key(event) == lanes_.events.name_key(like) &&
          start_ns >= iteration.start_ns && start_ns <= iteration.stop_ns) {
        places.push_back(other);
      }
    });
    std::ranges::sort(places, {}, [&](const Place& other) {
      return std::tuple(lanes_.events.start_ns(event_at(lanes_, other)), other.line, other.at);
    });
    return places;
  }

  const Lanes& lanes_;
  const Profile& profile_;
};

TEST(EventPairs, AreThoseThatListsOfAllThatIsAlikeGive) {
  std::size_t paired = 0, alone = 0;
  for (const uint64_t seed : {1, 2, 3}) {
    const auto lanes = testing::random_lanes({.seed = seed, .processes = 2, .ops = 6});
    const auto iterations = iterations_of(lanes->events.profile());
    const Slow slow(*lanes);
    for (std::size_t i = 1; i + 1 < iterations.size(); i += 2) {
      const auto& one = iterations[i];
      const auto& other = iterations[i + 1];
      const IterationEvents own(lanes->events.profile(), one);
      const EventPairs pairs(lanes, one, other);
      for_each_place(*lanes, [&](const Place& place) {
        if (!own.contains(lanes->events, event_at(*lanes, place))) return;
        const auto found = pairs.partner(place, 0);
        ASSERT_EQ(found, slow.partner(place, one, other))
            << lanes->events.name(event_at(*lanes, place));
        (found ? paired : alone) += 1;
        if (found) {
          ASSERT_EQ(pairs.partner(*found, 1), place);
        }
      });
    }
  }
  EXPECT_GT(paired, 300U);
  EXPECT_GT(alone, 100U);
}

EventPairs pairs_of_two_steps(const std::shared_ptr<const Lanes>& lanes) {
  const auto rows =
      aggregate::cut_iterations(lanes->events.profile(), {aggregate::CutKind::start, "step", 0})
          .rows;
  EXPECT_EQ(rows.size(), 2U);
  return EventPairs(lanes, rows.front(), rows.back());
}

// When the partners of the first step's launches start; -1 where there is none.
std::vector<int64_t> partners_of_launches(const std::shared_ptr<const Lanes>& lanes) {
  const EventPairs pairs = pairs_of_two_steps(lanes);
  std::vector<int64_t> starts;
  for_each_place(*lanes, [&](const Place& place) {
    const EventRef event = event_at(*lanes, place);
    if (event.kind != EventKind::launch || lanes->events.start_ns(event) > 900) return;
    const auto partner = pairs.partner(place, 0);
    starts.push_back(partner ? lanes->events.start_ns(event_at(*lanes, *partner)) : -1);
  });
  return starts;
}

// "conv" runs twice in each iteration, with "a" and "b" in the first run and two of "a" in the
// second one; the other iteration has but one "a" there.
TEST(EventPairs, CountOccurrencesOfTheOpAndOfTheKernelInIt) {
  testing::Sketch sketch;
  const auto step = sketch.op("step"), conv = sketch.op("conv");
  for (const int64_t at : {0, 1000}) {
    sketch.instance(step, at, at + 5);
    const auto first = sketch.instance(conv, at + 10, at + 20);
    sketch.kernel(first, at + 12, at + 14, 0, "a");
    sketch.kernel(first, at + 15, at + 16, 0, "b");
    const auto second = sketch.instance(conv, at + 30, at + 40);
    sketch.kernel(second, at + 32, at + 34, 0, "a");
    if (at == 0) sketch.kernel(second, at + 36, at + 38, 0, "a");
  }
  const auto lanes = testing::lanes_of(sketch.finish());
  const EventPairs pairs = pairs_of_two_steps(lanes);
  const auto partner_start = [&](Row kernel) -> std::optional<int64_t> {
    const auto place = find_place(*lanes, {EventKind::kernel, kernel});
    const auto partner = pairs.partner(*place, 0);
    if (!partner) return std::nullopt;
    return lanes->events.start_ns(event_at(*lanes, *partner));
  };
  EXPECT_EQ(partner_start(0), 1012);
  EXPECT_EQ(partner_start(1), 1015);
  EXPECT_EQ(partner_start(2), 1032);
  EXPECT_EQ(partner_start(3), std::nullopt);
}

// Two launches of a graph in each iteration; in the first one the graph has three kernels.
TEST(EventPairs, CountALaunchOfManyKernelsOnce) {
  profile::ProfileBuilder builder;
  builder.add_device({});
  const auto op = [&](std::string_view name) {
    profile::OpRow row;
    row.id = row.name = builder.intern(name);
    return builder.add_op(row);
  };
  const Row step = op("step"), replay = op("replay");
  const Row thread = builder.intern_thread({1, 1});
  const auto add_instance = [&](Row of, int64_t start_ns, int64_t stop_ns) {
    profile::OpInstanceRow row;
    row.op = of;
    row.cpu_start_ns = start_ns;
    row.cpu_stop_ns = stop_ns;
    row.thread = thread;
    return builder.add_instance(row);
  };
  for (const int64_t at : {0, 1000}) {
    add_instance(step, at, at + 5);
    const Row instance = add_instance(replay, at + 10, at + 90);
    int64_t gpu_ns = at + 100;
    for (const int64_t call : {at + 20, at + 50}) {
      for (int kernel = 0; kernel < (at == 0 ? 3 : 1); ++kernel, gpu_ns += 10) {
        profile::KernelRow row;
        row.instance = instance;
        row.name = builder.intern("a");
        row.api_start_ns = call;
        row.api_stop_ns = call + 8;
        row.gpu_start_ns = gpu_ns;
        row.gpu_stop_ns = gpu_ns + 5;
        row.launch = builder.intern_launch({{}, {}, 0, thread});
        builder.add_kernel(row);
      }
    }
  }
  const auto lanes =
      testing::lanes_of(std::make_shared<const Profile>(std::move(builder).finish()));
  EXPECT_EQ(partners_of_launches(lanes), (std::vector<int64_t>{1020, 1050}));
}

// A graph of "a" and "b" on two streams: which of them begins first tells nothing of the launch.
TEST(EventPairs, FindALaunchWhicheverOfItsKernelsBeginsFirst) {
  testing::Sketch sketch;
  const auto step = sketch.op("step"), replay = sketch.op("replay");
  for (const int64_t at : {0, 1000}) {
    sketch.instance(step, at, at + 5);
    const auto instance = sketch.instance(replay, at + 10, at + 90);
    const bool is_first = at == 0;
    sketch.kernel(instance, at + (is_first ? 100 : 110), at + 150, 0, "a");
    sketch.kernel(instance, at + (is_first ? 110 : 100), at + 150, 0, "b");
  }
  Profile profile = *sketch.finish();
  profile.kernels.api_start_ns = std::vector<int64_t>{20, 20, 1020, 1020};
  profile.kernels.api_stop_ns = std::vector<int64_t>{28, 28, 1028, 1028};
  const auto lanes = testing::lanes_of(std::make_shared<const Profile>(std::move(profile)));
  EXPECT_EQ(partners_of_launches(lanes), std::vector<int64_t>{1020});
}

}  // namespace
}  // namespace dlview::timeline
