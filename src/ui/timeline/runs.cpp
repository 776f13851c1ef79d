#include "ui/timeline/runs.h"

namespace dlview::ui::timeline {

void Runs::reserve(std::size_t count) {
  const std::size_t runs = (count + kFirst - 1) / kFirst;
  levels_.front().starts.reserve(runs);
  levels_.front().busy_before.reserve(runs);
  levels_.front().longest.reserve(runs);
  offsets_.reserve(count);
  lengths_.reserve(count);
}

void Runs::add(const base::Interval& time) {
  Level& level = levels_.front();
  if (size_ % kFirst == 0) {
    level.starts.push_back(time.start_ns);
    level.busy_before.push_back(busy_ns_);
    level.longest.emplace_back();
  }
  const auto in_32_bits = [](int64_t ns) {
    return static_cast<uint32_t>(std::min<int64_t>(ns, kFar));
  };
  offsets_.push_back(in_32_bits(time.start_ns - level.starts.back()));
  lengths_.push_back(in_32_bits(length(time)));
  all_near_ = all_near_ && offsets_.back() != kFar && lengths_.back() != kFar;
  level.longest.back().take({length(time), static_cast<uint32_t>(size_)});
  busy_ns_ += length(time);
  ++size_;
}

void Runs::add_levels() {
  while (levels_.back().starts.size() > kFan) {
    const Level& below = levels_.back();
    Level level;
    for (std::size_t run = 0; run < below.starts.size(); ++run) {
      if (run % kFan == 0) {
        level.starts.push_back(below.starts[run]);
        level.busy_before.push_back(below.busy_before[run]);
        level.longest.emplace_back();
      }
      level.longest.back().take(below.longest[run]);
    }
    levels_.push_back(std::move(level));
  }
}

std::size_t Runs::run_from(int64_t time_ns, int64_t before_ns, std::size_t from,
                           std::size_t expected) const {
  const std::size_t many = expected / (kMany * kFirst);
  if (many == 0) return size_;
  const auto wanted = static_cast<std::size_t>(std::bit_width(many) - 1) / kFanShift;
  const std::size_t level = std::min(wanted, levels_.size() - 1);
  const std::vector<int64_t>& starts = levels_[level].starts;
  const std::size_t first = (from >> shift(level)) + 1;
  const std::size_t run = gallop(starts, time_ns, first, (from + expected) >> shift(level));
  if (run == starts.size() || starts[run] >= before_ns) return size_;
  return run - first >= kMany / 2 ? run << shift(level) : size_;
}

}  // namespace dlview::ui::timeline
