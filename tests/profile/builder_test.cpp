#include "profile/builder.h"

#include <algorithm>
#include <random>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "profile/arrange.h"

namespace dlview::profile {
namespace {

Row add_op(ProfileBuilder& builder, const std::string& id) {
  OpRow op;
  op.id = builder.intern(id);
  return builder.add_op(op);
}

// Kernels that were added all at once, or one by one.
TEST(ProfileBuilder, KnowsFromWhenToWhenAnInstanceUsedTheGpu) {
  for (const bool at_once : {false, true}) {
    ProfileBuilder builder;
    builder.add_device({});
    const Row op = add_op(builder, "CONV2D_1");
    std::vector<Row> numbers;
    for (const int64_t start_ns : {100, 0, 50}) {
      numbers.push_back(builder.add_instance({.op = op, .cpu_start_ns = start_ns}));
    }
    const std::vector<KernelRow> kernels{
        {.instance = numbers[0], .gpu_start_ns = 130, .gpu_stop_ns = 140},
        {.instance = numbers[1], .gpu_start_ns = -20, .gpu_stop_ns = 30},
        {.instance = numbers[0], .gpu_start_ns = 110, .gpu_stop_ns = 120}};
    if (at_once) {
      builder.add_kernels(std::vector{numbers[0], numbers[1], numbers[0]},
                          [&kernels](std::size_t i) { return kernels[i]; });
    } else {
      for (const KernelRow& kernel : kernels) builder.add_kernel(kernel);
    }
    builder.add_memory_op({.instance = numbers[1], .gpu_start_ns = 10, .gpu_stop_ns = 60});
    const std::vector<base::Interval> expected{{110, 140}, {-20, 60}, {0, -1}};
    EXPECT_EQ(builder.gpu_spans(), expected) << at_once;
  }
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

// Against a sort of all rows.
TEST(ProfileBuilder, ArrangesManyRowsAsItArrangesSingleOnes) {
  std::mt19937 random(7);
  std::vector<OpInstanceRow> instances(20'000);
  for (std::size_t i = 0; i < instances.size(); ++i) {
    instances[i].cpu_start_ns = random() % 5000;
    instances[i].source_id = random() % 3;
    instances[i].thread = static_cast<Row>(i);  // tells which it is
  }
  std::vector<KernelRow> kernels(100'000);
  std::vector<Row> instance_of;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    kernels[i].instance = random() % instances.size();
    kernels[i].gpu_start_ns = random() % 4;
    kernels[i].source_id = static_cast<int64_t>(kernels.size() - i);
    instance_of.push_back(kernels[i].instance);
  }
  ProfileBuilder one_by_one, at_once;
  for (const OpInstanceRow& row : instances) one_by_one.add_instance(row);
  for (const KernelRow& row : kernels) one_by_one.add_kernel(row);
  at_once.add_instances(instances.size(), [&](std::size_t i) { return instances[i]; });
  at_once.add_kernels(instance_of, [&](std::size_t i) { return kernels[i]; });

  std::ranges::stable_sort(instances, {}, [](const OpInstanceRow& row) {
    return std::pair(row.cpu_start_ns, row.source_id);
  });
  std::vector<Row> place(instances.size());
  for (Row i = 0; i < instances.size(); ++i) place[instances[i].thread] = i;
  for (KernelRow& row : kernels) row.instance = place[row.instance];
  std::ranges::sort(kernels, {}, [](const KernelRow& row) {
    return std::tuple(row.instance, row.gpu_start_ns, row.source_id);
  });
  for (ProfileBuilder* builder : {&one_by_one, &at_once}) {
    const Profile profile = std::move(*builder).finish();
    ASSERT_EQ(profile.instances.size(), instances.size());
    ASSERT_EQ(profile.kernels.size(), kernels.size());
    for (std::size_t i = 0; i < instances.size(); ++i) {
      ASSERT_EQ(profile.instances.thread[i], instances[i].thread);
    }
    for (Row k = 0; k < kernels.size(); ++k) {
      ASSERT_EQ(profile.kernels.source_id[k], kernels[k].source_id);
      ASSERT_EQ(profile.kernels.instance[k], kernels[k].instance);
      ASSERT_LE(profile.instances.first_kernel[kernels[k].instance], k);
      ASSERT_GT(profile.instances.first_kernel[kernels[k].instance + 1], k);
    }
  }
}

// In short runs time and row fit in one number, in long ones they do not.
TEST(Arrange, OrdersRowsByTimeThenSourceIdThenRow) {
  for (const int64_t length_ns : {int64_t{1}, int64_t{1'000}, int64_t{1} << 40, int64_t{1} << 60}) {
    for (const std::size_t count : {0, 1, 2, 1'000, 200'000}) {
      std::mt19937_64 random(count);
      std::vector<EventPlace> places;
      for (Row row = 0; row < count; ++row) {
        const auto time_ns = static_cast<int64_t>(random() % static_cast<uint64_t>(length_ns));
        places.push_back({time_ns - length_ns / 3, static_cast<int64_t>(random() % 50), row});
      }
      const auto order = order_by_place(count, [&places](Row row) { return places[row]; });
      std::ranges::sort(places);
      ASSERT_EQ(order.size(), count);
      EXPECT_TRUE(std::ranges::equal(order, places, {}, {}, &EventPlace::event))
          << count << " rows in " << length_ns << " ns";
    }
  }
}

TEST(Arrange, GroupsManyEventsByInstance) {
  constexpr Row kInstances = 3'000;
  std::mt19937_64 random(1);
  std::vector<Row> instance_of;
  std::vector<EventPlace> places;
  std::vector<std::vector<EventPlace>> expected(kInstances);
  for (Row event = 0; event < 200'000; ++event) {
    // One instance has many, some have none.
    instance_of.push_back(event % 5 == 0 ? Row{7} : static_cast<Row>(random() % 2'000));
    places.push_back(
        {static_cast<int64_t>(random() % 100), static_cast<int64_t>(random() % 10), event});
    expected[instance_of.back()].push_back(places.back());
  }
  Column<Row> first;
  const auto order = group_by_instance(
      kInstances, instance_of.size(), [&](std::size_t event) { return instance_of[event]; },
      [&](Row event) { return places[event]; }, first);
  ASSERT_EQ(first.size(), kInstances + 1);
  for (Row instance = 0; instance < kInstances; ++instance) {
    std::ranges::sort(expected[instance]);
    const auto events =
        std::span(order).subspan(first[instance], first[instance + 1] - first[instance]);
    ASSERT_TRUE(std::ranges::equal(events, expected[instance], {}, {}, &EventPlace::event))
        << instance;
  }
}

// Every field has a value of its own, so that none stands in the column of another.
TEST(ProfileBuilder, PutsEachFieldIntoItsOwnColumn) {
  ProfileBuilder builder;
  std::vector<StringId> text{0};
  for (int i = 1; i < 20; ++i) text.push_back(builder.intern("text " + std::to_string(i)));
  Device first, second;
  second.device_id = 1;
  builder.add_device(first);
  builder.add_device(second);
  const Row thread = builder.intern_thread({7, 8}), other_thread = builder.intern_thread({7, 9});
  builder.add_op({text[1], text[2], text[3], text[4], text[5], text[6], text[7], text[8], text[9],
                  TensorCoreSupport::eligible, 31});
  const Row instance = builder.add_instance({.op = 0,
                                             .cpu_start_ns = 101,
                                             .cpu_stop_ns = 102,
                                             .thread = other_thread,
                                             .input_names = text[1],
                                             .input_shapes = text[2],
                                             .output_names = text[3],
                                             .output_shapes = text[4],
                                             .parameters = text[5],
                                             .source_id = 32});
  const Row launch = builder.intern_launch({{1, 2, 3}, {4, 5, 6}, 1, thread});
  builder.add_kernel({instance, text[10], text[11], true, 201, 202, 203, 204, launch, 33});
  builder.add_memory_op({instance, MemoryOpKind::memset, text[12], CopyKind::device_to_host, 300,
                         301, 302, 303, 304, 1, other_thread, 34});
  builder.add_sync({instance, text[13], 401, 402, 3, 403, 404, other_thread, 35});
  builder.add_api_call({instance, text[14], 501, 502, other_thread, 36});
  builder.add_user_range({text[15], text[16], 601, 602, 603, other_thread});
  const Profile p = std::move(builder).finish();

  const Ops& ops = p.ops;
  EXPECT_EQ((std::vector{ops.id[0], ops.name[0], ops.type[0], ops.direction[0], ops.data_type[0],
                         ops.data_format[0], ops.output_format[0], ops.parameters_format[0],
                         ops.stack_trace[0]}),
            std::vector(text.begin() + 1, text.begin() + 10));
  EXPECT_EQ(ops.tensor_core_support[0], TensorCoreSupport::eligible);
  EXPECT_EQ(ops.source_id[0], 31);
  const OpInstances& i = p.instances;
  EXPECT_EQ((std::vector{i.input_names[0], i.input_shapes[0], i.output_names[0], i.output_shapes[0],
                         i.parameters[0]}),
            std::vector(text.begin() + 1, text.begin() + 6));
  EXPECT_EQ((std::vector{i.cpu_start_ns[0], i.cpu_stop_ns[0], i.source_id[0]}),
            (std::vector<int64_t>{101, 102, 32}));
  EXPECT_EQ(i.thread[0], other_thread);
  const Kernels& k = p.kernels;
  EXPECT_EQ((std::vector{k.name[0], k.long_name[0]}), (std::vector{text[10], text[11]}));
  EXPECT_EQ(k.uses_tensor_cores[0], 1);
  EXPECT_EQ((std::vector{k.api_start_ns[0], k.api_stop_ns[0], k.gpu_start_ns[0], k.gpu_stop_ns[0],
                         k.source_id[0]}),
            (std::vector<int64_t>{201, 202, 203, 204, 33}));
  EXPECT_EQ(p.launches.grid[0], (Dim3{1, 2, 3}));
  EXPECT_EQ(p.launches.block[0], (Dim3{4, 5, 6}));
  EXPECT_EQ(p.device_of_kernel(KernelIndex{0}), 1U);
  EXPECT_EQ(p.launches.thread[0], thread);
  const MemoryOps& m = p.memory_ops;
  EXPECT_EQ(m.kind[0], MemoryOpKind::memset);
  EXPECT_EQ(m.name[0], text[12]);
  EXPECT_EQ(m.copy_kind[0], CopyKind::device_to_host);
  EXPECT_EQ((std::vector{m.bytes[0], m.api_start_ns[0], m.api_stop_ns[0], m.gpu_start_ns[0],
                         m.gpu_stop_ns[0], m.source_id[0]}),
            (std::vector<int64_t>{300, 301, 302, 303, 304, 34}));
  EXPECT_EQ(m.device[0], 1U);
  EXPECT_EQ(m.thread[0], other_thread);
  const Syncs& s = p.syncs;
  EXPECT_EQ(s.name[0], text[13]);
  EXPECT_EQ((std::vector{s.api_start_ns[0], s.api_stop_ns[0], int64_t{s.sync_type[0]},
                         s.event_id[0], s.device_id[0], s.source_id[0]}),
            (std::vector<int64_t>{401, 402, 3, 403, 404, 35}));
  EXPECT_EQ(s.thread[0], other_thread);
  const ApiCalls& calls = p.api_calls;
  EXPECT_EQ(calls.name[0], text[14]);
  EXPECT_EQ((std::vector{calls.api_start_ns[0], calls.api_stop_ns[0], calls.source_id[0]}),
            (std::vector<int64_t>{501, 502, 36}));
  EXPECT_EQ(calls.thread[0], other_thread);
  const UserRanges& ranges = p.user_ranges;
  EXPECT_EQ((std::vector{ranges.name[0], ranges.path[0]}), (std::vector{text[15], text[16]}));
  EXPECT_EQ((std::vector{ranges.start_ns[0], ranges.stop_ns[0], ranges.number[0]}),
            (std::vector<int64_t>{601, 602, 603}));
  EXPECT_EQ(ranges.thread[0], other_thread);
}

TEST(ProfileBuilder, KeepsEqualLaunchesAndThreadsOnce) {
  ProfileBuilder builder;
  const LaunchRow launch{{8, 1, 1}, {128, 1, 1}, 0, 0};
  EXPECT_EQ(builder.intern_launch(launch), builder.intern_launch(launch));
  EXPECT_NE(builder.intern_launch(launch), builder.intern_launch({{8, 1, 1}, {64, 1, 1}, 0, 0}));
  EXPECT_EQ(builder.intern_thread({1, 2}), builder.intern_thread({1, 2}));
  EXPECT_NE(builder.intern_thread({1, 2}), builder.intern_thread({2, 1}));
}

TEST(ProfileBuilder, MakesAnEmptyProfileWithReadableOffsets) {
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
