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
#include "generate/capture.h"
#include "generate/programs/machine.h"
#include "import/open.h"
#include "support/seeds.h"
#include "support/test_data.h"

namespace dlview::aggregate {
namespace {

using base::Interval;
using generate::programs::Host;
using generate::programs::Machine;
using generate::programs::Stream;
using profile::InstanceIndex;
using profile::Profile;
using profile::StringId;

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
    const testing::TemporaryFolder folder;
    const auto path = folder.path() / "run.sqlite";
    base::Progress progress;
    EXPECT_TRUE(
        generate::write_capture(machine_.capture(), generate::NsysSchema::v2026, path, progress)
            .ok());
    base::Result<Profile> opened = import::open_profile(path, progress);
    EXPECT_TRUE(opened.ok());
    return std::make_shared<const Profile>(std::move(*opened));
  }

 private:
  int below(int end) { return static_cast<int>(random_() % static_cast<uint64_t>(end)); }
  void add(int depth) {
    host_.run(200 + below(4000));
    if (below(4) == 0) host_.launch(kernel_, stream_);
    if (depth == 3 || below(4) == 0) return;
    const int name = below(4);
    host_.range(
        name == 0 ? std::string("aten::view, op_id = 3") : fmt::format("part {}", 'a' + name), [&] {
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
  const auto launches_in = [&](const Interval& range) {
    for (profile::KernelIndex k{0}; k < profile.kernels.size(); ++k) {
      const int64_t start_ns = profile.instances.cpu_start_ns[profile.kernels.instance[k]];
      if (range.start_ns <= start_ns && start_ns < range.stop_ns) return true;
    }
    return false;
  };
  struct Quiet {
    Interval time;
    StringId text;
  };
  std::vector<Quiet> quiet;
  for (std::size_t row = 0; row < nvtx.size(); ++row) {
    const Interval range{nvtx.start_ns[row], nvtx.end_ns[row]};
    if (range.stop_ns > before.stop_ns || range.stop_ns <= before.start_ns) continue;
    if (launches_in(range)) continue;
    quiet.push_back({range, nvtx.text[row]});
  }
  std::vector<Interval> ops;
  for (InstanceIndex i{0}; i < profile.instances.size(); ++i) {
    const Interval op{profile.instances.cpu_start_ns[i], profile.instances.cpu_stop_ns[i]};
    if (op.start_ns < before.stop_ns && op.stop_ns > before.start_ns) ops.push_back(op);
  }
  std::map<GapCause, int64_t> causes;
  std::map<StringId, int64_t> names;
  for (int64_t ns = before.start_ns; ns < before.stop_ns; ++ns) {
    const bool is_in_op = std::ranges::any_of(
        ops, [ns](const Interval& op) { return op.start_ns <= ns && ns < op.stop_ns; });
    const Quiet* outermost = nullptr;
    for (const Quiet& range : quiet) {
      if (ns < range.time.start_ns || range.time.stop_ns <= ns) continue;
      if (outermost == nullptr || range.time.start_ns < outermost->time.start_ns) {
        outermost = &range;
      }
    }
    ++causes[is_in_op ? GapCause::op : outermost == nullptr ? GapCause::nothing : GapCause::range];
    if (!is_in_op && outermost != nullptr) ++names[outermost->text];
  }
  causes[GapCause::launch] = gap.stop_ns - before.stop_ns;
  HostTime host;
  for (const auto& [cause, ns] : causes) {
    if (ns <= host.cause_ns) continue;
    host.cause = cause;
    host.cause_ns = ns;
  }
  if (host.cause != GapCause::range) return host;
  int64_t most_ns = 0;
  for (const auto& [text, ns] : names) {
    if (ns <= most_ns) continue;
    most_ns = ns;
    host.range = text;
  }
  host.others_ns = host.cause_ns - most_ns;
  return host;
}

TEST(QuietRanges, AreThoseOfALookAtEveryNanosecond) {
  std::map<GapCause, int> seen;
  for (uint64_t seed = 1; seed <= testing::seeds(30); ++seed) {
    const auto profile = RandomRanges(seed).make();
    const RuleIndex index(*profile);
    const Aggregation aggregation = make_cpu_aggregator(profile)->aggregate({{}, {0, 0}});
    for (const IdleGap& gap : index.idle_gaps().longest(aggregation, 100)) {
      if (gap.host.cause == GapCause::queued) continue;
      const HostTime slow = slow_host_time(*profile, gap);
      EXPECT_EQ(gap.host.cause, slow.cause) << seed << " at " << gap.start_ns;
      EXPECT_EQ(gap.host.cause_ns, slow.cause_ns) << seed << " at " << gap.start_ns;
      EXPECT_EQ(gap.host.range, slow.range) << seed << " at " << gap.start_ns;
      if (slow.cause == GapCause::range) {
        EXPECT_EQ(gap.host.others_ns, slow.others_ns);
      }
      ++seen[slow.cause];
    }
  }
  for (const GapCause cause :
       {GapCause::op, GapCause::range, GapCause::nothing, GapCause::launch}) {
    EXPECT_GT(seen[cause], 3) << to_text(cause);
  }
}

}  // namespace
}  // namespace dlview::aggregate
