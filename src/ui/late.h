// Late: something that takes long to make from what a frame shows. Where it is small it is made at
// once; else beside the frame, and the last one stays until the next one is there. Where making it
// throws there is none, until another key is wanted; Background::take_failure() has the error.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "base/progress.h"
#include "ui/background.h"

namespace dlview::ui {

// Key: what it is made from; comparable.
template <typename Key, typename Product>
class Late {
 public:
  using Make = std::function<std::shared_ptr<const Product>(const base::Progress&)>;

  // What becomes of what is being made when something else is wanted. What takes seconds is
  // cancelled; what takes a few frames is finished, so that it follows a hand that does not rest.
  enum class WhenOutdated { cancel, finish };
  explicit Late(WhenOutdated outdated = WhenOutdated::cancel) : outdated_(outdated) {}
  // The background may hold it for a moment longer.
  ~Late() { cancel(); }
  Late(const Late&) = delete;
  Late& operator=(const Late&) = delete;

  // In every frame in which it is wanted.
  void want(const Key& key, bool at_once, Background& background, Make make) {
    take_over();
    if (key_ == key || (job_ && outdated_ == WhenOutdated::finish)) return;
    cancel();
    key_ = key;
    job_ = std::make_shared<Job>();
    if (at_once) {
      background.run_now([this, &make] { job_->run(make); });
      return take_over();
    }
    background.run([job = job_, make = std::move(make)] { job->run(make); });
  }
  // It is not wanted any more.
  void drop() {
    cancel();
    key_.reset();
    product_.reset();
  }

  // Null before the first one, and after one that could not be made.
  const std::shared_ptr<const Product>& get() const { return product_; }
  bool is_late() const { return job_ != nullptr; }

 private:
  struct AtEnd {
    std::atomic<bool>& done;
    ~AtEnd() { done.store(true, std::memory_order_release); }
  };
  struct Job {
    base::Progress progress;
    std::shared_ptr<const Product> product;
    std::atomic<bool> done{false};  // the product may be read once it is true

    void run(const Make& make) {
      const AtEnd end{done};
      if (!progress.cancelled()) product = make(progress);
    }
  };

  void cancel() {
    if (job_) job_->progress.cancel();
    job_.reset();
  }
  void take_over() {
    if (!job_ || !job_->done.load(std::memory_order_acquire)) return;
    product_ = std::move(std::exchange(job_, nullptr)->product);
  }

  WhenOutdated outdated_;
  std::optional<Key> key_;  // of the job, or of the product once it is done
  std::shared_ptr<const Product> product_;
  std::shared_ptr<Job> job_;
};

}  // namespace dlview::ui
