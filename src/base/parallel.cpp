#include "base/parallel.h"

#include <stop_token>

#include "base/sanitizers.h"
#include "base/stop_point.h"

#ifdef DLVIEW_THREAD_SANITIZER
#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>
#else
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_group.h>
#endif

namespace dlview::base {
namespace {

using Body = std::function<void(std::size_t, std::size_t)>;

#ifdef DLVIEW_THREAD_SANITIZER
// ThreadSanitizer does not see how TBB's library hands work to other threads: in its build a loop
// starts threads of its own. A loop inside a loop runs on the calling thread.
void for_each_unit(std::size_t units, const Body& body) {
  constexpr std::size_t kThreads = 4, kMostPieces = 64;
  static thread_local bool is_inside = false;
  if (is_inside) return body(0, units);
  const std::size_t pieces = std::min(units, kMostPieces);
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::exception_ptr failure;
  const auto work = [&] {
    is_inside = true;
    for (std::size_t i = next++; i < pieces; i = next++) {
      try {
        body(units * i / pieces, units * (i + 1) / pieces);
      } catch (...) {
        next = pieces;
        const std::lock_guard lock(mutex);
        failure = std::current_exception();
      }
    }
    is_inside = false;
  };
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < std::min(kThreads, pieces); ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  if (failure) std::rethrow_exception(failure);
}
#else
void for_each_unit(std::size_t units, const Body& body) {
  using Range = tbb::blocked_range<std::size_t>;
  tbb::parallel_for(Range(0, units), [&](const Range& range) { body(range.begin(), range.end()); });
}
#endif

}  // namespace

void parallel_for(std::size_t count, std::size_t grain, const Body& body) {
  // TBB halves ranges down to half of its own grain: it gets whole units instead, the last of which
  // takes the rest.
  const std::size_t units = count / grain;
  stop_point();
  if (units <= 1) {
    if (count > 0) body(0, count);
    return;
  }
  const Progress* const job = current_job();
  for_each_unit(units, [&](std::size_t begin, std::size_t end) {
    const JobScope scope(job);
    stop_point();
    body(begin * grain, end == units ? count : end * grain);
  });
}

void run_stoppable(const std::function<void()>& body) {
  const Progress* const job = current_job();
  if (job == nullptr) return body();
#ifdef DLVIEW_THREAD_SANITIZER
  body();
#else
  tbb::task_group_context context;
  const std::stop_callback stop(job->stop_token(),
                                [&context] { context.cancel_group_execution(); });
  tbb::task_group group(context);
  const tbb::task_group_status status = group.run_and_wait([&] {
    const JobScope scope(job);
    body();
  });
  if (status == tbb::canceled) throw Stopped();
#endif
  stop_point();
}

}  // namespace dlview::base
