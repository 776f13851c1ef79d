// Sums behind a row of Limits, and the row that follows from them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "aggregate/limits/limits.h"

namespace dlview::aggregate {

// Work of one call or one kernel. nullopt = unknown.
struct Work {
  std::optional<double> flops, bytes;
  bool exact = false;
  Origin flops_origin = Origin::none, bytes_origin = Origin::none;
  std::optional<double> flops_least = std::nullopt, bytes_least = std::nullopt;  // as of OpWork
};

// Percentages of Nsight Compute of one launch, or means over several; nullopt = not recorded.
struct BusyFacts {
  std::optional<double> compute, memory, dram, l2, l1, waves;
};

class LimitSums {
 public:
  // Kernels of a row, whether or not anything else is known of them. `device`: kNoRow = several
  // unlike ones. `type`: of which they are.
  void add_time(int64_t kernels, int64_t time_ns, profile::Row device,
                const std::optional<MathType>& type);
  void add_calls(int64_t calls) { calls_ += calls; }
  void add_tensor_core_time(int64_t ns) { tensor_core_ns_ += ns; }
  // Of calls: the work of the largest one is the row's.
  void add_formula(const OpWork& work, int64_t time_ns);
  // `times` pieces of work that took this time together. `gpu`: whose peaks apply; null = unknown.
  void add_work(const Work& each, int64_t times, int64_t time_ns,
                const std::optional<MathType>& type, const GpuPeaks* gpu);
  // Kernels that are measured, all by one set. `bytes`: DRAM bytes of one of them.
  void add_busy(const BusyFacts& facts, const std::optional<double>& bytes, uint32_t set,
                int64_t kernels, int64_t time_ns, const GpuPeaks* gpu);
  // Replaces times and launches by those of all kernels of a name.
  void set_kernels(int64_t kernels, int64_t time_ns);

  int64_t time_ns() const { return time_ns_; }
  // What the row is (op, kernel, group, name, shapes) is left to the caller. `peaks`: by device;
  // `are_alike`: all of them are equal.
  LimitRow row(const std::vector<GpuPeaks>& peaks, bool are_alike,
               const LimitThresholds& thresholds) const;

 private:
  // A sum over the time that has it.
  struct Part {
    double sum = 0;
    int64_t ns = 0;
    void add(double value, int64_t time_ns) {
      sum += value;
      ns += time_ns;
    }
    std::optional<double> mean() const;
  };
  struct Quantity : Part {
    bool has = false, exact = true, may_be_high = false;
    Origin origin = Origin::none;  // the weakest
    void take(double value, int64_t time_ns, bool is_exact, Origin its_origin);
    WorkSum work_sum() const;
    std::optional<double> per_second() const;
  };

  std::optional<MathType> type() const;
  void add_peaks(LimitRow& row, const std::vector<GpuPeaks>& peaks, bool are_alike) const;
  void judge(LimitRow& row, const LimitThresholds& thresholds) const;
  std::string_view why(const LimitRow& row) const;

  int64_t calls_ = 0, kernels_ = 0, time_ns_ = 0, tensor_core_ns_ = 0, measured_ns_ = 0;
  Quantity flops_, bytes_;
  int64_t both_ns_ = 0;  // time whose FLOP and bytes are known
  // ns at the peaks; sure: without what may be too high, or may never leave the L2 cache.
  Part math_, memory_, sure_math_, sure_memory_, roof_;
  double save_ns_ = 0, roof_math_ns_ = 0;
  bool may_stay_in_l2_ = false;
  // Percentages times ns.
  Part busy_math_, busy_memory_, memory_percent_, l1_, l2_, dram_;
  std::array<int64_t, kMathTypes> ns_of_type_{};
  std::array<double, kMathTypes> flops_of_type_{};
  profile::Row device_ = profile::kNoRow;
  bool has_device_ = false;
  uint32_t set_ = CounterJoin::kNoSet;
  bool has_several_sets_ = false, derives_dram_ = false;
  std::optional<double> waves_;
  const OpWork* work_ = nullptr;
  int64_t work_ns_ = -1;
};

}  // namespace dlview::aggregate
