#include <string>
#include <utility>

#include "profile/recorded.h"
#include "ui/views/tables/look_parts.h"
#include "ui/views/tables/looks.h"
#include "ui/views/tables/row_places.h"

namespace dlview::ui {

using namespace looks;

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

}  // namespace

TableLook modules_look(const profile::Profile& profile) {
  ColumnLook tree = name("module", CutAt::middle);
  tree.tree = true;
  TableLook look{
      .id = "modules",
      .title = "Modules",
      .noun = "modules",
      .key = "module_path",
      .when_none = "No module runs in this range.",
      .when_filtered = "No modules match the filters. Clear filters.",
      .columns = {std::move(tree), word("module_class"), hidden(name("module_path", CutAt::front))},
      .prompt = "Summing modules…",
      .place = place_of_module,
      .row_kind = "Module",
      .row_name = "module"};
  append_module_columns(look, profile);
  return look;
}

TableLook module_classes_look(const profile::Profile& profile) {
  TableLook look{.id = "module_classes",
                 .title = "Module classes",
                 .noun = "classes",
                 .key = "module_class",
                 .when_none = "No module runs in this range.",
                 .when_filtered = "No modules match the filters. Clear filters.",
                 .columns = {name("module_class", CutAt::middle)},
                 .prompt = "Summing modules…",
                 .place = place_of_module,
                 .row_kind = "Class of modules",
                 .row_name = "module_class"};
  append_module_columns(look, profile);
  return look;
}

}  // namespace dlview::ui
