// FindingsWorker: what is worth knowing of a profile but too slow for a frame, found on a thread of
// its own: the outliers of an iteration table, the ops that could cut the run, the calls and gaps
// that the rules of nsys look at, and the lanes of the timeline.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "aggregate/aggregation.h"
#include "aggregate/key_ops.h"
#include "aggregate/outliers.h"
#include "aggregate/rules/rule_index.h"
#include "base/result.h"
#include "profile/profile.h"
#include "ui/timeline/lanes.h"

namespace dlview::app {

struct Findings {
  // Of `table`; null while they are being looked for.
  std::shared_ptr<const aggregate::Outliers> outliers;
  std::shared_ptr<const aggregate::IterationTable> table;
  std::shared_ptr<const std::vector<aggregate::KeyOpCandidate>> key_ops;
  std::shared_ptr<const aggregate::RuleIndex> rules;
  std::shared_ptr<const ui::timeline::Lanes> lanes;  // null as long as nobody wants them
};

class FindingsWorker {
 public:
  // Begins with what the iterations do not matter to. `wake` is called on the worker's thread after
  // each finding, and when it has ended. Tests give a first step that throws.
  FindingsWorker(
      std::shared_ptr<const profile::Profile> profile,
      std::shared_ptr<const aggregate::KeyRanking> ranking, std::function<void()> wake,
      std::function<void()> first = [] {});
  // Stops, and waits for what is being looked for.
  ~FindingsWorker();
  FindingsWorker(const FindingsWorker&) = delete;
  FindingsWorker& operator=(const FindingsWorker&) = delete;

  // Looks for the outliers of this table; one that waits is forgotten.
  void request(std::shared_ptr<const aggregate::IterationTable> table);

  // Puts all events in order of time, once.
  void want_lanes();

  // Ends after what is being looked for, and does not wait for that.
  void stop();
  // Whether the thread has come to its end.
  bool has_ended() const;

  // True, once, after there is something new.
  bool take_news();
  // Why something was not found, once: what was thrown on the worker's thread. It stays unknown.
  std::optional<base::Error> take_failure();
  Findings findings() const;
  // Something waits or is being looked for, or there is news.
  bool busy() const;
  void wait_until_idle();

 private:
  using Step = std::function<void()>;

  void work();
  void do_next(std::unique_lock<std::mutex>& lock);
  bool has_next() const { return !first_steps_.empty() || waiting_; }
  Step take_next();
  // All are called without the lock and leave what they find under it.
  void find_key_ops();
  void find_rules();
  void find_lanes();
  void find_outliers(std::shared_ptr<const aggregate::IterationTable> table);

  std::shared_ptr<const profile::Profile> profile_;
  std::shared_ptr<const aggregate::KeyRanking> ranking_;  // of the profile
  std::function<void()> wake_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Step> first_steps_;
  std::shared_ptr<const aggregate::IterationTable> waiting_;
  Findings findings_;
  std::optional<base::Error> failure_;
  bool wants_lanes_ = false;
  bool running_ = false;
  bool news_ = false;
  bool stopping_ = false, ended_ = false;
  std::thread thread_;
};

}  // namespace dlview::app
