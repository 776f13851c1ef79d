// What-if: bounds of the time of a range under changes.
#include "aggregate/exclusive/what_if.h"

#include <algorithm>
#include <array>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "aggregate/exclusive/exclusive_index.h"
#include "base/intervals.h"
#include "profile/recorded.h"
#include "support/random_profile.h"
#include "support/seeds.h"
#include "support/sketch.h"

namespace dlview::aggregate {
namespace {

using profile::OpIndex;
using profile::Row;
using testing::Sketch;

struct Measured {
  explicit Measured(std::shared_ptr<const profile::Profile> shared, Cut split = {})
      : profile(std::move(shared)), cut(std::move(split)) {
    const RuleIndex rules(*profile);
    const ExclusiveIndex index(*profile, rules, cut_iterations(*profile, cut), cut);
    sums = index.sums({0, index.iteration_count() - 1});
  }
  WhatIf with(const std::vector<WhatIfChange>& changes,
              std::vector<OpHeadroom> headroom = {}) const {
    return what_if(*profile, sums, changes, headroom);
  }
  // "data_loader", "op=conv:2"
  WhatIf with(const std::string& id) const {
    const base::Result<WhatIfChange> change = parse_change(id);
    EXPECT_TRUE(change.ok()) << id;
    return with(std::vector<WhatIfChange>{*change});
  }

  std::shared_ptr<const profile::Profile> profile;
  Cut cut;
  PartSums sums;
};

//   0      10      20      30      40      50      60      70      80      90     100
//   host   | step |-read-|
//   gpu    | idle         | conv x2       | relu  | reduce | copy  |   idle        | relu
class Planted : public ::testing::Test {
 protected:
  Planted() {
    Sketch sketch;
    conv_ = sketch.op("conv", "conv2d", true);
    const Row relu = sketch.op("relu"), step = sketch.op("step");
    const Row run = sketch.instance(step, 0, 10);
    sketch.instance(sketch.op("read", "DataLoader"), 10, 20);
    const Row conv = sketch.instance(conv_, 0, 0), act = sketch.instance(relu, 0, 0);
    sketch.kernel(conv, 20, 30, 0, "implicit_gemm");
    sketch.kernel(conv, 30, 40, 0, "implicit_gemm");
    sketch.kernel(act, 40, 50, 0, "elementwise");
    sketch.kernel(run, 50, 60, 0, "ncclDevKernel_AllReduce_Sum_f32_RING_LL");
    sketch.copy(run, 60, 70);
    sketch.kernel(act, 90, 100, 0, "elementwise");
    measured_ = std::make_unique<Measured>(sketch.finish());
  }
  Row conv_ = 0;
  std::unique_ptr<Measured> measured_;
};

TEST_F(Planted, KnowsTheGainOfEachChange) {
  EXPECT_EQ(measured_->sums.range_ns, 100);
  EXPECT_EQ(measured_->with("data_loader").gain_ns(), 10);
  EXPECT_EQ(measured_->with("exposed_communication").gain_ns(), 10);
  EXPECT_EQ(measured_->with("memory").gain_ns(), 10);
  EXPECT_EQ(measured_->with("idle_already_launched").gain_ns(), 20);
  EXPECT_EQ(measured_->with("idle_synchronization").gain_ns(), 0);
  EXPECT_EQ(measured_->with("op=conv").gain_ns(), 10);
  EXPECT_EQ(measured_->with("op=conv:4").gain_ns(), 15);
  EXPECT_EQ(measured_->with("op_type=conv2d:1.25").gain_ns(), 4);
  EXPECT_EQ(measured_->with("kernel=elementwise:2").gain_ns(), 10);
  EXPECT_EQ(measured_->with("part=other_kernels:2").gain_ns(), 20);
  EXPECT_EQ(measured_->with("op=none").gain_ns(), 0);
}

TEST_F(Planted, BoundsTheNewTimeFromAbove) {
  const WhatIf loader = measured_->with("data_loader");
  EXPECT_EQ(loader.least_ns, 90);
  EXPECT_EQ(loader.gpu_ns, 90);
  EXPECT_EQ(loader.host_ns, 10);  // step; the loader is gone
  EXPECT_EQ(loader.most_ns, 90);
  const WhatIf third = measured_->with("op=conv:3");  // saves 13.3
  EXPECT_EQ(third.least_ns, 86);
  EXPECT_EQ(third.most_ns, 86);
  const WhatIf all = measured_->with({{WhatIfKind::part, "other_kernels", kGone},
                                      {WhatIfKind::part, "other", kGone},
                                      {WhatIfKind::part, "data_loader", kGone},
                                      {WhatIfKind::part, "cpu", kGone}});
  EXPECT_EQ(all.least_ns, 20);
  EXPECT_EQ(all.gpu_ns, 20);
  EXPECT_EQ(all.most_ns, 20);
}

TEST_F(Planted, CountsAnInstantOnceUnderSeveralChanges) {
  const WhatIfChange op{WhatIfKind::op, "conv", 2 * kSame},
      type{WhatIfKind::op_type, "conv2d", 4 * kSame};
  EXPECT_EQ(measured_->with({op, type}).gain_ns(), 15);
  EXPECT_EQ(measured_->with({op, op}).gain_ns(), 10);
}

TEST_F(Planted, LimitsHeadroomToTheOpsTime) {
  const std::vector<WhatIfChange> change{{.kind = WhatIfKind::tensor_cores}};
  EXPECT_EQ(measured_->with(change, {{OpIndex(conv_), 7}}).gain_ns(), 7);
  EXPECT_EQ(measured_->with(change, {{OpIndex(conv_), 70}}).gain_ns(), 20);
  EXPECT_EQ(measured_->with(change).gain_ns(), 0);
  const std::vector<WhatIfChange> both{change[0], {WhatIfKind::op, "conv", 4 * kSame}};
  EXPECT_EQ(measured_->with(both, {{OpIndex(conv_), 7}}).gain_ns(), 15);
}

TEST_F(Planted, SuggestsWhatHasTime) {
  std::vector<std::string> ids;
  for (const WhatIfChange& change : suggested_changes(*measured_->profile, measured_->sums)) {
    ids.push_back(id_of(change));
    EXPECT_GT(measured_->with({change}).gain_ns(), 0) << ids.back();
  }
  EXPECT_THAT(ids, ::testing::IsSupersetOf({"data_loader", "exposed_communication", "memory",
                                            "idle_already_launched", "part=other_kernels:2",
                                            "op_type=conv2d:2", "op=OP_1:2"}));
}

TEST(WhatIf, NamesItsChanges) {
  for (const char* const id :
       {"data_loader", "exposed_communication", "memory", "io", "idle_nothing_recorded",
        "idle_data_loading", "tensor_cores", "op=conv:1.5", "op_type=conv2d:2", "kernel=a::b<c>:3",
        "part=tensor_core_kernels:10"}) {
    const base::Result<WhatIfChange> change = parse_change(id);
    ASSERT_TRUE(change.ok()) << id;
    EXPECT_EQ(id_of(*change), id);
  }
  EXPECT_EQ(parse_change("kernel=a::b")->text, "a::b");
  EXPECT_EQ(parse_change("kernel=a::b")->factor, 2 * kSame);
  for (const char* const id :
       {"", "cpu", "idle_", "idle_x", "op=", "op", "type=conv:2", "part=x:2", "nothing"}) {
    EXPECT_FALSE(parse_change(id).ok()) << id;
  }
  EXPECT_EQ(describe(*parse_change("op=conv:1.5")), "conv: 1.5x speedup");
  EXPECT_EQ(describe(*parse_change("data_loader")), "No data loader time");
  EXPECT_EQ(describe(*parse_change("idle_synchronization")), "No idle gaps: synchronization");
}

std::string error_of(const profile::Profile& profile, const std::string& text) {
  const base::Result<WhatIfChange> change = find_change(profile, text);
  return change.ok() ? "" : base::to_text(change.error());
}

TEST_F(Planted, RefusesFactorsOutOfRange) {
  for (const char* const text :
       {"op=conv:0.5", "op=conv:0", "op=OP_1:2x", "op_type=conv2d:1000000",
        "op_type=conv2d:", "kernel=elementwise:-1", "part=other_kernels:0.5"}) {
    EXPECT_THAT(error_of(*measured_->profile, text),
                ::testing::AllOf(::testing::HasSubstr("Invalid factor"),
                                 ::testing::HasSubstr("from 1 to 1000")))
        << text;
  }
  EXPECT_EQ(error_of(*measured_->profile, "op=conv:1"), "");
  EXPECT_THAT(error_of(*measured_->profile, "op=none:0.5"),
              ::testing::HasSubstr("Nothing matches --if op=none:0.5"));
}

TEST(WhatIf, KeepsColonsOfNames) {
  Sketch sketch;
  sketch.kernel(sketch.instance(sketch.op("conv:0"), 0, 0), 0, 10);
  const auto profile = sketch.finish();
  EXPECT_EQ(error_of(*profile, "op=conv:0"), "");
  EXPECT_EQ(error_of(*profile, "op=conv:0:2"), "");
}

TEST_F(Planted, RefusesDataLoaderTimeThatIsNotRecorded) {
  EXPECT_EQ(error_of(*measured_->profile, "data_loader"), "");
  profile::Profile without = *measured_->profile;
  without.not_recorded.push_back({std::string(profile::kNoDataLoader), ""});
  for (const char* const text : {"data_loader", "part=data_loader:2"}) {
    EXPECT_THAT(error_of(without, text),
                ::testing::AllOf(::testing::HasSubstr("Data loader time is not recorded"),
                                 ::testing::HasSubstr("idle_data_loading")));
  }
}

TEST(WhatIf, ReadsFactors) {
  EXPECT_EQ(parse_factor("2"), 2000);
  EXPECT_EQ(parse_factor("1.5"), 1500);
  EXPECT_EQ(parse_factor("1"), 1000);
  EXPECT_EQ(parse_factor("1000"), 1'000'000);
  for (const char* const text : {"", "0", "0.5", "1001", "x", "1.2345", "-2", "1e3", "2x"}) {
    EXPECT_FALSE(parse_factor(text)) << text;
  }
}

TEST(WhatIf, SaysNothingOfAnEmptyProfile) {
  Sketch sketch(0);
  const Measured measured(sketch.finish());
  EXPECT_EQ(measured.with("data_loader").gain_ns(), 0);
  EXPECT_EQ(measured.with("data_loader").gain_share(), 0);
}

// --- Random runs ---------------------------------------------------------------------------------

// Any changes that the profile knows.
std::vector<WhatIfChange> random_changes(const profile::Profile& profile, std::mt19937_64& random) {
  std::vector<WhatIfChange> changes;
  for (uint64_t i = 0; i < random() % 6; ++i) {
    WhatIfChange change{.kind = static_cast<WhatIfKind>(random() % 6)};
    const OpIndex op(static_cast<Row>(random() % profile.ops.size()));
    change.factor = random() % 4 == 0 ? kGone : kSame + static_cast<Factor>(random() % 5000);
    switch (change.kind) {
      case WhatIfKind::part:
        change.text = to_text(kStackParts[random() % kStackPartCount]);
        break;
      case WhatIfKind::gap:
        change.text = id_of(static_cast<GapCause>(random() % kGapCauseCount));
        break;
      case WhatIfKind::op:
        change.text = profile.text(profile.ops.name[op]);
        break;
      case WhatIfKind::op_type:
        change.text = profile.text(profile.ops.type[op]);
        break;
      case WhatIfKind::kernel:
        change.text = profile.text(
            profile.kernels.name[profile::KernelIndex(random() % profile.kernels.size())]);
        break;
      case WhatIfKind::tensor_cores:
        break;
    }
    changes.push_back(std::move(change));
  }
  return changes;
}

// Row by row in floating point, without looking anything up first.
double slow_saved_ns(const Measured& run, const std::vector<WhatIfChange>& changes) {
  const profile::Profile& profile = *run.profile;
  double saved = 0;
  for (const PartTime& row : run.sums.rows) {
    double most_ns = 0;
    const bool on_gpu = is_gpu_part(row.key.part);
    const auto exclusive = static_cast<double>(row.exclusive_ns);
    // Of an event that hides a part of another one, the part of its own goes last.
    const auto events =
        on_gpu ? static_cast<double>(std::max(row.exclusive_ns, row.alone_ns + row.shared_ns))
               : exclusive;
    for (const WhatIfChange& change : changes) {
      const bool has_op = row.key.op != profile::kNoRow;
      const auto op_is = [&](const auto& column) {
        return has_op && profile.text(column[row.key.op]) == change.text;
      };
      const bool matches =
          (change.kind == WhatIfKind::part && to_text(row.key.part) == change.text) ||
          (change.kind == WhatIfKind::gap && row.key.gap && id_of(*row.key.gap) == change.text) ||
          (change.kind == WhatIfKind::op && (op_is(profile.ops.id) || op_is(profile.ops.name))) ||
          (change.kind == WhatIfKind::op_type && op_is(profile.ops.type)) ||
          (change.kind == WhatIfKind::kernel && row.key.part < StackPart::memory &&
           profile.text(row.key.name) == change.text);
      if (!matches) continue;
      const double left = change.factor == kGone
                              ? 0
                              : static_cast<double>(kSame) / static_cast<double>(change.factor);
      most_ns = std::max(most_ns, std::min(exclusive, (1 - left) * events));
    }
    saved += most_ns;
  }
  return saved;
}

TEST(WhatIf, KeepsItsBoundsInOrder) {
  const std::string key(testing::kRandomKeyOp);
  for (uint64_t seed = 1; seed <= testing::seeds(12); ++seed) {
    testing::RandomProfileOptions options;
    options.seed = seed;
    options.os_calls = seed % 2 == 0 ? 200 : 0;
    const Measured run(std::make_shared<const profile::Profile>(testing::random_profile(options)),
                       {.key_op = key});
    const int64_t before_ns = run.sums.range_ns;
    const WhatIf unchanged = run.with(std::vector<WhatIfChange>{});
    EXPECT_EQ(unchanged.least_ns, before_ns);
    EXPECT_EQ(unchanged.most_ns, before_ns);
    EXPECT_EQ(unchanged.saved_total_ns(), 0);

    std::mt19937_64 random(seed);
    for (int round = 0; round < 60; ++round) {
      std::vector<WhatIfChange> changes = random_changes(*run.profile, random);
      const WhatIf result = run.with(changes);
      ASSERT_LE(result.least_ns, result.most_ns);
      ASSERT_LE(result.most_ns, before_ns);
      ASSERT_GE(result.least_ns, 0);
      const double slow_ns = slow_saved_ns(run, changes);
      const auto fast_ns = static_cast<double>(result.saved_total_ns());
      ASSERT_GE(fast_ns, slow_ns - 1e-3);
      ASSERT_LE(fast_ns, slow_ns + static_cast<double>(run.sums.rows.size()));
      for (const StackPart part : kStackParts) {
        const auto p = static_cast<std::size_t>(part);
        ASSERT_GE(result.saved_ns[p], 0);
        ASSERT_LE(result.saved_ns[p], std::max<int64_t>(run.sums.ns[p], 0));
      }

      std::shuffle(changes.begin(), changes.end(), random);
      ASSERT_EQ(run.with(changes), result);  // the order does not matter

      std::vector<WhatIfChange> faster = changes;
      for (WhatIfChange& change : faster) {
        if (change.factor == kGone) continue;
        change.factor =
            random() % 3 == 0 ? kGone : change.factor + static_cast<Factor>(random() % 900);
      }
      ASSERT_LE(run.with(faster).least_ns, result.least_ns);
      ASSERT_LE(run.with(faster).most_ns, result.most_ns);
      for (WhatIfChange& change : changes) change.factor = kSame;
      std::erase_if(changes,
                    [](const WhatIfChange& c) { return c.kind == WhatIfKind::tensor_cores; });
      ASSERT_EQ(run.with(changes).saved_total_ns(), 0);
    }
  }
}

// --- Streams side by side ------------------------------------------------------------------------

//   0        10        20        30
//   a |-----------------|
//   b  |------------------|
TEST(WhatIf, KeepsTheTimeOfAKernelBesideIt) {
  Sketch sketch;
  sketch.kernel(sketch.instance(sketch.op("a"), 0, 0), 0, 20);
  sketch.kernel(sketch.instance(sketch.op("b"), 0, 0), 1, 22);
  sketch.kernel(sketch.instance(sketch.op("c"), 0, 0), 30, 40);
  const Measured run(sketch.finish());
  const WhatIf first = run.with("op=a:2");
  EXPECT_EQ(first.least_ns, 30);  // a owns its 20
  EXPECT_EQ(first.most_ns, 40);   // what is left of a can still cover all that b does not
  // b can end before a does.
  const WhatIf second = run.with("op=b:2");
  EXPECT_EQ(second.least_ns, 38);
  EXPECT_EQ(second.most_ns, 40);
  const WhatIf alone = run.with("op=c:2");
  EXPECT_EQ(alone.least_ns, 35);
  EXPECT_EQ(alone.most_ns, 35);
  const WhatIf gone = run.with({{WhatIfKind::op, "b", kGone}});
  EXPECT_EQ(gone.least_ns, 38);
  EXPECT_EQ(gone.most_ns, 38);
}

TEST(WhatIf, WaitsForTheGpuThatSavesLeast) {
  Sketch sketch(2);
  const Row op = sketch.instance(sketch.op("a"), 0, 0);
  sketch.kernel(op, 0, 40, 0);
  sketch.kernel(op, 0, 20, 1);
  const WhatIf faster = Measured(sketch.finish()).with("op=a:2");
  EXPECT_EQ(faster.least_ns, 25);
  EXPECT_EQ(faster.most_ns, 30);
}

struct SimulatedEvent {
  base::Interval time;
  std::string op, type, name;
  std::string part;
};

bool matches(const SimulatedEvent& event, const WhatIfChange& change) {
  switch (change.kind) {
    case WhatIfKind::op:
      return event.op == change.text;
    case WhatIfKind::op_type:
      return event.type == change.text;
    case WhatIfKind::kernel:
      return event.name == change.text;
    default:
      return event.part == change.text;
  }
}

// The iteration if each event is shorter, at any place within its time, and idle time stays.
int64_t simulated_ns(const std::vector<SimulatedEvent>& events, int64_t range_ns,
                     const std::vector<WhatIfChange>& changes, std::mt19937_64& random, int place) {
  std::vector<base::Interval> before, after;
  for (const SimulatedEvent& event : events) {
    const int64_t ns = event.time.stop_ns - event.time.start_ns;
    int64_t left_ns = ns;
    for (const WhatIfChange& change : changes) {
      if (!matches(event, change)) continue;
      left_ns = std::min(left_ns, change.factor == kGone ? 0 : ns * kSame / change.factor);
    }
    const auto room = static_cast<uint64_t>(ns - left_ns);
    const auto moved = static_cast<int64_t>(place == 0   ? 0
                                            : place == 1 ? room
                                                         : random() % (room + 1));
    const int64_t start_ns = event.time.start_ns + moved;
    before.push_back(event.time);
    after.push_back({start_ns, start_ns + left_ns});
  }
  return range_ns - base::IntervalSet::union_of(std::move(before)).total_ns() +
         base::IntervalSet::union_of(std::move(after)).total_ns();
}

TEST(WhatIf, BoundsSimulatedStreams) {
  int ranges = 0, exact = 0;
  for (uint64_t seed = 1; seed <= testing::seeds(150); ++seed) {
    std::mt19937_64 random(seed);
    Sketch sketch;
    std::vector<std::string> ops{"a", "b", "c", "d"}, types{"x", "y", "x", "y"};
    std::vector<Row> instances;
    for (std::size_t i = 0; i < ops.size(); ++i) {
      instances.push_back(sketch.instance(sketch.op(ops[i], types[i]), 0, 0));
    }
    std::vector<SimulatedEvent> events;
    const auto streams = 1 + random() % 3;
    for (uint64_t stream = 0; stream < streams; ++stream) {
      auto time_ns = static_cast<int64_t>(random() % 60);
      for (uint64_t i = 0; i < 1 + random() % 12; ++i) {
        const auto op = random() % ops.size(), kind = random() % 5;
        // Divided by 2, 3 and 4 without a rest.
        const auto ns = 12 * static_cast<int64_t>(1 + random() % 10);
        const std::string name = kind == 0   ? "cudaMemcpyAsync"
                                 : kind == 1 ? "ncclDevKernel_AllReduce_Sum_f32_RING_LL"
                                 : kind == 2 ? "gemm"
                                             : "k" + std::to_string(random() % 2);
        const std::string part = kind == 0   ? "memory"
                                 : kind == 1 ? "exposed_communication"
                                 : kind == 2 ? "tensor_core_kernels"
                                             : "other_kernels";
        if (kind == 0) {
          sketch.copy(instances[op], time_ns, time_ns + ns);
        } else {
          sketch.kernel(instances[op], time_ns, time_ns + ns, 0, name, kind == 2);
        }
        events.push_back({{time_ns, time_ns + ns}, ops[op], types[op], name, part});
        time_ns += ns + (random() % 3 == 0 ? static_cast<int64_t>(random() % 80) : 0);
      }
    }
    const Measured run(sketch.finish());
    for (int round = 0; round < 40; ++round) {
      std::vector<WhatIfChange> changes;
      for (uint64_t c = 0; c < 1 + random() % 3; ++c) {
        const SimulatedEvent& event = events[random() % events.size()];
        const std::array factors{kGone, 2 * kSame, 3 * kSame, 4 * kSame};
        WhatIfChange change{.factor = factors[random() % factors.size()]};
        const auto kind = random() % 4;
        change.kind = kind == 0   ? WhatIfKind::op
                      : kind == 1 ? WhatIfKind::op_type
                      : kind == 2 ? WhatIfKind::kernel
                                  : WhatIfKind::part;
        change.text = kind == 0   ? event.op
                      : kind == 1 ? event.type
                      : kind == 2 ? event.name
                                  : event.part;
        if (change.kind == WhatIfKind::kernel && event.part == "memory") continue;
        changes.push_back(change);
      }
      const WhatIf found = run.with(changes);
      (found.least_ns < found.most_ns ? ranges : exact) += 1;
      for (int place = 0; place < 4; ++place) {
        const int64_t truth_ns = simulated_ns(events, run.sums.range_ns, changes, random, place);
        ASSERT_LE(found.least_ns, truth_ns) << "seed " << seed;
        ASSERT_GE(found.most_ns, truth_ns) << "seed " << seed;
      }
      if (streams > 1) continue;
      ASSERT_EQ(found.least_ns, found.most_ns);
    }
  }
  EXPECT_GT(ranges, 100);
  EXPECT_GT(exact, 100);
}

TEST(WhatIf, TakesAllTimeAwayWithAllParts) {
  const Measured run(std::make_shared<const profile::Profile>(testing::random_profile()),
                     {.key_op = std::string(testing::kRandomKeyOp)});
  std::vector<WhatIfChange> all;
  for (const StackPart part : kStackParts)
    all.push_back({WhatIfKind::part, std::string(to_text(part)), kGone});
  EXPECT_EQ(run.with(all).least_ns, 0);
}

}  // namespace
}  // namespace dlview::aggregate
