#include "timeline/line.h"

#include <algorithm>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/sort_runs.h"
#include "base/stop_point.h"

namespace dlview::timeline {
namespace {

using profile::kNoRow;
using profile::OpIndex;
using profile::Profile;
using profile::Row;
using profile::ThreadIndex;
using profile::UserRangeIndex;

struct TimedEvent {
  base::Interval time;
  EventRef event;
};

// The longer of two that start together comes first.
bool comes_before(const base::Interval& a, const base::Interval& b) {
  return a.start_ns != b.start_ns ? a.start_ns < b.start_ns : a.stop_ns > b.stop_ns;
}

// Lines by the time until which they are taken, in a tree whose nodes know the earliest below them.
class FreeLines {
 public:
  // Takes the uppermost that is free from start_ns on.
  uint32_t take(int64_t start_ns, int64_t stop_ns) {
    if (until_[1] > start_ns) grow();
    std::size_t node = 1;
    while (node < leaves_) {
      node *= 2;
      if (until_[node] > start_ns) ++node;
    }
    const auto line = static_cast<uint32_t>(node - leaves_);
    until_[node] = stop_ns;
    while (node > 1) {
      node /= 2;
      until_[node] = std::min(until_[2 * node], until_[2 * node + 1]);
    }
    return line;
  }

 private:
  void grow() {
    std::vector<int64_t> larger(4 * leaves_, INT64_MIN);
    leaves_ *= 2;
    std::copy_n(until_.end() - static_cast<std::ptrdiff_t>(leaves_ / 2), leaves_ / 2,
                larger.begin() + static_cast<std::ptrdiff_t>(leaves_));
    for (std::size_t node = leaves_ - 1; node > 0; --node) {
      larger[node] = std::min(larger[2 * node], larger[2 * node + 1]);
    }
    until_ = std::move(larger);
  }

  std::size_t leaves_ = 1;
  std::vector<int64_t> until_ = std::vector<int64_t>(2, INT64_MIN);  // the root is node 1
};

// Events by line; the vector that came in is used where one line holds all.
std::vector<std::vector<EventRef>> by_line(std::vector<EventRef> sorted, const Events& source) {
  std::vector<std::vector<EventRef>> lines;
  const auto overlap = [&source](EventRef a, EventRef b) {
    return source.start_ns(b) < source.time(a).stop_ns;
  };
  if (std::ranges::adjacent_find(sorted, overlap) == sorted.end()) {
    lines.push_back(std::move(sorted));
    return lines;
  }
  const std::vector<uint32_t> line_of = spread(sorted, source);
  lines.resize(*std::ranges::max_element(line_of) + 1);
  for (std::size_t i = 0; i < sorted.size(); ++i) lines[line_of[i]].push_back(sorted[i]);
  return lines;
}

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

// The boxes of groups above ops of one thread that do not overlap; a group that holds all ops would
// say nothing. A box holds ops of one instance of its group (docs/dev/spec.md 70).
class Icicle {
 public:
  Icicle(Events& source, GroupInstances& instances, int32_t shared)
      : source_(source), instances_(instances), shared_level_(shared) {}

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
  std::vector<Line> lines() const {
    std::vector<Line> lines;
    for (const std::vector<EventRef>& level : levels_) lines.emplace_back(level, source_);
    return lines;
  }

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
    for (Row group = tree.group_of_op[op]; group != kNoRow; group = tree.groups[group].parent) {
      const aggregate::Group& found = tree.groups[group];
      if (found.name_length <= 1 || found.level <= shared_level_) continue;
      groups_.push_back({group, instances_.range_at(group, start_ns), 0});
    }
    std::ranges::reverse(groups_);
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
  std::vector<std::vector<EventRef>> levels_;
  std::vector<OpenGroup> groups_;  // of the op at hand
  std::vector<OpenGroup> open_;
};

}  // namespace

Line::Line(const std::vector<EventRef>& events, const Events& source) {
  rows_.reserve(events.size());
  kinds_.reserve(events.size());
  for (const EventRef event : events) {
    rows_.push_back(event.row);
    const auto category = static_cast<unsigned>(source.category(event));
    kinds_.push_back(
        static_cast<uint8_t>(category << kKindBits | static_cast<uint8_t>(event.kind)));
    categories_ |= uint32_t{1} << category;
  }
  runs_ = Runs(events.size(), times(source));
  bins_ =
      TimeBins(events.size(), [&](std::size_t place) { return runs_.time(place, times(source)); });
  static_assert(kCategoryCount <= FoldHues::kHues);
  fold_hues_ = FoldHues(
      bins_, [&](std::size_t place) { return length_ns(place, source); },
      [&](std::size_t place) { return static_cast<uint8_t>(category(place)); });
}

std::size_t Line::find(EventRef event, const Events& source) const {
  const base::Interval time = source.time(event);
  std::size_t same_time = size();
  for (std::size_t place = first_from(time.start_ns, source); place < size(); ++place) {
    const base::Interval here = source.time((*this)[place]);
    if (here.start_ns != time.start_ns) break;
    if ((*this)[place] == event) return place;
    if (is_call(event.kind) && is_call((*this)[place].kind) && here == time) same_time = place;
  }
  return same_time;
}

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

void sort_by_time(std::vector<EventRef>& events, const Events& source) {
  const auto is_out_of_order = [&source](EventRef a, EventRef b) {
    return comes_before(source.time(b), source.time(a));
  };
  if (std::ranges::adjacent_find(events, is_out_of_order) == events.end()) return;
  std::vector<TimedEvent> timed;
  timed.reserve(events.size());
  for (const EventRef event : events) {
    base::stop_point();
    timed.push_back({source.time(event), event});
  }
  base::sort_runs(std::span(timed), [](const TimedEvent& a, const TimedEvent& b) {
    return comes_before(a.time, b.time);
  });
  for (std::size_t i = 0; i < events.size(); ++i) events[i] = timed[i].event;
}

std::vector<uint32_t> spread(const std::vector<EventRef>& sorted, const Events& source) {
  std::vector<uint32_t> line_of;
  line_of.reserve(sorted.size());
  FreeLines lines;
  for (const EventRef event : sorted) {
    base::stop_point();
    const base::Interval time = source.time(event);
    line_of.push_back(lines.take(time.start_ns, time.stop_ns));
  }
  return line_of;
}

std::vector<Line> arrange(std::vector<EventRef> sorted, const Events& source) {
  if (sorted.empty()) return {};
  std::vector<Line> lines;
  for (const std::vector<EventRef>& line : by_line(std::move(sorted), source)) {
    base::stop_point();
    lines.emplace_back(line, source);
  }
  return lines;
}

std::vector<Line> arrange_ops(std::vector<EventRef> ops, GroupInstances& instances,
                              Events& source) {
  sort_by_time(ops, source);
  const int32_t shared = shared_level(source.group_tree());
  std::vector<Line> lines;
  for (const std::vector<EventRef>& track : by_line(std::move(ops), source)) {
    instances.begin(source.profile().instances.thread[track.front().row]);
    Icicle icicle(source, instances, shared);
    for (const EventRef op : track) {
      base::stop_point();
      icicle.add(op);
    }
    std::ranges::move(icicle.lines(), std::back_inserter(lines));
  }
  return lines;
}

}  // namespace dlview::timeline
