// The tree of a thread: its NVTX ranges and its ops, each once, with the outer ones above.
#pragma once

#include <cstddef>
#include <vector>

#include "aggregate/group_tree.h"
#include "profile/profile.h"
#include "timeline/event.h"
#include "timeline/line.h"

namespace dlview::timeline {

// Tells instances of a group of ops apart. "/step/" is the group of all ops in ranges "step"; its
// instances are these ranges. Where no range of its name is open, as in DLProf databases, an
// instance ends before an op of it occurs again.
class GroupInstances {
 public:
  // Both must outlive the object.
  GroupInstances(const profile::Profile& profile, const aggregate::GroupTree& tree);

  // Before ops of a thread, a row of Profile::threads, in order of start.
  void begin(profile::ThreadIndex thread);
  // The row of the user range of that group's path that is open when the op begins, on the op's
  // thread or else on another one of its process; kNoRow = none.
  profile::UserRangeIndex range_at(profile::Row group, int64_t start_ns);
  // Whether the range is one of the thread of begin().
  bool is_own(profile::UserRangeIndex range) const {
    return range != profile::kNoRow && profile_.user_ranges.thread[range] == thread_;
  }

  // Whether the box with that number holds an instance of the op.
  bool holds(profile::Row box, profile::OpIndex op) const { return last_box_[op] == box; }
  void put(profile::OpIndex op, profile::Row box) { last_box_[op] = box; }

 private:
  struct Ranges {
    std::vector<profile::UserRangeIndex> rows;  // in order of start
    std::size_t pass = 0;                       // of begin(), that the others are of
    std::size_t next = 0;                       // the first that begins later
    profile::UserRangeIndex own, other;         // that began last
  };
  bool is_open(profile::UserRangeIndex range, int64_t time_ns) const;

  const profile::Profile& profile_;
  std::vector<Ranges> ranges_;          // by row of GroupTree::groups
  std::vector<profile::Row> last_box_;  // by row of Profile::ops
  std::size_t pass_ = 0;
  profile::ThreadIndex thread_{0};
};

// Arranges ops of a thread without ranges, in any order: the outermost group is on the first line,
// each op is below its innermost group. Groups that hold all ops have no box. Neighbors in one
// instance of a group share its box, unless ops overlap: these get lines of their own further down.
// Adds the boxes of groups to `source`.
std::vector<Line> arrange_ops(std::vector<EventRef> ops, GroupInstances& instances, Events& source);

// Returns the events of a thread's tree, for sort_by_time() and arrange(). `ranges` are its NVTX
// ranges; both are in any order. A range with the start and stop of an op is left out: the op
// stands for both, and `source` knows it as a recorded range. A group of ops has a box only where
// no range of the thread stands for it.
std::vector<EventRef> merge_tree(std::vector<EventRef> ops, std::vector<EventRef> ranges,
                                 GroupInstances& instances, Events& source);

}  // namespace dlview::timeline
