#include "ui/views/tables/group_colors.h"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <vector>

#include <fmt/format.h>

#include "aggregate/row_filter.h"
#include "base/units.h"

namespace dlview::ui {
namespace {

constexpr std::array<std::string_view, kGroupColorings> kColoringWords{"category", "tensor_cores",
                                                                       "time", "device"};
constexpr std::array<std::string_view, kGroupColorings> kColoringTitles{"Category", "Tensor Cores",
                                                                        "Time", "GPU"};
constexpr std::array<Tone, 4> kCategoryTones{Tone::tensor_core_kernels, Tone::other_kernels,
                                             Tone::communication, Tone::memory};

enum UseClass : std::size_t { kUses, kMissed, kNotEligible, kNotRecorded };

constexpr std::array<double, 4> kTimeSteps{0.01, 0.05, 0.2, 0.5};  // of all GPU time

double gpu_time_of_row(const TableData& data, std::size_t row) {
  return number_of(cell_in(data.table, row, "gpu_time_sum"));
}

// Adds the time of an op, in the row, to all groups around it.
void add_upwards(GroupColors& colors, const RowTree& tree, uint32_t row, std::size_t of,
                 double ns) {
  for (; row != RowTree::kTop; row = tree.parent[row]) {
    colors.ns[row * colors.classes.size() + of] += ns;
  }
}

void add_categories(GroupColors& colors, const TableData& data) {
  colors.classes = {{"Tensor Core kernels"}, {"Other kernels"}, {"Communication"}, {"Memory"}};
  for (std::size_t row = 0; row < data.table.row_count; ++row) {
    for (const TonePart& part : gpu_time_parts(data.table, row)) colors.ns.push_back(part.ns);
  }
}

void add_tensor_core_uses(GroupColors& colors, const TableData& data, const UnknownUse& unknown) {
  colors.classes = {{"Uses Tensor Cores"},
                    {"Eligible, not used", true},
                    {"Not eligible"},
                    {"Not recorded", true}};
  colors.ns.assign(data.table.row_count * colors.classes.size(), 0);
  auto row = static_cast<uint32_t>(data.aggregation->groups.size());  // the ops stand behind them
  for (const aggregate::OpAggregate& op : data.aggregation->ops) {
    const profile::TensorCoreSupport support = data.profile->ops.tensor_core_support[op.op];
    UseClass use = kNotEligible;
    if (op.uses_tensor_cores()) {
      use = kUses;
    } else if (unknown && unknown->is_of_op(op.op)) {
      use = kNotRecorded;
    } else if (support == profile::TensorCoreSupport::eligible) {
      use = kMissed;
    } else if (support == profile::TensorCoreSupport::unknown) {
      use = kNotRecorded;
    }
    add_upwards(colors, *data.tree, row, use, gpu_time_of_row(data, row));
    ++row;
  }
}

void add_time_steps(GroupColors& colors, const TableData& data) {
  colors.classes = {{"Below 1%"}, {"1–5%"}, {"5–20%"}, {"20–50%"}, {"50% and more"}};
  colors.ns.assign(data.table.row_count * colors.classes.size(), 0);
  double all_ns = 0;
  for (std::size_t row = 0; row < data.table.row_count; ++row) {
    if (data.tree->parent[row] == RowTree::kTop) all_ns += gpu_time_of_row(data, row);
  }
  for (std::size_t row = 0; row < data.table.row_count; ++row) {
    const double ns = gpu_time_of_row(data, row);
    const auto step = std::ranges::upper_bound(kTimeSteps, all_ns > 0 ? ns / all_ns : 0);
    const auto of = static_cast<std::size_t>(step - kTimeSteps.begin());
    colors.ns[row * colors.classes.size() + of] = ns;
  }
}

}  // namespace

std::string_view to_text(GroupColoring coloring) {
  return kColoringWords[static_cast<std::size_t>(coloring)];
}

GroupColoring parse_group_coloring(std::string_view text) {
  const auto word = std::ranges::find(kColoringWords, text);
  if (word == kColoringWords.end()) return GroupColoring::category;
  return static_cast<GroupColoring>(word - kColoringWords.begin());
}

std::size_t GroupColors::main_class(std::size_t row) const {
  std::size_t best = kNone;
  for (std::size_t of = 0; of < classes.size(); ++of) {
    if (time(row, of) > 0 && (best == kNone || time(row, of) > time(row, best))) best = of;
  }
  return best;
}

std::string GroupColors::text(std::size_t row) const {
  if (main_class(row) == kNone) return "";
  std::string text(kColoringTitles[static_cast<std::size_t>(coloring)]);
  if (coloring == GroupColoring::time) {
    return fmt::format("{}: {} of all GPU time", text, classes[main_class(row)].name);
  }
  std::vector<std::size_t> order(classes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater(),
                           [&](std::size_t of) { return time(row, of); });
  double all_ns = 0;
  for (const std::size_t of : order) all_ns += time(row, of);
  std::string_view before = ": ";
  for (const std::size_t of : order) {
    if (time(row, of) <= 0) break;
    text += fmt::format("{}{} {}", before, classes[of].name,
                        base::format_percent(100 * time(row, of) / all_ns));
    before = " · ";
  }
  return text;
}

GroupColors group_colors(const TableData& data, GroupColoring coloring, const UnknownUse& unknown) {
  GroupColors colors;
  colors.coloring = coloring;
  if (coloring == GroupColoring::category) add_categories(colors, data);
  if (coloring == GroupColoring::tensor_cores) add_tensor_core_uses(colors, data, unknown);
  if (coloring == GroupColoring::time) add_time_steps(colors, data);
  return colors;
}

GroupColors group_colors_by_device(const TableData& data) {
  const profile::Profile& profile = *data.profile;
  const aggregate::Aggregation& aggregation = *data.aggregation;
  const std::size_t devices = profile.devices.size();
  std::vector<uint32_t> row_of_op(profile.ops.size(), RowTree::kTop);
  auto row = static_cast<uint32_t>(aggregation.groups.size());
  for (const aggregate::OpAggregate& op : aggregation.ops) row_of_op[op.op] = row++;
  GroupColors colors;
  colors.coloring = GroupColoring::device;
  const std::size_t shown = std::min(devices, kHueCount);
  const bool has_others = devices > shown;
  for (std::size_t of = 0; of < shown; ++of) {
    const bool is_others = has_others && of + 1 == shown;
    const auto device = profile::DeviceIndex(static_cast<profile::Row>(of));
    colors.classes.push_back(
        {is_others ? "Other GPUs" : fmt::format("GPU {}", profile.devices[device].device_id),
         of % 2 == 1});
  }
  colors.ns.assign(data.table.row_count * shown, 0);
  if (shown == 0) return colors;
  const aggregate::RowFilter filter(profile, aggregation.selection.filters);
  const profile::OpInstances& instances = profile.instances;
  const aggregate::IterationRange range = aggregation.selection.range;
  const auto& iterations = aggregation.iteration_table->iterations.rows;
  for (int64_t number = range.first; number <= range.last; ++number) {
    const aggregate::Iteration& iteration = iterations[static_cast<std::size_t>(number)];
    for (auto i = iteration.first_instance; i < iteration.last_instance; ++i) {
      const uint32_t of_op = row_of_op[instances.op[i]];
      if (of_op == RowTree::kTop) continue;
      const auto add = [&](profile::DeviceIndex device, int64_t start_ns, int64_t stop_ns) {
        const std::size_t of = std::min(static_cast<std::size_t>(device), shown - 1);
        colors.ns[of_op * shown + of] += static_cast<double>(stop_ns - start_ns);
      };
      for (auto k = instances.first_kernel[i]; k < instances.first_kernel[i + 1]; ++k) {
        if (!filter.counts_kernel(k)) continue;
        add(profile.device_of_kernel(k), profile.kernels.gpu_start_ns[k],
            profile.kernels.gpu_stop_ns[k]);
      }
      for (auto m = instances.first_memory_op[i]; m < instances.first_memory_op[i + 1]; ++m) {
        if (!filter.counts_memory_op(m)) continue;
        add(profile.memory_ops.device[m], profile.memory_ops.gpu_start_ns[m],
            profile.memory_ops.gpu_stop_ns[m]);
      }
    }
  }
  for (row = static_cast<uint32_t>(aggregation.groups.size()); row < data.table.row_count; ++row) {
    for (std::size_t of = 0; of < shown; ++of) {
      add_upwards(colors, *data.tree, data.tree->parent[row], of, colors.time(row, of));
    }
  }
  return colors;
}

Color class_color(const Palette& palette, GroupColoring coloring, std::size_t of) {
  switch (coloring) {
    case GroupColoring::category:
      return palette.tone(kCategoryTones[of]);
    case GroupColoring::tensor_cores: {
      constexpr std::array kTones{Tone::tensor_core_kernels, Tone::unknown, Tone::idle,
                                  Tone::unknown};
      return of == kMissed ? palette.attention : palette.tone(kTones[of]);
    }
    case GroupColoring::time:
      return mix(palette.panel, palette.accent, 0.2f + 0.2f * static_cast<float>(of));
    case GroupColoring::device:
      return palette.hues[of];
  }
  return palette.raised;
}

}  // namespace dlview::ui
