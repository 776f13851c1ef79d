#include "ui/views/tables/row_places.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <vector>

#include "aggregate/group_tree.h"
#include "aggregate/key_names.h"
#include "aggregate/row_filter.h"
#include "profile/launch_attributes.h"
#include "profile/launch_sizes.h"
#include "report/views/views.h"

namespace dlview::ui {
namespace {

using profile::InstanceIndex;
using profile::KernelIndex;
using profile::OpIndex;
using profile::Row;
using timeline::Request;

std::optional<int64_t> integer_of(const TableData& data, std::size_t row, report::ColumnId column) {
  const report::Cell cell = cell_in(data.table, row, column);
  const auto* number = std::get_if<int64_t>(&cell);
  return number == nullptr ? std::nullopt : std::optional(*number);
}

std::optional<Request> stretch_of(const TableData& data, std::size_t row, report::ColumnId start) {
  const auto start_ns = integer_of(data, row, start);
  const auto length_ns = integer_of(data, row, "duration");
  if (!start_ns || !length_ns) return std::nullopt;
  return Request{.window = {},
                 .iteration = {},
                 .stretch = timeline::window_between(*start_ns, *start_ns + *length_ns)};
}

// What rows of two kernels may have in common: those of one graph's launch begin together.
struct KernelCells {
  std::optional<int64_t> start_ns, length_ns, device_id;
  std::string name;
  bool operator==(const KernelCells&) const = default;
};

KernelCells kernel_cells(const TableData& data, std::size_t row) {
  return {integer_of(data, row, "kernel_timestamp"), integer_of(data, row, "kernel_duration"),
          integer_of(data, row, "device_id"), text_of_cell(data.table, row, "kernel_name")};
}

// In the order of their rows.
std::vector<KernelIndex> kernels_like(const TableData& data, const KernelCells& cells) {
  const profile::Profile& profile = *data.profile;
  const profile::Kernels& kernels = profile.kernels;
  const aggregate::RowFilter filter(profile, data.aggregation->selection.filters);
  std::vector<KernelIndex> found;
  for (KernelIndex kernel{0}; kernel < kernels.size(); ++kernel) {
    if (kernels.api_start_ns[kernel] == cells.start_ns &&
        kernels.gpu_stop_ns[kernel] - kernels.gpu_start_ns[kernel] == cells.length_ns &&
        profile.devices[profile.device_of_kernel(kernel)].device_id == cells.device_id &&
        profile.text(kernels.name[kernel]) == cells.name && filter.counts_kernel(kernel)) {
      found.push_back(kernel);
    }
  }
  return found;
}

// How many rows above are the same.
std::size_t count_same_above(const TableData& data, std::size_t row, const KernelCells& cells) {
  std::size_t count = 0;
  for (std::size_t above = 0; above < row; ++above) {
    if (integer_of(data, above, "kernel_timestamp") == cells.start_ns &&
        kernel_cells(data, above) == cells) {
      ++count;
    }
  }
  return count;
}

// The longest of what it is shown, of equal ones the first.
template <typename RowNumber>
class Longest {
 public:
  bool is_beaten_by(int64_t start_ns, int64_t stop_ns) const {
    const int64_t length_ns = stop_ns - start_ns;
    return !row_ || length_ns > length_ns_ || (length_ns == length_ns_ && start_ns < start_ns_);
  }
  void set(RowNumber row, int64_t start_ns, int64_t stop_ns) {
    row_ = row;
    start_ns_ = start_ns;
    length_ns_ = stop_ns - start_ns;
  }
  std::optional<RowNumber> row() const { return row_; }

 private:
  std::optional<RowNumber> row_;
  int64_t start_ns_ = 0, length_ns_ = 0;
};

// Calls use(instance) for those of the ops, by row of Profile::ops, that may count for the row.
template <typename Use>
void for_each_instance(const TableData& data, std::size_t row, const std::vector<bool>& ops,
                       const Use& use) {
  const auto& instances = data.profile->instances;
  const auto& iterations = data.aggregation->iteration_table->iterations.rows;
  const aggregate::IterationRange range = data.aggregation->selection.range;
  const auto own = integer_of(data, row, "iter_value");
  const auto at = [&](int64_t number) {
    return iterations[static_cast<std::size_t>(own.value_or(number))];
  };
  const InstanceIndex behind = at(range.last).last_instance;
  for (InstanceIndex instance = at(range.first).first_instance; instance < behind; ++instance) {
    if (ops[instances.op[instance]]) use(instance);
  }
}

std::vector<bool> no_ops(const TableData& data) {
  return std::vector<bool>(data.profile->ops.size());
}

std::vector<bool> op_of_id(const TableData& data, std::size_t row, report::ColumnId column) {
  std::vector<bool> ops = no_ops(data);
  const OpIndex op = aggregate::op_named(*data.profile, text_of_cell(data.table, row, column));
  if (op != profile::kNoRow) ops[op] = true;
  return ops;
}

// "128, 1, 1"
std::optional<profile::Dim3> dim_of(std::string_view text) {
  profile::Dim3 dim;
  for (int32_t* part : {&dim.x, &dim.y, &dim.z}) {
    const auto read = std::from_chars(text.data(), text.data() + text.size(), *part);
    if (read.ec != std::errc{}) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(read.ptr - text.data()));
    text.remove_prefix(std::min(text.size(), text.find_first_not_of(", ")));
  }
  return dim;
}

// Grid, block, registers and shared memory of a row's launches, if the table tells launches apart
// by them.
class LaunchSizeOfRow {
 public:
  LaunchSizeOfRow(const TableData& data, std::size_t row)
      : profile_(data.profile.get()),
        counts_(find_column(data.table, "grid") != kNoColumn),
        grid_(dim_of(text_of_cell(data.table, row, "grid"))),
        block_(dim_of(text_of_cell(data.table, row, "block"))),
        counts_resources_(find_column(data.table, "registers") != kNoColumn),
        registers_(integer_of(data, row, "registers")),
        shared_bytes_(integer_of(data, row, "shared_memory")) {}

  bool is_of(KernelIndex kernel) const {
    if (!counts_) return true;
    if (counts_resources_) {
      const auto launched = profile::launch_attributes(*profile_, kernel);
      if (launched.registers_per_thread != registers_) return false;
      if (launched.shared_bytes != shared_bytes_) return false;
    }
    const bool is_recorded = profile::has_launch_size(*profile_, kernel);
    if (!grid_ || !block_ || !is_recorded) return is_recorded == (grid_ && block_);
    const profile::LaunchIndex launch = profile_->kernels.launch[kernel];
    return profile_->launches.grid[launch] == *grid_ && profile_->launches.block[launch] == *block_;
  }

 private:
  const profile::Profile* profile_;
  bool counts_;
  std::optional<profile::Dim3> grid_, block_;  // nullopt = not recorded
  bool counts_resources_;
  std::optional<int64_t> registers_, shared_bytes_;
};

std::optional<Request> place_of_longest_call(const TableData& data, std::size_t row,
                                             const std::vector<bool>& ops) {
  const auto& instances = data.profile->instances;
  const aggregate::RowFilter filter(*data.profile, data.aggregation->selection.filters);
  Longest<InstanceIndex> longest;
  for_each_instance(data, row, ops, [&](InstanceIndex instance) {
    const int64_t start_ns = instances.cpu_start_ns[instance];
    const int64_t stop_ns = instances.cpu_stop_ns[instance];
    if (longest.is_beaten_by(start_ns, stop_ns) && filter.counts_instance(instance)) {
      longest.set(instance, start_ns, stop_ns);
    }
  });
  if (!longest.row()) return std::nullopt;
  return Request{.window = {}, .iteration = {}, .instance = longest.row()};
}

}  // namespace

std::optional<Request> place_of_gap(const TableData& data, std::size_t row) {
  auto place = stretch_of(data, row, "idle_gaps.start");
  const auto& devices = data.profile->devices;
  const auto found = std::ranges::find_if(devices, [&](const profile::Device& device) {
    return device.device_id == integer_of(data, row, "device_id");
  });
  if (!place || found == devices.end()) return place;
  place->device = profile::DeviceIndex(static_cast<Row>(found - devices.begin()));
  place->is_gap = true;
  return place;
}

std::optional<Request> place_of_iteration(const TableData& data, std::size_t row) {
  return stretch_of(data, row, "start_time");
}

std::optional<Request> place_of_kernel(const TableData& data, std::size_t row) {
  const KernelCells cells = kernel_cells(data, row);
  const std::vector<KernelIndex> kernels = kernels_like(data, cells);
  const std::size_t which = kernels.size() > 1 ? count_same_above(data, row, cells) : 0;
  if (which >= kernels.size()) return std::nullopt;
  return Request{.window = {}, .iteration = {}, .kernel = kernels[which]};
}

std::optional<Request> place_of_op(const TableData& data, std::size_t row) {
  return place_of_longest_call(data, row, op_of_id(data, row, "op_node_id"));
}

std::optional<Request> place_of_op_type(const TableData& data, std::size_t row) {
  const profile::Profile& profile = *data.profile;
  const std::string type = text_of_cell(data.table, row, "op_node_type");
  std::vector<bool> ops = no_ops(data);
  for (OpIndex op{0}; op < ops.size(); ++op) {
    ops[op] = profile.text(profile.ops.type[op]) == type;
  }
  return place_of_longest_call(data, row, ops);
}

std::optional<Request> place_of_group_or_op(const TableData& data, std::size_t row) {
  if (integer_of(data, row, "row_type") != report::kGroupRow) {
    return place_of_longest_call(data, row, op_of_id(data, row, "row_full_id"));
  }
  const aggregate::GroupTree& tree = *data.aggregation->group_tree;
  const Row group =
      aggregate::find_group(*data.profile, tree, text_of_cell(data.table, row, "row_full_id"));
  std::vector<bool> ops = no_ops(data);
  for (const OpIndex op : aggregate::ops_below(tree, group)) ops[op] = true;
  return place_of_longest_call(data, row, ops);
}

std::optional<Request> place_of_kernels(const TableData& data, std::size_t row) {
  const profile::Profile& profile = *data.profile;
  const profile::Kernels& kernels = profile.kernels;
  const auto& first_kernel = profile.instances.first_kernel;
  const auto name = profile.strings.find(text_of_cell(data.table, row, "kernel_name"));
  const aggregate::RowFilter filter(profile, data.aggregation->selection.filters);
  Longest<KernelIndex> longest;
  const LaunchSizeOfRow size(data, row);
  const bool is_of_one_op = find_column(data.table, "op_node_id") != kNoColumn;
  const std::vector<bool> ops = is_of_one_op ? op_of_id(data, row, "op_node_id")
                                             : std::vector<bool>(profile.ops.size(), true);
  for_each_instance(data, row, ops, [&](InstanceIndex instance) {
    for (KernelIndex kernel = first_kernel[instance]; kernel < first_kernel[instance + 1];
         ++kernel) {
      const int64_t start_ns = kernels.gpu_start_ns[kernel], stop_ns = kernels.gpu_stop_ns[kernel];
      if (kernels.name[kernel] == name && longest.is_beaten_by(start_ns, stop_ns) &&
          filter.counts_kernel(kernel) && size.is_of(kernel)) {
        longest.set(kernel, start_ns, stop_ns);
      }
    }
  });
  if (!longest.row()) return std::nullopt;
  return Request{.window = {}, .iteration = {}, .kernel = longest.row()};
}

std::optional<timeline::Request> PlaceSearch::take(const Model& model, Tables& tables, Host& host) {
  if (tables.in_timeline) {
    wanted_ = std::exchange(tables.in_timeline, std::nullopt);
    asked_in_ = model.view;
    asked_of_ = model.aggregation;
  }
  if (!wanted_) return std::nullopt;
  const bool is_as_asked = model.view == asked_in_ && model.aggregation == asked_of_ &&
                           model.profile == wanted_->data->profile;
  if (!is_as_asked) {
    drop();
    return std::nullopt;
  }
  found_.want({wanted_->data, wanted_->row},
              has_few_events(*model.profile) && has_few_frames(wanted_->data->python_frames.get()),
              tables.background, [wanted = *wanted_](const base::Progress&) {
                return std::make_shared<const std::optional<timeline::Request>>(
                    wanted.place(*wanted.data, wanted.row));
              });
  if (found_.is_late()) return std::nullopt;
  const bool failed = found_.get() == nullptr;
  const std::optional<timeline::Request> found = failed ? std::nullopt : *found_.get();
  drop();
  if (failed) return std::nullopt;
  if (!found) host.notify("The Timeline has no event of this row.");
  return found;
}

void PlaceSearch::drop() {
  wanted_.reset();
  found_.drop();
}

}  // namespace dlview::ui
