#include "ui/views/tables/memory.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/views/tables/looks.h"

namespace dlview::ui {
namespace {

constexpr float kChartShare = 0.28f;  // of the view's height
constexpr float kLeastChartPanel = 140;

}  // namespace

MemoryView::MemoryView(const profile::Profile& profile)
    : has_events_(aggregate::has_memory_events(profile)),
      stack_("memory/tables", {1, 1}),
      peak_(memory_peak_look()),
      groups_(memory_peak_groups_look()),
      ops_(memory_ops_look()),
      events_(memory_events_look()) {}

std::vector<DataTable*> MemoryView::tables() {
  if (!has_events_) return {};
  return {&peak_, &groups_, &ops_, &events_};
}

void MemoryView::draw_tables(Frame& frame, const Box& box, Tables& tables) {
  const float gap = frame.px(kGap);
  if (!has_events_) {
    const Area area{box.left + gap + frame.px(kPadding), box.top + gap + frame.px(kPanelTop),
                    box.width() - 2 * (gap + frame.px(kPadding))};
    const Box panel{box.left + gap, box.top + gap, box.right - gap, box.top + gap + frame.px(92)};
    fill(panel, frame.palette().panel, frame.px(kRounding));
    outline(panel, frame.palette().line, frame.px(kRounding));
    const Area body = draw_heading(frame, area, {"Memory over time", "memory_peak", "", ""});
    const std::string_view text =
        "No memory events recorded. Record them with "
        "torch.profiler.profile(profile_memory=True).";
    draw_wrapped(frame.fonts().text, body, frame.palette().dim, text);
    frame.inspector.record_value("memory/none", text);
    return;
  }
  const float wanted = std::max(frame.px(kLeastChartPanel), std::round(box.height() * kChartShare));
  const Box chart{box.left + gap, box.top + gap, box.right - gap, box.top + gap + wanted};
  draw_chart(frame, chart, tables.background);
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
