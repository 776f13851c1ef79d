#include "ui/views/tables/report_data.h"

#include <atomic>
#include <utility>

#include "base/exceptions.h"
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

struct ReportData::Job {
  const report::nsys::ReportInfo& report;
  std::shared_ptr<const profile::Profile> profile;
  std::shared_ptr<const aggregate::Aggregation> aggregation;
  std::shared_ptr<SharedReportNames> shared_names;
  std::shared_ptr<const ReportNames> names = nullptr;
  std::shared_ptr<const TableData> data = nullptr;
  std::optional<base::Error> error = {};
  std::atomic<bool> done{false};  // the results may be read once it is true

  void make() {
    const std::optional<report::nsys::Window> window = report::nsys::window_of(
        aggregation->iteration_table->iterations, aggregation->selection.range);
    if (auto table = make_report(report, {*profile, window})) {
      add_row_key(*table);
      names = shared_names->get(*profile);
      data = std::make_shared<const TableData>(TableData{profile, aggregation, std::move(*table)});
    }
  }
  // No exception may leave the background's thread.
  void run() {
    try {
      make();
    } catch (...) {
      error = base::error_of_current_exception();
    }
    done.store(true, std::memory_order_release);
  }
};

void ReportData::take_over() {
  if (!job_ || !job_->done.load(std::memory_order_acquire)) return;
  const std::shared_ptr<Job> job = std::exchange(job_, nullptr);
  made_for_ = std::move(job->aggregation);
  data_ = std::move(job->data);
  names_ = std::move(job->names);
  error_ = std::move(job->error);
}

void ReportData::update(const Model& model, Background& background) {
  take_over();
  if (job_) return;  // newer ranges wait, lest one that moves keeps the answer from ever coming
  // Reports cannot be filtered, and what is exported must not name any.
  const auto& whole = model.unfiltered ? model.unfiltered : model.aggregation;
  if (made_for_ && made_for_->selection == whole->selection) return;
  job_.reset(new Job{report_, model.profile, whole, shared_names_});
  if (!is_quick(report_, *model.profile)) {
    return background.run([job = job_] { job->run(); });
  }
  job_->run();
  take_over();
}

}  // namespace dlview::ui
