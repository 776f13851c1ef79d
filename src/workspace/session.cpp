#include "workspace/session.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "aggregate/steady.h"
#include "base/large_memory.h"
#include "import/ncu/load.h"
#include "import/opening_limits.h"
#include "profile/recorded.h"
#include "profile/tensor_core_verdicts.h"
#include "workspace/kept_answer.h"

namespace dlview::workspace {
namespace {

constexpr double kFrameBudgetMs = 4;

struct Opened {
  std::shared_ptr<const profile::Profile> recorded, profile;
  std::unique_ptr<aggregate::Aggregator> engine;  // null: the first answer was kept
  TimedAggregation first;
  std::shared_ptr<const aggregate::KeyRanking> ranking;
  std::string notice;
};

std::optional<KeptAnswer> kept_answer(const OpenRequest& request, const profile::Profile& profile) {
  if (!request.question || !request.cached) return std::nullopt;
  std::optional<KeptAnswer> kept = read_kept_answer(request.cached->beside(), profile);
  return kept && answers(*kept, *request.question) ? std::move(kept) : std::nullopt;
}

base::Result<Opened> open_profile(const OpenRequest& request, base::Progress& progress) {
  const base::KeptMemory reuse;  // what the import gives back, the engine takes
  base::Result<profile::Profile> loaded = request.load(progress);
  if (!loaded) return loaded.error();
  const std::vector<std::filesystem::path> counters(request.counter_files.begin(),
                                                    request.counter_files.end());
  Opened opened;
  const base::Status counted = import::ncu::add_counters(*loaded, counters, progress);
  if (!counted && (!request.opens_without_counters || progress.canceled())) return counted.error();
  if (!counted) opened.notice = base::one_line(counted.error());
  const import::LimitsWatch watch(loaded->source, progress);
  opened.recorded = std::make_shared<const profile::Profile>(std::move(loaded).value());
  opened.profile = opened.recorded;
  if (request.present_rules && !opened.recorded->source.by_tensor_core_rules) {
    opened.profile =
        std::make_shared<const profile::Profile>(profile::by_present_rules(*opened.recorded));
  }
  opened.ranking = std::make_shared<const aggregate::KeyRanking>(*opened.profile);
  if (std::optional<KeptAnswer> kept = kept_answer(request, *opened.profile)) {
    opened.first = std::move(kept->answer);
    return opened;
  }
  base::Result<FirstSelection> chosen = request.choose(*opened.ranking);
  if (!chosen) return chosen.error();
  if (!chosen->notice.empty()) opened.notice = chosen->notice;
  progress.begin_stage("Aggregating");
  opened.engine = request.make_engine(opened.profile);
  opened.first = aggregate_timed(*opened.engine, chosen->selection);
  return opened;
}

std::string upper_case(std::string_view text) {
  std::string upper(text);
  for (char& letter : upper) letter = static_cast<char>(std::toupper(letter));
  return upper;
}

}  // namespace

// A file on its way in.
struct Session::Loading {
  std::shared_ptr<const OpenRequest> request;
  base::Task<Opened> task;
};

Session::Session(base::Scheduler& scheduler) : scheduler_(scheduler) {}
Session::~Session() = default;

void Session::open(OpenRequest request) {
  close();
  name_ = request.name;
  state_ = State::loading;
  const auto shared = std::make_shared<const OpenRequest>(std::move(request));
  loading_ = std::make_unique<Loading>();
  loading_->request = shared;
  loading_->task = scheduler_.start(base::Arena::interactive, [shared](base::Progress& progress) {
    return open_profile(*shared, progress);
  });
}

// Waits for no task but the cache's: a stage that cannot be left at once must not hold up the
// window.
void Session::close() {
  loading_.reset();
  cache_chore_.finish();  // one thread at a time uses the file; this takes some milliseconds
  findings_search_.reset();
  queue_.reset();
  ranking_.reset();
  engine_cut_.reset();
  findings_ = {};
  frames_ = {};
  cut_table_.reset();
  steady_range_.reset();
  preview_ = {};
  wanted_preview_.reset();
  compared_ = {};
  aggregation_.reset();
  profile_.reset();
  recorded_.reset();
  cached_.reset();
  counter_files_.clear();
  error_.reset();
  notice_.clear();
  engine_notice_.clear();
  unconfirmed_.reset();
  confirmed_ms_.reset();
  is_cache_checked_ = false;
}

OpenRequest Session::reopened(bool present_rules) const {
  OpenRequest request;
  request.name = name_;
  request.present_rules = present_rules;
  request.limit_options = limit_options_;
  request.first_selection = first_selection_;
  request.load = [recorded = recorded_](base::Progress&) -> base::Result<profile::Profile> {
    return profile::Profile(*recorded);
  };
  request.choose = [selection = selection_](const aggregate::KeyRanking&) {
    return base::Result<FirstSelection>(FirstSelection{selection, ""});
  };
  request.cached = cached_;
  request.make_engine = make_engine_;
  request.counter_files = counter_files_;
  return request;
}

void Session::read_anew() {
  OpenRequest request = reopened(profile_ != recorded_);
  request.load = [cached = cached_](base::Progress& progress) { return cached->open(progress); };
  request.choose = [selection = selection_](const aggregate::KeyRanking&) {
    return base::Result<FirstSelection>(
        FirstSelection{selection, "Cache entry was corrupt; dlview read the file again."});
  };
  open(std::move(request));
}

void Session::cancel_loading() {
  if (state_ == State::loading) clear();
}

void Session::clear() {
  close();
  name_.clear();
  state_ = State::empty;
}

void Session::select(const aggregate::Selection& selection) {
  if (state_ != State::open || selection == selection_) return;
  selection_ = selection;
  selection_.filters = aggregate::canonical(std::move(selection_.filters));
  if (selection_.cut == aggregation_->selection.cut) {
    const auto count = aggregation_->iteration_table->iterations.rows.size();
    selection_.range = aggregate::clamp_range(selection_.range, static_cast<int64_t>(count));
  }
  if (selection_ == aggregation_->selection) {
    queue_->drop_waiting();
  } else if (aggregation_->unfiltered && selection_ == aggregation_->unfiltered->selection) {
    queue_->drop_waiting();
    show(aggregation_->unfiltered);
  } else if (expected_within_a_frame(selection_) && !queue_->busy()) {
    compute_now();
  } else {
    queue_->request(selection_);
  }
}

void Session::compute_now() {
  base::Result<TimedAggregation> answer = queue_->compute_now(selection_);
  if (!answer) return refuse_selection(answer.error());
  accept(*std::move(answer));
}

bool Session::expected_within_a_frame(const aggregate::Selection& selection) const {
  if (selection.filters != aggregation_->selection.filters) return false;
  return (selection.cut != engine_cut_ ? last_cut_ms_ : last_ms_) < kFrameBudgetMs;
}

bool Session::preview_cut(const std::optional<aggregate::Cut>& cut) {
  if (!is_open() || cut == wanted_preview_) return false;
  wanted_preview_ = cut;
  if (!cut) {
    preview_ = {};
  } else if (*cut == aggregation_->selection.cut) {
    preview_ = {*cut, aggregation_->whole().iteration_table};
  } else {
    queue_->request_preview(*cut);
  }
  return true;
}

std::optional<int64_t> Session::clamped(std::optional<int64_t> iteration) const {
  if (!iteration) return std::nullopt;
  const auto count = static_cast<int64_t>(aggregation_->iteration_table->iterations.rows.size());
  return std::clamp<int64_t>(*iteration, 0, count - 1);
}

void Session::select_iteration(std::optional<int64_t> iteration) {
  if (is_open()) compared_.iteration = clamped(iteration);
}

void Session::select_baseline(std::optional<int64_t> iteration) {
  if (is_open()) compared_.baseline = clamped(iteration);
}

bool Session::poll() {
  if (loading_ && loading_->task.ended()) {
    take_over_loaded();
    return true;
  }
  if (!is_open()) return false;
  begin_background();
  if (cache_chore_.ended()) {
    const base::Result<bool> is_sound = cache_chore_.take();
    is_cache_checked_ = true;
    if (is_sound && !*is_sound) {  // where it failed, the cache can wait for another day
      read_anew();
      return true;
    }
  }
  queue_->poll();
  const bool found = findings_search_->take_news();
  if (found) findings_ = findings_search_->findings();
  const bool read = frames_.take_news();
  const bool made = take_made_engine();  // before what it may have answered since
  const bool failed = take_failures();
  if (!is_open()) return true;
  const bool answered = take_answer();
  confirm_kept();
  const bool confirmed = take_confirmation();
  return take_preview() || answered || confirmed || made || found || read || failed;
}

bool Session::take_failures() {
  const std::optional<base::Error> not_found = findings_search_->take_failure();
  if (not_found) add_notice(base::one_line(*not_found));
  std::optional<base::Error> not_answered = queue_->take_failure();
  if (not_answered && !queue_->lacks_engine()) refuse_selection(*not_answered);
  if (not_answered && queue_->lacks_engine()) {  // nothing will ever be answered
    close();
    error_ = std::move(not_answered);
    state_ = State::failed;
  }
  return not_found || not_answered;
}

void Session::refuse_selection(const base::Error& error) {
  selection_ = aggregation_->selection;
  engine_cut_.reset();  // it may have failed on its way to another one
  add_notice(base::one_line(error));
}

void Session::add_notice(const std::string& notice) {
  if (!notice_.empty()) notice_ += " · ";
  notice_ += notice;
}

bool Session::take_answer() {
  std::optional<TimedAggregation> answer = queue_->take_answer();
  if (!answer) return false;
  compare_with_kept(*answer);
  const bool already_there = selection_ == aggregation_->selection;
  const aggregate::Selection& requested = answer->requested;
  const bool related = requested.cut == selection_.cut && requested.filters == selection_.filters;
  if (already_there || !related) {
    engine_cut_ = requested.cut;
    return false;
  }
  accept(std::move(*answer));
  return true;
}

void Session::confirm_kept() {
  if (unconfirmed_ && !queue_->busy()) queue_->request(unconfirmed_->selection);
}

void Session::compare_with_kept(const TimedAggregation& answer) {
  if (!unconfirmed_ || answer.requested != unconfirmed_->selection) return;
  const auto kept = std::exchange(unconfirmed_, nullptr);
  if (*answer.aggregation == *kept) {
    confirmed_ms_ = answer.ms;
    return;
  }
  cached_->remove_cached();
  add_notice("Cached numbers were wrong; dlview recalculated them.");
  if (aggregation_ != kept) return;
  aggregation_.reset();  // its iterations are wrong too
  TimedAggregation right = answer;
  selection_ = right.requested;
  accept(std::move(right));
}

bool Session::take_confirmation() {
  if (!confirmed_ms_ || !is_cache_checked_) return false;
  const double ms = *std::exchange(confirmed_ms_, std::nullopt);
  if (!is_kept_) return false;  // other numbers are on screen by now
  is_kept_ = false;
  last_ms_ = last_cut_ms_ = ms;
  return true;
}

bool Session::take_made_engine() {
  const std::optional<EngineFacts> made = queue_->take_made_engine();
  if (made) take_engine(*made);
  return made.has_value();
}

bool Session::take_preview() {
  std::optional<CutPreview> preview = queue_->take_preview();
  if (!preview) return false;
  engine_cut_ = preview->cut;
  if (preview->cut != wanted_preview_) return false;
  preview_ = std::move(*preview);
  return true;
}

void Session::take_over_loaded() {
  base::Result<Opened> opened = loading_->task.take();
  const std::shared_ptr<const OpenRequest> request = loading_->request;
  const std::optional<SelectionRequest>& question = request->question;
  loading_.reset();
  make_engine_ = request->make_engine;
  cached_ = request->cached;
  counter_files_ = request->counter_files;
  if (!opened) {
    error_ = opened.error();
    state_ = State::failed;
    return;
  }
  profile_ = std::move(opened->profile);
  recorded_ = std::move(opened->recorded);
  selection_ = opened->first.requested;
  limit_options_ = request->limit_options;
  notice_ = profile::file_damage(*profile_);
  if (!opened->notice.empty()) add_notice(opened->notice);
  const bool was_kept = opened->engine == nullptr;
  queue_ = std::make_unique<EngineQueue>(
      scheduler_, std::move(opened->engine),
      [make = make_engine_, profile = profile_] { return make(profile); });
  ranking_ = std::move(opened->ranking);
  findings_ = quick_findings(*profile_);
  state_ = State::open;
  // What other rules or an engine in need answered is not what the next opening asks for.
  if (cached_ && cached_->maintenance() == import::CachedFile::Maintenance::store && question &&
      !question->present_rules && opened->first.engine.notice.empty()) {
    cached_->set_beside(to_bytes({opened->first, asks_for_first(*question)}));
  }
  accept(std::move(opened->first));
  if (was_kept) {  // its engine has done nothing yet
    unconfirmed_ = aggregation_;
    engine_cut_.reset();
    last_ms_ = last_cut_ms_ = kFrameBudgetMs;
  }
  first_selection_ = request->first_selection.value_or(selection_);
}

void Session::begin_background() {
  if (!is_open() || findings_search_) return;
  queue_->begin();
  findings_search_ = std::make_unique<FindingsSearch>(scheduler_, profile_, ranking_, findings_);
  findings_search_->request(cut_table_);
  findings_search_->want_limits(limit_options_);  // findings need it
  is_cache_checked_ = !cached_ || cached_->maintenance() == import::CachedFile::Maintenance::none;
  if (is_cache_checked_) return;
  cache_chore_ = scheduler_.start(
      base::Arena::background, [cached = cached_, recorded = recorded_](base::Progress& progress) {
        return cached->maintain(*recorded, progress.stop_token());
      });
}

void Session::accept(TimedAggregation answer) {
  if (engine_cut_ != answer.requested.cut) last_cut_ms_ = answer.ms;
  engine_cut_ = answer.requested.cut;
  last_ms_ = answer.ms;
  take_engine(answer.engine);
  is_kept_ = answer.engine.name.empty();
  const bool is_newest = answer.requested == selection_;
  show(std::move(answer.aggregation));
  if (is_newest) selection_ = aggregation_->selection;
}

void Session::take_engine(const EngineFacts& engine) {
  engine_ = upper_case(engine.name);
  engine_reason_ = engine.notice.empty() ? engine.reason : engine.notice;
  if (engine.notice == engine_notice_) return;
  engine_notice_ = engine.notice;
  if (engine_notice_.empty()) return;
  add_notice(fmt::format("Aggregated on {}: {}", engine_, engine_notice_));
}

void Session::show(std::shared_ptr<const aggregate::Aggregation> aggregation) {
  const bool did_cut = !aggregation_ || aggregation_->selection.cut != aggregation->selection.cut;
  aggregation_ = std::move(aggregation);
  if (!did_cut) return;
  cut_table_ = aggregation_->whole().iteration_table;
  steady_range_ = aggregate::steady_range(cut_table_->iterations);
  if (findings_search_) findings_search_->request(cut_table_);
  compared_ = {};  // the numbers mean other iterations now
}

void Session::await_loading(std::chrono::milliseconds longest) const {
  if (loading_) loading_->task.wait_for(longest);
}

bool Session::settled() const {
  if (loading_) return false;
  return !is_open() ||
         (findings_search_ && !queue_->busy() && !findings_search_->busy() && !frames_.busy());
}

void Session::settle() {
  while (!settled()) {
    if (loading_) {
      loading_->task.wait();
    } else {
      begin_background();
      queue_->wait_until_idle();
      findings_search_->wait_until_idle();
      frames_.wait();
    }
    poll();
  }
}

void Session::want_lanes() {
  // A file that was taken over in this frame has its searches in the next one.
  if (findings_search_) findings_search_->want_lanes();
}

void Session::want_limits() {
  if (findings_search_) findings_search_->want_limits(limit_options_);
}

void Session::want_python_frames() {
  if (is_open()) frames_.want(scheduler_, profile_);
}

void Session::want_frame_lanes() {
  want_python_frames();
  if (findings_search_ && frames_.frames()) findings_search_->want_frame_lanes(frames_.frames());
}

void Session::forget_frame_lanes_error() {
  if (!findings_.frame_lanes_error) return;
  findings_search_->forget_frame_lanes_error();
  findings_ = findings_search_->findings();
}

void Session::read_python_frames() {
  if (!is_open()) return;
  forget_frame_lanes_error();
  frames_.read(scheduler_, profile_);
}

std::shared_ptr<const aggregate::Outliers> Session::outliers() const {
  return findings_.table == cut_table_ ? findings_.outliers : nullptr;
}

RunInfo Session::info() const {
  RunInfo info{.name = {}, .path = {}};
  if (state_ == State::loading) info.progress = loading_->task.progress().snapshot();
  info.failed = state_ == State::failed;
  info.profile = profile_;
  return info;
}

void Session::describe(RunModel& model) const {
  model.file_name = name_;
  if (state_ == State::loading) model.loading = loading_->task.progress().snapshot();
  model.error = error_;
  model.profile = profile_;
  model.aggregation = aggregation_;
  if (aggregation_) model.unfiltered = aggregation_->unfiltered;
  model.selection = selection_;
  if (state_ != State::open) return;
  model.engine = engine_;
  model.engine_reason = engine_reason_;
  model.aggregation_ms = is_kept_ ? 0 : last_ms_;
  model.aggregating = selection_ != aggregation_->selection;
  model.steady = steady_range_;
  model.outliers = outliers();
  model.key_ops = findings_.key_ops;
  model.unknown_use = findings_.unknown_use;
  model.rules = findings_.rules;
  model.lanes = findings_.lanes;
  model.limits = findings_.limits;
  model.frame_lanes_error = findings_.frame_lanes_error;
  frames_.describe(model);
  if (preview_.cut == wanted_preview_) model.preview_table = preview_.table;
  model.compared = compared_;
}

}  // namespace dlview::workspace
