// CacheWorker: does what is to be done for the cache of columns on a thread of its own, while the
// profile is in use.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <thread>

#include "import/open.h"
#include "profile/profile.h"

namespace dlview::app {

class CacheWorker {
 public:
  // `profile` as the file gave it. `wake` is called on the worker's thread when damage was found.
  CacheWorker(std::shared_ptr<import::CachedFile> file,
              std::shared_ptr<const profile::Profile> profile, std::function<void()> wake);
  // Gives up what is not done yet.
  ~CacheWorker();
  CacheWorker(const CacheWorker&) = delete;
  CacheWorker& operator=(const CacheWorker&) = delete;

  // The profile came out of the cache and is not what was kept.
  bool has_found_damage() const { return damaged_; }

 private:
  std::atomic<bool> stopping_{false}, damaged_{false};
  std::thread thread_;
};

}  // namespace dlview::app
