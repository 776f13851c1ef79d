#include "generate/limits/counters.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "generate/limits/csv_text.h"
#include "generate/limits/figures.h"
#include "generate/random.h"

namespace dlview::generate::limits {
namespace {

// The identifier of a section, which rows of rules have.
std::string_view id_of_section(std::string_view title) {
  if (title == kSpeedOfLight) return "SpeedOfLight";
  if (title == kRoofline) return "SpeedOfLight_RooflineChart";
  return title;
}

std::string dim_text(const profile::Dim3& dim) {
  return fmt::format("({}, {}, {})", dim.x, dim.y, dim.z);
}

bool has_rules(CsvPage page) {
  return page == CsvPage::details_rules || page == CsvPage::details_all;
}

constexpr std::string_view kNvtxColumn =
    "thread Domain:Push/Pop_Range:PL_Type:PL_Value:CLR_Type:Color:Msg_Type:Msg";
constexpr std::string_view kStartStopColumn =
    "Id:Domain:Start/Stop_Range:PL_Type:PL_Value:CLR_Type:Color:Msg_Type:Msg";
constexpr std::string_view kNoAttributes = ":none:none:none:none:none:none";

// Writes one page.
class PageWriter {
 public:
  PageWriter(std::ostream& out, const PlantedRun& run, const Gpu& gpu,
             const std::vector<Measured>& measured, const CountersOptions& options)
      : text_(out, options.quirks), run_(run), gpu_(gpu), measured_(measured), options_(options) {}

  void write(const std::vector<CsvRow>& rows) {
    if (options_.quirks.log) write_log();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i].id == 0) write_header(rows[i]);
      write_row(rows[i], i);
    }
    if (rows.empty()) text_.line("==WARNING== No kernels were profiled.");
    if (options_.quirks.log) {
      text_.line(fmt::format("==PROF== Disconnected from process {}", kProcess));
    }
    text_.finish();
  }

 private:
  bool has_nvtx_columns() const {
    return (options_.nvtx == CsvNvtx::same || options_.nvtx == CsvNvtx::other) &&
           options_.page != CsvPage::oldest && !is_summary(options_.page);
  }

  void write_log() {
    text_.line(fmt::format("==PROF== Connected to process {} (/usr/bin/python3.12)", kProcess));
    text_.line("loading the data, 4 workers");
    text_.line("==PROF== Profiling \"warm-up\" - 0: 0%....50%....100% - 8 passes");
    text_.line("==WARNING== Launching kernels on several streams may serialize them.");
    text_.line("");
  }

  void write_header(const CsvRow& first) {
    const auto cells = [&](std::initializer_list<std::string_view> names) {
      for (const std::string_view name : names) text_.cell(name);
    };
    switch (options_.page) {
      case CsvPage::per_nvtx:
        cells({"Domain", "Range:PL_Type:PL_Value:CLR_Type:Color:Msg_Type:Msg", "Kernel Name",
               "Block Size", "Grid Size", "Device", "CC", "Invocations", "Section Name",
               "Metric Name", "Metric Unit", "Minimum", "Maximum", "Average"});
        return text_.end_row();
      case CsvPage::per_kernel:
        cells({"Process ID", "Process Name", "Host Name", "Kernel Name", "Block Size", "Grid Size",
               "Device", "CC", "Invocations", "Section Name", "Metric Name", "Metric Unit",
               "Minimum", "Maximum", "Average"});
        return text_.end_row();
      case CsvPage::per_gpu:
        cells({"Process ID", "Process Name", "Host Name", "Device", "CC", "Kernel Name",
               "Block Size", "Grid Size", "Invocations", "Section Name", "Metric Name",
               "Metric Unit", "Minimum", "Maximum", "Average"});
        return text_.end_row();
      case CsvPage::oldest:
        cells({"ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Kernel Time",
               "Context", "Stream", "Section Name", "Metric Name", "Metric Unit", "Metric Value"});
        text_.end_row();
        return text_.line("");
      default:
        break;
    }
    cells({"ID", "Process ID", "Process Name", "Host Name"});
    if (has_nvtx_columns()) cells({kNvtxColumn, kStartStopColumn});
    cells({"Kernel Name", "Context", "Stream", "Block Size", "Grid Size", "Device", "CC"});
    if (options_.page == CsvPage::raw) return write_raw_header(first);
    text_.cell("Section Name");
    if (options_.page == CsvPage::details_all) text_.cell("Body Item Label");
    cells({"Metric Name", "Metric Unit", "Metric Value"});
    if (has_rules(options_.page)) {
      cells({"Rule Name", "Rule Type", "Rule Description", "Estimated Speedup Type",
             "Estimated Speedup"});
    }
    text_.end_row();
  }

  // Names, then a row of units: those of the first launch.
  void write_raw_header(const CsvRow& first) {
    raw_units_.clear();
    for (const Figure& figure : figures_of(run_, gpu_, measured_[first.members.front()])) {
      if (!is_on(figure, CsvPage::raw)) continue;
      text_.cell(figure.name);
      raw_units_.push_back(scale(figure));
    }
    text_.end_row();
    for (int i = 0; i < (has_nvtx_columns() ? 13 : 11); ++i) text_.cell("");
    for (const UnitScale& unit : raw_units_) text_.cell(unit.text);
    text_.end_row();
  }

  void write_row(const CsvRow& row, std::size_t number) {
    if (is_summary(options_.page)) return write_summary(row);
    const Measured& measured = measured_[row.members.front()];
    Figures figures = figures_of(run_, gpu_, measured);
    std::erase_if(figures, [&](const Figure& figure) { return !is_on(figure, options_.page); });
    if (options_.quirks.missing) drop_hit_rates(figures, number);
    if (options_.page == CsvPage::raw) return write_raw(row, measured, figures);
    for (std::size_t i = 0; i < figures.size(); ++i) {
      write_metric(row, measured, figures[i]);
      if (has_rules(options_.page) &&
          (i + 1 == figures.size() || figures[i + 1].section != figures[i].section)) {
        write_rule(row, measured, figures[i].section);
      }
    }
  }

  static void drop_hit_rates(Figures& figures, std::size_t number) {
    for (Figure& figure : figures) {
      if (figure.name == "l1tex__t_sector_hit_rate.pct" && number % 2 == 0) figure.text = "n/a";
      if (figure.name == "lts__t_sector_hit_rate.pct" && number % 3 == 0) figure.text = "no data";
    }
  }

  UnitScale scale(const Figure& figure) const {
    return scale_of(figure.unit, figure.value, options_.units,
                    options_.names == CsvNames::new_style);
  }

  void write_launch_cells(const CsvRow& row, const Measured& measured) {
    const PlantedLaunch& launch = run_.launches[measured.launch];
    const PlantedKernel& kernel = run_.kernels[launch.kernel];
    text_.cell(fmt::format("{}", row.id));
    text_.cell(fmt::format("{}", kProcess)).cell("python3.12").cell("127.0.0.1");
    if (has_nvtx_columns()) {
      std::string states = fmt::format("{}", kProcess);
      for (const std::string& range : row.ranges) {
        states += fmt::format(" \"<default domain>:{}{}\"", range, kNoAttributes);
      }
      text_.cell(states).cell("");
    }
    text_.cell(csv_name(run_, measured, options_));
    if (options_.page == CsvPage::oldest) text_.cell("2020-Apr-07 17:01:05");
    text_.cell("1").cell(fmt::format("{}", launch.stream));
    if (options_.page == CsvPage::oldest) return;
    text_.cell(dim_text(kernel.block)).cell(dim_text(kernel.grid)).cell("0");
    text_.cell(fmt::format("{}.{}", gpu_.cc_major, gpu_.cc_minor));
  }

  void write_metric(const CsvRow& row, const Measured& measured, const Figure& figure) {
    const UnitScale unit = scale(figure);
    const bool is_by_name = options_.page == CsvPage::metrics;
    write_launch_cells(row, measured);
    text_.cell(is_by_name ? kCommandLine : figure.section);
    if (options_.page == CsvPage::details_all) text_.cell(figure.body_item);
    text_.cell(is_by_name ? figure.name : figure.label).cell(unit.text);
    text_.cell(figure.text.empty()
                   ? number_text(figure.value / unit.factor, 2, false, options_.locale)
                   : figure.text);
    if (has_rules(options_.page)) text_.empty_cell();
    text_.end_row();
  }

  void write_rule(const CsvRow& row, const Measured& measured, std::string_view section) {
    if (section != kSpeedOfLight && section != kRoofline) return;
    write_launch_cells(row, measured);
    text_.cell(id_of_section(section));
    if (options_.page == CsvPage::details_all) text_.cell("");
    text_.cell("").cell("").cell("");
    if (section == kSpeedOfLight) {
      text_.cell("SOLBottleneck").cell("OPT").cell(rule_text(measured));
    } else {
      text_.cell("SOLFPRoofline").cell("INF").cell(roofline_text(measured));
    }
    text_.cell("").cell("").end_row();
  }

  // The first sentence of the rule, which its readers know it by.
  static std::string rule_text(const Measured& measured) {
    const std::string_view verdict = speed_of_light(measured);
    if (verdict == "High Throughput") {
      return "The kernel is utilizing greater than 80.0% of the available compute or memory "
             "performance of the device.";
    }
    if (verdict == "High Compute Throughput") {
      return "Compute is more heavily utilized than Memory: Look at the Compute Workload Analysis "
             "section.";
    }
    if (verdict == "High Memory Throughput") {
      return "Memory is more heavily utilized than Compute: Look at the Memory Workload Analysis "
             "section.";
    }
    if (verdict == "Balanced Throughput") {
      return "Compute and Memory are well-balanced: To reduce runtime, both computation and memory "
             "traffic must be reduced.";
    }
    if (verdict == "Small Grid") {
      return fmt::format(
          "This kernel grid is too small to fill the available resources on this device, "
          "resulting in only {:.1f} full waves across all SMs.",
          measured.waves);
    }
    return "This kernel exhibits low compute throughput and memory bandwidth utilization relative "
           "to the peak performance of this device.";
  }

  std::string roofline_text(const Measured& measured) const {
    const PlantedKernel& kernel = run_.kernels[run_.launches[measured.launch].kernel];
    const double flops = static_cast<double>(kernel.fadd + kernel.fmul + 2 * kernel.ffma);
    const double peak = gpu_.fp32_flops / gpu_.boost_hz * static_cast<double>(measured.cycles);
    return fmt::format(
        "The ratio of peak float (fp32) to double (fp64) performance on this device is 2:1. The "
        "kernel achieved {:.0f}% of this device's fp32 peak performance.",
        100 * flops / peak);
  }

  void write_raw(const CsvRow& row, const Measured& measured, const Figures& figures) {
    write_launch_cells(row, measured);
    for (std::size_t i = 0; i < figures.size(); ++i) {
      const Figure& figure = figures[i];
      if (!figure.text.empty()) {
        text_.cell(figure.text);
        continue;
      }
      const double value = figure.value / raw_units_[i].factor;
      // As text: the locale's style, and two decimals.
      const bool is_text = figure.name == "launch__waves_per_multiprocessor";
      const bool is_scaled = raw_units_[i].factor != 1;
      if (is_text || (figure.is_integer && !is_scaled)) {
        text_.cell(number_text(value, 2, is_text, options_.locale));
      } else {
        text_.cell(fmt::format("{:.6f}", value));
      }
    }
    text_.end_row();
  }

  void write_summary(const CsvRow& row) {
    const Measured& first = measured_[row.members.front()];
    const PlantedKernel& kernel = run_.kernels[run_.launches[first.launch].kernel];
    const std::string name = csv_name(run_, first, options_);
    const std::string device = "0", capability = fmt::format("{}.{}", gpu_.cc_major, gpu_.cc_minor);
    std::vector<Figures> all;
    for (const std::size_t member : row.members) {
      all.push_back(figures_of(run_, gpu_, measured_[member]));
    }
    for (std::size_t i = 0; i < all.front().size(); ++i) {
      const Figure& figure = all.front()[i];
      if (!is_on(figure, options_.page) || !figure.text.empty()) continue;
      double sum = 0, least = figure.value, most = figure.value;
      for (const Figures& figures : all) {
        sum += figures[i].value;
        least = std::min(least, figures[i].value);
        most = std::max(most, figures[i].value);
      }
      const double mean = sum / static_cast<double>(all.size());
      const UnitScale unit =
          scale_of(figure.unit, mean, options_.units, options_.names == CsvNames::new_style);
      if (options_.page == CsvPage::per_nvtx) {
        text_.cell("<default domain>").cell(row.ranges.front() + std::string(kNoAttributes));
      } else {
        text_.cell(fmt::format("{}", kProcess)).cell("python3.12").cell("127.0.0.1");
      }
      if (options_.page == CsvPage::per_gpu) text_.cell(device).cell(capability);
      text_.cell(name).cell(dim_text(kernel.block)).cell(dim_text(kernel.grid));
      if (options_.page != CsvPage::per_gpu) text_.cell(device).cell(capability);
      text_.cell(fmt::format("{}", row.members.size()));
      text_.cell(figure.section).cell(figure.label).cell(unit.text);
      for (const double value : {least, most, mean}) {
        text_.cell(number_text(value / unit.factor, 2, true, options_.locale));
      }
      text_.end_row();
    }
  }

  CsvText text_;
  const PlantedRun& run_;
  const Gpu& gpu_;
  const std::vector<Measured>& measured_;
  const CountersOptions& options_;
  std::vector<UnitScale> raw_units_;
};

}  // namespace

bool is_summary(CsvPage page) {
  return page == CsvPage::per_kernel || page == CsvPage::per_gpu || page == CsvPage::per_nvtx;
}

std::string_view speed_of_light(const Measured& measured) {
  const double compute = measured.compute_percent, memory = measured.memory_percent;
  if (compute >= 80 || memory >= 80) return "High Throughput";
  if (compute < 60 && memory < 60) return measured.waves < 1 ? "Small Grid" : "Latency Issue";
  if (std::abs(compute - memory) < 10) return "Balanced Throughput";
  return compute > memory ? "High Compute Throughput" : "High Memory Throughput";
}

std::vector<Measured> measure(const PlantedRun& run, const Gpu& gpu, const LimitsOptions& options) {
  constexpr double kLeastBusyPercent = 1.5;
  std::vector<Measured> measured;
  Random random(options.seed ^ 0x5eed);
  const double slower = gpu.boost_hz / gpu.base_hz;
  const auto most = [](double percent) { return std::min(percent, 99.5); };
  for (std::size_t i = 0; i < run.launches.size(); ++i) {
    if (static_cast<int64_t>(i) % options.counters.every != 0) continue;
    if (std::ssize(measured) >= options.counters.first) break;
    const PlantedKernel& kernel = run.kernels[run.launches[i].kernel];
    const auto tensor = static_cast<double>(kernel.tensor_ops);
    const auto fp32 = static_cast<double>(kernel.fadd + kernel.fmul + 2 * kernel.ffma);
    Measured launch;
    launch.launch = i;
    launch.dram_bytes = kernel.dram_read + kernel.dram_write;
    const double math_ns = 1e9 * (tensor / gpu.fp16_flops + fp32 / gpu.fp32_flops);
    const double memory_ns = 1e9 * static_cast<double>(launch.dram_bytes) / gpu.bandwidth;
    const double ns = static_cast<double>(kernel.ns) * (math_ns > memory_ns ? slower : 1);
    launch.ns = random.around(std::llround(ns), 2);
    const auto seconds = static_cast<double>(launch.ns) / 1e9;
    launch.cycles = std::llround(seconds * gpu.base_hz);
    launch.compute_percent = most(std::max({kLeastBusyPercent, kernel.busy_percent,
                                            100 * tensor * slower / gpu.fp16_flops / seconds,
                                            100 * fp32 * slower / gpu.fp32_flops / seconds}));
    launch.dram_percent =
        most(100 * static_cast<double>(launch.dram_bytes) / gpu.bandwidth / seconds);
    launch.l2_percent = most(100 * static_cast<double>(kernel.l2_bytes) /
                             (static_cast<double>(gpu.l2_bytes_per_cycle) * gpu.base_hz) / seconds);
    launch.l1_percent = most(100 * static_cast<double>(kernel.l1_bytes) /
                             (static_cast<double>(gpu.sm_count) * 128 * gpu.base_hz) / seconds);
    launch.memory_percent = std::max({launch.dram_percent, launch.l2_percent, launch.l1_percent});
    launch.block_limits = block_limits(gpu, kernel);
    const int64_t blocks = launch.block_limits.least();
    launch.waves = static_cast<double>(int64_t{kernel.grid.x} * kernel.grid.y * kernel.grid.z) /
                   static_cast<double>(gpu.sm_count * blocks);
    launch.theoretical_occupancy =
        100.0 * static_cast<double>(blocks * ((kernel.block.x + 31) / 32)) / 64;
    launch.achieved_occupancy =
        launch.theoretical_occupancy * 0.93 * std::min(1.0, 0.2 + launch.waves);
    measured.push_back(launch);
  }
  return measured;
}

std::string csv_name(const PlantedRun& run, const Measured& measured,
                     const CountersOptions& options) {
  const PlantedLaunch& launch = run.launches[measured.launch];
  const std::string name(run.kernels[launch.kernel].name.of(options.names));
  return options.nvtx == CsvNvtx::rename ? range_path(run, launch).back() + "/" + name : name;
}

std::vector<CsvRow> rows_of(const PlantedRun& run, const std::vector<Measured>& measured,
                            const CountersOptions& options) {
  std::vector<CsvRow> rows;
  using Key = std::tuple<std::string, std::string, std::string>;  // range, name, sizes
  std::map<Key, std::size_t> groups;
  for (std::size_t i = 0; i < measured.size(); ++i) {
    const PlantedLaunch& launch = run.launches[measured[i].launch];
    std::vector<std::string> path;
    if (options.nvtx != CsvNvtx::none) path = range_path(run, launch);
    if (options.nvtx == CsvNvtx::other) path = {"another " + path.front()};
    if (!is_summary(options.page)) {
      if (options.nvtx == CsvNvtx::rename) path.clear();
      rows.push_back({0, {i}, std::move(path)});
      continue;
    }
    // In a summary by range, each range around the launch has a row.
    if (options.page != CsvPage::per_nvtx) path = {""};
    const PlantedKernel& kernel = run.kernels[launch.kernel];
    for (const std::string& range : path) {
      const Key key{range, csv_name(run, measured[i], options),
                    dim_text(kernel.block) + dim_text(kernel.grid)};
      const auto [place, is_new] = groups.emplace(key, rows.size());
      if (is_new) rows.push_back({0, {}, {range}});
      rows[place->second].members.push_back(i);
    }
  }
  const std::size_t half = options.quirks.header ? (rows.size() + 1) / 2 : rows.size();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].id = static_cast<int64_t>(i < half ? i : i - half);
  }
  return rows;
}

void write_counters(std::ostream& out, const PlantedRun& run, const Gpu& gpu,
                    const std::vector<Measured>& measured, const std::vector<CsvRow>& rows,
                    const CountersOptions& options) {
  PageWriter(out, run, gpu, measured, options).write(rows);
}

}  // namespace dlview::generate::limits

namespace dlview::generate {

void write_large_counters(std::ostream& out, int64_t launches, int64_t metrics, CsvPage page) {
  const bool is_raw = page == CsvPage::raw;
  limits::CsvText text(out, {});
  for (const std::string_view name :
       {"ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Context", "Stream",
        "Block Size", "Grid Size", "Device", "CC"}) {
    text.cell(name);
  }
  const auto name_of = [](int64_t metric) {
    return metric == 0 ? std::string("gpu__time_duration.sum")
                       : fmt::format("smsp__synthetic_unit_{}.sum", metric);
  };
  if (is_raw) {
    for (int64_t metric = 0; metric < metrics; ++metric) text.cell(name_of(metric));
    text.end_row();
    for (int i = 0; i < 11; ++i) text.cell("");
    for (int64_t metric = 0; metric < metrics; ++metric)
      text.cell(metric == 0 ? "nsecond" : "inst");
  } else {
    text.cell("Section Name").cell("Metric Name").cell("Metric Unit").cell("Metric Value");
  }
  text.end_row();
  Random random(1);
  for (int64_t launch = 0; launch < launches; ++launch) {
    const auto launch_cells = [&] {
      text.cell(fmt::format("{}", launch)).cell("4242").cell("python3.12").cell("127.0.0.1");
      text.cell(fmt::format("ampere_sgemm_128x64_nn_{}", launch % 100)).cell("1").cell("7");
      text.cell("(128, 1, 1)").cell(fmt::format("({}, 1, 1)", 1 + launch % 500));
      text.cell("0").cell("8.0");
    };
    if (is_raw) launch_cells();
    for (int64_t metric = 0; metric < metrics; ++metric) {
      if (!is_raw) {
        launch_cells();
        text.cell(limits::kSpeedOfLight).cell(name_of(metric));
        text.cell(metric == 0 ? "nsecond" : "inst");
      }
      text.cell(fmt::format("{}", random.between(1'000, 9'999'999)));
      if (!is_raw) text.end_row();
    }
    if (is_raw) text.end_row();
  }
  text.finish();
}

}  // namespace dlview::generate
