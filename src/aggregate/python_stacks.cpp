#include "aggregate/python_stacks.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <utility>

#include "aggregate/frames_by_thread.h"
#include "aggregate/iterations.h"
#include "aggregate/row_filter.h"
#include "base/intervals.h"
#include "base/stop_point.h"

namespace dlview::aggregate {
namespace {

using profile::KernelIndex;
using profile::kNoRow;
using profile::Profile;
using profile::PythonFrameIndex;
using profile::PythonFrames;
using profile::Row;
using profile::StringId;

constexpr std::size_t kFramesBetweenStops = 4096;

// The host time of the range: from its first iteration to its last.
base::Interval host_time_of(const Aggregation& aggregation) {
  const std::vector<Iteration>& iterations = aggregation.iteration_table->iterations.rows;
  const IterationRange& range = aggregation.selection.range;
  return {iterations[static_cast<std::size_t>(range.first)].host_time().start_ns,
          iterations[static_cast<std::size_t>(range.last)].host_time().stop_ns};
}

class StackSums {
 public:
  StackSums(const Profile& profile, const Aggregation& aggregation, const PythonFrames& frames,
            const StackOptions& options)
      : profile_(profile),
        aggregation_(aggregation),
        frames_(frames),
        time_(host_time_of(aggregation)) {
    find_callers(options.hides_internal);
  }

  PythonStacks finish() {
    add_host_times();
    add_gpu_times();
    add_to_callers();
    add_functions();
    return std::move(stacks_);
  }

 private:
  void find_callers(bool hides_internal);
  // Creates the nodes around it, too.
  Row node_of(Row frame);
  Row child_node(Row caller, StringId name);
  // The part of the frame in the range; nullopt = none.
  std::optional<base::Interval> part_of(Row frame) const;
  void add_host_times();
  void add_gpu_times();
  void add_to_callers();
  void add_functions();
  bool calls_itself(Row frame) const;
  void take_folded_out(std::unordered_map<StringId, std::size_t>& places);

  const Profile& profile_;
  const Aggregation& aggregation_;
  const PythonFrames& frames_;
  const base::Interval time_;
  std::vector<bool> is_hidden_;       // by name
  std::vector<Row> callers_;          // by frame: the next one around it that is not hidden
  std::vector<Row> nodes_;            // by frame; kNoRow = not created yet
  std::map<Row, StackTimes> folded_;  // by frame, of those in the node of a frame around them
  // By node: whether the same function is around it, and how many nodes are.
  std::vector<bool> is_recursive_;
  std::vector<uint32_t> levels_;
  std::unordered_map<uint64_t, Row> children_;  // by node, or kNoRow, and name
  PythonStacks stacks_;
};

void StackSums::find_callers(bool hides_internal) {
  is_hidden_.resize(frames_.names.size());
  for (StringId name = 0; hides_internal && name < is_hidden_.size(); ++name) {
    is_hidden_[name] = profile::is_internal_frame(frames_.names[name]);
  }
  callers_.resize(frames_.size());
  nodes_.assign(frames_.size(), kNoRow);
  for (std::size_t frame = 0; frame < frames_.size(); ++frame) {
    if (frame % kFramesBetweenStops == 0) base::stop_point();
    const Row caller = frames_.caller[frame];
    const bool is_found = caller == kNoRow || !is_hidden_[frames_.name[caller]];
    callers_[frame] = is_found ? caller : callers_[caller];
  }
}

Row StackSums::child_node(Row caller, StringId name) {
  const auto next = static_cast<Row>(stacks_.nodes.size());
  const auto [known, is_new] = children_.try_emplace(uint64_t{caller} << 32U | name, next);
  if (!is_new) return known->second;
  bool is_recursive = false;
  for (Row each = caller; each != kNoRow && !is_recursive; each = stacks_.nodes[each].caller) {
    is_recursive = stacks_.nodes[each].name == name;
  }
  stacks_.nodes.push_back({name, caller, {}});
  is_recursive_.push_back(is_recursive);
  levels_.push_back(caller == kNoRow ? 0 : levels_[caller] + 1);
  return next;
}

Row StackSums::node_of(Row frame) {
  std::vector<Row> open;
  for (Row each = frame; each != kNoRow && nodes_[each] == kNoRow; each = callers_[each]) {
    open.push_back(each);
  }
  for (; !open.empty(); open.pop_back()) {
    const Row each = open.back();
    const Row around = callers_[each] == kNoRow ? kNoRow : nodes_[callers_[each]];
    const bool is_folded = around != kNoRow && levels_[around] + 1 == kMostStackLevels;
    if (is_folded) folded_.try_emplace(each);
    nodes_[each] = is_folded ? around : child_node(around, frames_.name[each]);
  }
  return nodes_[frame];
}

std::optional<base::Interval> StackSums::part_of(Row frame) const {
  const base::Interval part{std::max(frames_.start_ns[frame], time_.start_ns),
                            std::min(frames_.end_ns[frame], time_.stop_ns)};
  if (part.start_ns > part.stop_ns) return std::nullopt;
  return part;
}

void StackSums::add_host_times() {
  // The frames that each frame calls: rows of called[first[i]] to called[first[i + 1]], by start.
  std::vector<Row> first(frames_.size() + 1), called(frames_.size());
  const auto is_counted = [this](Row frame) {
    return !is_hidden_[frames_.name[frame]] && part_of(frame).has_value();
  };
  for (Row frame = 0; frame < frames_.size(); ++frame) {
    if (callers_[frame] != kNoRow && is_counted(frame)) ++first[callers_[frame] + 1];
  }
  std::partial_sum(first.begin(), first.end(), first.begin());
  std::vector<Row> next = first;
  for (Row frame = 0; frame < frames_.size(); ++frame) {
    if (callers_[frame] != kNoRow && is_counted(frame)) called[next[callers_[frame]]++] = frame;
  }
  for (Row frame = 0; frame < frames_.size(); ++frame) {
    if (frame % kFramesBetweenStops == 0) base::stop_point();
    if (!is_counted(frame)) continue;
    const base::Interval part = *part_of(frame);
    const auto begin = called.begin() + first[frame], end = called.begin() + first[frame + 1];
    std::sort(begin, end,
              [this](Row a, Row b) { return frames_.start_ns[a] < frames_.start_ns[b]; });
    int64_t called_ns = 0, covered_to_ns = part.start_ns;
    for (auto each = begin; each != end; ++each) {
      const int64_t from_ns = std::max(covered_to_ns, frames_.start_ns[*each]);
      const int64_t to_ns = std::min(part.stop_ns, frames_.end_ns[*each]);
      if (from_ns >= to_ns) continue;
      called_ns += to_ns - from_ns;
      covered_to_ns = to_ns;
    }
    StackTimes& times = stacks_.nodes[node_of(frame)].times;
    const int64_t total_ns = part.stop_ns - part.start_ns;
    ++times.calls;
    times.host_self_ns += total_ns - called_ns;
    const auto folded = folded_.find(frame);
    if (folded == folded_.end()) {
      times.host_total_ns += total_ns;
    } else {
      folded->second.calls = 1;
      folded->second.host_total_ns = total_ns;
      folded->second.host_self_ns = total_ns - called_ns;
    }
  }
}

void StackSums::add_gpu_times() {
  const FramesByThread by_thread(frames_);
  const std::vector<Iteration>& iterations = aggregation_.iteration_table->iterations.rows;
  const IterationRange& range = aggregation_.selection.range;
  const auto& first_kernel = profile_.instances.first_kernel;
  const RowFilter filter(profile_, aggregation_.selection.filters);
  const LaunchingFrames launching(profile_, by_thread);
  const KernelIndex end =
      first_kernel[iterations[static_cast<std::size_t>(range.last)].last_instance];
  for (KernelIndex kernel =
           first_kernel[iterations[static_cast<std::size_t>(range.first)].first_instance];
       kernel < end; ++kernel) {
    if (kernel % kFramesBetweenStops == 0) base::stop_point();
    if (!filter.counts_kernel(kernel)) continue;
    Row frame = launching.of(kernel);
    if (frame != kNoRow && is_hidden_[frames_.name[frame]]) frame = callers_[frame];
    if (frame == kNoRow) continue;
    const int64_t ns = profile_.kernels.gpu_stop_ns[kernel] - profile_.kernels.gpu_start_ns[kernel];
    stacks_.nodes[node_of(frame)].times.gpu_self_ns += ns;
    const auto folded = folded_.find(frame);
    if (folded != folded_.end()) folded->second.gpu_self_ns += ns;
  }
}

void StackSums::add_to_callers() {
  for (std::size_t node = stacks_.nodes.size(); node-- > 0;) {
    StackTimes& times = stacks_.nodes[node].times;
    times.gpu_total_ns += times.gpu_self_ns;
    const Row caller = stacks_.nodes[node].caller;
    if (caller != kNoRow) stacks_.nodes[caller].times.gpu_total_ns += times.gpu_total_ns;
  }
}

// Whether the same function is around the frame; as far out as the tree is deep.
bool StackSums::calls_itself(Row frame) const {
  Row each = callers_[frame];
  for (uint32_t level = 0; each != kNoRow && level < kMostStackLevels; ++level) {
    if (frames_.name[each] == frames_.name[frame]) return true;
    each = callers_[each];
  }
  return false;
}

// From the functions of the nodes that have them to their own.
void StackSums::take_folded_out(std::unordered_map<StringId, std::size_t>& places) {
  // Callers come before the frames that they call.
  for (auto each = folded_.rbegin(); each != folded_.rend(); ++each) {
    each->second.gpu_total_ns += each->second.gpu_self_ns;
    const auto caller = folded_.find(callers_[each->first]);
    if (caller != folded_.end()) caller->second.gpu_total_ns += each->second.gpu_total_ns;
  }
  for (const auto& [frame, times] : folded_) {
    if (frame % kFramesBetweenStops == 0) base::stop_point();
    StackTimes& around = stacks_.functions[places.at(stacks_.nodes[nodes_[frame]].name)].times;
    around.calls -= times.calls;
    around.host_self_ns -= times.host_self_ns;
    around.gpu_self_ns -= times.gpu_self_ns;
    const StringId name = frames_.name[frame];
    const auto [place, is_new] = places.try_emplace(name, stacks_.functions.size());
    if (is_new) stacks_.functions.push_back({name, {}});
    StackTimes& own = stacks_.functions[place->second].times;
    own.calls += times.calls;
    own.host_self_ns += times.host_self_ns;
    own.gpu_self_ns += times.gpu_self_ns;
    if (calls_itself(frame)) continue;
    own.host_total_ns += times.host_total_ns;
    own.gpu_total_ns += times.gpu_total_ns;
  }
}

void StackSums::add_functions() {
  std::unordered_map<StringId, std::size_t> places;
  for (std::size_t node = 0; node < stacks_.nodes.size(); ++node) {
    const StackNode& from = stacks_.nodes[node];
    const auto [place, is_new] = places.try_emplace(from.name, stacks_.functions.size());
    if (is_new) stacks_.functions.push_back({from.name, {}});
    StackTimes& times = stacks_.functions[place->second].times;
    times.calls += from.times.calls;
    times.host_self_ns += from.times.host_self_ns;
    times.gpu_self_ns += from.times.gpu_self_ns;
    if (is_recursive_[node]) continue;
    times.host_total_ns += from.times.host_total_ns;
    times.gpu_total_ns += from.times.gpu_total_ns;
  }
  take_folded_out(places);
}

}  // namespace

PythonStacks add_up_stacks(const Profile& profile, const Aggregation& aggregation,
                           const PythonFrames& frames, const StackOptions& options) {
  return StackSums(profile, aggregation, frames, options).finish();
}

}  // namespace dlview::aggregate
