#include "timeline/measure.h"

#include <algorithm>
#include <cstdlib>
#include <tuple>

#include <fmt/format.h>

#include "base/units.h"
#include "timeline/time_text.h"

namespace dlview::timeline {
namespace {

// No other edges can be nearer to a time than those of so many events before and behind it.
constexpr std::size_t kNeighbors = 2;
constexpr int64_t kMicrosecond = 1'000;

class NearestEdge {
 public:
  NearestEdge(const TimeMap& map, int32_t column)
      : map_(map), column_(column), time_ns_(map.begin_ns(column)) {}

  void take(const Edge& edge) {
    if (edge.time_ns < map_.window().start_ns || edge.time_ns > map_.window().stop_ns()) return;
    const Distance distance{std::abs(map_.column(edge.time_ns) - column_),
                            std::abs(edge.time_ns - time_ns_), edge.time_ns};
    if (nearest_ && distance >= distance_) return;
    nearest_ = edge;
    distance_ = distance;
  }
  Edge within(int32_t reach) const {
    return nearest_ && std::get<0>(distance_) <= reach ? *nearest_ : Edge{time_ns_, {}, false};
  }

 private:
  using Distance = std::tuple<int32_t, int64_t, int64_t>;  // columns, ns, the time

  const TimeMap& map_;
  int32_t column_;
  int64_t time_ns_;
  std::optional<Edge> nearest_;
  Distance distance_;
};

}  // namespace

Edge edge_near(const Line& line, const Events& source, const TimeMap& map, int32_t column,
               int32_t reach) {
  NearestEdge nearest(map, column);
  const std::size_t behind = line.first_from(map.begin_ns(column), source);
  const std::size_t first = behind - std::min(behind, kNeighbors);
  for (std::size_t place = first; place < std::min(line.size(), behind + kNeighbors); ++place) {
    const EventRef event = line[place];
    const base::Interval time = source.time(event);
    nearest.take({time.start_ns, event, false});
    nearest.take({time.stop_ns, event, true});
  }
  return nearest.within(reach);
}

void Measure::begin() {
  *this = {};
  is_on_ = true;
}

void Measure::click() {
  if (!is_on_ || !pointed_) return;
  if (!first_ || second_) {
    first_ = pointed_;
    second_.reset();
  } else {
    second_ = pointed_;
  }
}

std::optional<Measure::Span> Measure::span() const {
  const std::optional<Edge>& other = second_ ? second_ : pointed_;
  if (!first_ || !other) return std::nullopt;
  if (other->time_ns < first_->time_ns) return Span{*other, *first_};
  return Span{*first_, *other};
}

std::string Measure::text(int64_t origin_ns) const {
  if (!is_on_) return "";
  if (!first_) return "Measuring: click an edge of an event · Esc cancels";
  const auto text_of = [&](const Edge& edge) { return time_text(edge.time_ns - origin_ns); };
  const auto measured = span();
  if (!measured) return fmt::format("Measuring from {}", text_of(*first_));
  return fmt::format("{} from {} to {}: {}", second_ ? "Measured" : "Measuring",
                     text_of(measured->first), text_of(measured->last),
                     base::format_ns(measured->length_ns()));
}

std::string exact_length_text(int64_t ns) {
  if (ns < kMicrosecond) return base::format_ns(ns);
  return fmt::format("{} · {}", base::format_duration(ns), base::format_ns(ns));
}

}  // namespace dlview::timeline
