#include "generate/limits/figures.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>

namespace dlview::generate::limits {
namespace {

void add_speed_of_light(const Gpu& gpu, const Measured& measured, Figures& figures) {
  const double dram_hz = gpu.memory_hz;
  const uint8_t all = kDetails | kRaw | kOldest;
  const auto cycles = static_cast<double>(measured.cycles);
  figures.insert(
      figures.end(),
      {{kSpeedOfLight, "DRAM Frequency", "dram__cycles_elapsed.avg.per_second", Unit::hertz, false,
        dram_hz, "", all},
       {kSpeedOfLight, "SM Frequency", "sm__cycles_elapsed.avg.per_second", Unit::hertz, false,
        gpu.base_hz, "", all},
       {kSpeedOfLight, "Elapsed Cycles", "gpc__cycles_elapsed.max", Unit::cycle, true, cycles, "",
        all},
       {kSpeedOfLight, "Memory Throughput",
        "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed", Unit::percent, false,
        measured.memory_percent, "", kDetails | kRaw | kMetrics},
       {kSpeedOfLight, "DRAM Throughput", "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed",
        Unit::percent, false, measured.dram_percent, "", kDetails | kRaw | kMetrics},
       {kSpeedOfLight, "SOL FB", "", Unit::percent, false, measured.dram_percent, "", kOldest},
       {kSpeedOfLight, "Duration", "gpu__time_duration.sum", Unit::ns, true,
        static_cast<double>(measured.ns), "", static_cast<uint8_t>(all | kMetrics)},
       {kSpeedOfLight, "L1/TEX Cache Throughput",
        "l1tex__throughput.avg.pct_of_peak_sustained_active", Unit::percent, false,
        measured.l1_percent, "", all},
       {kSpeedOfLight, "L2 Cache Throughput", "lts__throughput.avg.pct_of_peak_sustained_elapsed",
        Unit::percent, false, measured.l2_percent, "", all},
       {kSpeedOfLight, "SM Active Cycles", "sm__cycles_active.avg", Unit::cycle, false,
        cycles * std::min(1.0, 0.5 + measured.waves / 2) - 0.25},
       {kSpeedOfLight, "Compute (SM) Throughput",
        "sm__throughput.avg.pct_of_peak_sustained_elapsed", Unit::percent, false,
        measured.compute_percent, "", kDetails | kRaw | kMetrics},
       {kSpeedOfLight, "SOL SM", "", Unit::percent, false, measured.compute_percent, "", kOldest}});
}

void add_roofline(const Gpu& gpu, const PlantedKernel& kernel, const Measured& measured,
                  Figures& figures) {
  constexpr uint8_t kPlaces = kDetails | kAll;
  const double lanes = gpu.fp32_flops / 2 / gpu.boost_hz;
  const auto per_cycle = [&](int64_t count) {
    return static_cast<double>(count) / static_cast<double>(measured.cycles);
  };
  constexpr std::string_view kRoof = "Single Precision Roofline",
                             kAchieved = "Single Precision Achieved Value";
  figures.insert(
      figures.end(),
      {{kRoofline, "Predicated-On FFMA Thread Instructions Executed Per Cycle", "",
        Unit::inst_per_cycle, false, per_cycle(kernel.ffma), "", kPlaces},
       {kRoofline, "Theoretical Predicated-On FFMA Operations", "", Unit::inst, false, 2 * lanes,
        "", kPlaces, kRoof},
       {kRoofline, "SM Frequency", "", Unit::hertz, false, gpu.base_hz, "", kPlaces, kRoof},
       {kRoofline, "Theoretical DRAM Bytes Accessible", "", Unit::bytes_per_cycle, false,
        static_cast<double>(gpu.bus_bits) / 4, "", kPlaces, kRoof},
       {kRoofline, "DRAM Frequency", "", Unit::hertz, false, gpu.memory_hz, "", kPlaces, kRoof},
       {kRoofline, "Predicated-On FFMA Operations Per Cycle", "", Unit::inst, false,
        2 * per_cycle(kernel.ffma), "", kPlaces, kAchieved},
       {kRoofline, "SM Frequency", "", Unit::hertz, false, gpu.base_hz, "", kPlaces, kAchieved},
       {kRoofline, "Predicated-On FADD Thread Instructions Executed Per Cycle", "",
        Unit::inst_per_cycle, false, per_cycle(kernel.fadd), "", kPlaces, kAchieved},
       {kRoofline, "Predicated-On FMUL Thread Instructions Executed Per Cycle", "",
        Unit::inst_per_cycle, false, per_cycle(kernel.fmul), "", kPlaces, kAchieved},
       {kRoofline, "DRAM Bandwidth", "", Unit::bytes_per_second, false,
        1e9 * static_cast<double>(measured.dram_bytes) / static_cast<double>(measured.ns), "",
        kPlaces, kAchieved}});
}

void add_memory(const PlantedKernel& kernel, const Measured& measured, Figures& figures) {
  const auto integer = [](std::string_view name, int64_t value, Unit unit, uint8_t places) {
    return Figure{"", "", name, unit, true, static_cast<double>(value), "", places};
  };
  figures.insert(
      figures.end(),
      {{kMemory, "Memory Throughput", "dram__bytes.sum.per_second", Unit::bytes_per_second, false,
        1e9 * static_cast<double>(measured.dram_bytes) / static_cast<double>(measured.ns)},
       {kMemory, "L1/TEX Hit Rate", "l1tex__t_sector_hit_rate.pct", Unit::percent, false, 8.25},
       {kMemory, "L2 Hit Rate", "lts__t_sector_hit_rate.pct", Unit::percent, false, 51.5},
       integer("dram__bytes_read.sum", kernel.dram_read, Unit::bytes, kRaw | kMetrics),
       integer("dram__bytes_write.sum", kernel.dram_write, Unit::bytes, kRaw | kMetrics),
       integer("lts__t_bytes.sum", kernel.l2_bytes, Unit::bytes, kRaw),
       integer("l1tex__t_bytes.sum", kernel.l1_bytes, Unit::bytes, kRaw),
       integer("sm__sass_thread_inst_executed_op_fadd_pred_on.sum", kernel.fadd, Unit::inst,
               kRaw | kMetrics),
       integer("sm__sass_thread_inst_executed_op_fmul_pred_on.sum", kernel.fmul, Unit::inst,
               kRaw | kMetrics),
       integer("sm__sass_thread_inst_executed_op_ffma_pred_on.sum", kernel.ffma, Unit::inst,
               kRaw | kMetrics),
       integer("sm__sass_thread_inst_executed_op_hfma_pred_on.sum", 0, Unit::inst,
               kRaw | kMetrics)});
}

void add_tensor_cores(const Gpu& gpu, const PlantedKernel& kernel, const Measured& measured,
                      Figures& figures) {
  // An instruction of a warp computes 16 x 8 x 16 multiply-adds.
  constexpr int64_t kOpsPerInstruction = 4096;
  if (gpu.cc_major >= 9) {
    figures.push_back({"", "", "sm__ops_path_tensor_src_fp16_dst_fp32.sum", Unit::none, true,
                       static_cast<double>(kernel.tensor_ops), "", kRaw | kMetrics});
  }
  figures.push_back({"", "", "sm__inst_executed_pipe_tensor.sum", Unit::inst, true,
                     static_cast<double>(kernel.tensor_ops / kOpsPerInstruction), "",
                     kRaw | kMetrics});
  figures.push_back(
      {"", "", "sm__pipe_tensor_op_hmma_cycles_active.avg.pct_of_peak_sustained_elapsed",
       Unit::percent, false, kernel.tensor_cores ? measured.compute_percent : 0, "", kRaw});
}

void add_launch(const Gpu& gpu, const PlantedKernel& kernel, const Measured& measured,
                Figures& figures) {
  const int64_t blocks = int64_t{kernel.grid.x} * kernel.grid.y * kernel.grid.z;
  const int64_t threads = int64_t{kernel.block.x} * kernel.block.y * kernel.block.z;
  const auto integer = [](std::string_view label, std::string_view name, int64_t value,
                          Unit unit = Unit::none) {
    return Figure{kLaunch, label, name, unit, true, static_cast<double>(value), ""};
  };
  figures.insert(
      figures.end(),
      {integer("Block Size", "launch__block_size", threads),
       {kLaunch, "Function Cache Configuration", "launch__func_cache_config", Unit::none, false, 0,
        "CachePreferNone"},
       integer("Grid Size", "launch__grid_size", blocks),
       {kLaunch, "Registers Per Thread", "launch__registers_per_thread", Unit::registers, false,
        static_cast<double>(kernel.registers), "", kDetails | kRaw | kOldest},
       {kLaunch, "Dynamic Shared Memory Per Block", "launch__shared_mem_per_block_dynamic",
        Unit::bytes_per_block, false, static_cast<double>(kernel.shared_bytes)},
       {kLaunch, "# SMs", "launch__sm_count", Unit::sm, false, static_cast<double>(gpu.sm_count)},
       {kLaunch, "Threads", "launch__thread_count", Unit::thread, false,
        static_cast<double>(blocks * threads)},
       {kLaunch, "Waves Per SM", "launch__waves_per_multiprocessor", Unit::none, false,
        measured.waves, "", kDetails | kRaw | kOldest}});
}

void add_occupancy(const Measured& measured, Figures& figures) {
  const auto limit = [](std::string_view label, std::string_view name, int64_t value) {
    return Figure{kOccupancy, label, name, Unit::block, false, static_cast<double>(value), ""};
  };
  const BlockLimits& limits = measured.block_limits;
  figures.insert(
      figures.end(),
      {limit("Block Limit SM", "launch__occupancy_limit_blocks", limits.blocks),
       limit("Block Limit Registers", "launch__occupancy_limit_registers", limits.registers),
       limit("Block Limit Shared Mem", "launch__occupancy_limit_shared_mem", limits.shared_memory),
       limit("Block Limit Warps", "launch__occupancy_limit_warps", limits.warps),
       {kOccupancy, "Theoretical Active Warps per SM", "sm__maximum_warps_per_active_cycle",
        Unit::warp, false, measured.theoretical_occupancy * 64 / 100},
       {kOccupancy, "Theoretical Occupancy", "sm__maximum_warps_per_active_cycle_pct",
        Unit::percent, false, measured.theoretical_occupancy},
       {kOccupancy, "Achieved Occupancy", "sm__warps_active.avg.pct_of_peak_sustained_active",
        Unit::percent, false, measured.achieved_occupancy, "",
        kDetails | kRaw | kMetrics | kOldest}});
}

void add_device(const Gpu& gpu, Figures& figures) {
  const auto integer = [](std::string_view name, int64_t value) {
    return Figure{"", "", name, Unit::none, true, static_cast<double>(value), "", kRaw};
  };
  figures.insert(
      figures.end(),
      {{"", "", "device__attribute_display_name", Unit::none, false, 0, std::string(gpu.name),
        kRaw},
       integer("device__attribute_multiprocessor_count", gpu.sm_count),
       integer("device__attribute_clock_rate", std::llround(gpu.boost_hz / 1e3)),
       integer("device__attribute_max_mem_frequency_khz", std::llround(gpu.memory_hz / 1e3)),
       integer("device__attribute_fb_bus_width", gpu.bus_bits),
       integer("device__attribute_l2_cache_size", gpu.l2_bytes),
       integer("device__attribute_compute_capability_major", gpu.cc_major),
       integer("device__attribute_compute_capability_minor", gpu.cc_minor)});
}

}  // namespace

UnitScale scale_of(Unit unit, double value, CsvUnits units, bool is_new) {
  const bool is_automatic = units == CsvUnits::automatic;
  const auto steps = [&](std::initializer_list<UnitScale> scales) {
    UnitScale chosen = *scales.begin();
    for (const UnitScale& scale : scales) {
      if (is_automatic && std::abs(value) >= scale.factor) chosen = scale;
    }
    return chosen;
  };
  const std::string second = is_new ? "s" : "second";
  switch (unit) {
    case Unit::none:
      return {};
    case Unit::percent:
      return {"%"};
    case Unit::cycle:
      return {"cycle"};
    case Unit::hertz:
      return is_new ? steps({{"hz", 1}, {"Mhz", 1e6}, {"Ghz", 1e9}})
                    : steps({{"cycle/second", 1}, {"cycle/usecond", 1e6}, {"cycle/nsecond", 1e9}});
    case Unit::ns:
      return is_new ? steps({{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}})
                    : steps({{"nsecond", 1}, {"usecond", 1e3}, {"msecond", 1e6}, {"second", 1e9}});
    case Unit::bytes:
      return steps({{"byte", 1}, {"Kbyte", 1e3}, {"Mbyte", 1e6}, {"Gbyte", 1e9}});
    case Unit::bytes_per_second:
      return steps({{"byte/" + second, 1},
                    {"Kbyte/" + second, 1e3},
                    {"Mbyte/" + second, 1e6},
                    {"Gbyte/" + second, 1e9},
                    {"Tbyte/" + second, 1e12}});
    case Unit::bytes_per_block:
      return steps({{"byte/block", 1}, {"Kbyte/block", 1e3}});
    case Unit::registers:
      return {"register/thread"};
    case Unit::block:
      return {"block"};
    case Unit::sm:
      return {"SM"};
    case Unit::thread:
      return {"thread"};
    case Unit::warp:
      return {"warp"};
    case Unit::inst:
      return {"inst"};
    case Unit::inst_per_cycle:
      return {"inst/cycle"};
    case Unit::bytes_per_cycle:
      return {"byte/cycle"};
  }
  return {};
}

Figures figures_of(const PlantedRun& run, const Gpu& gpu, const Measured& measured) {
  const PlantedKernel& kernel = run.kernels[run.launches[measured.launch].kernel];
  Figures figures;
  add_speed_of_light(gpu, measured, figures);
  add_roofline(gpu, kernel, measured, figures);
  add_memory(kernel, measured, figures);
  add_tensor_cores(gpu, kernel, measured, figures);
  add_launch(gpu, kernel, measured, figures);
  add_occupancy(measured, figures);
  add_device(gpu, figures);
  return figures;
}

bool is_on(const Figure& figure, CsvPage page) {
  switch (page) {
    case CsvPage::raw:
      return (figure.places & kRaw) != 0;
    case CsvPage::metrics:
      return (figure.places & kMetrics) != 0;
    case CsvPage::oldest:
      return (figure.places & kOldest) != 0;
    case CsvPage::details_all:
      return (figure.places & kDetails) != 0;
    default:
      return (figure.places & kDetails) != 0 && (figure.places & kAll) == 0;
  }
}

}  // namespace dlview::generate::limits
