// Session: the one open profile, its engine, the Selection and the Aggregation that belongs to it.
// All of it is used on the main thread; loading and slow aggregations run beside it and are taken
// over by poll().
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "aggregate/aggregator.h"
#include "app/aggregation_worker.h"
#include "base/progress.h"
#include "base/result.h"
#include "profile/profile.h"
#include "ui/model.h"

namespace dlview::app {

using EngineFactory =
    std::function<std::unique_ptr<aggregate::Aggregator>(std::shared_ptr<const profile::Profile>)>;

// What to open. All three functions run on the loading thread.
struct OpenRequest {
  std::string name;  // shown: the path as the user gave it
  std::function<base::Result<profile::Profile>(base::Progress&)> load;
  // The selection to begin with; an Error (an unknown key op) is shown like one of the file.
  std::function<base::Result<aggregate::Selection>(const profile::Profile&)> choose;
  EngineFactory make_engine;
};

class Session {
 public:
  // `wake` is called on other threads when poll() would find something.
  explicit Session(std::function<void()> wake);
  // Cancels and waits for what runs.
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  enum class State { empty, loading, failed, open };
  State state() const { return state_; }

  // Closes what is open, cancels what is loading, and starts to load.
  void open(OpenRequest request);
  void cancel_loading();

  // Within the call where that is expected to take under 4 ms, else on the worker, whose answer a
  // later poll() takes over; until then the old numbers stay. Out-of-range bounds are clamped.
  void select(const aggregate::Selection& selection);

  // Takes over what other threads have finished; true when anything visible changed. An answer to
  // an older range of the same cut is shown, for it is nearer than what is on screen, unless what
  // is on screen is already what was selected; an answer for another cut is dropped.
  bool poll();
  // Nothing that poll() would take over runs beside the main thread.
  bool settled() const;
  // Blocks until settled.
  void settle();

  const aggregate::Selection& selection() const { return selection_; }
  // With which the file was opened.
  const aggregate::Selection& first_selection() const { return first_selection_; }
  const aggregate::Aggregation* aggregation() const { return aggregation_.get(); }
  const profile::Profile* profile() const { return profile_.get(); }
  const base::Error* error() const { return error_ ? &*error_ : nullptr; }
  const std::string& name() const { return name_; }

  // Fills the fields of the model that tell of the file and its numbers.
  void describe(ui::Model& model) const;

 private:
  struct Loading;

  void retire_loading();
  void take_over_loaded();
  void accept(TimedAggregation answer);
  bool expected_within_a_frame(const aggregate::Selection& selection) const;

  std::function<void()> wake_;
  State state_ = State::empty;
  std::string name_;
  std::optional<base::Error> error_;
  std::shared_ptr<const profile::Profile> profile_;
  std::shared_ptr<const aggregate::Aggregation> aggregation_;
  aggregate::Selection selection_;
  aggregate::Selection first_selection_;
  double last_ms_ = 0;      // of the last aggregation
  double last_cut_ms_ = 0;  // of the last one that had to cut iterations first
  std::unique_ptr<Loading> loading_;
  std::vector<std::unique_ptr<Loading>> cancelled_;  // until their threads have noticed
  std::unique_ptr<AggregationWorker> worker_;
};

}  // namespace dlview::app
