#include "ui/views/dashboard/findings_data.h"

#include "ui/background.h"

namespace dlview::ui {

std::shared_ptr<const FindingRows> FindingsData::get(const Model& model, Background& background) {
  const auto find = [profile = model.profile, aggregation = model.aggregation, rules = model.rules,
                     thresholds = model.thresholds](const base::Progress&) {
    return std::make_shared<const Found>(Found{
        aggregation->selection.cut,
        prepare_findings(*profile, aggregation->iteration_table->iterations,
                         aggregate::find_findings(*profile, *aggregation, thresholds, rules.get()),
                         thresholds)});
  };
  const aggregate::Selection& whole = model.aggregation->whole().selection;
  found_.want({whole, model.rules, model.thresholds}, has_few_events(*model.profile), background,
              find);
  const std::shared_ptr<const Found>& found = found_.get();
  if (!found || found->cut != whole.cut) return nullptr;
  return {found, &found->rows};
}

}  // namespace dlview::ui
