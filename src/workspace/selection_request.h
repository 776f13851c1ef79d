// The selection that the command line requests with --state, --iterations, --key-op, --clock,
// --cut, --split-by and --only, and the Selection that it means for a profile.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aggregate/key_ops.h"
#include "aggregate/limits/limits.h"
#include "aggregate/selection.h"
#include "base/result.h"
#include "profile/profile.h"
#include "timeline/request.h"
#include "workspace/run_model.h"

namespace dlview::workspace {

// Missing parts are as the file opens.
struct SelectionRequest {
  std::string file;  // the name of the file that it is for; empty = any
  std::optional<aggregate::IterationRange> iterations;
  std::optional<std::string> key_op;  // op id or op name; empty = do not split: one iteration
  std::optional<aggregate::CutKind> cut;
  std::optional<aggregate::Clock> clock;       // not given: spec.md 4
  std::optional<aggregate::SplitBy> split_by;  // not given: spec.md 94
  std::optional<std::size_t> stored_index;     // which stored aggregation, for CutKind::stored
  std::vector<aggregate::Filter> filters;
  // Set by a state string, used only by views.
  std::optional<std::string> view;
  std::vector<TableState> tables;
  IterationPair compared;
  std::optional<OtherFile> with;  // opened beside, to be compared
  SharedFiles shared;
  timeline::Request timeline;
  bool present_rules = false;              // Tensor Core use by dlview's rules, not as stored
  bool use_cache = true;                   // whether the file may be read from the cache
  aggregate::LimitOptions limit_options;   // --peaks
  std::vector<std::string> counter_files;  // --ncu
  bool operator==(const SelectionRequest&) const = default;
};

// The title of the error on a key op that the profile does not have.
inline constexpr std::string_view kMarkerNotFound = "Iteration marker not found";

// "A:B", both included, or "A" alone.
base::Result<aggregate::IterationRange> parse_iterations(std::string_view text);
// "PID", "PID:TID".
base::Result<aggregate::Clock> parse_clock(std::string_view text);
std::string to_text(const aggregate::Clock& clock);
// "start", "end" or "stored".
base::Result<aggregate::CutKind> parse_cut(std::string_view text);
// "host" or "gpu".
base::Result<aggregate::SplitBy> parse_split_by(std::string_view text);
// "stored" (false) or "present".
base::Result<bool> parse_tensor_cores(std::string_view text);

// Returns the selection that the request means. Fails if the key op has no instances (on the clock,
// if one is given), the file does not support the split, the range exceeds the iterations, or the
// file does not contain a filter's value.
base::Result<aggregate::Selection> choose_selection(const aggregate::KeyRanking& ranking,
                                                    const SelectionRequest& request);

}  // namespace dlview::workspace
