#include "ui/views/tables/report_data.h"

#include <atomic>
#include <utility>

#include "ui/views/tables/report_looks.h"

namespace dlview::ui {
namespace {

using report::nsys::Window;

// So many are summed up within a frame's time; the names of ranges are put in order, too.
constexpr std::size_t kEventsAtOnce = 20'000;
constexpr std::size_t kRangesAtOnce = 1'000;

bool is_quick(const report::nsys::ReportInfo& report, const profile::Trace& trace) {
  const std::size_t events =
      trace.kernels.size() + trace.memcpys.size() + trace.memsets.size() + trace.api_calls.size();
  const bool has_ranges = report.name.starts_with("nvtx_");
  return events <= kEventsAtOnce && (!has_ranges || trace.nvtx.size() <= kRangesAtOnce);
}

std::optional<Window> window_of(const aggregate::Aggregation& aggregation) {
  return report::nsys::window_of(aggregation.iteration_table->iterations,
                                 aggregation.selection.range);
}

}  // namespace

struct ReportData::Job {
  const report::nsys::ReportInfo& report;
  std::optional<Window> window;
  std::shared_ptr<const profile::Profile> profile;
  std::shared_ptr<const aggregate::Aggregation> aggregation;
  std::shared_ptr<const TableData> data = nullptr;
  std::atomic<bool> done{false};  // `data` may be read once it is true

  void run() {
    if (auto table = make_report(report, {*profile, window})) {
      add_row_key(*table);
      data = std::make_shared<const TableData>(TableData{profile, aggregation, std::move(*table)});
    }
    done.store(true, std::memory_order_release);
  }
};

void ReportData::take_over() {
  if (!job_ || !job_->done.load(std::memory_order_acquire)) return;
  const std::shared_ptr<Job> job = std::exchange(job_, nullptr);
  is_made_ = true;
  window_ = job->window;
  data_ = std::move(job->data);
}

void ReportData::update(const Model& model, Background& background) {
  take_over();
  if (job_) return;  // newer ranges wait, lest one that moves keeps the answer from ever coming
  // Reports know no filters, and what is exported must not name any.
  const auto& whole = model.unfiltered ? model.unfiltered : model.aggregation;
  const std::optional<Window> window = window_of(*whole);
  if (is_made_ && window_ == window) return;
  job_.reset(new Job{report_, window, model.profile, whole});
  if (!is_quick(report_, *model.profile->trace)) {
    return background.run([job = job_] { job->run(); });
  }
  job_->run();
  take_over();
}

}  // namespace dlview::ui
