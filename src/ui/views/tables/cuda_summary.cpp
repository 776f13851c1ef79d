#include "ui/views/tables/cuda_summary.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/units.h"
#include "ui/chart/iteration_name.h"
#include "ui/pages.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/panel.h"
#include "ui/widgets/tooltip.h"

namespace dlview::ui {
namespace {

using report::nsys::ReportInfo;

// So many are summed up within a frame's time; the names of ranges are put in order, too.
constexpr std::size_t kEventsAtOnce = 20'000;
constexpr std::size_t kRangesAtOnce = 1'000;
constexpr std::size_t kTextAtOnce = std::size_t{256} << 10;  // bytes; names of kernels are read

bool is_quick(const report::nsys::ReportInfo& report, const profile::Profile& profile) {
  const profile::Trace& trace = *profile.trace;
  const std::size_t events =
      trace.kernels.size() + trace.memcpys.size() + trace.memsets.size() + trace.api_calls.size();
  const bool has_ranges = report.name.starts_with("nvtx_");
  if (profile.strings.bytes().size() > kTextAtOnce) return false;
  return events <= kEventsAtOnce && (!has_ranges || trace.nvtx.size() <= kRangesAtOnce);
}

constexpr float kLeastListWidth = 208;
constexpr float kAroundEntry = 18;  // of its text, to each edge of the list
constexpr float kEntryHeight = 25;

const ReportInfo& report_named(std::string_view name) {
  return *std::ranges::find(report::nsys::reports(), name, &ReportInfo::name);
}

// What the figures are of: "whole capture", "begun in iterations 3–40".
std::string scope_text(const aggregate::Aggregation& of, const Model& model) {
  const auto count = static_cast<int64_t>(of.iteration_table->iterations.rows.size());
  const aggregate::IterationRange range = of.selection.range;
  const std::string text =
      range.size() == count ? "whole capture" : "started in " + range_text(range);
  return model.selection.filters.empty() ? text : text + " · ignores filters";
}

// A panel at the top of the box, as high as its title and the text.
void draw_message(Frame& frame, const Box& box, std::string_view title, const std::string& text) {
  PanelRow row(frame, box.top);
  const Area body =
      draw_heading(frame, row.begin_panel(box.left, box.width()), {title, "", "", ""});
  frame.inspector.record_value("cuda_summary/why_none", text);
  row.end_panel(draw_wrapped(frame.fonts().text, body, frame.palette().dim, text));
  row.finish();
}

void draw_no_export(Frame& frame, const Box& box) {
  draw_error_card(frame, box, "cuda_summary/none",
                  {"No CUDA summary recorded",
                   "The reports of nsys stats count the events of an Nsight Systems export. A "
                   "DLProf database does not contain them.",
                   "Open the export that the database was made from, usually nsys_profile.sqlite."},
                  {{"Open file…", "file.open"}});
}

}  // namespace

std::string graphs_note(const profile::Trace& trace) {
  const profile::TraceGraphLaunches& graphs = trace.graph_launches;
  if (graphs.size() == 0) return "";
  int64_t gpu_ns = 0;
  for (profile::Row row = 0; row < graphs.size(); ++row) {
    gpu_ns += graphs.end_ns[row] - graphs.start_ns[row];
  }
  return fmt::format(" · without CUDA graphs ({} in the capture)", base::format_duration(gpu_ns));
}

void ReportData::take_over(base::Result<Made> made) {
  made_for_ = std::move(asked_for_);
  error_ = made ? std::nullopt : std::optional(made.error());
  data_ = made ? std::move(made->data) : nullptr;
  names_ = made ? std::move(made->names) : nullptr;
}

void ReportData::update(const Model& model, Background& background) {
  if (task_.ended()) take_over(task_.take());
  if (task_) return;  // newer ranges wait, lest one that moves keeps the answer from ever coming
  // Reports cannot be filtered, and what is exported must not name any.
  const auto& whole = model.unfiltered ? model.unfiltered : model.aggregation;
  if (made_for_ && made_for_->selection == whole->selection) return;
  asked_for_ = whole;
  auto make = [&report = report_, profile = model.profile, aggregation = whole,
               shared_names = shared_names_](const base::Progress&) -> Made {
    const std::optional<report::nsys::Window> window = report::nsys::window_of(
        aggregation->iteration_table->iterations, aggregation->selection.range);
    auto table = make_report(report, {*profile, window});
    if (!table) return {};
    add_row_key(*table);
    auto names = shared_names->get(*profile);
    return {std::make_shared<const TableData>(TableData{profile, aggregation, std::move(*table)}),
            std::move(names)};
  };
  if (is_quick(report_, *model.profile)) {
    base::Progress progress;
    take_over(base::run_job(make, progress));
  } else {
    task_ = background.start(std::move(make));
  }
}

CudaSummaryView::CudaSummaryView(const profile::Profile& profile) {
  if (!profile.trace) return;
  graphs_note_ = graphs_note(*profile.trace);
  const auto names = std::make_shared<SharedReportNames>();
  for (const ReportPlace& place : report_places()) {
    const ReportInfo& info = report_named(place.report);
    reports_.push_back({place, info, info.needs.are_met(*profile.trace), ReportData(info, names)});
  }
  const auto first = std::ranges::find(reports_, true, &Report::is_possible);
  if (first != reports_.end()) first_ = static_cast<std::size_t>(first - reports_.begin());
  chosen_ = first_;
}

std::vector<DataTable*> CudaSummaryView::tables() {
  if (reports_.empty() || !chosen().data.data()) return {};
  return {chosen().table.get()};
}

void CudaSummaryView::set_table(const workspace::TableState& state) {
  const std::string& name = state.table == kReportList ? state.selected : state.table;
  const auto found =
      std::ranges::find(reports_, name, [](const Report& report) { return report.place.report; });
  if (found == reports_.end()) return;
  if (state.table == kReportList) {
    chosen_ = static_cast<std::size_t>(found - reports_.begin());
  } else if (found->table) {
    found->table->set(state);
  } else {
    found->wanted = state;
  }
}

std::vector<workspace::TableState> CudaSummaryView::table_states() {
  std::vector<workspace::TableState> states;
  if (chosen_ != first_) states.push_back({kReportList, {}, std::string(chosen().place.report)});
  for (const Report& report : reports_) {
    if (!report.table) {
      if (!report.wanted.table.empty()) states.push_back(report.wanted);
    } else if (report.table->is_changed()) {
      states.push_back(report.table->state());
    }
  }
  return states;
}

void CudaSummaryView::take_command(Tables& tables) {
  const std::size_t count = reports_.size();
  if (tables.command == TableCommand::next_report) {
    chosen_ = (chosen_ + 1) % count;
  } else if (tables.command == TableCommand::previous_report) {
    chosen_ = (chosen_ + count - 1) % count;
  } else {
    return;
  }
  tables.command.reset();
}

void CudaSummaryView::draw_tables(Frame& frame, const Box& box, Tables& tables) {
  const float gap = frame.px(kGap);
  const Box inner{box.left + gap, box.top + gap, box.right - gap, box.bottom - gap};
  if (reports_.empty()) {
    tables.command.reset();
    return draw_no_export(frame, inner);
  }
  take_command(tables);
  const float middle = inner.left + list_width(frame);
  draw_list(frame, {inner.left, inner.top, middle, inner.bottom});
  draw_report(frame, {middle + gap, inner.top, inner.right, inner.bottom}, tables);
}

float CudaSummaryView::list_width(const Frame& frame) const {
  float widest = 0;
  for (const Report& report : reports_) {
    widest = std::max(widest, text_width(frame.fonts().text, report.place.label));
  }
  return std::ceil(std::max(frame.px(kLeastListWidth), widest + 2 * frame.px(kAroundEntry)));
}

void CudaSummaryView::draw_list(Frame& frame, const Box& box) {
  fill(box, frame.palette().panel, frame.px(kRounding));
  outline(box, frame.palette().line, frame.px(kRounding));
  ScrollArea scroll(frame, kReportList, box);
  const Area& area = scroll.area();
  const ImFont* font = frame.fonts().small;
  const float height = frame.px(kEntryHeight);
  float top = area.top;
  for (std::size_t i = 0; i < reports_.size(); ++i) {
    const ReportPlace& place = reports_[i].place;
    if (i == 0 || place.group != reports_[i - 1].place.group) {
      if (i > 0) top += frame.px(12);
      draw_text(font, area.left + frame.px(8), top, frame.palette().dim, place.group);
      top += line_height(font) + frame.px(4);
    }
    draw_entry(frame, {area.left, top, area.right(), top + height}, i);
    top += height;
  }
  scroll.end_at(top);
}

void CudaSummaryView::draw_entry(Frame& frame, const Box& row, std::size_t report) {
  const Palette& colors = frame.palette();
  const auto& [place, info, is_possible, data, table, wanted] = reports_[report];
  const Hit hit = hit_area(frame, fmt::format("{}/{}", kReportList, place.report), row);
  const bool is_chosen = report == chosen_;
  if (is_chosen || hit.hovered) {
    fill(row, with_opacity(colors.accent, is_chosen ? 0.20f : 0.08f), frame.px(4));
  }
  const Box text{row.left + frame.px(8), row.top, row.right - frame.px(8), row.bottom};
  draw_text_in(frame.fonts().text, text, is_possible ? colors.text : colors.dim, place.label);
  if (hit.hovered) {
    using enum TooltipStyle;
    const std::string lacks =
        is_possible ? "" : fmt::format("No {} in this file.", info.needs.what);
    show_text_tooltip(frame, {{heading, std::string(info.title)},
                              {TooltipStyle::text, std::string(info.help)},
                              {name, std::string(info.name)},
                              {note, lacks}});
  }
  if (hit.clicked) chosen_ = report;
}

void CudaSummaryView::draw_why_none(Frame& frame, const Box& box, const Report& report) {
  const std::string_view what = report.info.needs.what;
  if (const base::Error* error = report.data.error()) {
    return draw_error_card(frame, box, "cuda_summary/error", *error, {});
  }
  if (!report.is_possible) {
    const std::string_view remedy = remedy_of(report.info.needs, *frame.model.profile->trace);
    return draw_error_card(
        frame, box, "cuda_summary/none",
        {fmt::format("No {} recorded", what),
         remedy.empty() ? std::string("The PyTorch profiler does not record them.") : "",
         std::string(remedy)},
        {});
  }
  draw_message(frame, box, report.info.title,
               report.data.made_for() == nullptr
                   ? "Summing…"
                   : fmt::format("These iterations started no {}.", what));
}

void CudaSummaryView::draw_report(Frame& frame, const Box& box, Tables& tables) {
  Report& report = chosen();
  const Model& model = frame.model;
  const ImFont* font = frame.fonts().text;
  report.data.update(model, tables.background);
  const aggregate::Aggregation* made_for = report.data.made_for();
  std::string scope = scope_text(made_for ? *made_for : *model.aggregation, model);
  if (report.info.name.starts_with("cuda_gpu_")) scope += graphs_note_;
  frame.inspector.record_value("cuda_summary/report", report.info.name);
  frame.inspector.record_value("cuda_summary/scope", scope);
  const float scope_left = box.right - text_width(font, scope);
  draw_text_right(font, box.right, box.top, frame.palette().dim, scope);
  draw_text_cut(frame, font, box.left, box.top, scope_left - frame.px(16) - box.left,
                frame.palette().text, report.info.help, CutAt::middle);
  const Box rest{box.left, box.top + line_height(font) + frame.px(8), box.right, box.bottom};

  const std::shared_ptr<const TableData>& data = report.data.data();
  if (!data) {
    tables.command.reset();
    return draw_why_none(frame, rest, report);
  }
  if (!report.table) {
    report.table =
        std::make_unique<DataTable>(report_look(report.info, data->table, report.data.names()));
    report.table->set_subject(std::string(report.info.name));
    if (!report.wanted.table.empty()) report.table->set(report.wanted);
  }
  report.table->draw(frame, rest, data, tables);
}

}  // namespace dlview::ui
