#include "profile/builder.h"

#include <string>

#include <gtest/gtest.h>

namespace dlview::profile {
namespace {

Row add_op(ProfileBuilder& builder, const std::string& id) {
  OpRow op;
  op.id = builder.intern(id);
  return builder.add_op(op);
}

TEST(ProfileBuilder, OrdersInstancesByStartAndGroupsTheirEvents) {
  ProfileBuilder builder;
  builder.add_device({});
  const Row op = add_op(builder, "CONV2D_1");
  const Row launch = builder.intern_launch({});
  const auto add_instance = [&](int64_t start_ns) {
    OpInstanceRow row;
    row.op = op;
    row.cpu_start_ns = start_ns;
    row.cpu_stop_ns = start_ns + 10;
    return builder.add_instance(row);
  };
  const auto add_kernel = [&](Row instance, int64_t gpu_start_ns) {
    KernelRow row;
    row.instance = instance;
    row.gpu_start_ns = gpu_start_ns;
    row.gpu_stop_ns = gpu_start_ns + 5;
    row.launch = launch;
    builder.add_kernel(row);
  };
  const Row late = add_instance(100), early = add_instance(0);
  add_kernel(late, 130);
  add_kernel(early, 20);
  add_kernel(late, 110);
  const Profile profile = std::move(builder).finish();

  EXPECT_EQ(profile.instances.cpu_start_ns[0], 0);
  EXPECT_EQ(profile.instances.cpu_start_ns[1], 100);
  EXPECT_EQ(profile.instances.first_kernel[0], 0U);
  EXPECT_EQ(profile.instances.first_kernel[1], 1U);
  EXPECT_EQ(profile.instances.first_kernel[2], 3U);
  EXPECT_EQ(profile.kernels.gpu_start_ns[0], 20);
  EXPECT_EQ(profile.kernels.gpu_start_ns[1], 110);
  EXPECT_EQ(profile.kernels.gpu_start_ns[2], 130);
  EXPECT_EQ(profile.kernels.instance[2], 1U);
  EXPECT_EQ(profile.last_ns, 135);
}

TEST(ProfileBuilder, BreaksTiesOfEqualStartsBySourceId) {
  ProfileBuilder builder;
  const Row op = add_op(builder, "A_1");
  for (const int64_t source_id : {9, 4}) {
    OpInstanceRow row;
    row.op = op;
    row.source_id = source_id;
    builder.add_instance(row);
  }
  const Profile profile = std::move(builder).finish();
  EXPECT_EQ(profile.instances.source_id[0], 4);
  EXPECT_EQ(profile.instances.source_id[1], 9);
}

TEST(ProfileBuilder, KeepsEqualLaunchesAndThreadsOnce) {
  ProfileBuilder builder;
  const LaunchRow launch{{8, 1, 1}, {128, 1, 1}, 0, 0};
  EXPECT_EQ(builder.intern_launch(launch), builder.intern_launch(launch));
  EXPECT_NE(builder.intern_launch(launch), builder.intern_launch({{8, 1, 1}, {64, 1, 1}, 0, 0}));
  EXPECT_EQ(builder.intern_thread({1, 2}), builder.intern_thread({1, 2}));
  EXPECT_NE(builder.intern_thread({1, 2}), builder.intern_thread({2, 1}));
}

TEST(ProfileBuilder, MakesAnEmptyProfileWhoseOffsetsAreStillReadable) {
  const Profile profile = ProfileBuilder().finish();
  EXPECT_EQ(profile.instances.size(), 0U);
  EXPECT_EQ(profile.instances.first_kernel[0], 0U);
  EXPECT_EQ(profile.last_ns, 0);
  EXPECT_EQ(profile.text(0), "");
}

TEST(StringTable, GivesEqualTextsOneIdAndFindsThemAgain) {
  StringTableBuilder builder;
  const StringId conv = builder.intern("conv2d");
  EXPECT_EQ(builder.intern("conv2d"), conv);
  EXPECT_EQ(builder.intern(""), 0U);
  const StringId relu = builder.intern("relu");
  const StringTable table = std::move(builder).finish();
  EXPECT_EQ(table[conv], "conv2d");
  EXPECT_EQ(table[relu], "relu");
  EXPECT_EQ(table.find("relu"), relu);
  EXPECT_EQ(table.find("gelu"), std::nullopt);
}

}  // namespace
}  // namespace dlview::profile
