#include "aggregate/operators.h"

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "aggregate/host_events_reference.h"
#include "support/python_frames_sketch.h"
#include "support/sketched_run.h"

namespace dlview::aggregate {
namespace {

using profile::Profile;
using profile::Row;
using testing::EventSketch;
using testing::FrameSketch;
using testing::HostEventsReference;
using testing::SketchedRun;

using OperatorLines = std::map<std::string, std::string>;

std::string operator_line(const OperatorTimes& times) {
  return fmt::format("{} calls, cpu {} {}, api {}, gpu {} {}", times.calls, times.host_total_ns,
                     times.host_self_ns, times.call_self_ns, times.gpu_total_ns, times.gpu_self_ns);
}

OperatorLines lines_of(const Profile& profile, const std::vector<Operator>& operators,
                       const OpStacks* stacks = nullptr) {
  OperatorLines lines;
  for (const Operator& each : operators) {
    std::string name(profile.text(each.name));
    if (each.input_shapes != profile::kNoText) {
      name.append(" ").append(profile.text(each.input_shapes));
    }
    if (each.stack != OpStacks::kNone) name.append(" in ").append(stacks->text(each.stack));
    EXPECT_TRUE(lines.emplace(name, operator_line(each.times)).second) << name;
  }
  return lines;
}

TEST(Operators, HaveSelfAndTotalOnEachLevel) {
  EventSketch sketch;
  sketch.annotation("Optimizer.step#SGD.step", 0, 500);
  sketch.op("aten::linear", 100, 300);
  sketch.op("aten::addmm", 120, 220);
  sketch.launch("gemm", 130);
  sketch.launch("bias", 250);
  sketch.op("aten::empty", 320, 330);  // without kernels
  sketch.launch("outside", 600);
  const SketchedRun run(std::move(sketch));
  const std::vector<Operator> found = add_up_operators(run.profile(), run.whole());
  EXPECT_EQ(lines_of(run.profile(), found),
            (OperatorLines{{"Optimizer.step#SGD.step", "1 calls, cpu 500 290, api 0, gpu 20 0"},
                           {"aten::linear", "1 calls, cpu 200 100, api 2, gpu 20 10"},
                           {"aten::addmm", "1 calls, cpu 100 100, api 2, gpu 10 10"},
                           {"aten::empty", "1 calls, cpu 10 10, api 0, gpu 0 0"}}));
  for (const Operator& each : found) {
    const std::string_view name = run.profile().text(each.name);
    EXPECT_EQ(each.is_op, name.starts_with("aten::")) << name;
    EXPECT_EQ(each.is_eligible, name == "aten::linear" || name == "aten::addmm") << name;
  }
}

TEST(Operators, CountRecursionOnceInTheTotal) {
  EventSketch sketch;
  sketch.op("aten::to", 0, 100);
  sketch.op("aten::_to_copy", 10, 90);
  sketch.op("aten::to", 20, 60);
  sketch.launch("copy", 30);
  sketch.launch("copy", 70);
  sketch.op("aten::to", 100, 120);  // touches the first
  sketch.launch("copy", 105);
  const SketchedRun run(std::move(sketch));
  EXPECT_EQ(lines_of(run.profile(), add_up_operators(run.profile(), run.whole())),
            (OperatorLines{{"aten::to", "3 calls, cpu 120 80, api 4, gpu 30 20"},
                           {"aten::_to_copy", "1 calls, cpu 80 40, api 2, gpu 20 10"}}));
}

TEST(Operators, AreDividedByTheirShapes) {
  EventSketch sketch;
  const uint32_t small = sketch.inputs("[[2,3]]", "[\"float\"]");
  const uint32_t large = sketch.inputs("[[200,3]]", "[\"float\"]");
  sketch.op("aten::add", 0, 100).inputs = small;
  sketch.op("aten::add", 10, 90).inputs = large;
  sketch.launch("k", 20);
  sketch.op("aten::add", 200, 300).inputs = small;
  sketch.op("aten::add", 400, 410);
  const SketchedRun run(std::move(sketch));
  EXPECT_EQ(lines_of(run.profile(),
                     add_up_operators(run.profile(), run.whole(), OperatorsBy::name_and_shapes)),
            (OperatorLines{{"aten::add [[2,3]]", "2 calls, cpu 200 120, api 0, gpu 10 0"},
                           {"aten::add [[200,3]]", "1 calls, cpu 80 80, api 2, gpu 10 10"},
                           {"aten::add", "1 calls, cpu 10 10, api 0, gpu 0 0"}}));
}

TEST(Operators, AreEmptyWithoutEvents) {
  const SketchedRun run{EventSketch()};
  EXPECT_TRUE(add_up_operators(run.profile(), run.whole()).empty());
}

TEST(Operators, AreDividedByTheirStacks) {
  EventSketch sketch;
  const auto stack = [&](std::string_view text) { return sketch.builder.intern(text); };
  const profile::StringId train = stack("model.py(7): forward;<built-in method x>;a.py(1): main");
  sketch.op("aten::add", 0, 100).call_stack = train;
  sketch.op("aten::add", 200, 300).call_stack = stack("model.py(7): forward;a.py(1): main");
  sketch.op("aten::add", 400, 430).call_stack = stack("b.py(2): test;a.py(1): main");
  sketch.op("aten::add", 500, 510);
  sketch.op("aten::add", 600, 605).call_stack = stack("<built-in method x>");
  const SketchedRun run(std::move(sketch));
  OpStacks stacks(run.profile());
  EXPECT_EQ(lines_of(run.profile(), add_up_operators(run.profile(), run.whole(), stacks), &stacks),
            (OperatorLines{{"aten::add in a.py(1): main > model.py(7): forward",
                            "2 calls, cpu 200 200, api 0, gpu 0 0"},
                           {"aten::add in a.py(1): main > b.py(2): test",
                            "1 calls, cpu 30 30, api 0, gpu 0 0"},
                           {"aten::add", "2 calls, cpu 15 15, api 0, gpu 0 0"}}));
}

TEST(Operators, TakeTheirStacksFromFrames) {
  FrameSketch frames({{100, 100}, {100, 102}});
  const Row main = frames.frame("a.py(1): main", 0, 1000);
  const Row forward = frames.frame("model.py(7): forward", 100, 500, main);
  frames.frame("<built-in method add>", 150, 250, forward);
  frames.frame("b.py(1): other", 0, 1000, profile::kNoRow, 1);
  EventSketch sketch;
  sketch.op("aten::add", 160, 170);
  sketch.op("aten::add", 300, 320);
  sketch.op("aten::add", 600, 640);
  sketch.op("aten::add", 300, 303, EventSketch::kAutograd);
  sketch.op("aten::add", 1100, 1200);
  sketch.op("aten::mul", 310, 315).call_stack = sketch.builder.intern("own");
  const SketchedRun run(std::move(sketch));
  const profile::PythonFrames found = std::move(frames).finish();
  OpStacks stacks(run.profile(), &found);
  EXPECT_EQ(lines_of(run.profile(), add_up_operators(run.profile(), run.whole(), stacks), &stacks),
            (OperatorLines{{"aten::add in a.py(1): main > model.py(7): forward",
                            "2 calls, cpu 30 25, api 0, gpu 0 0"},
                           {"aten::add in a.py(1): main", "1 calls, cpu 40 40, api 0, gpu 0 0"},
                           {"aten::add in b.py(1): other", "1 calls, cpu 3 3, api 0, gpu 0 0"},
                           {"aten::add", "1 calls, cpu 100 100, api 0, gpu 0 0"},
                           {"aten::mul in own", "1 calls, cpu 5 5, api 0, gpu 0 0"}}));
}

// Otherwise the texts of a recursion would take its depth squared.
TEST(Operators, OfDeepStacksKeepTheInnermostFrames) {
  static_assert(!std::is_copy_constructible_v<OpStacks>);
  constexpr int kDepth = 300;
  const auto frames_from = [](int first) {
    std::string text;
    for (int i = first; i < kDepth; ++i) text += fmt::format("{}f{}", text.empty() ? "" : " > ", i);
    return text;
  };
  FrameSketch frames({{100, 100}});
  std::string recorded;
  Row around = profile::kNoRow;
  for (int i = 0; i < kDepth; ++i) {
    around = frames.frame(fmt::format("f{}", i), i, 5000 - i, around);
    around = frames.frame("<built-in method call>", i, 5000 - i, around);
    recorded = fmt::format("f{};<built-in g>;{}", i, recorded);
  }
  EventSketch sketch;
  sketch.op("aten::add", 2000, 2010);
  sketch.op("aten::add", 3000, 3020).call_stack = sketch.builder.intern(recorded);
  sketch.op("aten::add", 255, 256);    // f0 to f255
  sketch.op("aten::add", 5000, 5005);  // f0
  const SketchedRun run(std::move(sketch));
  const profile::PythonFrames found = std::move(frames).finish();
  OpStacks stacks(run.profile(), &found);
  std::map<std::string, int64_t> calls;
  for (const Operator& each : add_up_operators(run.profile(), run.whole(), stacks)) {
    calls[stacks.text(each.stack)] += each.times.calls;
  }
  const std::string all = frames_from(0);
  EXPECT_EQ(calls, (std::map<std::string, int64_t>{
                       {"… > " + frames_from(kDepth - 256), 2},
                       {all.substr(0, all.find(" > f256")), 1},
                       {"f0", 1},
                   }));
}

TEST(Operators, HaveNoStackWhereAllFramesAreInternal) {
  FrameSketch frames({{100, 100}});
  Row around = profile::kNoRow;
  for (int i = 0; i < 5; ++i) around = frames.frame("<built-in method call>", i, 900 - i, around);
  frames.frame("f", 100, 200, around);
  EventSketch sketch;
  sketch.op("aten::add", 50, 60);
  sketch.op("aten::add", 70, 80);
  sketch.op("aten::add", 110, 120);
  const SketchedRun run(std::move(sketch));
  const profile::PythonFrames found = std::move(frames).finish();
  OpStacks stacks(run.profile(), &found);
  EXPECT_EQ(lines_of(run.profile(), add_up_operators(run.profile(), run.whole(), stacks), &stacks),
            (OperatorLines{{"aten::add", "2 calls, cpu 20 20, api 0, gpu 0 0"},
                           {"aten::add in f", "1 calls, cpu 10 10, api 0, gpu 0 0"}}));
  EXPECT_TRUE(run.profile().trace->nvtx.call_stack.empty()) << "no op records one";
}

OperatorLines tree_lines(const Profile& profile, const std::vector<OperatorNode>& nodes) {
  OperatorLines lines;
  std::vector<std::string> paths;
  for (const OperatorNode& node : nodes) {
    std::string path = node.parent == profile::kNoRow ? "" : paths[node.parent] + " > ";
    EXPECT_EQ(node.depth, std::ranges::count(path, '>'));
    path += profile.text(node.name);
    paths.push_back(path);
    EXPECT_TRUE(lines.emplace(path, operator_line(node.times)).second) << path;
  }
  return lines;
}

TEST(OperatorTree, MergesIterations) {
  EventSketch sketch;
  for (int step = 0; step < 2; ++step) {
    const int64_t start = 1000 * step;
    sketch.annotation(fmt::format("ProfilerStep#{}", step), start, start + 1000);
    sketch.op("aten::linear", start + 100, start + 300);
    sketch.op("aten::addmm", start + 120, start + 220);
    sketch.launch("gemm", start + 130);
    sketch.op("aten::addmm", start + 400, start + 450);
  }
  const SketchedRun run(std::move(sketch), "ProfilerStep");
  const std::vector<OperatorNode> nodes = add_up_operator_tree(run.profile(), run.whole());
  EXPECT_EQ(tree_lines(run.profile(), nodes),
            (OperatorLines{{"aten::linear", "2 calls, cpu 400 200, api 0, gpu 20 0"},
                           {"aten::linear > aten::addmm", "2 calls, cpu 200 200, api 4, gpu 20 20"},
                           {"aten::addmm", "2 calls, cpu 100 100, api 0, gpu 0 0"}}));
  for (const OperatorNode& node : nodes) EXPECT_TRUE(node.is_op && node.is_eligible);
}

TEST(OperatorTree, FoldsWhatLiesBelowTheLastLevel) {
  constexpr int kDepth = kMostOperatorLevels + 40;
  EventSketch sketch;
  for (int i = 0; i < kDepth; ++i) sketch.op(fmt::format("op{}", i), i, 2000 - i);
  sketch.launch("gemm", 1000);
  const SketchedRun run(std::move(sketch));
  const std::vector<OperatorNode> nodes = add_up_operator_tree(run.profile(), run.whole());
  ASSERT_EQ(nodes.size(), static_cast<std::size_t>(kMostOperatorLevels));
  EXPECT_EQ(nodes.back().depth, kMostOperatorLevels - 1);
  EXPECT_EQ(run.profile().text(nodes.back().name), "op255");
  EXPECT_EQ(operator_line(nodes.front().times), "1 calls, cpu 2000 2, api 0, gpu 10 0");
  EXPECT_EQ(operator_line(nodes[254].times), "1 calls, cpu 1492 2, api 0, gpu 10 0");
  EXPECT_EQ(operator_line(nodes.back().times), "41 calls, cpu 1490 1490, api 2, gpu 10 10");
}

TEST(OperatorTree, KeepsWhatIsAroundOpsOfTheRange) {
  EventSketch sketch;
  for (int step = 0; step < 2; ++step) {
    sketch.annotation(fmt::format("ProfilerStep#{}", step), 1000 * step, 1000 * step + 1000,
                      EventSketch::kAutograd);
  }
  sketch.annotation("outer", 10, 1900);
  sketch.op("aten::mul", 500, 600);
  sketch.op("aten::add", 1500, 1600);
  const SketchedRun run(std::move(sketch), "ProfilerStep");
  EXPECT_EQ(tree_lines(run.profile(), add_up_operator_tree(run.profile(), run.range({1, 1}))),
            (OperatorLines{{"outer", "0 calls, cpu 0 0, api 0, gpu 0 0"},
                           {"outer > aten::add", "1 calls, cpu 100 100, api 0, gpu 0 0"}}));
}

// By the key of each event; those without one do not count.
template <typename KeyOf>
OperatorLines slow_operators(const Profile& profile, const Aggregation& aggregation,
                             const KeyOf& key_of) {
  const HostEventsReference host(profile, aggregation, false);
  const profile::Trace& trace = *profile.trace;
  const auto key = [&](Row row) { return key_of(host, row); };
  std::map<std::string, OperatorTimes> sums;
  for (const auto& [each, times] : host.host_times_by(key)) {
    sums[each].calls = times.calls;
    sums[each].host_total_ns = times.total_ns;
    sums[each].host_self_ns = times.self_ns;
  }
  for (Row call = 0; call < trace.api_calls.size(); ++call) {
    const int64_t start_ns = trace.api_calls.start_ns[call];
    if (!host.is_in_range(start_ns)) continue;
    const auto row = host.open_at(trace.numbers_of(trace.api_calls.thread[call]), start_ns);
    if (row) sums[key(*row)].call_self_ns += trace.api_calls.end_ns[call] - start_ns;
  }
  host.for_each_kernel([&](profile::Thread thread, int64_t call_ns, int64_t gpu_ns) {
    const auto row = host.open_at(thread, call_ns);
    if (!row) return;
    sums[key(*row)].gpu_self_ns += gpu_ns;
    for (const std::string& each : host.keys_around(row, key)) sums[each].gpu_total_ns += gpu_ns;
  });
  OperatorLines lines;
  for (const auto& [each, times] : sums) {
    if (!times.is_empty() && !each.empty()) lines[each] = operator_line(times);
  }
  return lines;
}

std::string slow_path(const Profile& profile, const HostEventsReference& host, Row row) {
  std::string path;
  for (const Row each : host.around(row)) {
    const std::string name(profile.text(profile.trace->nvtx.text[each]));
    if (name.starts_with("ProfilerStep#")) continue;
    path = name + (path.empty() ? "" : " > ") + path;
  }
  const bool is_step = profile.text(profile.trace->nvtx.text[row]).starts_with("ProfilerStep#");
  return is_step ? "" : path;
}

std::string slow_stack(const Profile& profile, const profile::PythonFrames& frames, Row event) {
  const profile::TraceNvtx& events = profile.trace->nvtx;
  std::vector<std::string> stack;  // innermost first
  if (events.call_stack[event] != profile::kNoText) {
    std::istringstream parts{std::string(profile.text(events.call_stack[event]))};
    for (std::string part; std::getline(parts, part, ';');) stack.push_back(part);
  } else {
    Row innermost = profile::kNoRow;
    const int64_t time_ns = events.start_ns[event];
    for (Row frame = 0; frame < frames.size(); ++frame) {
      const bool is_open =
          frames.threads[frames.thread[frame]] == profile.trace->numbers_of(events.thread[event]) &&
          frames.start_ns[frame] <= time_ns && time_ns <= frames.end_ns[frame];
      if (is_open &&
          (innermost == profile::kNoRow || frames.start_ns[frame] >= frames.start_ns[innermost])) {
        innermost = frame;
      }
    }
    for (Row each = innermost; each != profile::kNoRow; each = frames.caller[each]) {
      stack.emplace_back(frames.names[frames.name[each]]);
    }
  }
  std::string text;
  for (const std::string& frame : stack) {
    if (frame.starts_with("<built-in")) continue;
    text = frame + (text.empty() ? "" : " > ") + text;
  }
  return text;
}

// Ops in each other on two threads, some with a stack of their own, and Python frames.
struct RandomOps {
  explicit RandomOps(unsigned seed) : random(seed) {
    for (int step = 0; step < 4; ++step) {
      sketch.annotation(fmt::format("ProfilerStep#{}", step), 400 * step, 400 * step + 400);
    }
    for (int i = 0; i < 80; ++i) {
      const auto thread = static_cast<uint32_t>(upto(2));
      const int64_t start = upto(1500), stop = start + upto(i < 12 ? 500 : 60);
      const std::string stack = fmt::format("f{};<built-in g>;f{}", upto(3), upto(2));
      auto& op = sketch.op(fmt::format("n::op{}", upto(5)), start, stop, thread);
      if (upto(3) == 0) op.call_stack = sketch.builder.intern(stack);
      sketch.launch("k", upto(1580), thread);
    }
    for (Row frame = 0; frame < 60; ++frame) {
      const auto around = static_cast<Row>(upto(frame + 1));
      const std::string name = fmt::format("{}{}", upto(4) == 0 ? "<built-in " : "f", upto(3));
      const int64_t start = upto(1500);
      threads.push_back(around == frame ? static_cast<Row>(upto(2)) : threads[around]);
      frames.frame(name, start, start + upto(300), around == frame ? profile::kNoRow : around,
                   threads.back());
    }
  }
  int64_t upto(int64_t most) {
    return static_cast<int64_t>(random() % static_cast<unsigned>(most));
  }

  std::mt19937 random;
  EventSketch sketch;
  FrameSketch frames{{{100, 100}, {100, 102}}};
  std::vector<Row> threads;  // of frames
};

TEST(Operators, EqualTheObviousWay) {
  for (unsigned seed = 1; seed <= 8; ++seed) {
    RandomOps random(seed);
    const SketchedRun run(std::move(random.sketch), "ProfilerStep");
    const profile::PythonFrames frames = std::move(random.frames).finish();
    const Profile& profile = run.profile();
    const auto name = [&](Row row) {
      return std::string(profile.text(profile.trace->nvtx.text[row]));
    };
    for (const IterationRange range : {IterationRange{0, 3}, {1, 2}, {3, 3}}) {
      const Aggregation aggregation = run.range(range);
      EXPECT_EQ(lines_of(profile, add_up_operators(profile, aggregation)),
                slow_operators(profile, aggregation,
                               [&](const HostEventsReference&, Row row) { return name(row); }))
          << seed;
      OperatorLines tree = tree_lines(profile, add_up_operator_tree(profile, aggregation));
      // Rows that only hold others.
      std::erase_if(tree, [](const auto& line) { return line.second == operator_line({}); });
      EXPECT_EQ(tree, slow_operators(profile, aggregation,
                                     [&](const HostEventsReference& host, Row row) {
                                       return slow_path(profile, host, row);
                                     }))
          << seed;
      OpStacks stacks(profile, &frames);
      EXPECT_EQ(lines_of(profile, add_up_operators(profile, aggregation, stacks), &stacks),
                slow_operators(profile, aggregation,
                               [&](const HostEventsReference&, Row row) {
                                 const std::string stack = slow_stack(profile, frames, row);
                                 return name(row) + (stack.empty() ? "" : " in " + stack);
                               }))
          << seed;
    }
  }
}

// Whatever divides the rows of a name: their self times add up to those of the name.
TEST(Operators, OfStacksAndTreeAddUpToNames) {
  RandomOps random(9);
  const SketchedRun run(std::move(random.sketch), "ProfilerStep");
  const profile::PythonFrames frames = std::move(random.frames).finish();
  const Aggregation range = run.range({1, 3});
  using Selfs = std::map<profile::StringId, std::array<int64_t, 4>>;
  const auto selfs_of = [&](const auto& rows) {
    Selfs selfs;
    for (const auto& row : rows) {
      if (run.profile().text(row.name).starts_with("ProfilerStep#")) continue;
      std::array<int64_t, 4>& sum = selfs[row.name];
      sum[0] += row.times.calls;
      sum[1] += row.times.host_self_ns;
      sum[2] += row.times.call_self_ns;
      sum[3] += row.times.gpu_self_ns;
    }
    // Rows of the tree that only hold others.
    std::erase_if(selfs, [](const auto& each) { return each.second == std::array<int64_t, 4>{}; });
    return selfs;
  };
  const Selfs flat = selfs_of(add_up_operators(run.profile(), range));
  OpStacks stacks(run.profile(), &frames);
  EXPECT_EQ(flat.size(), 5U);
  EXPECT_EQ(selfs_of(add_up_operators(run.profile(), range, stacks)), flat);
  EXPECT_EQ(selfs_of(add_up_operator_tree(run.profile(), range)), flat);
}

}  // namespace
}  // namespace dlview::aggregate
