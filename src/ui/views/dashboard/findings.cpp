#include "ui/views/dashboard/findings.h"

#include <algorithm>
#include <charconv>
#include <span>

#include <fmt/format.h>

#include "aggregate/advice.h"
#include "aggregate/finding_pages.h"
#include "base/units.h"
#include "ui/widgets/panel.h"
#include "ui/widgets/tooltip.h"

namespace dlview::ui {
namespace {

FindingAction action_of(const aggregate::Advice& advice) {
  if (advice.action == "ShowBadDataTypeOps") return FindingAction::show_ops;
  if (advice.action == "ShowIterations") return FindingAction::show_iterations;
  const std::string_view detector = advice.detector;
  if (detector == "underutilized_gpu_detector") return FindingAction::show_devices;
  if (detector == "batch_size_detector") return FindingAction::show_system;  // the memory in use
  if (detector == "gpu_idle" || detector == "gpu_hardly_used" || detector == "gpu_gaps" ||
      detector == "gpu_time_util") {
    return FindingAction::show_devices;
  }
  if (detector == "cuda_core_products_detector" || detector == "layout_transposes" ||
      detector == "launch_bound" || detector == "exposed_communication_detector") {
    return FindingAction::show_kernels;
  }
  if (detector == "cudnn_benchmark_detector" || detector == "no_fusion_detector") {
    return FindingAction::show_kernels;
  }
  return detector == "dataloader_detector" ? FindingAction::show_iterations : FindingAction::none;
}

// The amp detector speaks of a data type, the other one of Tensor Cores; largest GPU time first.
report::TableQuery ops_of(const aggregate::Advice& advice) {
  const report::ColumnFilter fault =
      advice.detector == "amp_detector"
          ? report::ColumnFilter{"data_type", std::string(aggregate::kBadDataType)}
          : report::ColumnFilter{"using_tc", "0"};
  return {"", {{"tc_eligible", "1"}, fault}, {{"gpu_time", report::SortDirection::descending}}};
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

constexpr float kStakeWidth = 66, kPartStakeWidth = 58;

struct FindingResult {
  float bottom;
  const FindingRow* opened;  // the finding or a part of it
  const PlaceRow* in_timeline;
};

void draw_stake(Frame& frame, const Box& box, const FindingRow& finding) {
  const Palette& colors = frame.palette();
  const bool known = !finding.stake.empty();
  draw_text_right(frame.fonts().strong, box.right, box.top, known ? colors.attention : colors.dim,
                  known ? finding.stake : "–");
  if (known && hovered(box)) show_tooltip(frame, finding.stake_note);
}

std::string_view destination(FindingAction action) {
  switch (action) {
    case FindingAction::none:
      return "";
    case FindingAction::show_iterations:
      return "Opens Iterations";
    case FindingAction::show_ops:
      return "Opens Ops & kernels with the ops in question";
    case FindingAction::show_kernels:
      return "Opens the kernel details";
    case FindingAction::show_devices:
      return "Opens GPUs";
    case FindingAction::show_system:
      return "Opens System, which has the memory in use";
  }
  return "";
}

// The whole first line opens what it speaks of. Returns whether it was clicked.
bool draw_arrow(Frame& frame, const std::string& name, const Box& line, FindingAction action) {
  const Hit hit = hit_area(frame, name, line);
  if (hit.hovered) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    show_tooltip(frame, destination(action));
  }
  draw_text_right(frame.fonts().strong, line.right, line.top,
                  hit.hovered ? frame.palette().text : frame.palette().accent, "»");
  return hit.clicked;
}

struct PartsResult {
  float bottom = 0;
  const FindingRow* opened = nullptr;
};

// "62.1 ms  Scalar reads block the host ...": findings that speak of the same time, so that nobody
// adds them up. A click opens what the part speaks of.
PartsResult draw_parts(Frame& frame, const Area& area, std::string_view path,
                       const std::vector<FindingRow>& parts) {
  const Palette& colors = frame.palette();
  const ImFont* font = frame.fonts().small;
  const float text = frame.px(kPartStakeWidth);
  draw_text(font, area.left, area.top, colors.dim, "Findings about the same time:");
  PartsResult result{area.top + line_height(font) + frame.px(2)};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const FindingRow& part = parts[i];
    const float top = result.bottom;
    draw_text_right(font, area.left + text - frame.px(8), top, colors.text,
                    part.stake.empty() ? "–" : part.stake);
    const Area line{area.left + text, top, area.width - text};
    const float bottom = draw_wrapped(font, line, colors.dim, part.problem);
    const std::string name = fmt::format("{}/parts/{}", path, i);
    const Hit hit = hit_area(frame, name + "/action", {area.left, top, area.right(), bottom});
    const bool opens = part.action != FindingAction::none;
    if (hit.hovered) {
      if (opens) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
      show_tooltip(
          frame, fmt::format("{}{}{}", part.summary, opens ? "\n" : "", destination(part.action)));
    }
    if (hit.clicked && opens) result.opened = &part;
    frame.inspector.record_value(name + "/problem", part.problem);
    result.bottom = bottom + frame.px(2);
  }
  return result;
}

FindingResult draw_finding(Frame& frame, const Area& area, const FindingRow& finding,
                           std::size_t index) {
  const Fonts& fonts = frame.fonts();
  const Palette& colors = frame.palette();
  const std::string path = fmt::format("dashboard/advice/{}", index);
  const float height = line_height(fonts.strong);
  const float indent = frame.px(kStakeWidth);
  draw_stake(frame, {area.left, area.top, area.left + indent - frame.px(12), area.top + height},
             finding);
  const bool has_action = finding.action != FindingAction::none;
  const float arrow = has_action ? text_width(fonts.strong, "»") + frame.px(10) : 0;
  const Area text{area.left + indent, area.top, area.width - indent - arrow};
  const float y = draw_wrapped(fonts.strong, text, colors.text, finding.problem);
  const FindingRow* opened = nullptr;
  if (has_action && draw_arrow(frame, path + "/action",
                               {text.left, area.top, area.right(), std::max(y, area.top + height)},
                               finding.action)) {
    opened = &finding;
  }
  frame.inspector.record_value(path + "/problem", finding.problem);
  frame.inspector.record_value(path + "/stake", finding.stake);
  frame.inspector.record_value(path + "/advice", finding.summary);
  const Area below{text.left, y + frame.px(1), area.width - indent};
  float bottom = draw_prose(frame, fonts.small, below, colors.dim, finding.recommendation);
  const PlaceRow* in_timeline = nullptr;
  if (!finding.places.empty()) {
    const PlacesResult places =
        draw_places(frame, below.below(bottom + frame.px(4)), path, finding.places);
    bottom = places.bottom;
    in_timeline = places.in_timeline;
  }
  if (!finding.parts.empty()) {
    const PartsResult parts =
        draw_parts(frame, below.below(bottom + frame.px(4)), path, finding.parts);
    bottom = parts.bottom;
    if (parts.opened != nullptr) opened = parts.opened;
  }
  bottom = draw_threshold(frame, below.below(bottom + frame.px(3)), path,
                          {finding.detector, finding.threshold});
  return {bottom, opened, in_timeline};
}

// "1.04 ms"; empty where no time can be named.
std::string stake_text(const aggregate::Finding& finding) {
  return finding.stake_ns ? base::format_duration(*finding.stake_ns) : "";
}

// "Exposed communication: 0.3%. Potential savings of at least 2% of the iteration".
std::string check_text(const aggregate::Check& check,
                       const aggregate::AdviceThresholds& thresholds) {
  const std::string_view title = aggregate::finding_page(check.detector).title;
  if (!check.not_checked.empty())
    return fmt::format("{}: not checked ({})", title, check.not_checked);
  if (!check.value) return fmt::format("{}: {}", title, check.is_found ? "found" : "not found");
  return fmt::format("{}: {}. Threshold: {}", title, base::format_percent(*check.value),
                     to_text(std::span(&check.threshold, 1), thresholds));
}

FindingRow prepare_finding(const profile::Profile& profile, const aggregate::Iterations& iterations,
                           const aggregate::Finding& finding,
                           const aggregate::AdviceThresholds& thresholds) {
  FindingRow row;
  row.detector = finding.advice.detector;
  row.problem = finding.advice.problem;
  row.summary = finding.advice.recommendation;
  row.recommendation = find_links(row.summary);
  row.action = action_of(finding.advice);
  if (row.action == FindingAction::show_ops) row.ops = ops_of(finding.advice);
  if (row.action == FindingAction::show_iterations) {
    row.range = parse_range(finding.advice.action_arguments);
  }
  row.stake = stake_text(finding);
  if (finding.stake_ns) {
    row.stake_note = fmt::format("Potential savings: at most {} per iteration ({})",
                                 base::format_ns(*finding.stake_ns), finding.stake_basis);
  }
  row.places = prepare_places(profile, iterations, finding);
  row.threshold = to_text(finding.thresholds, thresholds);
  for (const aggregate::Finding& part : finding.parts) {
    row.parts.push_back(prepare_finding(profile, iterations, part, thresholds));
  }
  return row;
}

float draw_checks(Frame& frame, const Area& area, const std::vector<std::string>& checks) {
  float y = area.top;
  for (std::size_t i = 0; i < checks.size(); ++i) {
    frame.inspector.record_value(fmt::format("dashboard/advice/checks/{}", i), checks[i]);
    y = draw_wrapped(frame.fonts().small, area.below(y), frame.palette().dim, checks[i]) +
        frame.px(2);
  }
  return y;
}

// What the file cannot answer, so that a finding that is missing is not taken for none.
float draw_untold(Frame& frame, const Area& area, std::span<const aggregate::UntoldRule> rules) {
  float y = area.top;
  for (const aggregate::UntoldRule& rule : rules) {
    const std::string text = fmt::format("Not checked: {}", rule.what);
    frame.inspector.record_value(fmt::format("dashboard/advice/untold/{}", rule.detector), text);
    if (&rule != rules.data() && (&rule - 1)->what == rule.what) continue;
    y = draw_wrapped(frame.fonts().small, area.below(y + frame.px(8)), frame.palette().dim, text);
  }
  return y;
}

}  // namespace

FindingRows prepare_findings(const profile::Profile& profile,
                             const aggregate::Iterations& iterations,
                             const aggregate::FoundFindings& found,
                             const aggregate::AdviceThresholds& thresholds) {
  FindingRows result;
  for (const aggregate::Finding& finding : found.findings) {
    result.rows.push_back(prepare_finding(profile, iterations, finding, thresholds));
  }
  for (const aggregate::Check& check : found.checks) {
    result.checks.push_back(check_text(check, thresholds));
  }
  return result;
}

FindingsResult draw_findings(Frame& frame, const Area& area, const FindingRows* findings,
                             bool late) {
  const std::size_t count = findings == nullptr ? 0 : findings->rows.size();
  const std::string detail = count == 0
                                 ? ""
                                 : fmt::format("{} finding{}{}", count, count == 1 ? "" : "s",
                                               late ? "" : " in this range");
  const Area body = draw_heading(frame, area,
                                 {"Findings", count == 0 ? aggregate::MetricId() : "time_at_stake",
                                  detail, count == 0 ? "" : "max. savings per iteration"});
  frame.inspector.record_value("dashboard/advice/count", std::to_string(count));
  FindingsResult result{body.top};
  if (count == 0) {
    result.bottom = draw_wrapped(frame.fonts().text, body, frame.palette().dim,
                                 findings == nullptr ? "Analyzing…"
                                 : late              ? "Nothing to report."
                                                     : "Nothing to report in this range.");
    if (findings != nullptr) {
      result.bottom = draw_checks(frame, body.below(result.bottom + frame.px(6)), findings->checks);
    }
    if (draw_heading_link(frame, area, "dashboard/advice/thresholds", "Thresholds ›")) {
      frame.host.show_overlay(Overlay::thresholds);
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    ImGui::PushID(static_cast<int>(i));
    if (i > 0) {
      result.bottom += frame.px(7);
      horizontal_line(body.left, body.right(), result.bottom,
                      mix(frame.palette().panel, frame.palette().line, 0.6f));
      result.bottom += frame.px(8);
    }
    const FindingResult drawn =
        draw_finding(frame, body.below(result.bottom), findings->rows[i], i);
    ImGui::PopID();
    result.bottom = drawn.bottom;
    if (drawn.opened != nullptr) result.opened = drawn.opened;
    if (drawn.in_timeline != nullptr) result.in_timeline = drawn.in_timeline;
  }
  if (frame.model.rules) {
    result.bottom = draw_untold(frame, body.below(result.bottom), frame.model.rules->untold());
  }
  return result;
}

float draw_guidance(Frame& frame, const Area& area) {
  static const std::vector<TextSpan> kParagraphs[] = {
      {{"Tensor Cores work on FP16, BF16, TF32 and INT8 data. Layers reach full speed when "
        "channels and batch size are multiples of 8. ",
        ""},
       {"Tensor Cores", "https://developer.nvidia.com/tensor-cores"}},
      {{"Mixed precision keeps FP32 weights and computes in half precision; frameworks switch it "
        "on with a line or two. ",
        ""},
       {"Mixed-precision training guide",
        "https://docs.nvidia.com/deeplearning/performance/mixed-precision-training/index.html"}},
      {{"When one op launches several kernels, the small ones often transpose data between "
        "layouts. They do not use Tensor Cores and need not.",
        ""}},
  };
  const Area body = draw_heading(frame, area, {"Guidance", "", "", ""});
  float y = body.top;
  for (const auto& paragraph : kParagraphs) {
    ImGui::PushID(&paragraph);
    y = draw_prose(frame, frame.fonts().small, body.below(y), frame.palette().dim, paragraph);
    ImGui::PopID();
    y += frame.px(8);
  }
  return y - frame.px(8);
}

std::shared_ptr<const FindingRows> FindingsData::get(const Model& model, Background& background) {
  const auto find = [profile = model.profile, aggregation = model.aggregation, rules = model.rules,
                     thresholds = model.thresholds](const base::Progress&) {
    return std::make_shared<const Found>(Found{
        aggregation->selection.cut,
        prepare_findings(*profile, aggregation->iteration_table->iterations,
                         aggregate::find_findings(*profile, *aggregation, thresholds, rules.get()),
                         thresholds)});
  };
  const aggregate::Selection& whole = model.aggregation->whole().selection;
  found_.want({whole, model.rules, model.thresholds}, has_few_events(*model.profile), background,
              find);
  const std::shared_ptr<const Found>& found = found_.get();
  if (!found || found->cut != whole.cut) return nullptr;
  return {found, &found->rows};
}

}  // namespace dlview::ui
