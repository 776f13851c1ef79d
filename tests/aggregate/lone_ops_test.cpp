// Slots that take the sums of a single op, against a look at every op and iteration.

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "aggregate/cpu/slot_places.h"
#include "aggregate/group_tree.h"
#include "support/random_profile.h"
#include "support/sketch.h"

namespace dlview::aggregate::cpu {
namespace {

using profile::InstanceIndex;
using profile::kNoRow;
using profile::OpIndex;
using profile::Profile;
using profile::Row;

std::vector<OpIndex> lone_ops_of(const Profile& profile, const Iterations& iterations) {
  return lone_ops(GroupSlots(build_group_tree(profile)), profile, iterations);
}

OpIndex lone_op(const Profile& profile, const Iterations& iterations,
                const std::vector<OpIndex>& ops) {
  if (ops.size() != 1) return {};
  const auto op = profile.instances.op.span();
  for (std::size_t i = 0; i < iterations.rows.size(); ++i) {
    const Iteration& iteration = iterations.rows[i];
    const bool joins = i == 0 || iterations.rows[i - 1].last_instance == iteration.first_instance;
    const auto runs = std::count(op.begin() + iteration.first_instance,
                                 op.begin() + iteration.last_instance, ops.front());
    if (!joins || runs > 1) return {};
  }
  return ops.front();
}

TEST(LoneOps, AreThoseThatNoIterationRunsTwice) {
  std::size_t lone = 0, shared = 0;
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    testing::RandomProfileOptions options;
    options.seed = seed;
    options.ops = 80;
    options.key_instances = 30;
    options.stored_aggregation = true;
    const Profile profile = testing::random_profile(options);
    const GroupTree tree = build_group_tree(profile);
    for (const CutKind kind : {CutKind::start, CutKind::end, CutKind::stored}) {
      const Iterations iterations =
          cut_iterations(profile, {kind, std::string(testing::kRandomKeyOp), 0});
      const std::vector<OpIndex> actual = lone_ops_of(profile, iterations);
      ASSERT_EQ(actual.size(), tree.groups.size() + 1);
      EXPECT_EQ(actual.front(), kNoRow);
      for (Row group = 0; group < tree.groups.size(); ++group) {
        const OpIndex expected = lone_op(profile, iterations, ops_below(tree, group));
        EXPECT_EQ(actual[group + 1], expected) << "seed " << seed << ", group " << group;
        ++(expected == kNoRow ? shared : lone);
      }
    }
  }
  EXPECT_GT(lone, 50u);
  EXPECT_GT(shared, 100u);
}

Iteration iteration(int64_t start_ns, int64_t stop_ns, Row first, Row last) {
  return {start_ns, stop_ns, InstanceIndex(first), InstanceIndex(last)};
}

// Rows of a range of iterations would be more than those of its iterations.
TEST(LoneOps, AreNoneWhereInstancesLieBetweenIterations) {
  testing::Sketch sketch;
  const Row op = sketch.op("net/layer/op");
  sketch.op("net/op");
  for (int64_t i = 0; i < 3; ++i) sketch.instance(op, 10 * i, 10 * i + 5);
  const auto profile = sketch.finish();
  const Row layer = find_group(*profile, build_group_tree(*profile), "net/layer/");
  Iterations iterations;
  iterations.rows = {iteration(0, 9, 0, 1), iteration(10, 19, 1, 2), iteration(20, 29, 2, 3)};
  EXPECT_EQ(lone_ops_of(*profile, iterations)[layer + 1], op);
  iterations.rows = {iteration(0, 9, 0, 1), iteration(20, 29, 2, 3)};
  EXPECT_EQ(lone_ops_of(*profile, iterations)[layer + 1], kNoRow);
  iterations.rows = {iteration(0, 19, 0, 2), iteration(20, 29, 2, 3)};
  EXPECT_EQ(lone_ops_of(*profile, iterations)[layer + 1], kNoRow);
}

}  // namespace
}  // namespace dlview::aggregate::cpu
