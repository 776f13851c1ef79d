// Session: an open profile, its engine, the Selection and the Aggregation that belongs to it.
// All of it is used on the main thread; loading and slow aggregations run in tasks, and poll()
// takes over what they make.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "aggregate/aggregator.h"
#include "base/progress.h"
#include "base/result.h"
#include "base/scheduler.h"
#include "import/open.h"
#include "profile/profile.h"
#include "timeline/request.h"
#include "workspace/engine_queue.h"
#include "workspace/findings_search.h"
#include "workspace/frames_reading.h"
#include "workspace/open_request.h"
#include "workspace/run_model.h"
#include "workspace/selection_request.h"

namespace dlview::workspace {

class Session {
 public:
  // The scheduler wakes when poll() may find something.
  explicit Session(base::Scheduler& scheduler);
  // Cancels what runs, without waiting.
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  enum class State { empty, loading, failed, open };
  State state() const { return state_; }

  // Closes what is open, cancels what is loading, and starts to load.
  void open(OpenRequest request);
  void cancel_loading();
  // Closes what is open or loading, or the error; then it is empty.
  void clear();
  // Returns a request that reopens the open profile: Tensor Core use by dlview's own rules, or as
  // stored in the file.
  OpenRequest reopened(bool present_rules) const;
  // Files of Nsight Compute that were opened with the profile.
  const std::vector<std::string>& counter_files() const { return counter_files_; }

  // Aggregates the selection: within the call if that is expected to take under 4 ms, else in a
  // task whose answer a later poll() takes over; the old numbers stay until then. New filters
  // always go to a task; removing all filters from the shown selection is immediate. Out-of-range
  // bounds are clamped. If the engine fails, the shown selection is restored and a notice says why.
  void select(const aggregate::Selection& selection);

  // Sets RunModel::preview_table to the iterations of this split, at once or after a later poll();
  // nullopt ends the preview. Returns whether the requested preview changed.
  bool preview_cut(const std::optional<aggregate::Cut>& cut);
  // The iterations to be compared; clamped.
  void select_iteration(std::optional<int64_t> iteration);
  void select_baseline(std::optional<int64_t> iteration);

  // Takes the results of finished tasks; returns whether anything visible changed. The call after
  // the one that took a file starts the background tasks. Shows an answer for an older range of the
  // same split and filters, because it is closer to the selection than what is on screen, unless
  // the selection itself is already shown. Drops an answer for another split or filters.
  bool poll();
  // Blocks until what is loading is there for poll(), or for so long.
  void await_loading(std::chrono::milliseconds longest) const;
  // No task runs whose result poll() would take over.
  bool settled() const;
  // Blocks until settled.
  void settle();

  const aggregate::Selection& selection() const { return selection_; }
  // With which the file was opened.
  const aggregate::Selection& first_selection() const { return first_selection_; }
  const aggregate::Aggregation* aggregation() const { return aggregation_.get(); }
  const aggregate::KeyRanking& key_ranking() const { return *ranking_; }  // of an open profile
  const std::shared_ptr<const profile::Profile>& profile() const { return profile_; }
  const base::Error* error() const { return error_ ? &*error_ : nullptr; }
  const std::string& name() const { return name_; }
  const IterationPair& compared() const { return compared_; }
  // Outliers of the split, whatever the filters; null until they are known.
  std::shared_ptr<const aggregate::Outliers> outliers() const;
  // Steady state of the split.
  const std::optional<aggregate::IterationRange>& steady_range() const { return steady_range_; }
  // Builds the lanes of the timeline, unless that has been done.
  void want_lanes();
  // Builds the index of limits, unless that has been done.
  void want_limits();
  const timeline::Lanes* lanes() const { return findings_.lanes.get(); }
  // Reads the Python frames of the file, unless that has been done or has failed.
  void want_python_frames();
  // Adds them to the lanes of the timeline, unless that has been done or has failed. Called in each
  // frame as long as they are wanted.
  void want_frame_lanes();
  // The next want_frame_lanes() adds them also after a failure.
  void forget_frame_lanes_error();
  // Reads them, or adds them to the lanes, after it has failed or was canceled.
  void read_python_frames();
  void cancel_python_frames() { frames_.cancel(); }
  bool is_reading_python_frames() const { return frames_.busy(); }
  // They are there, and nothing has failed.
  bool has_python_frames() const {
    return frames_.frames() != nullptr && !findings_.frame_lanes_error;
  }
  // The run's row in the list of open runs.
  RunInfo info() const;
  // Returns and clears the pending notice: about the first selection, a failed engine or a failed
  // background task.
  std::string take_notice() { return std::exchange(notice_, {}); }

  // Fills the fields of the model about the file and its numbers.
  void describe(RunModel& model) const;

 private:
  struct Loading;

  // Starts the tasks that read the columns; called after the first frame, so that they do not
  // compete with it for cores.
  void begin_background();
  void take_over_loaded();
  void accept(TimedAggregation answer);
  void compute_now();
  void take_engine(const EngineFacts& engine);
  bool take_made_engine();
  void show(std::shared_ptr<const aggregate::Aggregation> aggregation);
  void close();
  bool take_answer();
  // Takes failures of the engine and of the search for findings; returns whether there was one.
  bool take_failures();
  // The selection cannot be aggregated.
  void refuse_selection(const base::Error& error);
  void add_notice(const std::string& notice);
  bool take_preview();
  // Requests the cached answer on screen from the engine, once nothing else waits.
  void confirm_kept();
  // Compares; an answer that differs is removed from the cache and no longer shown.
  void compare_with_kept(const TimedAggregation& answer);
  // Once the engine and the checksums agree with the cached answer on screen, it is one of the
  // engine; returns whether it became that.
  bool take_confirmation();
  void read_anew();
  std::optional<int64_t> clamped(std::optional<int64_t> iteration) const;
  bool is_open() const { return state_ == State::open; }
  bool expected_within_a_frame(const aggregate::Selection& selection) const;

  base::Scheduler& scheduler_;
  State state_ = State::empty;
  std::string name_;
  std::optional<base::Error> error_;
  std::shared_ptr<const profile::Profile> profile_;
  std::shared_ptr<const profile::Profile> recorded_;  // the same as the file has it
  std::shared_ptr<import::CachedFile> cached_;
  EngineFactory make_engine_;
  std::vector<std::string> counter_files_;
  std::shared_ptr<const aggregate::Aggregation> aggregation_;
  aggregate::Selection selection_;
  aggregate::Selection first_selection_;
  aggregate::LimitOptions limit_options_;
  double last_ms_ = 0;      // of the last aggregation
  double last_cut_ms_ = 0;  // of the last one that had to split first
  // Splits that the engine remembers: of its last aggregation or preview.
  std::optional<aggregate::Cut> engine_cut_;
  std::unique_ptr<Loading> loading_;
  std::unique_ptr<EngineQueue> queue_;
  std::unique_ptr<FindingsSearch> findings_search_;  // null until begin_background()
  base::Task<bool> cache_chore_;                     // whether what came out of the cache is sound
  std::shared_ptr<const aggregate::KeyRanking> ranking_;  // of the profile
  Findings findings_;
  FramesReading frames_;
  // The iterations whose outliers are computed: of the last split. Aggregations with I/O or filters
  // have their own.
  std::shared_ptr<const aggregate::IterationTable> cut_table_;
  std::optional<aggregate::IterationRange> steady_range_;
  std::optional<aggregate::Cut> wanted_preview_;
  CutPreview preview_;
  IterationPair compared_;
  std::string notice_;
  // The engine of the last answer, or of the next one; no name = none exists yet.
  std::string engine_, engine_notice_, engine_reason_;
  // The cached answer until the engine has confirmed it.
  std::shared_ptr<const aggregate::Aggregation> unconfirmed_;
  std::optional<double> confirmed_ms_;  // of the engine's answer that equals the cached one
  bool is_cache_checked_ = false;       // the checksums of the columns, or there is none to check
  // The answer on screen was cached when the file was opened before, and is not confirmed.
  bool is_kept_ = false;
};

}  // namespace dlview::workspace
