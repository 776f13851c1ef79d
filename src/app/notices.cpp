#include "app/notices.h"

#include <algorithm>
#include <utility>

namespace dlview::app {
namespace {

// How long a notice stands, and when it begins to fade.
constexpr float kNoticeSeconds = 5;
constexpr float kFadeSeconds = 0.6f;

}  // namespace

void Notices::show(std::string text) {
  std::erase_if(all_, [&](const Entry& entry) { return !entry.is_problem || entry.text == text; });
  all_.push_back({.text = std::move(text)});
}

void Notices::show_problem(std::string text) {
  std::erase_if(all_, [&](const Entry& entry) { return entry.text == text; });
  if (std::ranges::count(all_, true, &Entry::is_problem) == kMostProblems) {
    all_.erase(std::ranges::find(all_, true, &Entry::is_problem));
  }
  all_.push_back({.text = std::move(text), .is_problem = true});
}

bool Notices::pass(float seconds) {
  for (Entry& entry : all_) entry.age_s += seconds;
  return std::erase_if(all_, [](const Entry& entry) { return entry.age_s >= kNoticeSeconds; }) > 0;
}

std::string_view Notices::newest() const {
  return all_.empty() ? std::string_view() : all_.back().text;
}

bool Notices::is_fading() const {
  return std::ranges::any_of(
      all_, [](const Entry& entry) { return entry.age_s > kNoticeSeconds - kFadeSeconds; });
}

float Notices::seconds_to_change(bool fades) const {
  const float oldest = std::ranges::max(all_, {}, &Entry::age_s).age_s;
  return std::max(0.01f, kNoticeSeconds - (fades ? kFadeSeconds : 0) - oldest + 0.01f);
}

std::vector<ui::Notice> Notices::shown(bool fades) const {
  std::vector<ui::Notice> shown;
  for (const Entry& entry : all_) {
    const float rest = std::clamp((kNoticeSeconds - entry.age_s) / kFadeSeconds, 0.0f, 1.0f);
    shown.push_back({entry.text, fades ? rest : 1});
  }
  return shown;
}

}  // namespace dlview::app
