#include "ui/chart/cut_labels.h"

#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "base/units.h"

namespace dlview::ui {
namespace {

struct Group {
  CutBar tallest;
  float left, right;
  bool several;
};

std::string text_of(const BarData& data, const Group& group) {
  const std::string duration = base::format_duration(data.height_ns(group.tallest.iteration));
  if (!group.several) return duration;
  return fmt::format("{}: {}", base::format_count(group.tallest.iteration), duration);
}

void join(const BarData& data, Group& group, const CutBar& bar) {
  group.right = bar.right;
  group.several = true;
  if (data.height_ns(bar.iteration) > data.height_ns(group.tallest.iteration)) group.tallest = bar;
}

bool is_free(const BarData& data, const Plot& plot, float left, float right, float depth) {
  if (left < plot.left || right > plot.right()) return false;
  const auto first = static_cast<int64_t>(std::floor(plot.iteration_at(left)));
  const auto last = static_cast<int64_t>(std::floor(plot.iteration_at(right)));
  if (first >= data.count()) return true;
  const auto height = static_cast<double>(data.height_ns(data.highest(first, last)));
  return plot.y_of(height) > plot.top + depth;
}

}  // namespace

std::vector<CutLabel> prepare_cut_labels(const BarData& data, const Plot& plot,
                                         const std::vector<CutBar>& bars, const CutLabelRoom& room,
                                         const MeasureText& measure) {
  std::vector<CutLabel> labels;
  std::optional<Group> group;
  float free_from = plot.left;
  const auto place = [&] {
    if (!group) return;
    const std::string text = text_of(data, *group);
    const float width = measure(text);
    // Behind the group, else before it.
    for (const float left : {group->right + room.gap, group->left - room.gap - width}) {
      if (left < free_from || !is_free(data, plot, left, left + width, room.depth)) continue;
      labels.push_back({text, left, left + width});
      free_from = left + width + room.gap;
      return;
    }
  };
  for (const CutBar& bar : bars) {
    const float needed = group ? measure(text_of(data, *group)) + 2 * room.gap : 0;
    if (group && bar.left < group->right + needed) {
      join(data, *group, bar);
      continue;
    }
    place();
    group = Group{bar, bar.left, bar.right, false};
  }
  place();
  return labels;
}

}  // namespace dlview::ui
