#include "ui/views/timeline/other_runs.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "ui/views/timeline/overlay.h"
#include "ui/widgets/tooltip.h"

namespace dlview::ui {
namespace {

constexpr float kRunHeading = 30, kBelowRun = 12, kHeadingInset = 12;

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
  const ImFont *strong = frame.fonts().strong, *small = frame.fonts().small;
  fill(box, palette.panel);
  const float left = box.left + frame.px(kHeadingInset);
  const float for_note = note.empty() ? 0 : text_width(small, note) + frame.px(kHeadingInset);
  const float room = std::max(0.0f, box.right - frame.px(kHeadingInset) - for_note - left);
  draw_text_cut(frame, strong, left, box.top + (box.height() - font_size(strong)) / 2, room,
                palette.text, name, CutAt::middle);
  const float behind = left + std::min(room, text_width(strong, name)) + frame.px(kHeadingInset);
  draw_text_in(small, {behind, box.top, box.right, box.bottom}, palette.dim, note);
}

void OtherRuns::update(Frame& frame, timeline::ColourBy by, Background& background) {
  std::set<workspace::RunId> shown;
  for (const OtherRun& other : frame.model.other_runs) {
    const workspace::RunId id = other.run.run;
    Band& band = bands_[id];
    shown.insert(id);
    if (band.path.empty()) band.path = fmt::format("timeline/run_{}", id);
    if (band.lanes != other.run.lanes) {
      band.lanes = other.run.lanes;
      band.plot.reset();
    }
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
    top += height(frame, band);
    const std::string_view note =
        band.lanes ? clock_note(run.clock) : std::string_view("Preparing the timeline…");
    frame.inspector.record_value(band.path, note);
    if (band.lanes) {
      band.plot = plot;
      band.plot->name = band.path;
      band.plot->map = {shifted(plot.map.window(), -run.clock.ns), plot.map.columns()};
      band.plot->rows_top = heading.bottom;
    }
    if (heading.top > plot.box.bottom || top < plot.box.top) continue;
    draw_run_heading(frame, heading, run.name, note);
    if (!band.plot) continue;
    band.pictures.begin(band.lanes.get(), band.plot->map);
    const TimelineLooks looks = this->looks(frame, run, band);
    TimelineRows rows(frame, *band.lanes, *band.layout, *band.plot, band.pictures, looks);
    const auto group = rows.draw(names_left, bars);
    if (group && band.folded.erase(*group) == 0) band.folded.insert(*group);
  }
}

template <typename Use>
void OtherRuns::with_band_at(Frame& frame, float y, const Use& use) {
  for (const OtherRun& run : frame.model.other_runs) {
    Band& band = bands_.at(run.run.run);
    if (!band.plot) continue;
    const float from_top = y - band.plot->rows_top;
    if (from_top < 0 || from_top >= band.layout->height) continue;
    band.pictures.begin(band.lanes.get(), band.plot->map);
    const TimelineLooks looks = this->looks(frame, run, band);
    TimelineRows rows(frame, *band.lanes, *band.layout, *band.plot, band.pictures, looks);
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
    chosen = Chosen{run.run.run, {.window = band.plot->map.window(), .iteration = std::nullopt}};
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
