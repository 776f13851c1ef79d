// What Nsight Compute would measure of the planted kernels, the pages of its CSV, and which kernels
// of the profile each row must join.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "generate/limits.h"
#include "generate/limits/planted_run.h"

namespace dlview::generate::limits {

// A measured launch, at the base clock and with a cold cache.
struct Measured {
  std::size_t launch = 0;  // in PlantedRun::launches
  int64_t ns = 0, cycles = 0;
  double compute_percent = 0, memory_percent = 0, dram_percent = 0, l2_percent = 0, l1_percent = 0;
  double waves = 0, theoretical_occupancy = 0, achieved_occupancy = 0;
  BlockLimits block_limits;
  int64_t dram_bytes = 0;
};

// In order of start, those that the options choose.
std::vector<Measured> measure(const PlantedRun& run, const Gpu& gpu, const LimitsOptions& options);

// A row of the importer's launches: on a page of launches one of them, in a summary those of a
// kernel with one grid and block.
struct CsvRow {
  int64_t id = 0;                    // as the file numbers it
  std::vector<std::size_t> members;  // in the list of measured launches
  // Ranges around it as the file has them, outer first; of a summary by range the one.
  std::vector<std::string> ranges;
};
std::vector<CsvRow> rows_of(const PlantedRun& run, const std::vector<Measured>& measured,
                            const CountersOptions& options);

// "step 3/ampere_sgemm_128x64_nn" if ncu renames, else the name in its style.
std::string csv_name(const PlantedRun& run, const Measured& measured,
                     const CountersOptions& options);

void write_counters(std::ostream& out, const PlantedRun& run, const Gpu& gpu,
                    const std::vector<Measured>& measured, const std::vector<CsvRow>& rows,
                    const CountersOptions& options);

bool is_summary(CsvPage page);
// Nsight Compute's rule for these percentages, as its title says it.
std::string_view speed_of_light(const Measured& measured);

LimitsTruth truth_of(const PlantedRun& run, const LimitsOptions& options, const Gpu& measured_gpu,
                     const std::vector<Measured>& measured, const std::vector<CsvRow>& rows);

}  // namespace dlview::generate::limits
