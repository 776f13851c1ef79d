#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "aggregate/cpu/kept_timeline.h"

namespace dlview::aggregate::cpu {
namespace {

constexpr int64_t kEndOfTime = std::numeric_limits<int64_t>::max();

}  // namespace

// Whether one is alone is known when the next one is.
template <typename Use>
bool KeptTimeline::Maker::Walk::go_on(const TimedEvents& events, std::size_t count,
                                      const Use& use) {
  const std::size_t size = events.cell.size();
  const std::size_t end = next_ + std::min(count, size - next_);
  for (; next_ < end; ++next_) {
    const bool takes_time = events.stop_ns[next_] > events.start_ns[next_];
    if (!takes_time || (events.levels[events.cell[next_]] & level_bit(Level::gpu)) == 0) continue;
    if (open_) close(events, events.start_ns[next_], use);
    open_ = next_;
  }
  if (next_ < size) return false;
  if (open_) close(events, kEndOfTime, use);
  return true;
}

template <typename Use>
void KeptTimeline::Maker::Walk::close(const TimedEvents& events, int64_t next_start_ns,
                                      const Use& use) {
  const std::size_t event = *std::exchange(open_, std::nullopt);
  const int64_t start_ns = events.start_ns[event], stop_ns = events.stop_ns[event];
  const bool begins = start_ns >= reached_ns_;
  const bool begins_piece = begins && in_piece_ >= piece_events_;
  if (begins_piece) in_piece_ = 0;
  const bool is_short = stop_ns - start_ns <= std::numeric_limits<uint32_t>::max();
  use(event, begins && next_start_ns >= stop_ns && is_short, begins_piece);
  reached_ns_ = std::max(reached_ns_, stop_ns);
  ++in_piece_;
}

KeptTimeline::Maker::Maker(const TimedEvents& events, const CpuOptions& options)
    : events_(events), piece_events_(options.block_rows), walk_(piece_events_) {
  made_.levels_.assign(events.levels.begin(), events.levels.end());
}

bool KeptTimeline::Maker::work(std::size_t events) {
  if (is_done_) return true;
  if (!is_counted_) {
    is_counted_ = count(events);
  } else {
    is_done_ = add_events(events);
  }
  return is_done_;
}

// Then there is room for all.
bool KeptTimeline::Maker::count(std::size_t events) {
  const bool at_end =
      walk_.go_on(events_, events, [this](std::size_t, bool alone, bool begins_piece) {
        ++(alone ? alone_ : overlapping_);
        if (begins_piece) ++pieces_;
      });
  if (!at_end) return false;
  made_.alone_.start_ns.reserve(alone_);
  made_.alone_.length_ns.reserve(alone_);
  made_.alone_.cell.reserve(alone_);
  made_.overlapping_.start_ns.reserve(overlapping_);
  made_.overlapping_.stop_ns.reserve(overlapping_);
  made_.overlapping_.cell.reserve(overlapping_);
  made_.pieces_.reserve(pieces_);
  walk_ = Walk(piece_events_);
  return true;
}

bool KeptTimeline::Maker::add_events(std::size_t events) {
  const auto begin_piece = [this](int64_t start_ns) {
    made_.pieces_.push_back({start_ns, made_.alone_.cell.size(), made_.overlapping_.cell.size()});
  };
  const bool at_end =
      walk_.go_on(events_, events, [&](std::size_t e, bool alone, bool begins_piece) {
        if (begins_piece) begin_piece(events_.start_ns[e]);
        add_event(e, alone);
      });
  if (at_end) begin_piece(kEndOfTime);
  return at_end;
}

void KeptTimeline::Maker::add_event(std::size_t event, bool alone) {
  const int64_t start_ns = events_.start_ns[event], stop_ns = events_.stop_ns[event];
  if (alone) {
    made_.alone_.start_ns.push_back(start_ns);
    made_.alone_.length_ns.push_back(static_cast<uint32_t>(stop_ns - start_ns));
    made_.alone_.cell.push_back(events_.cell[event]);
  } else {
    made_.overlapping_.start_ns.push_back(start_ns);
    made_.overlapping_.stop_ns.push_back(stop_ns);
    made_.overlapping_.cell.push_back(events_.cell[event]);
  }
}

}  // namespace dlview::aggregate::cpu
