#include "aggregate/kernel_slowdown.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "aggregate/iteration_ops.h"
#include "profile/communication.h"

namespace dlview::aggregate {
namespace {

using profile::Profile;
using profile::Row;

constexpr double kLeastChange = 0.05, kShareAlike = 0.8;
constexpr std::size_t kFewestKernels = 3;
constexpr int64_t kAhead = 2;  // iterations

struct NamedTime {
  int64_t ns = 0, count = 0;
};
using TimesByName = std::map<std::pair<Row, profile::StringId>, NamedTime>;

TimesByName times_by_name(const Profile& profile, const Iterations& iterations, int64_t number) {
  TimesByName times;
  const profile::Kernels& kernels = profile.kernels;
  const auto row = [&](int64_t i) { return iterations.rows[static_cast<std::size_t>(i)]; };
  const Iteration iteration = row(number);
  const profile::Row first = kernels_of(profile, row(std::max<int64_t>(0, number - kAhead))).first,
                     last = kernels_of(profile, iteration).last;
  for (Row i = first; i < last; ++i) {
    if (kernels.gpu_start_ns[i] < iteration.start_ns ||
        kernels.gpu_start_ns[i] >= iteration.stop_ns) {
      continue;
    }
    NamedTime& time = times[{profile.instances.op[kernels.instance[i]], kernels.name[i]}];
    time.ns += kernels.gpu_stop_ns[i] - kernels.gpu_start_ns[i];
    ++time.count;
  }
  std::erase_if(times, [&](const auto& entry) {
    return profile::communication_of(profile.text(entry.first.second)).has_value();
  });
  return times;
}

struct Change {
  double factor = 1, baseline_ns = 0;
};

}  // namespace

double kernel_slowdown(const Profile& profile, const Iterations& iterations, int64_t iteration,
                       int64_t baseline) {
  const TimesByName here = times_by_name(profile, iterations, iteration);
  std::vector<Change> changes;
  double all_ns = 0;
  for (const auto& [name, before] : times_by_name(profile, iterations, baseline)) {
    all_ns += static_cast<double>(before.ns);
    const auto after = here.find(name);
    if (after == here.end() || after->second.count != before.count || before.ns == 0) continue;
    changes.push_back({static_cast<double>(after->second.ns) / static_cast<double>(before.ns),
                       static_cast<double>(before.ns)});
  }
  if (changes.size() < kFewestKernels) return 1;
  std::ranges::sort(changes, {}, &Change::factor);
  double median = 1, before_ns = 0;
  for (const Change& change : changes) {
    before_ns += change.baseline_ns;
    if (2 * before_ns < all_ns) continue;
    median = change.factor;
    break;
  }
  if (std::abs(median - 1) < kLeastChange) return 1;
  double alike_ns = 0;
  for (const Change& change : changes) {
    const bool is_alike = (change.factor - 1) / (median - 1) >= 0.5;
    if (is_alike) alike_ns += change.baseline_ns;
  }
  return alike_ns >= kShareAlike * all_ns ? median : 1;
}

}  // namespace dlview::aggregate
