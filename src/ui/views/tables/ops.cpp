#include "ui/views/tables/ops.h"

#include <array>
#include <map>

#include <fmt/ranges.h>

#include "aggregate/find_op.h"
#include "aggregate/row_filter.h"
#include "base/units.h"
#include "profile/recorded.h"
#include "ui/text.h"
#include "ui/views/tables/looks.h"

namespace dlview::ui {

namespace {

std::string_view kind_of_copy(profile::CopyKind copy_kind) {
  switch (copy_kind) {
    case profile::CopyKind::host_to_device:
      return " from host to device";
    case profile::CopyKind::device_to_host:
      return " from device to host";
    case profile::CopyKind::device_to_device:
      return " within a device";
    default:
      return "";
  }
}

// "796 memcpys from host to device and 3 memsets", in the range and under its filters.
std::string memory_ops_of(const TableData& data, profile::OpIndex op) {
  const profile::Profile& profile = *data.profile;
  const aggregate::Selection& selection = data.aggregation->selection;
  const aggregate::RowFilter filter(profile, selection.filters);
  const auto& iterations = data.aggregation->iteration_table->iterations.rows;
  std::map<std::string_view, int64_t> copies;
  int64_t memsets = 0;
  const auto& instances = profile.instances;
  const auto end = iterations[static_cast<std::size_t>(selection.range.last)].last_instance;
  for (auto i = iterations[static_cast<std::size_t>(selection.range.first)].first_instance; i < end;
       ++i) {
    if (instances.op[i] != op) continue;
    for (auto m = instances.first_memory_op[i]; m < instances.first_memory_op[i + 1]; ++m) {
      if (!filter.counts_memory_op(m)) continue;
      const bool is_copy = profile.memory_ops.kind[m] == profile::MemoryOpKind::memcpy;
      ++(is_copy ? copies[kind_of_copy(profile.memory_ops.copy_kind[m])] : memsets);
    }
  }
  std::vector<std::string> texts;
  for (const auto& [kind, count] : copies) {
    texts.push_back(fmt::format("{}{}", base::counted(count, "memcpys"), kind));
  }
  if (memsets > 0) texts.push_back(base::counted(memsets, "memsets"));
  return fmt::format("{}", fmt::join(texts, ", "));
}

void add_rules_or_why_none(TableData& data, const report::ViewArguments& arguments) {
  add_tensor_core_rules(data, arguments);
  add_times_of_kernels(data, arguments);
  const bool has_gpu_work = profile::tells_of(*data.profile, profile::Evidence::gpu_work);
  if (data.table.row_count > 0 || !has_gpu_work) return;
  const profile::OpIndex row = arguments.ops.front();
  const aggregate::OpAggregate* op = aggregate::find_op(*data.aggregation, row);
  if (op == nullptr) {
    data.when_none = "This op does not run in this range, or the filters exclude it.";
  } else if (op->times.gpu.sum == 0) {
    data.when_none = "This op launched no kernels and used no GPU.";
  } else {
    data.when_none =
        fmt::format("This op launched no kernels. Its GPU time of {} is {}.",
                    base::format_duration(op->times.gpu.sum), memory_ops_of(data, row));
  }
}

}  // namespace

OpsView::OpsView(const profile::Profile& profile)
    : kernels_data_("kernel_summaries", add_rules_or_why_none),
      ops_(ops_look(profile)),
      kernels_(kernels_look(profile)) {}

void OpsView::draw_tables(Frame& frame, const Box& box, Tables& tables) {
  const profile::Profile& profile = *frame.model.profile;
  const std::vector<profile::OpIndex> op = op_with_id(profile, ops_.model().selected());
  std::optional<DetailsSubject> subject;
  if (!op.empty()) {
    const profile::OpIndex row = op[0];
    subject = kernel_subject(profile, row, kernels_.model().selected());
    // A row that is selected by default opens no pane.
    const bool is_chosen = !ops_.model().chosen().empty();
    const bool is_of_op = !subject || tables.focused == ops_.model().look().id;
    if (is_chosen && is_of_op) subject = DetailsSubject{row, {}};
  }
  const Box rest = pane_.draw(frame, box, subject);
  // Few ops leave the room to their kernels.
  const auto boxes = stack_.draw(frame, rest, 0, std::array{ops_.wanted_height(frame)});
  const auto ops =
      badged_ops_.of(marked_ops_.of(ops_data_.get(frame.model), frame.model.unknown_use),
                     frame.model, tables.background);
  ops_.draw(frame, boxes[0], ops, tables);
  kernels_.set_subject(op.empty() ? "" : std::string(profile.text(profile.ops.name[op[0]])));
  kernels_.draw(frame, boxes[1], op.empty() ? nullptr : kernels_data_.get(frame.model, {{}, op}),
                tables);
}

}  // namespace dlview::ui
