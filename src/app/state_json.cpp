#include "app/state_json.h"

#include <utility>

#include <nlohmann/json.hpp>

#include "base/unfinished_file.h"
#include "ui/view.h"

namespace dlview::app {
namespace {

using OrderedJson = nlohmann::ordered_json;

const char* to_text(workspace::Session::State state) {
  switch (state) {
    case workspace::Session::State::empty:
      return "empty";
    case workspace::Session::State::loading:
      return "loading";
    case workspace::Session::State::failed:
      return "failed";
    case workspace::Session::State::open:
      return "open";
  }
  return "";
}

const char* to_text(ui::Overlay overlay) {
  switch (overlay) {
    case ui::Overlay::none:
      return "";
    case ui::Overlay::commands:
      return "commands";
    case ui::Overlay::jump:
      return "jump";
    case ui::Overlay::files:
      return "files";
    case ui::Overlay::keys:
      return "keys";
    case ui::Overlay::definitions:
      return "definitions";
    case ui::Overlay::about:
      return "about";
    case ui::Overlay::data_quality:
      return "data_quality";
    case ui::Overlay::thresholds:
      return "thresholds";
    case ui::Overlay::dropped_file:
      return "dropped_file";
  }
  return "";
}

OrderedJson describe(const aggregate::Selection& selection) {
  OrderedJson only = OrderedJson::array();
  for (const aggregate::Filter& filter : selection.filters) only.push_back(to_text(filter));
  return {{"cut", aggregate::to_text(selection.cut.kind)},
          {"key_op", selection.cut.key_op},
          {"split_by", aggregate::to_text(selection.cut.split_by)},
          {"stored_index", selection.cut.stored_index},
          {"range", {selection.range.first, selection.range.last}},
          {"only", only}};
}

OrderedJson describe(const aggregate::Aggregation& aggregation) {
  return {{"selection", describe(aggregation.selection)},
          {"iterations", aggregation.iteration_table->iterations.rows.size()},
          {"range_ns", aggregation.range_ns},
          {"wall_ns", aggregation.wall_ns},
          {"kernel_launches", aggregation.kernel_launches},
          {"breakdown_ns", aggregation.breakdown.ns},
          {"communication_ns", aggregation.communication.ns},
          {"exposed_communication_ns", aggregation.communication.exposed_ns},
          {"ops", aggregation.ops.size()},
          {"advice", aggregation.advice.size()}};
}

OrderedJson describe(const base::Error& error) {
  return {{"title", error.title}, {"detail", error.detail}, {"advice", error.advice}};
}

OrderedJson describe(const ui::ItemRect& rect) {
  return {rect.left, rect.top, rect.right, rect.bottom};
}

OrderedJson commands_of(const Program& program) {
  OrderedJson commands = OrderedJson::object();
  for (const ui::CommandInfo& info : program.commands().infos()) commands[info.id] = info.enabled;
  return commands;
}

}  // namespace

std::string state_json(const Program& program) {
  const workspace::Session& session = program.session();
  OrderedJson json{{"state", to_text(program.run().state())},
                   {"file", program.run().name()},
                   {"view", ui::info(program.view()).name},
                   {"overlay", to_text(program.overlay())},
                   {"theme", program.theme() == ui::ThemeKind::dark ? "dark" : "light"},
                   {"palette", ui::to_text(program.palette())},
                   {"reduced_motion", program.reduced_motion()},
                   {"zoom", program.zoom()},
                   {"kernel_details", program.kernel_details()},
                   {"what_if", program.what_if()},
                   {"notice", program.notice()},
                   {"shown", program.active_run()}};
  for (const auto& run : program.runs()) {
    json["open"].push_back({{"file", run->name()}, {"state", to_text(run->state())}});
  }
  if (session.error() != nullptr) json["error"] = describe(*session.error());
  if (session.aggregation() != nullptr) {
    json["state_string"] = program.state_string();
    json["selection"] = describe(session.selection());
    const workspace::IterationPair& compared = session.compared();
    json["selected_iteration"] =
        compared.iteration ? OrderedJson(*compared.iteration) : OrderedJson();
    json["baseline_iteration"] =
        compared.baseline ? OrderedJson(*compared.baseline) : OrderedJson();
    json["aggregation"] = describe(*session.aggregation());
  }
  json["commands"] = commands_of(program);
  json["values"] = program.inspector().values();
  json["items"] = OrderedJson::object();
  for (const auto& [name, rect] : program.inspector().items()) json["items"][name] = describe(rect);
  return json.dump(1, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

StateFile::StateFile(std::filesystem::path path) : path_(std::move(path)) {}

void StateFile::write(const Program& program) {
  std::string state = state_json(program);
  if (state == last_) return;
  last_ = std::move(state);
  auto file = base::UnfinishedFile::create(path_);
  if (!file) return;
  file->out() << last_;
  static_cast<void>(file->finish());
}

}  // namespace dlview::app
