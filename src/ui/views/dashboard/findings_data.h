// FindingsData: the findings of the range that is shown. Where there is much to look at they are
// found in the background, and those of the range before stay until they are there.
#pragma once

#include <memory>
#include <tuple>
#include <vector>

#include "ui/background.h"
#include "ui/model.h"
#include "ui/views/dashboard/advice.h"

namespace dlview::ui {

// Of one file.
class FindingsData {
 public:
  // Null while the first ones of the cut are looked for.
  std::shared_ptr<const FindingRows> get(const Model& model, Background& background);
  // Those of the last get() are of another range.
  bool is_late() const { return found_.is_late(); }

 private:
  struct Found {
    aggregate::Cut cut;
    FindingRows rows;
  };
  // Filters do not change them.
  using Key = std::tuple<aggregate::Selection, std::shared_ptr<const aggregate::RuleIndex>,
                         aggregate::AdviceThresholds>;
  using Late = ui::Late<Key, Found>;
  Late found_{Late::WhenOutdated::finish};
};

}  // namespace dlview::ui
