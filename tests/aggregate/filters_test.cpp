// What filters mean, on runs that are worked out by hand (spec.md 13, 22 to 26).

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "aggregate/aggregator.h"
#include "aggregate/findings.h"
#include "support/sketch.h"

namespace dlview::aggregate {
namespace {

using profile::Row;
using testing::Sketch;

Filter only(std::string_view kind, std::string_view value) {
  return *parse_filter(kind, value);
}

Aggregation aggregate_all(const std::shared_ptr<const profile::Profile>& profile,
                          const std::vector<Filter>& filters) {
  return make_cpu_aggregator(profile)->aggregate({{}, {0, 0}, filters});
}

std::vector<std::string> op_names(const profile::Profile& profile, const Aggregation& aggregation) {
  std::vector<std::string> names;
  for (const OpAggregate& op : aggregation.ops) {
    names.emplace_back(profile.text(profile.ops.name[op.op]));
  }
  return names;
}

using Names = std::vector<std::string>;

// One op with a Tensor Core kernel, another kernel on another GPU, and a copy:
//
//   GPU 0   tc 10..20    copy 30..34
//   GPU 1   plain 12..32
//
// API time: 2 + 2 + 3 ns of its 50.
class OneOfEach : public ::testing::Test {
 protected:
  OneOfEach() {
    Sketch sketch(2);
    const Row i = sketch.instance(sketch.op("net/conv", "conv2d", true), 0, 50);
    sketch.kernel(i, 10, 20, 0, "tc", true);
    sketch.kernel(i, 12, 32, 1, "plain");
    sketch.copy(i, 30, 34, 0);
    sketch.instance(sketch.op("net/host", "print"), 60, 90);
    profile_ = sketch.finish();
  }
  Aggregation with(const std::vector<Filter>& filters) const {
    return aggregate_all(profile_, filters);
  }
  std::shared_ptr<const profile::Profile> profile_;
};

TEST_F(OneOfEach, AFilterOnGpusMakesTheUtilizationThatOfTheKeptOnes) {
  EXPECT_DOUBLE_EQ(with({}).gpu_utilization(), 100.0 * (10 + 20) / (2 * 90));
  const Aggregation second = with({only("device", "1")});
  EXPECT_FALSE(second.devices[0].is_kept);
  EXPECT_TRUE(second.devices[1].is_kept);
  EXPECT_DOUBLE_EQ(second.gpu_utilization(), 100.0 * 20 / 90);
  const Aggregation both = with({only("device", "0"), only("device", "1")});
  EXPECT_DOUBLE_EQ(both.gpu_utilization(), 100.0 * (10 + 20) / (2 * 90));
  const Aggregation plain = with({only("kernel", "plain")});
  EXPECT_DOUBLE_EQ(plain.gpu_utilization(), 100.0 * 20 / (2 * 90)) << "names no GPU";
}

TEST_F(OneOfEach, AFilterOnGpusMakesTheBreakdownThatOfTheKeptOnes) {
  const Aggregation second = with({only("device", "1")});
  EXPECT_EQ(second.iteration_table->device_count, 1);
  EXPECT_EQ(second.breakdown.total(), 90);
  EXPECT_EQ(second.breakdown[Category::other_kernels], 20);
  EXPECT_EQ(second.breakdown[Category::cpu], 60);  // 80 ns in ops, 20 of them beside the kernel
  EXPECT_DOUBLE_EQ(second.share(Category::other_kernels), second.gpu_utilization());
  EXPECT_EQ(second.iteration_table->facts[0].per_device[Category::other_kernels], 20);
  EXPECT_EQ(second.devices[0].breakdown.total(), 90) << "of the other one all is still told";
  EXPECT_EQ(with({only("device", "7")}).breakdown.total(), 0) << "no such GPU";
}

TEST_F(OneOfEach, EventFiltersRecomputeGpuTimesAndLeaveTheHostWhole) {
  const Aggregation all = with({});
  ASSERT_EQ(all.ops.size(), 2u);
  EXPECT_EQ(all.ops[0].times.gpu.sum, 14 + 20);
  EXPECT_EQ(all.ops[0].times.idle.sum, 10);

  const Aggregation device = with({only("device", "1")});
  ASSERT_EQ(op_names(*profile_, device), Names{"net/conv"});
  EXPECT_EQ(device.ops[0].times.gpu.sum, 20);
  EXPECT_EQ(device.ops[0].times.idle.sum, 0);
  EXPECT_EQ(device.ops[0].times.cpu.sum, 50);
  EXPECT_EQ(device.ops[0].times.api.sum, 7);
  EXPECT_EQ(device.ops[0].times.overhead.sum, 43);
  EXPECT_FALSE(device.ops[0].uses_tensor_cores());
}

TEST_F(OneOfEach, AMemoryOperationIsNoKernel) {
  for (const char* value : {"0", "1"}) {
    const Aggregation a = with({only("tensor_core", value)});
    EXPECT_EQ(a.kernel_launches, 1) << value;
    EXPECT_EQ(a.memory_op_count, 0) << value;
  }
  EXPECT_EQ(with({only("kernel", "plain")}).memory_op_count, 0);
  EXPECT_EQ(with({only("kernel", "cudaMemcpyAsync")}).ops.size(), 0u);
  EXPECT_EQ(with({only("device", "0")}).memory_op_count, 1);
  EXPECT_EQ(with({only("op_type", "conv2d")}).memory_op_count, 1);
}

TEST_F(OneOfEach, FiltersOfOneKindAreAlternativesAndKindsCombine) {
  EXPECT_EQ(with({only("kernel", "plain"), only("kernel", "tc")}).kernel_launches, 2);
  EXPECT_EQ(with({only("kernel", "plain"), only("device", "0")}).kernel_launches, 0);
  EXPECT_EQ(with({only("eligible", "0"), only("op", "net/conv")}).ops.size(), 0u);
}

// GPU 0 has 4 ns of memory that no kernel of its own covers; nothing of what is left out leaks into
// the host's categories.
TEST_F(OneOfEach, TheBreakdownKeepsTheHostAndGivesTheRestToOther) {
  const Aggregation all = with({});
  const Aggregation some = with({only("tensor_core", "1")});
  EXPECT_EQ(some.breakdown[Category::tensor_core_kernels], 10);
  EXPECT_EQ(some.breakdown[Category::other_kernels], 0);
  EXPECT_EQ(some.breakdown[Category::memory], 0);
  EXPECT_EQ(some.breakdown[Category::cpu], all.breakdown[Category::cpu]);
  EXPECT_EQ(some.breakdown[Category::other], all.breakdown[Category::other] + 20 + 4);
  EXPECT_EQ(some.range_ns, all.range_ns);
  for (const Category category : kCategories) {
    if (obeys_filters(category) || category == Category::other) continue;
    EXPECT_EQ(some.breakdown[category], all.breakdown[category]);
  }
}

TEST_F(OneOfEach, TheAnswerCarriesWhatThereIsWithoutFilters) {
  const Aggregation a = with({only("device", "1"), only("device", "1")});
  EXPECT_EQ(a.selection.filters.size(), 1u);
  ASSERT_NE(a.unfiltered, nullptr);
  EXPECT_EQ(*a.unfiltered, with({}));
  EXPECT_EQ(&a.whole(), a.unfiltered.get());
  EXPECT_EQ(with({}).unfiltered, nullptr);
}

// The kernel without Tensor Cores alone looks like an eligible op that misses them.
TEST_F(OneOfEach, AdviceAndFindingsAreThoseOfTheWholeRange) {
  const Aggregation all = with({});
  const Aggregation some = with({only("tensor_core", "0")});
  EXPECT_EQ(some.advice, all.advice);
  EXPECT_EQ(find_findings(*profile_, some), find_findings(*profile_, all));
  EXPECT_NE(ops_without_tensor_cores(*profile_, some, nullptr).size(),
            ops_without_tensor_cores(*profile_, all, nullptr).size());
}

TEST(OpFilters, GroupsHoldAllOpsBelowThem) {
  Sketch sketch;
  for (const char* name : {"a/b/x", "a/b/c/y", "a/bx", "a/b/"}) {
    sketch.instance(sketch.op(name), 0, 10);
  }
  const auto profile = sketch.finish();
  EXPECT_EQ(op_names(*profile, aggregate_all(profile, {only("group", "a/b/")})),
            (Names{"a/b/x", "a/b/c/y"}));
  EXPECT_EQ(op_names(*profile, aggregate_all(profile, {only("group", "a/")})),
            (Names{"a/b/x", "a/b/c/y", "a/bx", "a/b/"}));
}

TEST(OpFilters, TakeAnOpByItsIdOrByItsName) {
  Sketch sketch;
  sketch.instance(sketch.op("x"), 0, 10);
  sketch.instance(sketch.op("y"), 0, 10);
  sketch.instance(sketch.op("y"), 0, 10);
  const auto profile = sketch.finish();
  EXPECT_EQ(aggregate_all(profile, {only("op", "OP_2")}).ops.size(), 1u);
  EXPECT_EQ(aggregate_all(profile, {only("op", "y")}).ops.size(), 2u);
}

// kernels 0..10, 20..30 and 40..50 of one instance whose CPU part is 0..5
class TimeWindows : public ::testing::Test {
 protected:
  TimeWindows() {
    Sketch sketch;
    const Row i = sketch.instance(sketch.op("op"), 0, 5);
    for (const int64_t start : {0, 20, 40}) sketch.kernel(i, start, start + 10);
    sketch.instance(sketch.op("host"), 12, 60);
    profile_ = sketch.finish();
  }
  Aggregation inside(const std::vector<std::string>& windows) const {
    std::vector<Filter> filters;
    for (const std::string& window : windows) filters.push_back(only("time", window));
    return aggregate_all(profile_, filters);
  }
  std::shared_ptr<const profile::Profile> profile_;
};

TEST_F(TimeWindows, ClipUnionsAndCountByStart) {
  const Aggregation a = inside({"5:25"});
  ASSERT_EQ(op_names(*profile_, a), (Names{"op", "host"}));
  EXPECT_EQ(a.ops[0].times.gpu.sum, 5 + 5);
  EXPECT_EQ(a.ops[0].times.idle.sum, 10);
  EXPECT_EQ(a.ops[0].times.cpu.sum, 5);
  EXPECT_EQ(a.kernel_launches, 1);
  EXPECT_EQ(a.all_kernels.gpu_ns, 10);
  EXPECT_EQ(a.devices[0].kernel_union_ns, 10);
}

TEST_F(TimeWindows, HoldBothEnds) {
  EXPECT_EQ(inside({"20:40"}).kernel_launches, 2);
  EXPECT_EQ(inside({"21:39"}).kernel_launches, 0);
  EXPECT_EQ(inside({"20:20"}).kernel_launches, 1);
  EXPECT_EQ(inside({"20:20"}).devices[0].kernel_union_ns, 0);
}

TEST_F(TimeWindows, KeepAnInstanceByItsCpuStartOrByAnEvent) {
  EXPECT_EQ(op_names(*profile_, inside({"13:35"})), Names{"op"});
  EXPECT_EQ(op_names(*profile_, inside({"12:12"})), Names{"host"});
  EXPECT_EQ(op_names(*profile_, inside({"51:99"})), Names{});
  EXPECT_EQ(op_names(*profile_, inside({"10:11"})), Names{}) << "it ended where the window begins";
  const auto with_events = aggregate_all(profile_, {only("time", "12:60"), only("device", "0")});
  EXPECT_EQ(op_names(*profile_, with_events), Names{"op"});
}

TEST_F(TimeWindows, ThatOverlapAreOneAndIdleTimeBetweenOthersIsNone) {
  EXPECT_EQ(inside({"5:15", "10:25"}).ops[0].times, inside({"5:25"}).ops[0].times);
  EXPECT_EQ(inside({"5:15", "15:25"}).ops[0].times, inside({"5:25"}).ops[0].times);
  const Aggregation apart = inside({"5:25", "40:50"});
  EXPECT_EQ(apart.ops[0].times.gpu.sum, 20);
  EXPECT_EQ(apart.ops[0].times.idle.sum, 10);
}

TEST(Filters, AreEqualWhenTheyKeepTheSame) {
  const Filter a = only("op_type", "conv2d"), b = only("op_type", "relu"), c = only("device", "2");
  EXPECT_EQ(canonical({c, b, a, b}), canonical({a, b, c}));
  EXPECT_EQ(canonical({c, b, a, b}).size(), 3u);
}

TEST(Filters, ComeBackFromTheirText) {
  for (const auto& [kind, value] :
       {std::pair{"op", "net/conv=1:2"}, std::pair{"op_type", ""}, std::pair{"group", "/a/"},
        std::pair{"direction", "bprop"}, std::pair{"eligible", "1"}, std::pair{"kernel", "sgemm"},
        std::pair{"device", "7"}, std::pair{"tensor_core", "0"}, std::pair{"time", "10:2000"}}) {
    const auto filter = parse_filter(kind, value);
    ASSERT_TRUE(filter.ok()) << kind;
    EXPECT_EQ(to_text(filter->kind), kind);
    EXPECT_EQ(value_text(*filter), value);
    EXPECT_EQ(to_text(*filter), std::string(kind) + "=" + value);
  }
}

TEST(Filters, SayWhichKindsAndValuesThereAre) {
  const auto unknown = parse_filter("color", "red");
  ASSERT_FALSE(unknown.ok());
  EXPECT_NE(unknown.error().advice.find("op_type"), std::string::npos);
  for (const auto& [kind, value] :
       {std::pair{"eligible", "yes"}, std::pair{"tensor_core", ""}, std::pair{"device", "-1"},
        std::pair{"device", "gpu0"}, std::pair{"time", "5"}, std::pair{"time", "9:3"},
        std::pair{"time", "1:x"}, std::pair{"group", "/a"}}) {
    const auto filter = parse_filter(kind, value);
    ASSERT_FALSE(filter.ok()) << kind << "=" << value;
    EXPECT_FALSE(filter.error().advice.empty());
  }
}

TEST(ParseFilter, AcceptsOldNamesOfSelfTimes) {
  const auto filter = parse_filter("op", "/step/step (own time)");
  ASSERT_TRUE(filter.ok());
  EXPECT_EQ(filter->text, "/step/step (self time)");
  EXPECT_EQ(parse_filter("kernel", "k (own time)")->text, "k (own time)");
}

}  // namespace
}  // namespace dlview::aggregate
