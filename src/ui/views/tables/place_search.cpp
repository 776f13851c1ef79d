#include "ui/views/tables/place_search.h"

#include "ui/background.h"

namespace dlview::ui {

std::optional<timeline::Request> PlaceSearch::take(const Model& model, Tables& tables, Host& host) {
  if (tables.in_timeline) {
    wanted_ = std::exchange(tables.in_timeline, std::nullopt);
    asked_in_ = model.view;
    asked_of_ = model.aggregation;
  }
  if (!wanted_) return std::nullopt;
  const bool is_as_asked = model.view == asked_in_ && model.aggregation == asked_of_ &&
                           model.profile == wanted_->data->profile;
  if (!is_as_asked) {
    drop();
    return std::nullopt;
  }
  found_.want({wanted_->data, wanted_->row}, has_few_events(*model.profile), tables.background,
              [wanted = *wanted_](const base::Progress&) {
                return std::make_shared<const std::optional<timeline::Request>>(
                    wanted.place(*wanted.data, wanted.row));
              });
  if (found_.is_late()) return std::nullopt;
  const bool failed = found_.get() == nullptr;
  const std::optional<timeline::Request> found = failed ? std::nullopt : *found_.get();
  drop();
  if (failed) return std::nullopt;
  if (!found) host.notify("Nothing of this row is in the Timeline");
  return found;
}

void PlaceSearch::drop() {
  wanted_.reset();
  found_.drop();
}

}  // namespace dlview::ui
