// GapsData: the table of the longest idle gaps of what is selected. Where there is much to look at
// it is made in the background, and that of what was selected before stays until it is there. The
// column "gap" tells its rows apart.
#pragma once

#include <memory>
#include <utility>

#include "ui/background.h"
#include "ui/model.h"
#include "ui/table/table_data.h"

namespace dlview::ui {

class GapsData {
 public:
  // Null while the first ones of the file are looked for; of what was selected before while those
  // of what is selected are.
  std::shared_ptr<const TableData> get(const Model& model, Background& background);

 private:
  using Key = std::pair<std::shared_ptr<const aggregate::Aggregation>,
                        std::shared_ptr<const aggregate::RuleIndex>>;
  using Late = ui::Late<Key, TableData>;
  Late data_{Late::WhenOutdated::finish};
};

}  // namespace dlview::ui
