#include "generate/demo_truth.h"

#include <fmt/format.h>

#include "generate/pytorch/event_writer.h"

namespace dlview::generate {
namespace {

using pytorch::json_string;

template <typename Rows, typename ToText>
std::string json_list(const Rows& rows, std::string_view separator, const ToText& to_text_of) {
  std::string text;
  for (const auto& row : rows) {
    if (!text.empty()) text += ",";
    text += separator;
    text += to_text_of(row);
  }
  return "[" + text + "]";
}

std::string sum_members(const DemoTruth::Sum& sum) {
  return fmt::format("\"kernels\": {}, \"ns\": {}, \"unchanged_ns\": {}", sum.kernels, sum.ns,
                     sum.unchanged_ns);
}

std::string change_json(const DemoTruth::Change& row) {
  return fmt::format(
      "{{\"change\": {}, \"kind\": {}, \"factor\": {},\n   \"ops\": {},\n   \"names\": {}}}",
      json_string(to_text(row.change)), json_string(std::string(to_text(row.change.kind))),
      share_text(row.change.factor_ppm), json_list(row.ops, "\n    ", json_string),
      json_list(row.names, "\n    ", [](const std::pair<std::string, std::string>& names) {
        return fmt::format("{{\"before\": {}, \"after\": {}}}", json_string(names.first),
                           json_string(names.second));
      }));
}

std::string step_json(const DemoTruth::Step& step) {
  return fmt::format(
      "{{\"kind\": {}, {}, \"communication_ns\": {}, \"exposed_communication_ns\": {}, "
      "\"changes\": {}}}",
      json_string(step.kind), sum_members(step.all), step.communication_ns,
      step.exposed_communication_ns, json_list(step.changes, "", [](const DemoTruth::Sum& sum) {
        return "{" + sum_members(sum) + "}";
      }));
}

}  // namespace

std::string to_json(const DemoTruth& truth) {
  std::string text = fmt::format("{{\n \"key_op\": {}, \"seed\": {}, \"gpus\": {},\n",
                                 json_string(truth.key_op), truth.seed, truth.gpus);
  if (truth.noise) {
    text += fmt::format(" \"noise\": {{\"between\": {}, \"within\": {}, \"run_level\": {}}},\n",
                        share_text(truth.noise->between_ppm), share_text(truth.noise->within_ppm),
                        share_text(truth.run_level_ppm));
  }
  return text + fmt::format(" \"changes\": {},\n \"steps\": {}\n}}\n",
                            json_list(truth.changes, "\n  ", change_json),
                            json_list(truth.steps, "\n  ", step_json));
}

}  // namespace dlview::generate
