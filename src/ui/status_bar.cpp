#include "ui/status_bar.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/units.h"
#include "profile/recorded.h"
#include "ui/data_quality.h"
#include "ui/text.h"
#include "ui/widgets/tooltip.h"

namespace dlview::ui {
namespace {

std::string file_name_of(const std::string& path) {
  return path.substr(path.find_last_of('/') + 1);
}

std::string quality_text(const profile::Profile& profile) {
  int64_t rows = 0;
  for (const profile::QualityNote& note : profile.quality) rows += note.rows;
  std::string text;
  const auto add = [&text](const std::string& part) { text += (text.empty() ? "" : " · ") + part; };
  if (!profile::file_damage(profile).empty()) add("damaged file");
  if (rows > 0) add(base::counted(rows, "rows") + " skipped");
  if (!profile.not_recorded.empty()) {
    add(base::counted(std::ssize(profile.not_recorded), "items") + " not recorded");
  }
  return text;
}

bool shows_cached_numbers(const Model& model) {
  return model.engine.empty() || model.aggregation_ms == 0;
}

std::string aggregation_text(const Model& model) {
  std::string text;
  if (shows_cached_numbers(model)) {
    text = "cached numbers";
    if (!model.engine.empty()) text += " · changes computed on " + model.engine;
  } else {
    text = "computed on " + model.engine;
    if (model.aggregation_ms >= 0) {
      text += fmt::format(" · {}", base::format_duration(model.aggregation_ms * 1e6));
    }
  }
  if (model.aggregating) text += " · …";
  return text;
}

// A surface of its own, so that it lies above scrolling parts; it takes no input.
void draw_floating(Frame& frame, const char* id, const Box& box, float opacity, const ImFont* font,
                   std::string_view text) {
  const Palette& colors = frame.palette();
  ImGui::SetNextWindowPos({box.left - 1, box.top - 1});
  ImGui::SetNextWindowSize({box.width() + 2, box.height() + 2});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::Begin(id, nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoInputs |
                   ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoFocusOnAppearing);
  ImGui::PopStyleVar();
  fill(box, with_opacity(colors.raised, opacity), frame.px(6));
  outline(box, with_opacity(mix(colors.line, colors.text, 0.2f), opacity), frame.px(6));
  const float inset = frame.px(14);
  draw_text_cut(frame, font, box.left + inset, box.top + (box.height() - font_size(font)) / 2,
                box.width() - 2 * inset, with_opacity(colors.text, opacity), text, CutAt::middle);
  ImGui::End();
}

}  // namespace

StatusText prepare_status(const Model& model, std::string view) {
  StatusText status;
  if (!model.file_name.empty()) status.left.push_back(file_name_of(model.file_name));
  if (!model.profile) return status;
  const profile::Profile& profile = *model.profile;
  if (!status.left.empty() && !profile.source.format.empty()) {
    status.left.back() += " · " + profile.source.format;
  }
  if (model.aggregation) {
    const aggregate::Iterations& iterations = model.aggregation->iteration_table->iterations;
    const auto count = static_cast<int64_t>(iterations.rows.size());
    const std::string label = aggregate::range_label(iterations, {0, count - 1});
    status.left.push_back(base::counted(count, "iterations") +
                          (label.empty() ? "" : " · " + label));
  }
  const bool has_gpu_work = profile::tells_of(profile, profile::Evidence::gpu_work);
  std::string size = has_gpu_work
                         ? base::counted(static_cast<int64_t>(profile.kernels.size()), "kernels")
                         : "GPU activity not recorded";
  if (profile.source.file_bytes > 0) size += " · " + base::format_bytes(profile.source.file_bytes);
  status.left.push_back(std::move(size));
  if (!profile.trace && profile.source.by_tensor_core_rules) {
    status.left.emplace_back("Tensor Cores by dlview's rules");
  }
  if (!view.empty()) status.left.push_back(std::move(view));
  if (model.aggregation) status.left.push_back(aggregation_text(model));
  if (model.aggregation && shows_cached_numbers(model)) {
    status.engine_reason = "Numbers from the last time the file was open; dlview is checking them";
  }
  if (!model.engine_reason.empty()) {
    if (!status.engine_reason.empty()) status.engine_reason += '\n';
    status.engine_reason += model.engine_reason;
  }
  status.quality = quality_text(profile);
  return status;
}

void draw_status_bar(Frame& frame, const Box& bar, std::string view) {
  const ImFont* font = frame.fonts().small;
  const Palette& colors = frame.palette();
  fill(bar, colors.panel);
  horizontal_line(bar.left, bar.right, bar.top, colors.line);
  const StatusText status = prepare_status(frame.model, std::move(view));
  float quality_left = bar.right - frame.px(12);
  if (!status.quality.empty()) {
    const float icon = frame.px(11);
    quality_left -= text_width(font, status.quality) + frame.px(6) + icon;
    draw_quality_summary(frame, {quality_left, bar.top, bar.right - frame.px(12), bar.bottom},
                         status.quality);
  }
  frame.inspector.record_value("status/quality", status.quality);

  const bool tells_engine = frame.model.aggregation && !status.engine_reason.empty();
  const float gap = frame.px(22);
  float x = bar.left + frame.px(12);
  const float top = bar.top + (bar.height() - font_size(font)) / 2;
  std::string all;
  for (const std::string& text : status.left) {
    const float width = text_width(font, text);
    if (x + width + gap > quality_left) break;
    Color color = colors.dim;
    if (tells_engine && &text == &status.left.back()) {
      const Hit hit = hit_area(frame, "status/engine", {x, bar.top, x + width, bar.bottom});
      if (hit.hovered) color = colors.text;
      if (hit.hovered) show_tooltip(frame, status.engine_reason);
    }
    draw_text(font, x, top, color, text);
    x += width + gap;
    all += all.empty() ? text : "  " + text;
  }
  frame.inspector.record_value("status", all);
}

void draw_notices(Frame& frame, float bottom) {
  const std::vector<Notice>& notices = frame.model.notices;
  frame.inspector.record_value("notice", notices.empty() ? "" : notices.back().text);
  const ImFont* font = frame.fonts().text;
  const float window = ImGui::GetIO().DisplaySize.x;
  float y = bottom - frame.px(14);
  for (std::size_t i = notices.size(); i-- > 0;) {
    const Notice& notice = notices[i];
    const float width =
        std::min(text_width(font, notice.text) + frame.px(30), window - 2 * frame.px(24));
    const float left = std::round((window - width) / 2);
    const Box box{left, y - frame.px(32), left + std::ceil(width), y};
    draw_floating(frame, fmt::format("toast {}", i).c_str(), box, notice.opacity, font,
                  notice.text);
    frame.inspector.record_value(fmt::format("notice/{}", i), notice.text);
    y = box.top - frame.px(6);
  }
}

void draw_frame_times(Frame& frame, float top) {
  if (!frame.model.frame_times) return;
  const FrameTimes& times = *frame.model.frame_times;
  const std::string text =
      fmt::format("frame: built in {:.1f} ms · drawn in {:.1f} ms", times.build_ms, times.draw_ms);
  frame.inspector.record_value("frame_times", text);
  const ImFont* font = frame.fonts().small;
  const float right = ImGui::GetIO().DisplaySize.x - frame.px(12);
  const float left = right - std::ceil(text_width(font, text) + frame.px(30));
  draw_floating(frame, "frame times", {left, top + frame.px(8), right, top + frame.px(34)}, 0.9f,
                font, text);
}

}  // namespace dlview::ui
