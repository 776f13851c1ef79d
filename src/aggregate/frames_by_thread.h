// FramesByThread: Python frames of each thread in order of start, and which of them is open at a
// time. Takes 12 bytes a frame; the frames must outlive it.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "aggregate/range_paths.h"
#include "base/max_tree.h"
#include "profile/profile.h"
#include "profile/python_frames.h"

namespace dlview::aggregate {

class FramesByThread {
 public:
  // O(n log n).
  explicit FramesByThread(const profile::PythonFrames& frames);

  // The frame of the thread with the latest start that is open at the time, start and end included;
  // of equal starts the innermost. kNoRow = none. O(log n).
  profile::Row open_at(const profile::Thread& thread, int64_t time_ns) const;

  // Calls use(thread, row) for each frame, thread by thread, in order of start; of equal starts the
  // outermost comes first.
  template <typename Use>
  void for_each(const Use& use) const {
    for (const auto& [key, of_thread] : threads_) {
      for (auto row = of_thread.rows.rbegin(); row != of_thread.rows.rend(); ++row) use(key, *row);
    }
  }

 private:
  // The latest start first, so that a search for the next frame that ends late enough goes back in
  // time.
  struct Frames {
    std::vector<profile::Row> rows;
    base::MaxTree ends;
  };
  int64_t end_of(profile::Row row) const { return frames_.end_ns[row]; }

  const profile::PythonFrames& frames_;
  std::map<ThreadKey, Frames> threads_;
};

// LaunchingFrames: the Python frame to which the time of a kernel belongs. Both outlive it.
class LaunchingFrames {
 public:
  LaunchingFrames(const profile::Profile& profile, const FramesByThread& by_thread);

  // The innermost frame open on the launching thread when the launching call starts. kNoRow = none,
  // or the launch is not recorded. O(log n).
  profile::Row of(profile::KernelIndex kernel) const;

 private:
  const profile::Profile& profile_;
  const FramesByThread& by_thread_;
  std::vector<bool> has_launch_;  // by op
};

}  // namespace dlview::aggregate
