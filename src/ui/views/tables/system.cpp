#include "ui/views/tables/system.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include <fmt/format.h>

#include "aggregate/api_totals.h"
#include "aggregate/memory_use.h"
#include "aggregate/tensor_core_uses.h"
#include "aggregate/tensorboard.h"
#include "base/units.h"
#include "profile/recorded.h"
#include "report/capture.h"
#include "ui/data_quality.h"
#include "ui/text.h"
#include "ui/views/dashboard/summary.h"
#include "ui/views/tables/memory_chart.h"
#include "ui/widgets/figures.h"
#include "ui/widgets/fixed_table.h"
#include "ui/widgets/menu.h"
#include "ui/widgets/panel.h"

namespace dlview::ui {
namespace {

constexpr float kTwoColumnsFrom = 1000;
constexpr std::size_t kMostApiCalls = 30;
constexpr std::size_t kMostDoubtfulKernels = 12;
constexpr std::string_view kSumming = "Summing…";
constexpr std::string_view kTensorBoardNote =
    "These figures follow the plugin's definitions, not dlview's. A step ends with its last GPU "
    "activity. "
    "Runtime calls and all communication are separate parts.";

std::string count_text(std::size_t count) {
  return base::format_count(static_cast<int64_t>(count));
}

std::vector<KeyValue> prepare_recording(const profile::Profile& profile) {
  const profile::SystemFacts& facts = profile.system;
  std::vector<KeyValue> rows{
      {"format", "Format", profile.source.format},
      {"size", "File size",
       profile.source.file_bytes > 0 ? base::format_bytes(profile.source.file_bytes) : ""}};
  const auto add = [&](const char* id, const char* label, std::string value) {
    rows.push_back({id, label, std::move(value)});
  };
  if (profile.trace) {
    const profile::CaptureFacts& capture = profile.trace->capture;
    add("schema", "Export schema", capture.schema_version);
    add("recorded", "Captured", report::recording_time(*profile.trace));
    add("session", "Capture length",
        profile.trace->duration_ns ? base::format_duration(*profile.trace->duration_ns) : "");
    add("host", "Host", capture.host);
    add("program", "Program", capture.program);
    add("processes", "Processes", report::process_names(profile));
  } else {
    add("mode", "Mode", facts.mode);
    add("os", "Operating system", facts.os_name);
    add("build", "DLProf build", facts.dlprof_build);
    if (facts.original_database_version != facts.database_version) {
      add("original_version", "Converted from database version", facts.original_database_version);
    }
    add("domain", "Domain", facts.domain);
  }
  const std::string duration = base::format_duration(profile.last_ns - profile.first_ns);
  const bool is_new = std::ranges::none_of(
      rows, [&](const KeyValue& row) { return row.id == "session" && row.value == duration; });
  if (is_new) add("duration", "Run length", duration);
  if (profile::is_pytorch_trace(profile)) leave_out_unrecorded(rows);
  return rows;
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
          {"detect_anomaly", "Anomaly detection",
           yes_or_no(config.detect_anomaly || config.autograd_set_detect_anomaly)},
          {"gradcheck", "gradcheck", yes_or_no(config.gradcheck)},
          {"gradgradcheck", "gradgradcheck", yes_or_no(config.gradgradcheck)}};
}

// What prepare_contents() counts is left out.
std::vector<KeyValue> prepare_counts(const profile::Profile& profile) {
  std::vector<KeyValue> rows{{"ops", "Ops", count_text(profile.ops.size())},
                             {"instances", "Op instances", count_text(profile.instances.size())},
                             {"threads", "Threads", count_text(profile.threads.size())},
                             {"strings", "Distinct strings", count_text(profile.strings.size())}};
  if (!profile.recorded_tables.empty()) return rows;
  rows.push_back({"kernels", "Kernel launches", count_text(profile.kernels.size())});
  rows.push_back({"memory_ops", "Memory operations", count_text(profile.memory_ops.size())});
  rows.push_back({"syncs", "Synchronizations", count_text(profile.syncs.size())});
  rows.push_back({"api_calls", fmt::format("Other {} calls", profile::gpu_api(profile)),
                  count_text(profile.api_calls.size())});
  if (!profile.trace) return rows;
  const bool is_trace = profile::is_pytorch_trace(profile);
  rows.push_back({"nvtx", is_trace ? "Ranges" : "NVTX ranges and marks",
                  count_text(profile.trace->nvtx.size())});
  rows.push_back({"os_calls", "OS runtime calls", count_text(profile.trace->os_calls.size())});
  rows.push_back({"mpi_calls", "MPI calls", count_text(profile.trace->mpi_calls.size())});
  return rows;
}

// What the export holds beside the events that `prepare_counts` counts.
std::vector<KeyValue> prepare_contents(const profile::Profile& profile) {
  std::vector<KeyValue> rows;
  for (const profile::RecordedTable& table : profile.recorded_tables) {
    rows.push_back({table.name, table.what.empty() ? table.name : table.what,
                    fmt::format("{} · {}", base::format_count(table.rows),
                                table.use.empty() ? "not used" : "used for " + table.use)});
  }
  return rows;
}

std::vector<KeyValue> prepare_messages(const profile::Profile& profile) {
  std::vector<KeyValue> rows;
  for (const profile::ProfilerMessage& message : profile.profiler_messages) {
    rows.push_back({fmt::format("message_{}", rows.size()), message.is_error ? "Error" : "Warning",
                    message.count == 1 ? message.text
                                       : fmt::format("{} ({} times)", message.text,
                                                     base::format_count(message.count))});
  }
  return rows;
}

std::vector<KeyValue> prepare_memory(const profile::Profile& profile) {
  // Of a trace it is what PyTorch reserved: one of the peaks.
  const bool tells_use = !profile::is_pytorch_trace(profile);
  std::vector<KeyValue> values;
  for (const profile::Device& device : profile.devices) {
    const std::string id = fmt::format("memory_{}", device.device_id);
    std::string size;
    if (device.memory_total_bytes) size = base::format_bytes(*device.memory_total_bytes);
    if (tells_use && device.memory_total_bytes && device.memory_used_bytes) {
      values.push_back(
          {id, fmt::format("GPU {} memory used", device.device_id),
           fmt::format("{} of {}", base::format_bytes(*device.memory_used_bytes), size)});
    } else {
      values.push_back({id, fmt::format("GPU {} memory size", device.device_id), std::move(size)});
    }
  }
  return values;
}

std::vector<KeyValue> prepare_memory_peaks(const profile::Profile& profile) {
  constexpr base::Interval kAlways{std::numeric_limits<int64_t>::min(),
                                   std::numeric_limits<int64_t>::max()};
  std::vector<KeyValue> values;
  const MemoryCurves curves = aggregate::memory_curves(profile);
  const auto gpus = aggregate::gpus_of(profile, curves);
  for (std::size_t i = 0; i < curves.size(); ++i) {
    const aggregate::MemoryCurve& curve = curves[i];
    if (curve.device().is_cpu()) continue;
    const std::string device = aggregate::to_text(curve.device());
    const std::string name = name_of(profile, curve, gpus[i]);
    const aggregate::MemoryCurve::Use most = curve.most(kAlways);
    values.push_back(
        {"allocated_" + device,
         name + (curve.has_totals() ? " peak allocated" : " peak allocated since capture start"),
         base::format_bytes(most.allocated)});
    if (!curve.has_reserved()) continue;
    values.push_back(
        {"reserved_" + device, name + " peak reserved", base::format_bytes(most.reserved)});
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

float draw_tensorboard(Frame& frame, const Area& area, const std::vector<KeyValue>& values) {
  const Area body =
      draw_heading(frame, area, {"TensorBoard plugin's figures", "", "whole run", ""});
  const float bottom =
      draw_wrapped(frame.fonts().small, body, frame.palette().dim, kTensorBoardNote);
  frame.inspector.record_value("system/tensorboard/note", kTensorBoardNote);
  return draw_key_values(frame, "system/tensorboard", body.below(bottom + frame.px(6)), values);
}

float draw_stored(Frame& frame, const Area& area, const std::vector<SystemPage::StoredRow>& rows) {
  const Fonts& fonts = frame.fonts();
  const Palette& colors = frame.palette();
  const Area body = draw_heading(frame, area, {"Stored aggregations", "", "", ""});
  if (rows.empty()) {
    return draw_wrapped(fonts.text, body, colors.dim, "None in this file.");
  }
  // The marker has what the texts of the other columns leave.
  const auto width_of = [&](std::string_view title, std::string SystemPage::StoredRow::*text) {
    float width = text_width(fonts.text, title);
    for (const SystemPage::StoredRow& row : rows) {
      width = std::max(width, text_width(fonts.text, row.*text));
    }
    return std::min(width + frame.px(16), std::round(body.width * 0.4f));
  };
  FixedTable table(frame, body,
                   {{"Iterations", "", width_of("Iterations", &SystemPage::StoredRow::range)},
                    {"Iteration marker", "", kFlexibleWidth},
                    {"By", "", width_of("By", &SystemPage::StoredRow::who)},
                    {"Started", "", width_of("Started", &SystemPage::StoredRow::started)}});
  for (const SystemPage::StoredRow& row : rows) {
    const std::vector<Box> cells = table.next_row();
    const float top = cells[0].top + (cells[0].height() - font_size(fonts.text)) / 2;
    const std::string* texts[] = {&row.range, &row.key_op, &row.who, &row.started};
    for (std::size_t i = 0; i < cells.size(); ++i) {
      draw_text_cut(frame, i == 1 ? fonts.mono : fonts.text, cells[i].left, top, cells[i].width(),
                    colors.text, *texts[i], CutAt::front);
    }
    frame.inspector.record_value("system/stored/" + row.id, row.range);
  }
  return table.bottom();
}

float draw_tensor_cores(Frame& frame, const Area& area, const SystemSums* sums) {
  const Fonts& fonts = frame.fonts();
  const Palette& colors = frame.palette();
  const bool by_rules = frame.model.profile->source.by_tensor_core_rules;
  const Area body =
      draw_heading(frame, area,
                   {"Tensor Core classification", "tensor_core_rules", "whole run",
                    by_rules ? "numbers use dlview's rules" : "numbers use the database flags"});
  if (!sums) return draw_wrapped(fonts.text, body, colors.dim, kSumming);
  frame.inspector.record_value("system/tensor_cores", sums->tensor_core_note);
  float y = draw_wrapped(fonts.text, body, colors.dim, sums->tensor_core_note);
  if (!frame.model.profile->trace) {
    const std::string_view label = by_rules ? "Use database flags" : "Use dlview's rules";
    y += frame.px(6);
    const Box box{body.left, y, body.left + text_width(fonts.text, label),
                  y + line_height(fonts.text)};
    const Hit hit = hit_area(frame, "system/tensor_cores/switch", box);
    draw_text(fonts.text, box.left, box.top, colors.accent, label);
    if (hit.hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    if (hit.clicked) frame.host.run_command("view.tensor_core_rules");
    y = box.bottom;
  }
  if (sums->doubtful_kernels.empty()) return y;
  // Where dlview's rules count, all rows are unknown.
  FixedTable table(frame, body.below(y + frame.px(8)),
                   {{"Kernel name", "", kFlexibleWidth},
                    {"Counted as", "", by_rules ? 0 : frame.px(72)},
                    {"dlview", "", by_rules ? 0 : frame.px(58)},
                    {"Matched rule", "", frame.px(110)},
                    {"GPU time", "kernel_gpu_time", frame.px(64), Align::right}});
  for (const SystemSums::KernelRow& row : sums->doubtful_kernels) {
    const std::vector<Box> cells = table.next_row();
    const float top = cells[0].top + (cells[0].height() - font_size(fonts.text)) / 2;
    draw_text_cut(frame, fonts.mono, cells[0].left, top, cells[0].width(), colors.text, row.name,
                  CutAt::middle);
    if (!by_rules) {
      draw_text(fonts.text, cells[1].left, top, colors.text, row.counted);
      draw_text(fonts.text, cells[2].left, top, colors.text, row.present);
    }
    draw_text_cut(frame, fonts.text, cells[3].left, top, cells[3].width(), colors.dim, row.rule,
                  CutAt::middle);
    draw_text_right(fonts.text, cells[4].right, top, colors.text, row.gpu_time);
    frame.inspector.record_value("system/tensor_cores/" + row.name, row.present);
  }
  return table.bottom();
}

float draw_api_calls(Frame& frame, const Area& area, const SystemSums* sums) {
  const Fonts& fonts = frame.fonts();
  const Palette& colors = frame.palette();
  const std::string title = std::string(profile::gpu_api(*frame.model.profile)) + " calls";
  const Area body = draw_heading(frame, area, {title, "", "whole run", "CPU time, sum"});
  if (!sums) return draw_wrapped(fonts.text, body, colors.dim, kSumming);
  if (sums->api_calls.empty()) {
    const std::string lack = lack_text(*frame.model.profile, profile::Evidence::api_calls);
    return draw_wrapped(fonts.text, body, colors.dim, lack.empty() ? "No calls recorded." : lack);
  }
  FixedTable table(frame, body,
                   {{"Call", "", kFlexibleWidth},
                    {"Calls", "", frame.px(80), Align::right},
                    {"Total", "", frame.px(72), Align::right},
                    {"Longest", "", frame.px(72), Align::right}});
  for (const SystemSums::ApiRow& row : sums->api_calls) {
    const std::vector<Box> cells = table.next_row();
    const float top = cells[0].top + (cells[0].height() - font_size(fonts.text)) / 2;
    draw_text_cut(frame, fonts.mono, cells[0].left, top, cells[0].width(), colors.text, row.name,
                  CutAt::middle);
    draw_text_right(fonts.text, cells[1].right, top, colors.text, row.calls);
    draw_text_right(fonts.text, cells[2].right, top, colors.text, row.total);
    draw_text_right(fonts.text, cells[3].right, top, colors.text, row.longest);
    if (CopyMenu menu(frame, "system/api/" + row.name, cells[2]); menu.is_open()) {
      menu.item("value", "Copy value", [&] { return row.full; });
    }
    frame.inspector.record_value("system/api/" + row.name, row.total);
  }
  return table.bottom();
}

void add_tensor_cores(SystemSums& sums, const profile::Profile& profile) {
  using profile::InstanceIndex;
  const InstanceIndex end(static_cast<profile::Row>(profile.instances.size()));
  const auto uses = aggregate::tensor_core_uses(profile, InstanceIndex{0}, end);
  const aggregate::TensorCoreDoubts doubts = aggregate::doubts(uses);
  int64_t total_ns = 0;
  for (const aggregate::TensorCoreUses& row : uses) {
    total_ns += row.gpu_ns;
    const bool unknown = row.present.use == profile::TensorCoreUse::unknown;
    if ((!row.differs() && !unknown) || sums.doubtful_kernels.size() == kMostDoubtfulKernels) {
      continue;
    }
    sums.doubtful_kernels.push_back(
        {std::string(profile.text(row.name)), row.counted ? "yes" : "no",
         std::string(to_text(row.present.use)), std::string(rule_text(row.present)),
         base::format_duration(row.gpu_ns)});
  }
  const auto part = [&](int64_t names, std::string_view what, int64_t ns) {
    return fmt::format("{}: {} of {}, {} of {} GPU time", what, base::format_count(names),
                       base::counted(doubts.all_names, "kernel names"), base::format_duration(ns),
                       base::format_duration(total_ns));
  };
  const int version = profile::kTensorCoreRulesVersion;
  if (profile.source.by_tensor_core_rules) {
    sums.tensor_core_note =
        fmt::format("All kernels are classified by dlview's rules, version {}.", version);
  } else if (doubts.names == 0) {
    sums.tensor_core_note =
        fmt::format("dlview's rules, version {}, agree with the database.", version);
  } else {
    sums.tensor_core_note = part(doubts.names, "Differs from database", doubts.gpu_ns) + ".";
  }
  if (doubts.unknown_names > 0) {
    sums.tensor_core_note +=
        fmt::format(" {}. {}.", part(doubts.unknown_names, "Unknown", doubts.unknown_gpu_ns),
                    profile.source.by_tensor_core_rules
                        ? "They count as other kernels; Tensor Core efficiency excludes them"
                        : "Their database flags count");
  }
}

// The figures of PyTorch's TensorBoard plugin; empty without steps.
std::vector<KeyValue> prepare_tensorboard(const profile::Profile& profile) {
  const aggregate::TensorBoardOverview overview = aggregate::tensorboard_overview(profile);
  std::vector<KeyValue> rows;
  if (overview.steps.empty()) return rows;
  const double step_ns = overview.average_step_ns();
  const auto percent = [](double part, double whole) {
    return base::format_percent(whole <= 0 ? 0 : 100 * part / whole);
  };
  rows.push_back(
      {"steps", "Steps", base::format_count(static_cast<int64_t>(overview.steps.size()))});
  rows.push_back({"step_time", "Average step time", base::format_duration(step_ns)});
  for (std::size_t i = 0; i < aggregate::kTensorBoardCategories; ++i) {
    const auto category = static_cast<aggregate::TensorBoardCategory>(i);
    const double ns = overview.average_ns(category);
    if (ns == 0) continue;
    const std::string name(to_text(category));
    rows.push_back(
        {name, name, fmt::format("{} · {}", base::format_duration(ns), percent(ns, step_ns))});
  }
  for (const aggregate::TensorBoardGpu& gpu : overview.gpus) {
    const auto add = [&](const char* id, std::string_view label, std::string value) {
      rows.push_back({fmt::format("{}_{}", id, gpu.device_id),
                      fmt::format("GPU {} {}", gpu.device_id, label), std::move(value)});
    };
    add("utilization", "utilization",
        percent(static_cast<double>(gpu.busy_ns), static_cast<double>(overview.span_ns())));
    if (gpu.sm_efficiency_percent) {
      add("sm_efficiency", "est. SM efficiency", base::format_percent(*gpu.sm_efficiency_percent));
    }
    if (gpu.occupancy_percent) {
      add("occupancy", "est. achieved occupancy", base::format_percent(*gpu.occupancy_percent));
    }
  }
  if (overview.kernel_ns > 0) {
    rows.push_back({"tensor_cores", "Kernel time using Tensor Cores",
                    percent(static_cast<double>(overview.tensor_core_ns),
                            static_cast<double>(overview.kernel_ns))});
  }
  for (std::size_t i = 0; i < overview.recommendations.size(); ++i) {
    rows.push_back(
        {fmt::format("recommendation_{}", i), "Recommendation", overview.recommendations[i]});
  }
  return rows;
}

}  // namespace

SystemPage system_page(const profile::Profile& profile, const std::string& viewer_version) {
  SystemPage page;
  page.machine = prepare_system(profile, viewer_version);
  page.recording = prepare_recording(profile);
  page.command = profile.system.original_command;
  page.model = prepare_model(profile);
  page.counts = prepare_counts(profile);
  page.contents = prepare_contents(profile);
  page.messages = prepare_messages(profile);
  page.memory = prepare_memory(profile);
  for (const profile::StoredAggregation& stored : profile.stored_aggregations) {
    page.stored.push_back(
        {std::to_string(stored.id),
         stored.first_iteration == stored.last_iteration
             ? base::format_count(stored.first_iteration)
             : fmt::format("{}–{}", base::format_count(stored.first_iteration),
                           base::format_count(stored.last_iteration)),
         stored.key_op.empty() ? "none" : stored.key_op,
         stored.host.empty() ? stored.user : fmt::format("{} on {}", stored.user, stored.host),
         stored.started});
  }
  return page;
}

SystemSums system_sums(const profile::Profile& profile) {
  SystemSums sums;
  if (profile::is_pytorch_trace(profile)) sums.tensorboard = prepare_tensorboard(profile);
  if (aggregate::has_memory_events(profile)) sums.memory_peaks = prepare_memory_peaks(profile);
  if (profile.kernels.size() > 0) add_tensor_cores(sums, profile);
  for (const aggregate::ApiTotals& call : aggregate::api_totals(profile)) {
    if (sums.api_calls.size() == kMostApiCalls) break;
    sums.api_calls.push_back({std::string(call.name), base::format_count(call.calls),
                              base::format_duration(call.total_ns), base::format_ns(call.total_ns),
                              base::format_duration(call.longest_ns)});
  }
  return sums;
}

void SystemView::draw(Frame& frame, const Box& box, const ViewTools& tools) {
  const auto& profile = frame.model.profile;
  if (page_of_ != profile) page_ = system_page(*profile, frame.model.version);
  page_of_ = profile;
  sums_.want(profile, has_few_events(*profile), tools.tables.background,
             [profile](const base::Progress&) {
               return std::make_shared<const SystemSums>(system_sums(*profile));
             });
  ScrollArea scroll(frame, "system", box);
  scroll.end_at(draw_columns(frame, scroll.area()));
}

float SystemView::draw_columns(Frame& frame, const Area& area) {
  using Draw = std::function<float(const Area&)>;
  const auto values = [&frame](std::string_view title, std::string_view name,
                               const std::vector<KeyValue>& rows, std::string_view when_none) {
    return [=, &frame, &rows](const Area& a) {
      return draw_values(frame, a, title, name, rows, when_none);
    };
  };
  // An export has neither a model's configuration, but where DLProf's markers tell it, nor
  // aggregations.
  const bool is_export = frame.model.profile->trace.has_value();
  const SystemSums* sums = sums_.get().get();
  std::vector<KeyValue> memory = page_.memory;
  if (sums) memory.insert(memory.end(), sums->memory_peaks.begin(), sums->memory_peaks.end());
  std::vector<Draw> panels{values("System configuration", "system/machine", page_.machine, ""),
                           [&](const Area& a) {
                             const float bottom = draw_values(
                                 frame, a, "Capture", "system/recording", page_.recording, "");
                             if (page_.command.empty()) return bottom;
                             return draw_text_block(frame, "system", a.below(bottom + frame.px(12)),
                                                    "Command line", page_.command, whole_command_);
                           },
                           values("GPU memory", "system/memory", memory, "No GPUs recorded.")};
  if (!is_export || !page_.model.empty()) {
    panels.push_back(
        values("Model configuration", "system/model", page_.model, "Recorded for PyTorch only."));
  }
  if (frame.model.profile->kernels.size() > 0) {
    panels.push_back([&](const Area& a) { return draw_tensor_cores(frame, a, sums); });
  }
  if (is_export) {
    panels.push_back(values("Contents of the capture", "system/contents", page_.contents, ""));
  } else {
    panels.push_back([&](const Area& a) { return draw_stored(frame, a, page_.stored); });
  }
  panels.push_back([&](const Area& a) {
    return draw_quality_list(frame, draw_heading(frame, a, {"Data quality", "", "", ""}));
  });
  if (sums && !sums->tensorboard.empty()) {
    panels.push_back([&](const Area& a) { return draw_tensorboard(frame, a, sums->tensorboard); });
  }
  if (!page_.messages.empty()) {
    panels.push_back(values("Profiler messages", "system/messages", page_.messages, ""));
  }
  panels.push_back([&](const Area& a) { return draw_api_calls(frame, a, sums); });
  panels.push_back(values("Row counts", "system/counts", page_.counts, ""));
  const float gap = frame.px(kGap);
  const std::size_t columns = area.width >= frame.px(kTwoColumnsFrom) ? 2 : 1;
  const float width = columns == 2 ? std::floor((area.width - gap) / 2) : area.width;
  // Each panel goes below the shorter column.
  std::vector<float> bottoms(columns, area.top);
  for (const Draw& panel : panels) {
    const auto shortest = std::ranges::min_element(bottoms);
    PanelRow row(frame, *shortest);
    const Area inner = row.begin_panel(
        area.left + static_cast<float>(shortest - bottoms.begin()) * (width + gap), width);
    row.end_panel(panel(inner));
    *shortest = row.finish() + gap;
  }
  return std::ranges::max(bottoms) - gap;
}

}  // namespace dlview::ui
