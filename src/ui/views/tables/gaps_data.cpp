#include "ui/views/tables/gaps_data.h"

#include "profile/event_count.h"
#include "report/views/views.h"

namespace dlview::ui {
namespace {

// Events among which gaps, and what the host did in them, are looked for within a frame.
constexpr std::size_t kAtOnce = 50'000;

}  // namespace

std::shared_ptr<const TableData> GapsData::get(const Model& model, Background& background) {
  if (!model.rules) {
    data_.drop();
    return nullptr;
  }
  data_.want({model.aggregation, model.rules}, event_count(*model.profile) <= kAtOnce, background,
             [profile = model.profile, aggregation = model.aggregation,
              rules = model.rules](const base::Progress&) {
               return std::make_shared<const TableData>(TableData{
                   profile, aggregation, report::make_idle_gaps(*profile, *aggregation, *rules)});
             });
  const std::shared_ptr<const TableData>& data = data_.get();
  return data && data->profile == model.profile ? data : nullptr;
}

}  // namespace dlview::ui
