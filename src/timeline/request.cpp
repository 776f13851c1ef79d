#include "timeline/request.h"

#include <algorithm>
#include <tuple>

namespace dlview::timeline {

std::size_t add_bookmark(Bookmarks& bookmarks, const Bookmark& bookmark) {
  const auto order = [](const Bookmark& one) {
    return std::tuple(one.time.start_ns, one.time.length_ns);
  };
  auto place = std::ranges::lower_bound(bookmarks, order(bookmark), {}, order);
  if (place == bookmarks.end() || place->time != bookmark.time) {
    place = bookmarks.insert(place, bookmark);
  }
  return static_cast<std::size_t>(place - bookmarks.begin());
}

}  // namespace dlview::timeline
