// A finding: an advice of the expert systems as the window and tables for scripts show it, with the
// time at stake, the figures behind it and the places where it is worst.
//
// The time at stake is an upper bound: all the time that the finding speaks of, as if it could be
// had for nothing. Per iteration, and per GPU that ran a kernel, since these work side by side.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aggregate/aggregation.h"
#include "aggregate/gaps/idle_gaps.h"

namespace dlview::aggregate {

// A call of the host, a gap between two pieces of a GPU's work, or a stretch in which the GPU does
// little.
struct FindingPlace {
  int64_t iteration = 0;  // of the call's op; of a gap or stretch where it begins
  int64_t start_ns = 0, duration_ns = 0;
  int64_t stake_ns = 0;                     // of the duration; the worst places have most of it
  profile::Row instance = profile::kNoRow;  // that called, or whose work ends the gap
  profile::StringId call = 0;               // name of the API call; 0 = none
  int64_t process_id = 0;
  profile::Row device = profile::kNoRow;              // of a gap or stretch
  std::optional<double> busy_percent = std::nullopt;  // of a stretch
  std::optional<HostTime> host = std::nullopt;        // during a gap
  bool operator==(const FindingPlace&) const = default;
};

struct FindingFigures {
  int64_t count = 0;         // calls, gaps, or parts of the range
  int64_t total_ns = 0;      // a plain sum
  double range_percent = 0;  // of the sum of the iterations' durations
  bool operator==(const FindingFigures&) const = default;
};

struct Finding {
  Advice advice;
  std::optional<int64_t> stake_ns;  // per iteration; nothing where no time can be named
  std::string stake_basis;          // "kernel time of the 12 ops"; empty without a stake
  std::optional<FindingFigures> figures = std::nullopt;  // of the rules of nsys
  std::vector<FindingPlace> places = {};                 // likewise; the worst first
  std::vector<std::string_view> thresholds = {};         // ids of those that made it one
  bool operator==(const Finding&) const = default;
};

}  // namespace dlview::aggregate
