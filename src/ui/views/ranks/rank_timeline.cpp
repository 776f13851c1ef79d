#include "ui/views/ranks/rank_timeline.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "base/fnv.h"
#include "base/units.h"
#include "ui/views/timeline/plot_controls.h"
#include "ui/views/timeline/ruler.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/panel.h"
#include "ui/widgets/tooltip.h"

namespace dlview::ui {
namespace {

constexpr float kTimelineNames = 176;
constexpr float kLeastLanes = 8, kMostLanes = 52;
constexpr float kLeastNamed = 12;  // lower rows have no room for every name
// Where more intervals than these lie in a window of so many columns, columns are drawn.
constexpr std::size_t kIntervalsPerColumn = 2;
// How much of its time a column is busy is drawn in so many shades.
constexpr int kShades = 8;
constexpr int64_t kErrorsOfSkew = 3;
constexpr int64_t kRoomDivisor = 20;  // of the window around an iteration

uint64_t key_of(const std::string& group, int64_t place) {
  base::Fnv1a hash;
  hash.add(group);
  hash.add(static_cast<uint64_t>(place));
  return std::max<uint64_t>(hash.value(), 1);
}

const ranks::ClockFit& clock_of(const ranks::RunFigures& run, std::size_t rank) {
  return run.clocks[static_cast<std::size_t>(&run.part_of(rank) - run.summary.parts.data())];
}

TimelineOfRank timeline_of(const ranks::RunFigures& run, std::size_t rank,
                           const std::shared_ptr<const ranks::RankLanes>& lanes) {
  TimelineOfRank one;
  one.rank = rank;
  one.lanes = lanes;
  one.clock = clock_of(run, rank);
  for (const ranks::LaneCall& call : lanes->calls) {
    TimelineOfRank::Call drawn;
    drawn.start_ns = one.clock.to_reference(call.start_ns);
    drawn.stop_ns = one.clock.to_reference(call.stop_ns);
    drawn.collective = call.collective;
    drawn.group = call.group;
    one.longest_call_ns = std::max(one.longest_call_ns, drawn.stop_ns - drawn.start_ns);
    if (call.is_synchronizing()) {
      const std::string& group = lanes->groups[static_cast<std::size_t>(call.group)];
      const int64_t place = run.times.by_time->place_of(lanes->rank, group, call.place);
      drawn.key = key_of(group, place);
      const auto sum = run.summary.collectives.find({group, place});
      if (sum != run.summary.collectives.end() && sum->second.members > 1 && sum->second.is_one() &&
          run.times.are_same(sum->first, sum->second)) {
        drawn.wait_ns =
            std::max<int64_t>(0, call.stop_ns - call.start_ns - sum->second.transfer_ns());
      }
      one.by_key.try_emplace(drawn.key, one.calls.size());
    }
    one.calls.push_back(drawn);
  }
  return one;
}

std::vector<Skew> skews_of(const std::vector<TimelineOfRank>& ranks) {
  int64_t error = 0;
  for (const TimelineOfRank& rank : ranks) error = std::max(error, rank.clock.error_ns);
  const int64_t least = std::max(ranks::kLeastSkewNs, kErrorsOfSkew * error);
  std::unordered_map<uint64_t, Skew> found;
  for (const TimelineOfRank& rank : ranks) {
    for (const TimelineOfRank::Call& call : rank.calls) {
      if (call.key == 0 || call.wait_ns < least) continue;
      found.try_emplace(call.key, Skew{call.start_ns, call.stop_ns, call.key});
    }
  }
  for (const TimelineOfRank& rank : ranks) {
    for (const TimelineOfRank::Call& call : rank.calls) {
      const auto skew = found.find(call.key);
      if (skew == found.end()) continue;
      skew->second.start_ns = std::min(skew->second.start_ns, call.start_ns);
      skew->second.stop_ns = std::max(skew->second.stop_ns, call.stop_ns);
    }
  }
  std::vector<Skew> skews;
  for (const auto& [key, skew] : found) skews.push_back(skew);
  std::ranges::sort(skews, {}, [](const Skew& skew) { return std::pair(skew.start_ns, skew.key); });
  return skews;
}

// Sets the calls that a rank lacks while others of the group have them, as far as it has calls
// before and after.
void find_missing(std::vector<TimelineOfRank>& ranks) {
  std::unordered_map<uint64_t, std::pair<Skew, const std::string*>> all;
  for (const TimelineOfRank& rank : ranks) {
    for (const TimelineOfRank::Call& call : rank.calls) {
      if (call.key == 0) continue;
      const std::string& group = rank.lanes->groups[static_cast<std::size_t>(call.group)];
      const Skew own{call.start_ns, call.stop_ns, call.key};
      Skew& known = all.try_emplace(call.key, own, &group).first->second.first;
      known.start_ns = std::min(known.start_ns, own.start_ns);
      known.stop_ns = std::max(known.stop_ns, own.stop_ns);
    }
  }
  for (TimelineOfRank& rank : ranks) {
    if (rank.calls.empty()) continue;
    for (const auto& [key, known] : all) {
      const auto& [call, group] = known;
      const bool is_within =
          rank.calls.front().start_ns < call.start_ns && call.stop_ns < rank.calls.back().stop_ns;
      const auto& own = rank.lanes->groups;
      if (!is_within || rank.by_key.contains(key) || !std::ranges::count(own, *group)) continue;
      rank.missing.push_back(call);
    }
    std::ranges::sort(rank.missing, {},
                      [](const Skew& call) { return std::pair(call.start_ns, call.key); });
  }
}

std::string call_title(const TimelineOfRank::Call& call) {
  return call.key == 0 ? std::string("Communication")
                       : std::string(profile::to_text(call.collective));
}

}  // namespace

int64_t TimelineOfRank::to_own(int64_t reference_ns) const {
  // The drift is a few parts in a million: each step makes the error as much smaller.
  constexpr int kSteps = 3;
  int64_t own = reference_ns - clock.offset_ns;
  for (int step = 0; step < kSteps; ++step) own -= clock.to_reference(own) - reference_ns;
  return own;
}

std::vector<std::size_t> timeline_ranks(const ranks::RunFigures& run,
                                        const std::vector<std::string>& paths,
                                        std::optional<std::size_t> active) {
  std::vector<std::size_t> at_hand;
  for (std::size_t rank = 0; rank < paths.size(); ++rank) {
    if (!paths[rank].empty()) at_hand.push_back(rank);
  }
  if (at_hand.size() <= workspace::kMostTimelines) return at_hand;
  std::ranges::stable_sort(at_hand, std::ranges::greater{}, [&run](std::size_t rank) {
    return run.stragglers.ranks[rank].mean_own_ns;
  });
  std::vector<std::size_t> chosen;
  if (active && !paths[*active].empty()) chosen.push_back(*active);
  for (std::size_t low = 0, high = at_hand.size(); chosen.size() < workspace::kMostTimelines;) {
    const std::size_t next = chosen.size() % 2 == 0 ? at_hand[low++] : at_hand[--high];
    if (next != active) chosen.push_back(next);
  }
  std::ranges::sort(chosen);
  return chosen;
}

RankTimelinesData make_rank_timelines(const ranks::RunFigures& run,
                                      const std::vector<std::size_t>& wanted,
                                      const workspace::ReadLanes& lanes) {
  RankTimelinesData data;
  int64_t first = INT64_MAX, last = INT64_MIN;
  for (const std::size_t rank : wanted) {
    const std::size_t iterations = run.times.numbers.size();
    const ranks::ClockFit& clock = clock_of(run, rank);
    const int64_t start = run.times.start_ns.at(rank, 0);
    const int64_t last_start = run.times.start_ns.at(rank, iterations - 1);
    first = std::min(first, clock.to_reference(start));
    last = std::max(
        last, clock.to_reference(last_start + run.times.duration_ns.at(rank, iterations - 1)));
    const auto read = lanes.find(run.times.ranks[rank]);
    if (read == lanes.end() || !read->second.lanes) continue;
    data.ranks.push_back(timeline_of(run, rank, read->second.lanes));
  }
  if (first < last) data.whole = timeline::window_between(first, last);
  data.skews = skews_of(data.ranks);
  find_missing(data.ranks);
  return data;
}

void RankTimeline::want(const Shown& shown, Background& background) {
  const auto lanes = shown.model->lanes;
  data_.want(
      {shown.run, shown.ranks, lanes}, false, background,
      [run = shown.run, ranks = shown.ranks, lanes](const base::Progress&) {
        return std::make_shared<const RankTimelinesData>(make_rank_timelines(*run, ranks, *lanes));
      });
}

// The selected iteration on all ranks, with some room; without one that which costs most.
void RankTimeline::choose_window(const Shown& shown) {
  const RankTimelinesData& data = *data_.get();
  const std::tuple wanted{shown.run, shown.iteration};
  if (std::get<0>(window_of_) != shown.run) navigator_ = timeline::Navigator(data.whole);
  navigator_.set_whole(data.whole);
  if (window_of_ == wanted) return;
  window_of_ = wanted;
  const ranks::RunFigures& run = *shown.run;
  std::size_t column = 0;
  if (shown.iteration) {
    column = *shown.iteration;
  } else if (!run.stragglers.cost_ns.empty()) {
    const auto most = std::ranges::max_element(run.stragglers.cost_ns);
    column = static_cast<std::size_t>(most - run.stragglers.cost_ns.begin());
  }
  int64_t start = INT64_MAX, stop = INT64_MIN;
  for (const std::size_t rank : shown.ranks) {
    const ranks::ClockFit& clock = clock_of(run, rank);
    const int64_t begin = run.times.start_ns.at(rank, column);
    start = std::min(start, clock.to_reference(begin));
    stop = std::max(stop, clock.to_reference(begin + run.times.duration_ns.at(rank, column)));
  }
  const int64_t room = (stop - start) / kRoomDivisor;
  navigator_.jump(
      timeline::part_inside(timeline::window_between(start - room, stop + room), data.whole));
}

Box RankTimeline::row_box(const Layout& layout, std::size_t row) const {
  const float top = layout.top + std::floor(static_cast<float>(row) * layout.row_height);
  return {layout.plot.left, top, layout.plot.right, top + layout.row_height - 2};
}

void RankTimeline::draw_computing(Frame& frame, const TimelinePlot& plot, const Box& line,
                                  const TimelineOfRank& rank,
                                  std::vector<render::Rectangle>& out) const {
  const Palette& colors = frame.palette();
  const Color color = colors.tone(Tone::busy);
  const timeline::TimeWindow& window = plot.map.window();
  const auto intervals = rank.lanes->computing.intervals();
  const auto first = std::ranges::upper_bound(intervals, rank.to_own(window.start_ns), {},
                                              &base::Interval::stop_ns);
  const auto last = std::ranges::lower_bound(intervals, rank.to_own(window.stop_ns()), {},
                                             &base::Interval::start_ns);
  if (last <= first) return;
  const auto columns = static_cast<std::size_t>(plot.map.columns());
  if (static_cast<std::size_t>(last - first) <= kIntervalsPerColumn * columns) {
    for (auto interval = first; interval != last; ++interval) {
      const float left =
          std::max(line.left, plot.x_of(rank.clock.to_reference(interval->start_ns)));
      const float right = std::min(
          line.right, std::max(left + 1, plot.x_of(rank.clock.to_reference(interval->stop_ns))));
      if (left < right) out.push_back({left, line.top, right, line.bottom, color});
    }
    return;
  }
  for (int32_t column = 0; column < plot.map.columns(); ++column) {
    const base::Interval time = plot.map.shown(column);
    const int64_t start = rank.to_own(time.start_ns), stop = rank.to_own(time.stop_ns);
    const double share = static_cast<double>(rank.lanes->computing.covered_ns(start, stop)) /
                         static_cast<double>(std::max<int64_t>(stop - start, 1));
    const int shade = static_cast<int>(std::lround(share * kShades));
    if (shade == 0) continue;
    const float left = line.left + static_cast<float>(column);
    const Color shaded = mix(colors.panel, color, static_cast<float>(shade) / kShades);
    if (!out.empty() && out.back().right == left && out.back().color == shaded &&
        out.back().top == line.top) {
      out.back().right = left + 1;
    } else {
      out.push_back({left, line.top, left + 1, line.bottom, shaded});
    }
  }
}

void RankTimeline::draw_calls(Frame& frame, const TimelinePlot& plot, const Box& line,
                              const TimelineOfRank& rank,
                              std::vector<render::Rectangle>& out) const {
  const Palette& colors = frame.palette();
  const Color color = colors.tone(Tone::communication);
  const timeline::TimeWindow& window = plot.map.window();
  using Call = TimelineOfRank::Call;
  const auto first = std::ranges::lower_bound(rank.calls, window.start_ns - rank.longest_call_ns,
                                              {}, &Call::start_ns);
  float drawn_to = line.left;
  for (auto call = first; call != rank.calls.end() && call->start_ns < window.stop_ns(); ++call) {
    if (call->stop_ns < window.start_ns) continue;
    const float left = std::max(line.left, plot.x_of(call->start_ns));
    const float right = std::min(line.right, std::max(left + 1, plot.x_of(call->stop_ns)));
    if (right <= drawn_to) continue;
    const float from = std::max(left, drawn_to);
    drawn_to = right;
    const int64_t wait = std::max<int64_t>(call->wait_ns, 0);
    const float arrived = std::clamp(plot.x_of(call->start_ns + wait), from, right);
    if (wait > 0 && arrived - from >= 1) {
      out.push_back({from, line.top, arrived, line.bottom, with_opacity(color, 0.25f)});
      hatch(frame, {from, line.top, arrived, line.bottom}, color);
    }
    const float solid = wait > 0 && arrived - from >= 1 ? arrived : from;
    if (solid < right) out.push_back({solid, line.top, right, line.bottom, color});
  }
}

void RankTimeline::draw_row(Frame& frame, const TimelinePlot& plot, const Layout& layout,
                            std::size_t row, const Shown& shown, BarLayer& layer) {
  const Palette& colors = frame.palette();
  const TimelineOfRank& rank = data_.get()->ranks[row];
  const Box box = row_box(layout, row);
  const float middle = std::round((box.top + box.bottom) / 2);
  std::vector<render::Rectangle> parts;
  draw_computing(frame, plot, {box.left, box.top + 1, box.right, middle - 1}, rank, parts);
  draw_calls(frame, plot, {box.left, middle, box.right, box.bottom - 1}, rank, parts);
  layer.add(*ImGui::GetWindowDrawList(), std::move(parts));
  draw_missing(frame, plot, {box.left, middle, box.right, box.bottom}, rank, row);
  horizontal_line(layout.names_left, box.right, box.bottom, with_opacity(colors.line, 0.5f));
  const bool is_active = shown.active == rank.rank;
  if (is_active) {
    fill({layout.names_left - frame.px(8), box.top, layout.names_left - frame.px(5), box.bottom},
         colors.accent);
  }
  const std::string name = name_of_rank(*shown.run, rank.rank);
  const bool is_low = layout.row_height < line_height(frame.fonts().text);
  const ImFont* font = is_low ? frame.fonts().small : frame.fonts().text;
  if (is_active || row % layout.rows_per_name == 0) {
    draw_text_cut(frame, font, layout.names_left, std::round(middle - line_height(font) / 2),
                  box.left - layout.names_left - frame.px(8), is_active ? colors.text : colors.dim,
                  name, CutAt::middle);
  }
  frame.inspector.record_value(fmt::format("ranks/timeline/row/{}", row), name);
}

std::optional<RankTimeline::Pointed> RankTimeline::point(const TimelinePlot& plot,
                                                         const Layout& layout) const {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const auto row = static_cast<std::size_t>((mouse.y - layout.top) / layout.row_height);
  const RankTimelinesData& data = *data_.get();
  if (mouse.y < layout.top || row >= data.ranks.size()) return std::nullopt;
  Pointed pointed{row, std::nullopt};
  const TimelineOfRank& rank = data.ranks[row];
  const int64_t from = plot.time_at(mouse.x - 1), to = plot.time_at(mouse.x + 2);
  using Call = TimelineOfRank::Call;
  for (auto call =
           std::ranges::lower_bound(rank.calls, from - rank.longest_call_ns, {}, &Call::start_ns);
       call != rank.calls.end() && call->start_ns <= to; ++call) {
    if (call->stop_ns < from) continue;
    const auto place = static_cast<std::size_t>(call - rank.calls.begin());
    // Of several in a pixel that in which most was waited.
    if (!pointed.call || call->wait_ns > rank.calls[*pointed.call].wait_ns) pointed.call = place;
  }
  return pointed;
}

void RankTimeline::frame_collective(Frame& frame, const TimelinePlot& plot, const Layout& layout,
                                    uint64_t key) const {
  const Palette& colors = frame.palette();
  int64_t end = INT64_MIN;
  float top = layout.plot.bottom, bottom = layout.plot.top;
  const RankTimelinesData& data = *data_.get();
  for (std::size_t row = 0; row < data.ranks.size(); ++row) {
    const TimelineOfRank& rank = data.ranks[row];
    const auto found = rank.by_key.find(key);
    if (found == rank.by_key.end()) continue;
    const TimelineOfRank::Call& call = rank.calls[found->second];
    end = std::max(end, call.stop_ns);
    const Box box = row_box(layout, row);
    const float middle = std::round((box.top + box.bottom) / 2);
    const float left = std::max(layout.plot.left, plot.x_of(call.start_ns));
    const float right = std::min(layout.plot.right, plot.x_of(call.stop_ns));
    if (left <= right) {
      outline({left - 1, middle - 1, std::max(right, left + 1) + 1, box.bottom}, colors.text);
    }
    top = std::min(top, box.top);
    bottom = std::max(bottom, box.bottom);
  }
  if (end == INT64_MIN || end < plot.map.window().start_ns || end > plot.map.window().stop_ns()) {
    return;
  }
  const float x = plot.x_of(end);
  fill({x, top, x + 1, bottom}, colors.bound);
}

// An empty line would look idle.
void RankTimeline::draw_missing(Frame& frame, const TimelinePlot& plot, const Box& line,
                                const TimelineOfRank& rank, std::size_t row) const {
  const ImFont* font = frame.fonts().small;
  const Color color = frame.palette().attention;
  constexpr std::string_view kMissing = "missing";
  constexpr float kLeastWidth = 3;
  float drawn_to = line.left - kLeastWidth;
  for (const Skew& call : rank.missing) {
    if (call.stop_ns < plot.map.window().start_ns) continue;
    if (call.start_ns > plot.map.window().stop_ns()) break;
    const float left = std::max(line.left, plot.x_of(call.start_ns));
    const Box lane{left, line.top,
                   std::min(line.right, std::max(plot.x_of(call.stop_ns), left + kLeastWidth)),
                   line.bottom};
    if (lane.right < drawn_to + 1) continue;  // too narrow to be told from the one before
    drawn_to = lane.right;
    outline(lane, color);
    if (lane.width() > text_width(font, kMissing) && lane.height() > font_size(font)) {
      draw_text_in(font, lane, color, kMissing, true);
    }
    frame.inspector.record_value(fmt::format("ranks/timeline/missing/{}", row), kMissing);
  }
}

void RankTimeline::explain(Frame& frame, const Shown& shown, const Pointed& pointed) const {
  const RankTimelinesData& data = *data_.get();
  const TimelineOfRank& rank = data.ranks[pointed.row];
  const TimelineOfRank::Call& call = rank.calls[*pointed.call];
  using enum TooltipStyle;
  std::vector<TooltipText> lines{{name, call_title(call)},
                                 {value, base::format_duration(call.stop_ns - call.start_ns)},
                                 {text, "Rank " + name_of_rank(*shown.run, rank.rank)}};
  std::string spoken =
      fmt::format("{}, rank {}", call_title(call), shown.run->times.ranks[rank.rank]);
  if (call.wait_ns >= 0) {
    const int64_t transfer = call.stop_ns - call.start_ns - call.wait_ns;
    const std::string parts =
        fmt::format("Wait {}, transfer {}", base::format_duration(call.wait_ns),
                    base::format_duration(transfer));
    lines.push_back({text, parts});
    spoken += ": " + parts;
    const std::string& group = rank.lanes->groups[static_cast<std::size_t>(call.group)];
    if (group != profile::to_text(call.collective)) lines.push_back({text, "Group " + group});
    // Who came last, of the ranks on screen.
    const TimelineOfRank* last = nullptr;
    int64_t least = INT64_MAX, skew = 0;
    for (const TimelineOfRank& other : data.ranks) {
      const auto found = other.by_key.find(call.key);
      if (found == other.by_key.end()) continue;
      const int64_t wait = other.calls[found->second].wait_ns;
      skew = std::max(skew, wait);
      if (wait >= least) continue;
      least = wait;
      last = &other;
    }
    if (last != nullptr && skew >= ranks::kLeastSkewNs) {
      lines.push_back(
          {text, fmt::format("Last of the ranks shown: rank {}. Longest wait: {}",
                             shown.run->times.ranks[last->rank], base::format_duration(skew))});
      spoken += fmt::format("; last: rank {}", shown.run->times.ranks[last->rank]);
    }
  } else if (call.key != 0) {
    lines.push_back({text, "No matching calls found on other ranks."});
  }
  lines.push_back({note, "Clock " + ranks::describe(rank.clock)});
  frame.inspector.record_value("ranks/timeline/pointed", spoken);
  show_text_tooltip(frame, lines);
}

void RankTimeline::move_window(Frame& frame, const TimelinePlot& plot) {
  const Hit hit = hit_area(frame, "ranks/timeline", plot.box, Reach::mouse);
  if (hit.hovered) turn_wheel(frame, plot, false, navigator_);
  if (hit.held) {
    const float x = ImGui::GetIO().MousePos.x;
    if (!drag_from_) {
      drag_from_ = x;
      navigator_.begin_drag();
    } else if (was_dragged(frame)) {
      const double per_pixel = static_cast<double>(navigator_.window().length_ns) /
                               static_cast<double>(plot.map.columns());
      navigator_.drag(static_cast<int64_t>(per_pixel * static_cast<double>(*drag_from_ - x)));
    }
  } else {
    drag_from_.reset();
  }
}

void RankTimeline::draw_legend(Frame& frame, float right, float top) {
  const Palette& colors = frame.palette();
  const ImFont* font = frame.fonts().small;
  const float height = frame.px(10), width = frame.px(18);
  const float text_top = top + std::round((frame.px(kControlHeight) - line_height(font)) / 2);
  const float swatch_top = top + std::round((frame.px(kControlHeight) - height) / 2);
  const Color communication = colors.tone(Tone::communication);
  float x = right;
  const auto entry = [&](std::string_view name, Color color, bool is_hatched) {
    x -= text_width(font, name);
    draw_text(font, x, text_top, colors.dim, name);
    x -= width + frame.px(6);
    const Box swatch{x, swatch_top, x + width, swatch_top + height};
    fill(swatch, color);
    if (is_hatched) hatch(frame, swatch, communication);
    x -= frame.px(14);
  };
  entry("Transfer", communication, false);
  entry("Wait", with_opacity(communication, 0.25f), true);
  entry("Computation", colors.tone(Tone::busy), false);
}

void RankTimeline::show_call(const std::string& group, int64_t place) {
  wanted_ = key_of(group, place);
}

void RankTimeline::show_wanted() {
  int64_t start = INT64_MAX, stop = INT64_MIN;
  for (const TimelineOfRank& rank : data_.get()->ranks) {
    const auto found = rank.by_key.find(wanted_);
    if (found == rank.by_key.end()) continue;
    start = std::min(start, rank.calls[found->second].start_ns);
    stop = std::max(stop, rank.calls[found->second].stop_ns);
  }
  if (start > stop) return;
  marked_ = std::exchange(wanted_, 0);
  navigator_.jump(timeline::fitted(start, stop, data_.get()->whole));
}

void RankTimeline::show_next_skew(Host& host) {
  const RankTimelinesData& data = *data_.get();
  if (data.skews.empty()) return host.notify("No wait exceeds the clock error.");
  const timeline::TimeWindow& window = navigator_.window();
  const auto marked = std::ranges::find(data.skews, marked_, &Skew::key);
  const int64_t middle = window.start_ns + window.length_ns / 2;
  auto next = marked != data.skews.end()
                  ? std::next(marked)
                  : std::ranges::lower_bound(data.skews, middle, {}, &Skew::start_ns);
  if (next == data.skews.end()) next = data.skews.begin();
  marked_ = next->key;
  navigator_.jump(timeline::fitted(next->start_ns, next->stop_ns, data.whole));
}

MapRequest RankTimeline::draw(Frame& frame, const Box& box, const Shown& shown, BarLayer& layer,
                              Background& background) {
  MapRequest request;
  want(shown, background);
  const Palette& colors = frame.palette();
  const ImFont* font = frame.fonts().text;
  fill(box, colors.panel, frame.px(kRounding));
  outline(box, colors.line, frame.px(kRounding));
  const float padding = frame.px(kPadding);
  const Box inner{box.left + padding, box.top + frame.px(6), box.right - padding,
                  box.bottom - frame.px(6)};
  const std::size_t all = shown.run->rank_count();
  std::string status;
  if (shown.ranks.empty()) {
    status = "No profiles found for these ranks. A summary has no events.";
  } else if (!data_.get() || data_.get()->ranks.empty()) {
    status = shown.model->is_reading_lanes ? "Reading profiles…" : "Preparing…";
    for (const auto& [rank, read] : *shown.model->lanes) {
      if (read.error) status = fmt::format("Rank {}: {}", rank, base::one_line(*read.error));
    }
  }
  if (!status.empty()) {
    frame.inspector.record_value("ranks/timeline/status", status);
    draw_text_cut(frame, font, inner.left, inner.top, inner.width(), colors.dim, status,
                  CutAt::end);
    return request;
  }
  choose_window(shown);
  const RankTimelinesData& data = *data_.get();
  std::string head = data.ranks.size() < all ? fmt::format("{} of {} ranks", data.ranks.size(), all)
                                             : base::counted(static_cast<int64_t>(all), "ranks");
  if (shown.model->is_reading_lanes) head += " · reading more";
  frame.inspector.record_value("ranks/timeline/status", head);
  Layout layout;
  layout.names_left = inner.left;
  layout.plot = {inner.left + frame.px(kTimelineNames), inner.top + frame.px(kRulerHeight),
                 inner.right, inner.bottom};
  if (layout.plot.width() < 16 || layout.plot.height() < frame.px(kLeastLanes)) return request;
  layout.top = layout.plot.top;
  const auto count = static_cast<float>(data.ranks.size());
  layout.row_height = std::floor(
      std::clamp(layout.plot.height() / count, frame.px(kLeastLanes), frame.px(kMostLanes)));
  layout.rows_per_name = layout.row_height >= frame.px(kLeastNamed) ? 1 : 2;
  layout.plot.bottom = std::min(layout.plot.bottom, layout.top + count * layout.row_height);
  draw_text_cut(frame, font, inner.left, inner.top + frame.px(4), frame.px(kTimelineNames - 8),
                colors.dim, head, CutAt::end);
  TimelinePlot plot;
  plot.box = {std::round(layout.plot.left), layout.plot.top, std::round(layout.plot.right),
              layout.plot.bottom};
  plot.name = "ranks/timeline";
  plot.map = {navigator_.window(), static_cast<int32_t>(plot.box.width())};
  move_window(frame, plot);
  if (wanted_ != 0) show_wanted();
  if (std::exchange(wants_next_, false)) show_next_skew(frame.host);
  plot.map = {navigator_.window(), static_cast<int32_t>(plot.box.width())};
  draw_time_ruler(frame, plot, inner.top);
  draw_time_grid(frame, plot);
  ImGui::PushClipRect({box.left, box.top}, {box.right, box.bottom}, true);
  for (std::size_t row = 0; row < data.ranks.size(); ++row) {
    if (row_box(layout, row).bottom <= box.bottom) {
      draw_row(frame, plot, layout, row, shown, layer);
    }
  }
  const bool is_over = hovered(plot.box);
  const std::optional<Pointed> pointed = is_over ? point(plot, layout) : std::nullopt;
  if (pointed && pointed->call) {
    const TimelineOfRank::Call& call = data.ranks[pointed->row].calls[*pointed->call];
    if (call.key != 0) frame_collective(frame, plot, layout, call.key);
    if (!drag_from_) explain(frame, shown, *pointed);
  } else if (marked_ != 0) {
    frame_collective(frame, plot, layout, marked_);
  }
  ImGui::PopClipRect();
  for (std::size_t row = 0; row < data.ranks.size(); ++row) {
    const Box line = row_box(layout, row);
    if (line.bottom > box.bottom) break;
    const Hit hit = hit_area(frame, fmt::format("ranks/timeline/name/{}", row),
                             {layout.names_left, line.top, line.left - frame.px(8), line.bottom});
    if (hit.hovered) show_tooltip(frame, "Click to open the profile of this rank");
    if (hit.clicked) request.rank = data.ranks[row].rank;
  }
  return request;
}

}  // namespace dlview::ui
