// What is told of a selected kernel against a look at all kernels.

#include "ui/views/timeline/selected_event.h"

#include <algorithm>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "aggregate/aggregator.h"
#include "base/units.h"
#include "import/pytorch/event_sketch.h"
#include "support/sketch.h"
#include "timeline/lanes_support.h"
#include "timeline/thread_events.h"
#include "timeline/time_text.h"
#include "ui/views/timeline/event_details.h"

namespace dlview::ui {
namespace {

TEST(SelectedEvent, CountsKernelsOfItsNameAndRanksIt) {
  const auto profile = std::make_shared<const profile::Profile>(
      testing::random_profile({.seed = 6, .kernels = 700}));
  const auto lanes = testing::lanes_of(profile);
  const auto engine = aggregate::make_cpu_aggregator(profile);
  const aggregate::Cut cut{aggregate::CutKind::start, std::string(testing::kRandomKeyOp), 0};
  const profile::Kernels& kernels = profile->kernels;
  const auto length = [&kernels](profile::Row row) {
    return kernels.gpu_stop_ns[row] - kernels.gpu_start_ns[row];
  };
  std::mt19937_64 random(2);
  for (int round = 0; round < 300; ++round) {
    const auto kernel = static_cast<profile::Row>(random() % kernels.size());
    const auto first = static_cast<int64_t>(random() % 4);
    const auto answer =
        engine->aggregate({cut, {first, first + static_cast<int64_t>(random() % 4)}});
    const auto& rows = answer.iteration_table->iterations.rows;
    const auto range = answer.selection.range;
    const auto& first_kernel = profile->instances.first_kernel;
    const profile::Row begin =
        first_kernel[rows[static_cast<std::size_t>(range.first)].first_instance];
    const profile::Row end = first_kernel[rows[static_cast<std::size_t>(range.last)].last_instance];
    int64_t count = 0, longer = 0;
    for (profile::Row row = begin; row < end; ++row) {
      if (kernels.long_name[row] != kernels.long_name[kernel]) continue;
      ++count;
      longer += length(row) > length(kernel) ? 1 : 0;
    }
    const bool is_inside = kernel >= begin && kernel < end;
    const auto place = timeline::find_place(*lanes, {timeline::EventKind::kernel, kernel});
    ASSERT_TRUE(place);
    const SelectedEvent selected(*lanes, *place);
    const SameName same = selected.same_name(*profile, answer);
    ASSERT_EQ(same.count, count);
    ASSERT_EQ(same.rank, is_inside ? longer + 1 : 0);
  }
}

TEST(SelectedEvent, OfARangeTheWorkThatWasLaunchedWithinIsCounted) {
  // The calls of both kernels run from 0 to 2, on the first thread that the sketch names.
  const auto launched_in = [](const base::Interval& range, const profile::Thread& first) {
    testing::Sketch sketch(2);
    const auto instance = sketch.instance(sketch.op("net/conv"), 0, 50, first);
    sketch.kernel(instance, 300, 350, 0);
    sketch.kernel(instance, 320, 380, 1);
    sketch.user_range("/step", range.start_ns, range.stop_ns);
    const auto lanes = testing::lanes_of(sketch.finish());
    return SelectedEvent(*lanes,
                         *timeline::find_place(*lanes, {timeline::EventKind::user_range, 0}))
        .launched();
  };
  const LaunchedWork launched = launched_in({0, 2}, {1, 1});
  EXPECT_EQ(launched.kernels, 2);
  EXPECT_EQ(launched.kernel_ns, 80) << "overlaps count once";
  EXPECT_EQ(launched_in({1, 100}, {1, 1}).kernels, 0) << "the calls begin before it";
  EXPECT_EQ(launched_in({0, 1}, {1, 1}).kernels, 0) << "the calls end behind it";
  EXPECT_EQ(launched_in({0, 100}, {1, 2}).kernels, 0) << "another thread launched them";
}

TEST(SelectedEvent, ShowsStopThreadAndShareOfARange) {
  testing::Sketch sketch;
  const auto step = sketch.op("train/step");
  for (const int64_t start : {0, 200, 400}) sketch.instance(step, start, start + 10);
  sketch.user_range("/forward", 220, 260);
  sketch.user_range("/epoch", 210, 500);
  sketch.user_range("/warmup", -90, -20);
  sketch.user_range("/step", 200, 400);
  const auto profile = sketch.finish();
  const auto lanes = testing::lanes_of(profile);
  const auto answer = aggregate::make_cpu_aggregator(profile)->aggregate(
      {{aggregate::CutKind::start, "train/step", 0}, {0, 10}});
  const auto fact = [&](profile::Row range, std::string_view id) -> std::string {
    const auto place = timeline::find_place(*lanes, {timeline::EventKind::user_range, range});
    const auto facts =
        prepare_event_details(*lanes, answer, nullptr, *place, SelectedEvent(*lanes, *place)).facts;
    const auto found = std::ranges::find(facts, id, &EventDetails::Fact::id);
    return found == facts.end() ? "(none)" : found->value;
  };
  const auto range_at = [&](int64_t start_ns) {
    const auto starts = profile->user_ranges.start_ns.span();
    return static_cast<profile::Row>(std::ranges::find(starts, start_ns) - starts.begin());
  };
  const profile::Row forward = range_at(220), epoch = range_at(210);
  EXPECT_EQ(fact(forward, "stop"), timeline::time_text(260));
  EXPECT_EQ(fact(forward, "thread"), timeline::thread_name(*profile, {1, 1}));
  EXPECT_EQ(fact(forward, "kernels"), "0");
  EXPECT_EQ(fact(forward, "kernel_time"), "(none)");
  EXPECT_EQ(fact(forward, "iteration"), "1");
  EXPECT_EQ(fact(forward, "share"), base::format_percent(100 * 40.0 / 199));
  EXPECT_EQ(fact(epoch, "iteration"), "1");
  EXPECT_EQ(fact(epoch, "share"), "(none)") << "it reaches into the next one";
  EXPECT_EQ(fact(range_at(200), "share"), base::format_percent(100)) << "up to the next one";
  EXPECT_EQ(fact(range_at(-90), "iteration"), "outside all iterations");
  EXPECT_EQ(fact(range_at(-90), "share"), "(none)");
}

TEST(SelectedEvent, AnOpThatOnlyCopiesTellsItsGpuTimeAndLeadsToIt) {
  testing::Sketch sketch;
  const auto step = sketch.op("train/step");
  const auto copy = sketch.instance(step, 0, 10);
  sketch.copy(copy, 20, 50);
  sketch.copy(copy, 60, 70);
  const auto empty = sketch.instance(step, 100, 110);
  const auto profile = sketch.finish();
  const auto lanes = testing::lanes_of(profile);
  const auto answer = aggregate::make_cpu_aggregator(profile)->aggregate(
      {{aggregate::CutKind::start, "train/step", 0}, {0, 10}});
  const auto details_of = [&](profile::Row instance) {
    const auto place = timeline::find_place(*lanes, {timeline::EventKind::op, instance});
    return prepare_event_details(*lanes, answer, nullptr, *place, SelectedEvent(*lanes, *place));
  };
  const auto fact = [](const EventDetails& details, std::string_view id) -> std::string {
    const auto found = std::ranges::find(details.facts, id, &EventDetails::Fact::id);
    return found == details.facts.end() ? "(none)" : found->value;
  };
  const EventDetails details = details_of(copy);
  EXPECT_EQ(fact(details, "kernels"), "0");
  EXPECT_EQ(fact(details, "memory_ops"), "2");
  EXPECT_EQ(fact(details, "gpu_time"), base::format_duration(int64_t{40}));
  ASSERT_FALSE(details.links.empty());
  EXPECT_EQ(details.links.front().event.kind, timeline::EventKind::memory_op);
  EXPECT_EQ(fact(details_of(empty), "gpu_time"), "(none)");
  EXPECT_TRUE(details_of(empty).links.empty());
}

TEST(SelectedEvent, ShowsARecordedGridAndNoneOfAGraph) {
  const auto details_of = [](std::shared_ptr<const profile::Profile> profile) {
    const auto lanes = testing::lanes_of(profile);
    const auto answer = aggregate::make_cpu_aggregator(profile)->aggregate({{}, {0, 0}});
    const auto place = timeline::find_place(*lanes, {timeline::EventKind::kernel, 0});
    return prepare_event_details(*lanes, answer, nullptr, *place, SelectedEvent());
  };
  const auto with_kernel = [](std::string_view name) {
    testing::Sketch sketch;
    sketch.kernel(sketch.instance(sketch.op("net/conv"), 0, 50), 300, 350, 0, name);
    return std::make_shared<profile::Profile>(*sketch.finish());
  };
  const auto has_grid = [](const EventDetails& details) {
    return std::ranges::count(details.facts, "grid", &EventDetails::Fact::id) == 1;
  };
  const EventDetails kernel = details_of(with_kernel("conv")),
                     graph = details_of(with_kernel("CUDA graph 7"));
  EXPECT_EQ(kernel.kind, "Kernel");
  EXPECT_TRUE(has_grid(kernel));
  EXPECT_EQ(graph.kind, "CUDA graph");
  EXPECT_FALSE(has_grid(graph));
  const auto of_export = with_kernel("conv"), of_database = with_kernel("conv");
  of_export->trace.emplace();
  of_database->launches.grid = std::vector{profile::Dim3{0, 0, 0}};
  EXPECT_FALSE(has_grid(details_of(of_export)));
  EXPECT_FALSE(has_grid(details_of(of_database)));
}

TEST(SelectedEvent, SynchronizationNamesStreamsAndEvent) {
  testing::EventSketch sketch;
  sketch.op("aten::add", 0, 1000);
  sketch.kernel("k", 0, 1000, 1);
  auto& waits = sketch.sync("Stream Wait Event", 30, 60, 20);
  waits.waits_for_stream = 7;
  waits.event = 12;
  sketch.sync("Context Sync", 70, 80, profile::kNoValue).device = profile::kNoValue;
  sketch.overhead("Buffer Flush", 1, 4);
  const auto profile = std::make_shared<const profile::Profile>(std::move(sketch).finish());
  const auto lanes = testing::lanes_of(profile);
  const auto answer = aggregate::make_cpu_aggregator(profile)->aggregate({{}, {0, 0}});
  const auto text_of = [&](timeline::EventRef event) {
    const auto place = timeline::find_place(*lanes, event);
    const EventDetails details =
        prepare_event_details(*lanes, answer, nullptr, *place, SelectedEvent(*lanes, *place));
    std::string text = details.kind + ": " + details.name;
    for (const EventDetails::Fact& fact : details.facts) {
      if (fact.id != "start" && fact.id != "duration") text += "; " + fact.label + " " + fact.value;
    }
    return text;
  };
  EXPECT_EQ(text_of({timeline::EventKind::gpu_sync, 0}),
            "GPU synchronization: Stream Wait Event; GPU 0; Stream 20; Waits for stream 7; "
            "CUDA event 12");
  EXPECT_EQ(text_of({timeline::EventKind::gpu_sync, 1}),
            "GPU synchronization: Context Sync; GPU not recorded; Stream none");
  EXPECT_EQ(text_of({timeline::EventKind::overhead, 0}), "Profiler overhead: Buffer Flush");
  EXPECT_EQ(sync_text(lanes->events, {timeline::EventKind::gpu_sync, 0}),
            "Waits for stream 7 · CUDA event 12");
  EXPECT_EQ(sync_text(lanes->events, {timeline::EventKind::gpu_sync, 1}), "");
}

TEST(SelectedEvent, NamesTheKindOfATracesRanges) {
  testing::EventSketch sketch;
  sketch.annotation("step", 0, 100);
  sketch.module("Net_0", 10, 90);
  sketch.op("aten::linear", 20, 80);
  sketch.op("aten::addmm", 30, 70);
  sketch.op("unknown category", 82, 84).kind = import::pytorch::HostEvent::Kind::other;
  const auto profile = std::make_shared<const profile::Profile>(std::move(sketch).finish());
  const auto lanes = testing::lanes_of(profile);
  const auto answer = aggregate::make_cpu_aggregator(profile)->aggregate({{}, {0, 0}});
  std::vector<std::string> kinds;
  for (profile::Row row = 0; row < profile->trace->nvtx.size(); ++row) {
    const auto place = timeline::find_place(*lanes, {timeline::EventKind::nvtx, row});
    if (!place) continue;  // drawn as an op
    const EventDetails details =
        prepare_event_details(*lanes, answer, nullptr, *place, SelectedEvent(*lanes, *place));
    kinds.push_back(details.name + ": " + details.kind);
  }
  EXPECT_THAT(kinds, ::testing::UnorderedElementsAre("step: Annotation", "nn.Module: Net_0: Module",
                                                     "aten::addmm: Op", "unknown category: Range"));
}

// Where there are many it is found in the background.
TEST(SelectedEvent, AsLongAsNothingIsKnownNoRankIsTold) {
  const auto lanes = testing::random_lanes({.seed = 6});
  const auto profile =
      std::make_shared<const profile::Profile>(testing::random_profile({.seed = 6}));
  const auto answer = aggregate::make_cpu_aggregator(profile)->aggregate({{}, {0, 0}});
  const timeline::EventRef kernel{timeline::EventKind::kernel, 5};
  const auto place = timeline::find_place(*lanes, kernel);
  ASSERT_TRUE(place);
  const auto has_rank = [&](const SelectedEvent& selected) {
    const auto details = prepare_event_details(*lanes, answer, nullptr, *place, selected);
    return std::ranges::count(details.facts, "same_name", &EventDetails::Fact::id) == 1;
  };
  EXPECT_FALSE(SelectedEvent().is_known());
  EXPECT_FALSE(has_rank(SelectedEvent()));
  EXPECT_TRUE(has_rank(SelectedEvent(*lanes, *place)));
}

}  // namespace
}  // namespace dlview::ui
