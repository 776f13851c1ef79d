#include "ui/views/dashboard/finding_places.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "aggregate/gaps/gap_text.h"
#include "base/units.h"
#include "profile/display_name.h"
#include "ui/chart/iteration_name.h"
#include "ui/explanations.h"
#include "ui/filters.h"
#include "ui/widgets/tooltip.h"

namespace dlview::ui {
namespace {

constexpr float kDurationWidth = 58;
constexpr std::string_view kEditThreshold = "Edit threshold…", kExplain = "Explain…";
constexpr std::string_view kBetween = " · ";  // between thresholds, as aggregate/thresholds.cpp

std::string gpu_text(const profile::Profile& profile, const aggregate::FindingPlace& place) {
  return fmt::format("GPU {}", profile.devices[place.device].device_id);
}

// Whether the places are idle gaps and name the op whose GPU activity ends them.
bool are_gaps_before_ops(std::string_view detector) {
  return detector == "launch_bound" || detector == "gpu_gaps";
}

std::string what(const profile::Profile& profile, const aggregate::FindingPlace& place,
                 std::string_view op, bool is_before_op) {
  if (place.call != 0) {
    return fmt::format("{} · {}", profile::call_name(profile.text(place.call)), op);
  }
  if (place.device == profile::kNoRow) return std::string(op);
  // With one GPU, its name is left out: a line is short.
  const std::string gpu =
      profile.devices.size() == 1 ? "" : fmt::format("{} · ", gpu_text(profile, place));
  if (place.busy_percent) {
    return fmt::format("{}{} busy", gpu, base::format_percent(*place.busy_percent));
  }
  if (place.host) {
    return gpu + aggregate::short_place_of_host(profile, *place.host);
  }
  return fmt::format("{}{}{}", gpu, is_before_op ? "before " : "", op);
}

// What does not fit into the line.
std::string details(const profile::Profile& profile, const aggregate::FindingPlace& place,
                    std::string_view op, bool is_before_op) {
  std::string text;
  if (place.host) text = fmt::format("Host meanwhile: {}\n", host_text(profile, *place.host));
  if (is_before_op && !op.empty()) text += fmt::format("Idle gap before {}\n", op);
  return text;
}

PlaceRow prepare_place(const profile::Profile& profile, const aggregate::Iterations& iterations,
                       const aggregate::FindingPlace& place, bool is_before_op) {
  PlaceRow row;
  row.iteration = place.iteration;
  row.duration = base::format_duration(place.stake_ns);
  if (place.device != profile::kNoRow) row.device = place.device;
  row.time = timeline::window_between(place.start_ns, place.start_ns + place.duration_ns);
  std::string process;
  if (place.instance != profile::kNoRow) {
    const profile::ThreadIndex thread = profile.instances.thread[place.instance];
    process = fmt::format(", process {}", profile.threads[thread].process_id);
    const profile::OpIndex op = profile.instances.op[place.instance];
    row.op = profile.text(profile.ops.name[op]);
    row.filter = aggregate::Filter{.kind = aggregate::FilterKind::op,
                                   .text = std::string(profile.text(profile.ops.id[op]))};
  }
  row.what = fmt::format("{} · {}", iteration_number(iterations, place.iteration),
                         what(profile, place, row.op, is_before_op));
  row.tooltip = fmt::format(
      "{}\n{} long, {} after the start, potential savings {}{}\n{}Click to show it in the Timeline",
      iteration_name(iterations, place.iteration), base::format_ns(place.duration_ns),
      base::format_duration(place.start_ns), base::format_ns(place.stake_ns), process,
      details(profile, place, row.op, is_before_op));
  return row;
}

// Returns whether to show the place in the Timeline.
bool draw_place_menu(Frame& frame, const std::string& name, const Box& line,
                     const PlaceRow& place) {
  CopyMenu menu(frame, name, line);
  if (!menu.is_open()) return false;
  bool shows = false;
  if (!place.op.empty()) menu.item("name", "Copy name", [&] { return place.op; });
  if (place.filter) offer_filter(frame, menu, *place.filter);
  menu.action("timeline", "Show in Timeline", [&] { shows = true; });
  menu.action("iteration", "Show iteration", [&] {
    frame.host.show(ViewId::iterations);
    frame.host.select_iteration(place.iteration);
  });
  return shows;
}

// Returns whether to show the place in the Timeline.
bool draw_place(Frame& frame, const std::string& name, const Box& line, const PlaceRow& place) {
  const Palette& colors = frame.palette();
  const ImFont* font = frame.fonts().small;
  const Hit hit = hit_area(frame, name, line);
  if (hit.hovered) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    show_tooltip(frame, place.tooltip);
  }
  const float text = line.left + frame.px(kDurationWidth);
  draw_text_right(font, text - frame.px(8), line.top, colors.text, place.duration);
  const auto measure = [font](std::string_view part) { return text_width(font, part); };
  const std::string shown = cut_text(place.what, line.right - text, CutAt::end, measure);
  draw_text(font, text, line.top, hit.hovered ? colors.text : colors.accent, shown);
  frame.inspector.record_value(name, fmt::format("{} {}", place.duration, place.what));
  frame.inspector.record_item(name + "/menu", item_rect(line));
  if (draw_place_menu(frame, name + "/menu", line, place)) return true;
  return hit.clicked;
}

}  // namespace

std::vector<PlaceRow> prepare_places(const profile::Profile& profile,
                                     const aggregate::Iterations& iterations,
                                     const aggregate::Finding& finding) {
  const bool are_before_ops = are_gaps_before_ops(finding.advice.detector);
  std::vector<PlaceRow> rows;
  for (const aggregate::FindingPlace& place : finding.places) {
    rows.push_back(prepare_place(profile, iterations, place, are_before_ops));
  }
  return rows;
}

PlacesResult draw_places(Frame& frame, const Area& area, std::string_view path,
                         const std::vector<PlaceRow>& places) {
  PlacesResult result{area.top};
  const float height = line_height(frame.fonts().small) + frame.px(2);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const Box line = box_of(area.below(result.bottom), height);
    if (draw_place(frame, fmt::format("{}/places/{}", path, i), line, places[i])) {
      result.in_timeline = &places[i];
    }
    result.bottom += height;
  }
  return result;
}

std::string threshold_line(std::string_view thresholds) {
  if (thresholds.empty()) return "";
  std::string line;
  for (std::size_t at = 0; at <= thresholds.size();) {
    const std::size_t end = std::min(thresholds.find(kBetween, at), thresholds.size());
    std::string one(thresholds.substr(at, end - at));
    // "GPU" stays.
    if (one.size() > 1 && one[1] >= 'a' && one[1] <= 'z') {
      one[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(one[0])));
    }
    line += fmt::format("{}{}", at == 0 ? "" : kBetween, one);
    at = end + kBetween.size();
  }
  const bool is_one = thresholds.find(kBetween) == std::string_view::npos;
  return fmt::format("Threshold{}: {}", is_one ? "" : "s", line);
}

float draw_threshold(Frame& frame, const Area& area, std::string_view path,
                     const FindingRule& rule) {
  const ImFont* font = frame.fonts().small;
  float right = area.right();
  const auto draw_link = [&](std::string_view part, std::string_view text) {
    const Box box{right - text_width(font, text), area.top, right, area.top + line_height(font)};
    right = box.left - frame.px(12);
    const Hit hit = hit_area(frame, fmt::format("{}/{}", path, part), box);
    if (hit.hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    draw_text(font, box.left, box.top, hit.hovered ? frame.palette().text : frame.palette().accent,
              text);
    return hit.clicked;
  };
  if (!rule.threshold.empty() && draw_link("threshold", kEditThreshold)) {
    frame.host.show_overlay(Overlay::thresholds);
  }
  if (!rule.detector.empty() && draw_link("page", kExplain)) {
    frame.host.show_definitions(rule.detector);
  }
  const std::string line = threshold_line(rule.threshold);
  frame.inspector.record_value(fmt::format("{}/threshold", path), line);
  const Area left{area.left, area.top, right - area.left};
  return std::max(draw_wrapped(font, left, frame.palette().dim, line),
                  area.top + line_height(font));
}

}  // namespace dlview::ui
