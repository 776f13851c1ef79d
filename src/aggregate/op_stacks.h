// The Python call stacks in which the ops of a PyTorch trace begin: what the op itself records
// (`Call stack`, in traces until 2022), else the frames of its thread that are open at its start.
// Frames that only wrap another call are left out (profile::is_internal_frame).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "aggregate/frames_by_thread.h"
#include "profile/profile.h"
#include "profile/python_frames.h"

namespace dlview::aggregate {

// Between the frames of a call stack, outermost first.
inline constexpr std::string_view kBetweenFrames = " > ";
// So many innermost frames of a deeper stack are kept, behind kMoreFrames.
inline constexpr std::size_t kMostStackFrames = 256;
inline constexpr std::string_view kMoreFrames = "…";

class OpStacks {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;  // not recorded

  // `frames` are those of the profile's file; null = only what ops themselves record. Both must
  // outlive the object.
  explicit OpStacks(const profile::Profile& profile, const profile::PythonFrames* frames = nullptr);
  // texts_ points into numbers_.
  OpStacks(const OpStacks&) = delete;
  OpStacks& operator=(const OpStacks&) = delete;

  // The number of the stack in which the event begins, a row of Trace::nvtx, or kNone. Equal stacks
  // have one number, and so have those that differ in frames that are left out. O(frames) in all,
  // and O(kMostStackFrames) for each stack.
  uint32_t of(profile::Row event);
  // "train.py(40): main > train.py(12): step"
  const std::string& text(uint32_t stack) const { return *texts_[stack]; }

 private:
  struct Node {
    uint32_t number = kNone;  // once asked for
    profile::StringId name = 0;
    profile::Row caller = profile::kNoRow;  // a node
  };

  uint32_t number_of(std::string text);
  uint32_t recorded(profile::StringId stack);
  uint32_t of_frames(profile::Row innermost);
  profile::Row node_of(profile::Row frame);

  const profile::Profile& profile_;
  const profile::PythonFrames* frames_;
  std::optional<FramesByThread> by_thread_;
  std::unordered_map<profile::StringId, uint32_t> recorded_;  // by TraceNvtx::call_stack
  std::vector<bool> is_internal_;                             // by name of a frame
  std::vector<profile::Row> node_of_frame_;                   // kNotFound = not looked for yet
  std::unordered_map<uint64_t, profile::Row> children_;       // by node, or kNoRow, and name
  std::vector<Node> nodes_;
  std::unordered_map<std::string, uint32_t> numbers_;
  std::vector<const std::string*> texts_;  // keys of numbers_
};

}  // namespace dlview::aggregate
