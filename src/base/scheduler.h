// Scheduler: runs work that takes longer than a frame. A program has
// one and hands it down by reference; it outlives those who start tasks.
#pragma once

#include <array>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/task.h"

namespace dlview::base {

// Which threads run a task. A user waits for what is interactive: a file that opens, new numbers.
// Threads of the background arena take no core from a thread that runs (thread_priority.h).
enum class Arena { interactive, background };
inline constexpr std::size_t kArenaCount = 2;

class Scheduler {
 public:
  // Threads of an arena, started when there are more tasks than free ones: a long task holds up no
  // other one.
  static constexpr std::size_t kMostThreads = 16;

  // `wake` is called once for each task that was run, on its thread, after it has ended; it must
  // not throw. Tests let `before_each_job` throw: it counts as part of the job. Throws
  // std::system_error where no threads can be had.
  explicit Scheduler(
      std::function<void()> wake = [] {}, std::function<void()> before_each_job = [] {});
  // Cancels all tasks, and waits for those that run.
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  // From any thread, a task's own, too. Tasks of an arena begin in the order in which they were
  // started.
  template <typename Job>
  Task<JobProduct<Job>> start(Arena arena, Job job) {
    return start(arena, nullptr, std::move(job));
  }

  // While one exists, new background tasks wait: they would take cores from the frame that requests
  // them. Tasks that run continue.
  class Hold {
   public:
    explicit Hold(Scheduler& scheduler);
    ~Hold();
    Hold(Hold&& other) noexcept : scheduler_(std::exchange(other.scheduler_, nullptr)) {}
    Hold& operator=(Hold&&) = delete;

   private:
    Scheduler* scheduler_;  // null = another one holds now
  };

  // Blocks until no task waits or runs; never returns where this thread has a Hold of one.
  void wait_until_idle();

 private:
  friend class Strand;
  // The tasks of a strand that wait for the one that is ready or runs.
  struct Line {
    std::deque<std::shared_ptr<TaskState>> waiting;
    bool is_taken = false;
  };
  struct Entry {
    std::shared_ptr<TaskState> task;
    std::shared_ptr<Line> line;  // null: of no strand
  };
  struct Crew {
    std::deque<Entry> ready;
    std::condition_variable changed;
    std::vector<std::thread> threads;
    std::size_t free = 0;  // threads that run no task
  };

  template <typename Job>
  Task<JobProduct<Job>> start(Arena arena, std::shared_ptr<Line> line, Job job) {
    auto task = std::make_shared<JobTask<Job>>(std::move(job));
    add(arena, {task, std::move(line)});
    return Task<JobProduct<Job>>(std::move(task));
  }
  // Cancels all tasks, and waits for those that run.
  void stop();
  void add(Arena arena, Entry entry);
  void work(Arena arena);
  Entry wait_for_next(Crew& crew);
  void end(Arena arena, const Entry& entry);
  // These are called with the lock.
  void line_up(Arena arena, Entry entry);
  void make_ready(Arena arena, Entry entry);
  void add_thread(Arena arena);
  Crew& crew_of(Arena arena) { return crews_[static_cast<std::size_t>(arena)]; }

  const std::function<void()> wake_, before_each_job_;
  std::mutex mutex_;  // of what is below
  std::condition_variable idle_;
  std::unordered_set<std::shared_ptr<TaskState>> tasks_;  // that wait or run
  std::deque<Entry> held_;                                // in the background
  int holds_ = 0;
  bool stopping_ = false;
  std::array<Crew, kArenaCount> crews_;
};

// Tasks that use the same thing, such as an engine: they run one after another in the order in
// which they were started, each on any thread of the arena. What one has written the next one sees.
class Strand {
 public:
  Strand(Scheduler& scheduler, Arena arena)
      : scheduler_(&scheduler), arena_(arena), line_(std::make_shared<Scheduler::Line>()) {}

  template <typename Job>
  Task<JobProduct<Job>> start(Job job) {
    return scheduler_->start(arena_, line_, std::move(job));
  }

 private:
  Scheduler* scheduler_;
  Arena arena_;
  std::shared_ptr<Scheduler::Line> line_;
};

}  // namespace dlview::base
