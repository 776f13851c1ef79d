#include "aggregate/reference/reference.h"

#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "aggregate/sketch_reference.h"

namespace dlview::aggregate {
namespace {

using profile::InstanceIndex;
using profile::Row;
using ::testing::ElementsAre;
using testing::Sketch;

Cut at_end(std::string key) {
  return {CutKind::end, std::move(key), 0};
}

std::vector<Iteration> iterations(Sketch& sketch, const Cut& cut) {
  return make_reference_aggregator(sketch.finish())->iteration_table(cut)->iterations.rows;
}

// tensor core kernels, other kernels, memory, data loader, I/O, CPU, other
Breakdown parts(int64_t tc, int64_t kernels, int64_t memory, int64_t loader, int64_t io,
                int64_t cpu, int64_t other) {
  return {{tc, kernels, memory, loader, io, cpu, other}};
}

// --- One op instance -----------------------------------------------------------------------------

TEST(ReferenceInstance, HasUnionOfGpuEventsAndSumOfApiCalls) {
  Sketch sketch;
  const Row run = sketch.instance(sketch.op("a"), 0, 100);
  sketch.kernel(run, 50, 60);
  sketch.kernel(run, 55, 70);  // 50..70: 20
  sketch.copy(run, 80, 90);    // 10
  sketch.sync(run, 10, 15);    // no GPU time
  sketch.call(run, 20, 27);
  const TimeStats times = aggregate(sketch).ops.at(0).times;
  EXPECT_EQ(times.cpu.sum, 100);
  EXPECT_EQ(times.gpu.sum, 30);
  EXPECT_EQ(times.api.sum, 2 + 2 + 3 + 5 + 7);
  EXPECT_EQ(times.overhead.sum, 100 - 19);
  EXPECT_EQ(times.idle.sum, (90 - 50) - 30);
}

TEST(ReferenceInstance, AddsUpUnionsAndIdleTimesOfItsDevices) {
  Sketch sketch(2);
  const Row run = sketch.instance(sketch.op("a"), 0, 100);
  sketch.kernel(run, 10, 20, 0);
  sketch.kernel(run, 40, 50, 0);  // device 0: 20 busy, 20 idle
  sketch.kernel(run, 15, 45, 1);  // device 1: 30 busy, never idle
  const TimeStats times = aggregate(sketch).ops.at(0).times;
  EXPECT_EQ(times.gpu.sum, 50);
  EXPECT_EQ(times.idle.sum, 20);
}

TEST(ReferenceInstance, WithoutEventsHasNoGpuTimeAndNoIdleTime) {
  Sketch sketch;
  sketch.instance(sketch.op("a"), 10, 30);
  const TimeStats times = aggregate(sketch).ops.at(0).times;
  EXPECT_EQ(times.gpu, (Stats{1, 0, 0, 0}));
  EXPECT_EQ(times.idle, (Stats{1, 0, 0, 0}));
  EXPECT_EQ(times.overhead.sum, 20);
}

TEST(ReferenceInstance, CountsAnEmptyEventInItsIdleTimeOnly) {
  Sketch sketch;
  const Row run = sketch.instance(sketch.op("a"), 0, 100);
  sketch.kernel(run, 10, 20);
  sketch.kernel(run, 50, 50);
  const TimeStats times = aggregate(sketch).ops.at(0).times;
  EXPECT_EQ(times.gpu.sum, 10);
  EXPECT_EQ(times.idle.sum, 30);
}

// --- Iterations ----------------------------------------------------------------------------------

Iteration iteration(int64_t start_ns, int64_t stop_ns, Row first, Row last) {
  return {start_ns, stop_ns, InstanceIndex(first), InstanceIndex(last)};
}

TEST(ReferenceCut, AtStartsEndsOneNanosecondBeforeTheNextMarker) {
  Sketch sketch;
  const Row key = sketch.op("key");
  sketch.instance(key, 100, 110);
  sketch.instance(key, 300, 310);
  sketch.instance(sketch.op("a"), 320, 500);
  EXPECT_THAT(
      iterations(sketch, at_start("key")),
      ElementsAre(iteration(0, 99, 0, 0), iteration(100, 299, 0, 1), iteration(300, 500, 1, 3)));
}

TEST(ReferenceCut, AtEndsEndsAnIterationWithItsKey) {
  Sketch sketch;
  const Row key = sketch.op("key");
  sketch.instance(key, 100, 110);
  sketch.instance(key, 300, 310);
  sketch.instance(sketch.op("a"), 320, 500);
  EXPECT_THAT(
      iterations(sketch, at_end("key")),
      ElementsAre(iteration(0, 110, 0, 1), iteration(111, 310, 1, 2), iteration(311, 500, 2, 3)));
}

TEST(ReferenceCut, LeavesOutAnEmptyFirstIteration) {
  Sketch sketch;
  const Row key = sketch.op("key");
  sketch.instance(key, 0, 10);
  sketch.instance(key, 50, 60);
  EXPECT_THAT(iterations(sketch, at_start("key")),
              ElementsAre(iteration(0, 49, 0, 1), iteration(50, 60, 1, 2)));
}

TEST(ReferenceCut, LeavesOutAnEmptyLastIteration) {
  Sketch sketch;
  const Row key = sketch.op("key");
  sketch.instance(key, 0, 10);
  sketch.instance(key, 50, 60);
  EXPECT_THAT(iterations(sketch, at_end("key")),
              ElementsAre(iteration(0, 10, 0, 1), iteration(11, 60, 1, 2)));
}

TEST(ReferenceCut, CountsEqualBoundariesOnce) {
  Sketch sketch;
  const Row key = sketch.op("key");
  sketch.instance(key, 20, 30);
  sketch.instance(key, 20, 40);
  sketch.instance(key, 35, 40);
  EXPECT_THAT(
      iterations(sketch, at_start("key")),
      ElementsAre(iteration(0, 19, 0, 0), iteration(20, 34, 0, 2), iteration(35, 40, 2, 3)));
}

TEST(ReferenceCut, EndsWithTheLastGpuEvent) {
  Sketch sketch;
  const Row run = sketch.instance(sketch.op("a"), 5, 10);
  sketch.kernel(run, 20, 70);
  EXPECT_THAT(iterations(sketch, at_start("no such op")), ElementsAre(iteration(0, 70, 0, 1)));
}

TEST(ReferenceCut, TakesTheKeyByNameOrById) {
  Sketch sketch;
  sketch.instance(sketch.op("x"), 5, 10);
  sketch.instance(sketch.op("y"), 15, 20);
  const auto reference = make_reference_aggregator(sketch.finish());
  EXPECT_EQ(reference->iteration_table(at_start("OP_2"))->iterations,
            reference->iteration_table(at_start("y"))->iterations);
  EXPECT_EQ(reference->iteration_table(at_start("y"))->iterations.rows.size(), 2u);
}

TEST(ReferenceCut, OfSeveralProcessesTakesTheThreadWithMostKeys) {
  Sketch sketch;
  const Row key = sketch.op("key");
  sketch.instance(key, 10, 11, {7, 1});
  sketch.instance(key, 20, 21, {8, 2});
  sketch.instance(key, 30, 31, {8, 2});
  sketch.instance(key, 40, 41, {8, 3});
  EXPECT_THAT(
      iterations(sketch, at_start("key")),
      ElementsAre(iteration(0, 19, 0, 1), iteration(20, 29, 1, 2), iteration(30, 41, 2, 4)));
}

TEST(ReferenceCut, OfEquallyBusyThreadsTakesTheLowestProcess) {
  Sketch sketch;
  const Row key = sketch.op("key");
  sketch.instance(key, 10, 11, {8, 1});
  sketch.instance(key, 20, 21, {7, 9});
  EXPECT_THAT(iterations(sketch, at_start("key")),
              ElementsAre(iteration(0, 19, 0, 1), iteration(20, 21, 1, 2)));
}

TEST(ReferenceCut, OfOneProcessTakesTheKeysOfAllThreads) {
  Sketch sketch;
  const Row key = sketch.op("key");
  sketch.instance(key, 10, 11, {7, 1});
  sketch.instance(key, 20, 21, {7, 2});
  EXPECT_EQ(iterations(sketch, at_start("key")).size(), 3u);
}

TEST(ReferenceCut, TakesAStoredListAsItIs) {
  Sketch sketch;
  sketch.instance(sketch.op("a"), 10, 90);
  profile::StoredAggregation stored;
  stored.iterations = {{0, 5, 9}, {1, 10, 70}};
  sketch.stored(stored);
  EXPECT_THAT(iterations(sketch, {CutKind::stored, "", 0}),
              ElementsAre(iteration(5, 9, 0, 0), iteration(10, 70, 0, 1)));
}

// --- Breakdown -----------------------------------------------------------------------------------

TEST(ReferenceBreakdown, GivesEachInstantToTheForemostCategory) {
  Sketch sketch;
  const Row run = sketch.instance(sketch.op("a"), 0, 100);
  sketch.instance(sketch.op("next batch", "DataLoader"), 20, 60, {1, 2});
  sketch.copy(run, 30, 50);
  sketch.kernel(run, 35, 55);
  sketch.kernel(run, 40, 45, 0, "gemm", true);
  sketch.instance(sketch.op("b"), 150, 200);
  // tc 40..45, kernels 35..40 and 45..55, memory 30..35, loader 20..30 and 55..60,
  // CPU 0..20, 60..100 and 150..200, other 100..150
  const Aggregation result = aggregate(sketch);
  EXPECT_EQ(result.breakdown, parts(5, 15, 5, 15, 0, 110, 50));
  EXPECT_EQ(result.range_ns, 200);
  EXPECT_EQ(result.devices.at(0).breakdown, result.breakdown);
  EXPECT_EQ(result.devices.at(0).kernel_union_ns, 20);
}

TEST(ReferenceBreakdown, ClipsEventsAtTheBoundsOfTheIteration) {
  Sketch sketch;
  const Row key = sketch.op("key");
  const Row run = sketch.instance(key, 10, 20);
  sketch.kernel(run, 90, 120);  // runs past the next key, which begins at 100
  sketch.instance(key, 100, 110);
  const Aggregation first = aggregate(sketch, at_start("key"), {1, 1});
  EXPECT_EQ(first.range_ns, 99 - 10);
  // The ns between the stop at 99 and the start at 100 belongs to neither.
  EXPECT_EQ(first.breakdown, parts(0, 9, 0, 0, 0, 10, 70));
  EXPECT_EQ(first.iteration_table->facts.at(2).device_sum, parts(0, 20, 0, 0, 0, 0, 0));
  // The kernel itself belongs to the iteration of its instance.
  EXPECT_EQ(first.kernel_launches, 1);
  EXPECT_EQ(first.iteration_table->facts.at(1).kernels, (KernelTotals{1, 0, 30, 0}));
  EXPECT_EQ(first.iteration_table->facts.at(2).kernels, KernelTotals{});
}

TEST(ReferenceBreakdown, CreditsTheHostOnlyToDevicesThatRanAKernel) {
  Sketch sketch(3);
  const Row run = sketch.instance(sketch.op("a"), 0, 100);
  sketch.kernel(run, 10, 30, 1);
  sketch.copy(run, 10, 15, 2);
  const Aggregation result = aggregate(sketch);
  EXPECT_EQ(result.devices.at(0).breakdown, parts(0, 0, 0, 0, 0, 0, 100));
  EXPECT_EQ(result.devices.at(1).breakdown, parts(0, 20, 0, 0, 0, 80, 0));
  EXPECT_EQ(result.devices.at(2).breakdown, parts(0, 0, 5, 0, 0, 0, 95));
}

TEST(ReferenceBreakdown, CreditsHostTimeToAllDevicesWithoutKernels) {
  Sketch sketch(2);
  const Row run = sketch.instance(sketch.op("a"), 0, 100);
  sketch.copy(run, 10, 15, 1);
  const Aggregation result = aggregate(sketch);
  EXPECT_EQ(result.devices.at(0).breakdown, parts(0, 0, 0, 0, 0, 100, 0));
  EXPECT_EQ(result.devices.at(1).breakdown, parts(0, 0, 5, 0, 0, 95, 0));
}

TEST(ReferenceBreakdown, RoundsMeansDownAndAddsTheRestToOther) {
  Sketch sketch(3);
  const Row run = sketch.instance(sketch.op("a"), 0, 10);
  sketch.kernel(run, 0, 5, 0);
  sketch.kernel(run, 0, 3, 1);
  // kernels 5 + 3 + 0 = 8 -> 2; CPU 5 + 7 + 0 = 12 -> 4; other 10 - 6 = 4, not 10 / 3 = 3
  const Aggregation result = aggregate(sketch);
  const IterationFacts& facts = result.iteration_table->facts.at(0);
  EXPECT_EQ(facts.device_sum, parts(0, 8, 0, 0, 0, 12, 10));
  EXPECT_EQ(facts.per_device, parts(0, 2, 0, 0, 0, 4, 4));
}

TEST(ReferenceBreakdown, WithoutDevicesIsAllOther) {
  Sketch sketch(0);
  sketch.instance(sketch.op("a"), 0, 10);
  const Aggregation result = aggregate(sketch);
  EXPECT_EQ(result.breakdown, Breakdown{});
  EXPECT_EQ(result.iteration_table->facts.at(0).per_device, parts(0, 0, 0, 0, 0, 0, 10));
}

TEST(ReferenceBreakdown, UsesStoredIoTimesForTheirRangeOnly) {
  Sketch sketch(2);
  sketch.instance(sketch.op("a"), 0, 40);
  profile::StoredAggregation stored;
  stored.iterations = {{0, 0, 50}, {1, 51, 100}};
  stored.first_iteration = 1;
  stored.last_iteration = 1;
  stored.io_ns = {7};
  sketch.stored(stored);
  const auto reference = make_reference_aggregator(sketch.finish());
  const Aggregation exact = reference->aggregate({{CutKind::stored, "", 0}, {1, 1}});
  EXPECT_TRUE(exact.io_recorded);
  EXPECT_EQ(exact.breakdown, parts(0, 0, 0, 0, 14, 0, 84));
  EXPECT_EQ(exact.iteration_table->facts.at(1).per_device, parts(0, 0, 0, 0, 7, 0, 42));
  const Aggregation wider = reference->aggregate({{CutKind::stored, "", 0}, {0, 1}});
  EXPECT_FALSE(wider.io_recorded);
  EXPECT_EQ(wider.breakdown[Category::io], 0);
}

}  // namespace
}  // namespace dlview::aggregate
