#include "ui/views/iterations/key_ops.h"

#include <unordered_map>
#include <utility>

#include <fmt/format.h>

namespace dlview::ui {
namespace {

std::unordered_map<profile::StringId, int64_t> instances_of_names(const profile::Profile& profile) {
  std::unordered_map<profile::StringId, int64_t> counts;
  for (const profile::Row op : profile.instances.op) ++counts[profile.ops.name[op]];
  return counts;
}

}  // namespace

std::vector<KeyOpChoice> prepare_key_ops(const profile::Profile& profile) {
  std::unordered_map<profile::StringId, int64_t> counts = instances_of_names(profile);
  std::vector<KeyOpChoice> choices;
  for (const profile::Row op : profile.instances.op) {
    const profile::StringId name = profile.ops.name[op];
    const int64_t instances = std::exchange(counts[name], 0);  // each name once
    if (instances < 2) continue;
    choices.push_back({std::string(profile.text(name)),
                       std::string(profile.text(profile.ops.id[op])), instances});
  }
  return choices;
}

SingleIterationNote prepare_single_iteration(const profile::Profile& profile,
                                             const aggregate::Aggregation& aggregation) {
  const aggregate::Iterations& iterations = aggregation.iteration_table->iterations;
  if (iterations.rows.size() > 1) return {};
  const std::string& key_op = aggregation.selection.cut.key_op;
  SingleIterationNote note;
  if (iterations.key_instances > 0) {
    note.reason = fmt::format("The key op {} ran too rarely to split the run.", key_op);
  } else if (key_op.empty()) {
    note.reason = "The whole run is one iteration, because no key op is set.";
  } else {
    note.reason = fmt::format("The whole run is one iteration: no op is called {}.", key_op);
  }
  note.advice =
      prepare_key_ops(profile).empty()
          ? "Every op of this file ran only once, so none can split it. Profile several "
            "iterations, and name an op that runs once in each with dlprof --key_op=NAME."
          : "Enter the name or id of an op that runs once in each iteration as key op above, or "
            "choose one from its list.";
  return note;
}

}  // namespace dlview::ui
