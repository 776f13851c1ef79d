// What the expert systems found in the range with the time at stake, and standing guidance. A
// finding with an action has a » that opens what it speaks of.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "aggregate/findings.h"
#include "report/query.h"
#include "ui/background.h"
#include "ui/look.h"
#include "ui/model.h"
#include "ui/text.h"
#include "ui/views/dashboard/finding_places.h"

namespace dlview::ui {

enum class FindingAction {
  none,
  show_iterations,
  show_ops,
  show_kernels,
  show_devices,
  show_system,
};

struct FindingRow {
  std::string detector;  // whose page explains it
  std::string problem;
  std::vector<TextSpan> recommendation;
  std::string stake;       // "12.4 ms", per iteration; empty = no time can be named
  std::string stake_note;  // what it bounds, for the tooltip
  FindingAction action = FindingAction::none;
  std::optional<aggregate::IterationRange> range;  // proposed, for show_iterations
  report::TableQuery ops;                          // that it speaks of, for show_ops
  std::vector<PlaceRow> places;
  std::string threshold;          // threshold_text()
  std::string summary;            // the recommendation as plain text, for the tooltip of a part
  std::vector<FindingRow> parts;  // that speak of the same time, a line each
};

struct FindingRows {
  std::vector<FindingRow> rows;
  std::vector<std::string> checks;  // "Exposed communication: 0.3% (…)", one for each detector
};

FindingRows prepare_findings(const profile::Profile& profile,
                             const aggregate::Iterations& iterations,
                             const aggregate::FoundFindings& found,
                             const aggregate::AdviceThresholds& thresholds = {});

struct FindingsResult {
  float bottom = 0;
  const FindingRow* opened = nullptr;     // its » was clicked
  const PlaceRow* in_timeline = nullptr;  // is to be shown there
};
// Below them stands what the file cannot tell. Where there are none, what was checked is listed.
// Null: they are being looked for. Late: they are of the range before.
FindingsResult draw_findings(Frame& frame, const Area& area, const FindingRows* findings,
                             bool late);

float draw_guidance(Frame& frame, const Area& area);

// The findings of the range that is shown. Where there is much to look at they are
// found in the background, and those of the range before stay until they are there.
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
