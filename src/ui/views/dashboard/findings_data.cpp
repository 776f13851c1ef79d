#include "ui/views/dashboard/findings_data.h"

namespace dlview::ui {
namespace {

// Events of GPUs among which findings are looked for within a frame.
constexpr std::size_t kAtOnce = 100'000;

}  // namespace

const std::vector<FindingRow>* FindingsData::get(const Model& model, Background& background) {
  const auto find = [profile = model.profile, aggregation = model.aggregation, rules = model.rules,
                     thresholds = model.thresholds](const base::Progress&) {
    return std::make_shared<const std::vector<FindingRow>>(prepare_findings(
        *profile, aggregation->iteration_table->iterations,
        aggregate::find_findings(*profile, *aggregation, thresholds, rules.get()), thresholds));
  };
  const bool at_once = model.profile->kernels.size() + model.profile->memory_ops.size() <= kAtOnce;
  rows_.want({model.aggregation->whole().selection, model.rules, model.thresholds}, at_once,
             background, find);
  return rows_.get().get();
}

}  // namespace dlview::ui
