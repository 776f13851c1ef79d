// GPU utilization over time: the range in equal time slices, and how busy the GPUs are in each.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "aggregate/rules/rule_index.h"
#include "aggregate/rules/rules.h"
#include "ui/background.h"
#include "ui/look.h"
#include "ui/model.h"

namespace dlview::ui {

struct BusySlice {
  int64_t start_ns = 0, stop_ns = 0;
  double percent = 0;  // of its time a kernel, memcpy or memset runs; mean over the GPUs
  bool operator==(const BusySlice&) const = default;
};

// At most `most` slices, by default those of the finding gpu_time_util, each at least 1 ns long.
// Counts the GPUs that did anything in the run; empty without any. Takes two binary searches for
// each slice and GPU.
std::vector<BusySlice> busy_slices(const aggregate::RuleIndex& rules, int64_t start_ns,
                                   int64_t stop_ns, int64_t most = aggregate::kRangeSlices);

// The slices of the range on screen, whatever the filters. One per profile.
class BusySlicesData {
 public:
  // Null until they are computed.
  std::shared_ptr<const std::vector<BusySlice>> get(const Model& model, Background& background);

 private:
  using Key = std::tuple<std::shared_ptr<const aggregate::RuleIndex>, int64_t, int64_t>;
  Late<Key, std::vector<BusySlice>> slices_;
};

struct BusyChartResult {
  float bottom = 0;
  std::optional<std::size_t> clicked;  // index of a slice
};
// Needs slices.
BusyChartResult draw_busy_chart(Frame& frame, const Area& area,
                                const std::vector<BusySlice>& slices);

}  // namespace dlview::ui
