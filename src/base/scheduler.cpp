#include "base/scheduler.h"

#include "base/thread_priority.h"

namespace dlview::base {

Scheduler::Scheduler(std::function<void()> wake, std::function<void()> before_each_job)
    : wake_(std::move(wake)), before_each_job_(std::move(before_each_job)) {
  // The first ones here: without any, what is started later could not even fail.
  try {
    const std::lock_guard lock(mutex_);
    add_thread(Arena::interactive);
    add_thread(Arena::background);
  } catch (...) {
    stop();
    throw;
  }
}

Scheduler::~Scheduler() {
  stop();
}

void Scheduler::stop() {
  std::vector<std::shared_ptr<TaskState>> left;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    left.assign(tasks_.begin(), tasks_.end());
  }
  for (const auto& task : left) task->cancel();
  for (Crew& crew : crews_) {
    crew.changed.notify_all();
    for (std::thread& thread : crew.threads) thread.join();
  }
}

void Scheduler::add(Arena arena, Entry entry) {
  {
    const std::lock_guard lock(mutex_);
    if (!stopping_) {
      tasks_.insert(entry.task);
      if (arena == Arena::background && holds_ > 0) {
        held_.push_back(std::move(entry));
      } else {
        line_up(arena, std::move(entry));
      }
      return;
    }
  }
  entry.task->cancel();
}

void Scheduler::line_up(Arena arena, Entry entry) {
  if (entry.line && std::exchange(entry.line->is_taken, true)) {
    entry.line->waiting.push_back(std::move(entry.task));
  } else {
    make_ready(arena, std::move(entry));
  }
}

void Scheduler::make_ready(Arena arena, Entry entry) {
  Crew& crew = crew_of(arena);
  crew.ready.push_back(std::move(entry));
  if (crew.ready.size() > crew.free && crew.threads.size() < kMostThreads && !stopping_) {
    try {
      add_thread(arena);
    } catch (...) {  // the threads there are will get to it
    }
  }
  crew.changed.notify_one();
}

void Scheduler::add_thread(Arena arena) {
  crew_of(arena).threads.emplace_back([this, arena] { work(arena); });
  ++crew_of(arena).free;
}

void Scheduler::work(Arena arena) {
  if (arena == Arena::background) give_way_to_other_threads();
  for (;;) {
    const Entry entry = wait_for_next(crew_of(arena));
    if (!entry.task) return;
    if (entry.task->run(before_each_job_)) wake_();
    end(arena, entry);
  }
}

Scheduler::Entry Scheduler::wait_for_next(Crew& crew) {
  std::unique_lock lock(mutex_);
  crew.changed.wait(lock, [&] { return stopping_ || !crew.ready.empty(); });
  if (stopping_) return {};
  --crew.free;
  Entry entry = std::move(crew.ready.front());
  crew.ready.pop_front();
  return entry;
}

void Scheduler::end(Arena arena, const Entry& entry) {
  const std::lock_guard lock(mutex_);
  ++crew_of(arena).free;
  tasks_.erase(entry.task);
  if (tasks_.empty()) idle_.notify_all();
  if (!entry.line) return;
  Line& line = *entry.line;
  line.is_taken = !line.waiting.empty();
  if (!line.is_taken) return;
  make_ready(arena, {std::move(line.waiting.front()), entry.line});
  line.waiting.pop_front();
}

void Scheduler::wait_until_idle() {
  std::unique_lock lock(mutex_);
  idle_.wait(lock, [this] { return tasks_.empty(); });
}

Scheduler::Hold::Hold(Scheduler& scheduler) : scheduler_(&scheduler) {
  const std::lock_guard lock(scheduler_->mutex_);
  ++scheduler_->holds_;
}

Scheduler::Hold::~Hold() {
  if (scheduler_ == nullptr) return;
  const std::lock_guard lock(scheduler_->mutex_);
  if (--scheduler_->holds_ > 0) return;
  for (Entry& entry : std::exchange(scheduler_->held_, {})) {
    scheduler_->line_up(Arena::background, std::move(entry));
  }
}

}  // namespace dlview::base
