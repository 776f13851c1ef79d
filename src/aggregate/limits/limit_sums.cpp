#include "aggregate/limits/limit_sums.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace dlview::aggregate {
namespace {

constexpr double kNsPerSecond = 1e9;

// ns of the roofs of `count` pieces of work; nullopt = a peak is unknown.
struct RoofTimes {
  std::optional<double> math, memory;
};
RoofTimes roof_times(const std::optional<double>& flops, const std::optional<double>& bytes,
                     double count, const std::optional<MathType>& type, const GpuPeaks* gpu) {
  RoofTimes times;
  if (flops && *flops == 0) times.math = 0;
  if (gpu == nullptr) return times;
  if (flops && type && gpu->of(*type)) {
    times.math = *flops * count / gpu->of(*type)->per_second * kNsPerSecond;
  }
  if (bytes && gpu->bandwidth) {
    times.memory = *bytes * count / gpu->bandwidth->per_second * kNsPerSecond;
  }
  return times;
}

Share share_of(const std::optional<double>& value, Origin origin, double factor = 1) {
  return value ? Share{factor * *value, origin} : Share{};
}

std::optional<double> least_of(const std::optional<double>& value,
                               const std::optional<double>& least) {
  return value && least ? least : value;
}

}  // namespace

std::optional<double> LimitSums::Part::mean() const {
  return ns > 0 ? std::optional(sum / static_cast<double>(ns)) : std::nullopt;
}

void LimitSums::Quantity::take(double value, int64_t time_ns, bool is_exact, Origin its_origin) {
  add(value, time_ns);
  origin = has ? std::min(origin, its_origin) : its_origin;
  has = true;
  exact &= is_exact;
}

WorkSum LimitSums::Quantity::work_sum() const {
  return has ? WorkSum{sum, origin, exact, may_be_high} : WorkSum{};
}

std::optional<double> LimitSums::Quantity::per_second() const {
  const std::optional<double> per_ns = mean();
  return has && per_ns ? std::optional(*per_ns * kNsPerSecond) : std::nullopt;
}

void LimitSums::add_time(int64_t kernels, int64_t time_ns, profile::Row device,
                         const std::optional<MathType>& type) {
  kernels_ += kernels;
  time_ns_ += time_ns;
  device_ = has_device_ && device_ != device ? profile::kNoRow : device;
  has_device_ = true;
  if (type) ns_of_type_[static_cast<std::size_t>(*type)] += time_ns;
}

void LimitSums::set_kernels(int64_t kernels, int64_t time_ns) {
  kernels_ = kernels;
  time_ns_ = time_ns;
}

void LimitSums::add_formula(const OpWork& work, int64_t time_ns) {
  if (time_ns <= work_ns_) return;
  work_ = &work;
  work_ns_ = time_ns;
}

void LimitSums::add_work(const Work& each, int64_t times, int64_t time_ns,
                         const std::optional<MathType>& type, const GpuPeaks* gpu) {
  const auto count = static_cast<double>(times);
  if (each.flops) flops_.take(*each.flops * count, time_ns, each.exact, each.flops_origin);
  if (each.bytes) bytes_.take(*each.bytes * count, time_ns, each.exact, each.bytes_origin);
  if (each.flops && each.bytes) both_ns_ += time_ns;
  if (each.flops && type) flops_of_type_[static_cast<std::size_t>(*type)] += *each.flops * count;
  const std::optional<double> flops_least = least_of(each.flops, each.flops_least),
                              bytes_least = least_of(each.bytes, each.bytes_least);
  flops_.may_be_high |= flops_least != each.flops;
  bytes_.may_be_high |= bytes_least != each.bytes;
  const RoofTimes roofs = roof_times(each.flops, each.bytes, count, type, gpu);
  if (roofs.math) math_.add(*roofs.math, time_ns);
  if (roofs.memory) memory_.add(*roofs.memory, time_ns);
  const RoofTimes sure = roof_times(flops_least, bytes_least, count, type, gpu);
  const bool may_stay_in_l2 = each.bytes && each.bytes_origin == Origin::estimated &&
                              gpu != nullptr &&
                              *each.bytes <= static_cast<double>(gpu->l2_bytes.value_or(0));
  may_stay_in_l2_ |= may_stay_in_l2;
  if (sure.math) sure_math_.add(*sure.math, time_ns);
  if (sure.memory) sure_memory_.add(may_stay_in_l2 ? 0 : *sure.memory, time_ns);
  if (!sure.math || !sure.memory) return;
  const double roof_ns = std::max(*sure.math, *sure.memory);
  roof_.add(roof_ns, time_ns);
  if (*sure.math > *sure.memory) roof_math_ns_ += roof_ns;
  save_ns_ += std::max(0.0, static_cast<double>(time_ns) - roof_ns);
}

void LimitSums::add_busy(const BusyFacts& facts, const std::optional<double>& bytes, uint32_t set,
                         int64_t kernels, int64_t time_ns, const GpuPeaks* gpu) {
  const auto weight = static_cast<double>(time_ns);
  const auto add = [&](const std::optional<double>& percent, Part& part) {
    if (percent) part.add(*percent * weight, time_ns);
  };
  has_several_sets_ |= measured_ns_ > 0 && set_ != set;
  set_ = set;
  measured_ns_ += time_ns;
  if (facts.waves) waves_ = facts.waves;
  std::optional<double> dram = facts.dram;
  if (!dram && bytes && gpu != nullptr && gpu->bandwidth && time_ns > 0) {
    derives_dram_ = true;
    dram = 100 * *bytes * static_cast<double>(kernels) / weight * kNsPerSecond /
           gpu->bandwidth->per_second;
  }
  add(facts.compute, busy_math_);
  add(dram, busy_memory_);
  add(facts.memory, memory_percent_);
  add(facts.l1, l1_);
  add(facts.l2, l2_);
  add(facts.dram, dram_);
}

LimitRow LimitSums::row(const std::vector<GpuPeaks>& peaks, bool are_alike,
                        const LimitThresholds& thresholds) const {
  LimitRow row;
  row.calls = calls_;
  row.kernels = kernels_;
  row.time_ns = time_ns_;
  row.known_ns = flops_.ns;
  row.measured_ns = measured_ns_;
  row.tensor_core_ns = tensor_core_ns_;
  row.flops = flops_.work_sum();
  row.bytes = bytes_.work_sum();
  row.type = type();
  if (device_ != profile::kNoRow) row.device = profile::DeviceIndex(device_);
  // Both sums are of the same work only if the same time has both.
  const bool is_same_work = both_ns_ == flops_.ns && both_ns_ == bytes_.ns;
  if (is_same_work && flops_.has && bytes_.sum > 0) row.intensity = flops_.sum / bytes_.sum;
  row.flops_per_second = flops_.per_second();
  row.bytes_per_second = bytes_.per_second();
  add_peaks(row, peaks, are_alike);
  row.math = share_of(math_.mean(), flops_.origin, 100);
  if (row.math.percent && flops_.may_be_high) row.math.sure = 100 * sure_math_.mean().value_or(0);
  row.math_ns = math_.sum;
  if (row.peak_flops != nullptr && math_.ns == flops_.ns) {
    // A bias or an activation next to a GEMM is negligible.
    constexpr double kVisible = 0.01;
    const double at_one_peak = flops_.sum / row.peak_flops->per_second * kNsPerSecond;
    row.mixes_types = std::abs(at_one_peak - math_.sum) > kVisible * math_.sum;
  }
  row.memory = share_of(memory_.mean(), bytes_.origin, 100);
  if (row.memory.percent && (bytes_.may_be_high || may_stay_in_l2_)) {
    row.memory.sure = 100 * sure_memory_.mean().value_or(0);
  }
  row.busy_math = share_of(busy_math_.mean(), Origin::counted);
  row.busy_memory = share_of(busy_memory_.mean(), Origin::counted);
  row.derives_busy_memory = derives_dram_;
  if (roof_.ns > 0) {
    row.roof_ns = roof_.sum;
    row.roof_percent = 100 * *roof_.mean();
    row.save_ns = save_ns_;
    row.roof_is_math = 2 * roof_math_ns_ > roof_.sum;
  }
  if (!has_several_sets_) row.counter_set = set_;
  row.work = work_;
  judge(row, thresholds);
  row.note = why(row);
  return row;
}

std::optional<MathType> LimitSums::type() const {
  const auto flops = std::ranges::max_element(flops_of_type_);
  if (*flops > 0) return static_cast<MathType>(flops - flops_of_type_.begin());
  const auto time = std::ranges::max_element(ns_of_type_);
  if (*time > 0) return static_cast<MathType>(time - ns_of_type_.begin());
  return std::nullopt;
}

void LimitSums::add_peaks(LimitRow& row, const std::vector<GpuPeaks>& peaks, bool are_alike) const {
  const GpuPeaks* gpu = nullptr;
  if (are_alike && !peaks.empty()) gpu = &peaks.front();
  if (!are_alike && row.device) gpu = &peaks[*row.device];
  if (gpu == nullptr) return;
  if (row.type && gpu->of(*row.type)) row.peak_flops = &*gpu->of(*row.type);
  if (gpu->bandwidth) row.peak_bandwidth = &*gpu->bandwidth;
}

void LimitSums::judge(LimitRow& row, const LimitThresholds& thresholds) const {
  row.by_flops = limit_by_shares(row.math, row.memory, thresholds);
  row.by_busy = limit_by_shares(row.busy_math, row.busy_memory, thresholds);
  std::optional<double> ridge;
  if (row.peak_flops != nullptr && row.peak_bandwidth != nullptr) {
    ridge = row.peak_flops->per_second / row.peak_bandwidth->per_second;
  }
  const bool is_same_work = row.intensity || row.flops.value == 0.0;
  row.by_intensity =
      is_same_work ? limit_by_intensity(row.flops.value, row.bytes.value, ridge) : Limit::unknown;
  row.by_ncu = speed_of_light(row.busy_math.percent, memory_percent_.mean(),
                              has_several_sets_ ? std::nullopt : waves_, thresholds);
  row.flops_near = row.by_flops != Limit::unknown && is_near(row.math, row.memory, thresholds);
  row.busy_near =
      row.by_busy != Limit::unknown && is_near(row.busy_math, row.busy_memory, thresholds);
  double most = 0;
  for (const auto& [level, part] :
       {std::pair("DRAM", &dram_), std::pair("L2", &l2_), std::pair("L1", &l1_)}) {
    const double percent = part->mean().value_or(0);
    if (percent <= most) continue;
    most = percent;
    row.memory_level = level;
  }
}

std::string_view LimitSums::why(const LimitRow& row) const {
  constexpr double kAll = 100;
  const auto is_above = [](const Share& share) { return share.percent.value_or(0) > kAll; };
  if (flops_.may_be_high && row.work != nullptr && !row.work->assumptions.empty()) {
    return "FLOP may be too high: something is assumed, see the formula";
  }
  if (is_above(row.math) || is_above(row.busy_math)) {
    return "Above 100% of the math peak: padded or sparse work, or a wrong peak";
  }
  if (is_above(row.memory) || is_above(row.busy_memory)) {
    return "Above 100% of the bandwidth: data was in the L2 cache, or a wrong peak";
  }
  const bool is_unknown = !row.flops.value || !row.bytes.value;
  if (is_unknown && row.work != nullptr && !row.work->why_unknown.empty()) {
    return row.work->why_unknown;
  }
  if (row.flops.value.value_or(0) > 0 && row.type && row.peak_flops == nullptr) {
    return "Peak for this number format unknown";
  }
  if (row.mixes_types) return "Several number formats: shares are of the peak of each";
  return {};
}

std::string_view WorkSum::sign() const {
  if (origin != Origin::estimated) return "";
  return may_be_high ? "≈ " : "≥ ";
}

bool LimitRow::shows_flops() const {
  const bool is_counted = math.origin == Origin::counted && memory.origin == Origin::counted;
  return (is_counted && by_flops != Limit::unknown) || by_busy == Limit::unknown;
}

Limit LimitRow::limit() const {
  return shows_flops() ? by_flops : by_busy;
}

bool LimitRow::is_near() const {
  return shows_flops() ? flops_near : busy_near;
}

Origin LimitRow::origin() const {
  if (shows_flops()) {
    return std::max(flops.origin, bytes.origin) == Origin::none
               ? Origin::none
               : std::min(math.origin == Origin::none ? flops.origin : math.origin,
                          memory.origin == Origin::none ? bytes.origin : memory.origin);
  }
  return std::max(busy_math.origin, busy_memory.origin);
}

}  // namespace dlview::aggregate
