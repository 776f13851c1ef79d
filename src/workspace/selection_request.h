// What the command line asks for with --state, --iterations, --key-op, --clock, --cut, --split-by
// and --only, and the Selection that it means for a profile.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aggregate/key_ops.h"
#include "aggregate/selection.h"
#include "base/result.h"
#include "profile/profile.h"
#include "timeline/request.h"
#include "workspace/run_model.h"

namespace dlview::workspace {

// What is not given is as the file opens.
struct SelectionRequest {
  std::string file;  // the name of the file that it is for; empty = any
  std::optional<aggregate::IterationRange> iterations;
  std::optional<std::string> key_op;  // op id or op name; empty = do not cut: one iteration
  std::optional<aggregate::CutKind> cut;
  std::optional<aggregate::Clock> clock;       // not given: decisions.md 4
  std::optional<aggregate::SplitBy> split_by;  // not given: decisions.md 94
  std::optional<std::size_t> stored_index;     // which stored aggregation, for CutKind::stored
  std::vector<aggregate::Filter> filters;
  std::optional<std::string> view;  // a state string names it; for what draws
  std::vector<TableState> tables;   // the same
  IterationPair compared;           // the same
  timeline::Request timeline;       // the same
  bool present_rules = false;       // which kernels use Tensor Cores: not as stored
  bool use_cache = true;            // no selection: the file may come out of the cache
  bool operator==(const SelectionRequest&) const = default;
};

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

// Fails for a key op without instances, on the clock if there is one, for a cut or a split that the
// file cannot do, for a range that reaches beyond the iterations there are, and for a filter whose
// value the file does not hold.
base::Result<aggregate::Selection> choose_selection(const aggregate::KeyRanking& ranking,
                                                    const SelectionRequest& request);

}  // namespace dlview::workspace
