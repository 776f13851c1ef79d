#include "ui/views/dashboard/findings.h"

#include <algorithm>
#include <charconv>
#include <span>
#include <tuple>

#include <fmt/format.h>

#include "aggregate/advice.h"
#include "aggregate/finding_pages.h"
#include "base/units.h"
#include "profile/kernel_patterns.h"
#include "ranks/straggler_finding.h"
#include "ui/text.h"
#include "ui/widgets/panel.h"
#include "ui/widgets/tooltip.h"

namespace dlview::ui {
namespace {

FindingAction action_of(const aggregate::Finding& finding) {
  const aggregate::Advice& advice = finding.advice;
  if (advice.action == "ShowBadDataTypeOps") return FindingAction::show_ops;
  if (advice.action == "ShowIterations") return FindingAction::show_iterations;
  const std::string_view detector = advice.detector;
  if (detector == "underutilized_gpu_detector") return FindingAction::show_devices;
  if (detector == "batch_size_detector") return FindingAction::show_system;  // the memory in use
  if (detector == "cuda_core_products_detector" || detector == "layout_transposes" ||
      detector == "cudnn_benchmark_detector" || detector == "no_fusion_detector") {
    return FindingAction::show_kernels;
  }
  if (detector == "straggler_ranks") return FindingAction::show_ranks;
  if (detector == "dataloader_detector") return FindingAction::show_iterations;
  if (!finding.places.empty()) return FindingAction::show_place;
  if (detector == "launch_bound" || detector == "exposed_communication_detector") {
    return FindingAction::show_kernels;
  }
  const bool is_idle = detector == "gpu_idle" || detector == "gpu_hardly_used" ||
                       detector == "gpu_gaps" || detector == "gpu_time_util";
  return is_idle ? FindingAction::show_devices : FindingAction::none;
}

// Where its savings put it.
void add_straggler(aggregate::FoundFindings& found, const ranks::RunFigures& run) {
  auto straggler = ranks::straggler_finding(run);
  if (!straggler) return;
  const auto place = std::ranges::find_if(found.findings, [&](const aggregate::Finding& other) {
    return other.stake_ns.value_or(0) < *straggler->stake_ns &&
           other.advice.detector != "gpu_hardly_used";
  });
  found.findings.insert(place, *std::move(straggler));
}

// The amp detector is about a data type, the other one about Tensor Cores; largest GPU time first.
report::TableQuery ops_of(const aggregate::Advice& advice) {
  const report::ColumnFilter fault =
      advice.detector == "amp_detector"
          ? report::ColumnFilter{"data_type", std::string(aggregate::kBadDataType)}
          : report::ColumnFilter{"using_tc", "0"};
  return {"", {{"tc_eligible", "1"}, fault}, {{"gpu_time", report::SortDirection::descending}}};
}

// The kernels that a finding is about, largest GPU time first.
report::TableQuery kernels_of(std::string_view detector) {
  report::TableQuery query{"", {}, {{"gpu_time", report::SortDirection::descending}}};
  if (detector == "layout_transposes") {
    query.filters = {{"kernel_name", fmt::format("/{}/", profile::layout_transpose_pattern())}};
  } else if (detector == "cuda_core_products_detector" || detector == "no_fusion_detector") {
    query.filters = {{"uses_tc", "0"}};
  }
  return query;
}

// "10:255", both ends inclusive.
std::optional<aggregate::IterationRange> parse_range(std::string_view text) {
  aggregate::IterationRange range;
  const char* end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, range.first);
  if (first.ec != std::errc{} || first.ptr == end || *first.ptr != ':') return std::nullopt;
  const auto last = std::from_chars(first.ptr + 1, end, range.last);
  if (last.ec != std::errc{} || last.ptr != end) return std::nullopt;
  return range;
}

constexpr float kArrowWidth = 18, kStakeWidth = 66, kPartStakeWidth = 58;

struct FindingResult {
  float bottom = 0;
  const FindingRow* opened = nullptr;  // the finding or a part of it
  const PlaceRow* in_timeline = nullptr;
  bool is_toggled = false;
};

std::string_view destination(FindingAction action) {
  switch (action) {
    case FindingAction::none:
      return "";
    case FindingAction::show_iterations:
      return "Iterations";
    case FindingAction::show_ops:
      return "Ops";
    case FindingAction::show_kernels:
      return "Kernels";
    case FindingAction::show_devices:
      return "GPUs";
    case FindingAction::show_system:
      return "System";
    case FindingAction::show_ranks:
      return "Ranks";
    case FindingAction::show_place:
      return "Timeline";
  }
  return "";
}

std::string click_text(FindingAction action) {
  switch (action) {
    case FindingAction::none:
      return "";
    case FindingAction::show_ops:
      return "Click to list these ops";
    case FindingAction::show_kernels:
      return "Click to list the kernels";
    case FindingAction::show_place:
      return "Click to show the worst place in the Timeline";
    default:
      return fmt::format("Click to open {}", destination(action));
  }
}

std::string cut_at_end(const ImFont* font, std::string_view text, float width) {
  return cut_text(text, width, CutAt::end,
                  [font](std::string_view part) { return text_width(font, part); });
}

void draw_stake(Frame& frame, const Box& box, const FindingRow& finding) {
  const Palette& colors = frame.palette();
  const bool known = !finding.stake.empty();
  draw_text_right(frame.fonts().strong, box.right, box.top, known ? colors.attention : colors.dim,
                  known ? finding.stake : "–");
  if (known && hovered(box)) show_tooltip(frame, finding.stake_note);
}

// "62.1 ms  Scalar reads block the host ...": findings that cover the same time, so that nobody
// adds their savings up. A click opens the place of a part.
FindingResult draw_parts(Frame& frame, const Area& area, std::string_view path,
                         const std::vector<FindingRow>& parts) {
  const Palette& colors = frame.palette();
  const ImFont* font = frame.fonts().small;
  const float text = frame.px(kPartStakeWidth);
  draw_text(font, area.left, area.top, colors.dim, "Findings that cover the same time:");
  FindingResult result{.bottom = area.top + line_height(font) + frame.px(2)};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const FindingRow& part = parts[i];
    const float top = result.bottom;
    draw_text_right(font, area.left + text - frame.px(8), top, colors.text,
                    part.stake.empty() ? "–" : part.stake);
    const Area line{area.left + text, top, area.width - text};
    const std::string name = fmt::format("{}/parts/{}/action", path, i);
    const Box box{area.left, top, area.right(), top + line_height(font)};
    const bool opens = part.action != FindingAction::none;
    const Hit hit = hit_area(frame, name, box);
    draw_text(font, line.left, top,
              hit.hovered && opens ? colors.text
              : opens              ? colors.accent
                                   : colors.dim,
              cut_at_end(font, part.problem, line.width));
    if (hit.hovered) {
      if (opens) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
      show_tooltip(frame, fmt::format("{}\n{}{}{}", part.problem, part.summary, opens ? "\n" : "",
                                      click_text(part.action)));
    }
    if (hit.clicked && opens) result.opened = &part;
    result.bottom = box.bottom + frame.px(2);
  }
  return result;
}

// "Timeline ›" at the right end of the first line; all of the line opens it.
bool draw_action(Frame& frame, const std::string& name, const Box& line, FindingAction action) {
  const Hit hit = hit_area(frame, name, line);
  if (hit.hovered) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    show_tooltip(frame, click_text(action));
  }
  draw_text_right(frame.fonts().small, line.right, line.top + frame.px(1),
                  hit.hovered ? frame.palette().text : frame.palette().accent,
                  fmt::format("{} ›", destination(action)));
  return hit.clicked;
}

// The advice in one line, and how many findings cover the same time. Returns the bottom.
float draw_folded(Frame& frame, const Area& area, const FindingRow& finding) {
  const ImFont* font = frame.fonts().small;
  const Palette& colors = frame.palette();
  const std::string more =
      finding.parts.empty() ? "" : fmt::format("+{} for the same time", finding.parts.size());
  const float more_width = more.empty() ? 0 : text_width(font, more) + frame.px(12);
  draw_text_right(font, area.right(), area.top, colors.dim, more);
  const float width = area.width - more_width;
  const float bottom = area.top + line_height(font);
  draw_text(font, area.left, area.top, colors.dim, cut_at_end(font, finding.summary, width));
  if (hovered({area.left, area.top, area.left + width, bottom})) {
    show_tooltip(frame, finding.summary);
  }
  return bottom;
}

FindingResult draw_unfolded(Frame& frame, const Area& area, const FindingRow& finding,
                            std::string_view path) {
  FindingResult result;
  float& bottom = result.bottom;
  bottom =
      draw_prose(frame, frame.fonts().small, area, frame.palette().dim, finding.recommendation);
  if (!finding.places.empty()) {
    const PlacesResult places =
        draw_places(frame, area.below(bottom + frame.px(4)), path, finding.places);
    bottom = places.bottom;
    result.in_timeline = places.in_timeline;
  }
  if (!finding.parts.empty()) {
    const FindingResult parts =
        draw_parts(frame, area.below(bottom + frame.px(4)), path, finding.parts);
    bottom = parts.bottom;
    result.opened = parts.opened;
  }
  bottom = draw_threshold(frame, area.below(bottom + frame.px(3)), path,
                          {finding.detector, finding.threshold});
  return result;
}

// What tests read of a finding, unfolded or not.
void record(Inspector& inspector, const std::string& path, const FindingRow& finding) {
  inspector.record_value(path + "/problem", finding.problem);
  inspector.record_value(path + "/stake", finding.stake);
  inspector.record_value(path + "/advice", finding.summary);
  for (std::size_t i = 0; i < finding.parts.size(); ++i) {
    inspector.record_value(fmt::format("{}/parts/{}/problem", path, i), finding.parts[i].problem);
  }
}

FindingResult draw_finding(Frame& frame, const Area& area, const FindingRow& finding,
                           std::size_t index, bool is_unfolded) {
  const Fonts& fonts = frame.fonts();
  const Palette& colors = frame.palette();
  const std::string path = fmt::format("dashboard/advice/{}", index);
  record(frame.inspector, path, finding);
  const float height = line_height(fonts.strong);
  const float arrow = frame.px(kArrowWidth);
  const float indent = arrow + frame.px(kStakeWidth);
  const bool has_action = finding.action != FindingAction::none;
  const float link =
      has_action
          ? text_width(fonts.small, fmt::format("{} ›", destination(finding.action))) + frame.px(12)
          : 0;
  const Area text{area.left + indent, area.top, area.width - indent - link};
  const float y = draw_wrapped(fonts.strong, text, colors.text, finding.problem);
  const Box line{text.left, area.top, area.right(), std::max(y, area.top + height)};
  const bool opens = has_action && draw_action(frame, path + "/action", line, finding.action);

  const Area below{text.left, line.bottom + frame.px(1), area.width - indent};
  FindingResult result = is_unfolded ? draw_unfolded(frame, below, finding, path)
                                     : FindingResult{.bottom = draw_folded(frame, below, finding)};
  if (opens) result.opened = &finding;
  // The arrow and, while it is folded, the line of advice.
  const Hit hit = hit_area(frame, path + "/unfold",
                           {area.left, area.top, area.left + arrow, area.top + height});
  const Hit folded = is_unfolded ? Hit{}
                                 : hit_area(frame, path + "/folded",
                                            {below.left, below.top, below.right(), result.bottom});
  if (hit.hovered || folded.hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  result.is_toggled = hit.clicked || folded.clicked;
  draw_icon(is_unfolded ? Icon::down : Icon::right, area.left + frame.px(5), area.top + height / 2,
            frame.px(12), hit.hovered || folded.hovered ? colors.text : colors.dim);
  draw_stake(frame,
             {area.left + arrow, area.top, area.left + indent - frame.px(12), area.top + height},
             finding);
  return result;
}

// "1.04 ms"; empty where no time can be named.
std::string stake_text(const aggregate::Finding& finding) {
  return finding.stake_ns ? base::format_duration(*finding.stake_ns) : "";
}

CheckRow prepare_check(const aggregate::Check& check,
                       const aggregate::AdviceThresholds& thresholds) {
  CheckRow row{.title = std::string(aggregate::finding_page(check.detector).title),
               .is_found = check.is_found,
               .is_checked = check.not_checked.empty()};
  if (!check.not_checked.empty()) {
    row.value = "not checked";
    row.threshold = check.not_checked;
  } else if (!check.value) {
    row.value = check.is_found ? "found" : "not found";
  } else {
    row.value = base::format_percent(*check.value);
    row.threshold = to_text(std::span(&check.threshold, 1), thresholds);
  }
  return row;
}

// 1 at the threshold, 0 far from it, on whichever side a check without finding has to be; nullopt
// where no number decides.
std::optional<double> nearness(const aggregate::Check& check,
                               const aggregate::AdviceThresholds& thresholds) {
  if (!check.value || !check.not_checked.empty()) return std::nullopt;
  const auto all = aggregate::all_thresholds();
  const auto found = std::ranges::find(all, check.threshold, &aggregate::Threshold::id);
  if (found == all.end()) return std::nullopt;
  const double low = std::min(*check.value, thresholds.*found->value);
  const double high = std::max(*check.value, thresholds.*found->value);
  return high > 0 ? std::max(0.0, low) / high : 1;
}

// What is closest to being a finding comes first, after the findings; then what no number decides,
// and what was not checked.
std::vector<aggregate::Check> sorted_checks(std::vector<aggregate::Check> checks,
                                            const aggregate::AdviceThresholds& thresholds) {
  const auto key = [&thresholds](const aggregate::Check& check) {
    return std::tuple(!check.is_found, !check.not_checked.empty(),
                      check.is_found ? 0 : -nearness(check, thresholds).value_or(-1));
  };
  std::ranges::stable_sort(checks, {}, key);
  return checks;
}

FindingRow prepare_finding(const profile::Profile& profile, const aggregate::Iterations& iterations,
                           const aggregate::Finding& finding,
                           const aggregate::AdviceThresholds& thresholds, double average_ns) {
  FindingRow row;
  row.detector = finding.advice.detector;
  row.title = aggregate::finding_page(row.detector).title;
  row.problem = finding.advice.problem;
  row.summary = finding.advice.recommendation;
  row.recommendation = find_links(row.summary);
  row.action = action_of(finding);
  if (row.action == FindingAction::show_ops) row.query = ops_of(finding.advice);
  if (row.action == FindingAction::show_kernels) row.query = kernels_of(finding.advice.detector);
  if (row.action == FindingAction::show_iterations) {
    row.range = parse_range(finding.advice.action_arguments);
  }
  row.stake = stake_text(finding);
  if (finding.stake_ns) {
    row.stake_note = fmt::format("Potential savings: at most {} per iteration ({})",
                                 base::format_ns(*finding.stake_ns), finding.stake_basis);
    if (average_ns > 0) {
      row.stake_share =
          base::format_percent(100 * static_cast<double>(*finding.stake_ns) / average_ns);
    }
  }
  row.places = prepare_places(profile, iterations, finding);
  row.threshold = to_text(finding.thresholds, thresholds);
  for (const aggregate::Finding& part : finding.parts) {
    row.parts.push_back(prepare_finding(profile, iterations, part, thresholds, average_ns));
  }
  return row;
}

// What could not be checked, so that a missing finding does not read as a good result.
std::vector<std::string> not_checked(Frame& frame) {
  std::vector<std::string> lines;
  if (!frame.model.rules) return lines;
  for (const aggregate::UntoldRule& rule : frame.model.rules->untold()) {
    std::string text = fmt::format("Not checked: {}", rule.what);
    frame.inspector.record_value(fmt::format("dashboard/advice/untold/{}", rule.detector), text);
    if (lines.empty() || lines.back() != text) lines.push_back(std::move(text));
  }
  return lines;
}

// One line: "Exposed communication   0.3%   Potential savings of at least 2% of the iteration".
float draw_check(Frame& frame, const Area& area, const CheckRow& check) {
  const ImFont* font = frame.fonts().small;
  const Palette& colors = frame.palette();
  const float value_right = std::round(area.left + area.width * 0.5f);
  const float threshold_left = value_right + frame.px(16);
  const float value_left = value_right - text_width(font, check.value);
  draw_text_cut(frame, font, area.left, area.top, value_left - frame.px(8) - area.left, colors.dim,
                check.title, CutAt::end);
  draw_text(font, value_left, area.top, colors.text, check.value);
  draw_text_cut(frame, font, threshold_left, area.top, area.right() - threshold_left, colors.dim,
                check.threshold, CutAt::end);
  return area.top + line_height(font) + frame.px(3);
}

float draw_checks(Frame& frame, const Area& area, const std::vector<CheckRow>& checks,
                  const std::vector<std::string>& unchecked) {
  float y = area.top;
  for (const CheckRow& check : checks) {
    if (!check.is_found) y = draw_check(frame, area.below(y), check);
  }
  for (const std::string& line : unchecked) {
    y = draw_wrapped(frame.fonts().small, area.below(y), frame.palette().dim, line) + frame.px(3);
  }
  return y;
}

// `rules`: that the file cannot answer.
std::string checks_label(const FindingRows& findings, std::size_t rules) {
  std::size_t passed = 0, unchecked = rules;
  for (const CheckRow& check : findings.checks) {
    if (!check.is_found) ++(check.is_checked ? passed : unchecked);
  }
  std::string label = base::counted(static_cast<int64_t>(passed), "checks") + " found nothing";
  if (unchecked > 0) label += fmt::format(" · {} not checked", unchecked);
  return label;
}

void record_checks(Inspector& inspector, const FindingRows& findings) {
  for (std::size_t i = 0; i < findings.checks.size(); ++i) {
    const CheckRow& check = findings.checks[i];
    inspector.record_value(fmt::format("dashboard/advice/checks/{}", i),
                           fmt::format("{}: {}{}{}", check.title, check.value,
                                       check.threshold.empty() ? "" : ". ", check.threshold));
  }
}

// Checks and what could not be checked; folded behind a line if there are findings.
float draw_all_checks(Frame& frame, const Area& area, const FindingRows& findings,
                      UnfoldedFindings& unfolded) {
  record_checks(frame.inspector, findings);
  const std::vector<std::string> unchecked = not_checked(frame);
  if (findings.rows.empty()) return draw_checks(frame, area, findings.checks, unchecked);
  const ImFont* font = frame.fonts().small;
  const Palette& colors = frame.palette();
  const std::size_t rules = frame.model.rules ? frame.model.rules->untold().size() : 0;
  const std::string label = checks_label(findings, rules);
  frame.inspector.record_value("dashboard/advice/checks", label);
  const float height = line_height(font);
  const float text = area.left + frame.px(kArrowWidth);
  const Box line{area.left, area.top, text + text_width(font, label), area.top + height};
  const Hit hit = hit_area(frame, "dashboard/advice/checks", line);
  if (hit.hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  draw_icon(unfolded.checks ? Icon::down : Icon::right, area.left + frame.px(5),
            area.top + height / 2, frame.px(12), hit.hovered ? colors.text : colors.dim);
  draw_text(font, text, area.top, hit.hovered ? colors.text : colors.dim, label);
  const bool was_unfolded = unfolded.checks;
  if (hit.clicked) unfolded.checks = !unfolded.checks;
  if (!was_unfolded) return line.bottom;
  return draw_checks(frame, {text, line.bottom + frame.px(6), area.right() - text}, findings.checks,
                     unchecked);
}

}  // namespace

bool UnfoldedFindings::contains(const FindingRow& finding, std::size_t index) const {
  const auto found = chosen.find(finding.detector);
  return found == chosen.end() ? index < at_first : found->second;
}

FindingRows prepare_findings(const profile::Profile& profile,
                             const aggregate::Iterations& iterations,
                             const aggregate::FoundFindings& found,
                             const aggregate::AdviceThresholds& thresholds, double average_ns) {
  FindingRows result;
  for (const aggregate::Finding& finding : found.findings) {
    result.rows.push_back(prepare_finding(profile, iterations, finding, thresholds, average_ns));
  }
  for (const aggregate::Check& check : sorted_checks(found.checks, thresholds)) {
    result.checks.push_back(prepare_check(check, thresholds));
  }
  return result;
}

FindingsResult draw_findings(Frame& frame, const Area& area, const FindingRows* findings, bool late,
                             UnfoldedFindings& unfolded) {
  const std::size_t count = findings == nullptr ? 0 : findings->rows.size();
  const std::string detail =
      count == 0 ? "" : fmt::format("{}{}", count, late ? "" : " in this range");
  const Area body = draw_heading(frame, area,
                                 {"Findings", count == 0 ? aggregate::MetricId() : "time_at_stake",
                                  detail, count == 0 ? "" : "potential savings per iteration"});
  frame.inspector.record_value("dashboard/advice/count", std::to_string(count));
  FindingsResult result{body.top};
  if (findings == nullptr) {
    result.bottom = draw_wrapped(frame.fonts().text, body, frame.palette().dim, "Analyzing…");
    not_checked(frame);
    return result;
  }
  if (count == 0) {
    result.bottom = draw_wrapped(
        frame.fonts().text, body, frame.palette().dim,
        late ? "Nothing to report. Checked:" : "Nothing to report in this range. Checked:");
    if (draw_heading_link(frame, area, "dashboard/advice/thresholds", "Edit thresholds…")) {
      frame.host.show_overlay(Overlay::thresholds);
    }
  }
  const Color line = mix(frame.palette().panel, frame.palette().line, 0.6f);
  for (std::size_t i = 0; i < count; ++i) {
    const FindingRow& finding = findings->rows[i];
    ImGui::PushID(static_cast<int>(i));
    const bool is_unfolded = unfolded.contains(finding, i);
    const FindingResult drawn =
        draw_finding(frame, body.below(result.bottom), finding, i, is_unfolded);
    ImGui::PopID();
    if (drawn.is_toggled) unfolded.chosen[finding.detector] = !is_unfolded;
    result.bottom = drawn.bottom + frame.px(7);
    horizontal_line(body.left, body.right(), result.bottom, line);
    result.bottom += frame.px(8);
    if (drawn.opened != nullptr) result.opened = drawn.opened;
    if (drawn.in_timeline != nullptr) result.in_timeline = drawn.in_timeline;
  }
  if (count == 0) result.bottom += frame.px(8);
  result.bottom = draw_all_checks(frame, body.below(result.bottom), *findings, unfolded);
  return result;
}

std::shared_ptr<const FindingRows> FindingsData::get(const Model& model, Background& background) {
  const bool are_ranks_read = model.ranks && model.ranks->read && model.ranks->read->is_whole;
  const ranks::SharedRunFigures run = are_ranks_read ? model.ranks->read->figures : nullptr;
  const auto find = [profile = model.profile, aggregation = model.aggregation, rules = model.rules,
                     limits = model.limits, thresholds = model.thresholds,
                     run](const base::Progress&) {
    aggregate::FoundFindings findings = aggregate::find_findings(
        *profile, *aggregation, thresholds, rules.get(), aggregate::kWorstPlaces, limits.get());
    if (run) add_straggler(findings, *run);
    return std::make_shared<const Found>(
        Found{aggregation->selection.cut,
              prepare_findings(*profile, aggregation->iteration_table->iterations, findings,
                               thresholds, aggregation->average_iteration_ns())});
  };
  const aggregate::Selection& whole = model.aggregation->whole().selection;
  found_.want({whole, model.rules, model.limits, model.thresholds, run},
              has_few_events(*model.profile), background, find);
  const std::shared_ptr<const Found>& found = found_.get();
  if (!found || found->cut != whole.cut) return nullptr;
  return {found, &found->rows};
}

}  // namespace dlview::ui
