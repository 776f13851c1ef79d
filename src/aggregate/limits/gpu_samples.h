// GpuSamples: what the sampled metrics of GPUs (profile::gpu_metric.h) say of a stretch of time, a
// kernel, an op and an iteration (docs/dev/spec.md, GPU metrics).
//
// Samples are of the whole GPU. So a kernel has values only where it runs alone on it: no other
// kernel, and nothing of another process. Copies may overlap it; the text then says so. Values are
// shown from two samples on, a limit from ten on.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "aggregate/aggregation.h"
#include "aggregate/limits/sample_curve.h"
#include "aggregate/limits/verdicts.h"
#include "profile/gpu_metric.h"
#include "profile/profile.h"

namespace dlview::aggregate {

inline constexpr int64_t kLeastSamples = 2, kLeastSamplesOfVerdict = 10;
inline constexpr std::size_t kGpuMetrics = static_cast<std::size_t>(profile::GpuMetric::other);

// A metric of a GPU.
struct SampledMetric {
  std::size_t series = 0;  // in Trace::counters
  std::string_view name;   // as the file has it: "SMs Active [Throughput %]"
  std::string_view unit;
  profile::GpuMetric metric = profile::GpuMetric::other;
  int64_t gpu = 0;              // TraceGpu::id
  profile::DeviceIndex device;  // kNoRow = the GPU did no work
  SampleCurve curve;
};

// The means of some samples, by metric. Several series of one metric, such as kinds of NVLink
// messages, are summed.
struct SampleMeans {
  int64_t samples = 0;
  std::array<std::optional<double>, kGpuMetrics> means = {};  // nullopt = not recorded
  std::optional<double> of(profile::GpuMetric metric) const {
    return metric == profile::GpuMetric::other ? std::nullopt
                                               : means[static_cast<std::size_t>(metric)];
  }
  std::optional<double> dram() const;  // read + write
  // The larger one of SM issue and Tensor Active, which are a part of SM throughput: a lower bound.
  std::optional<double> math() const;
  bool is_shown() const { return samples >= kLeastSamples; }
  // By dram() and math(), which prove memory and math; nothing proves "neither". unknown below ten
  // samples.
  Limit limit(const LimitThresholds& thresholds = {}) const;
};

// Why a kernel has values, or none.
enum class SampleState : uint8_t {
  none,           // its GPU was not sampled
  other_kernels,  // run at the same time
  other_process,  // copies of one
  too_short,      // fewer than two samples
  shown,
  verdict,  // ten samples or more
};

struct KernelSamples {
  SampleState state = SampleState::none;
  bool has_copies = false;  // beside it
  int64_t duration_ns = 0, period_ns = 0;
  SampleMeans samples;  // none unless state is at least shown
};
// "Sampled every 102 µs; this kernel lasts 8 µs", "4 samples", "Other kernels run at the same
// time".
std::string to_text(const KernelSamples& kernel);

// Samples of the kernels of a name or an op, or of an iteration on a GPU.
struct SampledRow {
  profile::StringId kernel = profile::kNoText;
  profile::OpIndex op;
  int64_t iteration = -1;
  profile::DeviceIndex device;  // of an iteration
  int64_t launches = 0;         // of kernels
  int64_t time_ns = 0;          // GPU time of these kernels; of an iteration its duration
  int64_t sampled_ns = 0;       // the part of it that has at least two samples
  SampleMeans samples;
  double coverage() const {
    return time_ns > 0 ? 100 * static_cast<double>(sampled_ns) / static_cast<double>(time_ns) : 0;
  }
};

class GpuSamples {
 public:
  // The profile outlives it. O(samples + k log k) for k kernels, on all cores.
  explicit GpuSamples(const profile::Profile& profile);

  // By GPU, in the order of the file.
  std::span<const SampledMetric> metrics() const { return metrics_; }
  bool empty() const { return metrics_.empty(); }
  // Returns the sampling period of the GPU; 0 = not sampled.
  int64_t period_ns(profile::DeviceIndex device) const;

  // Returns the means of the samples in the time. O(metrics * log n).
  SampleMeans means(profile::DeviceIndex device, const base::Interval& time) const;
  KernelSamples of_kernel(profile::KernelIndex kernel) const;

  // Rows of the range and its filters, most time first. An op has the samples of each stretch of
  // time in which only its kernels run, with gaps of at most one sampling period.
  std::vector<SampledRow> by_kernel(const Aggregation& aggregation) const;
  std::vector<SampledRow> by_op(const Aggregation& aggregation) const;
  // By iteration of the range, then by GPU. All that runs on the GPU counts, whatever the filters.
  std::vector<SampledRow> by_iteration(const Aggregation& aggregation) const;

 private:
  struct DeviceWork;
  class Sums;
  void find_kernels();
  SampleState state_of(profile::KernelIndex kernel) const;
  // By the first metric of the GPU, which has some.
  int64_t samples_in(profile::DeviceIndex device, const base::Interval& time) const;
  bool has_other_process(const DeviceWork& work, profile::KernelIndex kernel,
                         const base::Interval& time) const;
  std::vector<bool> kernels_in(const Aggregation& aggregation) const;

  const profile::Profile& profile_;
  std::vector<SampledMetric> metrics_;
  struct DeviceWork {
    std::size_t first_metric = 0, end_metric = 0;  // in metrics_
    std::vector<profile::KernelIndex> kernels;     // in order of start
    // Memory operations of a process in order of start, and the latest stop up to each.
    struct Copies {
      int64_t process_id = 0;
      std::vector<int64_t> start_ns, latest_stop_ns;
      bool overlap(const base::Interval& time) const;
    };
    std::vector<Copies> copies;
  };
  std::vector<DeviceWork> devices_;         // by row of Profile::devices
  std::vector<uint8_t> has_other_kernels_;  // by kernel: at the same time on its GPU
};

bool has_gpu_metrics(const profile::Profile& profile);

// The time from the start of the range to its end; all time where the range is the whole run.
base::Interval sampled_time(const Aggregation& aggregation);

}  // namespace dlview::aggregate
