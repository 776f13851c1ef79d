// A finding: a problem and its fix as the window and tables for scripts show it, with potential
// savings, the numbers behind it, and its worst places.
//
// Potential savings are an upper bound: all the time that the finding covers. They are per
// iteration and per GPU that ran a kernel, because GPUs work in parallel.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aggregate/aggregation.h"
#include "aggregate/gaps/idle_gaps.h"

namespace dlview::aggregate {

// A call of the host, a gap between two GPU activities, the GPU activities of one kind of an op
// instance on one GPU, or a stretch in which the GPU is hardly busy.
struct FindingPlace {
  int64_t iteration = 0;  // of the call's op; of a gap, activities or a stretch where they begin
  int64_t start_ns = 0, duration_ns = 0;
  int64_t stake_ns = 0;               // that could be saved; the worst places have most of it
  profile::InstanceIndex instance{};  // that called or launched, or whose work ends the gap
  profile::StringId call = 0;         // name of the API call; 0 = none
  profile::DeviceIndex device{};      // of a gap, activities or stretch
  std::optional<double> busy_percent = std::nullopt;  // of a stretch
  std::optional<HostTime> host = std::nullopt;        // during a gap
  bool operator==(const FindingPlace&) const = default;
};

struct FindingFigures {
  int64_t count = 0;         // calls, gaps, GPU activities, or parts of the range
  int64_t total_ns = 0;      // a sum
  double range_percent = 0;  // of the sum of the iterations' durations
  bool operator==(const FindingFigures&) const = default;
};

// The potential savings over the iterations of the range. One slow iteration changes the mean, not
// the median.
struct Savings {
  int64_t mean_ns = 0, median_ns = 0;
  int64_t iterations = 0;      // that could save anything
  std::vector<int64_t> worst;  // up to three that could save most, most first
  bool operator==(const Savings&) const = default;
};

// The worst places of a finding that the window lists.
inline constexpr std::size_t kWorstPlaces = 3;

// Findings that cover the same time are merged, with the others inside.
enum class Fact : uint8_t { own, gpu_idle, communication, tensor_cores };

struct Finding {
  Advice advice;
  std::optional<int64_t> stake_ns;  // per iteration; nothing where no time can be named
  std::string stake_basis;          // "kernel time of the 12 ops"; empty without a stake
  std::optional<FindingFigures> figures = std::nullopt;
  std::vector<FindingPlace> places = {};          // the worst first
  std::vector<std::string_view> thresholds = {};  // ids of those that made it one
  std::optional<Savings> savings = std::nullopt;  // where they are known for each iteration
  profile::OpIndex op{};                          // that has most of it
  double op_percent = 100;                        // of it
  profile::ThreadIndex thread{};                  // likewise
  Fact fact = Fact::own;
  std::vector<Finding> parts = {};  // cover the same time, largest savings first
  bool operator==(const Finding&) const = default;
};

// The measurement of a detector, and its threshold.
struct Check {
  std::string_view detector;
  std::optional<double> value = std::nullopt;  // %, as its threshold; nothing where none decides
  std::string_view threshold = {};             // id
  bool is_found = false;
  std::string_view not_checked = {};  // why; empty where it was
  bool operator==(const Check&) const = default;
};

}  // namespace dlview::aggregate
