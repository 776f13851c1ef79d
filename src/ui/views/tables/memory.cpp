#include "ui/views/tables/memory.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/pages.h"
#include "ui/views/tables/looks.h"

namespace dlview::ui {
namespace {

constexpr float kChartShare = 0.28f;  // of the view's height
constexpr float kLeastChartPanel = 140;

}  // namespace

MemoryView::MemoryView(const profile::Profile& profile)
    : has_events_(aggregate::has_memory_events(profile)),
      has_usage_(aggregate::has_memory_usage(profile)),
      stack_("memory/tables", {1, 1}),
      peak_(memory_peak_look()),
      groups_(memory_peak_groups_look()),
      ops_(memory_ops_look()),
      events_(memory_events_look()),
      usage_(memory_usage_look()) {}

std::vector<DataTable*> MemoryView::tables() {
  if (!has_events_ && has_usage_) return {&usage_};
  if (!has_events_) return {};
  return {&peak_, &groups_, &ops_, &events_};
}

void MemoryView::draw_tables(Frame& frame, const Box& box, Tables& tables) {
  if (!has_events_ && !has_usage_) {
    return draw_error_card(frame, box, "memory/none",
                           {"No memory events recorded",
                            frame.model.file_name + " has no events of PyTorch's allocator.",
                            "Record with torch.profiler.profile(profile_memory=True)."},
                           {});
  }
  const float gap = frame.px(kGap);
  const float wanted = std::max(frame.px(kLeastChartPanel), std::round(box.height() * kChartShare));
  const Box chart{box.left + gap, box.top + gap, box.right - gap, box.top + gap + wanted};
  draw_chart(frame, chart, tables.background);
  if (!has_events_) {
    const Box below{box.left + gap, chart.bottom + gap, box.right - gap, box.bottom - gap};
    return usage_.draw(frame, below, usage_data_.get(frame.model, tables.background), tables);
  }
  const auto rows = stack_.draw(frame, {box.left, chart.bottom, box.right, box.bottom});
  const auto halves = [gap](const Box& row) {
    const float middle = std::round((row.left + row.right) / 2);
    return std::pair(Box{row.left, row.top, middle - gap / 2, row.bottom},
                     Box{middle + gap / 2, row.top, row.right, row.bottom});
  };
  const auto [by_op, by_module] = halves(rows[0]);
  peak_.draw(frame, by_op, peak_data_.get(frame.model, tables.background), tables);
  groups_.draw(frame, by_module, groups_data_.get(frame.model, tables.background), tables);
  const auto [of_ops, of_events] = halves(rows[1]);
  ops_.draw(frame, of_ops, ops_data_.get(frame.model, tables.background), tables);
  events_.draw(frame, of_events, events_data_.get(frame.model, tables.background), tables);
}

void MemoryView::draw_chart(Frame& frame, const Box& box, Background& background) {
  const std::shared_ptr<const profile::Profile>& profile = frame.model.profile;
  curves_.want(profile, has_few_events(*profile), background,
               [profile](const base::Progress&) -> std::shared_ptr<const MemoryCurves> {
                 return std::make_shared<const MemoryCurves>(aggregate::memory_curves(*profile));
               });
  chart_.draw(frame, box, curves_.get(), aggregate::memory_time(*frame.model.aggregation));
}

}  // namespace dlview::ui
