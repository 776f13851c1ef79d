#include "ui/widgets/controls.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include "base/units.h"
#include "ui/widgets/focus.h"

namespace dlview::ui {
namespace {

constexpr float kInset = 10;
constexpr float kControlRounding = 5;
constexpr float kTriangle = 13;

Box control_box(const Frame& frame, float left, float top, float width) {
  return {left, top, left + width, top + frame.px(kControlHeight)};
}

void draw_button_surface(const Frame& frame, const Box& box, bool lit) {
  const Palette& colors = frame.palette();
  fill(box, lit ? mix(colors.raised, colors.text, 0.08f) : colors.raised,
       frame.px(kControlRounding));
  outline(box, colors.line, frame.px(kControlRounding));
}

float segment_width(const Frame& frame, std::string_view label) {
  return text_width(frame.fonts().text, label) + 2 * frame.px(kInset);
}

constexpr float kFieldRounding = 5;
constexpr float kArrowsWidth = 18;

// The field's surface; Dear ImGui's own input box goes into it without one.
void draw_surface(const Frame& frame, const Box& box, bool alarming = false) {
  const Palette& colors = frame.palette();
  fill(box, colors.background, frame.px(kFieldRounding));
  const Color border = alarming ? colors.attention : hovered(box) ? colors.faint : colors.line;
  outline(box, border, frame.px(kFieldRounding));
}

// Runs `input` with Dear ImGui's next item placed into the box, exactly as high.
template <typename Input>
bool with_input(const Frame& frame, std::string_view name, const Box& box, const Input& input) {
  ImFont* font = frame.fonts().text;
  const float vertical = std::floor((box.height() - font_size(font)) / 2);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {frame.px(8), vertical});
  ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, 0);
  for (const ImGuiCol color : {ImGuiCol_FrameBg, ImGuiCol_FrameBgHovered, ImGuiCol_FrameBgActive}) {
    ImGui::PushStyleColor(color, 0);
  }
  push_font(font);
  ImGui::SetCursorScreenPos({box.left, box.top});
  ImGui::SetNextItemWidth(box.width());
  ImGui::PushID(name.data(), name.data() + name.size());
  const bool result = input();
  ImGui::PopID();
  ImGui::PopFont();
  ImGui::PopStyleColor(3);
  ImGui::PopStyleVar(2);
  return result;
}

constexpr int64_t kTenths = 10;

template <typename Number>
std::optional<Number> parse(std::string_view text) {
  Number number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// The number that was typed; of tenths one within the limits or just beyond.
std::optional<int64_t> parse(std::string_view text, const NumberLimits& limits) {
  if (!limits.tenths) return parse<int64_t>(text);
  const std::optional<double> number = parse<double>(text);
  if (!number) return std::nullopt;
  return std::llround(std::clamp(*number * kTenths, static_cast<double>(limits.low - 1),
                                 static_cast<double>(limits.high + 1)));
}

// "2.5" of 25 tenths, "2" of 20.
std::string text_of(int64_t value, bool tenths, std::string (*whole)(int64_t)) {
  if (!tenths) return whole(value);
  const int64_t rest = value % kTenths;
  return whole(value / kTenths) + (rest == 0 ? "" : fmt::format(".{}", rest));
}

// The two small arrows at the right; returns the step that was clicked.
int64_t draw_arrows(Frame& frame, std::string_view name, const Box& box) {
  const float width = frame.px(kArrowsWidth);
  const float middle = std::round((box.top + box.bottom) / 2);
  const Box up{box.right - width, box.top + 1, box.right - 1, middle};
  const Box down{box.right - width, middle, box.right - 1, box.bottom - 1};
  const float center = (up.left + up.right) / 2;
  const Color idle = frame.palette().dim;
  const Color lit = frame.palette().text;
  const Hit hit_up = hit_area(frame, std::string(name) + "/up", up, Reach::mouse);
  const Hit hit_down = hit_area(frame, std::string(name) + "/down", down, Reach::mouse);
  const float nudge = frame.px(2);
  draw_icon(Icon::up, center, (up.top + up.bottom) / 2 + nudge / 2, frame.px(10),
            hit_up.hovered ? lit : idle);
  draw_icon(Icon::down, center, (down.top + down.bottom) / 2 - nudge / 2, frame.px(10),
            hit_down.hovered ? lit : idle);
  return (hit_up.clicked ? 1 : 0) - (hit_down.clicked ? 1 : 0);
}

int64_t wheel_steps(const Box& box) {
  const ImGuiIO& io = ImGui::GetIO();
  if (io.MouseWheel == 0 || !hovered(box)) return 0;
  const int64_t step = io.KeyShift ? 10 : 1;
  return io.MouseWheel > 0 ? step : -step;
}

}  // namespace

float button_width(const Frame& frame, std::string_view label) {
  return text_width(frame.fonts().text, label) + 2 * frame.px(kInset);
}

bool draw_button(Frame& frame, std::string_view name, float left, float top, std::string_view label,
                 ButtonKind kind, bool enabled) {
  const Palette& colors = frame.palette();
  const Box box = control_box(frame, left, top, button_width(frame, label));
  const Hit hit = hit_area(frame, name, box);
  draw_button_surface(frame, box, enabled && hit.hovered);
  const Color text = !enabled                     ? colors.faint
                     : kind == ButtonKind::accent ? colors.accent
                                                  : colors.text;
  draw_text_in(frame.fonts().text, box, text, label, true);
  return enabled && hit.clicked;
}

float menu_button_width(const Frame& frame, std::string_view label) {
  return button_width(frame, label) + frame.px(kTriangle);
}

bool draw_menu_button(Frame& frame, std::string_view name, float left, float top,
                      std::string_view label, bool is_open) {
  const Palette& colors = frame.palette();
  const Box box = control_box(frame, left, top, menu_button_width(frame, label));
  const Hit hit = hit_area(frame, name, box);
  draw_button_surface(frame, box, hit.hovered || is_open);
  const Box text{box.left + frame.px(kInset), box.top, box.right, box.bottom};
  draw_text_in(frame.fonts().text, text, colors.text, label);
  draw_icon(Icon::down, box.right - frame.px(kInset) - frame.px(3), (box.top + box.bottom) / 2,
            frame.px(10), colors.dim);
  return hit.clicked;
}

float segments_width(const Frame& frame, std::span<const Segment> segments) {
  float width = 0;
  for (const Segment& segment : segments) width += segment_width(frame, segment.label);
  return width;
}

std::optional<std::size_t> draw_segments(Frame& frame, std::string_view name, float left, float top,
                                         std::span<const Segment> segments, std::size_t selected) {
  const Palette& colors = frame.palette();
  const float rounding = frame.px(kControlRounding);
  const Box all = control_box(frame, left, top, segments_width(frame, segments));
  fill(all, colors.panel, rounding);
  std::optional<std::size_t> chosen;
  float x = left;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const Segment& segment = segments[i];
    const Box box = control_box(frame, x, top, segment_width(frame, segment.label));
    const Hit hit = hit_area(frame, fmt::format("{}/{}", name, segment.id), box);
    if (i == selected) fill(box, mix(colors.raised, colors.text, 0.10f), rounding);
    const bool bright = i == selected || (hit.hovered && segment.enabled);
    draw_text_in(frame.fonts().text, box,
                 !segment.enabled ? colors.faint
                 : bright         ? colors.text
                                  : colors.dim,
                 segment.label, true);
    if (hit.clicked && segment.enabled && i != selected) chosen = i;
    x = box.right;
  }
  outline(all, colors.line, rounding);
  return chosen;
}

namespace {

// Runs the input box of a number. While it is not edited its own text is invisible, and the number
// stands there in groups of thousands.
struct NumberInput {
  bool edited = false, finished = false;
};
NumberInput input_number(Frame& frame, std::string_view name, const Box& box,
                         const std::string& idle_text, std::string& text) {
  const ImGuiID was_active_id = ImGui::GetID(std::string(name).append("/active").c_str());
  ImGuiStorage& storage = *ImGui::GetStateStorage();
  const bool was_active = storage.GetBool(was_active_id);
  if (!was_active) {
    const Box inside{box.left + frame.px(8), box.top, box.right, box.bottom};
    draw_text_in(frame.fonts().text, inside, frame.palette().text, idle_text);
    ImGui::PushStyleColor(ImGuiCol_Text, 0);
  }
  NumberInput input;
  input.edited = with_input(frame, name, box, [&] {
    return ImGui::InputText("##number", &text,
                            ImGuiInputTextFlags_CharsDecimal | ImGuiInputTextFlags_AutoSelectAll);
  });
  input.finished = ImGui::IsItemDeactivatedAfterEdit();
  if (!was_active) ImGui::PopStyleColor();
  storage.SetBool(was_active_id, ImGui::IsItemActive());
  return input;
}

}  // namespace

NumberEdit draw_number_field(Frame& frame, std::string_view name, const Box& box, int64_t value,
                             const NumberLimits& limits, bool alarming) {
  frame.inspector.record_item(name, item_rect(box));
  std::string text = text_of(value, limits.tenths, std::to_string);
  frame.inspector.record_value(name, text);
  draw_surface(frame, box, alarming);
  const int64_t step =
      (draw_arrows(frame, name, box) + wheel_steps(box)) * (limits.tenths ? kTenths : 1);
  const Box inside{box.left, box.top, box.right - frame.px(kArrowsWidth), box.bottom};
  const ImGuiID field = begin_field(frame, name, box);
  const NumberInput input =
      input_number(frame, name, inside, text_of(value, limits.tenths, base::format_count), text);
  if (ImGui::IsItemActive()) take_field(frame, field, box);

  std::optional<int64_t> wanted;
  if (input.edited || input.finished) wanted = parse(text, limits);
  const bool passing =
      wanted && !input.finished && (*wanted < limits.live_low || *wanted > limits.live_high);
  if (passing) wanted.reset();
  NumberEdit edit;
  edit.clamped = wanted && (*wanted < limits.low || *wanted > limits.high);
  if (step != 0) wanted = value + step;
  if (!wanted) return edit;
  const int64_t clamped = std::clamp(*wanted, limits.low, limits.high);
  if (clamped != value) edit.value = clamped;
  return edit;
}

TextFieldResult draw_text_field(Frame& frame, std::string_view name, const Box& box,
                                float reserved_right, std::string& text, std::string_view hint,
                                bool alarming) {
  frame.inspector.record_item(name, item_rect(box));
  frame.inspector.record_value(name, text);
  draw_surface(frame, box, alarming);
  const Box input{box.left, box.top, box.right - reserved_right, box.bottom};
  TextFieldResult result;
  // Dear ImGui from 1.89.6 on writes what was typed once more after the field has lost the
  // keyboard, over a text that the program has set since.
  const std::optional<std::string> kept =
      ImGui::IsAnyItemActive() ? std::nullopt : std::optional(text);
  const ImGuiID field = begin_field(frame, name, box);
  result.entered = with_input(frame, name, input, [&] {
    return ImGui::InputTextWithHint(
        "##text", std::string(hint).c_str(), &text,
        ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll);
  });
  result.active = ImGui::IsItemActive();
  if (kept && !result.active) text = *kept;
  if (result.active) {
    take_field(frame, field, box);
    frame.inspector.record_item(std::string(name) + "/cursor", item_rect(input));
  }
  return result;
}

bool draw_close_button(Frame& frame, std::string_view name, const Area& heading) {
  const float size = frame.px(16);
  const Box box{heading.right() - size, heading.top, heading.right(), heading.top + size};
  const Hit hit = hit_area(frame, name, box);
  draw_icon(Icon::close, (box.left + box.right) / 2, (box.top + box.bottom) / 2, size,
            hit.hovered ? frame.palette().text : frame.palette().dim);
  return hit.clicked;
}

}  // namespace dlview::ui
