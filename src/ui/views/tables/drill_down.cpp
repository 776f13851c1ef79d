#include "ui/views/tables/drill_down.h"

#include <array>
#include <unordered_map>
#include <utility>
#include <vector>

#include "aggregate/communication_ops.h"
#include "base/parse.h"
#include "ui/views/tables/kernel_columns.h"
#include "ui/views/tables/looks.h"

namespace dlview::ui {
namespace {

TableLook ops_of_type_look(const profile::Profile& profile) {
  TableLook look = ops_look(profile);
  look.id = "type_ops";
  look.prompt = "Select an op type above to see its ops.";
  look.is_driving = false;
  return look;
}

std::vector<profile::OpIndex> ops_of_type(const profile::Profile& profile,
                                          const std::string& type) {
  std::vector<profile::OpIndex> ops;
  for (profile::OpIndex op{0}; op < profile.ops.size(); ++op) {
    if (profile.text(profile.ops.type[op]) == type) ops.push_back(op);
  }
  return ops;
}

// The view has names only, and several ops may have one.
void add_op_ids_and_rules(TableData& data, const report::ViewArguments& arguments) {
  auto kernels =
      report::make_view("iteration_op_kernels", *data.profile, *data.aggregation, arguments);
  data.table.columns.push_back(std::move(kernels->columns[find_column(*kernels, "op_node_id")]));
  add_tensor_core_rules(data, arguments);
}

TableLook iterations_above_ops(const profile::Profile& profile) {
  TableLook look = iterations_look(profile);
  look.id = "by_op_iterations";
  return look;
}

}  // namespace

void add_parts_of_types(TableData& data, const report::ViewArguments& arguments) {
  const std::vector<aggregate::OpAggregate>& ops = data.aggregation->ops;
  const auto communication = aggregate::communication_of_ops(*data.profile, *data.aggregation);
  std::unordered_map<profile::StringId, KernelTimes> times_of;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    times_of[data.profile->ops.type[ops[i].op]].add(ops[i],
                                                    communication.empty() ? 0 : communication[i]);
  }
  std::vector<KernelTimes> times;
  for (const aggregate::OpTypeAggregate& type : data.aggregation->op_types) {
    times.push_back(times_of[type.type]);
  }
  add_kernel_columns(data.table, std::move(times));
  add_times_of_types(data, arguments);
}

OpTypesView::OpTypesView(const profile::Profile& profile)
    : types_data_("op_type_summary", add_parts_of_types),
      types_(op_types_look(profile)),
      ops_(ops_of_type_look(profile)) {}

void OpTypesView::draw_tables(Frame& frame, const Box& box, Tables& tables) {
  const profile::Profile& profile = *frame.model.profile;
  const std::string& type = types_.model().selected();
  const std::vector<profile::OpIndex> ops =
      type.empty() ? std::vector<profile::OpIndex>{} : ops_of_type(profile, type);
  const std::vector<profile::OpIndex> op = op_with_id(profile, ops_.model().selected());
  std::optional<DetailsSubject> subject;
  if (!op.empty()) subject = DetailsSubject{op[0], {}};
  const auto boxes = stack_.draw(frame, pane_.draw(frame, box, subject), 0,
                                 std::array{types_.wanted_height(frame)});
  types_.draw(frame, boxes[0], types_data_.get(frame.model), tables);
  ops_.set_subject(type);
  const auto data = ops.empty() ? nullptr : ops_data_.get(frame.model, {{}, ops});
  ops_.draw(frame, boxes[1], marked_ops_.of(data, frame.model.unknown_use), tables);
}

std::optional<int64_t> selected_iteration(const TableModel& iterations) {
  return base::parse_natural(iterations.selected());
}

ByIterationView::ByIterationView(const profile::Profile& profile)
    : iterations_data_("iterations_profiled", add_iteration_times),
      kernels_data_("iteration_kernels", add_op_ids_and_rules),
      iterations_(iterations_look(profile)),
      kernels_(iteration_kernels_look(profile)) {}

void ByIterationView::draw_tables(Frame& frame, const Box& box, Tables& tables) {
  const auto iteration = selected_iteration(iterations_.model());
  const bool is_waiting = !iteration;
  if (std::exchange(is_waiting_, is_waiting) != is_waiting) iterations_.reveal_selected();
  const auto boxes =
      stack_.draw(frame, box, is_waiting ? 1 : 0, std::array{iterations_.wanted_height(frame)});
  iterations_.draw(frame, boxes[0], iterations_data_.get(frame.model), tables);
  kernels_.set_subject(iteration ? "iteration " + std::to_string(*iteration) : "");
  kernels_.draw(frame, boxes[1],
                iteration ? kernels_data_.get(frame.model, {iteration, {}}) : nullptr, tables);
}

ByOpView::ByOpView(const profile::Profile& profile)
    : iterations_data_("iterations_profiled", add_iteration_times),
      kernels_data_("iteration_op_kernels", add_tensor_core_rules),
      iterations_(iterations_above_ops(profile)),
      ops_(iteration_ops_look(profile)),
      kernels_(iteration_op_kernels_look(profile)) {}

void ByOpView::draw_tables(Frame& frame, const Box& box, Tables& tables) {
  const profile::Profile& profile = *frame.model.profile;
  const auto iteration = selected_iteration(iterations_.model());
  std::vector<profile::OpIndex> op;
  std::optional<DetailsSubject> subject;
  if (iteration) op = op_with_id(profile, ops_.model().selected());
  // A row that is selected by default opens no pane.
  if (!op.empty() && !ops_.model().chosen().empty()) subject = DetailsSubject{op[0], {}};
  const Box rest = pane_.draw(frame, box, subject);
  const std::size_t waiting = !iteration ? 2 : op.empty() ? 1 : 0;
  if (std::exchange(waiting_, waiting) != waiting) {  // those above got another height
    iterations_.reveal_selected();
    ops_.reveal_selected();
  }
  const auto boxes =
      stack_.draw(frame, rest, waiting,
                  std::array{iterations_.wanted_height(frame), ops_.wanted_height(frame)});
  iterations_.draw(frame, boxes[0], iterations_data_.get(frame.model), tables);
  const std::string number = iteration ? "iteration " + std::to_string(*iteration) : "";
  ops_.set_subject(number);
  const auto ops = iteration ? ops_data_.get(frame.model, {iteration, {}}) : nullptr;
  ops_.draw(frame, boxes[1], marked_ops_.of(ops, frame.model.unknown_use), tables);
  kernels_.set_subject(
      op.empty() ? "" : number + " · " + std::string(profile.text(profile.ops.name[op[0]])));
  kernels_.draw(frame, boxes[2],
                op.empty() ? nullptr : kernels_data_.get(frame.model, {iteration, op}), tables);
}

}  // namespace dlview::ui
