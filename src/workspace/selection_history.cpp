#include "workspace/selection_history.h"

namespace dlview::workspace {
namespace {

constexpr std::size_t kMaxSteps = 500;

}  // namespace

void SelectionHistory::begin(const aggregate::Selection& first) {
  visited_ = {first};
  present_ = 0;
  end_gesture();
}

void SelectionHistory::visit(const aggregate::Selection& selection, int64_t gesture) {
  if (visited_.empty()) return begin(selection);
  if (visited_[present_] == selection) return;
  visited_.resize(present_ + 1);
  if (gesture == gesture_) {
    visited_.back() = selection;
    return;
  }
  visited_.push_back(selection);
  if (visited_.size() > kMaxSteps) visited_.erase(visited_.begin());
  present_ = visited_.size() - 1;
  gesture_ = gesture;
}

const aggregate::Selection* SelectionHistory::back() {
  if (!can_go_back()) return nullptr;
  end_gesture();
  return &visited_[--present_];
}

const aggregate::Selection* SelectionHistory::forward() {
  if (!can_go_forward()) return nullptr;
  end_gesture();
  return &visited_[++present_];
}

}  // namespace dlview::workspace
