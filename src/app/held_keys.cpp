#include "app/held_keys.h"

#include <algorithm>

namespace dlview::app {
namespace {

constexpr double kMoment = 0.25;
constexpr double kStepsPerSecond = 6;
// A frame that took long must not throw anyone far.
constexpr double kLongestFrame = 0.1;

}  // namespace

void HeldKeys::pass(double seconds, const IsDown& is_down, const GoOn& go_on) {
  const double passed = std::min(seconds, kLongestFrame);
  std::erase_if(keys_, [&](Key& key) {
    if (!is_down(key.press.chord.key)) return true;
    key.seconds += passed;
    const double beyond = std::min(passed, key.seconds - kMoment);
    return beyond > 0 && !go_on(key.press, beyond * kStepsPerSecond);
  });
}

}  // namespace dlview::app
