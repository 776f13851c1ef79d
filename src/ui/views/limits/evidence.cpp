#include "ui/views/limits/evidence.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "aggregate/limits/gemm_tiles.h"
#include "aggregate/limits/gpu_samples.h"
#include "aggregate/limits/headroom.h"
#include "aggregate/range_sums.h"
#include "base/units.h"

namespace dlview::ui {
namespace {

using aggregate::CounterFacts;
using aggregate::Limit;
using aggregate::LimitRow;
using aggregate::Origin;
using report::LimitRule;

constexpr double kHzPerGhz = 1e9;

std::string bytes_text(double bytes) {
  return base::format_bytes(static_cast<int64_t>(std::llround(bytes)));
}

std::string amount_text(const aggregate::WorkSum& work, bool is_flop) {
  if (!work.value) return "unknown";
  const std::string value = is_flop ? base::format_flop(*work.value) : bytes_text(*work.value);
  return std::string(work.sign()) + value;
}

double threshold_percent(const LimitData& data) {
  return (data.index ? data.index->thresholds() : aggregate::LimitThresholds()).utilization_percent;
}

// Of an estimate with its sign.
std::string share_text(const aggregate::Share& share) {
  const std::string_view sign = share.origin != Origin::estimated ? ""
                                : share.is_lower_bound()          ? "≥ "
                                                                  : "≈ ";
  return std::string(sign) + base::format_percent(*share.percent);
}

// The first launch behind the row and how many there are; null = none, or several sets.
struct MeasuredLaunch {
  const CounterFacts* facts = nullptr;
  std::size_t launches = 0;
  std::string file;
};

MeasuredLaunch measured_launch(const LimitData& data, const LimitRow& row) {
  MeasuredLaunch found;
  if (!data.index || row.counter_set == aggregate::CounterJoin::kNoSet) return found;
  const auto& join = data.index->join();
  const auto facts = data.index->counter_facts();
  profile::Row launch = row.counter_set;
  found.launches = 1;
  if (row.counter_set < join.set_count()) {
    const auto launches = join.launches_of(row.counter_set);
    if (launches.empty()) return found;
    launch = launches.front();
    found.launches = launches.size();
  }
  if (launch >= facts.size()) return found;
  found.facts = &facts[launch];
  if (const auto& counters = data.profile->counters) {
    const std::string& path = counters->files[counters->launches[launch].file].path;
    found.file = path.substr(path.find_last_of('/') + 1);
  }
  return found;
}

std::string counted_source(const MeasuredLaunch& measured, const LimitRow& row) {
  std::string text = "Nsight Compute: clocks locked to base, caches flushed";
  if (measured.launches > 0) {
    text += fmt::format("; {} of {}", base::format_count(static_cast<int64_t>(measured.launches)),
                        base::counted(row.kernels, "launches"));
  }
  if (!measured.file.empty()) text += " (" + measured.file + ")";
  return text;
}

std::string work_source(const LimitRow& row, const aggregate::WorkSum& work, bool is_flop,
                        const MeasuredLaunch& measured) {
  if (!work.value) {
    if (row.work != nullptr && !row.work->why_unknown.empty()) return row.work->why_unknown;
    return row.note.empty() ? "neither shapes nor counters" : std::string(row.note);
  }
  if (work.origin == Origin::counted) return counted_source(measured, row);
  if (!is_flop) return "from shapes: minimum traffic, every tensor once";
  if (row.work == nullptr || row.work->formula.empty()) return "from shapes";
  // Inner ops, such as the addition of a bias, count too.
  const double of_formula =
      static_cast<double>(row.work->flops.value_or(0)) * static_cast<double>(row.calls);
  const bool is_all = !row.work->flops || std::abs(*work.value - of_formula) < 0.5;
  return fmt::format("from shapes: {}{}", row.work->formula,
                     !is_all         ? " for the longest of several calls"
                     : row.calls > 1 ? " per call"
                                     : "");
}

std::string peak_source(const aggregate::Peak& peak, const char* what) {
  std::string text = fmt::format("{}, {}", peak.source, what);
  if (peak.clock_hz) text += fmt::format(", {:.3g} GHz", *peak.clock_hz / kHzPerGhz);
  return text;
}

void add_work_facts(LimitEvidencePage& page, const LimitRow& row, const MeasuredLaunch& measured) {
  const std::string time = base::format_duration(row.known_ns);
  page.facts.push_back(
      {"flop", "FLOP", amount_text(row.flops, true), work_source(row, row.flops, true, measured)});
  page.facts.push_back({"bytes", "Bytes", amount_text(row.bytes, false),
                        work_source(row, row.bytes, false, measured)});
  if (row.intensity) {
    std::string source = fmt::format("{} ÷ {}", base::format_flop(row.flops.value.value_or(0)),
                                     bytes_text(row.bytes.value.value_or(0)));
    if (row.peak_flops != nullptr && row.peak_bandwidth != nullptr) {
      source += fmt::format("; ridge {}", report::intensity_text(row.peak_flops->per_second /
                                                                 row.peak_bandwidth->per_second));
    }
    page.facts.push_back(
        {"intensity", "Intensity", report::intensity_text(*row.intensity) + " FLOP/B", source});
  }
  if (row.flops_per_second && row.flops.value != 0.0) {
    page.facts.push_back({"flop_rate", "FLOP/s", report::flop_rate_text(*row.flops_per_second),
                          fmt::format("useful work ÷ measured time: {} ÷ {}",
                                      base::format_flop(row.flops.value.value_or(0)), time)});
  }
  if (row.bytes_per_second) {
    page.facts.push_back({"byte_rate", "Bandwidth", base::format_byte_rate(*row.bytes_per_second),
                          fmt::format("{} ÷ {}", bytes_text(row.bytes.value.value_or(0)), time)});
  }
}

// GPU metrics are of the whole GPU while the row's kernels ran alone.
void add_sampled_facts(LimitEvidencePage& page, const LimitRow& row) {
  const std::string source =
      fmt::format("mean of {} of the whole GPU, in {} of this row's time",
                  base::counted(row.samples, "samples"),
                  base::format_percent(100 * static_cast<double>(row.sampled_ns) /
                                       static_cast<double>(std::max<int64_t>(1, row.time_ns))));
  if (row.busy_math.percent) {
    page.facts.push_back({"busy_math", "SM busy",
                          "≥ " + base::format_percent(*row.busy_math.percent),
                          "SM issue or Tensor Active, the larger one; " + source});
  }
  if (row.busy_memory.percent) {
    page.facts.push_back({"busy_memory", "DRAM busy",
                          base::format_percent(*row.busy_memory.percent),
                          "DRAM read + write; " + source});
  }
}

void add_peak_facts(LimitEvidencePage& page, const LimitRow& row) {
  if (row.peak_flops != nullptr && row.type) {
    const std::string what = fmt::format("dense {}", aggregate::to_text(*row.type));
    page.facts.push_back({"peak_flops", "Peak FLOP/s",
                          report::flop_rate_text(row.peak_flops->per_second),
                          peak_source(*row.peak_flops, what.c_str())});
  }
  if (row.peak_bandwidth != nullptr) {
    page.facts.push_back({"peak_bandwidth", "Peak bandwidth",
                          base::format_byte_rate(row.peak_bandwidth->per_second),
                          peak_source(*row.peak_bandwidth, "DRAM")});
  }
  const auto share = [&](const char* id, const char* label, const aggregate::Share& its,
                         const char* source) {
    if (!its.percent) return;
    page.facts.push_back({id, label, share_text(its), source});
  };
  share("math", "Share of the math peak", row.math,
        row.mixes_types ? "FLOP/s ÷ peak FLOP/s of each number format, mean over time"
                        : "FLOP/s ÷ peak FLOP/s");
  share("memory", "Share of the bandwidth", row.memory, "bandwidth ÷ peak bandwidth");
  if (row.samples > 0) {
    add_sampled_facts(page, row);
  } else {
    share("busy_math", "SM busy", row.busy_math,
          "sm__throughput: the busiest pipe, measured by Nsight Compute");
    share("busy_memory", "DRAM busy", row.busy_memory,
          row.derives_busy_memory
              ? "at most: DRAM bytes of Nsight Compute ÷ time of the profile ÷ peak bandwidth"
              : "dram__throughput, measured by Nsight Compute");
  }
  if (!row.roof_ns) return;
  page.facts.push_back({"roof", "Roof time",
                        fmt::format("{} ({} of the time)", base::format_duration(*row.roof_ns),
                                    base::format_percent(row.roof_percent.value_or(0))),
                        fmt::format("{} roof. A bound: it assumes peak clock and perfect overlap.",
                                    row.roof_is_math ? "math" : "memory")});
  page.facts.push_back({"save", "Can save at most", base::format_duration(row.save_ns.value_or(0)),
                        "time − roof time of each kind of call, none below 0"});
}

void add_counter_facts(LimitEvidencePage& page, const LimitRow& row,
                       const MeasuredLaunch& measured) {
  if (row.measured_ns > 0 && row.time_ns > 0) {
    const double percent =
        100 * static_cast<double>(row.measured_ns) / static_cast<double>(row.time_ns);
    page.facts.push_back({"measured", "Measured", base::format_percent(percent),
                          "of this row's kernel time; " + counted_source(measured, row)});
  }
  if (measured.facts == nullptr) return;
  const CounterFacts& facts = *measured.facts;
  if (facts.occupancy_percent) {
    std::string value = base::format_percent(*facts.occupancy_percent);
    std::string source = "achieved, counted by Nsight Compute";
    if (facts.theoretical_occupancy_percent) {
      source += fmt::format("; theoretical {}",
                            base::format_percent(*facts.theoretical_occupancy_percent));
    }
    if (!facts.occupancy_limit.empty()) {
      source += "; limited by " + facts.occupancy_limit;
    }
    page.facts.push_back({"occupancy", "Occupancy", std::move(value), std::move(source)});
  }
  if (facts.tensor_pipe_percent) {
    page.facts.push_back({"tensor_pipe", "Tensor pipe busy",
                          base::format_percent(*facts.tensor_pipe_percent),
                          "counted by Nsight Compute"});
  }
  if (facts.waves) {
    std::string source = "counted by Nsight Compute";
    if (facts.registers) source += fmt::format("; {:g} registers per thread", *facts.registers);
    page.facts.push_back({"waves", "Waves per SM", fmt::format("{:.3g}", *facts.waves), source});
  }
}

std::string percents(const aggregate::Share& compute, const char* what,
                     const aggregate::Share& memory, const char* of_memory) {
  const auto text = [what](const aggregate::Share& share, const char* label) {
    if (!share.percent) return fmt::format("{} unknown", label);
    const bool is_bound = share.origin == Origin::sampled && label == what;
    return fmt::format("{} {}{}", label, is_bound ? "≥ " : "", share_text(share));
  };
  return fmt::format("{}, {}", text(compute, what), text(memory, of_memory));
}

void add_verdicts(LimitEvidencePage& page, const LimitRow& row, LimitRule rule,
                  double threshold_percent) {
  const auto add = [&](LimitRule of, const char* title, std::string text, std::string reason) {
    const report::LimitVerdict verdict = report::verdict_of(row, of);
    if (verdict.is_near) text += " (near)";
    page.verdicts.push_back({std::string(report::to_text(of)), title, std::move(text),
                             std::move(reason), verdict.limit, verdict.origin, of == rule});
  };
  const auto word = [](Limit limit) { return std::string(aggregate::to_text(limit)); };
  add(LimitRule::flops, "FLOP/s", word(row.by_flops),
      percents(row.math, "math", row.memory, "memory"));
  std::string busy = percents(row.busy_math, "SM", row.busy_memory, "DRAM");
  if (row.samples > 0) {
    busy += "; " + base::counted(row.samples, "samples");
    if (row.samples < aggregate::kLeastSamplesOfVerdict) busy += ", too few to name a limit";
  }
  add(LimitRule::busy, "Busy counters", word(row.by_busy), std::move(busy));
  std::string side = word(row.by_intensity);
  if (row.by_intensity == Limit::math || row.by_intensity == Limit::memory) side += " side";
  add(LimitRule::intensity, "Intensity", std::move(side),
      row.intensity ? report::intensity_text(*row.intensity) + " FLOP/B against the ridge"
                    : "intensity unknown");
  add(LimitRule::ncu, "Speed of Light", std::string(aggregate::to_text(row.by_ncu)),
      "Nsight Compute's thresholds: 60% low, 80% high, 10 points apart");
  if (rule == LimitRule::best) {
    const Limit shown = row.limit();
    const LimitRule source = shown == row.by_flops && row.by_flops != Limit::unknown
                                 ? LimitRule::flops
                                 : LimitRule::busy;
    for (auto& verdict : page.verdicts) {
      verdict.is_shown = shown != Limit::unknown && verdict.id == report::to_text(source);
    }
  }
  const bool differ = row.by_flops != Limit::unknown && row.by_busy != Limit::unknown &&
                      row.by_flops != row.by_busy;
  const bool is_busy_without_math = row.busy_math.percent.value_or(0) >= threshold_percent &&
                                    row.math.percent && *row.math.percent < threshold_percent &&
                                    row.flops.origin == Origin::counted;
  if (is_busy_without_math) {
    page.difference = fmt::format("SM busy {}, math {}: the SM is busy with other instructions",
                                  base::format_percent(*row.busy_math.percent),
                                  base::format_percent(*row.math.percent));
  } else if (differ) {
    page.difference =
        fmt::format("By FLOP/s {}, by busy counters {}", aggregate::to_text(row.by_flops),
                    aggregate::to_text(row.by_busy));
  }
}

// The kernel of the row, if it is one, with its grid.
struct KernelOfRow {
  std::string_view name;
  std::optional<profile::Dim3> grid;
  std::string_view data_type;
};

std::optional<KernelOfRow> kernel_of(const LimitData& data, const LimitRow& row) {
  if (!data.index || row.work == nullptr) return std::nullopt;
  const profile::Profile& profile = *data.profile;
  const auto& work = data.index->work();
  const auto& groups = work.groups();
  for (uint32_t group = 0; group < groups.size(); ++group) {
    if (groups[group].kernel == profile::kNoText || &work.works()[groups[group].work] != row.work) {
      continue;
    }
    const bool is_its =
        row.op != profile::kNoRow ? groups[group].op == row.op : groups[group].kernel == row.kernel;
    if (!is_its) continue;
    const auto of_kernel = work.group_of_kernel();
    const auto first = std::ranges::find(of_kernel, group);
    if (first == of_kernel.end()) return std::nullopt;
    const profile::KernelIndex kernel(static_cast<profile::Row>(first - of_kernel.begin()));
    KernelOfRow found{profile.text(profile.kernels.long_name[kernel]), std::nullopt,
                      groups[group].data_type};
    const profile::Dim3 grid = profile.launches.grid[profile.kernels.launch[kernel]];
    if (grid.x > 0) found.grid = grid;
    return found;
  }
  return std::nullopt;
}

void add_notes(LimitEvidencePage& page, const LimitData& data, const LimitRow& row) {
  if (!row.note.empty()) page.notes.emplace_back(row.note);
  if (row.work == nullptr) return;
  for (const std::string& assumption : row.work->assumptions) {
    page.notes.push_back("Assumed: " + assumption);
  }
  const auto kernel = kernel_of(data, row);
  if (!row.work->gemm || !kernel) return;
  const aggregate::GemmShape& gemm = *row.work->gemm;
  int64_t sm_count = 0;
  if (!data.profile->devices.empty()) {
    sm_count = data.profile->devices[row.device.value_or(profile::DeviceIndex(0))].sm_count;
  }
  if (const auto tiling = aggregate::tiling_of(kernel->name, gemm, kernel->grid, sm_count, 1)) {
    std::string text = fmt::format(
        "Tile {} × {}: {}, tile efficiency {}; {:.3g} waves, wave efficiency {} "
        "(assumed: 1 block per SM)",
        tiling->tile.m, tiling->tile.n, base::counted(tiling->tiles, "tiles"),
        base::format_percent(tiling->tile_efficiency_percent), tiling->waves,
        base::format_percent(tiling->wave_efficiency_percent));
    if (!tiling->note.empty()) text += "; " + tiling->note;
    page.notes.push_back(std::move(text));
  }
  const std::string unaligned = aggregate::unaligned_sizes(gemm, kernel->data_type);
  const auto multiple = aggregate::needed_multiple(kernel->data_type);
  if (!unaligned.empty() && multiple) {
    page.notes.push_back(fmt::format("{}: pad to a multiple of {}", unaligned, *multiple));
  }
}

std::string_view kind_of(const LimitRow& row) {
  if (row.op != profile::kNoRow) return row.shapes != 0 ? "Op and shape" : "Op";
  return row.group != profile::kNoRow ? "Group" : "Kernel";
}

bool is_low_precision(aggregate::MathType type) {
  using enum aggregate::MathType;
  return type == fp16_tensor || type == bf16_tensor || type == fp8_tensor || type == int8_tensor;
}

// A number as CSV has it; empty = unknown.
std::string csv_number(const std::optional<double>& value) {
  return value ? fmt::format("{:.0f}", *value) : "";
}
std::string csv_text(std::string_view text) {
  std::string quoted = "\"";
  for (const char letter : text) {
    if (letter == '"') quoted += '"';
    quoted += letter;
  }
  return quoted + "\"";
}

}  // namespace

std::vector<std::string> advice_of(const LimitData& data, const LimitRow& row, LimitRule rule,
                                   const CounterFacts* facts) {
  std::vector<std::string> advice;
  const auto& devices = data.profile->devices;
  const bool has_fp8 = std::ranges::any_of(devices, [](const profile::Device& device) {
    return aggregate::has_tensor_cores(device, aggregate::MathType::fp8_tensor);
  });
  const Limit limit = report::verdict_of(row, rule).limit;
  switch (limit) {
    case Limit::math:
      if (row.type && !is_low_precision(*row.type)) {
        advice.push_back(fmt::format("Computes in {}. {}.", aggregate::to_text(*row.type),
                                     aggregate::tensor_core_advice(*data.profile)));
      } else {
        advice.push_back(
            fmt::format("Already on Tensor Cores: {}2:4 sparsity, or fewer operations.",
                        has_fp8 ? "FP8 (Transformer Engine), " : ""));
      }
      break;
    case Limit::memory:
      advice.emplace_back(
          "Fuse with neighboring ops, use a smaller data type, or reuse data in "
          "cache.");
      break;
    case Limit::both:
      advice.emplace_back("Near both roofs: only an algorithm with fewer FLOP and bytes helps.");
      break;
    case Limit::neither:
      if (facts != nullptr && facts->waves && *facts->waves < 1) {
        advice.push_back(
            fmt::format("{:.3g} waves: a larger batch, split-K or a smaller tile fills "
                        "the GPU.",
                        *facts->waves));
      }
      if (facts != nullptr && !facts->occupancy_limit.empty() &&
          facts->occupancy_percent.value_or(100) < 50) {
        advice.push_back(fmt::format("Occupancy {}, limited by {}.",
                                     base::format_percent(*facts->occupancy_percent),
                                     facts->occupancy_limit));
      }
      if (row.kernels > 0 && row.time_ns / row.kernels < 10'000) {
        advice.push_back(fmt::format("Kernels of {} on average: fuse them, or use CUDA graphs.",
                                     base::format_duration(row.time_ns / row.kernels)));
      }
      if (row.busy_math.percent.value_or(0) >= threshold_percent(data)) {
        advice.emplace_back(
            "The SM is busy with other instructions: shared memory, load/store, address "
            "calculation. See the Source page of Nsight Compute.");
      }
      break;
    case Limit::unknown:
      if (!row.flops.value && row.measured_ns == 0) {
        advice.push_back(fmt::format("{}.", aggregate::kRecordWork));
      } else if (row.measured_ns == 0) {
        advice.emplace_back("Shapes give lower bounds only. Record Nsight Compute counters.");
      } else {
        advice.emplace_back("Record Nsight Compute counters with --set full.");
      }
      break;
    case Limit::no_flop:
      break;
  }
  return advice;
}

LimitEvidencePage prepare_evidence(const LimitData& data, uint32_t row_index, LimitRule rule) {
  const LimitRow& row = data.rows()[row_index];
  LimitEvidencePage page;
  page.kind = kind_of(row);
  page.name = row.name;
  page.detail =
      fmt::format("{} · {}", base::counted(row.calls, "calls"), base::format_duration(row.time_ns));
  if (row.type) page.detail += fmt::format(" · {}", aggregate::to_text(*row.type));
  if (row.shapes != 0) {
    page.detail += fmt::format(" · {}", aggregate::shapes_text(*data.profile, row.shapes));
  }
  const MeasuredLaunch measured = measured_launch(data, row);
  add_work_facts(page, row, measured);
  add_peak_facts(page, row);
  add_counter_facts(page, row, measured);
  add_verdicts(page, row, rule, threshold_percent(data));
  add_notes(page, data, row);
  page.advice = advice_of(data, row, rule, measured.facts);
  return page;
}

std::string shapes_csv(const LimitData& data, std::span<const uint32_t> rows) {
  std::string csv = "name,shape,type,calls,time_ns,flops,bytes,formula\n";
  for (const uint32_t index : rows) {
    const LimitRow& row = data.rows()[index];
    const std::string_view shape =
        row.shapes == 0 ? std::string_view() : aggregate::shapes_text(*data.profile, row.shapes);
    csv += fmt::format(
        "{},{},{},{},{},{},{},{}\n", csv_text(row.name), csv_text(shape),
        row.type ? aggregate::to_text(*row.type) : std::string_view(), row.calls, row.time_ns,
        csv_number(row.flops.value), csv_number(row.bytes.value),
        csv_text(row.work == nullptr ? std::string_view() : std::string_view(row.work->formula)));
  }
  return csv;
}

}  // namespace dlview::ui
