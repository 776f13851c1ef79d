#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "profile/python_frames.h"
#include "profile/recorded.h"
#include "ui/views/tables/look_parts.h"
#include "ui/views/tables/looks.h"
#include "ui/views/tables/row_places.h"

namespace dlview::ui {

using namespace looks;

namespace {

using report::SortDirection;

enum class Order : uint8_t { by_self, by_total };

struct OperatorTable {
  const char *id, *title;
  report::ColumnName key;
  std::vector<ColumnLook> first_columns;
  Order order = Order::by_self;
};

// Tables of one name differ in what they divide it by.
TableLook operators(const profile::Profile& profile, OperatorTable table) {
  TableLook look{.id = table.id,
                 .title = table.title,
                 .noun = "operators",
                 .key = table.key,
                 .when_none = "No op or annotation begins in this range.",
                 .when_filtered = "No operators match the filters. Clear filters.",
                 .columns = std::move(table.first_columns),
                 .prompt = "Summing operators…",
                 .place = place_of_operator,
                 .row_kind = "Operator",
                 .row_name = "torch_op"};
  const bool has_gpu_work = profile::tells_of(profile, profile::Evidence::gpu_work);
  // The first of both leads: it has the bar, and sorts the rows.
  const auto add_times = [&look, &table](report::ColumnId self, report::ColumnId total, Tone tone) {
    const bool by_total = table.order == Order::by_total;
    append(look.columns, {with_bar(number(by_total ? total : self), always(tone)),
                          number(by_total ? self : total)});
    if (look.first_query.sort.empty()) {
      look.first_query = sorted_by(by_total ? total : self, SortDirection::descending);
    }
  };
  if (has_gpu_work) add_times("torch_op_gpu_self", "torch_op_gpu_total", Tone::busy);
  add_times("torch_op_cpu_self", "torch_op_cpu_total", Tone::cpu);
  append(look.columns,
         {number("torch_op_api_self"), number("torch_op_calls"), number("tc_eligible"),
          number("torch_op_tc_self"), hidden(number("torch_op_tc_total")), word("torch_op_kind")});
  return look;
}

}  // namespace

TableLook operators_look(const profile::Profile& profile) {
  return operators(profile,
                   {"torch_ops", "Operators", "torch_op", {name("torch_op", CutAt::middle)}});
}

TableLook operator_shapes_look(const profile::Profile& profile) {
  return operators(profile, {"torch_op_shapes",
                             "Operators by input shape",
                             "torch_op_call",
                             {name("torch_op", CutAt::middle), name("input_shapes", CutAt::end),
                              hidden(name("torch_op_call", CutAt::middle))}});
}

TableLook operator_stacks_look(const profile::Profile& profile) {
  TableLook look = operators(
      profile, {"torch_op_stacks",
                "Operators by call stack",
                "torch_op_call",
                {name("torch_op", CutAt::middle), sized(name("call_stack", CutAt::front), 200, 1),
                 hidden(name("torch_op_call", CutAt::middle))}});
  const bool has_stacks = profile::python_frame_count(profile) > 0 ||
                          (profile.trace && !profile.trace->nvtx.call_stack.empty());
  if (!has_stacks) {
    look.note = "call stacks not recorded: use torch.profiler.profile(with_stack=True)";
  }
  return look;
}

TableLook operator_tree_look(const profile::Profile& profile) {
  ColumnLook tree = name("torch_op", CutAt::middle);
  tree.tree = true;
  // What is around the others holds their time.
  return operators(profile, {"torch_op_tree",
                             "Operator tree",
                             "torch_op_path",
                             {std::move(tree), hidden(number("depth")),
                              hidden(name("torch_op_path", CutAt::front))},
                             Order::by_total});
}

}  // namespace dlview::ui
