// Count, sum, minimum and maximum of a set of integers: what DLProf keeps in its table `metric`.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

namespace dlview::aggregate {

// An empty set is all zeros, as DLProf stores it.
struct Stats {
  int64_t count = 0, sum = 0, min = 0, max = 0;

  void add(int64_t value) {
    min = count == 0 ? value : std::min(min, value);
    max = count == 0 ? value : std::max(max, value);
    sum += value;
    ++count;
  }
  void merge(const Stats& other) {
    if (other.count == 0) return;
    min = count == 0 ? other.min : std::min(min, other.min);
    max = count == 0 ? other.max : std::max(max, other.max);
    sum += other.sum;
    count += other.count;
  }
  double average() const {
    return count == 0 ? 0.0 : static_cast<double>(sum) / static_cast<double>(count);
  }
  bool operator==(const Stats&) const = default;
};

// The mean of integers, each weighted by a duration. Sums are exact: the order does not matter.
struct WeightedMean {
  __extension__ using Wide = __int128;
  Wide weighted_sum = 0, weight = 0;

  void add(int64_t value, int64_t by) {
    weighted_sum += Wide{value} * by;
    weight += by;
  }
  void merge(const WeightedMean& other) {
    weighted_sum += other.weighted_sum;
    weight += other.weight;
  }
  // The nearest double to the sum, divided by the nearest to the weight; nullopt without weight.
  std::optional<double> mean() const {
    if (weight <= 0) return std::nullopt;
    return static_cast<double>(weighted_sum) / static_cast<double>(weight);
  }
  bool operator==(const WeightedMean&) const = default;
};

// The five times of one op instance, in ns (formats.md 2).
struct InstanceTimes {
  int64_t cpu = 0;  // cpu_stop - cpu_start
  int64_t gpu = 0;  // union of its kernels, memcpys and memsets, per device and summed
  int64_t api = 0;  // sum of its CUDA API calls: kernels, memory operations, syncs, plain calls
  int64_t overhead = 0;  // cpu - api
  int64_t idle = 0;      // last GPU stop - first GPU start - gpu, per device and summed
  InstanceTimes& operator+=(const InstanceTimes& other) {
    cpu += other.cpu;
    gpu += other.gpu;
    api += other.api;
    overhead += other.overhead;
    idle += other.idle;
    return *this;
  }
  bool operator==(const InstanceTimes&) const = default;
};

struct TimeStats {
  Stats cpu, gpu, api, overhead, idle;

  void add(const InstanceTimes& times) {
    cpu.add(times.cpu);
    gpu.add(times.gpu);
    api.add(times.api);
    overhead.add(times.overhead);
    idle.add(times.idle);
  }
  void merge(const TimeStats& other) {
    cpu.merge(other.cpu);
    gpu.merge(other.gpu);
    api.merge(other.api);
    overhead.merge(other.overhead);
    idle.merge(other.idle);
  }
  int64_t count() const { return cpu.count; }
  bool operator==(const TimeStats&) const = default;
};

}  // namespace dlview::aggregate
