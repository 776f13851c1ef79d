#include "ui/views/dashboard/advice.h"

#include <charconv>

#include <fmt/format.h>

#include "ui/widgets/panel.h"

namespace dlview::ui {
namespace {

FindingAction action_of(const aggregate::Advice& advice) {
  if (advice.action == "ShowBadDataTypeOps") return FindingAction::show_data_types;
  if (advice.action == "ShowIterations") return FindingAction::show_iterations;
  return FindingAction::none;
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

struct FindingResult {
  float bottom;
  bool opened;
};

FindingResult draw_finding(Frame& frame, const Area& area, const FindingRow& finding,
                           std::size_t index) {
  const Fonts& fonts = frame.fonts();
  const Palette& colours = frame.palette();
  const std::string path = fmt::format("dashboard/advice/{}", index);
  const float indent = frame.px(16);
  const float dot = line_height(fonts.strong) / 2;
  ImGui::GetWindowDrawList()->AddCircleFilled({area.left + frame.px(4), area.top + dot},
                                              frame.px(3), colours.attention);
  const bool has_action = finding.action != FindingAction::none;
  const float arrow = has_action ? text_width(fonts.strong, "»") + frame.px(10) : 0;
  const Area text{area.left + indent, area.top, area.width - indent - arrow};
  float y = draw_wrapped(fonts.strong, text, colours.text, finding.problem);
  bool opened = false;
  if (has_action) {
    const float height = line_height(fonts.strong);
    const Box box{area.right() - arrow, area.top, area.right(), area.top + height};
    const Hit hit = hit_area(frame, path + "/action", box);
    opened = hit.clicked;
    if (hit.hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    draw_text_right(fonts.strong, area.right(), area.top,
                    hit.hovered ? colours.text : colours.accent, "»");
  }
  frame.inspector.record_value(path + "/problem", finding.problem);
  const Area below{text.left, y + frame.px(1), area.width - indent};
  y = draw_prose(frame, fonts.small, below, colours.dim, finding.recommendation);
  return {y, opened};
}

}  // namespace

std::vector<FindingRow> prepare_findings(const aggregate::Aggregation& aggregation) {
  std::vector<FindingRow> findings;
  for (const aggregate::Advice& advice : aggregation.advice) {
    FindingRow row;
    row.problem = advice.problem;
    row.recommendation = find_links(advice.recommendation);
    row.action = action_of(advice);
    if (row.action == FindingAction::show_iterations) {
      row.range = parse_range(advice.action_arguments);
    }
    findings.push_back(std::move(row));
  }
  return findings;
}

FindingsResult draw_findings(Frame& frame, const Area& area,
                             const std::vector<FindingRow>& findings) {
  const std::size_t count = findings.size();
  const std::string detail =
      count == 0 ? "" : fmt::format("{} finding{} in this range", count, count == 1 ? "" : "s");
  const Area body = draw_heading(frame, area, {"Expert systems", "", detail, ""});
  frame.inspector.record_value("dashboard/advice/count", std::to_string(count));
  if (findings.empty()) {
    return {draw_wrapped(frame.fonts().text, body, frame.palette().dim,
                         "Nothing to report: no detector fired in this range."),
            nullptr};
  }
  FindingsResult result{body.top, nullptr};
  for (std::size_t i = 0; i < count; ++i) {
    ImGui::PushID(static_cast<int>(i));
    if (i > 0) {
      result.bottom += frame.px(7);
      horizontal_line(body.left, body.right(), result.bottom,
                      mix(frame.palette().panel, frame.palette().line, 0.6f));
      result.bottom += frame.px(8);
    }
    const FindingResult drawn = draw_finding(frame, body.below(result.bottom), findings[i], i);
    ImGui::PopID();
    result.bottom = drawn.bottom;
    if (drawn.opened) result.opened = &findings[i];
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
