#include "aggregate/cpu/kept_timeline.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/parallel.h"

namespace dlview::aggregate::cpu {
namespace {

// The first of times [first, end), which ascend, that is not before this one; near the first.
std::size_t first_not_before(std::span<const int64_t> times_ns, std::size_t first, std::size_t end,
                             int64_t time_ns) {
  std::size_t step = 1;
  while (end - first > step && times_ns[first + step] < time_ns) {
    first += step;
    step *= 2;
  }
  const auto from = times_ns.begin() + static_cast<std::ptrdiff_t>(first);
  const auto to = times_ns.begin() + static_cast<std::ptrdiff_t>(std::min(first + step + 1, end));
  return static_cast<std::size_t>(std::lower_bound(from, to, time_ns) - times_ns.begin());
}

}  // namespace

// Walks through one piece, in the first N of the numbered levels.
template <std::size_t N>
class KeptTimeline::PieceSweep {
 public:
  PieceSweep(const KeptTimeline& timeline, const Piece& piece, const Piece& next,
             const KeptLevels& levels)
      : alone_(timeline.alone_),
        overlapping_(timeline.overlapping_),
        levels_(levels),
        piece_(piece),
        next_(next),
        next_alone_(piece.first_alone),
        next_overlapping_(piece.first_overlapping),
        sweep_(piece.start_ns) {}

  // Leaves out what is alone and begins before this time, or all that is left of it.
  void skip_alone_before(int64_t time_ns) {
    next_alone_ = first_not_before(alone_.start_ns, next_alone_, next_.first_alone, time_ns);
  }
  // Since the piece began, but for what was left out. One time after the other.
  std::array<int64_t, N> before(int64_t time_ns) {
    add_alone(first_not_before(alone_.start_ns, next_alone_, next_.first_alone, time_ns));
    for (; next_overlapping_ < next_.first_overlapping &&
           overlapping_.start_ns[next_overlapping_] < time_ns;
         ++next_overlapping_) {
      add_overlapping(next_overlapping_);
    }
    std::array<int64_t, N> result = sweep_.before(time_ns);
    for (std::size_t n = 0; n < N; ++n) result[n] += alone_ns_[n];
    if (next_alone_ == piece_.first_alone) return result;
    const std::size_t last = next_alone_ - 1;
    const int64_t stop_ns = alone_.start_ns[last] + alone_.length_ns[last];
    if (stop_ns <= time_ns) return result;
    for (std::size_t n = 0; n < N; ++n) {
      result[n] -= ((levels_.bits_of(alone_.cell[last]) >> n) & 1) != 0 ? stop_ns - time_ns : 0;
    }
    return result;
  }

  std::array<int64_t, N> total() {
    add_alone(next_.first_alone);
    for (; next_overlapping_ < next_.first_overlapping; ++next_overlapping_) {
      add_overlapping(next_overlapping_);
    }
    std::array<int64_t, N> result = sweep_.total();
    for (std::size_t n = 0; n < N; ++n) result[n] += alone_ns_[n];
    return result;
  }

 private:
  void add_alone(std::size_t end) {
    std::array<int64_t, N> sum_ns = alone_ns_;
    const uint32_t* const length_ns = alone_.length_ns.data();
    const uint32_t* const cell = alone_.cell.data();
    const uint32_t* const masks = levels_.masks();
    for (std::size_t e = next_alone_; e < end; ++e) {
      const uint32_t* const mask = masks + std::size_t{cell[e]} * N;
      for (std::size_t n = 0; n < N; ++n) sum_ns[n] += length_ns[e] & mask[n];
    }
    next_alone_ = std::max(next_alone_, end);
    alone_ns_ = sum_ns;
  }
  void add_overlapping(std::size_t event) {
    sweep_.add(levels_.bits_of(overlapping_.cell[event]), overlapping_.start_ns[event],
               overlapping_.stop_ns[event]);
  }

  const Alone& alone_;
  const Overlapping& overlapping_;
  const KeptLevels& levels_;
  const Piece &piece_, &next_;
  std::size_t next_alone_, next_overlapping_;
  std::array<int64_t, N> alone_ns_{};
  KeptSweep<N> sweep_;
};

std::size_t KeptTimeline::pieces_before(int64_t time_ns) const {
  return static_cast<std::size_t>(std::ranges::lower_bound(pieces_, time_ns, {}, &Piece::start_ns) -
                                  pieces_.begin());
}

// The pieces that windows lie in, each once.
std::vector<KeptTimeline::SweptPiece> KeptTimeline::pieces_in(
    const std::vector<TimeWindow>& windows) const {
  std::vector<SweptPiece> swept;
  for (const TimeWindow& window : windows) {
    const std::size_t first = std::max<std::size_t>(pieces_before(window.start_ns), 1) - 1;
    const std::size_t end = pieces_before(window.stop_ns);
    for (std::size_t p = first; p < end; ++p) {
      if (swept.empty() || swept.back().piece != p) swept.push_back({p, false});
      swept.back().runs_on = p + 1 < end;
    }
  }
  return swept;
}

template <std::size_t N>
std::vector<std::array<int64_t, N>> KeptTimeline::covered_at(
    const std::vector<Asked>& asked, const KeptLevels& levels,
    const std::vector<TimeWindow>& windows) const {
  std::vector<std::array<int64_t, N>> covered(asked.size());
  const std::vector<SweptPiece> swept = pieces_in(windows);
  std::vector<std::array<int64_t, N>> totals(swept.size());
  // A piece answers the times behind its start, up to that of the next one.
  const auto first_asked = [&](std::size_t piece) {
    return static_cast<std::size_t>(
        std::ranges::upper_bound(asked, pieces_[piece].start_ns, {}, &Asked::ns) - asked.begin());
  };
  base::parallel_for(swept.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t s = begin; s < end; ++s) {
      const std::size_t p = swept[s].piece, end_asked = first_asked(p + 1);
      PieceSweep<N> sweep(*this, pieces_[p], pieces_[p + 1], levels);
      for (std::size_t a = first_asked(p); a < end_asked; ++a) {
        if (asked[a].begins_window) sweep.skip_alone_before(asked[a].ns);
        covered[a] = sweep.before(asked[a].ns);
      }
      if (swept[s].runs_on) totals[s] = sweep.total();
    }
  });
  std::array<int64_t, N> before_piece{};
  for (std::size_t s = 0; s < swept.size(); ++s) {
    const std::size_t end_asked = first_asked(swept[s].piece + 1);
    for (std::size_t a = first_asked(swept[s].piece); a < end_asked; ++a) {
      for (std::size_t n = 0; n < N; ++n) covered[a][n] += before_piece[n];
    }
    for (std::size_t n = 0; n < N; ++n) before_piece[n] += totals[s][n];
  }
  return covered;
}

// What lies in a window before a time is what lies before the time and not before the window.
template <std::size_t N>
void KeptTimeline::look_up(std::span<const int64_t> times_ns, const KeptLevels& levels,
                           const std::vector<TimeWindow>& windows,
                           std::vector<Coverage>& result) const {
  std::vector<Asked> asked;
  std::vector<WindowTimes> in_windows;
  for (const TimeWindow& window : windows) {
    const auto first = std::ranges::upper_bound(times_ns, window.start_ns);
    const auto end = std::lower_bound(first, times_ns.end(), window.stop_ns);
    in_windows.push_back({asked.size(), static_cast<std::size_t>(first - times_ns.begin()),
                          static_cast<std::size_t>(end - times_ns.begin())});
    asked.push_back({window.start_ns, true});
    for (auto time = first; time != end; ++time) asked.push_back({*time, false});
    asked.push_back({window.stop_ns, false});
  }
  const auto covered = covered_at<N>(asked, levels, windows);
  // By window: what lies in those before, less what is covered before its start.
  std::vector<std::array<int64_t, N>> ahead(windows.size());
  for (std::size_t w = 0; w < windows.size(); ++w) {
    for (std::size_t n = 0; n < N; ++n) {
      const std::size_t start = in_windows[w].start_asked;
      const int64_t in_earlier = w == 0 ? 0 : ahead[w - 1][n] + covered[start - 1][n];
      ahead[w][n] = in_earlier - covered[start][n];
    }
  }
  base::parallel_for(times_ns.size(), 4096, [&](std::size_t begin, std::size_t end) {
    const auto later = std::ranges::upper_bound(in_windows, begin, {}, &WindowTimes::first_time);
    auto w = static_cast<std::size_t>(later - in_windows.begin());  // one more than the window
    for (std::size_t t = begin; t < end; ++t) {
      while (w < in_windows.size() && in_windows[w].first_time <= t) ++w;
      if (w == 0) continue;
      const WindowTimes& window = in_windows[w - 1];
      std::array<int64_t, N> in_windows_ns =
          covered[window.start_asked + 1 + std::min(t, window.end_time) - window.first_time];
      for (std::size_t n = 0; n < N; ++n) in_windows_ns[n] += ahead[w - 1][n];
      result[t] = levels.coverage(in_windows_ns.data());
    }
  });
}

std::vector<Coverage> KeptTimeline::covered_before(std::span<const int64_t> times_ns,
                                                   const Kept& kept) const {
  std::vector<Coverage> result(times_ns.size());
  const KeptLevels levels(levels_, kept);
  if (levels.size() == 0) return result;
  constexpr std::array kLookUp{&KeptTimeline::look_up<1>, &KeptTimeline::look_up<2>,
                               &KeptTimeline::look_up<3>, &KeptTimeline::look_up<4>,
                               &KeptTimeline::look_up<5>};
  (this->*kLookUp[levels.size() - 1])(times_ns, levels, kept.windows(), result);
  return result;
}

}  // namespace dlview::aggregate::cpu
