// OpColours: which ops of a run are coloured, by type, name or direction: those names on which the
// GPUs spent most time have a hue each, all others share one colour. Pure; immutable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "profile/profile.h"
#include "ui/timeline/command.h"

namespace dlview::ui::timeline {

class OpColours {
 public:
  static constexpr uint8_t kOther = UINT8_MAX;

  // Of the whole run, whatever is selected, so that colours stay. `by` is no category. By the time
  // of kernels, a plain sum; in a run without any by the time on the CPU. Uses all cores.
  OpColours(const profile::Profile& profile, ColourBy by);

  // Of its op: a hue, or kOther.
  uint8_t of_instance(profile::Row instance) const { return of_instance_[instance]; }
  struct Entry {
    std::string name;
    uint8_t hue = 0;
    int64_t time_ns = 0;
  };
  const std::vector<Entry>& entries() const { return entries_; }  // the longest first
  bool has_others() const { return has_others_; }

 private:
  std::vector<uint8_t> of_instance_;  // so that a frame's many events ask no more than they must
  std::vector<Entry> entries_;
  bool has_others_ = false;
};

}  // namespace dlview::ui::timeline
