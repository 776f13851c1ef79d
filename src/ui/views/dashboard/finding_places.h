// What an unfolded finding lists: its worst places, each of which opens its time in the Timeline,
// and its thresholds.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aggregate/filter.h"
#include "aggregate/finding.h"
#include "timeline/time_window.h"
#include "ui/look.h"

namespace dlview::ui {

struct PlaceRow {
  int64_t iteration = 0;
  std::string duration;  // that could be saved: "4.10 ms"
  std::string what;      // "12 · cudaStreamSynchronize · aten::item": the iteration first
  std::string tooltip;
  std::string op;                           // its name; empty = none
  std::optional<aggregate::Filter> filter;  // to the op
  timeline::TimeWindow time;
  std::optional<profile::DeviceIndex> device;  // of a gap or stretch
};

std::vector<PlaceRow> prepare_places(const profile::Profile& profile,
                                     const aggregate::Iterations& iterations,
                                     const aggregate::Finding& finding);
struct PlacesResult {
  float bottom = 0;
  const PlaceRow* in_timeline = nullptr;  // is to be shown there
};
// `path` begins the names of what can be clicked.
PlacesResult draw_places(Frame& frame, const Area& area, std::string_view path,
                         const std::vector<PlaceRow>& places);
// The detector whose page explains a finding, and the thresholds it exceeds; both may be empty.
struct FindingRule {
  std::string_view detector, threshold;
};
// "Threshold: potential savings of at least 2% of the iteration" of
// "Potential savings of at least 2% of the iteration"; several are joined by " · ". "" of "".
std::string threshold_line(std::string_view thresholds);
// Links to the page and to the thresholds. Returns the bottom.
float draw_threshold(Frame& frame, const Area& area, std::string_view path,
                     const FindingRule& rule);

}  // namespace dlview::ui
