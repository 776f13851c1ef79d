// GroupInstances: tells instances of a group of ops apart. "/step/" is the group of all ops in
// ranges "step"; its instances are these ranges. Where no range of its name is open, as in DLProf
// databases, an instance ends before an op of it occurs again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "aggregate/group_tree.h"
#include "profile/profile.h"

namespace dlview::ui::timeline {

class GroupInstances {
 public:
  // Both must outlive the object.
  GroupInstances(const profile::Profile& profile, const aggregate::GroupTree& tree);

  // Before ops of a thread, a row of Profile::threads, in order of start.
  void begin(profile::Row thread);
  // The row of the user range of that group's path that is open when the op begins, on the op's
  // thread or else on another one of its process; kNoRow = none.
  profile::Row range_at(profile::Row group, int64_t start_ns);

  // Whether the box with that number holds an instance of the op.
  bool holds(profile::Row box, profile::Row op) const { return last_box_[op] == box; }
  void put(profile::Row op, profile::Row box) { last_box_[op] = box; }

 private:
  struct Ranges {
    std::vector<profile::Row> rows;  // in order of start
    std::size_t pass = 0;            // of begin(), that the others are of
    std::size_t next = 0;            // the first that begins later
    profile::Row own = profile::kNoRow, other = profile::kNoRow;  // that began last
  };
  bool is_open(profile::Row range, int64_t time_ns) const;

  const profile::Profile& profile_;
  std::vector<Ranges> ranges_;          // by row of GroupTree::groups
  std::vector<profile::Row> last_box_;  // by row of Profile::ops
  std::size_t pass_ = 0;
  profile::Row thread_ = 0;
};

}  // namespace dlview::ui::timeline
