#include <algorithm>
#include <memory>
#include <vector>

#include "aggregate/instance_times.h"
#include "profile/launch_sizes.h"
#include "report/dlprof/columns.h"
#include "report/dlprof/reports.h"
#include "report/dlprof/shapes.h"

namespace dlview::report::dlprof {
namespace {

using aggregate::Aggregation;
using aggregate::Unit;
using profile::Dim3;
using profile::InstanceIndex;
using profile::KernelIndex;
using profile::Profile;
using profile::StringId;

// The kernels of the range in DLProf's order, by (iteration, id in the file).
class KernelRows {
 public:
  KernelRows(const Profile& profile, const Aggregation& aggregation)
      : first_iteration_(aggregation.selection.range.first) {
    const auto& range = aggregation.selection.range;
    const auto& ids = profile.kernels.source_id;
    for (int64_t number = range.first; number <= range.last; ++number) {
      const auto& iteration =
          aggregation.iteration_table->iterations.rows[static_cast<std::size_t>(number)];
      const auto begin = static_cast<std::ptrdiff_t>(kernels_.size());
      const aggregate::KernelRows rows = aggregate::kernels_of(profile, iteration);
      for (KernelIndex k = rows.first; k < rows.last; ++k) kernels_.push_back(k);
      std::sort(kernels_.begin() + begin, kernels_.end(),
                [&ids](KernelIndex a, KernelIndex b) { return ids[a] < ids[b]; });
      ends_.push_back(kernels_.size());
    }
  }

  std::size_t size() const { return kernels_.size(); }
  KernelIndex kernel(std::size_t row) const { return kernels_[row]; }
  int64_t iteration(std::size_t row) const {
    return first_iteration_ + (std::upper_bound(ends_.begin(), ends_.end(), row) - ends_.begin());
  }

 private:
  int64_t first_iteration_;
  std::vector<KernelIndex> kernels_;
  std::vector<std::size_t> ends_;  // rows of the iterations up to and with this one
};

using KernelOf = std::function<KernelIndex(std::size_t row)>;

void append_times(std::vector<Column>& columns, const Profile& profile, const KernelOf& kernel) {
  const auto& kernels = profile.kernels;
  const auto add = [&](const char* id, const char* title, auto value) {
    columns.push_back(integer_column(id, title, Unit::ns, [kernel, value](std::size_t row) {
      return Cell(static_cast<int64_t>(value(kernel(row))));
    }));
  };
  add("gpu_start", "GPU Start Time", [&kernels](KernelIndex k) { return kernels.gpu_start_ns[k]; });
  add("gpu_duration", "GPU Duration",
      [&kernels](KernelIndex k) { return kernels.gpu_stop_ns[k] - kernels.gpu_start_ns[k]; });
  add("api_start", "API Call Start", [&kernels](KernelIndex k) { return kernels.api_start_ns[k]; });
  add("api_duration", "API Call Time",
      [&kernels](KernelIndex k) { return kernels.api_stop_ns[k] - kernels.api_start_ns[k]; });
  for (std::size_t i = columns.size() - 4; i < columns.size(); i += 2) {
    columns[i].first_sort = SortDirection::ascending;  // instants, not amounts
  }
}

void append_launch(std::vector<Column>& columns, const Profile& profile, const KernelOf& kernel) {
  const auto add = [&](const char* id, const char* title, bool block, int32_t Dim3::*axis) {
    const auto& sizes = block ? profile.launches.block : profile.launches.grid;
    columns.push_back(
        integer_column(id, title, Unit::none, [&profile, &sizes, kernel, axis](std::size_t row) {
          const KernelIndex of_row = kernel(row);
          return profile::has_launch_size(profile, of_row)
                     ? Cell(static_cast<int64_t>(sizes[profile.kernels.launch[of_row]].*axis))
                     : Cell();
        }));
  };
  add("grid_x", "Grid X", false, &Dim3::x);
  add("grid_y", "Grid Y", false, &Dim3::y);
  add("grid_z", "Grid Z", false, &Dim3::z);
  add("block_x", "Block X", true, &Dim3::x);
  add("block_y", "Block Y", true, &Dim3::y);
  add("block_z", "Block Z", true, &Dim3::z);
}

void append_shapes(std::vector<Column>& columns, const Profile& profile, const KernelOf& kernel) {
  // PyTorch's sizes have one order, whatever the layout in memory.
  const bool is_lettered =
      !profile.trace || profile.trace->capture.recorder != profile::Recorder::pytorch_profiler;
  const auto add = [&](const char* id, const char* title,
                       const profile::OpInstances::Column<StringId>& shapes,
                       const profile::Ops::Column<StringId>& formats) {
    columns.push_back(
        text_column(id, title, [&profile, &shapes, &formats, kernel, is_lettered](std::size_t row) {
          const InstanceIndex instance = profile.kernels.instance[kernel(row)];
          return shape_text(
              profile.text(shapes[instance]),
              is_lettered ? profile.text(formats[profile.instances.op[instance]]) : "");
        }));
  };
  add("input_shapes", "Input Shapes", profile.instances.input_shapes, profile.ops.data_format);
  add("parameters", "Parameters", profile.instances.parameters, profile.ops.parameters_format);
  add("output_shapes", "Output Shapes", profile.instances.output_shapes, profile.ops.output_format);
}

}  // namespace

Table iteration_report(const Profile& profile, const Aggregation& aggregation) {
  const auto rows = std::make_shared<const KernelRows>(profile, aggregation);
  const KernelOf kernel = [rows](std::size_t row) { return rows->kernel(row); };
  const auto op = [&profile, kernel](std::size_t row) {
    return profile.instances.op[profile.kernels.instance[kernel(row)]];
  };

  Table table{"iteration", "Iteration Report", Layout::rows, {}, rows->size()};
  auto& columns = table.columns;
  columns.push_back(integer_column("iteration", "Iteration", Unit::none,
                                   [rows](std::size_t row) { return rows->iteration(row); }));
  columns.back().first_sort = SortDirection::ascending;
  append_op_columns(columns, profile, op);
  append_op_type_column(columns, profile, op);
  columns.push_back(text_column("kernel_name", "Kernel Name", [&profile, kernel](std::size_t row) {
    return profile.text(profile.kernels.name[kernel(row)]);
  }));
  columns.push_back(
      integer_column("device_id", "Device ID", Unit::none, [&profile, kernel](std::size_t row) {
        return profile.devices[profile.device_of_kernel(kernel(row))].device_id;
      }));
  append_times(columns, profile, kernel);
  columns.push_back(flag_column("uses_tc", "Uses TC", [&profile, kernel](std::size_t row) {
    return profile.kernels.uses_tensor_cores[kernel(row)] != 0;
  }));
  append_launch(columns, profile, kernel);
  columns.push_back(word_column("data_type", "Data Types", [&profile, op](std::size_t row) {
    return profile.text(profile.ops.data_type[op(row)]);
  }));
  append_shapes(columns, profile, kernel);
  columns.push_back(
      text_column("long_kernel_name", "Long Kernel Name", [&profile, kernel](std::size_t row) {
        return profile.text(profile.kernels.long_name[kernel(row)]);
      }));
  return table;
}

}  // namespace dlview::report::dlprof
