#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "aggregate/tensorboard.h"
#include "report/views/declarations.h"

namespace dlview::report::view {
namespace {

using aggregate::TensorBoardCategory;
using aggregate::TensorBoardOverview;

// A row of torch_tb_overview.
struct Figure {
  std::string name;
  std::optional<int64_t> device;
  std::optional<double> time_ns, percent;
  std::string note;
};

double share_of(double part, double whole) {
  return whole <= 0 ? 0 : 100 * part / whole;
}

std::vector<Figure> figures_of(const TensorBoardOverview& overview) {
  std::vector<Figure> figures;
  const auto add = [&figures](Figure figure) { figures.push_back(std::move(figure)); };
  const double step_ns = overview.average_step_ns();
  if (!overview.steps.empty()) {
    add({.name = "Average step time", .device = {}, .time_ns = step_ns, .percent = {}, .note = {}});
    for (std::size_t i = 0; i < aggregate::kTensorBoardCategories; ++i) {
      const auto category = static_cast<TensorBoardCategory>(i);
      const double ns = overview.average_ns(category);
      add({.name = std::string(to_text(category)),
           .device = {},
           .time_ns = ns,
           .percent = share_of(ns, step_ns),
           .note = {}});
    }
  }
  for (const aggregate::TensorBoardGpu& gpu : overview.gpus) {
    const auto busy_ns = static_cast<double>(gpu.busy_ns);
    add({.name = "GPU utilization",
         .device = gpu.device_id,
         .time_ns = busy_ns,
         .percent = share_of(busy_ns, static_cast<double>(overview.span_ns())),
         .note = {}});
    add({.name = "Est. SM efficiency",
         .device = gpu.device_id,
         .time_ns = {},
         .percent = gpu.sm_efficiency_percent,
         .note = {}});
    add({.name = "Est. achieved occupancy",
         .device = gpu.device_id,
         .time_ns = {},
         .percent = gpu.occupancy_percent,
         .note = {}});
  }
  if (overview.kernel_ns > 0) {
    const auto ns = static_cast<double>(overview.tensor_core_ns);
    add({.name = "Kernel time using Tensor Cores",
         .device = {},
         .time_ns = ns,
         .percent = share_of(ns, static_cast<double>(overview.kernel_ns)),
         .note = {}});
  }
  for (const std::string& text : overview.recommendations) {
    add({.name = "Recommendation", .device = {}, .time_ns = {}, .percent = {}, .note = text});
  }
  return figures;
}

template <typename Value>
Cell recorded(const std::optional<Value>& value) {
  return value ? Cell(*value) : Cell();
}

}  // namespace

Table torch_tb_overview(const Input& input) {
  const auto rows = std::make_shared<const std::vector<Figure>>(
      figures_of(aggregate::tensorboard_overview(input.profile)));
  const auto row = [rows](std::size_t i) -> const Figure& { return (*rows)[i]; };
  Table table;
  table.row_count = rows->size();
  table.columns = {column("figure", [row](std::size_t i) { return std::string_view(row(i).name); }),
                   column("device_id", [row](std::size_t i) { return recorded(row(i).device); }),
                   column("figure_time", [row](std::size_t i) { return recorded(row(i).time_ns); }),
                   column("figure_pct", [row](std::size_t i) { return recorded(row(i).percent); }),
                   column("note", [row](std::size_t i) {
                     return row(i).note.empty() ? Cell() : Cell(std::string_view(row(i).note));
                   })};
  return table;
}

Table torch_tb_steps(const Input& input) {
  const auto overview =
      std::make_shared<const TensorBoardOverview>(aggregate::tensorboard_overview(input.profile));
  const auto row = [overview](std::size_t i) -> const aggregate::TensorBoardStep& {
    return overview->steps[i];
  };
  const auto part = [row](TensorBoardCategory category) {
    return [row, category](std::size_t i) {
      return row(i).time_ns[static_cast<std::size_t>(category)];
    };
  };
  Table table;
  table.row_count = overview->steps.size();
  table.columns = {column("step", [row](std::size_t i) { return std::string_view(row(i).name); }),
                   column("torch_tb_steps.start", [row](std::size_t i) { return row(i).start_ns; }),
                   column("torch_tb_steps.stop", [row](std::size_t i) { return row(i).stop_ns; }),
                   column("duration", [row](std::size_t i) { return row(i).duration_ns(); }),
                   column("step_kernel", part(TensorBoardCategory::kernel)),
                   column("step_memcpy", part(TensorBoardCategory::memcpy)),
                   column("step_memset", part(TensorBoardCategory::memset)),
                   column("step_communication", part(TensorBoardCategory::communication)),
                   column("step_runtime", part(TensorBoardCategory::runtime)),
                   column("step_data_loader", part(TensorBoardCategory::data_loader)),
                   column("step_cpu_exec", part(TensorBoardCategory::cpu_exec)),
                   column("step_other", part(TensorBoardCategory::other))};
  return table;
}

}  // namespace dlview::report::view
