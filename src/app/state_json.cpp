#include "app/state_json.h"

#include <nlohmann/json.hpp>

#include "app/program.h"

namespace dlview::app {
namespace {

using Json = nlohmann::ordered_json;

const char* to_text(Session::State state) {
  switch (state) {
    case Session::State::empty:
      return "empty";
    case Session::State::loading:
      return "loading";
    case Session::State::failed:
      return "failed";
    case Session::State::open:
      return "open";
  }
  return "";
}

const char* to_text(aggregate::CutKind kind) {
  switch (kind) {
    case aggregate::CutKind::start:
      return "start";
    case aggregate::CutKind::end:
      return "end";
    case aggregate::CutKind::stored:
      return "stored";
  }
  return "";
}

Json describe(const aggregate::Selection& selection) {
  return {{"cut", to_text(selection.cut.kind)},
          {"key_op", selection.cut.key_op},
          {"range", {selection.range.first, selection.range.last}}};
}

Json describe(const aggregate::Aggregation& aggregation) {
  return {{"selection", describe(aggregation.selection)},
          {"iterations", aggregation.iteration_table->iterations.rows.size()},
          {"range_ns", aggregation.range_ns},
          {"wall_ns", aggregation.wall_ns},
          {"kernel_launches", aggregation.kernel_launches},
          {"breakdown_ns", aggregation.breakdown.ns},
          {"ops", aggregation.ops.size()},
          {"advice", aggregation.advice.size()}};
}

Json describe(const base::Error& error) {
  return {{"title", error.title}, {"detail", error.detail}, {"advice", error.advice}};
}

Json describe(const ui::ItemRect& rect) {
  return {rect.left, rect.top, rect.right, rect.bottom};
}

Json commands_of(const Program& program) {
  Json commands = Json::object();
  for (const ui::CommandInfo& info : program.commands().infos()) commands[info.id] = info.enabled;
  return commands;
}

}  // namespace

std::string state_json(const Program& program) {
  const Session& session = program.session();
  Json json{{"state", to_text(session.state())},
            {"file", session.name()},
            {"view", program.view() == ui::ViewId::dashboard ? "dashboard" : "iterations"},
            {"theme", program.theme() == ui::ThemeKind::dark ? "dark" : "light"},
            {"zoom", program.zoom()},
            {"kernel_details", program.kernel_details()},
            {"notice", program.notice()}};
  if (session.error() != nullptr) json["error"] = describe(*session.error());
  if (session.aggregation() != nullptr) {
    json["selection"] = describe(session.selection());
    json["aggregation"] = describe(*session.aggregation());
  }
  json["commands"] = commands_of(program);
  json["values"] = program.inspector().values();
  json["items"] = Json::object();
  for (const auto& [name, rect] : program.inspector().items()) json["items"][name] = describe(rect);
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace dlview::app
