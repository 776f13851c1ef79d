#include "aggregate/group_tree.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "profile/builder.h"

namespace dlview::aggregate {
namespace {

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
    names.push_back(group.name);
    levels.push_back(group.level);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"/", "/module/", "/module/net/", "MatMul/"}));
  EXPECT_EQ(levels, (std::vector<int32_t>{1, 2, 3, 1}));
}

TEST(GroupTree, PutsParentsBeforeChildrenAndOpsIntoTheirInnermostGroup) {
  const auto profile = profile_of({"/a/b/op", "plain", "/op"});
  const GroupTree tree = build_group_tree(profile);
  ASSERT_EQ(tree.groups.size(), 3U);
  EXPECT_EQ(tree.groups[0].parent, profile::kNoRow);
  EXPECT_EQ(tree.groups[1].parent, 0U);
  EXPECT_EQ(tree.groups[2].parent, 1U);
  EXPECT_EQ(tree.group_of_op, (std::vector<profile::Row>{2, profile::kNoRow, 0}));
}

TEST(GroupTree, DoesNotTakeANameForAGroupOfItself) {
  const GroupTree tree = build_group_tree(profile_of({"a/b/"}));
  ASSERT_EQ(tree.groups.size(), 1U);
  EXPECT_EQ(tree.groups[0].name, "a/");
}

TEST(GroupTree, SortsByBytes) {
  const GroupTree tree = build_group_tree(profile_of({"a/x", "_/x", "Z/x"}));
  EXPECT_EQ(tree.groups[0].name, "Z/");
  EXPECT_EQ(tree.groups[1].name, "_/");
  EXPECT_EQ(tree.groups[2].name, "a/");
}

TEST(OpLevel, IsOneBelowItsInnermostGroup) {
  EXPECT_EQ(op_level("conv"), 1);
  EXPECT_EQ(op_level("/module/conv"), 3);
}

}  // namespace
}  // namespace dlview::aggregate
