// What readers of the planted files must find: work and limiters by op, and which kernels of the
// profile each row of the CSV is.
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "generate/limits/counters.h"
#include "generate/pytorch/event_writer.h"

namespace dlview::generate::limits {
namespace {

constexpr double kLimitPercent = 70;

std::string limit_text(bool is_math, bool is_memory, std::string_view if_none) {
  return std::string(is_math && is_memory ? "both"
                     : is_math            ? "math"
                     : is_memory          ? "memory"
                                          : if_none);
}

LimitsTruth::Op truth_of_op(const PlantedRun& run, const LimitsOptions& options,
                            std::size_t number) {
  const PlantedOp& op = run.ops[number];
  const PlantedKernel& kernel = run.kernels[op.kernel];
  LimitsTruth::Op truth;
  truth.name = op.name;
  truth.type = options.format == LimitsFormat::pytorch ? op.torch_name : op.type;
  truth.data_type = op.is_half ? "float16" : "float32";
  truth.planted = to_text(op.limit);
  for (const PlantedLaunch& launch : run.launches) {
    if (launch.op != static_cast<int64_t>(number)) continue;
    ++truth.calls;
    ++truth.kernels;
    truth.time_ns += launch.end_ns - launch.start_ns;
  }
  truth.flops = op.flops;
  truth.bytes = op.bytes;
  truth.flops_exact = op.flops_exact;
  truth.peak_flops = kernel.tensor_cores ? run.gpu.fp16_flops : run.gpu.fp32_flops;
  truth.peak_bandwidth = run.gpu.bandwidth;
  const double seconds = static_cast<double>(truth.time_ns) / 1e9;
  const auto calls = static_cast<double>(truth.calls);
  if (seconds > 0) {
    truth.math_percent = 100 * static_cast<double>(op.flops) * calls / seconds / truth.peak_flops;
    truth.memory_percent =
        100 * static_cast<double>(op.bytes) * calls / seconds / truth.peak_bandwidth;
  }
  // Tensors that fit in the L2 cache need not come from memory.
  const bool proves_memory = op.bytes > run.gpu.l2_bytes && truth.memory_percent >= kLimitPercent;
  truth.by_flops_estimated =
      limit_text(truth.math_percent >= kLimitPercent, proves_memory, "unknown");
  const double ridge = truth.peak_flops / truth.peak_bandwidth;
  truth.by_intensity = op.flops == 0 ? "no FLOP"
                       : static_cast<double>(op.flops) / static_cast<double>(op.bytes) > ridge
                           ? "math"
                           : "memory";
  truth.kernel = kernel.name.of(options.format == LimitsFormat::pytorch ? CsvNames::demangled
                                                                        : CsvNames::old_style);
  truth.blocks_per_sm = block_limits(run.gpu, kernel).least();
  if (!op.is_gemm) return truth;
  const PlantedGemm& gemm = op.gemm;
  truth.m = gemm.m;
  truth.n = gemm.n;
  truth.k = gemm.k;
  truth.batch = gemm.batch;
  truth.tile_m = gemm.tile_m;
  truth.tile_n = gemm.tile_n;
  const auto tiles_of = [](int64_t size, int64_t tile) { return (size + tile - 1) / tile; };
  truth.tiles = tiles_of(gemm.m, gemm.tile_m) * tiles_of(gemm.n, gemm.tile_n) * gemm.batch;
  truth.waves = static_cast<double>(truth.tiles) /
                static_cast<double>(run.gpu.sm_count * truth.blocks_per_sm);
  truth.tile_efficiency_percent = 100 * static_cast<double>(gemm.m * gemm.n * gemm.batch) /
                                  static_cast<double>(truth.tiles * gemm.tile_m * gemm.tile_n);
  return truth;
}

// The first level at which a name of the CSV equals the profile's; 0: none.
int level_of(NameKind kind, const LimitsOptions& options) {
  if (kind == NameKind::plain) return 2;
  const bool is_trace = options.format == LimitsFormat::pytorch;
  switch (options.counters.names) {
    case CsvNames::demangled:
      return is_trace ? 2 : 3;
    case CsvNames::old_style:
      return is_trace ? 3 : 2;
    case CsvNames::new_style:
      return kind == NameKind::functor ? 3 : kind == NameKind::lambda ? 4 : 0;
    case CsvNames::mangled:
      return options.format == LimitsFormat::nsys && options.schema != NsysSchema::v2021 ? 1 : 0;
    case CsvNames::function:
      return 0;
  }
  return 0;
}

// Joins rows to kernels by what was planted; names are compared only within one style.
class Joiner {
 public:
  Joiner(const PlantedRun& run, const LimitsOptions& options, const Gpu& measured_gpu,
         const std::vector<Measured>& measured, const std::vector<CsvRow>& rows)
      : run_(run), options_(options), gpu_(measured_gpu), measured_(measured), rows_(rows) {
    for (std::size_t i = 0; i < rows.size(); ++i) same_key_[key_of(rows[i])].push_back(i);
  }

  void join(std::size_t row, LimitsTruth::Launch& truth) {
    const CsvRow& its = rows_[row];
    truth.state = "none";
    if (options_.counters.page == CsvPage::oldest) {
      truth.measured_launches = 0;
      return;
    }
    const std::vector<std::size_t>& same = same_key_[key_of(its)];
    truth.measured_launches = 0;
    for (const std::size_t other : same)
      truth.measured_launches += std::ssize(rows_[other].members);
    const std::size_t kernel = kernel_of(its);
    const int level = level_of(run_.kernels[kernel].name.kind, options_);
    if (level == 0) return;
    const std::set<std::size_t> candidates = candidates_of(kernel, level);
    if (candidates.size() > 1) {
      truth.state = "ambiguous";
      truth.candidates = std::ssize(candidates);
      return;
    }
    truth.level = level;
    if (gpu_.name != run_.gpu.name) {
      truth.state = "refused";
      return;
    }
    const std::vector<int64_t> kernels = kernels_of(its, kernel);
    if (kernels.empty()) {
      truth.level = 0;
      return;
    }
    truth.state = "joined";
    truth.profile_launches = std::ssize(kernels);
    assign(row, same, kernels, truth);
  }

 private:
  std::size_t kernel_of(const CsvRow& row) const {
    return run_.launches[measured_[row.members.front()].launch].kernel;
  }
  // Name, sizes and ranges as the file has them.
  using Key = std::tuple<std::string, std::vector<int32_t>, std::vector<std::string>>;
  Key key_of(const CsvRow& row) const {
    const PlantedKernel& kernel = run_.kernels[kernel_of(row)];
    return {csv_name(run_, measured_[row.members.front()], options_.counters),
            {kernel.grid.x, kernel.grid.y, kernel.grid.z, kernel.block.x, kernel.block.y,
             kernel.block.z},
            row.ranges};
  }

  // Names of the profile that this level takes for the kernel's.
  std::set<std::size_t> candidates_of(std::size_t kernel, int level) const {
    std::set<std::size_t> found{kernel};
    if (level < 4) return found;
    const PlantedKernel& wanted = run_.kernels[kernel];
    for (std::size_t i = 0; i < run_.kernels.size(); ++i) {
      const PlantedKernel& other = run_.kernels[i];
      if (other.name.of(CsvNames::new_style) == wanted.name.of(CsvNames::new_style) &&
          other.grid == wanted.grid && other.block == wanted.block) {
        found.insert(i);
      }
    }
    return found;
  }

  // In order of start: those in the same ranges, where the file tells them.
  std::vector<int64_t> kernels_of(const CsvRow& row, std::size_t kernel) const {
    std::vector<int64_t> kernels;
    const CsvNvtx nvtx = options_.counters.nvtx;
    const PlantedLaunch& measured = run_.launches[measured_[row.members.front()].launch];
    for (std::size_t i = 0; i < run_.launches.size(); ++i) {
      const PlantedLaunch& launch = run_.launches[i];
      // Equal kernels of two ops have one name and size.
      if (!is_same(run_.kernels[launch.kernel], run_.kernels[kernel])) continue;
      if (nvtx == CsvNvtx::other) continue;
      if (nvtx == CsvNvtx::same) {
        if (range_path(run_, launch) != row.ranges) continue;
      } else if (nvtx == CsvNvtx::rename) {
        if (range_path(run_, launch).back() != range_path(run_, measured).back()) continue;
      }
      kernels.push_back(static_cast<int64_t>(i));
    }
    return kernels;
  }
  static bool is_same(const PlantedKernel& a, const PlantedKernel& b) {
    return a.name.text == b.name.text && a.grid == b.grid && a.block == b.block;
  }

  // With equal numbers on each stream the n-th is the n-th.
  void assign(std::size_t row, const std::vector<std::size_t>& same,
              const std::vector<int64_t>& kernels, LimitsTruth::Launch& truth) const {
    std::map<int64_t, std::vector<std::size_t>> measured;
    std::map<int64_t, std::vector<int64_t>> of_profile;
    bool are_single = true;
    for (const std::size_t other : same) {
      const CsvRow& its = rows_[other];
      are_single &= its.members.size() == 1;
      const int64_t stream = run_.launches[measured_[its.members.front()].launch].stream;
      measured[is_summary(options_.counters.page) ? 0 : stream].push_back(other);
    }
    for (const int64_t kernel : kernels) {
      const int64_t stream = run_.launches[static_cast<std::size_t>(kernel)].stream;
      of_profile[options_.format == LimitsFormat::dlprof ? 0 : stream].push_back(kernel);
    }
    truth.by_occurrence =
        are_single && measured.size() == of_profile.size() &&
        std::equal(measured.begin(), measured.end(), of_profile.begin(),
                   [](const auto& a, const auto& b) { return a.second.size() == b.second.size(); });
    if (!truth.by_occurrence) {
      truth.kernels = kernels;
      return;
    }
    auto stream = of_profile.begin();
    for (const auto& [number, list] : measured) {
      const auto place = std::ranges::find(list, row);
      if (place != list.end()) {
        truth.kernels = {stream->second[static_cast<std::size_t>(place - list.begin())]};
      }
      ++stream;
    }
  }

  const PlantedRun& run_;
  const LimitsOptions& options_;
  const Gpu& gpu_;
  const std::vector<Measured>& measured_;
  const std::vector<CsvRow>& rows_;
  std::map<Key, std::vector<std::size_t>> same_key_;
};

}  // namespace

LimitsTruth truth_of(const PlantedRun& run, const LimitsOptions& options, const Gpu& measured_gpu,
                     const std::vector<Measured>& measured, const std::vector<CsvRow>& rows) {
  LimitsTruth truth;
  truth.gpu = run.gpu.name;
  for (std::size_t op = 0; op < run.ops.size(); ++op) {
    truth.ops.push_back(truth_of_op(run, options, op));
  }
  if (rows.empty()) return truth;
  truth.measured_gpu = measured_gpu.name;
  Joiner joiner(run, options, measured_gpu, measured, rows);
  const CsvPage page = options.counters.page;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Measured& first = measured[rows[i].members.front()];
    const PlantedKernel& kernel = run.kernels[run.launches[first.launch].kernel];
    LimitsTruth::Launch launch;
    launch.id = rows[i].id;
    launch.kernel = csv_name(run, first, options.counters);
    joiner.join(i, launch);
    launch.duration_ns = first.ns;
    launch.dram_bytes = first.dram_bytes;
    const bool has_counts = page == CsvPage::raw || page == CsvPage::metrics;
    if (has_counts && (kernel.tensor_ops == 0 || measured_gpu.cc_major >= 9)) {
      launch.flops = kernel.fadd + kernel.fmul + 2 * kernel.ffma + kernel.tensor_ops;
    }
    launch.compute_percent = first.compute_percent;
    launch.memory_percent = first.memory_percent;
    launch.dram_percent = first.dram_percent;
    launch.waves = first.waves;
    launch.by_busy = limit_text(first.compute_percent >= kLimitPercent,
                                first.dram_percent >= kLimitPercent, "neither");
    launch.speed_of_light = speed_of_light(first);
    truth.launches.push_back(std::move(launch));
  }
  return truth;
}

}  // namespace dlview::generate::limits

namespace dlview::generate {

std::string to_json(const LimitsTruth& truth) {
  using pytorch::json_string;
  std::string result =
      fmt::format("{{\n \"gpu\": {},\n \"measured_gpu\": {},\n \"ops\": [", json_string(truth.gpu),
                  truth.measured_gpu.empty() ? "null" : json_string(truth.measured_gpu));
  const char* separator = "";
  for (const LimitsTruth::Op& op : truth.ops) {
    result += fmt::format(
        "{}\n  {{\"name\": {}, \"type\": {}, \"data_type\": {}, \"planted\": {}, \"calls\": {}, "
        "\"kernels\": {}, \"time_ns\": {}, \"flops\": {}, \"bytes\": {}, \"flops_exact\": {}, "
        "\"peak_flops\": {}, \"peak_bandwidth\": {}, \"math_percent\": {:.4f}, "
        "\"memory_percent\": {:.4f}, \"by_flops_estimated\": {}, \"by_intensity\": {}, "
        "\"kernel\": {}, \"blocks_per_sm\": {}",
        separator, json_string(op.name), json_string(op.type), json_string(op.data_type),
        json_string(op.planted), op.calls, op.kernels, op.time_ns, op.flops, op.bytes,
        op.flops_exact, op.peak_flops, op.peak_bandwidth, op.math_percent, op.memory_percent,
        json_string(op.by_flops_estimated), json_string(op.by_intensity), json_string(op.kernel),
        op.blocks_per_sm);
    if (op.m > 0) {
      result += fmt::format(
          ", \"m\": {}, \"n\": {}, \"k\": {}, \"batch\": {}, \"tile_m\": {}, \"tile_n\": {}, "
          "\"tiles\": {}, \"waves\": {:.4f}, \"tile_efficiency_percent\": {:.4f}",
          op.m, op.n, op.k, op.batch, op.tile_m, op.tile_n, op.tiles, op.waves,
          op.tile_efficiency_percent);
    }
    result += "}";
    separator = ",";
  }
  result += "\n ],\n \"launches\": [";
  separator = "";
  for (const LimitsTruth::Launch& launch : truth.launches) {
    result += fmt::format(
        "{}\n  {{\"id\": {}, \"kernel\": {}, \"state\": {}, \"level\": {}, \"by_occurrence\": {}, "
        "\"kernels\": [{}], \"candidates\": {}, \"profile_launches\": {}, \"measured_launches\": "
        "{}, \"duration_ns\": {}, \"dram_bytes\": {}, \"flops\": {}, \"compute_percent\": {:.4f}, "
        "\"memory_percent\": {:.4f}, \"dram_percent\": {:.4f}, \"waves\": {:.4f}, \"by_busy\": "
        "{}, \"speed_of_light\": {}}}",
        separator, launch.id, json_string(launch.kernel), json_string(launch.state), launch.level,
        launch.by_occurrence, fmt::join(launch.kernels, ", "), launch.candidates,
        launch.profile_launches, launch.measured_launches, launch.duration_ns, launch.dram_bytes,
        launch.flops ? fmt::format("{}", *launch.flops) : "null", launch.compute_percent,
        launch.memory_percent, launch.dram_percent, launch.waves, json_string(launch.by_busy),
        json_string(launch.speed_of_light));
    separator = ",";
  }
  return result + "\n ]\n}\n";
}

}  // namespace dlview::generate
