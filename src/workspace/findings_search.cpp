#include "workspace/findings_search.h"

#include "profile/event_count.h"

namespace dlview::workspace {

// Tasks use it one at a time.
struct FindingsSearch::Known {
  std::shared_ptr<const profile::Profile> profile;
  std::shared_ptr<const aggregate::KeyRanking> ranking;
  std::shared_ptr<const aggregate::RuleIndex> rules = nullptr;  // null as long as there are none

  const std::shared_ptr<const aggregate::RuleIndex>& need_rules() {
    if (!rules) rules = std::make_shared<const aggregate::RuleIndex>(*profile);
    return rules;
  }
};

Findings quick_findings(const profile::Profile& profile) {
  Findings findings;
  if (!profile::has_few_events(profile)) return findings;
  findings.unknown_use = std::make_shared<const aggregate::UnknownTensorCoreUse>(profile);
  return findings;
}

FindingsSearch::FindingsSearch(base::Scheduler& scheduler,
                               std::shared_ptr<const profile::Profile> profile,
                               std::shared_ptr<const aggregate::KeyRanking> ranking, Findings known)
    : strand_(scheduler, base::Arena::background),
      known_(std::make_shared<Known>(Known{std::move(profile), std::move(ranking)})),
      findings_(std::move(known)) {
  key_ops_ = strand_.start([known = known_](const base::Progress&) {
    return std::shared_ptr<const std::vector<aggregate::KeyOpCandidate>>(
        known->ranking, &known->ranking->candidates());
  });
  if (!findings_.unknown_use) {
    unknown_use_ = strand_.start([known = known_](const base::Progress&) {
      return std::make_shared<const aggregate::UnknownTensorCoreUse>(*known->profile);
    });
  }
  rules_ = strand_.start([known = known_](const base::Progress&) { return known->need_rules(); });
}

void FindingsSearch::request(std::shared_ptr<const aggregate::IterationTable> table) {
  table_ = std::move(table);
  outliers_ = strand_.start([known = known_, table = table_](const base::Progress&) {
    return OutliersOfTable{std::make_shared<const aggregate::Outliers>(aggregate::find_outliers(
                               *known->profile, *table, known->rules.get())),
                           table};
  });
}

void FindingsSearch::want_lanes() {
  if (std::exchange(wants_lanes_, true)) return;
  const bool outliers_wait = outliers_.withdraw();  // who wants lanes looks at the timeline
  lanes_ = strand_.start([known = known_](const base::Progress&) {
    return timeline::build_lanes(known->profile, known->need_rules());
  });
  if (outliers_wait) request(table_);
}

void FindingsSearch::want_limits(const aggregate::LimitOptions& options) {
  if (std::exchange(wants_limits_, true)) return;
  // The index refers to the profile.
  struct Owner {
    Owner(std::shared_ptr<const profile::Profile> of, const aggregate::LimitOptions& with)
        : profile(std::move(of)), index(*profile, with) {}
    std::shared_ptr<const profile::Profile> profile;
    aggregate::LimitIndex index;
  };
  limits_ = strand_.start([known = known_, options](const base::Progress&) {
    const auto owner = std::make_shared<const Owner>(known->profile, options);
    return std::shared_ptr<const aggregate::LimitIndex>(owner, &owner->index);
  });
}

void FindingsSearch::want_frame_lanes(const std::shared_ptr<const profile::PythonFrames>& frames) {
  if (!findings_.lanes || std::exchange(wants_frame_lanes_, true)) return;
  frame_lanes_ = strand_.start([lanes = findings_.lanes, frames](const base::Progress&) {
    return timeline::with_python_frames(*lanes, frames);
  });
}

void FindingsSearch::forget_frame_lanes_error() {
  if (!findings_.frame_lanes_error) return;
  findings_.frame_lanes_error.reset();
  wants_frame_lanes_ = false;
}

bool FindingsSearch::take_news() {
  bool news = false;
  const auto take_over = [&](auto& task, const auto& use) {
    if (!task.ended()) return;
    news = true;
    auto found = task.take();
    if (found) {
      use(*std::move(found));
    } else {
      failure_ = found.error();
    }
  };
  take_over(key_ops_, [this](auto key_ops) { findings_.key_ops = std::move(key_ops); });
  take_over(unknown_use_, [this](auto unknown) { findings_.unknown_use = std::move(unknown); });
  take_over(rules_, [this](auto rules) { findings_.rules = std::move(rules); });
  take_over(lanes_, [this](auto lanes) { findings_.lanes = std::move(lanes); });
  take_over(limits_, [this](auto limits) { findings_.limits = std::move(limits); });
  if (frame_lanes_.ended()) {
    news = true;
    auto built = frame_lanes_.take();
    if (built) {
      findings_.lanes = *std::move(built);
    } else {
      findings_.frame_lanes_error = built.error();
    }
  }
  take_over(outliers_, [this](auto found) {
    findings_.outliers = std::move(found.outliers);
    findings_.table = std::move(found.table);
  });
  return news;
}

void FindingsSearch::wait_until_idle() const {
  key_ops_.wait();
  unknown_use_.wait();
  rules_.wait();
  lanes_.wait();
  limits_.wait();
  frame_lanes_.wait();
  outliers_.wait();
}

}  // namespace dlview::workspace
