#include "aggregate/frame_times.h"

#include <algorithm>
#include <vector>

#include "base/stop_point.h"

namespace dlview::aggregate {
namespace {

using profile::KernelIndex;
using profile::kNoRow;
using profile::Profile;
using profile::PythonFrames;
using profile::Row;

constexpr std::size_t kTimesBetweenStops = 4096;

base::LargeVector<int64_t> self_times(const PythonFrames& frames, const FramesByThread& by_thread) {
  base::LargeVector<int64_t> self_ns(frames.size());
  // Until when frames that it calls cover each frame.
  base::LargeVector<int64_t> covered_to_ns(frames.size());
  for (std::size_t row = 0; row < frames.size(); ++row) {
    if (row % kTimesBetweenStops == 0) base::stop_point();
    self_ns[row] = frames.end_ns[row] - frames.start_ns[row];
    covered_to_ns[row] = frames.start_ns[row];
  }
  std::size_t seen = 0;
  by_thread.for_each([&](const ThreadKey&, Row row) {
    if (++seen % kTimesBetweenStops == 0) base::stop_point();
    const Row caller = frames.caller[row];
    if (caller == kNoRow) return;
    const int64_t from_ns = std::max(covered_to_ns[caller], frames.start_ns[row]);
    const int64_t to_ns = std::min(frames.end_ns[caller], frames.end_ns[row]);
    if (from_ns >= to_ns) return;
    self_ns[caller] -= to_ns - from_ns;
    covered_to_ns[caller] = to_ns;
  });
  return self_ns;
}

base::LargeVector<int64_t> gpu_times(const Profile& profile, const PythonFrames& frames,
                                     const FramesByThread& by_thread) {
  base::LargeVector<int64_t> gpu_ns(frames.size());
  const LaunchingFrames launching(profile, by_thread);
  for (KernelIndex kernel{0}; kernel < profile.kernels.size(); ++kernel) {
    if (kernel % kTimesBetweenStops == 0) base::stop_point();
    const Row frame = launching.of(kernel);
    if (frame == kNoRow) continue;
    gpu_ns[frame] += profile.kernels.gpu_stop_ns[kernel] - profile.kernels.gpu_start_ns[kernel];
  }
  // Callers are earlier rows.
  for (std::size_t row = frames.size(); row-- > 0;) {
    const Row caller = frames.caller[row];
    if (caller != kNoRow) gpu_ns[caller] += gpu_ns[row];
  }
  return gpu_ns;
}

}  // namespace

FrameTimes frame_times(const Profile& profile, const PythonFrames& frames,
                       const FramesByThread& by_thread) {
  return {self_times(frames, by_thread), gpu_times(profile, frames, by_thread)};
}

}  // namespace dlview::aggregate
