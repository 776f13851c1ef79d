// FrameEvents: Python frames as events of the Timeline. PutFrames: the lines on which they are
// drawn, by thread: each frame below the frame that calls it. Frames of nn.Modules have no place:
// they are ranges of their thread.
//
// A frame keeps its line for itself. Clocks let a frame run into the next one of its depth by some
// 100 us: it is drawn only until that one starts. One that lies in another frame of its depth, as
// where the file has lost its caller, takes the next line that is free.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "aggregate/frame_times.h"
#include "base/intervals.h"
#include "base/large_memory.h"
#include "profile/profile.h"
#include "profile/python_frames.h"

namespace dlview::timeline {

// Immutable. Takes 20 bytes a frame beside PythonFrames.
class FrameEvents {
 public:
  // `cut_ns`: by row, how much earlier than recorded the box of a frame ends.
  FrameEvents(std::shared_ptr<const profile::PythonFrames> frames, aggregate::FrameTimes times,
              base::LargeVector<uint32_t> cut_ns);

  const profile::PythonFrames& frames() const { return *frames_; }
  base::Interval recorded_time(profile::Row row) const {
    const int64_t start_ns = frames_->start_ns[row];
    return {start_ns, std::max(start_ns, frames_->end_ns[row])};
  }
  // As it is drawn.
  base::Interval time(profile::Row row) const {
    const base::Interval recorded = recorded_time(row);
    return {recorded.start_ns, recorded.stop_ns - cut_ns_[row]};
  }
  std::string_view name(profile::Row row) const { return frames_->names[frames_->name[row]]; }
  // The nearest frame around it that has a place; kNoRow = none.
  profile::Row caller(profile::Row row) const;
  // The call of an nn.Module that the frame is in without another frame between; kNoRow = none.
  profile::Row module_around(profile::Row row) const;
  int64_t self_ns(profile::Row row) const { return times_.self_ns[row]; }
  int64_t gpu_ns(profile::Row row) const { return times_.gpu_ns[row]; }

 private:
  std::shared_ptr<const profile::PythonFrames> frames_;
  aggregate::FrameTimes times_;
  base::LargeVector<uint32_t> cut_ns_;
};

struct PutFrames {
  struct OfThread {
    profile::Thread thread;
    std::vector<std::vector<profile::Row>> lines;  // each in order of time
  };
  std::shared_ptr<const FrameEvents> events;
  std::vector<OfThread> threads;
};

// The frames are those of the profile's file.
PutFrames put_on_lines(const profile::Profile& profile,
                       std::shared_ptr<const profile::PythonFrames> frames);

}  // namespace dlview::timeline
