#include "ui/timeline/group_instances.h"

#include <string>
#include <unordered_map>

namespace dlview::ui::timeline {

using profile::kNoRow;
using profile::Row;

GroupInstances::GroupInstances(const profile::Profile& profile, const aggregate::GroupTree& tree)
    : profile_(profile), ranges_(tree.groups.size()), last_box_(profile.ops.size(), kNoRow) {
  std::unordered_map<profile::StringId, Row> group_of_path;
  for (Row row = 0; row < profile.user_ranges.size(); ++row) {
    const profile::StringId path = profile.user_ranges.path[row];
    const auto [entry, is_new] = group_of_path.try_emplace(path, kNoRow);
    if (is_new) {
      const std::string name = std::string(profile.text(path)) + "/";
      entry->second = aggregate::find_group(profile, tree, name);
    }
    if (entry->second != kNoRow) ranges_[entry->second].rows.push_back(row);
  }
}

void GroupInstances::begin(Row thread) {
  thread_ = thread;
  ++pass_;
}

bool GroupInstances::is_open(Row range, int64_t time_ns) const {
  if (range == kNoRow) return false;
  const int64_t start_ns = profile_.user_ranges.start_ns[range];
  const int64_t stop_ns = profile_.user_ranges.stop_ns[range];
  return start_ns <= time_ns && (time_ns < stop_ns || start_ns == time_ns);
}

Row GroupInstances::range_at(Row group, int64_t start_ns) {
  Ranges& found = ranges_[group];
  const profile::UserRanges& all = profile_.user_ranges;
  if (found.pass != pass_) {
    found.pass = pass_;
    found.next = 0;
    found.own = found.other = kNoRow;
  }
  while (found.next < found.rows.size() && all.start_ns[found.rows[found.next]] <= start_ns) {
    const Row range = found.rows[found.next++];
    const Row thread = all.thread[range];
    if (thread == thread_) {
      found.own = range;
    } else if (profile_.threads[thread].process_id == profile_.threads[thread_].process_id &&
               !is_open(found.other, all.start_ns[range])) {
      found.other = range;
    }
  }
  if (is_open(found.own, start_ns)) return found.own;
  return is_open(found.other, start_ns) ? found.other : kNoRow;
}

}  // namespace dlview::ui::timeline
