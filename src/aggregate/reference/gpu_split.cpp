#include "aggregate/reference/gpu_split.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "profile/recorded_work.h"

namespace dlview::aggregate::reference {
namespace {

using profile::DeviceIndex;
using profile::InstanceIndex;
using profile::KernelIndex;
using profile::kNoValue;
using profile::Profile;

// Device, process, context and number, as far as they are recorded.
using StreamName = std::tuple<DeviceIndex, int64_t, int64_t, int64_t>;

struct BoundaryKernel {
  StreamName stream;
  int64_t launched_ns = 0;   // when its op instance begins
  int64_t call_stop_ns = 0;  // when the call that launches it returns
  InstanceIndex instance{0};
  int64_t start_ns = 0, stop_ns = 0;  // stop: never before the start
};

StreamName stream_of(const Profile& profile, KernelIndex kernel) {
  StreamName name{profile.device_of_kernel(kernel), kNoValue, kNoValue, kNoValue};
  if (!profile.trace) return name;
  const auto& [table, row] = profile::recorded_kernel(profile, kernel);
  if (!table.process.empty() && table.process[row] != kNoValue) {
    std::get<1>(name) = profile.trace->numbers_of(table.process[row]).process_id;
  }
  if (!table.context.empty()) std::get<2>(name) = table.context[row];
  if (!table.stream.empty()) std::get<3>(name) = table.stream[row];
  return name;
}

std::vector<BoundaryKernel> boundary_kernels(const Profile& profile,
                                             std::optional<int64_t> process_id) {
  std::vector<BoundaryKernel> counting;
  for (KernelIndex k{0}; k < profile.kernels.size(); ++k) {
    const InstanceIndex instance = profile.kernels.instance[k];
    const profile::Thread& thread = profile.threads[profile.instances.thread[instance]];
    if (process_id && thread.process_id != *process_id) continue;
    const int64_t launched_ns = profile.instances.cpu_start_ns[instance];
    const int64_t start_ns = profile.kernels.gpu_start_ns[k];
    if (start_ns <= launched_ns) continue;
    counting.push_back({stream_of(profile, k), launched_ns, profile.kernels.api_stop_ns[k],
                        instance, start_ns, std::max(start_ns, profile.kernels.gpu_stop_ns[k])});
  }
  return counting;
}

// The stream with most time, the first of equal ones.
StreamName main_stream(const Profile& profile, std::optional<int64_t> process_id) {
  std::map<StreamName, int64_t> time_ns;
  for (KernelIndex k{0}; k < profile.kernels.size(); ++k) {
    const InstanceIndex instance = profile.kernels.instance[k];
    const profile::Thread& thread = profile.threads[profile.instances.thread[instance]];
    if (process_id && thread.process_id != *process_id) continue;
    if (profile.kernels.gpu_start_ns[k] <= profile.instances.cpu_start_ns[instance]) continue;
    time_ns[stream_of(profile, k)] +=
        profile.kernels.gpu_stop_ns[k] - profile.kernels.gpu_start_ns[k];
  }
  StreamName main;
  std::optional<int64_t> most_ns;
  for (const auto& [stream, ns] : time_ns) {
    if (most_ns && ns <= *most_ns) continue;
    main = stream;
    most_ns = ns;
  }
  return main;
}

struct Launched {
  std::vector<BoundaryKernel> kernels, on_main;
};

int64_t first_start(const std::vector<BoundaryKernel>& kernels) {
  return std::ranges::min(kernels, {}, &BoundaryKernel::start_ns).start_ns;
}

int64_t last_stop(const std::vector<BoundaryKernel>& kernels) {
  return std::ranges::max(kernels, {}, &BoundaryKernel::stop_ns).stop_ns;
}

// When iteration i ends on the GPU. `end_ns`: when the last one ends.
int64_t end_on_gpu(const std::vector<Launched>& launched, std::size_t i, int64_t begin_ns,
                   int64_t end_ns) {
  int64_t stop_ns = begin_ns - 1;
  for (std::size_t earlier = 0; earlier <= i; ++earlier) {
    const auto& on_main = launched[earlier].on_main;
    if (!on_main.empty()) stop_ns = std::max(stop_ns, last_stop(on_main));
  }
  if (!launched[i].on_main.empty() || launched[i].kernels.empty()) return stop_ns;
  const int64_t elsewhere_ns = last_stop(launched[i].kernels);
  const int64_t next_ns =
      i + 1 == launched.size() ? end_ns : end_on_gpu(launched, i + 1, begin_ns, end_ns);
  return stop_ns <= elsewhere_ns && elsewhere_ns <= next_ns ? elsewhere_ns : stop_ns;
}

// When the first iteration begins if ranges mark iterations. `earlier`: what is launched on the
// main stream before; `all`: in the iterations.
int64_t first_begin(int64_t host_ns, const std::vector<BoundaryKernel>& earlier,
                    const std::vector<BoundaryKernel>& all) {
  const BoundaryKernel first = std::ranges::min(all, {}, &BoundaryKernel::start_ns);
  int64_t begin_ns = host_ns;
  if (!earlier.empty()) begin_ns = std::max(begin_ns, last_stop(earlier));
  if (begin_ns >= first.start_ns) return first.start_ns;
  const int64_t queued_from_ns = std::max(begin_ns, first.call_stop_ns);
  const int64_t queued_ns = first.start_ns - queued_from_ns;
  if (queued_ns < 1'000'000) return begin_ns;
  return 2 * queued_ns > first.start_ns - begin_ns ? first.start_ns : begin_ns;
}

}  // namespace

Iterations times_on_gpu(const Profile& profile, std::optional<int64_t> process_id,
                        const Iterations& by_host) {
  const std::vector<BoundaryKernel> counting = boundary_kernels(profile, process_id);
  const StreamName main = main_stream(profile, process_id);
  std::vector<BoundaryKernel> all, earlier;
  for (const BoundaryKernel& kernel : counting) {
    const bool is_earlier = kernel.instance < by_host.rows.front().first_instance;
    if (is_earlier && kernel.stream == main) earlier.push_back(kernel);
  }
  std::vector<Launched> launched;
  Iterations result = by_host;
  for (std::size_t i = 0; i < by_host.rows.size(); ++i) {
    const Iteration& row = by_host.rows[i];
    Launched& here = launched.emplace_back();
    std::vector<BoundaryKernel> in_range;
    for (const BoundaryKernel& kernel : counting) {
      if (kernel.instance < row.first_instance || kernel.instance >= row.last_instance) continue;
      all.push_back(kernel);
      here.kernels.push_back(kernel);
      if (kernel.stream == main) here.on_main.push_back(kernel);
      if (by_host.ranges.empty()) continue;
      const KeyRange& range = by_host.ranges[i];
      if (kernel.launched_ns >= range.start_ns && kernel.launched_ns <= range.stop_ns) {
        in_range.push_back(kernel);
      }
    }
    if (!in_range.empty()) {
      result.ranges[i].on_gpu = base::Interval{first_start(in_range), last_stop(in_range)};
    }
  }
  if (all.empty()) return by_host;

  const Iteration &first = by_host.rows.front(), &last = by_host.rows.back();
  const bool by_ranges = !by_host.ranges.empty();
  const int64_t begin_ns = by_ranges ? first_begin(first.start_ns, earlier, all) : first.start_ns;
  const int64_t end_ns = by_ranges ? std::max(last.stop_ns, last_stop(all)) : last.stop_ns;
  for (std::size_t i = 0; i < result.rows.size(); ++i) {
    Iteration& row = result.rows[i];
    const int64_t host_ns = by_host.rows[i].start_ns;
    row.start_ns = begin_ns;
    if (i > 0) {
      row.start_ns = std::max(host_ns, end_on_gpu(launched, i - 1, begin_ns, end_ns) + 1);
    }
    row.host = base::Interval{host_ns, by_host.rows[i].stop_ns};
  }
  for (std::size_t i = 0; i < result.rows.size(); ++i) {
    Iteration& row = result.rows[i];
    const int64_t stop_ns = i + 1 == result.rows.size() ? end_ns : result.rows[i + 1].start_ns - 1;
    row.stop_ns = std::max(row.start_ns, stop_ns);
  }
  result.split_by = SplitBy::gpu;
  return result;
}

}  // namespace dlview::aggregate::reference
