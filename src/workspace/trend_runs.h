// The captures of the window's trend, measured one after another in the background: files that were
// added, and all open runs.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "aggregate/trend/trend.h"
#include "base/progress.h"
#include "base/result.h"
#include "base/scheduler.h"
#include "profile/profile.h"
#include "workspace/budget_source.h"

namespace dlview::workspace {

struct MeasuredTrend {
  struct LeftOut {
    std::string name;
    base::Error error;
  };
  // Null: fewer than two captures could be measured.
  std::shared_ptr<const aggregate::Trend> trend;
  std::vector<std::string> paths;  // by capture of the trend; empty = a run without a file
  std::vector<LeftOut> left_out;
  bool is_by_time = false;                      // in the order of recording, else as given
  std::map<std::string, std::string> recorded;  // times of recording, by path
  std::string budget_note;                      // which budgets have no line; empty = none
};

// What the view Trend shows.
struct TrendModel {
  std::size_t captures = 0;  // to be measured
  std::size_t removed = 0;
  std::shared_ptr<const MeasuredTrend> measured;  // null = none yet; the last one while measuring
  std::optional<base::Progress::Snapshot> measuring;
  std::optional<base::Error> error;  // of the whole measurement
  bool is_canceled = false;
  std::string active_path;  // of the active run
};

// The main thread only.
class TrendRuns {
 public:
  explicit TrendRuns(base::Scheduler& scheduler) : scheduler_(scheduler) {}
  ~TrendRuns();
  TrendRuns(const TrendRuns&) = delete;
  TrendRuns& operator=(const TrendRuns&) = delete;

  // Absolute paths; those that are there already count once.
  void add(const std::vector<std::string>& paths);
  // Removes a file, or the open run of that file, until it is added again or all are restored.
  void remove(const std::string& path) { removed_.insert(path); }
  void restore() { removed_.clear(); }
  std::size_t removed() const { return removed_.size(); }
  // The iteration marker of all captures; nullopt: as the budget file says, else as each opens.
  void set_key_op(std::optional<std::string> key_op) { key_op_ = std::move(key_op); }
  // The files that were added, without those that were removed.
  std::vector<std::string> files() const;

  struct OpenRun {
    std::string path, name;  // no path: of a run that is no file
    std::shared_ptr<const profile::Profile> profile;
  };
  // Measures files and open runs unless that has been done with the same ones. In each frame in
  // which the trend is wanted.
  void want(const std::vector<OpenRun>& open, const std::shared_ptr<const LoadedBudgets>& budgets);
  void cancel();
  void measure_again();
  // Takes over a finished measurement; returns whether something changed.
  bool poll();
  bool is_measuring() const { return static_cast<bool>(task_); }
  void settle() const { task_.wait(); }
  TrendModel describe() const;

 private:
  // How far the task is; shared with it.
  struct Position {
    std::mutex mutex;
    base::Progress::Snapshot at;
    void set(std::string stage, std::size_t done, std::size_t total);
  };
  struct Capture {
    std::string path, name;
    std::shared_ptr<const profile::Profile> profile;  // null: to be opened
  };
  struct Question {
    std::vector<Capture> captures;
    std::shared_ptr<const LoadedBudgets> budgets;
    std::optional<std::string> key_op;
    std::map<std::string, std::string> recorded;  // as far as known
  };
  // What the last measurement was of.
  struct Key {
    std::vector<std::pair<std::string, std::string>> captures;  // path and name
    std::shared_ptr<const LoadedBudgets> budgets;
    std::optional<std::string> key_op;
    bool operator==(const Key&) const = default;
  };
  static base::Result<std::shared_ptr<const MeasuredTrend>> measure(const Question& question,
                                                                    Position& position,
                                                                    base::Progress& progress);
  class Measurement;

  base::Scheduler& scheduler_;
  std::vector<std::string> files_;
  std::set<std::string> removed_;
  std::optional<std::string> key_op_;
  std::optional<Key> key_;
  std::shared_ptr<Position> position_;
  base::Task<std::shared_ptr<const MeasuredTrend>> task_;
  std::shared_ptr<const MeasuredTrend> measured_;
  std::map<std::string, std::string> recorded_;
  std::optional<base::Error> error_;
  bool is_canceled_ = false;
};

}  // namespace dlview::workspace
