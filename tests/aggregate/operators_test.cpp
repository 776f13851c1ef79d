#include "aggregate/operators.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "aggregate/host_events_reference.h"
#include "support/sketched_run.h"

namespace dlview::aggregate {
namespace {

using profile::Profile;
using profile::Row;
using testing::EventSketch;
using testing::HostEventsReference;
using testing::SketchedRun;

using OperatorLines = std::map<std::string, std::string>;

std::string operator_line(const OperatorTimes& times) {
  return fmt::format("{} calls, cpu {} {}, api {}, gpu {} {}", times.calls, times.host_total_ns,
                     times.host_self_ns, times.call_self_ns, times.gpu_total_ns, times.gpu_self_ns);
}

OperatorLines lines_of(const Profile& profile, const std::vector<Operator>& operators) {
  OperatorLines lines;
  for (const Operator& each : operators) {
    std::string name(profile.text(each.name));
    if (each.input_shapes != profile::kNoText) {
      name.append(" ").append(profile.text(each.input_shapes));
    }
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

OperatorLines slow_operators(const Profile& profile, const Aggregation& aggregation) {
  const HostEventsReference host(profile, aggregation, false);
  const profile::Trace& trace = *profile.trace;
  const auto name = [&](Row row) { return std::string(profile.text(trace.nvtx.text[row])); };
  std::map<std::string, OperatorTimes> sums;
  for (const Row row : host.rows) {
    if (!host.begins_in_range(row)) continue;
    OperatorTimes& sum = sums[name(row)];
    ++sum.calls;
    const std::vector<Row> around = host.around(row);
    const bool is_inside = std::any_of(around.begin() + 1, around.end(),
                                       [&](Row other) { return name(other) == name(row); });
    if (!is_inside) sum.host_total_ns += host.duration(row);
    sum.host_self_ns += host.duration(row);
    for (const Row other : host.rows) {
      if (host.parent(other) == row) sum.host_self_ns -= host.duration(other);
    }
  }
  for (Row call = 0; call < trace.api_calls.size(); ++call) {
    const int64_t start_ns = trace.api_calls.start_ns[call];
    if (!host.is_in_range(start_ns)) continue;
    const auto row = host.open_at(trace.numbers_of(trace.api_calls.thread[call]), start_ns);
    if (row) sums[name(*row)].call_self_ns += trace.api_calls.end_ns[call] - start_ns;
  }
  host.for_each_kernel([&](profile::Thread thread, int64_t call_ns, int64_t gpu_ns) {
    const auto row = host.open_at(thread, call_ns);
    if (!row) return;
    sums[name(*row)].gpu_self_ns += gpu_ns;
    std::set<std::string> names;
    for (const Row each : host.around(row)) names.insert(name(each));
    for (const std::string& each : names) sums[each].gpu_total_ns += gpu_ns;
  });
  OperatorLines lines;
  for (const auto& [each, times] : sums) {
    if (!times.is_empty()) lines[each] = operator_line(times);
  }
  return lines;
}

TEST(Operators, EqualTheObviousWay) {
  for (unsigned seed = 1; seed <= 8; ++seed) {
    std::mt19937 random(seed);
    const auto upto = [&random](int64_t most) {
      return static_cast<int64_t>(random() % static_cast<unsigned>(most));
    };
    EventSketch sketch;
    for (int step = 0; step < 4; ++step) {
      sketch.annotation(fmt::format("ProfilerStep#{}", step), 400 * step, 400 * step + 400);
    }
    for (int i = 0; i < 80; ++i) {
      const auto thread = static_cast<uint32_t>(upto(2));
      const int64_t start = upto(1500), stop = start + upto(i < 12 ? 500 : 60);
      sketch.op(fmt::format("n::op{}", upto(5)), start, stop, thread);
      sketch.launch("k", upto(1580), thread);
    }
    const SketchedRun run(std::move(sketch), "ProfilerStep");
    for (const IterationRange range : {IterationRange{0, 3}, {1, 2}, {3, 3}}) {
      const Aggregation aggregation = run.range(range);
      EXPECT_EQ(lines_of(run.profile(), add_up_operators(run.profile(), aggregation)),
                slow_operators(run.profile(), aggregation))
          << seed;
    }
  }
}

}  // namespace
}  // namespace dlview::aggregate
