#include "ui/views/tables/system.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>

#include <fmt/format.h>

#include "base/units.h"
#include "ui/data_quality.h"
#include "ui/views/dashboard/summary.h"
#include "ui/widgets/copy_menu.h"
#include "ui/widgets/panel.h"
#include "ui/widgets/scroll_area.h"
#include "ui/widgets/table.h"
#include "ui/widgets/text_block.h"

namespace dlview::ui {
namespace {

constexpr float kTwoColumnsFrom = 1000;
constexpr std::size_t kMostApiCalls = 30;

std::string counted(std::size_t count) {
  return base::format_count(static_cast<int64_t>(count));
}

std::vector<KeyValue> prepare_recording(const profile::Profile& profile) {
  const profile::SystemFacts& facts = profile.system;
  return {{"format", "Format", profile.source.format},
          {"size", "File size",
           profile.source.file_bytes > 0 ? base::format_bytes(profile.source.file_bytes) : ""},
          {"mode", "Mode", facts.mode},
          {"os", "Operating system", facts.os_name},
          {"build", "DLProf build", facts.dlprof_build},
          {"original_version", "Recorded by database version", facts.original_database_version},
          {"domain", "Domain", facts.domain},
          {"duration", "Length of the run", base::format_duration(profile.last_ns)}};
}

std::vector<KeyValue> prepare_model(const profile::Profile& profile) {
  if (!profile.system.model_config) return {};
  const profile::ModelConfig& config = *profile.system.model_config;
  const auto yes_or_no = [](bool value) { return std::string(value ? "yes" : "no"); };
  return {{"num_workers", "Data loader workers", base::format_count(config.num_workers)},
          {"pin_memory", "Pinned memory", yes_or_no(config.pin_memory)},
          {"cudnn_benchmark_disabled", "cuDNN benchmark disabled",
           yes_or_no(config.cudnn_benchmark_disabled)},
          {"amp_enabled", "AMP enabled", yes_or_no(config.amp_enabled)},
          {"emit_nvtx", "emit_nvtx", yes_or_no(config.emit_nvtx)},
          {"autograd_profile", "Autograd profiler", yes_or_no(config.autograd_profile)},
          {"detect_anomaly", "Detects anomalies",
           yes_or_no(config.detect_anomaly || config.autograd_set_detect_anomaly)},
          {"gradcheck", "gradcheck", yes_or_no(config.gradcheck)},
          {"gradgradcheck", "gradgradcheck", yes_or_no(config.gradgradcheck)}};
}

std::vector<KeyValue> prepare_counts(const profile::Profile& profile) {
  return {{"ops", "Ops", counted(profile.ops.size())},
          {"instances", "Op instances", counted(profile.instances.size())},
          {"kernels", "Kernel launches", counted(profile.kernels.size())},
          {"memory_ops", "Memory operations", counted(profile.memory_ops.size())},
          {"syncs", "Synchronizations", counted(profile.syncs.size())},
          {"api_calls", "Other CUDA API calls", counted(profile.api_calls.size())},
          {"threads", "Threads", counted(profile.threads.size())},
          {"strings", "Distinct texts", counted(profile.strings.size())}};
}

std::vector<KeyValue> prepare_memory(const profile::Profile& profile) {
  std::vector<KeyValue> values;
  for (const profile::Device& device : profile.devices) {
    std::string text;
    if (device.memory_total_bytes) {
      text = device.memory_used_bytes
                 ? fmt::format("{} of {} used", base::format_bytes(*device.memory_used_bytes),
                               base::format_bytes(*device.memory_total_bytes))
                 : base::format_bytes(*device.memory_total_bytes);
    }
    values.push_back({fmt::format("memory_{}", device.device_id),
                      fmt::format("GPU {} memory", device.device_id), std::move(text)});
  }
  return values;
}

float draw_values(Frame& frame, const Area& area, std::string_view title, std::string_view name,
                  const std::vector<KeyValue>& values, std::string_view when_none) {
  const Area body = draw_heading(frame, area, {title, "", "", ""});
  if (values.empty()) {
    return draw_wrapped(frame.fonts().text, body, frame.palette().dim, when_none);
  }
  return draw_key_values(frame, name, body, values);
}

float draw_stored(Frame& frame, const Area& area,
                  const std::vector<SystemContent::StoredRow>& rows) {
  const Fonts& fonts = frame.fonts();
  const Palette& colours = frame.palette();
  const Area body = draw_heading(frame, area, {"Stored aggregations", "", "", ""});
  if (rows.empty()) {
    return draw_wrapped(fonts.text, body, colours.dim, "The file holds none.");
  }
  Table table(frame, body,
              {{"Iterations", "", frame.px(90)},
               {"Key op", "", kFlexibleWidth},
               {"By", "", frame.px(130)},
               {"Started", "", frame.px(150)}});
  for (const SystemContent::StoredRow& row : rows) {
    const std::vector<Box> cells = table.next_row();
    const float top = cells[0].top + (cells[0].height() - fonts.text->FontSize) / 2;
    const std::string* texts[] = {&row.range, &row.key_op, &row.who, &row.started};
    for (std::size_t i = 0; i < cells.size(); ++i) {
      draw_text_cut(frame, i == 1 ? fonts.mono : fonts.text, cells[i].left, top, cells[i].width(),
                    colours.text, *texts[i], CutAt::front);
    }
    frame.inspector.record_value("system/stored/" + row.id, row.range);
  }
  return table.bottom();
}

float draw_api_calls(Frame& frame, const Area& area,
                     const std::vector<SystemContent::ApiRow>& rows) {
  const Fonts& fonts = frame.fonts();
  const Palette& colours = frame.palette();
  const Area body =
      draw_heading(frame, area, {"CUDA API calls", "", "whole run", "time on the CPU, plain sum"});
  if (rows.empty()) return draw_wrapped(fonts.text, body, colours.dim, "None was recorded.");
  Table table(frame, body,
              {{"Call", "", kFlexibleWidth},
               {"Calls", "", frame.px(80), Align::right},
               {"Total", "", frame.px(72), Align::right},
               {"Longest", "", frame.px(72), Align::right}});
  for (const SystemContent::ApiRow& row : rows) {
    const std::vector<Box> cells = table.next_row();
    const float top = cells[0].top + (cells[0].height() - fonts.text->FontSize) / 2;
    draw_text_cut(frame, fonts.mono, cells[0].left, top, cells[0].width(), colours.text, row.name,
                  CutAt::middle);
    draw_text_right(fonts.text, cells[1].right, top, colours.text, row.calls);
    draw_text_right(fonts.text, cells[2].right, top, colours.text, row.total);
    draw_text_right(fonts.text, cells[3].right, top, colours.text, row.longest);
    if (const CopyMenu menu(frame, "system/api/" + row.name, cells[2]); menu.is_open()) {
      menu.item("value", "Copy value", [&] { return row.full; });
    }
    frame.inspector.record_value("system/api/" + row.name, row.total);
  }
  return table.bottom();
}

}  // namespace

SystemContent prepare_system_page(const profile::Profile& profile,
                                  const std::vector<aggregate::ApiTotals>& api_calls,
                                  const std::string& viewer_version) {
  SystemContent content;
  content.machine = prepare_system(profile, viewer_version);
  content.recording = prepare_recording(profile);
  content.command = profile.system.original_command;
  content.model = prepare_model(profile);
  content.counts = prepare_counts(profile);
  content.memory = prepare_memory(profile);
  for (const profile::StoredAggregation& stored : profile.stored_aggregations) {
    content.stored.push_back(
        {std::to_string(stored.id),
         fmt::format("{} – {}", base::format_count(stored.first_iteration),
                     base::format_count(stored.last_iteration)),
         stored.key_op.empty() ? "none" : stored.key_op,
         stored.host.empty() ? stored.user : fmt::format("{} on {}", stored.user, stored.host),
         stored.started});
  }
  for (const aggregate::ApiTotals& call : api_calls) {
    if (content.api_calls.size() == kMostApiCalls) break;
    content.api_calls.push_back({std::string(call.name), base::format_count(call.calls),
                                 base::format_duration(call.total_ns),
                                 base::format_ns(call.total_ns),
                                 base::format_duration(call.longest_ns)});
  }
  return content;
}

void SystemView::prepare(const Model& model) {
  if (prepared_for_ == model.profile) return;
  prepared_for_ = model.profile;
  content_ =
      prepare_system_page(*model.profile, aggregate::api_totals(*model.profile), model.version);
}

void SystemView::draw(Frame& frame, const Box& box) {
  prepare(frame.model);
  ScrollArea scroll(frame, "system", box);
  scroll.end_at(draw_columns(frame, scroll.area()));
}

float SystemView::draw_columns(Frame& frame, const Area& area) {
  using Draw = std::function<float(const Area&)>;
  const Draw left[] = {[&](const Area& a) {
                         return draw_values(frame, a, "System configuration", "system/machine",
                                            content_.machine, "");
                       },
                       [&](const Area& a) {
                         return draw_values(frame, a, "GPU memory", "system/memory",
                                            content_.memory, "The profile tells of no GPU.");
                       },
                       [&](const Area& a) {
                         return draw_values(frame, a, "Model configuration", "system/model",
                                            content_.model, "Recorded for PyTorch only.");
                       },
                       [&](const Area& a) { return draw_api_calls(frame, a, content_.api_calls); }};
  const Draw right[] = {
      [&](const Area& a) {
        const float bottom =
            draw_values(frame, a, "Recording", "system/recording", content_.recording, "");
        if (content_.command.empty()) return bottom;
        return draw_text_block(frame, "system", a.below(bottom + frame.px(12)), "Command line",
                               content_.command, whole_command_);
      },
      [&](const Area& a) { return draw_stored(frame, a, content_.stored); },
      [&](const Area& a) {
        return draw_values(frame, a, "Rows", "system/counts", content_.counts, "");
      },
      [&](const Area& a) {
        return draw_quality_list(frame, draw_heading(frame, a, {"Data quality", "", "", ""}));
      }};
  const float gap = frame.px(kGap);
  const bool two = area.width >= frame.px(kTwoColumnsFrom);
  const float width = two ? std::floor((area.width - gap) / 2) : area.width;
  const auto draw_all = [&](std::span<const Draw> panels, float x, float top) {
    for (const Draw& panel : panels) {
      PanelRow row(frame, top);
      const Area inner = row.begin_panel(x, width);
      row.end_panel(panel(inner));
      top = row.finish() + gap;
    }
    return top;
  };
  const float left_bottom = draw_all(left, area.left, area.top);
  const float right_bottom =
      draw_all(right, two ? area.left + width + gap : area.left, two ? area.top : left_bottom);
  return std::max(left_bottom, right_bottom) - gap;
}

}  // namespace dlview::ui
