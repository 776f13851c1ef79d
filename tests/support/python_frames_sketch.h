// Python frames made by hand.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "profile/python_frames.h"

namespace dlview::testing {

class FrameSketch {
 public:
  explicit FrameSketch(std::vector<profile::Thread> threads) { frames_.threads = threads; }

  // Returns its row. The caller must exist.
  profile::Row frame(std::string_view name, int64_t start_ns, int64_t end_ns,
                     profile::Row caller = profile::kNoRow, profile::Row thread = 0) {
    start_ns_.push_back(start_ns);
    end_ns_.push_back(end_ns);
    name_.push_back(names_.intern(name));
    thread_.push_back(thread);
    caller_.push_back(caller);
    return static_cast<profile::Row>(start_ns_.size() - 1);
  }

  profile::PythonFrames finish() && {
    frames_.start_ns = std::move(start_ns_);
    frames_.end_ns = std::move(end_ns_);
    frames_.name = std::move(name_);
    frames_.thread = std::move(thread_);
    frames_.caller = std::move(caller_);
    frames_.names = std::move(names_).finish();
    return std::move(frames_);
  }

 private:
  profile::PythonFrames frames_;
  profile::StringTableBuilder names_;
  std::vector<int64_t> start_ns_, end_ns_;
  std::vector<profile::StringId> name_;
  std::vector<profile::Row> thread_, caller_;
};

}  // namespace dlview::testing
