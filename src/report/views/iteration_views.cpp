#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "aggregate/instance_times.h"
#include "aggregate/row_filter.h"
#include "profile/launch_sizes.h"
#include "profile/tensor_core_verdicts.h"
#include "report/not_recorded.h"
#include "report/views/declarations.h"

namespace dlview::report::view {
namespace {

using aggregate::Aggregation;
using aggregate::Category;
using aggregate::Iteration;
using aggregate::IterationFacts;
using aggregate::KernelTotals;
using profile::InstanceIndex;
using profile::KernelIndex;
using profile::OpIndex;
using profile::Profile;

const Iteration& iteration_at(const Aggregation& aggregation, int64_t number) {
  return aggregation.iteration_table->iterations.rows[static_cast<std::size_t>(number)];
}

Column iteration_column(std::function<int64_t(std::size_t row)> number) {
  return column("iter_value", std::move(number));
}

// The filters of the selection; nothing where it has none.
std::optional<aggregate::RowFilter> row_filter(const Input& input) {
  const auto& filters = input.aggregation.selection.filters;
  if (filters.empty()) return std::nullopt;
  return aggregate::RowFilter(input.profile, filters);
}

// The kernels of the selected iterations and ops, in order of iteration and time.
class SelectedKernels {
 public:
  explicit SelectedKernels(const Input& input)
      : profile_(input.profile), iterations_(input.aggregation.iteration_table->iterations.rows) {
    std::vector<bool> is_selected(profile_.ops.size(), input.arguments.ops.empty());
    for (const OpIndex op : input.arguments.ops) is_selected[op] = true;
    const std::optional<aggregate::RowFilter> filter = row_filter(input);
    const aggregate::IterationRange range = input.iterations();
    const auto& instances = profile_.instances;
    for (int64_t number = range.first; number <= range.last; ++number) {
      const Iteration& iteration = iteration_at(input.aggregation, number);
      for (InstanceIndex i = iteration.first_instance; i < iteration.last_instance; ++i) {
        if (!is_selected[instances.op[i]]) continue;
        for (KernelIndex k = instances.first_kernel[i]; k < instances.first_kernel[i + 1]; ++k) {
          if (!filter || filter->counts_kernel(k)) kernels_.push_back(k);
        }
      }
    }
  }

  std::size_t size() const { return kernels_.size(); }
  KernelIndex kernel(std::size_t row) const { return kernels_[row]; }
  OpIndex op(std::size_t row) const { return op_of(kernels_[row]); }
  int64_t iteration(std::size_t row) const {
    const InstanceIndex instance = profile_.kernels.instance[kernels_[row]];
    const auto next = std::upper_bound(iterations_.begin(), iterations_.end(), instance,
                                       [](InstanceIndex wanted, const Iteration& iteration) {
                                         return wanted < iteration.first_instance;
                                       });
    return next - iterations_.begin() - 1;
  }

 private:
  OpIndex op_of(KernelIndex kernel) const {
    return profile_.instances.op[profile_.kernels.instance[kernel]];
  }

  const Profile& profile_;
  const std::vector<Iteration>& iterations_;
  std::vector<KernelIndex> kernels_;
};

// Whether the rules know each kernel; empty if the profile stores an answer for each.
std::vector<bool> rows_of_unknown_use(const Profile& profile, const SelectedKernels& kernels) {
  std::vector<bool> unknown;
  if (!profile.source.by_tensor_core_rules) return unknown;
  profile::TensorCoreVerdicts verdicts(profile);
  for (std::size_t row = 0; row < kernels.size(); ++row) {
    unknown.push_back(verdicts.of(kernels.kernel(row)).use == profile::TensorCoreUse::unknown);
  }
  return unknown;
}

// The two views of kernels differ in how they name the op.
Table kernel_table(const Input& input, OpText op_text) {
  const Profile& profile = input.profile;
  const auto rows = std::make_shared<const SelectedKernels>(input);
  Table table = table_of_domain(input, rows->size());
  auto& columns = table.columns;
  columns.push_back(iteration_column([rows](std::size_t row) { return rows->iteration(row); }));
  columns.push_back(op_column(input, op_text, [rows](std::size_t row) { return rows->op(row); }));
  columns.push_back(column("kernel_name", [&profile, rows](std::size_t row) {
    return profile.text(profile.kernels.name[rows->kernel(row)]);
  }));
  columns.push_back(column("device_id", [&profile, rows](std::size_t row) {
    return profile.devices[profile.device_of_kernel(rows->kernel(row))].device_id;
  }));
  columns.push_back(column("kernel_timestamp", [&profile, rows](std::size_t row) {
    return profile.kernels.api_start_ns[rows->kernel(row)];
  }));
  columns.push_back(column("kernel_duration", [&profile, rows](std::size_t row) {
    const KernelIndex kernel = rows->kernel(row);
    return profile.kernels.gpu_stop_ns[kernel] - profile.kernels.gpu_start_ns[kernel];
  }));
  const auto unknown =
      std::make_shared<const std::vector<bool>>(rows_of_unknown_use(profile, *rows));
  columns.push_back(column("uses_tc", [&profile, rows, unknown](std::size_t row) {
    const bool uses = profile.kernels.uses_tensor_cores[rows->kernel(row)] != 0;
    return !uses && !unknown->empty() && (*unknown)[row] ? Cell() : Cell(uses);
  }));
  const auto size = [&profile, rows](const profile::Launches::Column<profile::Dim3>& sizes) {
    return [&profile, &sizes, rows](std::size_t row) {
      const KernelIndex kernel = rows->kernel(row);
      return profile::has_launch_size(profile, kernel)
                 ? Cell(dim_text(sizes[profile.kernels.launch[kernel]]))
                 : Cell();
    };
  };
  columns.push_back(column("grid", size(profile.launches.grid)));
  columns.push_back(column("block", size(profile.launches.block)));
  return table;
}

struct IterationOp {
  int64_t iteration = 0;
  OpIndex op{0};
  KernelTotals totals;
};

std::vector<IterationOp> selected_iteration_ops(const Input& input) {
  std::vector<IterationOp> rows;
  const std::optional<aggregate::RowFilter> filter = row_filter(input);
  const aggregate::IterationRange range = input.iterations();
  for (int64_t number = range.first; number <= range.last; ++number) {
    for (const aggregate::OpKernels& op : aggregate::kernels_by_op(
             input.profile, iteration_at(input.aggregation, number), filter ? &*filter : nullptr)) {
      if (input.has_op(op.op)) rows.push_back({number, op.op, op.totals});
    }
  }
  return rows;
}

}  // namespace

Table iterations_all(const Input& input) {
  const Aggregation& aggregation = input.aggregation;
  const int64_t first = input.arguments.iteration.value_or(0);
  const std::size_t count =
      input.arguments.iteration ? 1 : aggregation.iteration_table->iterations.rows.size();
  const auto number = [first](std::size_t row) { return first + static_cast<int64_t>(row); };
  const auto iteration = [&aggregation, number](std::size_t row) -> const Iteration& {
    return iteration_at(aggregation, number(row));
  };
  Table table;
  table.row_count = count;
  table.columns = {
      aggregation_id_column(input),
      iteration_column(number),
      column("start_time", [iteration](std::size_t row) { return iteration(row).start_ns; }),
      column("stop_time", [iteration](std::size_t row) { return iteration(row).stop_ns; }),
      column("duration", [iteration](std::size_t row) { return iteration(row).duration_ns(); }),
  };
  return table;
}

Table iterations_profiled(const Input& input) {
  const Aggregation& aggregation = input.aggregation;
  const aggregate::IterationRange range = input.iterations();
  const auto number = [first = range.first](std::size_t row) {
    return first + static_cast<int64_t>(row);
  };
  const auto iteration = [&aggregation, number](std::size_t row) -> const Iteration& {
    return iteration_at(aggregation, number(row));
  };
  const auto facts = [&aggregation, number](std::size_t row) -> const IterationFacts& {
    return aggregation.iteration_table->facts[static_cast<std::size_t>(number(row))];
  };
  Table table = table_of_domain(input, static_cast<std::size_t>(range.size()));
  auto& columns = table.columns;
  columns.push_back(iteration_column(number));
  columns.push_back(
      column("start_time", [iteration](std::size_t row) { return iteration(row).start_ns; }));
  columns.push_back(column("iterations_profiled.duration",
                           [iteration](std::size_t row) { return iteration(row).duration_ns(); }));
  columns.push_back(
      column("total_kernel_count", [facts](std::size_t row) { return facts(row).kernels.count; }));
  columns.push_back(column("using_tc_kernel_count", [facts](std::size_t row) {
    return facts(row).kernels.tensor_core_count;
  }));
  const auto category = [&](ColumnId id, Category which) {
    columns.push_back(
        column(id, [facts, which](std::size_t row) { return facts(row).per_device[which]; }));
  };
  category("tc_duration", Category::tensor_core_kernels);
  category("non_tc_duration", Category::other_kernels);
  category("memory_duration", Category::memory);
  category("dataloader_duration", Category::data_loader);
  columns.push_back(column("io_duration", [&aggregation, facts](std::size_t row) {
    if (!aggregation.io_recorded) return Cell();
    return Cell(facts(row).per_device[Category::io]);
  }));
  columns.back().csv_for_missing = csv_for_missing(input.profile, int64_t{0});
  category("cpu_duration", Category::cpu);
  category("other_duration", Category::other);
  return table;
}

Table iteration_kernels(const Input& input) {
  return kernel_table(input, OpText::name);
}

Table iteration_op_kernels(const Input& input) {
  return kernel_table(input, OpText::id);
}

Table iteration_ops(const Input& input) {
  const auto rows = std::make_shared<const std::vector<IterationOp>>(selected_iteration_ops(input));
  const auto op = [rows](std::size_t row) { return (*rows)[row].op; };
  Table table = table_of_domain(input, rows->size());
  auto& columns = table.columns;
  const auto total = [&](ColumnId id, int64_t KernelTotals::*member) {
    columns.push_back(
        column(id, [rows, member](std::size_t row) { return (*rows)[row].totals.*member; }));
  };
  columns.push_back(iteration_column([rows](std::size_t row) { return (*rows)[row].iteration; }));
  columns.push_back(op_column(input, OpText::name, op));
  columns.push_back(op_column(input, OpText::direction, op));
  columns.push_back(op_column(input, OpText::type, op));
  total("iteration_ops.total_count", &KernelTotals::count);
  total("tc_count", &KernelTotals::tensor_core_count);
  total("iteration_ops.total_gpu_time", &KernelTotals::gpu_ns);
  total("tc_gpu_time", &KernelTotals::tensor_core_gpu_ns);
  columns.push_back(op_column(input, OpText::data_type, op));
  columns.push_back(op_column(input, OpText::stack_trace, op));
  columns.push_back(op_column(input, OpText::id, op));
  return table;
}

}  // namespace dlview::report::view
