#include "base/stop_point.h"

namespace dlview::base {
namespace {

thread_local const Progress* job = nullptr;

}  // namespace

JobScope::JobScope(const Progress* progress) : outer_(job) {
  job = progress;
}

JobScope::~JobScope() {
  job = outer_;
}

const Progress* current_job() {
  return job;
}

void stop_point() {
  if (job != nullptr && job->canceled()) throw Stopped();
}

}  // namespace dlview::base
