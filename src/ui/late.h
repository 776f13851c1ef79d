// Late: something that takes long to make from what a frame shows. Where it is small it is made at
// once; else in the background, and the last one stays until the next one is there. Where making it
// fails there is none until another key is wanted; Background::take_failure() has the error. The
// main thread only.
#pragma once

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
  using Made = std::shared_ptr<const Product>;

 public:
  // Runs on another thread unless it is made at once, and owns what it touches.
  using Make = std::function<Made(const base::Progress&)>;

  // What becomes of what is being made when something else is wanted. What takes seconds is
  // cancelled; what takes a few frames is finished, so that it follows a mouse that does not rest.
  enum class WhenOutdated { cancel, finish };
  explicit Late(WhenOutdated outdated = WhenOutdated::cancel) : outdated_(outdated) {}

  // In every frame in which it is wanted.
  void want(const Key& key, bool at_once, Background& background, Make make) {
    if (task_.ended()) take_over(task_.take(), background);
    if (key_ == key || (task_ && outdated_ == WhenOutdated::finish)) return;
    key_ = key;
    task_ = {};
    if (at_once) {
      base::Progress progress;
      take_over(base::run_job(make, progress), background);
    } else {
      task_ = background.start(std::move(make));
    }
  }
  // It is not wanted any more.
  void drop() {
    task_ = {};
    key_.reset();
    product_.reset();
  }

  // Null before the first one, and after one that could not be made.
  const Made& get() const { return product_; }
  bool is_late() const { return static_cast<bool>(task_); }

 private:
  void take_over(base::Result<Made> made, Background& background) {
    if (!made) background.fail(made.error());
    product_ = made ? *std::move(made) : nullptr;
  }

  WhenOutdated outdated_;
  std::optional<Key> key_;  // of the task, or of the product once it has ended
  Made product_;
  base::Task<Made> task_;  // that makes the next one
};

}  // namespace dlview::ui
