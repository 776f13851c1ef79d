#include "aggregate/period_work.h"

#include <algorithm>
#include <utility>

#include "base/stop_point.h"

namespace dlview::aggregate {
namespace {

using profile::InstanceIndex;
using profile::KernelIndex;
using profile::Profile;

constexpr std::size_t kPeriodsOfPair = 16, kFewestPairs = 4;
constexpr std::size_t kMostKernels = 500;  // of one period whose names are looked at
constexpr double kMoreKernels = 1.25;      // than the median, in a period that is odd by its number
constexpr double kMostDistances = 0.8;     // that are equal where there is a stride

// Sums of these tell apart what is launched, with a chance of 2^-64 to be wrong (SplitMix64).
uint64_t mixed(profile::StringId name) {
  uint64_t z = (uint64_t{name} + 1) * 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

template <typename Value>
Value median(std::vector<Value> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Returns twice the kernels that both have in common, divided by the kernels of both (Dice). Both
// are sorted.
double shared(const std::vector<profile::StringId>& a, const std::vector<profile::StringId>& b) {
  std::size_t both = 0;
  for (auto one = a.begin(), other = b.begin(); one != a.end() && other != b.end();) {
    if (*one == *other) ++both;
    const bool is_less = *one < *other, is_greater = *other < *one;
    if (!is_greater) ++one;
    if (!is_less) ++other;
  }
  const std::size_t all = a.size() + b.size();
  return all == 0 ? 1 : 2.0 * static_cast<double>(both) / static_cast<double>(all);
}

// Returns the distance between odd periods if most are equally far apart; else 0.
int64_t stride_of(const std::vector<std::size_t>& odd, std::size_t periods) {
  if (odd.size() < 2) return 0;
  std::vector<std::size_t> distances;
  for (std::size_t i = 1; i < odd.size(); ++i) distances.push_back(odd[i] - odd[i - 1]);
  const std::size_t stride = median(distances);
  // Two odd periods make a stride only if a third has no room before or after them.
  if (stride < 2 || odd.front() >= stride || periods - odd.back() > stride) return 0;
  const auto equal = static_cast<double>(std::ranges::count(distances, stride));
  const bool is_stride = equal >= kMostDistances * static_cast<double>(distances.size());
  return is_stride ? static_cast<int64_t>(stride) : 0;
}

constexpr int64_t kPause = 4;  // times the median distance
constexpr std::size_t kFewestBursts = 3;

int64_t median_distance(const std::vector<int64_t>& starts) {
  std::vector<int64_t> distances;
  distances.reserve(starts.size() - 1);
  for (std::size_t i = 1; i < starts.size(); ++i) distances.push_back(starts[i] - starts[i - 1]);
  const auto middle = distances.begin() + static_cast<std::ptrdiff_t>((distances.size() - 1) / 2);
  std::nth_element(distances.begin(), middle, distances.end());
  return *middle;
}

}  // namespace

PeriodWork::PeriodWork(const Profile& profile, const base::IntervalSet& left_out)
    : profile_(profile) {
  const auto& instances = profile.instances;
  for (InstanceIndex i{0}; i < instances.size(); ++i) {
    base::stop_point();
    const KernelIndex first = instances.first_kernel[i], last = instances.first_kernel[i + 1];
    const int64_t start_ns = instances.cpu_start_ns[i];
    if (first == last || left_out.covered_ns(start_ns, start_ns + 1) > 0) continue;
    Launches& of = of_process_[profile.threads[instances.thread[i]].process_id];
    uint64_t names = of.names_before.back();
    for (KernelIndex k = first; k < last; ++k) names += mixed(profile.kernels.name[k]);
    of.instances.push_back(i);
    of.kernels_before.push_back(of.kernels_before.back() + int64_t{last - first});
    of.names_before.push_back(names);
    of_thread_[instances.thread[i]] += int64_t{last - first};
    kernels_ += int64_t{last - first};
  }
}

int64_t PeriodWork::kernels(int64_t process) const {
  const auto found = of_process_.find(process);
  return found == of_process_.end() ? 0 : found->second.kernels_before.back();
}

int64_t PeriodWork::kernels_of_thread(const profile::Thread& thread) const {
  int64_t kernels = 0;
  for (const auto& [row, count] : of_thread_) {
    if (profile_.threads[row] == thread) kernels += count;
  }
  return kernels;
}

std::size_t PeriodWork::place_of(const Launches& of, int64_t time_ns) const {
  const auto& starts = profile_.instances.cpu_start_ns;
  const auto found = std::ranges::lower_bound(
      of.instances, time_ns, {}, [&](InstanceIndex instance) { return starts[instance]; });
  return static_cast<std::size_t>(found - of.instances.begin());
}

PeriodWork::Work PeriodWork::between(const Launches& of, std::size_t first, std::size_t last) {
  last = std::max(first, last);
  return {first, last, of.kernels_before[last] - of.kernels_before[first],
          of.names_before[last] - of.names_before[first]};
}

int64_t PeriodWork::kernels_between(int64_t process, int64_t from_ns, int64_t to_ns) const {
  const auto found = of_process_.find(process);
  if (found == of_process_.end()) return 0;
  const Launches& of = found->second;
  return between(of, place_of(of, from_ns), place_of(of, to_ns)).kernels;
}

PeriodWork::Names PeriodWork::names_of(const Launches& of, const Work& work) const {
  const auto& first_kernel = profile_.instances.first_kernel;
  Names names;
  for (std::size_t i = work.first; i < work.last && names.size() < kMostKernels; ++i) {
    const InstanceIndex instance = of.instances[i];
    for (KernelIndex k = first_kernel[instance]; k < first_kernel[instance + 1]; ++k) {
      names.push_back(profile_.kernels.name[k]);
      if (names.size() == kMostKernels) break;
    }
  }
  std::ranges::sort(names);
  return names;
}

double PeriodWork::median_share(const Launches& of, const std::vector<Work>& periods) const {
  const std::size_t pairs = periods.size() - 1,
                    looked_at =
                        std::min(pairs, std::max(periods.size() / kPeriodsOfPair, kFewestPairs));
  std::vector<double> shares;
  for (std::size_t n = 0; n < looked_at; ++n) {
    const Work &one = periods[n * pairs / looked_at], &next = periods[n * pairs / looked_at + 1];
    shares.push_back(one.same_as(next) ? 1 : shared(names_of(of, one), names_of(of, next)));
  }
  return median(std::move(shares));
}

std::optional<Likeness> PeriodWork::likeness(int64_t process, std::span<const int64_t> starts_ns,
                                             std::size_t most_periods) const {
  const auto found = of_process_.find(process);
  if (found == of_process_.end() || starts_ns.size() < 3) return std::nullopt;
  const Launches& of = found->second;
  // The middle is away from warm-up and end; only periods in a row show a stride.
  const std::size_t all = starts_ns.size() - 1, count = std::min(all, most_periods);
  const std::span<const int64_t> bounds = starts_ns.subspan((all - count) / 2, count + 1);
  std::vector<Work> periods;
  std::vector<int64_t> kernels;
  for (std::size_t i = 0, last = place_of(of, bounds[0]); i < count; ++i) {
    const std::size_t first = last;
    last = place_of(of, bounds[i + 1]);
    periods.push_back(between(of, first, last));
    kernels.push_back(periods.back().kernels);
  }
  const int64_t usual_kernels = median(kernels);
  if (usual_kernels == 0) return std::nullopt;

  std::map<std::pair<int64_t, uint64_t>, std::size_t> kinds;
  for (const Work& period : periods) ++kinds[{period.kernels, period.names}];
  const auto usual = std::ranges::max_element(kinds, {}, [](const auto& k) { return k.second; });
  std::vector<std::size_t> other, longer;
  for (std::size_t i = 0; i < count; ++i) {
    if (std::pair(periods[i].kernels, periods[i].names) != usual->first) other.push_back(i);
    const auto usually = static_cast<double>(usual_kernels);
    if (static_cast<double>(kernels[i]) >= kMoreKernels * usually) longer.push_back(i);
  }
  Likeness result;
  result.share = median_share(of, periods);
  result.equal = static_cast<double>(usual->second) / static_cast<double>(count);
  const bool has_usual = 2 * usual->second >= count;
  const int64_t by_kind = has_usual ? stride_of(other, count) : 0;
  const int64_t by_number = stride_of(longer, count);
  result.stride = std::max(by_kind, by_number);
  if (result.stride > 0) {
    std::vector<int64_t> odd;
    for (const std::size_t i : by_kind > by_number ? other : longer) odd.push_back(kernels[i]);
    result.odd_kernels = static_cast<double>(median(std::move(odd))) /
                         static_cast<double>(std::max<int64_t>(usual_kernels, 1));
  }
  return result;
}

int64_t burst_size(const std::vector<int64_t>& starts_ns) {
  if (starts_ns.size() < 2 * kFewestBursts) return 1;
  const int64_t pause = kPause * median_distance(starts_ns);
  std::vector<int64_t> sizes{1};
  for (std::size_t i = 1; i < starts_ns.size(); ++i) {
    if (starts_ns[i] - starts_ns[i - 1] > pause) {
      sizes.push_back(1);
    } else {
      ++sizes.back();
    }
  }
  if (sizes.size() < kFewestBursts) return 1;
  const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
  std::nth_element(sizes.begin(), middle, sizes.end());
  const int64_t usual = *middle;
  const auto alike = static_cast<std::size_t>(std::count(sizes.begin(), sizes.end(), usual));
  return usual <= kLongestBurst && 5 * alike >= 4 * sizes.size() ? usual : 1;
}

}  // namespace dlview::aggregate
