// The findings of the range, ordered by potential savings. A click on a finding opens the view that
// shows the problem; its arrow unfolds advice, worst places and related findings.
#pragma once

#include <map>
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
  show_ranks,
  show_place,  // the worst one, in the Timeline
};

struct FindingRow {
  std::string detector;  // names its page
  std::string title;     // of its page: "GPU idle"
  std::string problem;
  std::vector<TextSpan> recommendation;
  std::string stake;        // "12.4 ms", per iteration; empty = no time can be named
  std::string stake_share;  // "17.9%", of the average iteration; empty without a stake
  std::string stake_note;   // what it bounds, for the tooltip
  FindingAction action = FindingAction::none;
  std::optional<aggregate::IterationRange> range;  // proposed, for show_iterations
  report::TableQuery query;                        // for show_ops and show_kernels
  std::vector<PlaceRow> places;                    // worst first
  std::string threshold;                           // "Potential savings of at least 2% ..."
  std::string summary;                             // the recommendation as plain text
  std::vector<FindingRow> parts;                   // findings that cover the same time
};

// "Exposed communication", "0.3%", "Potential savings of at least 2% of the iteration".
struct CheckRow {
  std::string title = {}, value = {}, threshold = {};
  bool is_found = false, is_checked = true;
};

struct FindingRows {
  std::vector<FindingRow> rows;
  std::vector<CheckRow> checks;  // one for each detector: findings, then nearest to the threshold
};

// `average_ns`: of the iterations of the range.
FindingRows prepare_findings(const profile::Profile& profile,
                             const aggregate::Iterations& iterations,
                             const aggregate::FoundFindings& found,
                             const aggregate::AdviceThresholds& thresholds = {},
                             double average_ns = 0);

// Which findings are unfolded. The reader's choices last as long as the profile is open.
struct UnfoldedFindings {
  std::map<std::string, bool, std::less<>> chosen;  // by detector
  std::size_t at_first = 1;                         // so many, until the reader chooses
  bool checks = false;
  bool contains(const FindingRow& finding, std::size_t index) const;
};

struct FindingsResult {
  float bottom = 0;
  const FindingRow* opened = nullptr;     // a finding or part that was clicked
  const PlaceRow* in_timeline = nullptr;  // is to be shown there
};
// Checks without a finding and what could not be checked are listed at the end, on request if there
// are findings. `findings`: null until they are known. `late`: they belong to the previous range.
FindingsResult draw_findings(Frame& frame, const Area& area, const FindingRows* findings, bool late,
                             UnfoldedFindings& unfolded);

// The findings of the range on screen. With many events they are computed in the background, and
// those of the previous range stay until then. One per profile.
class FindingsData {
 public:
  // Null until the first ones of the split are known.
  std::shared_ptr<const FindingRows> get(const Model& model, Background& background);
  // Those of the last get() belong to another range.
  bool is_late() const { return found_.is_late(); }

 private:
  struct Found {
    aggregate::Cut cut;
    FindingRows rows;
  };
  // Filters do not change them.
  using Key = std::tuple<aggregate::Selection, std::shared_ptr<const aggregate::RuleIndex>,
                         std::shared_ptr<const aggregate::LimitIndex>, aggregate::AdviceThresholds,
                         ranks::SharedRunFigures>;
  using Late = ui::Late<Key, Found>;
  Late found_{Late::WhenOutdated::finish};
};

}  // namespace dlview::ui
