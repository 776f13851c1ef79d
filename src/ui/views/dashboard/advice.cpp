#include "ui/views/dashboard/advice.h"

#include <algorithm>
#include <charconv>
#include <span>

#include <fmt/format.h>

#include "aggregate/advice.h"
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
  if (detector == "cuda_core_products_detector") return FindingAction::show_kernels;
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

constexpr float kStakeWidth = 66;

struct FindingResult {
  float bottom;
  bool opened;
  const PlaceRow* in_timeline;
};

void draw_stake(Frame& frame, const Box& box, const FindingRow& finding) {
  const Palette& colours = frame.palette();
  const bool known = !finding.stake.empty();
  draw_text_right(frame.fonts().strong, box.right, box.top, known ? colours.attention : colours.dim,
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

FindingResult draw_finding(Frame& frame, const Area& area, const FindingRow& finding,
                           std::size_t index) {
  const Fonts& fonts = frame.fonts();
  const Palette& colours = frame.palette();
  const std::string path = fmt::format("dashboard/advice/{}", index);
  const float height = line_height(fonts.strong);
  const float indent = frame.px(kStakeWidth);
  draw_stake(frame, {area.left, area.top, area.left + indent - frame.px(12), area.top + height},
             finding);
  const bool has_action = finding.action != FindingAction::none;
  const float arrow = has_action ? text_width(fonts.strong, "»") + frame.px(10) : 0;
  const Area text{area.left + indent, area.top, area.width - indent - arrow};
  const float y = draw_wrapped(fonts.strong, text, colours.text, finding.problem);
  const bool opened =
      has_action && draw_arrow(frame, path + "/action",
                               {text.left, area.top, area.right(), std::max(y, area.top + height)},
                               finding.action);
  frame.inspector.record_value(path + "/problem", finding.problem);
  frame.inspector.record_value(path + "/stake", finding.stake);
  const Area below{text.left, y + frame.px(1), area.width - indent};
  float bottom = draw_prose(frame, fonts.small, below, colours.dim, finding.recommendation);
  const PlaceRow* in_timeline = nullptr;
  if (!finding.places.empty()) {
    const PlacesResult places =
        draw_places(frame, below.below(bottom + frame.px(4)), path, finding.places);
    bottom = places.bottom;
    in_timeline = places.in_timeline;
  }
  if (!finding.threshold.empty()) {
    bottom = draw_threshold(frame, below.below(bottom + frame.px(3)), path, finding.threshold);
  }
  return {bottom, opened, in_timeline};
}

// What the file cannot answer, so that a finding that is missing is not taken for none.
float draw_untold(Frame& frame, const Area& area, std::span<const aggregate::UntoldRule> rules) {
  float y = area.top;
  for (const aggregate::UntoldRule& rule : rules) {
    const std::string text = fmt::format("Not told: {}", rule.what);
    frame.inspector.record_value(fmt::format("dashboard/advice/untold/{}", rule.detector), text);
    y = draw_wrapped(frame.fonts().small, area.below(y + frame.px(8)), frame.palette().dim, text);
  }
  return y;
}

}  // namespace

std::vector<FindingRow> prepare_findings(const profile::Profile& profile,
                                         const aggregate::Iterations& iterations,
                                         const std::vector<aggregate::Finding>& findings,
                                         const aggregate::AdviceThresholds& thresholds) {
  std::vector<FindingRow> rows;
  for (const aggregate::Finding& finding : findings) {
    FindingRow row;
    row.problem = finding.advice.problem;
    row.recommendation = find_links(finding.advice.recommendation);
    row.action = action_of(finding.advice);
    if (row.action == FindingAction::show_ops) row.ops = ops_of(finding.advice);
    if (row.action == FindingAction::show_iterations) {
      row.range = parse_range(finding.advice.action_arguments);
    }
    if (finding.stake_ns) {
      row.stake = base::format_duration(*finding.stake_ns);
      row.stake_note = fmt::format("At stake per iteration, at most: {} ({})",
                                   base::format_ns(*finding.stake_ns), finding.stake_basis);
    }
    row.places = prepare_places(profile, iterations, finding.places);
    row.threshold = to_text(finding.thresholds, thresholds);
    rows.push_back(std::move(row));
  }
  return rows;
}

FindingsResult draw_findings(Frame& frame, const Area& area,
                             const std::vector<FindingRow>* findings, bool late) {
  const std::size_t count = findings == nullptr ? 0 : findings->size();
  const std::string detail = count == 0
                                 ? ""
                                 : fmt::format("{} finding{}{}", count, count == 1 ? "" : "s",
                                               late ? "" : " in this range");
  const Area body = draw_heading(frame, area,
                                 {"Expert systems", count == 0 ? "" : "time_at_stake", detail,
                                  count == 0 ? "" : "per iteration, at most"});
  frame.inspector.record_value("dashboard/advice/count", std::to_string(count));
  FindingsResult result{body.top};
  if (count == 0) {
    result.bottom =
        draw_wrapped(frame.fonts().text, body, frame.palette().dim,
                     findings == nullptr ? "Findings are being looked for, beside the window."
                     : late              ? "Nothing to report: no detector fired."
                                         : "Nothing to report: no detector fired in this range.");
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
    const FindingResult drawn = draw_finding(frame, body.below(result.bottom), (*findings)[i], i);
    ImGui::PopID();
    result.bottom = drawn.bottom;
    if (drawn.opened) result.opened = &(*findings)[i];
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

}  // namespace dlview::ui
