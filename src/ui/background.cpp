#include "ui/background.h"

#include <algorithm>

namespace dlview::ui {

bool Background::busy() const {
  return !std::ranges::all_of(tasks_, [](const auto& task) { return task->ended(); });
}

bool Background::take_news() {
  free_unused();
  const auto ended = std::erase_if(tasks_, [](const auto& task) { return task->ended(); });
  return std::exchange(has_failed_, false) || ended > 0;
}

void Background::wait_until_idle() const {
  for (const auto& task : tasks_) task->wait();
}

void Background::drop(std::shared_ptr<const void> unused) {
  free_unused();
  // A second reference here would keep it.
  if (std::ranges::find(unused_, unused) == unused_.end()) unused_.push_back(std::move(unused));
}

void Background::free_unused() {
  std::erase_if(drops_, [](const auto& task) { return task.ended(); });
  for (std::shared_ptr<const void>& unused : unused_) {
    if (unused.use_count() > 1) continue;
    drops_.push_back(scheduler_.start(base::Arena::background,
                                      [unused = std::move(unused)](const base::Progress&) {}));
  }
  std::erase(unused_, nullptr);
}

void Background::fail(base::Error error) {
  failure_ = std::move(error);
  has_failed_ = true;
}

}  // namespace dlview::ui
