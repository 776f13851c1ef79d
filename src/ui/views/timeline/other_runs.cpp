#include "ui/views/timeline/other_runs.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "ui/views/timeline/overlay.h"
#include "ui/widgets/tooltip.h"

namespace dlview::ui {
namespace {

constexpr float kRunHeading = 30, kBelowRun = 12;

std::string_view clock_note(const workspace::ClockOffset& clock) {
  return clock.by == workspace::ClockOffset::By::wall_clock ? "aligned by wall clock"
                                                            : "aligned at the start of both ranges";
}

timeline::TimeWindow shifted(const timeline::TimeWindow& window, int64_t by_ns) {
  return {window.start_ns + by_ns, window.length_ns};
}

}  // namespace

float run_heading_height(const Frame& frame) {
  return frame.px(kRunHeading);
}

void draw_run_heading(Frame& frame, const Box& box, std::string_view name, std::string_view note) {
  const Palette& palette = frame.palette();
  fill(box, palette.panel);
  const float left = box.left + frame.px(12);
  const float width = text_width(frame.fonts().strong, name);
  draw_text_in(frame.fonts().strong, {left, box.top, box.right, box.bottom}, palette.text, name);
  draw_text_in(frame.fonts().small, {left + width + frame.px(12), box.top, box.right, box.bottom},
               palette.dim, note);
}

void OtherRuns::update(Frame& frame, timeline::ColourBy by, Background& background) {
  std::set<workspace::RunId> shown;
  for (const OtherRun& other : frame.model.other_runs) {
    Band& band = bands_[other.run.run];
    shown.insert(other.run.run);
    band.path = fmt::format("timeline/run_{}", other.number);
    band.lanes = other.run.lanes;
    if (!band.lanes) continue;
    band.layout.update(band.lanes, band.folded, timeline_heights(frame));
    band.colours.choose(by);
    band.colours.update(band.lanes, background);
  }
  std::erase_if(bands_, [&](const auto& band) { return !shown.contains(band.first); });
}

float OtherRuns::height(const Frame& frame, const Band& band) const {
  return run_heading_height(frame) + (band.lanes ? band.layout->height : 0) + frame.px(kBelowRun);
}

float OtherRuns::height(const Frame& frame) const {
  float height = 0;
  for (const auto& [id, band] : bands_) height += this->height(frame, band);
  return height;
}

TimelineLooks OtherRuns::looks(const Frame& frame, const OtherRun& run, const Band& band) const {
  return {.colours = band.colours.colours(frame, *band.lanes), .rules = run.run.rules.get()};
}

void OtherRuns::draw(Frame& frame, const TimelinePlot& plot, float names_left, float top,
                     BarLayer& bars) {
  for (const OtherRun& run : frame.model.other_runs) {
    Band& band = bands_.at(run.run.run);
    const Box heading{names_left, std::round(top), plot.box.right,
                      std::round(top + run_heading_height(frame))};
    band.plot = plot;
    band.plot.name = band.path;
    band.plot.map = {shifted(plot.map.window(), -run.clock.ns), plot.map.columns()};
    band.plot.rows_top = heading.bottom;
    top += height(frame, band);
    if (heading.top > plot.box.bottom || top < plot.box.top) continue;
    draw_run_heading(frame, heading, run.name,
                     band.lanes ? clock_note(run.clock) : "sorting its events by time…");
    frame.inspector.record_value(band.path, clock_note(run.clock));
    if (!band.lanes) continue;
    band.pictures.begin(band.lanes.get(), band.plot.map);
    const TimelineLooks looks = this->looks(frame, run, band);
    TimelineRows rows(frame, *band.lanes, *band.layout, band.plot, band.pictures, looks);
    const auto group = rows.draw(names_left, bars);
    if (group && band.folded.erase(*group) == 0) band.folded.insert(*group);
  }
}

template <typename Use>
void OtherRuns::with_band_at(Frame& frame, float y, const Use& use) {
  for (const OtherRun& run : frame.model.other_runs) {
    Band& band = bands_.at(run.run.run);
    const float from_top = y - band.plot.rows_top;
    if (!band.lanes || from_top < 0 || from_top >= band.layout->height) continue;
    const TimelineLooks looks = this->looks(frame, run, band);
    TimelineRows rows(frame, *band.lanes, *band.layout, band.plot, band.pictures, looks);
    return use(run, band, rows);
  }
}

void OtherRuns::show_tooltip_at(Frame& frame, float x, float y) {
  with_band_at(frame, y, [&](const OtherRun&, const Band& band, TimelineRows& rows) {
    if (const auto hit = rows.hit(x, y)) show_mark_tooltip(frame, *band.lanes, *hit);
    if (const auto busy = rows.busy_text(x, y)) show_tooltip(frame, *busy);
  });
}

std::optional<OtherRuns::Chosen> OtherRuns::chosen_at(Frame& frame, float x, float y) {
  std::optional<Chosen> chosen;
  with_band_at(frame, y, [&](const OtherRun& run, const Band& band, TimelineRows& rows) {
    chosen = Chosen{run.number, {.window = band.plot.map.window(), .iteration = std::nullopt}};
    const auto hit = rows.hit(x, y);
    if (!hit) return;
    timeline::Place place = hit->place;
    place.at = hit->mark.longest;
    const timeline::EventRef event = event_at(*band.lanes, place);
    if (event.kind == timeline::EventKind::kernel) chosen->request.kernel = event.row;
    if (event.kind == timeline::EventKind::op) chosen->request.instance = event.row;
  });
  return chosen;
}

}  // namespace dlview::ui
