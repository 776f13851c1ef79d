#include "aggregate/limits/counter_join.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "aggregate/limits/counter_facts.h"
#include "aggregate/limits/kernel_name_forms.h"
#include "aggregate/limits/open_ranges.h"
#include "base/blocks.h"
#include "base/stop_point.h"
#include "profile/launch_sizes.h"
#include "profile/recorded_work.h"

namespace dlview::aggregate {
namespace {

using profile::Dim3;
using profile::KernelIndex;
using profile::Row;
using profile::StringId;

// Grid and block.
using LaunchSize = std::array<int32_t, 6>;
LaunchSize size_of(const Dim3& grid, const Dim3& block) {
  return {grid.x, grid.y, grid.z, block.x, block.y, block.z};
}

StringId name_of_kernel(const profile::Profile& profile, KernelIndex kernel) {
  const StringId full = profile.kernels.long_name[kernel];
  return profile.text(full).empty() ? profile.kernels.name[kernel] : full;
}

struct ProfileKey {
  StringId name = 0;
  LaunchSize size{};
  auto operator<=>(const ProfileKey&) const = default;
};

// The kernels of one name, grid and block, in order of start.
struct KernelsOfKey {
  using ByRanges = std::unordered_map<uint32_t, std::vector<KernelIndex>>;
  std::vector<KernelIndex> all;
  std::vector<profile::DeviceIndex> devices;  // of all, once a measured launch needs them
  // By numbers of OpenRanges; filled once a measured launch with ranges needs them.
  bool has_ranges = false;
  ByRanges by_path, by_innermost;
};

// The measured launches of a file with one name, grid, block and path of ranges.
struct MeasuredKey {
  Row file = 0;
  std::string_view name;
  LaunchSize size{};
  std::optional<StringId> ranges;
  auto operator<=>(const MeasuredKey&) const = default;
};

std::string_view without_vendor(std::string_view gpu) {
  for (const std::string_view vendor : {"NVIDIA ", "AMD "}) {
    if (gpu.starts_with(vendor)) gpu.remove_prefix(vendor.size());
  }
  return gpu;
}

class Joiner {
 public:
  Joiner(const profile::Profile& profile, const profile::KernelCounters& counters,
         std::span<const CounterFacts> facts)
      : profile_(profile), counters_(counters), facts_(facts), ranges_(profile) {
    join_.matches.resize(counters.launches.size());
  }

  CounterJoin join() {
    group_measured();
    if (!measured_.empty()) collect_kernels();
    if (!kernels_.empty()) index_names();
    for (auto& [key, launches] : measured_) {
      base::stop_point();
      match(key, launches);
    }
    number_sets();
    return std::move(join_);
  }

 private:
  using KernelsEntry = std::pair<const ProfileKey, KernelsOfKey>;
  struct Found {
    int level = 0;
    std::span<KernelsEntry* const> keys;
  };
  // Kernels of one form of a name at a level, by form and size.
  using Level = std::map<std::pair<uint32_t, LaunchSize>, std::vector<KernelsEntry*>>;

  void group_measured() {
    for (Row row = 0; row < counters_.launches.size(); ++row) {
      const profile::CounterLaunch& launch = counters_.launches[row];
      if (!launch.grid || !launch.block) {
        join_.matches[row].reason = "The file has no grid and block";
        continue;
      }
      measured_[{launch.file, counters_.text(launch.kernel), size_of(*launch.grid, *launch.block),
                 launch.ranges}]
          .push_back(row);
    }
  }

  // Puts the kernels under the four forms of their names.
  void index_names() {
    const std::unordered_map<StringId, StringId> mangled = mangled_names();
    StringId last = 0;
    std::array<std::optional<uint32_t>, kJoinLevels> forms;
    for (KernelsEntry& entry : kernels_) {
      const StringId name = entry.first.name;
      // Keys are in order of name.
      if (&entry == &*kernels_.begin() || name != last) {
        base::stop_point();
        last = name;
        const auto written = mangled.find(name);
        for (int level = 1; level <= kJoinLevels; ++level) {
          const bool is_mangled = level == 1 && written != mangled.end();
          const std::string form = is_mangled ? std::string(profile_.text(written->second))
                                              : form_of_name(profile_.text(name), level);
          std::optional<uint32_t>& number = forms[static_cast<std::size_t>(level - 1)];
          number.reset();
          if (!form.empty())
            number = form_numbers_.try_emplace(form, form_numbers_.size()).first->second;
        }
      }
      for (std::size_t i = 0; i < kJoinLevels; ++i) {
        if (forms[i]) levels_[i][{*forms[i], entry.first.size}].push_back(&entry);
      }
    }
  }

  // By name as in the profile; those of the first kernels.
  std::unordered_map<StringId, StringId> mangled_names() const {
    std::unordered_map<StringId, StringId> mangled;
    if (!profile_.trace || profile_.trace->kernels.mangled_name.empty()) return mangled;
    const profile::TraceKernels& trace = profile_.trace->kernels;
    for (KernelIndex kernel{0}; kernel < profile_.kernels.size(); ++kernel) {
      const std::size_t row = profile::row_of_source_id(profile_.kernels.source_id[kernel]);
      if (row >= trace.size() || trace.mangled_name[row] == profile::kNoText) continue;
      mangled.try_emplace(name_of_kernel(profile_, kernel), trace.mangled_name[row]);
    }
    return mangled;
  }

  void collect_kernels() {
    std::map<LaunchSize, uint8_t> wanted_sizes;
    for (const auto& [key, launches] : measured_) wanted_sizes[key.size] = 1;
    std::vector<uint8_t> is_wanted(profile_.launches.size(), 0);
    for (profile::LaunchIndex launch{0}; launch < profile_.launches.size(); ++launch) {
      is_wanted[launch] = wanted_sizes.count(size_of(profile_.launches.grid[launch],
                                                     profile_.launches.block[launch])) > 0
                              ? 1
                              : 0;
    }
    const auto& kernels = profile_.kernels;
    using Rows = std::vector<KernelIndex>;
    base::Blocks<Rows> blocks(kernels.size(), 65'536);
    blocks.for_each([&](Rows& rows, std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const KernelIndex kernel(static_cast<Row>(i));
        if (is_wanted[kernels.launch[kernel]] != 0 && profile::has_launch_size(profile_, kernel)) {
          rows.push_back(kernel);
        }
      }
    });
    for (const Rows& rows : blocks.states()) {
      for (const KernelIndex kernel : rows) {
        const profile::LaunchIndex launch = kernels.launch[kernel];
        const ProfileKey key{
            name_of_kernel(profile_, kernel),
            size_of(profile_.launches.grid[launch], profile_.launches.block[launch])};
        kernels_[key].all.push_back(kernel);
      }
    }
    for (auto& [key, rows] : kernels_) {
      std::ranges::stable_sort(rows.all, {},
                               [&](KernelIndex kernel) { return kernels.gpu_start_ns[kernel]; });
    }
  }

  // By the levels from `first` to `last`.
  Found find(std::string_view name, const LaunchSize& size, int first = 1, int last = kJoinLevels) {
    for (int level = first; level <= last; ++level) {
      const auto number = form_numbers_.find(forms_.of(name, level));
      if (number == form_numbers_.end()) continue;
      const Level& known = levels_[static_cast<std::size_t>(level - 1)];
      const auto found = known.find({number->second, size});
      if (found != known.end()) return {level, found->second};
    }
    return {};
  }

  void match(const MeasuredKey& key, const std::vector<Row>& launches) {
    LaunchMatch match;
    match.measured_launches = invocations_of(launches);
    Found found = find(key.name, key.size, 1, 2);
    std::optional<std::string_view> ranges, innermost;
    if (key.ranges) ranges = counters_.text(*key.ranges);
    // "step 3/volta_sgemm": ncu renamed the kernel by its range. The looser levels would not see
    // the range.
    const std::size_t slash = key.name.rfind('/');
    if (found.keys.empty() && slash != std::string_view::npos) {
      found = find(key.name.substr(slash + 1), key.size);
      innermost = key.name.substr(0, slash);
    }
    if (found.keys.empty()) {
      innermost.reset();
      found = find(key.name, key.size, 3);
    }
    if (found.keys.empty()) return end(match, launches, "No kernel has this name, grid and block");
    if (found.keys.size() > 1) {
      match.state = MatchState::ambiguous;
      for (const KernelsEntry* known : found.keys) match.candidates.push_back(known->first.name);
      return end(match, launches,
                 fmt::format("{} kernels have this name, grid and block", found.keys.size()));
    }
    match.level = found.level;
    match_gpus(match, launches, found.keys.front()->second, ranges, innermost);
  }

  // A row of a summary stands for several launches.
  int64_t invocations_of(std::span<const Row> launches) const {
    constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
    int64_t sum = 0;
    for (const Row launch : launches) {
      const int64_t count = counters_.launches[launch].invocations;
      sum = count > kMost - sum ? kMost : sum + count;
    }
    return sum;
  }

  void end(LaunchMatch& match, std::span<const Row> launches, std::string reason) {
    match.reason = std::move(reason);
    for (const Row launch : launches) join_.matches[launch] = match;
  }

  // Joins launches to kernels of the GPUs that they may have been measured on.
  void match_gpus(const LaunchMatch& match, const std::vector<Row>& launches, KernelsOfKey& known,
                  const std::optional<std::string_view>& ranges,
                  const std::optional<std::string_view>& innermost) {
    std::vector<profile::DeviceIndex>& devices = known.devices;
    if (devices.empty()) {
      for (const KernelIndex kernel : known.all) {
        const profile::DeviceIndex device = profile_.device_of_kernel(kernel);
        if (std::ranges::find(devices, device) == devices.end()) devices.push_back(device);
      }
    }
    std::map<std::vector<profile::DeviceIndex>, std::vector<Row>> by_devices;
    for (const Row launch : launches) {
      std::vector<profile::DeviceIndex> possible;
      std::ranges::copy_if(devices, std::back_inserter(possible), [&](profile::DeviceIndex device) {
        return other_gpu(launch, device).empty();
      });
      by_devices[possible].push_back(launch);
    }
    for (const auto& each : by_devices) {
      const std::vector<profile::DeviceIndex>& possible = each.first;  // lambdas take it
      const std::vector<Row>& same = each.second;
      LaunchMatch its = match;
      its.measured_launches = invocations_of(same);
      if (possible.empty()) {
        its.state = MatchState::refused;
        end(its, same, other_gpu(same.front(), devices.front()));
        continue;
      }
      std::string reason;
      const std::vector<KernelIndex>* kernels = in_ranges(known, ranges, innermost, reason);
      std::vector<KernelIndex> of_devices;
      if (possible.size() < devices.size()) {
        std::ranges::copy_if(*kernels, std::back_inserter(of_devices), [&](KernelIndex kernel) {
          return std::ranges::find(possible, profile_.device_of_kernel(kernel)) != possible.end();
        });
        kernels = &of_devices;
      }
      if (kernels->empty()) {
        its.level = 0;
        end(its, same, "No kernel of this name, grid and block is in these NVTX ranges");
        continue;
      }
      its.state = MatchState::joined;
      its.profile_launches = static_cast<int64_t>(kernels->size());
      assign(its, same, *kernels, reason);
    }
  }

  // "Measured on another GPU: NVIDIA L4 (compute capability 8.9) instead of NVIDIA H100 (compute
  // capability 9.0)"; empty = the same, or unknown.
  std::string other_gpu(Row launch, profile::DeviceIndex device) const {
    const profile::CounterLaunch& measured = counters_.launches[launch];
    const profile::Device& gpu = profile_.devices[device];
    using Capability = std::optional<profile::ComputeCapability>;
    Capability of_launch;
    if (measured.cc_major) of_launch = {*measured.cc_major, measured.cc_minor.value_or(0)};
    const Capability of_gpu = gpu.compute_capability();
    const bool other_capability = of_launch && of_gpu && of_launch != of_gpu;
    const std::string_view name = facts_[launch].device_name;
    const bool other_name =
        !name.empty() && !gpu.name.empty() && without_vendor(name) != without_vendor(gpu.name);
    if (!other_capability && !other_name) return "";
    const auto text = [](std::string_view gpu_name, const Capability& its) {
      if (!its) return std::string(gpu_name);
      const std::string capability =
          fmt::format("compute capability {}.{}", its->major, its->minor);
      return gpu_name.empty() ? capability : fmt::format("{} ({})", gpu_name, capability);
    };
    return fmt::format("Measured on another GPU: {} instead of {}", text(name, of_launch),
                       text(gpu.name, of_gpu));
  }

  // The kernels launched in these ranges.
  const std::vector<KernelIndex>* in_ranges(KernelsOfKey& known,
                                            const std::optional<std::string_view>& ranges,
                                            const std::optional<std::string_view>& innermost,
                                            std::string& reason) {
    static const std::vector<KernelIndex> kNone;
    if (!ranges && !innermost) return &known.all;
    if (!ranges_.are_recorded()) {
      reason = "NVTX ranges not compared: the profile has none";
      return &known.all;
    }
    if (!std::exchange(has_ranges_, true)) {
      std::vector<KernelIndex> all;
      for (const auto& [key, kernels] : kernels_) {
        all.insert(all.end(), kernels.all.begin(), kernels.all.end());
      }
      ranges_.find(std::move(all));
    }
    if (!std::exchange(known.has_ranges, true)) {
      for (const KernelIndex kernel : known.all) {
        known.by_path[ranges_.path_of(kernel)].push_back(kernel);
        known.by_innermost[ranges_.innermost_of(kernel)].push_back(kernel);
      }
      known.by_innermost.erase(OpenRanges::kNone);
    }
    const KernelsOfKey::ByRanges& groups = ranges ? known.by_path : known.by_innermost;
    const auto found =
        groups.find(ranges ? ranges_.path_number(*ranges) : ranges_.innermost_number(*innermost));
    return found == groups.end() ? &kNone : &found->second;
  }

  // By device, stream and start, if both sides have the same numbers of launches; else each kernel
  // gets all of them.
  void assign(LaunchMatch& match, const std::vector<Row>& launches,
              const std::vector<KernelIndex>& kernels, const std::string& reason) {
    using Queue = std::pair<int64_t, int64_t>;  // device and stream
    std::map<Queue, std::vector<Row>> measured;
    std::map<Queue, std::vector<KernelIndex>> of_profile;
    bool are_single = true;
    for (const Row launch : launches) {
      const profile::CounterLaunch& its = counters_.launches[launch];
      are_single &= its.invocations == 1;
      measured[{its.device.value_or(0), its.stream.value_or(0)}].push_back(launch);
    }
    for (const KernelIndex kernel : kernels) {
      const profile::Device& gpu = profile_.devices[profile_.device_of_kernel(kernel)];
      of_profile[{gpu.device_id, stream_of(kernel)}].push_back(kernel);
    }
    match.by_occurrence =
        are_single && measured.size() == of_profile.size() &&
        std::equal(measured.begin(), measured.end(), of_profile.begin(),
                   [](const auto& a, const auto& b) { return a.second.size() == b.second.size(); });
    end(match, launches, reason);
    if (match.by_occurrence) {
      auto queue = of_profile.begin();
      for (const auto& [number, rows] : measured) {
        for (std::size_t i = 0; i < rows.size(); ++i) {
          share(queue->second[i], add_group({&rows[i], 1}));
          note_ratio(rows[i], duration_ns(queue->second[i]));
        }
        ++queue;
      }
      return;
    }
    const uint32_t group = add_group(launches);
    double sum_ns = 0;
    for (const KernelIndex kernel : kernels) {
      share(kernel, group);
      sum_ns += duration_ns(kernel);
    }
    for (const Row launch : launches)
      note_ratio(launch, sum_ns / static_cast<double>(kernels.size()));
  }

  int64_t stream_of(KernelIndex kernel) const {
    if (!profile_.trace) return 0;
    const profile::RecordedWork work = profile::recorded_kernel(profile_, kernel);
    return work.row < work.table.stream.size() ? work.table.stream[work.row] : 0;
  }
  double duration_ns(KernelIndex kernel) const {
    return static_cast<double>(profile_.kernels.gpu_stop_ns[kernel] -
                               profile_.kernels.gpu_start_ns[kernel]);
  }

  // Launches that kernels get together.
  uint32_t add_group(std::span<const Row> launches) {
    grouped_.insert(grouped_.end(), launches.begin(), launches.end());
    group_end_.push_back(grouped_.size());
    return static_cast<uint32_t>(group_end_.size() - 2);
  }
  void share(KernelIndex kernel, uint32_t group) { groups_of_[kernel].push_back(group); }

  void note_ratio(Row launch, double mean_ns) {
    const std::optional<double>& measured = facts_[launch].duration_ns;
    if (measured && mean_ns > 0) join_.matches[launch].duration_ratio = *measured / mean_ns;
  }

  // Kernels with the same groups of launches have one set.
  void number_sets() {
    if (groups_of_.empty()) return;
    join_.set_of_kernel.assign(profile_.kernels.size(), CounterJoin::kNoSet);
    std::map<std::vector<uint32_t>, uint32_t> numbers;
    for (const auto& [kernel, groups] : groups_of_) {
      const auto [place, is_new] = numbers.emplace(groups, static_cast<uint32_t>(numbers.size()));
      if (is_new) {
        base::stop_point();
        for (const uint32_t group : groups) {
          for (std::size_t i = group_end_[group]; i < group_end_[group + 1]; ++i) {
            join_.set_launches.push_back(grouped_[i]);
          }
        }
        join_.set_first.push_back(static_cast<uint32_t>(join_.set_launches.size()));
      }
      join_.set_of_kernel[kernel] = place->second;
    }
  }

  const profile::Profile& profile_;
  const profile::KernelCounters& counters_;
  const std::span<const CounterFacts> facts_;
  OpenRanges ranges_;
  CounterJoin join_;
  std::map<MeasuredKey, std::vector<Row>> measured_;
  std::map<ProfileKey, KernelsOfKey> kernels_;
  std::unordered_map<std::string, uint32_t> form_numbers_;
  std::array<Level, kJoinLevels> levels_;
  MeasuredForms forms_;
  bool has_ranges_ = false;  // the kernels' were found
  // Group g is grouped_[group_end_[g] .. group_end_[g + 1]).
  std::vector<Row> grouped_;
  std::vector<std::size_t> group_end_{0};
  std::map<KernelIndex, std::vector<uint32_t>> groups_of_;
};

}  // namespace

std::string_view to_text(MatchState state) {
  switch (state) {
    case MatchState::joined:
      return "joined";
    case MatchState::ambiguous:
      return "ambiguous";
    case MatchState::refused:
      return "refused";
    case MatchState::none:
      break;
  }
  return "none";
}

CounterJoin join_counters(const profile::Profile& profile,
                          const profile::KernelCounters& counters) {
  return join_counters(profile, counters, facts_of(counters));
}

CounterJoin join_counters(const profile::Profile& profile, const profile::KernelCounters& counters,
                          std::span<const CounterFacts> facts) {
  return Joiner(profile, counters, facts).join();
}

}  // namespace dlview::aggregate
