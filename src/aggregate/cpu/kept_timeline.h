// KeptTimeline: the busy time of one GPU before any time, of the events that match the filters.
// Most events overlap no other: their durations are only summed. The rest is swept in order of
// time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "aggregate/cpu/cpu_engine.h"
#include "aggregate/cpu/kept.h"
#include "aggregate/cpu/kept_sweep.h"
#include "aggregate/engine/coverage.h"
#include "base/large_memory.h"

namespace dlview::aggregate::cpu {

// The events that count on a device, in order of start; cells and levels as in TimeOrder.
struct TimedEvents {
  std::span<const int64_t> start_ns, stop_ns;
  std::span<const uint32_t> cell;
  std::span<const Levels> levels;  // by cell
};

class KeptTimeline {
 public:
  class Maker;

  // The coverage before each of these times, which ascend; nothing of the host. Runs on all cores.
  std::vector<Coverage> covered_before(std::span<const int64_t> times_ns, const Kept& kept) const;

 private:
  struct Alone {
    base::LargeVector<int64_t> start_ns;
    base::LargeVector<uint32_t> length_ns, cell;
  };
  struct Overlapping {
    base::LargeVector<int64_t> start_ns, stop_ns;
    base::LargeVector<uint32_t> cell;
  };
  // Begins where nothing is running.
  struct Piece {
    int64_t start_ns;
    std::size_t first_alone, first_overlapping;
  };
  // A time at which the coverage is looked up.
  struct Asked {
    int64_t ns;
    bool begins_window;
  };
  // One window: the index of its start among the requested times, then times [first, end) inside
  // it, then its stop.
  struct WindowTimes {
    std::size_t start_asked, first_time, end_time;
  };
  struct SweptPiece {
    std::size_t piece;
    bool runs_on;  // the window in which it ends goes on in the next one
  };
  template <std::size_t N>
  class PieceSweep;

  KeptTimeline() = default;
  std::size_t pieces_before(int64_t time_ns) const;  // that start before it
  std::vector<SweptPiece> pieces_in(const std::vector<TimeWindow>& windows) const;
  // Busy times since a point before the window, for each requested time; these ascend.
  template <std::size_t N>
  std::vector<std::array<int64_t, N>> covered_at(const std::vector<Asked>& asked,
                                                 const KeptLevels& levels,
                                                 const std::vector<TimeWindow>& windows) const;
  template <std::size_t N>
  void look_up(std::span<const int64_t> times_ns, const KeptLevels& levels,
               const std::vector<TimeWindow>& windows, std::vector<Coverage>& result) const;

  std::vector<Levels> levels_;  // by cell
  Alone alone_;
  Overlapping overlapping_;
  std::vector<Piece> pieces_;  // the last one ends them, at the end of time
};

// Makes one bit by bit, for who has other things to do.
class KeptTimeline::Maker {
 public:
  // The data of the spans must outlive it.
  Maker(const TimedEvents& events, const CpuOptions& options);

  // Looks at so many more events; whether the timeline is there now.
  bool work(std::size_t events);
  bool is_done() const { return is_done_; }
  // Once, when that is done.
  KeptTimeline take() { return std::move(made_); }

 private:
  // Goes through the events that take time on the GPU.
  class Walk {
   public:
    explicit Walk(int64_t piece_events) : piece_events_(piece_events), in_piece_(piece_events) {}
    // Looks at so many more events and calls use(event, alone, begins_piece) for those that do;
    // whether it is at the end.
    template <typename Use>
    bool go_on(const TimedEvents& events, std::size_t count, const Use& use);

   private:
    template <typename Use>
    void close(const TimedEvents& events, int64_t next_start_ns, const Use& use);

    int64_t piece_events_, in_piece_;
    int64_t reached_ns_ = std::numeric_limits<int64_t>::min();
    std::size_t next_ = 0;
    std::optional<std::size_t> open_;  // the last one that does, not yet used
  };

  bool count(std::size_t events);
  bool add_events(std::size_t events);
  void add_event(std::size_t event, bool alone);

  TimedEvents events_;
  int64_t piece_events_;
  Walk walk_;
  std::size_t alone_ = 0, overlapping_ = 0, pieces_ = 1;
  bool is_counted_ = false, is_done_ = false;
  KeptTimeline made_;
};

}  // namespace dlview::aggregate::cpu
