#include "aggregate/op_stacks.h"

#include <utility>

namespace dlview::aggregate {
namespace {

using profile::kNoRow;
using profile::Row;
using profile::StringId;
using std::string_view;

// "main > step" of "step;main".
std::string outermost_first(string_view recorded) {
  std::string text;
  for (bool more = true; more;) {
    const std::size_t last = recorded.rfind(';');
    more = last != string_view::npos;
    const string_view frame = more ? recorded.substr(last + 1) : recorded;
    recorded = recorded.substr(0, more ? last : 0);
    if (frame.empty() || profile::is_internal_frame(frame)) continue;
    if (!text.empty()) text += kBetweenFrames;
    text += frame;
  }
  return text;
}

}  // namespace

OpStacks::OpStacks(const profile::Profile& profile, const profile::PythonFrames* frames)
    : profile_(profile), frames_(frames) {
  if (frames_ == nullptr) return;
  by_thread_.emplace(*frames_);
  for (StringId name = 0; name < frames_->names.size(); ++name) {
    is_internal_.push_back(profile::is_internal_frame(frames_->names[name]));
  }
  node_of_frame_.assign(frames_->size(), kNoRow);
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
  return recorded_[stack] = number_of(outermost_first(profile_.text(stack)));
}

// Frames with the same name and the same frames around them have one node. Of an internal frame it
// is that of its caller; kNoRow where no frame is left.
Row OpStacks::node_of(Row frame) {
  std::vector<Row> open;
  for (Row each = frame; each != kNoRow; each = frames_->caller[each]) {
    if (!is_internal_[frames_->name[each]]) open.push_back(each);
    if (!open.empty() && open.back() == each && node_of_frame_[each] != kNoRow) break;
  }
  Row node = kNoRow;
  for (; !open.empty(); open.pop_back()) {
    Row& known = node_of_frame_[open.back()];
    if (known == kNoRow) {
      const StringId name = frames_->name[open.back()];
      const auto [child, is_new] =
          children_.try_emplace(uint64_t{node} << 32U | name, static_cast<Row>(nodes_.size()));
      if (is_new) nodes_.push_back({kNone, name, node});
      known = child->second;
    }
    node = known;
  }
  return node;
}

uint32_t OpStacks::of_frames(Row innermost) {
  const Row node = node_of(innermost);
  if (node == kNoRow) return kNone;
  if (nodes_[node].number != kNone) return nodes_[node].number;
  std::string text;
  for (Row each = node; each != kNoRow; each = nodes_[each].caller) {
    std::string outer(frames_->names[nodes_[each].name]);
    if (!text.empty()) outer.append(kBetweenFrames).append(text);
    text = std::move(outer);
  }
  return nodes_[node].number = number_of(std::move(text));
}

}  // namespace dlview::aggregate
