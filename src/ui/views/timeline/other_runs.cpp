#include "ui/views/timeline/other_runs.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "ui/views/timeline/overlay.h"
#include "ui/widgets/tooltip.h"

namespace dlview::ui {
namespace {

constexpr float kRunHeading = 38, kBelowRun = 12, kHeadingInset = 12, kIterationsInset = 8;

std::string_view clock_note(const workspace::ClockOffset& clock) {
  switch (clock.by) {
    case workspace::ClockOffset::By::wall_clock:
      return "aligned by wall clock";
    case workspace::ClockOffset::By::typical:
      return "aligned at typical iterations";
    case workspace::ClockOffset::By::range_start:
      break;
  }
  return "aligned at range starts";
}

timeline::TimeWindow shifted(const timeline::TimeWindow& window, int64_t by_ns) {
  return {window.start_ns + by_ns, window.length_ns};
}

}  // namespace

std::set<std::string> threads_of(const timeline::Lanes& lanes) {
  std::set<std::string> threads = folded_at_first();
  for (const timeline::LaneGroup& group : lanes.groups) {
    if (group.device == profile::kNoRow) threads.insert(group.id);
  }
  return threads;
}

float run_heading_height(const Frame& frame) {
  return frame.px(kRunHeading);
}

Box draw_run_heading(Frame& frame, const TimelinePlot& plot, float names_left, float bottom,
                     std::string_view name, std::string_view note) {
  const Palette& palette = frame.palette();
  const ImFont *strong = frame.fonts().strong, *small = frame.fonts().small;
  const float height = run_heading_height(frame);
  const float top =
      std::min(std::max(plot.rows_top - height, plot.box.top), std::round(bottom) - height);
  const Box box{names_left, top, plot.box.right, top + height};
  fill(box, palette.panel);
  horizontal_line(box.left, box.right, box.top, palette.line);
  const float left = box.left + frame.px(kHeadingInset);
  const float room = plot.box.left - frame.px(6) - left;
  const float lines = font_size(strong) + (note.empty() ? 0 : font_size(small) + frame.px(2));
  const float text_top = std::round(box.top + (height - lines) / 2);
  draw_text_cut(frame, strong, left, text_top, room, palette.text, name, CutAt::middle);
  draw_text_cut(frame, small, left, text_top + font_size(strong) + frame.px(2), room, palette.dim,
                note, CutAt::end);
  return box;
}

void OtherRuns::update(Frame& frame, int64_t column_ns, timeline::ColorBy by,
                       Background& background) {
  std::set<workspace::RunId> shown;
  for (const OtherRun& other : frame.model.other_runs) {
    const workspace::RunId id = other.run.run;
    Band& band = bands_[id];
    shown.insert(id);
    if (band.path.empty()) band.path = fmt::format("timeline/run_{}", id);
    if (band.lanes != other.run.lanes) {
      band.lanes = other.run.lanes;
      band.plot.reset();
      band.folded = band.lanes ? threads_of(*band.lanes) : std::set<std::string>();
    }
    if (!band.lanes) continue;
    band.layout.update(band.lanes, {band.folded, timeline_heights(frame), column_ns, 0, nullptr});
    band.colors.choose(by);
    band.colors.update(band.lanes, background);
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
  return {.colors = band.colors.colors(frame, *band.lanes), .rules = run.run.rules.get()};
}

void OtherRuns::Counterpart::update(const OtherRun& run, const timeline::Lanes& lanes,
                                    std::optional<timeline::EventRef> selected) {
  using timeline::EventKind;
  const Key wanted(selected, run.pair.get(), run.direction, &lanes);
  if (wanted == key) return;
  key = wanted;
  place.reset();
  if (!selected || !run.pair) return;
  if (selected->kind == EventKind::op) {
    const auto instance =
        aggregate::counterpart(*run.pair, run.direction, profile::InstanceIndex(selected->row));
    if (instance) place = find_place(lanes, {EventKind::op, *instance});
  } else if (selected->kind == EventKind::kernel || selected->kind == EventKind::launch) {
    const auto kernel =
        aggregate::counterpart(*run.pair, run.direction, profile::KernelIndex(selected->row));
    if (kernel) place = find_place(lanes, {selected->kind, *kernel});
  }
}

void OtherRuns::draw(Frame& frame, const TimelinePlot& plot, float names_left, float top,
                     std::optional<timeline::EventRef> selected, BarLayer& bars) {
  for (const OtherRun& run : frame.model.other_runs) {
    Band& band = bands_.at(run.run.run);
    const Box heading{names_left, std::round(top), plot.box.right,
                      std::round(top + run_heading_height(frame))};
    top += height(frame, band);
    const std::string_view note =
        band.lanes ? clock_note(run.clock) : std::string_view("Building the timeline…");
    frame.inspector.record_value(band.path, note);
    if (band.lanes) {
      band.plot = plot;
      band.plot->name = band.path;
      band.plot->map = {shifted(plot.map.window(), -run.clock.ns), plot.map.columns()};
      band.plot->rows_top = heading.bottom;
    }
    if (heading.top > plot.box.bottom || top < plot.box.top) continue;
    if (band.plot) {
      band.pictures.begin(band.lanes.get(), band.plot->map);
      const TimelineLooks looks = this->looks(frame, run, band);
      TimelineRows rows(frame, *band.lanes, *band.layout, *band.plot, band.pictures, looks);
      const auto group = rows.draw(names_left, bars);
      if (group && band.folded.erase(*group) == 0) band.folded.insert(*group);
      band.counterpart.update(run, *band.lanes, selected);
      const std::optional<timeline::Place>& place = band.counterpart.place;
      if (const auto box = place ? rows.box_of(*place) : std::nullopt) {
        outline({box->left - 1, box->top, box->right + 1, box->bottom}, frame.palette().accent,
                frame.px(2));
        frame.inspector.record_item(band.path + "/counterpart", item_rect(*box));
      }
    }
    TimelinePlot placed = band.plot.value_or(plot);
    placed.rows_top = heading.bottom;
    const Box box = draw_run_heading(frame, placed, names_left, top, run.name, note);
    if (!band.plot) continue;
    const float inset = frame.px(kIterationsInset);
    band.iterations.draw(frame, run.run, *band.plot,
                         {plot.box.left, box.top + inset, plot.box.right, box.bottom - inset},
                         bars);
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
    rows.show_samples_tooltip(x, y);
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
    if (event.kind == timeline::EventKind::kernel) {
      chosen->request.kernel = profile::KernelIndex(event.row);
    }
    if (event.kind == timeline::EventKind::op) {
      chosen->request.instance = profile::InstanceIndex(event.row);
    }
  });
  return chosen;
}

}  // namespace dlview::ui
