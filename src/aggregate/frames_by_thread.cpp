#include "aggregate/frames_by_thread.h"

#include <algorithm>
#include <span>
#include <utility>

#include "aggregate/host_events.h"
#include "base/sort_runs.h"
#include "base/stop_point.h"

namespace dlview::aggregate {

using profile::kNoRow;
using profile::PythonFrames;
using profile::Row;

FramesByThread::FramesByThread(const PythonFrames& frames) : frames_(frames) {
  std::vector<std::vector<Row>*> rows_of;
  for (const profile::Thread& thread : frames.threads) {
    rows_of.push_back(&threads_[key_of(thread)].rows);
  }
  // Backwards: frames come by depth, those of one depth as a rule in order of start, which makes
  // few runs.
  for (std::size_t row = frames.size(); row-- > 0;) {
    if (row % kEventsBetweenStops == 0) base::stop_point();
    rows_of[frames.thread[row]]->push_back(static_cast<Row>(row));
  }
  for (auto& [key, of_thread] : threads_) {
    base::stop_point();
    std::vector<Row>& rows = of_thread.rows;
    // A frame comes after the one around it: of equal starts the greater row is further inside.
    base::sort_runs(std::span(rows), [this](Row a, Row b) {
      return std::pair(frames_.start_ns[a], a) > std::pair(frames_.start_ns[b], b);
    });
    of_thread.ends =
        base::MaxTree(rows.size(), [&](std::size_t place) { return end_of(rows[place]); });
  }
}

Row FramesByThread::open_at(const profile::Thread& thread, int64_t time_ns) const {
  const auto found = threads_.find(key_of(thread));
  if (found == threads_.end()) return kNoRow;
  const std::vector<Row>& rows = found->second.rows;
  const auto begun = std::ranges::partition_point(
      rows, [this, time_ns](Row row) { return frames_.start_ns[row] > time_ns; });
  const std::size_t place = found->second.ends.first_above(
      static_cast<std::size_t>(begun - rows.begin()), rows.size(), time_ns - 1,
      [&](std::size_t each) { return end_of(rows[each]); });
  return place == rows.size() ? kNoRow : rows[place];
}

LaunchingFrames::LaunchingFrames(const profile::Profile& profile, const FramesByThread& by_thread)
    : profile_(profile), by_thread_(by_thread), has_launch_(ops_with_launches(profile)) {}

Row LaunchingFrames::of(profile::KernelIndex kernel) const {
  const profile::Kernels& kernels = profile_.kernels;
  if (!has_launch_[profile_.instances.op[kernels.instance[kernel]]]) return kNoRow;
  const profile::ThreadIndex thread = profile_.launches.thread[kernels.launch[kernel]];
  return by_thread_.open_at(profile_.threads[thread], kernels.api_start_ns[kernel]);
}

}  // namespace dlview::aggregate
