#include "ui/views/tables/op_types.h"

#include <unordered_map>
#include <utility>
#include <vector>

#include "ui/views/tables/kernel_times.h"
#include "ui/views/tables/looks.h"

namespace dlview::ui {
namespace {

TableLook ops_of_type_look(const profile::Profile& profile) {
  TableLook look = ops_look(profile);
  look.id = "type_ops";
  look.prompt = "Select an op type above to see its ops.";
  return look;
}

std::vector<profile::Row> ops_of_type(const profile::Profile& profile, const std::string& type) {
  std::vector<profile::Row> ops;
  for (profile::Row op = 0; op < profile.ops.size(); ++op) {
    if (profile.text(profile.ops.type[op]) == type) ops.push_back(op);
  }
  return ops;
}

}  // namespace

void add_parts_of_types(TableData& data, const report::ViewArguments&) {
  std::unordered_map<profile::StringId, KernelTimes> times_of;
  for (const aggregate::OpAggregate& op : data.aggregation->ops) {
    times_of[data.profile->ops.type[op.op]].add(op);
  }
  std::vector<KernelTimes> times;
  for (const aggregate::OpTypeAggregate& type : data.aggregation->op_types) {
    times.push_back(times_of[type.type]);
  }
  add_kernel_columns(data.table, std::move(times));
}

OpTypesView::OpTypesView(const profile::Profile& profile)
    : types_data_("op_type_summary", add_parts_of_types),
      types_(op_types_look(profile)),
      ops_(ops_of_type_look(profile)) {}

void OpTypesView::draw(Frame& frame, const Box& box, Tables& tables) {
  const profile::Profile& profile = *frame.model.profile;
  const std::string& type = types_.model().selected();
  const std::vector<profile::Row> ops =
      type.empty() ? std::vector<profile::Row>{} : ops_of_type(profile, type);
  const std::vector<profile::Row> op = op_with_id(profile, ops_.model().selected());
  std::optional<DetailsSubject> subject;
  if (!op.empty()) subject = DetailsSubject{op[0], {}};
  const auto boxes = stack_.draw(frame, pane_.draw(frame, box, subject));
  types_.draw(frame, boxes[0], types_data_.get(frame.model), tables);
  ops_.set_subject(type);
  ops_.draw(frame, boxes[1], ops.empty() ? nullptr : ops_data_.get(frame.model, {{}, ops}), tables);
}

}  // namespace dlview::ui
