#include <utility>

#include "ui/views/limits/badges.h"
#include "ui/views/tables/kernel_columns.h"
#include "ui/views/tables/look_parts.h"
#include "ui/views/tables/looks.h"
#include "ui/views/tables/row_places.h"

namespace dlview::ui {

using namespace looks;

namespace {

using report::SortDirection;

ColumnLook use_of_tensor_cores() {
  ColumnLook look = number("uses_tc");
  look.reason = reason_of_use;
  return look;
}

// Of single kernels, without their op.
std::vector<ColumnLook> kernel_columns() {
  ColumnLook kernel_name = name("kernel_name", CutAt::middle);
  kernel_name.stays = true;
  return {std::move(kernel_name),
          with_bar(number("kernel_duration"), tone_by_tensor_cores("uses_tc")),
          instant("kernel_timestamp"),
          sized(number("device_id"), 40),
          use_of_tensor_cores(),
          word("grid"),
          word("block"),
          hidden(word("tc_rule"))};
}

}  // namespace

TableLook kernels_look(const profile::Profile& profile) {
  TableLook look{.id = "kernels",
                 .title = "Kernels",
                 .noun = "kernels",
                 .key = "kernel_name",
                 .when_none = no_kernels(profile, "This op launched no kernels."),
                 .first_query = sorted_by("kernel_summaries.gpu_time", SortDirection::descending),
                 .prompt = "Select an op above to see its kernels.",
                 .place = place_of_kernels};
  look.columns = {name("kernel_name", CutAt::middle),
                  with_bar(number("kernel_summaries.gpu_time"), tone_by_tensor_cores("uses_tc"))};
  append_time_columns(look.columns, profile);
  append(look.columns, {number("calls"), number("avg"), number("min"), number("max"),
                        use_of_tensor_cores(), hidden(word("tc_rule"))});
  return look;
}

TableLook kernel_names_look(const profile::Profile& profile) {
  TableLook look{
      .id = "kernel_names",
      .title = "Kernels",
      .noun = "kernels",
      .key = "kernel_name",
      .when_none = no_kernels(profile, "No kernels ran in this range."),
      .when_filtered = no_kernels(profile, "No kernels match the filters. Clear filters."),
      .first_query = sorted_by("kernel_names.gpu_time", SortDirection::descending),
      .note = sum_note(profile),
      .place = place_of_kernels};
  look.columns = {name("kernel_name", CutAt::middle),
                  with_bar(number("kernel_names.gpu_time"), tone_by_tensor_cores("uses_tc"))};
  append_time_columns(look.columns, profile);
  append(look.columns,
         {number("calls"), number("avg"), number("min"), number("max"), number("uses_tc"),
          number("kernel_names.op_count"), number("blocks_per_sm"), number("occupancy")});
  look.columns.push_back(badge_column());
  return look;
}

TableLook launches_look(const profile::Profile& profile) {
  TableLook look{
      .id = "launches",
      .title = "Launch configurations",
      .noun = "launch configurations",
      .key = "launch",
      .when_none = no_kernels(profile, "No kernels ran in this range."),
      .when_filtered = no_kernels(profile, "No kernels match the filters. Clear filters."),
      .columns = {name("kernel_name", CutAt::middle), word("grid"), word("block"),
                  with_bar(number("kernel_launches.gpu_time"), tone_by_tensor_cores("uses_tc"))},
      .first_query = sorted_by("kernel_launches.gpu_time", SortDirection::descending),
      .prompt = "Summing launches…",
      .note = sum_note(profile),
      .place = place_of_kernels};
  append_time_columns(look.columns, profile);
  append(look.columns,
         {number("calls"), number("avg"), number("min"), number("max"), number("uses_tc"),
          number("registers"), number("shared_memory"), number("blocks_per_sm"),
          number("occupancy"), hidden(name("launch", CutAt::middle))});
  return look;
}

TableLook iteration_kernels_look(const profile::Profile& profile) {
  TableLook look{.id = "iteration_kernels",
                 .title = "Kernels",
                 .noun = "kernels",
                 .key = "kernel_timestamp",
                 .when_none = no_kernels(profile, "No kernels were launched in this iteration."),
                 .when_filtered = no_kernels(
                     profile, "No kernels of this iteration match the filters. Clear filters."),
                 .columns = kernel_columns(),
                 .first_query = sorted_by("kernel_timestamp", SortDirection::ascending),
                 .prompt = "Select an iteration above to see its kernels.",
                 .place = place_of_kernel};
  look.columns.insert(look.columns.begin(), name("op_node_name", CutAt::front));
  look.columns.push_back(hidden(sized(word("op_node_id"), 120)));
  return look;
}

TableLook iteration_op_kernels_look(const profile::Profile& profile) {
  return {.id = "iteration_op_kernels",
          .title = "Kernels",
          .noun = "kernels",
          .key = "kernel_timestamp",
          .when_none = no_kernels(profile, "This op launched no kernels in this iteration."),
          .when_filtered = no_kernels(
              profile, "No kernels of this op and iteration match the filters. Clear filters."),
          .columns = kernel_columns(),
          .first_query = sorted_by("kernel_timestamp", SortDirection::ascending),
          .prompt = "Select an op above to see its kernels in this iteration.",
          .place = place_of_kernel};
}

}  // namespace dlview::ui
