// Keys that are held down: what they did once goes on smoothly, by the time that passes.
#pragma once

#include <functional>
#include <vector>

#include "app/chord.h"

namespace dlview::app {

class HeldKeys {
 public:
  // A key went down and did something.
  void press(const KeyPress& press) { keys_.push_back({press, 0}); }
  bool empty() const { return keys_.empty(); }

  // Seconds have passed: each key that is still down goes on by so many steps, as soon as it has
  // been held for a moment. One that cannot go on is let go.
  using IsDown = std::function<bool(int key)>;
  using GoOn = std::function<bool(const KeyPress& press, double steps)>;
  void pass(double seconds, const IsDown& is_down, const GoOn& go_on);

 private:
  struct Key {
    KeyPress press;
    double seconds;  // since it went down
  };
  std::vector<Key> keys_;
};

}  // namespace dlview::app
