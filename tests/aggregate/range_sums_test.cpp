#include "aggregate/range_sums.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "aggregate/aggregator.h"
#include "aggregate/instance_times.h"
#include "aggregate/kernels_by_name.h"
#include "profile/launch_sizes.h"
#include "support/random_profile.h"
#include "support/sketch.h"

namespace dlview::aggregate {
namespace {

using profile::InstanceIndex;
using profile::KernelIndex;
using profile::OpIndex;
using profile::Profile;

CountedRows all_rows(const Profile& profile) {
  return {InstanceIndex{0}, InstanceIndex(static_cast<profile::Row>(profile.instances.size())), {}};
}

// Its launch sizes and input shapes vary with the rows.
Profile varied_profile(uint64_t seed) {
  return testing::random_profile({.seed = seed, .instances = 900, .kernels = 3000});
}

std::string size_text(const std::optional<LaunchConfiguration::Size>& size) {
  if (!size) return "none";
  return fmt::format("{} {} {} {} {} {}", size->grid.x, size->grid.y, size->grid.z, size->block.x,
                     size->block.y, size->block.z);
}

// The obvious way: every row of the run, one after another.
std::map<std::pair<profile::StringId, std::string>, std::pair<Stats, bool>> launches_slowly(
    const Profile& profile, const CountedRows& rows) {
  std::map<std::pair<profile::StringId, std::string>, std::pair<Stats, bool>> sums;
  const profile::Kernels& kernels = profile.kernels;
  for (KernelIndex k{0}; k < kernels.size(); ++k) {
    const InstanceIndex instance = kernels.instance[k];
    if (instance < rows.first || instance >= rows.last) continue;
    if (!rows.has_op(profile.instances.op[instance])) continue;
    if (rows.filter != nullptr && !rows.filter->counts_kernel(k)) continue;
    std::optional<LaunchConfiguration::Size> size;
    if (profile::has_launch_size(profile, k)) {
      size = {profile.launches.grid[kernels.launch[k]], profile.launches.block[kernels.launch[k]]};
    }
    auto& [stats, uses] = sums[{kernels.name[k], size_text(size)}];
    stats.add(kernels.gpu_stop_ns[k] - kernels.gpu_start_ns[k]);
    uses = uses || kernels.uses_tensor_cores[k] != 0;
  }
  return sums;
}

void expect_launches(const Profile& profile, const CountedRows& rows) {
  const auto expected = launches_slowly(profile, rows);
  const auto found = launch_configurations(profile, rows);
  EXPECT_EQ(found.size(), expected.size());
  for (const LaunchConfiguration& row : found) {
    const auto same = expected.find({row.name, size_text(row.size)});
    ASSERT_NE(same, expected.end()) << profile.text(row.name) << size_text(row.size);
    EXPECT_EQ(row.gpu, same->second.first);
    EXPECT_EQ(row.uses_tensor_cores, same->second.second);
  }
}

void expect_shapes(const Profile& profile, const CountedRows& rows) {
  struct Sums {
    TimeStats times;
    int64_t kernels = 0, tensor_core_kernels = 0;
  };
  std::map<std::pair<OpIndex, profile::StringId>, Sums> expected;
  InstanceTimer timer(profile);
  for (InstanceIndex i = rows.first; i < rows.last; ++i) {
    const OpIndex op = profile.instances.op[i];
    if (!rows.has_op(op) || (rows.filter != nullptr && !rows.filter->counts_instance(i))) continue;
    auto& [times, kernels, tensor_core_kernels] = expected[{op, profile.instances.input_shapes[i]}];
    times.add(rows.filter == nullptr ? timer.times_of(i) : timer.times_of(i, *rows.filter));
    for (KernelIndex k{0}; k < profile.kernels.size(); ++k) {
      if (profile.kernels.instance[k] != i) continue;
      if (rows.filter != nullptr && !rows.filter->counts_kernel(k)) continue;
      ++kernels;
      if (profile.kernels.uses_tensor_cores[k] != 0) ++tensor_core_kernels;
    }
  }
  const auto found = ops_by_shapes(profile, rows);
  EXPECT_EQ(found.size(), expected.size());
  for (const OpShapes& row : found) {
    const auto same = expected.find({row.op, row.input_shapes});
    ASSERT_NE(same, expected.end());
    EXPECT_EQ(row.times, same->second.times);
    EXPECT_EQ(row.kernel_count, same->second.kernels);
    EXPECT_EQ(row.tensor_core_kernels, same->second.tensor_core_kernels);
  }
}

TEST(RangeSums, EqualTheObviousSums) {
  for (const uint64_t seed : {1, 2, 3}) {
    SCOPED_TRACE(seed);
    const Profile profile = varied_profile(seed);
    const RowFilter filter(profile, {*parse_filter("tensor_core", "1")});
    CountedRows rows = all_rows(profile);
    expect_launches(profile, rows);
    expect_shapes(profile, rows);
    rows.first = InstanceIndex{100};
    rows.last = InstanceIndex{700};
    rows.filter = &filter;
    expect_launches(profile, rows);
    expect_shapes(profile, rows);
    rows.ops.assign(profile.ops.size(), false);
    rows.ops[profile.instances.op[InstanceIndex{300}]] = true;
    expect_launches(profile, rows);
    expect_shapes(profile, rows);
  }
}

// Rows are summed in blocks of 65,536.
TEST(RangeSums, JoinBlocksOfRows) {
  testing::Sketch sketch;
  const auto instance = sketch.instance(sketch.op("conv"), 0, 1'000'000);
  for (int64_t i = 0; i < 150'000; ++i) {
    sketch.kernel(instance, i, i + (i % 3) + 1, 0, i % 2 == 0 ? "a" : "b", i == 149'999);
  }
  const Profile profile = *sketch.finish();
  const auto launches = launch_configurations(profile, all_rows(profile));
  ASSERT_EQ(launches.size(), 2u);
  EXPECT_EQ(profile.text(launches[0].name), "a");
  EXPECT_EQ(launches[0].gpu.count, 75'000);
  EXPECT_FALSE(launches[0].uses_tensor_cores);
  EXPECT_TRUE(launches[1].uses_tensor_cores);
}

TEST(RangeSums, JoinShapesThatReadTheSame) {
  testing::Sketch sketch;
  const auto conv = sketch.op("conv"), relu = sketch.op("relu");
  for (int64_t i = 0; i < 6; ++i) sketch.instance(conv, 10 * i, 10 * i + 5);
  sketch.instance(relu, 60, 65);
  const std::vector<std::string> shapes{"null",   "[[1, 2]]\n", "",        "[[1, 2]]",
                                        "null\n", "[[3]]",      "[[1, 2]]"};
  for (const std::string& text : shapes) sketch.op("op of", text);  // so that the text is there
  Profile profile = *sketch.finish();
  std::vector<profile::StringId> ids;
  for (const std::string& text : shapes) ids.push_back(profile.strings.find(text).value());
  profile.instances.input_shapes = ids;
  const auto found = ops_by_shapes(profile, all_rows(profile));
  ASSERT_EQ(found.size(), 4U);
  const std::vector<std::string_view> texts{"", "[[1, 2]]", "[[3]]", "[[1, 2]]"};
  const std::vector<int64_t> counts{3, 2, 1, 1};
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(shapes_text(profile, found[i].input_shapes), texts[i]) << i;
    EXPECT_EQ(found[i].times.count(), counts[i]) << i;
  }
}

TEST(RangeSums, OfAnEmptyRangeAreNone) {
  const Profile profile = varied_profile(4);
  const CountedRows none{InstanceIndex{5}, InstanceIndex{5}, {}};
  EXPECT_TRUE(launch_configurations(profile, none).empty());
  EXPECT_TRUE(ops_by_shapes(profile, none).empty());
}

TEST(KernelsByName, SumTheKernelsOfAllOps) {
  const auto profile = std::make_shared<const Profile>(varied_profile(5));
  const Aggregation aggregation = make_cpu_aggregator(profile)->aggregate({{}, {0, 1'000'000}});
  std::map<profile::StringId, Stats> expected;
  int64_t pairs = 0;
  for (const KernelAggregate& kernel : aggregation.kernels) {
    expected[kernel.name].merge(kernel.gpu);
  }
  const auto names = kernels_by_name(aggregation);
  EXPECT_EQ(names.size(), expected.size());
  for (const NamedKernels& row : names) {
    EXPECT_EQ(row.gpu, expected[row.name]);
    pairs += row.op_count;
  }
  EXPECT_EQ(pairs, std::ssize(aggregation.kernels));
}

}  // namespace
}  // namespace dlview::aggregate
