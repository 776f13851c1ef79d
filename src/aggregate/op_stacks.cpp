#include "aggregate/op_stacks.h"

#include <algorithm>
#include <span>
#include <utility>

#include "aggregate/host_events.h"
#include "base/stop_point.h"

namespace dlview::aggregate {
namespace {

using profile::kNoRow;
using profile::Row;
using profile::StringId;
using std::string_view;

// Frames of node_of_frame_ that were not looked for yet; kNoRow are those without a node.
constexpr Row kNotFound = kNoRow - 1;

// "main > step" of "step" and "main", of which kMostStackFrames + 1 are enough.
std::string outermost_first(std::span<const string_view> innermost_first) {
  std::string text;
  if (innermost_first.size() > kMostStackFrames) {
    text = kMoreFrames;
    innermost_first = innermost_first.first(kMostStackFrames);
  }
  for (std::size_t i = innermost_first.size(); i-- > 0;) {
    if (!text.empty()) text += kBetweenFrames;
    text += innermost_first[i];
  }
  return text;
}

// The frames of "step;main".
std::vector<string_view> recorded_frames(string_view recorded) {
  std::vector<string_view> frames;
  while (!recorded.empty() && frames.size() <= kMostStackFrames) {
    const string_view frame = recorded.substr(0, recorded.find(';'));
    recorded.remove_prefix(std::min(frame.size() + 1, recorded.size()));
    if (!frame.empty() && !profile::is_internal_frame(frame)) frames.push_back(frame);
  }
  return frames;
}

}  // namespace

OpStacks::OpStacks(const profile::Profile& profile, const profile::PythonFrames* frames)
    : profile_(profile), frames_(frames) {
  if (frames_ == nullptr) return;
  by_thread_.emplace(*frames_);
  for (StringId name = 0; name < frames_->names.size(); ++name) {
    is_internal_.push_back(profile::is_internal_frame(frames_->names[name]));
  }
  node_of_frame_.assign(frames_->size(), kNotFound);
}

uint32_t OpStacks::of(Row event) {
  const profile::TraceNvtx& events = profile_.trace->nvtx;
  if (event < events.call_stack.size() && events.call_stack[event] != profile::kNoText) {
    return recorded(events.call_stack[event]);
  }
  if (!by_thread_) return kNone;
  const profile::Thread thread = profile_.trace->numbers_of(events.thread[event]);
  const Row frame = by_thread_->open_at(thread, events.start_ns[event]);
  return frame == kNoRow ? kNone : of_frames(frame);
}

uint32_t OpStacks::number_of(std::string text) {
  if (text.empty()) return kNone;
  const auto [known, is_new] =
      numbers_.try_emplace(std::move(text), static_cast<uint32_t>(texts_.size()));
  if (is_new) texts_.push_back(&known->first);
  return known->second;
}

uint32_t OpStacks::recorded(StringId stack) {
  const auto known = recorded_.find(stack);
  if (known != recorded_.end()) return known->second;
  return recorded_[stack] = number_of(outermost_first(recorded_frames(profile_.text(stack))));
}

// Frames with the same name and the same frames around them have one node. Of an internal frame it
// is that of its caller; kNoRow where no frame is left.
Row OpStacks::node_of(Row frame) {
  std::vector<Row> open;  // without a node as yet
  Row known = frame;
  for (; known != kNoRow && node_of_frame_[known] == kNotFound; known = frames_->caller[known]) {
    open.push_back(known);
  }
  Row node = known == kNoRow ? kNoRow : node_of_frame_[known];
  for (; !open.empty(); open.pop_back()) {
    if (open.size() % kEventsBetweenStops == 0) base::stop_point();
    const StringId name = frames_->name[open.back()];
    if (!is_internal_[name]) {
      const auto [child, is_new] =
          children_.try_emplace(uint64_t{node} << 32U | name, static_cast<Row>(nodes_.size()));
      if (is_new) nodes_.push_back({kNone, name, node});
      node = child->second;
    }
    node_of_frame_[open.back()] = node;
  }
  return node;
}

uint32_t OpStacks::of_frames(Row innermost) {
  const Row node = node_of(innermost);
  if (node == kNoRow) return kNone;
  if (nodes_[node].number != kNone) return nodes_[node].number;
  base::stop_point();
  std::vector<string_view> open;
  for (Row each = node; each != kNoRow && open.size() <= kMostStackFrames;
       each = nodes_[each].caller) {
    open.push_back(frames_->names[nodes_[each].name]);
  }
  return nodes_[node].number = number_of(outermost_first(open));
}

}  // namespace dlview::aggregate
