// OpColors: which ops of a run are colored, by type, name or direction: those names on which the
// GPUs spent most time have a hue each, all others share one color. Looked up for each event once,
// so that a frame's many events ask no more than they must. Pure; immutable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "timeline/lanes.h"
#include "timeline/request.h"
#include "ui/theme.h"

namespace dlview::ui {

class OpColors {
 public:
  // Behind the hues of ops: a group of them, and whatever has no hue of its own.
  static constexpr uint8_t kGroup = kHueCount, kOther = kHueCount + 1;

  // Of the whole run, whatever is selected, so that colors stay. `by` is no category. By the time
  // of kernels, a plain sum; in a run without any by the time on the CPU. Uses all cores.
  OpColors(std::shared_ptr<const timeline::Lanes> lanes, timeline::ColorBy by);

  const std::shared_ptr<const timeline::Lanes>& lanes() const { return lanes_; }
  struct OfLine {
    std::vector<uint8_t> of_place;  // the hue of its op, kGroup, or kOther
    timeline::FoldHues of_folds;
  };
  // Of a line of these lanes.
  const OfLine& of_line(const timeline::Line& line) const { return of_line_.at(&line); }
  struct Entry {
    std::string name;
    uint8_t hue = 0;
    int64_t time_ns = 0;
  };
  const std::vector<Entry>& entries() const { return entries_; }  // the longest first
  bool has_others() const { return has_others_; }

 private:
  OfLine hues_of(const timeline::Line& line, const std::vector<uint8_t>& of_op) const;

  std::shared_ptr<const timeline::Lanes> lanes_;
  std::unordered_map<const timeline::Line*, OfLine> of_line_;
  std::vector<Entry> entries_;
  bool has_others_ = false;
};

}  // namespace dlview::ui
