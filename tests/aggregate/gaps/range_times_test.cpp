// Causes of idle gaps on threads with random nested ranges, and a slow look at every nanosecond.
#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "aggregate/aggregator.h"
#include "aggregate/gaps/idle_gaps.h"
#include "aggregate/rules/rule_index.h"
#include "generate/programs/machine.h"
#include "profile/display_name.h"
#include "support/opened_capture.h"
#include "support/seeds.h"

namespace dlview::aggregate {
namespace {

using base::Interval;
using generate::programs::Host;
using generate::programs::Machine;
using generate::programs::Stream;
using profile::InstanceIndex;
using profile::Profile;

// Ranges inside one another, of a framework and of a program, of which some launch a kernel.
class RandomRanges {
 public:
  explicit RandomRanges(uint64_t seed) : random_(seed), host_(machine_, 100, 100, "python", 1000) {
    stream_.device = machine_.add_device();
  }
  std::shared_ptr<const Profile> make() {
    host_.launch(kernel_, stream_);
    for (int i = 0; i < 12; ++i) add(0);
    host_.launch(kernel_, stream_);
    return testing::opened_capture(machine_.capture());
  }

 private:
  int below(int end) { return static_cast<int>(random_() % static_cast<uint64_t>(end)); }
  void add(int depth) {
    host_.run(200 + below(4000));
    if (below(4) == 0) host_.launch(kernel_, stream_);
    if (depth == 3 || below(4) == 0) return;
    const int name = below(5);
    const std::string text = name == 0   ? "aten::view, op_id = 3"
                             : name == 1 ? "load_batch"
                                         : fmt::format("part {}, op_id = {}", name, below(100));
    host_.range(text, [&] {
      for (int inner = below(4); inner >= 0; --inner) add(depth + 1);
    });
  }

  std::mt19937_64 random_;
  Machine machine_{1};
  Host host_;
  Stream stream_;
  const generate::programs::Kernel kernel_{"kernel", "kernel", 1000};
};

// What each nanosecond up to the launch goes to.
HostTime slow_host_time(const Profile& profile, const IdleGap& gap) {
  const profile::TraceNvtx& nvtx = profile.trace->nvtx;
  int64_t launch_ns = 0;
  for (profile::KernelIndex k{0}; k < profile.kernels.size(); ++k) {
    if (profile.kernels.gpu_start_ns[k] == gap.stop_ns) launch_ns = profile.kernels.api_start_ns[k];
  }
  const Interval before{gap.start_ns, std::min(launch_ns, gap.stop_ns)};
  const auto covers = [](const Interval& time, int64_t ns) {
    return time.start_ns <= ns && ns < time.stop_ns;
  };
  std::vector<Interval> ops;
  for (InstanceIndex i{0}; i < profile.instances.size(); ++i) {
    const Interval op{profile.instances.cpu_start_ns[i], profile.instances.cpu_stop_ns[i]};
    if (op.start_ns < before.stop_ns && op.stop_ns > before.start_ns) ops.push_back(op);
  }
  const auto is_in_op = [&](int64_t ns) {
    return std::ranges::any_of(ops, [&](const Interval& op) { return covers(op, ns); });
  };
  const auto launches_in = [&](const Interval& range) {
    for (profile::KernelIndex k{0}; k < profile.kernels.size(); ++k) {
      if (covers(range, profile.instances.cpu_start_ns[profile.kernels.instance[k]])) return true;
    }
    return false;
  };
  struct Range {
    Interval time;
    std::string name;
    bool is_quiet = false;
  };
  // Outer ones before those in them.
  std::vector<Range> ranges;
  for (std::size_t row = 0; row < nvtx.size(); ++row) {
    const Interval time{nvtx.start_ns[row], nvtx.end_ns[row]};
    if (time.stop_ns > before.stop_ns || time.stop_ns <= before.start_ns) continue;
    bool is_beside_ops = false;
    for (int64_t ns = std::max(time.start_ns, before.start_ns); ns < time.stop_ns; ++ns) {
      is_beside_ops |= !is_in_op(ns);
    }
    if (!is_beside_ops) continue;
    ranges.push_back({time, std::string(profile::bare_range_name(profile.text(nvtx.text[row]))),
                      !launches_in(time)});
  }
  std::ranges::sort(ranges, {}, [](const Range& range) { return range.time.start_ns; });
  std::map<GapCause, int64_t> causes;
  std::map<GapCause, std::map<std::string, int64_t>> names;
  for (int64_t ns = before.start_ns; ns < before.stop_ns; ++ns) {
    const Range *outermost = nullptr, *loading = nullptr, *innermost = nullptr;
    for (const Range& range : ranges) {
      if (!covers(range.time, ns)) continue;
      if (!range.is_quiet) {
        innermost = &range;
      } else {
        if (outermost == nullptr) outermost = &range;
        if (loading == nullptr && range.name == "load_batch") loading = &range;
      }
    }
    if (outermost == nullptr) {
      outermost = innermost;
      if (innermost != nullptr && innermost->name == "load_batch") loading = innermost;
    }
    const GapCause cause = loading != nullptr     ? GapCause::data_loader
                           : is_in_op(ns)         ? GapCause::op
                           : outermost == nullptr ? GapCause::nothing
                                                  : GapCause::host_range;
    ++causes[cause];
    if (cause == GapCause::data_loader) ++names[cause][loading->name];
    if (cause == GapCause::host_range) ++names[cause][outermost->name];
  }
  causes[GapCause::launch] = gap.stop_ns - before.stop_ns;
  HostTime host;
  for (const auto& [cause, ns] : causes) {
    if (ns <= host.cause_ns) continue;
    host.cause = cause;
    host.cause_ns = ns;
  }
  int64_t most_ns = 0;
  for (const auto& [name, ns] : names[host.cause]) {
    if (ns <= most_ns) continue;
    most_ns = ns;
    host.others_ns = host.cause_ns - ns;
    for (std::size_t row = 0; row < nvtx.size(); ++row) {
      if (profile::bare_range_name(profile.text(nvtx.text[row])) == name) {
        host.range = nvtx.text[row];
      }
    }
  }
  return host;
}

std::string name_of(const Profile& profile, const HostTime& host) {
  if (host.range == profile::kNoText) return "";
  return std::string(profile::bare_range_name(profile.text(host.range)));
}

TEST(RangeTimes, MatchSlowReference) {
  std::map<GapCause, int> seen;
  for (uint64_t seed = 1; seed <= testing::seeds(30); ++seed) {
    const auto profile = RandomRanges(seed).make();
    const RuleIndex index(*profile);
    const Aggregation aggregation = make_cpu_aggregator(profile)->aggregate({{}, {0, 0}});
    for (const IdleGap& gap : index.idle_gaps().longest(aggregation, 100)) {
      if (gap.host.cause == GapCause::queued) continue;
      const HostTime slow = slow_host_time(*profile, gap);
      const std::string where = fmt::format("{} at {}", seed, gap.start_ns);
      EXPECT_EQ(to_text(gap.host.cause), to_text(slow.cause)) << where;
      EXPECT_EQ(gap.host.cause_ns, slow.cause_ns) << where;
      EXPECT_EQ(name_of(*profile, gap.host), name_of(*profile, slow)) << where;
      if (slow.range != profile::kNoText) {
        EXPECT_EQ(gap.host.others_ns, slow.others_ns) << where;
        EXPECT_EQ(gap.host.instance, profile::kNoRow) << where;
      }
      ++seen[slow.cause];
    }
  }
  for (const GapCause cause : {GapCause::op, GapCause::host_range, GapCause::data_loader,
                               GapCause::nothing, GapCause::launch}) {
    EXPECT_GT(seen[cause], 3) << to_text(cause);
  }
}

}  // namespace
}  // namespace dlview::aggregate
