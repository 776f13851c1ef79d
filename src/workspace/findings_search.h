// FindingsSearch: computes in the background what is too slow for a frame: the outliers of an
// iteration table, the iteration marker candidates, the kernels whose Tensor Core use is unknown,
// the calls and gaps that the nsys rules check, the lanes of the timeline, and the index of limits.
// Main thread only; the destructor cancels running tasks without waiting for them.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "aggregate/aggregation.h"
#include "aggregate/key_ops.h"
#include "aggregate/limits/limits.h"
#include "aggregate/outliers.h"
#include "aggregate/rules/rule_index.h"
#include "aggregate/tensor_core_uses.h"
#include "base/scheduler.h"
#include "profile/profile.h"
#include "profile/python_frames.h"
#include "timeline/lanes.h"

namespace dlview::workspace {

struct Findings {
  // The outliers of `table`; null while they are being computed.
  std::shared_ptr<const aggregate::Outliers> outliers;
  std::shared_ptr<const aggregate::IterationTable> table;
  std::shared_ptr<const std::vector<aggregate::KeyOpCandidate>> key_ops;
  std::shared_ptr<const aggregate::UnknownTensorCoreUse> unknown_use;
  std::shared_ptr<const aggregate::RuleIndex> rules;
  std::shared_ptr<const timeline::Lanes> lanes;         // null as long as nobody wants them
  std::shared_ptr<const aggregate::LimitIndex> limits;  // likewise
  std::optional<base::Error> frame_lanes_error;         // why they lack the Python frames
};

// Finds what takes no longer than a frame: the kernels of unknown Tensor Core use, among few
// events.
Findings quick_findings(const profile::Profile& profile);

class FindingsSearch {
 public:
  // Begins with what the iterations do not matter to, as far as it is not among the `known` ones.
  // `ranking` is of the profile.
  FindingsSearch(base::Scheduler& scheduler, std::shared_ptr<const profile::Profile> profile,
                 std::shared_ptr<const aggregate::KeyRanking> ranking, Findings known = {});

  // Looks for the outliers of this table; those of another one are canceled.
  void request(std::shared_ptr<const aggregate::IterationTable> table);
  // Builds the lanes of the timeline, once.
  void want_lanes();
  // Builds what limits need, once. The first call counts.
  void want_limits(const aggregate::LimitOptions& options);
  // Adds the Python frames of the file to them once they are built, once; after an error only when
  // it was forgotten.
  void want_frame_lanes(const std::shared_ptr<const profile::PythonFrames>& frames);
  void forget_frame_lanes_error();

  // Takes over what has been found; true when there is something new.
  bool take_news();
  const Findings& findings() const { return findings_; }
  // Why something was not found, once. It stays unknown.
  std::optional<base::Error> take_failure() { return std::exchange(failure_, std::nullopt); }
  // Something is being looked for, or has not been taken over.
  bool busy() const {
    return key_ops_ || unknown_use_ || rules_ || lanes_ || frame_lanes_ || limits_ || outliers_ ||
           failure_;
  }
  void wait_until_idle() const;

 private:
  struct Known;
  struct OutliersOfTable {
    std::shared_ptr<const aggregate::Outliers> outliers;
    std::shared_ptr<const aggregate::IterationTable> table;
  };

  base::Strand strand_;
  std::shared_ptr<Known> known_;  // to the tasks
  base::Task<std::shared_ptr<const std::vector<aggregate::KeyOpCandidate>>> key_ops_;
  base::Task<std::shared_ptr<const aggregate::UnknownTensorCoreUse>> unknown_use_;
  base::Task<std::shared_ptr<const aggregate::RuleIndex>> rules_;
  base::Task<std::shared_ptr<const timeline::Lanes>> lanes_, frame_lanes_;
  base::Task<std::shared_ptr<const aggregate::LimitIndex>> limits_;
  base::Task<OutliersOfTable> outliers_;
  std::shared_ptr<const aggregate::IterationTable> table_;  // requested last
  bool wants_lanes_ = false, wants_frame_lanes_ = false, wants_limits_ = false;
  Findings findings_;
  std::optional<base::Error> failure_;
};

}  // namespace dlview::workspace
