// The state of a run's views that is remembered. Views implement it, so that the workspace restores
// and saves their state without knowledge of how they draw.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "timeline/request.h"
#include "workspace/run_model.h"

namespace dlview::workspace {

class RunLook {
 public:
  virtual ~RunLook() = default;
  // The next three take effect with the next frame. Unknown tables are ignored.
  virtual void set_table(TableState state) = 0;
  virtual void set_timeline(const timeline::Request& request) = 0;
  virtual void set_bookmarks(timeline::Bookmarks bookmarks) = 0;
  // States of the tables of a view that differ from the default.
  virtual std::vector<TableState> table_states(std::string_view view) const = 0;
  // The settings of the Timeline that differ from the default.
  virtual timeline::Request timeline_state() const = 0;
  // As set, with later changes.
  virtual const timeline::Bookmarks& bookmarks() const = 0;
};

// The looks of all open runs.
class Looks {
 public:
  virtual ~Looks() = default;
  // Made by the first call; valid until close_run().
  virtual RunLook& look(RunId run) = 0;
  // The run's profile has been closed: drops all that holds it, in the looks of other runs, too.
  virtual void clear(RunId run) = 0;
  virtual void close_run(RunId run) = 0;
  // The name of a view as it is written, "cuda_summary" for "cuda-summary"; empty = there is none.
  virtual std::string view_named(std::string_view name) const = 0;
};

}  // namespace dlview::workspace
