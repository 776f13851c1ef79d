// Measuring: from an edge of an event to another one, exact to the nanosecond. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "timeline/event.h"
#include "timeline/line.h"
#include "timeline/time_window.h"

namespace dlview::timeline {

// Where an event starts or stops; without an event, a time where no edge is near.
struct Edge {
  int64_t time_ns = 0;
  std::optional<EventRef> event;
  bool is_stop = false;
  bool operator==(const Edge&) const = default;
};

// The edge of the line that is nearest to a column, at most `reach` columns away; else the time of
// the column. Of several in one column that which is nearest to its beginning, the earlier of two.
Edge edge_near(const Line& line, const Events& source, const TimeMap& map, int32_t column,
               int32_t reach);

class Measure {
 public:
  struct Span {
    Edge first, last;  // in order of time
    int64_t length_ns() const { return last.time_ns - first.time_ns; }
  };

  bool is_on() const { return is_on_; }
  void begin();
  void end() { *this = {}; }
  // What the pointer is at; nothing where it is elsewhere.
  void point(const std::optional<Edge>& edge) { pointed_ = edge; }
  const std::optional<Edge>& pointed() const { return pointed_; }
  // Takes what it is at: the first edge, then the second, then a first one anew.
  void click();

  const std::optional<Edge>& first() const { return first_; }
  bool is_fixed() const { return second_.has_value(); }
  // From the first edge to the second, or as far as the pointer; nothing without a first one.
  std::optional<Span> span() const;
  // What to do next, or start, stop and length; times from the origin on.
  std::string text(int64_t origin_ns = 0) const;

 private:
  bool is_on_ = false;
  std::optional<Edge> first_, second_, pointed_;
};

// "12.3 µs · 12 345 ns"; below a microsecond the latter says it all.
std::string exact_length_text(int64_t ns);

}  // namespace dlview::timeline
