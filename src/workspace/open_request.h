// OpenRequest: what to open, how, and what to show of it at first; and the ways to make one.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "aggregate/aggregator.h"
#include "aggregate/key_ops.h"
#include "base/progress.h"
#include "base/result.h"
#include "import/open.h"
#include "profile/profile.h"
#include "timeline/request.h"
#include "workspace/engine.h"
#include "workspace/file_memory.h"
#include "workspace/run_model.h"
#include "workspace/selection_request.h"

namespace dlview::workspace {

// The first selection, and a notice for the user; usually empty.
struct FirstSelection {
  aggregate::Selection selection;
  std::string notice;
};

// A file to open. All three functions run in the task that opens it, and own the data that they
// use.
struct OpenRequest {
  std::string name;  // shown: the path as the user gave it
  std::string path;  // absolute, under which it is remembered; empty = not to be remembered
  std::optional<std::string> view;  // to begin with; not given = the one that is shown
  std::vector<TableState> tables;
  IterationPair compared;
  std::optional<OtherFile> with = {};
  SharedFiles shared = {};
  timeline::Request timeline;
  bool present_rules = false;  // which kernels use Tensor Cores: not as the file has it
  aggregate::LimitOptions limit_options;
  // Overrides Session::first_selection(); nullopt = the selection that `choose` returns.
  std::optional<aggregate::Selection> first_selection = {};
  std::function<base::Result<profile::Profile>(base::Progress&)> load;
  // Files of Nsight Compute that are read after it: Profile::counters.
  std::vector<std::string> counter_files = {};
  bool opens_without_counters = false;         // what is wrong with them is a notice
  std::shared_ptr<import::CachedFile> cached;  // the file that `load` opens; null = no cache
  // The request that `choose` answers. If the cache holds its answer, opening needs no engine.
  // nullopt = always ask the engine.
  std::optional<SelectionRequest> question = {};
  // An Error, such as an unknown key op, is shown like a failure to open the file.
  std::function<base::Result<FirstSelection>(const aggregate::KeyRanking&)> choose;
  EngineFactory make_engine;
};

// Whether a range beyond the iterations of the file is an error, or opens all of them with a
// notice.
enum class RangeBeyondEnd { is_error, opens_all };

// All but what loads it. `name` is shown.
OpenRequest request_for(std::string name, const SelectionRequest& selection, EngineChoice engine,
                        RangeBeyondEnd beyond);

OpenRequest file_request(const std::string& path, const SelectionRequest& selection,
                         EngineChoice engine, RangeBeyondEnd beyond = RangeBeyondEnd::is_error);

// Makes the request restore the state that was left; if the file no longer supports its selection,
// the default selection is used. Comparison, budgets and trend are not restored: they would open
// other files.
void look_as_left(const SelectionRequest& left, OpenRequest& request);

// Returns a request that opens the file in its remembered state, as look_as_left() does.
OpenRequest remembered_request(const std::string& path, const SelectionRequest& remembered,
                               EngineChoice engine);

// Returns remembered_request() with the view, range and filters that `memory` has for the file.
OpenRequest request_as_left(const std::string& path, const FileMemory& memory, bool use_cache,
                            EngineChoice engine);

}  // namespace dlview::workspace
