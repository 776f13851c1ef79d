// The figures that Nsight Compute shows of a launch: sections, labels, names, units and values, and
// on which pages each stands.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "generate/limits/counters.h"

namespace dlview::generate::limits {

enum class Unit : uint8_t {
  none,
  percent,
  cycle,
  hertz,
  ns,
  bytes,
  bytes_per_second,
  bytes_per_block,
  registers,
  block,
  sm,
  thread,
  warp,
  inst,
  inst_per_cycle,
  bytes_per_cycle
};

struct UnitScale {
  std::string text;
  double factor = 1;  // of the base unit
};

// Spelling changed in 2025.
UnitScale scale_of(Unit unit, double value, CsvUnits units, bool is_new);

// Where a figure stands.
enum Place : uint8_t {
  kDetails = 1,
  kAll = 2,  // only with --print-details all
  kRaw = 4,
  kMetrics = 8,
  kOldest = 16,
};

struct Figure {
  std::string_view section;  // title
  std::string_view label, name;
  Unit unit = Unit::none;
  bool is_integer = false;
  double value = 0;
  std::string text = {};  // in place of a number
  uint8_t places = kDetails | kRaw;
  std::string_view body_item = "";
};

using Figures = std::vector<Figure>;

inline constexpr std::string_view kSpeedOfLight = "GPU Speed Of Light Throughput",
                                  kRoofline = "GPU Speed Of Light Roofline Chart",
                                  kMemory = "Memory Workload Analysis",
                                  kLaunch = "Launch Statistics", kOccupancy = "Occupancy";
inline constexpr std::string_view kCommandLine = "Command line profiler metrics";

// In the order of the file, of all pages.
Figures figures_of(const PlantedRun& run, const Gpu& gpu, const Measured& measured);
bool is_on(const Figure& figure, CsvPage page);

}  // namespace dlview::generate::limits
