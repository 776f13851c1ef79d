#include "workspace/trend_runs.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "aggregate/key_ops.h"
#include "import/open.h"
#include "report/capture.h"
#include "report/trend/trend_measure.h"
#include "workspace/selection_request.h"

namespace dlview::workspace {
namespace {

namespace budget = report::budget;
using SharedProfile = std::shared_ptr<const profile::Profile>;

// Figures come from checked columns, as those of the command line.
base::Result<SharedProfile> open_capture(const std::string& path, base::Progress& progress) {
  import::CachedFile file(path);
  base::Result<profile::Profile> opened = file.open(progress);
  if (opened && file.maintenance() == import::CachedFile::Maintenance::check &&
      !file.maintain(*opened, progress.stop_token())) {
    opened = import::open_profile(path, progress);
  }
  if (!opened) return opened.error();
  return std::make_shared<const profile::Profile>(*std::move(opened));
}

}  // namespace

void TrendRuns::Position::set(std::string stage, std::size_t done, std::size_t total) {
  const std::lock_guard lock(mutex);
  at = {std::move(stage), static_cast<int64_t>(done), static_cast<int64_t>(total)};
}

// One measurement: finds the order, then measures.
class TrendRuns::Measurement {
 public:
  Measurement(const Question& question, Position& position, base::Progress& progress)
      : question_(question),
        position_(position),
        progress_(progress),
        result_(std::make_shared<MeasuredTrend>()) {
    result_->recorded = question.recorded;
  }

  base::Result<std::shared_ptr<const MeasuredTrend>> run() {
    find_order();
    std::vector<report::TrendSpec> specs = report::default_trend_specs();
    SelectionRequest request;
    budget::RangeChoice range;
    if (question_.budgets && question_.budgets->file) {
      const budget::BudgetFile& file = *question_.budgets->file;
      const auto& baseline = question_.budgets->baseline;
      result_->budget_note =
          report::add_budgets(file, baseline ? &*baseline : nullptr, specs).note();
      request.key_op = file.key_op;
      request.split_by = file.split_by;
      range = file.iterations;
    }
    if (question_.key_op) request.key_op = question_.key_op;
    const std::vector<std::string> labels = labels_of();
    report::TrendMeasure measure(std::move(specs));
    std::vector<std::string> paths;
    for (std::size_t n = 0; n < order_.size(); ++n) {
      const Capture& capture = question_.captures[order_[n]];
      position_.set(fmt::format("Measuring {}…", labels[n]), n, order_.size());
      base::stop_point();
      const auto profile = profile_of(capture);
      if (!profile) {
        leave_out(capture, profile.error());
        continue;
      }
      const aggregate::KeyRanking ranking(**profile);
      const auto selection = choose_selection(ranking, request);
      if (!selection) {
        leave_out(capture, selection.error());
        continue;
      }
      const base::Status added =
          measure.add({labels[n], *profile, selection->cut,
                       report::trend_range(range, **profile, selection->cut)});
      if (added) {
        paths.push_back(capture.path);
      } else {
        leave_out(capture, added.error());
      }
    }
    if (paths.size() >= 2) {
      result_->trend = std::make_shared<const aggregate::Trend>(measure.finish());
      result_->paths = std::move(paths);
    }
    return std::shared_ptr<const MeasuredTrend>(result_);
  }

 private:
  void leave_out(const Capture& capture, const base::Error& error) {
    if (progress_.canceled()) throw base::Stopped{};
    result_->left_out.push_back({capture.name, error});
  }

  base::Result<SharedProfile> profile_of(const Capture& capture) {
    if (capture.profile) return capture.profile;
    auto opened = open_capture(capture.path, progress_);
    if (opened) note_time(capture, **opened);
    return opened;
  }

  std::string note_time(const Capture& capture, const profile::Profile& profile) {
    std::string time = profile.trace ? report::recording_time(*profile.trace) : "";
    if (!capture.path.empty()) result_->recorded[capture.path] = time;
    return time;
  }

  // By time of recording if each has one; else as the captures were named. A file that cannot be
  // opened is left out.
  void find_order() {
    const std::vector<Capture>& captures = question_.captures;
    std::vector<std::string> recorded;
    bool all_have_times = true;
    for (std::size_t i = 0; i < captures.size() && all_have_times; ++i) {
      position_.set("Reading times of recording…", i, captures.size());
      base::stop_point();
      std::string time;
      const auto known = result_->recorded.find(captures[i].path);
      if (captures[i].profile) {
        time = note_time(captures[i], *captures[i].profile);
      } else if (known != result_->recorded.end()) {
        time = known->second;
      } else if (const auto opened = profile_of(captures[i]); opened) {
        time = result_->recorded[captures[i].path];
      } else {
        leave_out(captures[i], opened.error());
        continue;
      }
      all_have_times = !time.empty();
      recorded.push_back(std::move(time));
      order_.push_back(i);
    }
    std::vector<std::size_t> by_time;
    if (all_have_times) by_time = report::order_by_recording(recorded);
    result_->is_by_time = !by_time.empty();
    if (result_->is_by_time) {
      std::vector<std::size_t> sorted;
      for (const std::size_t place : by_time) sorted.push_back(order_[place]);
      order_ = std::move(sorted);
      return;
    }
    // Those that were not looked at are tried when their turn comes.
    result_->left_out.clear();
    order_.resize(captures.size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
  }

  std::vector<std::string> labels_of() const {
    std::vector<std::string> paths;
    for (const std::size_t i : order_) {
      const Capture& capture = question_.captures[i];
      paths.push_back(capture.path.empty() ? capture.name : capture.path);
    }
    return report::trend_labels(paths);
  }

  const Question& question_;
  Position& position_;
  base::Progress& progress_;
  std::shared_ptr<MeasuredTrend> result_;
  std::vector<std::size_t> order_;  // of the captures that are measured
};

TrendRuns::~TrendRuns() = default;

base::Result<std::shared_ptr<const MeasuredTrend>> TrendRuns::measure(const Question& question,
                                                                      Position& position,
                                                                      base::Progress& progress) {
  return Measurement(question, position, progress).run();
}

void TrendRuns::add(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    if (std::ranges::find(files_, path) == files_.end()) files_.push_back(path);
    removed_.erase(path);
  }
}

std::vector<std::string> TrendRuns::files() const {
  std::vector<std::string> files;
  std::ranges::copy_if(files_, std::back_inserter(files),
                       [this](const std::string& path) { return !removed_.contains(path); });
  return files;
}

void TrendRuns::want(const std::vector<OpenRun>& open,
                     const std::shared_ptr<const LoadedBudgets>& budgets) {
  Question question;
  Key key;
  for (const std::string& path : files()) {
    question.captures.push_back({path, std::filesystem::path(path).filename().string(), nullptr});
  }
  for (const OpenRun& run : open) {
    if (removed_.contains(run.path)) continue;
    const auto same = [&run](const Capture& capture) {
      return !run.path.empty() && capture.path == run.path;
    };
    const auto found = std::ranges::find_if(question.captures, same);
    if (found == question.captures.end()) {
      question.captures.push_back({run.path, run.name, run.profile});
    } else if (found->profile == nullptr) {
      found->profile = run.profile;
    }
  }
  for (const Capture& capture : question.captures) {
    key.captures.emplace_back(capture.path, capture.path.empty() ? capture.name : "");
  }
  key.budgets = budgets;
  key.key_op = key_op_;
  if (key_ == key) return;
  task_ = {};
  key_ = key;
  error_.reset();
  is_canceled_ = false;
  if (question.captures.size() < 2) {
    measured_.reset();
    return;
  }
  question.budgets = budgets;
  question.key_op = key_op_;
  question.recorded = recorded_;
  position_ = std::make_shared<Position>();
  position_->set("Waiting…", 0, question.captures.size());
  task_ = scheduler_.start(
      base::Arena::background,
      [question = std::move(question), position = position_](base::Progress& progress) {
        return measure(question, *position, progress);
      });
}

void TrendRuns::cancel() {
  if (!task_) return;
  task_ = {};
  is_canceled_ = true;
}

void TrendRuns::measure_again() {
  key_.reset();
  recorded_.clear();
}

bool TrendRuns::poll() {
  if (!task_.ended()) return false;
  auto made = task_.take();
  if (made) {
    measured_ = *std::move(made);
    recorded_ = measured_->recorded;
  } else {
    error_ = made.error();
  }
  return true;
}

TrendModel TrendRuns::describe() const {
  TrendModel model;
  model.captures = key_ ? key_->captures.size() : files().size();
  model.removed = removed_.size();
  model.measured = measured_;
  model.error = error_;
  model.is_canceled = is_canceled_;
  if (task_) {
    const std::lock_guard lock(position_->mutex);
    model.measuring = position_->at;
  }
  return model;
}

}  // namespace dlview::workspace
