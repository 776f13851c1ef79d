#include "aggregate/group_tree.h"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "aggregate/aggregator.h"
#include "aggregate/iterations.h"
#include "import/open.h"
#include "profile/builder.h"
#include "support/test_data.h"

namespace dlview::aggregate {
namespace {

using profile::OpIndex;

profile::Profile profile_of(const std::vector<std::string>& op_names) {
  profile::ProfileBuilder builder;
  for (const std::string& name : op_names) {
    profile::OpRow op;
    op.name = builder.intern(name);
    builder.add_op(op);
  }
  return std::move(builder).finish();
}

TEST(GroupTree, HasEveryProperPrefixThatEndsInASlash) {
  const auto profile = profile_of({"/module/net/conv", "/module/relu", "MatMul/_0", "MatMul"});
  const GroupTree tree = build_group_tree(profile);
  std::vector<std::string> names;
  std::vector<int32_t> levels;
  for (const Group& group : tree.groups) {
    names.emplace_back(group_name(profile, group));
    levels.push_back(group.level);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"/", "/module/", "/module/net/", "MatMul/"}));
  EXPECT_EQ(levels, (std::vector<int32_t>{1, 2, 3, 1}));
}

TEST(GroupTree, PutsParentsFirstAndOpsIntoInnermostGroups) {
  const auto profile = profile_of({"/a/b/op", "plain", "/op"});
  const GroupTree tree = build_group_tree(profile);
  ASSERT_EQ(tree.groups.size(), 3U);
  EXPECT_EQ(tree.groups[0].parent, profile::kNoRow);
  EXPECT_EQ(tree.groups[1].parent, 0U);
  EXPECT_EQ(tree.groups[2].parent, 1U);
  EXPECT_EQ(tree.group_of_op, (std::vector<profile::Row>{2, profile::kNoRow, 0}));
}

TEST(GroupTree, DoesNotTakeANameForAGroupOfItself) {
  const auto profile = profile_of({"a/b/"});
  const GroupTree tree = build_group_tree(profile);
  ASSERT_EQ(tree.groups.size(), 1U);
  EXPECT_EQ(group_name(profile, tree.groups[0]), "a/");
}

TEST(GroupTree, SortsByBytes) {
  const auto profile = profile_of({"a/x", "_/x", "Z/x"});
  const GroupTree tree = build_group_tree(profile);
  EXPECT_EQ(group_name(profile, tree.groups[0]), "Z/");
  EXPECT_EQ(group_name(profile, tree.groups[1]), "_/");
  EXPECT_EQ(group_name(profile, tree.groups[2]), "a/");
}

TEST(GroupTree, FindsAGroupByItsNameAndTheOpsBelowIt) {
  const auto profile = profile_of({"/a/b/op", "/a/op", "plain", "/ab/op"});
  const GroupTree tree = build_group_tree(profile);
  const profile::Row group = find_group(profile, tree, "/a/");
  ASSERT_NE(group, profile::kNoRow);
  EXPECT_EQ(ops_below(tree, group), (std::vector{OpIndex{0}, OpIndex{1}}));
  EXPECT_EQ(ops_below(tree, find_group(profile, tree, "/a/b/")), (std::vector{OpIndex{0}}));
  EXPECT_EQ(find_group(profile, tree, "/a"), profile::kNoRow);
  EXPECT_EQ(find_group(profile, tree, "plain"), profile::kNoRow);
}

TEST(GroupTree, EndsAtTheMostLevels) {
  const std::string deep(kMostGroupLevels, '/');
  const auto profile = profile_of({deep + "/////op", deep + "op", deep});
  const GroupTree tree = build_group_tree(profile);
  ASSERT_EQ(tree.groups.size(), static_cast<std::size_t>(kMostGroupLevels));
  EXPECT_EQ(tree.groups.back().level, kMostGroupLevels);
  EXPECT_EQ(group_name(profile, tree.groups.back()), deep);
  const profile::Row last = kMostGroupLevels - 1;
  EXPECT_EQ(tree.group_of_op, (std::vector<profile::Row>{last, last, last - 1}));
}

// A range "conv 1/2" inside "Forward", and an op "2" inside "conv 1".
profile::Profile with_slashes_in_names() {
  profile::ProfileBuilder builder;
  for (const std::string_view name : {"/Forward/conv 1/2", "/Forward/conv 1/add", "/a/b/x"}) {
    profile::OpRow op;
    op.name = builder.intern(name);
    builder.add_op(op);
  }
  builder.set_nesting(builder.intern("/Forward/conv 1/2"), "/Forward/conv 1\\2");
  builder.set_nesting(builder.intern("/a/b/x"), "/a\\b/x");
  return std::move(builder).finish();
}

TEST(GroupTree, IsNotCutAtASlashOfAName) {
  const profile::Profile profile = with_slashes_in_names();
  const GroupTree tree = build_group_tree(profile);
  std::vector<std::string> names, last_names;
  std::vector<int32_t> levels;
  for (profile::Row group = 0; group < tree.groups.size(); ++group) {
    names.emplace_back(group_name(profile, tree.groups[group]));
    last_names.emplace_back(last_name(profile, tree, group));
    levels.push_back(tree.groups[group].level);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"/", "/Forward/", "/Forward/conv 1/", "/a/b/"}));
  EXPECT_EQ(last_names, (std::vector<std::string>{"", "Forward", "conv 1", "a/b"}));
  EXPECT_EQ(levels, (std::vector<int32_t>{1, 2, 3, 2}));
  EXPECT_EQ(tree.group_of_op, (std::vector<profile::Row>{1, 2, 3}));
  EXPECT_EQ(op_level(profile, "/Forward/conv 1/2"), 3);
}

TEST(GroupTree, HoldsOpsOfRangesInsideItAlone) {
  const profile::Profile profile = with_slashes_in_names();
  EXPECT_TRUE(is_in_group(profile, "/Forward/conv 1/2", "/Forward/"));
  EXPECT_FALSE(is_in_group(profile, "/Forward/conv 1/2", "/Forward/conv 1/"));
  EXPECT_TRUE(is_in_group(profile, "/Forward/conv 1/add", "/Forward/conv 1/"));
  EXPECT_FALSE(is_in_group(profile, "/a/b/x", "/a/"));
  EXPECT_TRUE(is_in_group(profile, "/a/b/x", "/a/b/"));
  EXPECT_FALSE(is_in_group(profile, "/a/b/x", "/a/b"));
}

TEST(OpLevel, IsOneBelowItsInnermostGroup) {
  const auto profile = profile_of({});
  EXPECT_EQ(op_level(profile, "conv"), 1);
  EXPECT_EQ(op_level(profile, "/module/conv"), 3);
}

TEST(GroupTree, OfARealRunHoldsItsRangesAlone) {
  DLVIEW_REQUIRE_TEST_DATA();
  base::Progress progress;
  auto opened = import::open_profile(
      *testing::test_data_folder() / "nsys" / "2022.4_tensorrt_nvtx_layers.sqlite", progress);
  ASSERT_TRUE(opened.ok());
  const auto profile = std::make_shared<const profile::Profile>(*std::move(opened));
  const GroupTree tree = build_group_tree(*profile);
  std::vector<std::string> names;
  for (profile::Row group = 0; group < tree.groups.size(); ++group) {
    names.emplace_back(last_name(*profile, tree, group));
  }
  EXPECT_EQ(names, (std::vector<std::string>{
                       "", "find_centers", "ExecutionContext::execute",
                       "{ForeignNode[/ConstantOfShape_3_output_0.../ScatterND_23]}"}));
  const Aggregation shown = make_cpu_aggregator(profile)->aggregate(default_selection(*profile));
  EXPECT_LE(
      std::ranges::count_if(shown.ops, [](const OpAggregate& op) { return op.times.count() > 0; }),
      112);
}

}  // namespace
}  // namespace dlview::aggregate
