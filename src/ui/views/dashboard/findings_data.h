// FindingsData: the findings of the range that is shown. Where there is much to look at they are
// found beside the frame, and those of the range before stay until they are there.
#pragma once

#include <memory>
#include <tuple>
#include <vector>

#include "ui/late.h"
#include "ui/model.h"
#include "ui/views/dashboard/advice.h"

namespace dlview::ui {

// Of one file.
class FindingsData {
 public:
  // Null while the first ones are looked for.
  const std::vector<FindingRow>* get(const Model& model, Background& background);

 private:
  // Filters do not change them.
  using Key = std::tuple<aggregate::Selection, std::shared_ptr<const aggregate::RuleIndex>,
                         aggregate::AdviceThresholds>;
  Late<Key, std::vector<FindingRow>> rows_;
};

}  // namespace dlview::ui
