#include "timeline/range_tree.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/stop_point.h"
#include "profile/recorded.h"

namespace dlview::timeline {
namespace {

using profile::InstanceIndex;
using profile::kNoRow;
using profile::OpIndex;
using profile::Profile;
using profile::Row;
using profile::ThreadIndex;
using profile::UserRangeIndex;

// The level of the innermost group that holds all ops; 0 when none does.
int32_t shared_level(const aggregate::GroupTree& tree) {
  if (tree.group_of_op.empty()) return 0;
  Row shared = tree.group_of_op.front();
  for (const Row innermost : tree.group_of_op) {
    Row group = innermost;
    while (group != shared) {
      if (group == kNoRow || shared == kNoRow) return 0;
      Row& deeper = tree.groups[group].level > tree.groups[shared].level ? group : shared;
      deeper = tree.groups[deeper].parent;
    }
  }
  return shared == kNoRow ? 0 : tree.groups[shared].level;
}

// Which groups have boxes: all, or only those that no range of the thread stands for.
enum class Boxes : uint8_t { all, without_own_range };

// The boxes of groups above ops of one thread that do not overlap; a group that holds all ops would
// say nothing. A box holds ops of one instance of its group (docs/dev/spec.md 70).
class Icicle {
 public:
  Icicle(Events& source, GroupInstances& instances, int32_t shared, Boxes boxes)
      : source_(source), instances_(instances), shared_level_(shared), boxes_(boxes) {}

  void add(EventRef op) {
    const base::Interval time = source_.time(op);
    const OpIndex op_row = source_.profile().instances.op[op.row];
    find_groups(op_row, time.start_ns);
    std::size_t shared = count_shared(op_row);
    for (std::size_t level = 0; level < shared; ++level) {
      source_.extend_group(open_[level].box, time.stop_ns);
    }
    open_.resize(shared);
    for (; shared < groups_.size(); ++shared) {
      groups_[shared].box = source_.add_group({time.start_ns, time.stop_ns, groups_[shared].group});
      open_.push_back(groups_[shared]);
      put(shared, {EventKind::group, open_.back().box});
    }
    if (!open_.empty()) instances_.put(op_row, open_.front().box);
    put(groups_.size(), op);
  }
  // Groups and ops by level, each in order of time.
  const std::vector<std::vector<EventRef>>& levels() const { return levels_; }

 private:
  struct OpenGroup {
    Row group = 0;
    UserRangeIndex range;  // around the ops; kNoRow = none is
    Row box = 0;           // in Events::groups()
  };

  // The op's, the outermost first; the root "/" of absolute names has no name. What stands for work
  // outside every op is in none: nothing was there that held it together.
  void find_groups(OpIndex op, int64_t start_ns) {
    const aggregate::GroupTree& tree = source_.group_tree();
    const Profile& profile = source_.profile();
    groups_.clear();
    if (profile.is_unassociated(op)) return;
    if (boxes_ == Boxes::without_own_range && has_groups_as_ranges(op)) return;
    for (Row group = tree.group_of_op[op]; group != kNoRow; group = tree.groups[group].parent) {
      const aggregate::Group& found = tree.groups[group];
      if (found.name_length <= 1 || found.level <= shared_level_) continue;
      const UserRangeIndex range = instances_.range_at(group, start_ns);
      if (boxes_ == Boxes::without_own_range && instances_.is_own(range)) continue;
      groups_.push_back({group, range, 0});
    }
    std::ranges::reverse(groups_);
  }
  // A PyTorch trace has the modules and annotations around an op as ranges of the op's thread. The
  // groups of a backward op are those of its forward op, on another thread.
  bool has_groups_as_ranges(OpIndex op) const {
    const Profile& profile = source_.profile();
    return profile::is_pytorch_trace(profile) && profile.text(profile.ops.direction[op]) != "bprop";
  }
  // Of how many open groups the instance goes on with the op. Where no range tells instances apart,
  // one ends when an op occurs again.
  std::size_t count_shared(OpIndex op) const {
    std::size_t shared = 0;
    while (shared < open_.size() && shared < groups_.size() &&
           open_[shared].group == groups_[shared].group &&
           open_[shared].range == groups_[shared].range) {
      ++shared;
    }
    if (shared == 0 || open_.front().range != kNoRow) return shared;
    return instances_.holds(open_.front().box, op) ? 0 : shared;
  }
  void put(std::size_t level, EventRef event) {
    if (levels_.size() <= level) levels_.resize(level + 1);
    levels_[level].push_back(event);
  }

  Events& source_;
  GroupInstances& instances_;
  int32_t shared_level_;
  Boxes boxes_;
  std::vector<std::vector<EventRef>> levels_;
  std::vector<OpenGroup> groups_;  // of the op at hand
  std::vector<OpenGroup> open_;
};

// Calls use(icicle) for the ops of each track, which do not overlap; `ops` are in any order.
template <typename Use>
void for_each_track(std::vector<EventRef> ops, GroupInstances& instances, Events& source,
                    Boxes boxes, const Use& use) {
  sort_by_time(ops, source);
  const int32_t shared = shared_level(source.group_tree());
  for (const std::vector<EventRef>& track : by_line(std::move(ops), source)) {
    instances.begin(source.profile().instances.thread[track.front().row]);
    Icicle icicle(source, instances, shared, boxes);
    for (const EventRef op : track) {
      base::stop_point();
      icicle.add(op);
    }
    use(icicle);
  }
}

// Takes out the ranges that are an op; of several of one time the first one is.
void take_out_ops(std::vector<EventRef>& ranges, std::vector<EventRef>& ops, Events& source) {
  sort_by_time(ranges, source);
  sort_by_time(ops, source);
  auto op = ops.begin();
  std::erase_if(ranges, [&](EventRef range) {
    const base::Interval time = source.time(range);
    while (op != ops.end() && comes_before(source.time(*op), time)) ++op;
    if (op == ops.end() || source.time(*op) != time) return false;
    source.add_recorded_range(InstanceIndex((op++)->row));
    return true;
  });
}

}  // namespace

GroupInstances::GroupInstances(const profile::Profile& profile, const aggregate::GroupTree& tree)
    : profile_(profile), ranges_(tree.groups.size()), last_box_(profile.ops.size(), kNoRow) {
  std::unordered_map<profile::StringId, Row> group_of_path;
  for (UserRangeIndex row{0}; row < profile.user_ranges.size(); ++row) {
    const profile::StringId path = profile.user_ranges.path[row];
    const auto [entry, is_new] = group_of_path.try_emplace(path, kNoRow);
    if (is_new) {
      const std::string name = std::string(profile.text(path)) + "/";
      entry->second = aggregate::find_group(profile, tree, name);
    }
    if (entry->second != kNoRow) ranges_[entry->second].rows.push_back(row);
  }
}

void GroupInstances::begin(ThreadIndex thread) {
  thread_ = thread;
  ++pass_;
}

bool GroupInstances::is_open(UserRangeIndex range, int64_t time_ns) const {
  if (range == kNoRow) return false;
  const int64_t start_ns = profile_.user_ranges.start_ns[range];
  const int64_t stop_ns = profile_.user_ranges.stop_ns[range];
  return start_ns <= time_ns && (time_ns < stop_ns || start_ns == time_ns);
}

UserRangeIndex GroupInstances::range_at(Row group, int64_t start_ns) {
  Ranges& found = ranges_[group];
  const profile::UserRanges& all = profile_.user_ranges;
  if (found.pass != pass_) {
    found.pass = pass_;
    found.next = 0;
    found.own = found.other = {};
  }
  while (found.next < found.rows.size() && all.start_ns[found.rows[found.next]] <= start_ns) {
    const UserRangeIndex range = found.rows[found.next++];
    const ThreadIndex thread = all.thread[range];
    if (thread == thread_) {
      found.own = range;
    } else if (profile_.threads[thread].process_id == profile_.threads[thread_].process_id &&
               !is_open(found.other, all.start_ns[range])) {
      found.other = range;
    }
  }
  if (is_open(found.own, start_ns)) return found.own;
  return is_open(found.other, start_ns) ? found.other : UserRangeIndex();
}

std::vector<Line> arrange_ops(std::vector<EventRef> ops, GroupInstances& instances,
                              Events& source) {
  std::vector<Line> lines;
  for_each_track(std::move(ops), instances, source, Boxes::all, [&](const Icicle& icicle) {
    for (const std::vector<EventRef>& level : icicle.levels()) lines.emplace_back(level, source);
  });
  return lines;
}

std::vector<EventRef> merge_tree(std::vector<EventRef> ops, std::vector<EventRef> ranges,
                                 GroupInstances& instances, Events& source) {
  take_out_ops(ranges, ops, source);
  if (ops.empty()) return ranges;
  std::vector<EventRef> groups, placed;
  for_each_track(std::move(ops), instances, source, Boxes::without_own_range,
                 [&](const Icicle& icicle) {
                   for (const std::vector<EventRef>& level : icicle.levels()) {
                     for (const EventRef event : level) {
                       (event.kind == EventKind::group ? groups : placed).push_back(event);
                     }
                   }
                 });
  // Of what starts and stops together the first is the outer one.
  std::vector<EventRef> all = std::move(groups);
  all.insert(all.end(), ranges.begin(), ranges.end());
  all.insert(all.end(), placed.begin(), placed.end());
  return all;
}

}  // namespace dlview::timeline
