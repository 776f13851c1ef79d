// Stop points: how loops deep inside a job notice that it was canceled, without a Progress in
// every signature. parallel_for and parallel_sort are stop points between their pieces.
#pragma once

#include "base/progress.h"

namespace dlview::base {

// Thrown by stop_point(); whoever began the job catches it. Not a std::exception, so that nobody
// takes it for a failure.
struct Stopped {};

// Makes `progress` the job of this thread while the object lives; null: no job.
class JobScope {
 public:
  explicit JobScope(const Progress* progress);
  ~JobScope();
  JobScope(const JobScope&) = delete;
  JobScope& operator=(const JobScope&) = delete;

 private:
  const Progress* outer_;
};

// The job of this thread; null without one.
const Progress* current_job();

// Throws Stopped when the job of this thread was canceled. Costs two loads; a loop calls it at
// least every few milliseconds.
void stop_point();

}  // namespace dlview::base
