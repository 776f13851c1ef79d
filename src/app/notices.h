// Notices: what the window says for a few seconds. A problem stays for its time, whatever is said
// meanwhile; what a command did is replaced by what the next one does.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "ui/model.h"

namespace dlview::app {

class Notices {
 public:
  // Problems that are shown at once; an older one gives way.
  static constexpr std::ptrdiff_t kMostProblems = 3;

  void show(std::string text);
  // The same problem again restarts its time.
  void show_problem(std::string text);
  void clear() { all_.clear(); }

  // Lets time pass; returns whether a notice has gone.
  bool pass(float seconds);
  bool empty() const { return all_.empty(); }
  // The one shown last; empty = none.
  std::string_view newest() const;
  // One of them fades now.
  bool is_fading() const;
  // Until one begins to fade, or disappears if `fades` is false; there is one.
  float seconds_to_change(bool fades) const;

  // Oldest first.
  std::vector<ui::Notice> shown(bool fades) const;

 private:
  struct Entry {
    std::string text;
    bool is_problem = false;
    float age_s = 0;
  };
  std::vector<Entry> all_;  // in the order in which they were shown
};

}  // namespace dlview::app
