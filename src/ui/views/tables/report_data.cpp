#include "ui/views/tables/report_data.h"

#include <utility>

#include "ui/views/tables/report_looks.h"

namespace dlview::ui {
namespace {

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

}  // namespace

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

}  // namespace dlview::ui
