#include "aggregate/modules.h"

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "aggregate/host_events_reference.h"
#include "support/sketched_run.h"

namespace dlview::aggregate {
namespace {

using profile::kNoRow;
using profile::Profile;
using profile::Row;
using testing::EventSketch;
using testing::HostEventsReference;
using testing::SketchedRun;

using ModuleLines = std::map<std::string, std::string>;

constexpr uint32_t kBackwardThread = EventSketch::kAutograd;

std::string module_line(const ModuleTimes& times) {
  return fmt::format("{} calls, {} ops, cpu {} {}, gpu {}+{}, {} self", times.calls, times.ops,
                     times.host_total_ns, times.host_self_ns, times.gpu_forward_ns,
                     times.gpu_backward_ns, times.gpu_self_ns);
}

ModuleLines lines_by_path(const Profile& profile, const Modules& modules) {
  ModuleLines lines;
  std::vector<std::string> paths;
  for (const ModuleNode& node : modules.nodes) {
    std::string path = node.parent == kNoRow ? "" : paths[node.parent] + "/";
    EXPECT_EQ(node.depth, std::ranges::count(path, '/'));
    path += name_of_module(profile.text(node.name));
    paths.push_back(path);
    EXPECT_TRUE(lines.emplace(path, module_line(node.times)).second) << path;
  }
  return lines;
}

ModuleLines lines_of(const std::vector<ModuleSum>& sums) {
  ModuleLines lines;
  for (const ModuleSum& sum : sums) {
    EXPECT_TRUE(lines.emplace(std::string(sum.name), module_line(sum.times)).second) << sum.name;
  }
  return lines;
}

TEST(ModuleNames, AreThoseBehindThePrefix) {
  EXPECT_EQ(name_of_module("nn.Module: Linear_3"), "Linear_3");
  EXPECT_EQ(name_of_module("Linear_3"), "Linear_3");
}

TEST(ModuleClasses, EndBeforeTheNumber) {
  EXPECT_EQ(class_of_module("Linear_3"), "Linear");
  EXPECT_EQ(class_of_module("My_Layer_12"), "My_Layer");
  EXPECT_EQ(class_of_module("My_Layer"), "My_Layer");
  EXPECT_EQ(class_of_module("Layer2"), "Layer2");
  EXPECT_EQ(class_of_module("Layer_"), "Layer_");
  EXPECT_EQ(class_of_module("_7"), "_7");
}

TEST(Modules, HoldWhatIsLaunchedInThem) {
  EventSketch sketch;
  sketch.module("Net_0", 0, 500);
  sketch.module("Linear_0", 100, 200);
  sketch.op("aten::linear", 110, 190);
  sketch.op("aten::addmm", 120, 180);
  sketch.launch("gemm", 130);
  sketch.op("aten::relu", 300, 350);
  sketch.launch("relu", 310);
  sketch.op("aten::add", 600, 700);
  sketch.launch("outside", 610);
  const SketchedRun run(std::move(sketch));
  EXPECT_EQ(lines_by_path(run.profile(), add_up_modules(run.profile(), run.whole())),
            (ModuleLines{{"Net_0", "1 calls, 2 ops, cpu 500 400, gpu 20+0, 10 self"},
                         {"Net_0/Linear_0", "1 calls, 1 ops, cpu 100 100, gpu 10+0, 10 self"}}));
}

TEST(Modules, HaveTheBackwardPassOfTheirOps) {
  EventSketch sketch;
  sketch.module("Net_0", 0, 500);
  sketch.module("Linear_0", 100, 200);
  sketch.forward("aten::linear", 110, 190, 7);
  sketch.launch("gemm", 130);
  sketch.forward("aten::relu", 300, 350, 8);
  sketch.backward("ReluBackward0", 600, 650, 8, kBackwardThread);
  sketch.launch("relu_b", 610, kBackwardThread);
  sketch.backward("AddmmBackward0", 700, 790, 7, kBackwardThread);
  sketch.backward("aten::mm", 710, 740, 7, kBackwardThread);
  sketch.launch("gemm_b", 720, kBackwardThread);
  sketch.launch("gemm_b", 760, kBackwardThread);
  // Its forward op is not in the trace.
  sketch.backward("MulBackward0", 800, 850, 99, kBackwardThread);
  sketch.launch("lost", 810, kBackwardThread);
  const SketchedRun run(std::move(sketch));
  EXPECT_EQ(lines_by_path(run.profile(), add_up_modules(run.profile(), run.whole())),
            (ModuleLines{{"Net_0", "1 calls, 2 ops, cpu 500 400, gpu 10+30, 10 self"},
                         {"Net_0/Linear_0", "1 calls, 1 ops, cpu 100 100, gpu 10+20, 30 self"}}));
}

TEST(Modules, CountRecomputationAsBackward) {
  EventSketch sketch;
  sketch.module("Block_0", 0, 200);
  sketch.forward("CheckpointFunction", 10, 190, 5);
  sketch.module("Linear_0", 20, 100);
  sketch.op("aten::linear", 30, 90);
  sketch.launch("gemm", 40);
  sketch.backward("CheckpointFunctionBackward", 300, 500, 5, kBackwardThread);
  sketch.module("Linear_0", 320, 400, kBackwardThread);
  sketch.forward("aten::linear", 330, 390, 11, kBackwardThread);
  sketch.launch("gemm", 340, kBackwardThread);
  const SketchedRun run(std::move(sketch));
  const Modules modules = add_up_modules(run.profile(), run.whole());
  // The forward op of the whole checkpoint begins in Block_0.
  EXPECT_EQ(lines_by_path(run.profile(), modules),
            (ModuleLines{{"Block_0", "1 calls, 1 ops, cpu 200 120, gpu 10+10, 10 self"},
                         {"Block_0/Linear_0", "1 calls, 1 ops, cpu 80 80, gpu 10+0, 10 self"},
                         {"Linear_0", "1 calls, 0 ops, cpu 80 80, gpu 0+0, 0 self"}}));
  EXPECT_EQ(lines_of(modules.by_name).at("Linear_0"),
            "2 calls, 1 ops, cpu 160 160, gpu 10+0, 10 self");
}

TEST(Modules, AddUpCallsAndClassesUnderTwoParents) {
  EventSketch sketch;
  for (const int64_t start : {0, 1000}) {
    sketch.module("Net_0", start, start + 900);
    for (const int part : {0, 1}) {
      const int64_t begin = start + 300 * part;
      sketch.module(fmt::format("Block_{}", part), begin + 10, begin + 200);
      sketch.module(fmt::format("Linear_{}", part), begin + 20, begin + 100);
      sketch.op("aten::linear", begin + 30, begin + 90);
      sketch.launch("gemm", begin + 40);
    }
  }
  const SketchedRun run(std::move(sketch));
  const Modules modules = add_up_modules(run.profile(), run.whole());
  EXPECT_EQ(modules.nodes.size(), 5U);
  EXPECT_EQ(lines_of(modules.by_class),
            (ModuleLines{{"Net", "2 calls, 4 ops, cpu 1800 1040, gpu 40+0, 0 self"},
                         {"Block", "4 calls, 4 ops, cpu 760 440, gpu 40+0, 0 self"},
                         {"Linear", "4 calls, 4 ops, cpu 320 320, gpu 40+0, 40 self"}}));
  EXPECT_EQ(lines_of(modules.by_name).at("Linear_1"),
            "2 calls, 2 ops, cpu 160 160, gpu 20+0, 20 self");
}

TEST(Modules, CountAModuleInItselfOnce) {
  EventSketch sketch;
  sketch.module("Block_0", 0, 300);
  sketch.module("Block_1", 50, 250);
  sketch.module("Block_0", 100, 200);
  sketch.op("aten::add", 110, 150);
  sketch.launch("add", 120);
  const SketchedRun run(std::move(sketch));
  const Modules modules = add_up_modules(run.profile(), run.whole());
  EXPECT_EQ(modules.nodes.size(), 3U);
  EXPECT_EQ(lines_of(modules.by_name),
            (ModuleLines{{"Block_0", "2 calls, 1 ops, cpu 300 200, gpu 10+0, 10 self"},
                         {"Block_1", "1 calls, 1 ops, cpu 200 100, gpu 10+0, 0 self"}}));
  EXPECT_EQ(lines_of(modules.by_class),
            (ModuleLines{{"Block", "3 calls, 1 ops, cpu 300 300, gpu 10+0, 10 self"}}));
}

TEST(Modules, AreEmptyWithoutFrames) {
  EventSketch sketch;
  sketch.op("aten::add", 0, 400);
  const SketchedRun run(std::move(sketch));
  EXPECT_FALSE(has_modules(run.profile()));
  EXPECT_TRUE(add_up_modules(run.profile(), run.whole()).by_name.empty());
}

// The key of a sum for each module.
template <typename KeyOf>
ModuleLines slow_sums(const Profile& profile, const Aggregation& aggregation, const KeyOf& key_of) {
  const HostEventsReference modules(profile, aggregation, true);
  const HostEventsReference host(profile, aggregation, false);
  const profile::TraceNvtx& events = profile.trace->nvtx;
  const auto key = [&](Row row) { return key_of(modules, row); };
  std::map<std::string, ModuleTimes> sums;
  for (const auto& [each, times] : modules.host_times_by(key)) {
    sums[each].calls = times.calls;
    sums[each].host_total_ns = times.total_ns;
    sums[each].host_self_ns = times.self_ns;
  }
  host.for_each_kernel([&](profile::Thread thread, int64_t call_ns, int64_t gpu_ns) {
    std::optional<Row> backward;
    for (const Row row : host.around(host.open_at(thread, call_ns))) {
      if (events.forward[row] != kNoRow) backward = row;
    }
    std::optional<Row> inner;
    if (!backward) {
      inner = modules.open_at(thread, call_ns);
    } else if (events.forward[*backward] != *backward) {
      const Row forward = events.forward[*backward];
      inner = modules.open_at(profile.trace->numbers_of(events.thread[forward]),
                              events.start_ns[forward]);
    }
    if (!inner) return;
    sums[key(*inner)].gpu_self_ns += gpu_ns;
    for (const std::string& each : modules.keys_around(inner, key)) {
      (backward ? sums[each].gpu_backward_ns : sums[each].gpu_forward_ns) += gpu_ns;
    }
  });
  ModuleLines lines;
  for (const auto& [name, times] : sums) {
    if (!times.is_empty()) lines[name] = module_line(times);
  }
  return lines;
}

TEST(Modules, EqualTheObviousWay) {
  for (unsigned seed = 1; seed <= 8; ++seed) {
    std::mt19937 random(seed);
    const auto upto = [&random](int64_t most) {
      return static_cast<int64_t>(random() % static_cast<unsigned>(most));
    };
    EventSketch sketch;
    for (int step = 0; step < 4; ++step) {
      sketch.annotation(fmt::format("ProfilerStep#{}", step), 400 * step, 400 * step + 400);
    }
    for (int i = 0; i < 60; ++i) {
      const auto thread = static_cast<uint32_t>(upto(2));
      const int64_t start = upto(1500), stop = start + upto(i < 12 ? 500 : 60);
      sketch.module(fmt::format("{}_{}", upto(2) == 0 ? "A" : "B", upto(3)), start, stop, thread);
      sketch.forward("f::op", upto(1500), 1520, upto(20), thread);
      const int64_t late = upto(1500);
      sketch.backward("g::op", late, late + upto(40), upto(25), thread);
      sketch.launch("k", late + upto(10), thread);
      sketch.launch("k", upto(1580), thread);
    }
    const SketchedRun run(std::move(sketch), "ProfilerStep");
    for (const IterationRange range : {IterationRange{0, 3}, {1, 2}, {3, 3}}) {
      const Aggregation aggregation = run.range(range);
      Modules found = add_up_modules(run.profile(), aggregation);
      // Ops are compared with those of dlview elsewhere.
      for (ModuleNode& node : found.nodes) node.times.ops = 0;
      for (ModuleSum& sum : found.by_name) sum.times.ops = 0;
      for (ModuleSum& sum : found.by_class) sum.times.ops = 0;
      const auto name = [&](Row row) {
        return std::string(name_of_module(run.profile().text(run.profile().trace->nvtx.text[row])));
      };
      const auto without_empty = [](ModuleLines lines) {
        std::erase_if(lines, [](const auto& line) { return line.second == module_line({}); });
        return lines;
      };
      EXPECT_EQ(without_empty(lines_of(found.by_name)),
                slow_sums(run.profile(), aggregation,
                          [&](const HostEventsReference&, Row row) { return name(row); }))
          << seed;
      EXPECT_EQ(without_empty(lines_of(found.by_class)),
                slow_sums(run.profile(), aggregation,
                          [&](const HostEventsReference&, Row row) {
                            return std::string(class_of_module(name(row)));
                          }))
          << seed;
      EXPECT_EQ(without_empty(lines_by_path(run.profile(), found)),
                slow_sums(run.profile(), aggregation,
                          [&](const HostEventsReference& modules, Row row) {
                            std::string path;
                            for (const Row each : modules.around(row)) {
                              path = name(each) + (path.empty() ? "" : "/") + path;
                            }
                            return path;
                          }))
          << seed;
    }
  }
}

TEST(Modules, FoldWhatLiesBelowTheLastLevel) {
  constexpr int kDepth = kMostModuleLevels + 40;
  EventSketch sketch;
  for (int i = 0; i < kDepth; ++i) sketch.module(fmt::format("Block_{}", i), i, 2000 - i);
  sketch.op("aten::mm", 900, 1100);
  sketch.launch("gemm", 1000);
  const SketchedRun run(std::move(sketch));
  const Modules modules = add_up_modules(run.profile(), run.whole());
  const std::vector<ModuleNode>& nodes = modules.nodes;
  ASSERT_EQ(nodes.size(), static_cast<std::size_t>(kMostModuleLevels));
  EXPECT_EQ(nodes.back().depth, kMostModuleLevels - 1);
  EXPECT_EQ(run.profile().text(nodes.back().name), "nn.Module: Block_255");
  EXPECT_EQ(module_line(nodes.front().times), "1 calls, 1 ops, cpu 2000 2, gpu 10+0, 0 self");
  EXPECT_EQ(module_line(nodes[254].times), "1 calls, 1 ops, cpu 1492 2, gpu 10+0, 0 self");
  EXPECT_EQ(module_line(nodes.back().times), "41 calls, 1 ops, cpu 1490 1490, gpu 10+0, 10 self");
  EXPECT_EQ(modules.by_name.size(), static_cast<std::size_t>(kDepth)) << "each of its own name";
}

TEST(Modules, OfIterationsAddUpToTheRange) {
  EventSketch sketch;
  for (int step = 0; step < 3; ++step) {
    const int64_t start = 1000 * step;
    sketch.annotation(fmt::format("ProfilerStep#{}", step), start, start + 1000);
    sketch.module("Net_0", start + 900, start + 1100);  // into the next step
    sketch.op("aten::add", start + 950, start + 1050);
    sketch.launch("k", start + 960);
    sketch.launch("k", start + 1040);
  }
  const SketchedRun run(std::move(sketch), "ProfilerStep");
  ASSERT_EQ(run.iteration_count(), 3);
  ModuleTimes all;
  for (int64_t step = 0; step < 3; ++step) {
    for (const ModuleSum& sum : add_up_modules(run.profile(), run.range({step, step})).by_name) {
      all.calls += sum.times.calls;
      all.ops += sum.times.ops;
      all.host_total_ns += sum.times.host_total_ns;
      all.host_self_ns += sum.times.host_self_ns;
      all.gpu_forward_ns += sum.times.gpu_forward_ns;
      all.gpu_self_ns += sum.times.gpu_self_ns;
    }
  }
  EXPECT_EQ(module_line(all), "3 calls, 3 ops, cpu 600 600, gpu 60+0, 60 self");
  EXPECT_EQ(lines_of(add_up_modules(run.profile(), run.whole()).by_name).at("Net_0"),
            module_line(all));
}

}  // namespace
}  // namespace dlview::aggregate
