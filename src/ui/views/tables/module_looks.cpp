#include <string>
#include <utility>

#include "profile/recorded.h"
#include "ui/views/tables/look_parts.h"
#include "ui/views/tables/looks.h"

namespace dlview::ui {
namespace {

using report::SortDirection;

bool has_gpu_work(const profile::Profile& profile) {
  return profile::tells_of(profile, profile::Evidence::gpu_work);
}

void append_module_columns(TableLook& look, const profile::Profile& profile) {
  if (has_gpu_work(profile)) {
    append(look.columns,
           {with_bar(number("module_gpu_total"), always(Tone::busy)), number("module_gpu_forward"),
            number("module_gpu_backward"), number("module_gpu_self")});
  }
  append(look.columns, {with_bar(number("module_cpu_total"), always(Tone::cpu)),
                        number("module_cpu_self"), number("module_calls"), number("module_ops")});
  look.first_query = has_gpu_work(profile)
                         ? sorted_by("module_gpu_total", SortDirection::descending)
                         : sorted_by("module_cpu_total", SortDirection::descending);
}

TableLook operators(const profile::Profile& profile, std::string id, std::string title,
                    report::ColumnName key) {
  TableLook look{.id = std::move(id),
                 .title = std::move(title),
                 .noun = "operators",
                 .key = key,
                 .when_none = "No op or annotation begins in this range.",
                 .when_filtered = "No operators match the filters. Clear filters.",
                 .columns = {name("torch_op", CutAt::middle)},
                 .prompt = "Summing operators…"};
  if (key.text() == "torch_op_call") look.columns.push_back(name("input_shapes", CutAt::end));
  if (has_gpu_work(profile)) {
    append(look.columns, {with_bar(number("torch_op_gpu_self"), always(Tone::busy)),
                          number("torch_op_gpu_total")});
  }
  append(look.columns,
         {with_bar(number("torch_op_cpu_self"), always(Tone::cpu)), number("torch_op_cpu_total"),
          number("torch_op_api_self"), number("torch_op_calls"), number("tc_eligible"),
          number("torch_op_tc_self"), hidden(number("torch_op_tc_total")), word("torch_op_kind")});
  look.first_query = has_gpu_work(profile)
                         ? sorted_by("torch_op_gpu_self", SortDirection::descending)
                         : sorted_by("torch_op_cpu_self", SortDirection::descending);
  return look;
}

}  // namespace

TableLook modules_look(const profile::Profile& profile) {
  TableLook look{.id = "modules",
                 .title = "Modules",
                 .noun = "modules",
                 .key = "module_path",
                 .when_none = "No module runs in this range.",
                 .when_filtered = "No modules match the filters. Clear filters.",
                 .columns = {name("module_path", CutAt::front), word("module_class")},
                 .prompt = "Summing modules…"};
  append_module_columns(look, profile);
  return look;
}

TableLook module_classes_look(const profile::Profile& profile) {
  TableLook look{.id = "module_classes",
                 .title = "Classes",
                 .noun = "classes",
                 .key = "module_class",
                 .when_none = "No module runs in this range.",
                 .when_filtered = "No modules match the filters. Clear filters.",
                 .columns = {name("module_class", CutAt::middle)},
                 .prompt = "Summing modules…"};
  append_module_columns(look, profile);
  return look;
}

TableLook operators_look(const profile::Profile& profile) {
  return operators(profile, "torch_ops", "Operators", "torch_op");
}

TableLook operator_shapes_look(const profile::Profile& profile) {
  TableLook look =
      operators(profile, "torch_op_shapes", "Operators by input shape", "torch_op_call");
  look.columns.push_back(hidden(name("torch_op_call", CutAt::middle)));
  return look;
}

}  // namespace dlview::ui
