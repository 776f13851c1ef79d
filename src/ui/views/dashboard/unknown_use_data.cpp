#include "ui/views/dashboard/unknown_use_data.h"

#include "ui/background.h"

namespace dlview::ui {

std::optional<int64_t> UnknownUseData::gpu_ns(const Model& model, Background& background) {
  const bool at_once = has_few_events(*model.profile);
  all_.want(model.profile, at_once, background, [profile = model.profile](const base::Progress&) {
    return std::make_shared<const Use>(*profile);
  });
  const std::shared_ptr<const Use>& all = all_.get();
  if (!all) return std::nullopt;
  const auto& filters = model.aggregation->selection.filters;
  if (filters.empty()) return all->gpu_ns(*model.aggregation);
  filtered_.want(
      filters, at_once, background, [profile = model.profile, all, filters](const base::Progress&) {
        return std::make_shared<const Filtered>(Filtered{filters, all->filtered(filters)});
      });
  const std::shared_ptr<const Filtered>& filtered = filtered_.get();
  if (!filtered || filtered->filters != filters) return std::nullopt;
  return filtered->use.gpu_ns(*model.aggregation);
}

}  // namespace dlview::ui
