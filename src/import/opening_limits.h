// Limits of time and memory for opening a file. A file built to waste either ends in an Error
// before it exhausts the machine.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "base/progress.h"
#include "base/result.h"
#include "profile/profile.h"

namespace dlview::import {

struct OpeningLimits {
  std::chrono::milliseconds time{0};
  int64_t memory_bytes = 0;

  // Returns 5 s plus 30 s per GB, and 512 MiB plus four times the file size. A number in
  // $DLVIEW_LIMITS multiplies both; "off" gives nullopt. Sanitized builds get ten times the time
  // and unlimited memory.
  static std::optional<OpeningLimits> of_file(int64_t bytes);
  // Returns the number in $DLVIEW_LIMITS, 1 where it has none, and nullopt for "off".
  static std::optional<double> factor();
};

// Watches a job from a thread of its own, which no other job may hold up, and stops it
// (base::Progress::stop) once it goes beyond the limits, counted from construction. Reading a file
// and what follows it until the first answer are two jobs. Time is the lesser of wall-clock time
// and CPU time: waiting for a slow disk or a busy machine does not count, nor does drawing on the
// main thread. Memory is the growth of the process's resident memory without mapped files.
class LimitsWatch {
 public:
  // For reading a database, with its -wal and -journal. `progress` must outlive the object.
  LimitsWatch(const std::filesystem::path& path, base::Progress& progress);
  // For what follows; without limits for a profile that was made in memory. A gzip file counts as
  // what it unpacks to.
  LimitsWatch(const profile::SourceInfo& source, base::Progress& progress);
  // For given limits; does nothing without any. `path` and `bytes` are for the message.
  LimitsWatch(const std::filesystem::path& path, int64_t bytes,
              const std::optional<OpeningLimits>& limits, base::Progress& progress);
  ~LimitsWatch();

  // Raises the limits to those of a file of so many bytes as soon as the number, which another
  // thread counts up, exceeds the size of the file: a gzip file counts as what it unpacks to.
  void follow(std::shared_ptr<const std::atomic<int64_t>> bytes);

  LimitsWatch(const LimitsWatch&) = delete;
  LimitsWatch& operator=(const LimitsWatch&) = delete;

 private:
  void watch();
  std::chrono::milliseconds processor_time() const;

  void make_errors();

  const std::filesystem::path path_;
  int64_t bytes_;
  OpeningLimits limits_;
  base::Error too_long_, too_large_;  // made in advance: there may be no memory then
  std::shared_ptr<const std::atomic<int64_t>> followed_;  // null: follow() was not called
  const bool is_main_thread_;
  const std::chrono::steady_clock::time_point begin_;
  const std::chrono::milliseconds begin_processors_;
  const int64_t begin_memory_;
  base::Progress& progress_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool has_ended_ = false;
  std::thread thread_;  // last: it uses the members above
};

}  // namespace dlview::import
