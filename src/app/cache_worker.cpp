#include "app/cache_worker.h"

#include <utility>

namespace dlview::app {

CacheWorker::CacheWorker(std::shared_ptr<import::CachedFile> file,
                         std::shared_ptr<const profile::Profile> profile,
                         std::function<void()> wake)
    : thread_(
          [this, file = std::move(file), profile = std::move(profile), wake_up = std::move(wake)] {
            try {
              if (file->tend(*profile, stopping_)) return;
            } catch (...) {
              return;  // the cache can wait for another day
            }
            damaged_ = true;
            wake_up();
          }) {}

CacheWorker::~CacheWorker() {
  stopping_ = true;
  thread_.join();
}

}  // namespace dlview::app
