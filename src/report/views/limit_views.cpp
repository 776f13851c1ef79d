#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "aggregate/limits/gemm_tiles.h"
#include "aggregate/limits/limits.h"
#include "aggregate/range_sums.h"
#include "profile/launch_sizes.h"
#include "report/views/declarations.h"

namespace dlview::report::view {
namespace {

using aggregate::GpuPeaks;
using aggregate::LimitIndex;
using aggregate::LimitRow;
using aggregate::LimitsBy;
using aggregate::MathType;
using aggregate::Origin;
using aggregate::Peak;
using profile::DeviceIndex;
using profile::InstanceIndex;
using profile::KernelIndex;
using profile::kNoRow;
using profile::kNoText;
using profile::Profile;

constexpr double kTera = 1e12, kGiga = 1e9;

Cell cell_of(const std::optional<double>& value, double factor = 1) {
  return value ? Cell(*value * factor) : Cell();
}

Cell cell_of(const Peak* peak, double unit) {
  return peak != nullptr ? Cell(peak->per_second / unit) : Cell();
}

Cell share_cell(int64_t part, int64_t whole) {
  return whole > 0 ? Cell(100 * static_cast<double>(part) / static_cast<double>(whole)) : Cell();
}

// The rows refer to the index, which lives as long as the table.
struct LimitRows {
  std::shared_ptr<const LimitIndex> index;
  std::vector<LimitRow> rows;
  int64_t time_ns = 0;  // of all
};

std::shared_ptr<const LimitRows> rows_of(const Input& input, LimitsBy by) {
  const auto made = std::make_shared<LimitRows>();
  made->index = limit_index(input);
  made->rows = made->index->rows(input.aggregation, by);
  // Groups contain each other: their time is that of all ops.
  const bool nests = by == LimitsBy::group;
  for (const LimitRow& row : made->rows) {
    made->time_ns = nests ? std::max(made->time_ns, row.time_ns) : made->time_ns + row.time_ns;
  }
  return made;
}

// Which row it is, whatever the range: the op's id, with its shapes; the kernel; the group.
std::string key_of(const Profile& profile, const LimitRow& row) {
  if (row.op == kNoRow) return std::string(row.name);
  const std::string_view id = profile.text(profile.ops.id[row.op]);
  const std::string_view shapes = aggregate::shapes_text(profile, row.shapes);
  return shapes.empty() ? std::string(id) : fmt::format("{} {}", id, shapes);
}

Table limits(const Input& input, LimitsBy by) {
  const std::shared_ptr<const LimitRows> all = rows_of(input, by);
  return make_limits(input.profile, by, {all, &all->rows}, all->time_ns);
}

struct PeakRow {
  const GpuPeaks* gpu = nullptr;
  std::string_view type;  // empty = the bandwidth
  const Peak* flops = nullptr;
};

// A GEMM or convolution whose calls have one kernel.
struct TileRow {
  const aggregate::WorkGroup* group = nullptr;
  aggregate::GemmShape gemm;
  std::optional<aggregate::GemmTiling> tiling;
  std::optional<profile::Dim3> grid;
  std::string unaligned;
};

}  // namespace

std::shared_ptr<const LimitIndex> limit_index(const Input& input) {
  if (input.arguments.limits) return input.arguments.limits;
  return std::make_shared<const LimitIndex>(input.profile);
}

Table roofline(const Input& input) {
  return limits(input, LimitsBy::op);
}
Table roofline_kernels(const Input& input) {
  return limits(input, LimitsBy::kernel);
}
Table roofline_shapes(const Input& input) {
  return limits(input, LimitsBy::shape);
}
Table roofline_groups(const Input& input) {
  return limits(input, LimitsBy::group);
}

Table limiter_summary(const Input& input) {
  const std::shared_ptr<const LimitRows> all = rows_of(input, LimitsBy::op);
  const auto sums =
      std::make_shared<const std::vector<aggregate::LimitSummary>>(aggregate::summarize(all->rows));
  Table table;
  table.row_count = sums->size();
  const auto add = [&](ColumnId id, auto value) {
    table.columns.push_back(
        column(id, [sums, value](std::size_t i) -> Cell { return value((*sums)[i]); }));
  };
  using Sum = aggregate::LimitSummary;
  add("limit", [](const Sum& sum) { return to_text(sum.limit); });
  add("limit_origin", [](const Sum& sum) { return to_text(sum.origin); });
  add("limiter_summary.rows", [](const Sum& sum) { return sum.rows; });
  add("limit_kernels", [](const Sum& sum) { return sum.kernels; });
  add("limit_time", [](const Sum& sum) { return sum.time_ns; });
  const int64_t time_ns = all->time_ns;
  add("limit_share", [time_ns](const Sum& sum) { return share_cell(sum.time_ns, time_ns); });
  return table;
}

Table flop_utilization(const Input& input) {
  const std::shared_ptr<const LimitRows> all = rows_of(input, LimitsBy::op);
  const auto found = aggregate::flop_utilization(input.profile, input.aggregation, all->rows);
  int64_t known_ns = 0;
  for (const LimitRow& row : all->rows) known_ns += row.known_ns;
  Table table;
  table.row_count = 1;
  const auto add = [&table](ColumnId id, const Cell& value) {
    table.columns.push_back(column(id, [value](std::size_t) { return value; }));
  };
  add("mfu", cell_of(found.model_percent));
  add("hfu", cell_of(found.hardware_percent));
  add("flops_may_be_high", found.may_be_high);
  add("known_share", share_cell(known_ns, all->time_ns));
  return table;
}

Table peaks(const Input& input) {
  const std::shared_ptr<const LimitIndex> index = limit_index(input);
  const auto rows = std::make_shared<std::vector<PeakRow>>();
  for (DeviceIndex device{0}; device < input.profile.devices.size(); ++device) {
    const GpuPeaks& gpu = index->peaks(device);
    for (int type = 0; type < aggregate::kMathTypes; ++type) {
      const auto& peak = gpu.of(static_cast<MathType>(type));
      if (peak) rows->push_back({&gpu, to_text(static_cast<MathType>(type)), &*peak});
    }
    if (gpu.bandwidth) rows->push_back({&gpu, "", nullptr});
  }
  Table table;
  table.row_count = rows->size();
  const auto add = [&](ColumnId id, auto value) {
    table.columns.push_back(
        column(id, [index, rows, value](std::size_t i) -> Cell { return value((*rows)[i]); }));
  };
  const auto peak_of = [](const PeakRow& row) -> const Peak& {
    return row.flops != nullptr ? *row.flops : *row.gpu->bandwidth;
  };
  add("peaks.gpu", [](const PeakRow& row) { return std::string_view(row.gpu->gpu); });
  add("math_type", [](const PeakRow& row) { return row.type; });
  add("tflops", [](const PeakRow& row) { return cell_of(row.flops, kTera); });
  add("gbps", [](const PeakRow& row) {
    return row.flops == nullptr ? cell_of(&*row.gpu->bandwidth, kGiga) : Cell();
  });
  add("peak_source",
      [peak_of](const PeakRow& row) { return std::string_view(peak_of(row).source); });
  add("peak_clock", [peak_of](const PeakRow& row) { return cell_of(peak_of(row).clock_hz); });
  return table;
}

Table gemm_tiles(const Input& input) {
  const Profile& profile = input.profile;
  const std::shared_ptr<const LimitIndex> index = limit_index(input);
  const aggregate::WorkIndex& work = index->work();
  const aggregate::IterationRange range = input.iterations();
  const auto& iterations = input.aggregation.iteration_table->iterations.rows;
  const InstanceIndex first = iterations[static_cast<std::size_t>(range.first)].first_instance;
  const InstanceIndex last = iterations[static_cast<std::size_t>(range.last)].last_instance;
  // A kernel of each group, for its grid and GPU.
  std::vector<KernelIndex> kernel_of(work.groups().size());
  for (KernelIndex kernel = profile.instances.first_kernel[first];
       kernel < profile.instances.first_kernel[last]; ++kernel) {
    kernel_of[work.group_of_kernel()[kernel]] = kernel;
  }
  const auto rows = std::make_shared<std::vector<TileRow>>();
  for (std::size_t i = 0; i < kernel_of.size(); ++i) {
    const aggregate::WorkGroup& group = work.groups()[i];
    const auto& gemm = work.works()[group.work].gemm;
    const KernelIndex kernel = kernel_of[i];
    if (kernel == kNoRow || !gemm || group.kernel == kNoText) continue;
    TileRow row{&group, *gemm, {}, {}, {}};
    if (profile::has_launch_size(profile, kernel)) {
      row.grid = profile.launches.grid[profile.kernels.launch[kernel]];
    }
    const std::string_view name = profile.text(profile.kernels.long_name[kernel]);
    row.tiling =
        aggregate::tiling_of(name.empty() ? profile.text(group.kernel) : name, *gemm, row.grid,
                             profile.devices[profile.device_of_kernel(kernel)].sm_count, 1);
    row.unaligned = aggregate::unaligned_sizes(*gemm, group.data_type);
    rows->push_back(std::move(row));
  }
  Table table;
  table.row_count = rows->size();
  const auto add = [&](ColumnId id, auto value) {
    table.columns.push_back(
        column(id, [index, rows, value](std::size_t i) -> Cell { return value((*rows)[i]); }));
  };
  const auto add_tiling = [&](ColumnId id, auto value) {
    add(id, [value](const TileRow& row) { return row.tiling ? Cell(value(*row.tiling)) : Cell(); });
  };
  using Tiling = aggregate::GemmTiling;
  add("op_node_name",
      [&profile](const TileRow& row) { return profile.text(profile.ops.name[row.group->op]); });
  add("gemm_m", [](const TileRow& row) { return row.gemm.m; });
  add("gemm_n", [](const TileRow& row) { return row.gemm.n; });
  add("gemm_k", [](const TileRow& row) { return row.gemm.k; });
  add("gemm_batch", [](const TileRow& row) { return row.gemm.batch; });
  add("data_type", [](const TileRow& row) { return row.group->data_type; });
  add("kernel_name", [&profile](const TileRow& row) { return profile.text(row.group->kernel); });
  add_tiling("tile_m", [](const Tiling& tiling) { return tiling.tile.m; });
  add_tiling("tile_n", [](const Tiling& tiling) { return tiling.tile.n; });
  add("grid", [](const TileRow& row) { return row.grid ? Cell(dim_text(*row.grid)) : Cell(); });
  add_tiling("tiles", [](const Tiling& tiling) { return tiling.tiles; });
  add_tiling("waves", [](const Tiling& tiling) { return tiling.waves; });
  add_tiling("wave_efficiency",
             [](const Tiling& tiling) { return tiling.wave_efficiency_percent; });
  add_tiling("tile_efficiency",
             [](const Tiling& tiling) { return tiling.tile_efficiency_percent; });
  add("alignment", [](const TileRow& row) { return std::string_view(row.unaligned); });
  add("limit_note", [](const TileRow& row) {
    return row.tiling ? std::string_view(row.tiling->note) : std::string_view();
  });
  add("op_node_id",
      [&profile](const TileRow& row) { return profile.text(profile.ops.id[row.group->op]); });
  return table;
}

}  // namespace dlview::report::view

namespace dlview::report {

Table make_limits(const profile::Profile& profile, aggregate::LimitsBy by,
                  std::shared_ptr<const std::vector<aggregate::LimitRow>> rows, int64_t time_ns) {
  using aggregate::LimitRow, aggregate::LimitsBy;
  using view::cell_of, view::kGiga, view::kTera, view::key_of, view::share_cell;
  Table table;
  const auto add = column_adder(table, rows);
  add("limit_name", [](const LimitRow& row) { return row.name; });
  if (by == LimitsBy::shape) {
    add("input_shapes", [&profile](const LimitRow& row) {
      const std::string_view shapes = aggregate::shapes_text(profile, row.shapes);
      return shapes.empty() ? Cell() : Cell(shapes);
    });
  }
  add("math_type",
      [](const LimitRow& row) { return row.type ? Cell(to_text(*row.type)) : Cell(); });
  add("num_calls", [](const LimitRow& row) { return row.calls; });
  add("limit_time", [](const LimitRow& row) { return row.time_ns; });
  add("limit_share", [time_ns](const LimitRow& row) { return share_cell(row.time_ns, time_ns); });
  add("limit", [](const LimitRow& row) { return to_text(row.limit()); });
  add("limit_origin", [](const LimitRow& row) { return to_text(row.origin()); });
  add("save_at_most", [](const LimitRow& row) { return cell_of(row.save_ns); });
  add("flops", [](const LimitRow& row) { return cell_of(row.flops.value); });
  add("flops_origin", [](const LimitRow& row) { return to_text(row.flops.origin); });
  add("limit_bytes", [](const LimitRow& row) { return cell_of(row.bytes.value); });
  add("bytes_origin", [](const LimitRow& row) { return to_text(row.bytes.origin); });
  add("intensity", [](const LimitRow& row) { return cell_of(row.intensity); });
  add("tflops", [](const LimitRow& row) { return cell_of(row.flops_per_second, 1 / kTera); });
  add("gbps", [](const LimitRow& row) { return cell_of(row.bytes_per_second, 1 / kGiga); });
  add("peak_tflops", [](const LimitRow& row) { return cell_of(row.peak_flops, kTera); });
  add("peak_gbps", [](const LimitRow& row) { return cell_of(row.peak_bandwidth, kGiga); });
  add("pct_math", [](const LimitRow& row) { return cell_of(row.math.percent); });
  add("pct_memory", [](const LimitRow& row) { return cell_of(row.memory.percent); });
  add("roof_time", [](const LimitRow& row) { return cell_of(row.roof_ns); });
  add("pct_roof", [](const LimitRow& row) { return cell_of(row.roof_percent); });
  add("class_uf", [](const LimitRow& row) { return to_text(row.by_flops); });
  add("class_ub", [](const LimitRow& row) { return to_text(row.by_busy); });
  add("class_i", [](const LimitRow& row) { return to_text(row.by_intensity); });
  add("class_s", [](const LimitRow& row) { return to_text(row.by_ncu); });
  add("memory_level", [](const LimitRow& row) { return row.memory_level; });
  add("known_share", [](const LimitRow& row) { return share_cell(row.known_ns, row.time_ns); });
  add("measured_share",
      [](const LimitRow& row) { return share_cell(row.measured_ns, row.time_ns); });
  add("formula", [](const LimitRow& row) {
    return row.work != nullptr ? Cell(std::string_view(row.work->formula)) : Cell();
  });
  add("limit_note", [](const LimitRow& row) { return row.note; });
  if (by == LimitsBy::op || by == LimitsBy::shape) {
    add("op_node_id", [&profile](const LimitRow& row) {
      return row.op == profile::kNoRow ? Cell() : Cell(profile.text(profile.ops.id[row.op]));
    });
  }
  add("limit_key", [&profile](const LimitRow& row) { return key_of(profile, row); });
  return table;
}

}  // namespace dlview::report
