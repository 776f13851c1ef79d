// Bookmarks of a run: times that a reader wants to come back to, with a note. In order of time.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ui/timeline/time_window.h"

namespace dlview::ui::timeline {

struct Bookmark {
  TimeWindow time;    // of the selection, or all that was visible
  TimeWindow window;  // that was visible
  std::string note = {};
  bool operator==(const Bookmark&) const = default;
};

using Bookmarks = std::vector<Bookmark>;

// Returns where it lies. One of the same time is there already: it stays, with its note.
std::size_t add_bookmark(Bookmarks& bookmarks, const Bookmark& bookmark);

}  // namespace dlview::ui::timeline
