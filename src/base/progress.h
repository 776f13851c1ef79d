// Progress of a long job, written by the job's thread and read by any other: the stage it is in,
// how far that stage is, and whether it must stop.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

#include "base/result.h"

namespace dlview::base {

class Progress {
 public:
  // Called by the job. `total` 0 means that the length of the stage is not known.
  void begin_stage(std::string name, int64_t total = 0);
  void set_done(int64_t done) { done_.store(done, std::memory_order_relaxed); }
  void add_done(int64_t more) { done_.fetch_add(more, std::memory_order_relaxed); }
  bool canceled() const { return canceled_.load(std::memory_order_relaxed); }
  // For what must be called when the job is canceled.
  std::stop_token stop_token() const { return stop_.get_token(); }

  // Called by whoever waits.
  void cancel();
  // Cancels for a reason that the job's caller gets instead of "Canceled". The first reason
  // counts.
  void stop(Error reason);
  // Returns nothing unless stop() was called.
  std::optional<Error> stop_reason() const;
  struct Snapshot {
    std::string stage;
    int64_t done = 0;
    int64_t total = 0;
    float fraction() const;  // 0..1; 0 when the total is not known
  };
  Snapshot snapshot() const;

 private:
  mutable std::mutex mutex_;
  std::string stage_;
  std::optional<Error> stop_reason_;
  std::atomic<int64_t> done_{0};
  std::atomic<int64_t> total_{0};
  std::atomic<bool> canceled_{false};
  std::stop_source stop_;
};

}  // namespace dlview::base
