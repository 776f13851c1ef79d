// What-if: bounds of the time of a range under changes.
#include "aggregate/exclusive/what_if.h"

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "aggregate/exclusive/exclusive_index.h"
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
  EXPECT_EQ(loader.gpu_ns, 60);
  EXPECT_EQ(loader.host_ns, 10);  // step; the loader is gone
  EXPECT_EQ(loader.most_ns, 90);
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
    double most = 0;
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
      most = std::max(most, 1 - left);
    }
    saved += most * static_cast<double>(row.exclusive_ns);
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
