// Which Python frame of a thread is open at a time.
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
  // The frames must outlive the object. O(n log n).
  explicit FramesByThread(const profile::PythonFrames& frames);

  // The frame of the thread with the latest start that is open at the time, start and end included;
  // of equal starts the innermost. kNoRow = none. O(log n).
  profile::Row open_at(const profile::Thread& thread, int64_t time_ns) const;

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

}  // namespace dlview::aggregate
