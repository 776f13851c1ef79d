// PlaceSearch: finds where a row that is to be shown in the Timeline lies there; where there are
// many events it is looked for in the background.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

#include "ui/background.h"
#include "ui/model.h"
#include "ui/table/tables.h"

namespace dlview::ui {

class PlaceSearch {
 public:
  // In every frame, behind the view. Takes over what the tables want to be shown, and returns what
  // the Timeline is to show once it is found; forgets it when another view or range is shown
  // meanwhile.
  std::optional<timeline::Request> take(const Model& model, Tables& tables, Host& host);

 private:
  using Key = std::pair<std::shared_ptr<const TableData>, std::size_t>;

  void drop();

  std::optional<PlacedRow> wanted_;
  ViewId asked_in_ = ViewId::dashboard;
  std::shared_ptr<const aggregate::Aggregation> asked_of_;
  Late<Key, std::optional<timeline::Request>> found_;
};

}  // namespace dlview::ui
