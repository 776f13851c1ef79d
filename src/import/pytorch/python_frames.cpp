#include "import/pytorch/python_frames.h"

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <optional>
#include <string>
#include <system_error>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/large_memory.h"
#include "base/saturated_sum.h"
#include "base/stop_point.h"
#include "import/byte_source.h"
#include "import/errors.h"
#include "import/pytorch/trace_reader.h"
#include "import/pytorch/trace_threads.h"
#include "import/quality_log.h"
#include "profile/builder.h"

namespace dlview::import::pytorch {
namespace {

using profile::kNoRow;
using profile::Profile;
using profile::PythonFrames;
using profile::Row;

constexpr std::size_t kFramesBetweenStops = 4096;

base::Error no_frames(const Profile& profile) {
  return {
      "No Python frames recorded",
      fmt::format("{} has no Python frames", quoted(std::filesystem::path(profile.source.path))),
      "Record with torch.profiler.profile(with_stack=True)"};
}

base::Error is_another_file(const Profile& profile, std::string_view what) {
  return {"The file has changed since it was opened",
          fmt::format("{}: {}", quoted(std::filesystem::path(profile.source.path)), what),
          "Open the file again"};
}

// Ns from the times of `events` to those of the profile. The first read may have left out other
// events as too far away, so that times do not count from the same event. nullopt if the events are
// not those of the profile.
std::optional<int64_t> shift_of(const TraceEvents& events, const Profile& profile) {
  const profile::TraceNvtx& ranges = profile.trace->nvtx;
  if (ranges.size() < events.host.size()) return std::nullopt;
  if (events.host.empty()) {
    return events.span ? std::optional(-events.span->start_ns) : std::nullopt;
  }
  int64_t shift_ns = 0;
  if (__builtin_sub_overflow(ranges.start_ns[0], events.host[0].start_ns, &shift_ns)) {
    return std::nullopt;
  }
  for (std::size_t i = 0; i < events.host.size(); ++i) {
    if (i % kFramesBetweenStops == 0) base::stop_point();
    const HostEvent& event = events.host[i];
    int64_t start_ns = 0, end_ns = 0;
    if (__builtin_add_overflow(event.start_ns, shift_ns, &start_ns) ||
        __builtin_add_overflow(event.stop_ns, shift_ns, &end_ns) ||
        start_ns != ranges.start_ns[i] || end_ns != ranges.end_ns[i]) {
      return std::nullopt;
    }
  }
  return shift_ns;
}

// Finds the frame around each frame by the ids that the profiler gave them.
class Callers {
 public:
  explicit Callers(const TraceEvents& events);

  // Rows of TraceEvents::modules; kNoRow = none.
  Row operator[](std::size_t frame) const { return callers_[frame]; }
  // All frames, each after the one around it, of equal depth in the order of the file.
  const std::vector<Row>& order() const { return order_; }

 private:
  void find_callers(const TraceEvents& events);
  void put_in_order();

  std::vector<Row> callers_, order_;
};

Callers::Callers(const TraceEvents& events) : callers_(events.modules.size(), kNoRow) {
  find_callers(events);
  put_in_order();
}

// Ids are unique within a process, or within a thread where traces were merged: a caller is a frame
// of the same thread. Of equal ids the first counts.
void Callers::find_callers(const TraceEvents& events) {
  struct Key {
    int64_t id;
    uint32_t thread;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const {
      return (static_cast<uint64_t>(key.id) * 0x9e3779b97f4a7c15U) ^ key.thread;
    }
  };
  std::unordered_map<Key, Row, KeyHash> rows;
  rows.reserve(callers_.size());
  for (std::size_t i = 0; i < callers_.size(); ++i) {
    if (i % kFramesBetweenStops == 0) base::stop_point();
    const PythonFrame& frame = events.modules[i];
    if (frame.id != kNoValue) rows.try_emplace({frame.id, frame.thread}, static_cast<Row>(i));
  }
  for (std::size_t i = 0; i < callers_.size(); ++i) {
    if (i % kFramesBetweenStops == 0) base::stop_point();
    const PythonFrame& frame = events.modules[i];
    if (frame.parent == kNoValue) continue;
    const auto caller = rows.find({frame.parent, frame.thread});
    if (caller != rows.end() && caller->second != i) callers_[i] = caller->second;
  }
}

// A damaged file may have frames that call each other in a circle: its first frame loses its
// caller.
void Callers::put_in_order() {
  constexpr Row kUnknown = kNoRow, kOpen = kNoRow - 1;
  std::vector<Row> depths(callers_.size(), kUnknown);
  std::vector<Row> open;
  for (std::size_t i = 0; i < callers_.size(); ++i) {
    if (i % kFramesBetweenStops == 0) base::stop_point();
    auto frame = static_cast<Row>(i);
    while (depths[frame] == kUnknown) {
      depths[frame] = kOpen;
      open.push_back(frame);
      const Row caller = callers_[frame];
      if (caller == kNoRow) break;
      if (depths[caller] == kOpen) {
        callers_[frame] = kNoRow;
        break;
      }
      frame = caller;
    }
    for (; !open.empty(); open.pop_back()) {
      const Row caller = callers_[open.back()];
      depths[open.back()] = caller == kNoRow ? 0 : depths[caller] + 1;
    }
  }
  order_.resize(callers_.size());
  std::iota(order_.begin(), order_.end(), Row{0});
  base::stop_point();
  std::ranges::stable_sort(order_, {}, [&depths](Row row) { return depths[row]; });
  base::stop_point();
}

PythonFrames frames_of(const TraceEvents& events, int64_t shift_ns,
                       const profile::ProfileBuilder& builder) {
  const Callers callers(events);
  const std::size_t count = events.modules.size();
  base::LargeVector<int64_t> start_ns(count), end_ns(count);
  base::LargeVector<profile::StringId> name(count);
  base::LargeVector<Row> thread(count), caller(count);
  std::vector<Row> new_rows(count);
  std::unordered_map<profile::StringId, profile::StringId> new_names;
  profile::StringTableBuilder names;
  for (std::size_t i = 0; i < count; ++i) {
    if (i % kFramesBetweenStops == 0) base::stop_point();
    const Row row = callers.order()[i];
    const PythonFrame& frame = events.modules[row];
    new_rows[row] = static_cast<Row>(i);
    start_ns[i] = base::saturated_sum(frame.start_ns, shift_ns);
    end_ns[i] = base::saturated_sum(frame.stop_ns, shift_ns);
    const auto [known, is_new] = new_names.try_emplace(frame.name, 0);
    if (is_new) known->second = names.intern(builder.text(frame.name));
    name[i] = known->second;
    thread[i] = frame.thread;
    caller[i] = callers[row] == kNoRow ? kNoRow : new_rows[callers[row]];
  }
  PythonFrames frames;
  frames.start_ns = std::move(start_ns);
  frames.end_ns = std::move(end_ns);
  frames.name = std::move(name);
  frames.thread = std::move(thread);
  frames.caller = std::move(caller);
  frames.names = std::move(names).finish();
  frames.threads = thread_numbers(events.threads);
  return frames;
}

}  // namespace

base::Result<PythonFrames> read_python_frames(const Profile& profile, base::Progress& progress) {
  namespace fs = std::filesystem;
  if (!profile.trace || profile::python_frame_count(profile) == 0) return no_frames(profile);
  const base::JobScope job(&progress);
  const base::KeptMemory kept;
  try {
    const fs::path path = profile.source.path;
    const base::Result<ByteSource> source = ByteSource::open(path, progress);
    if (!source) return source.error();
    std::error_code ignored;
    if (static_cast<int64_t>(fs::file_size(path, ignored)) != profile.source.file_bytes) {
      return is_another_file(profile, "its size differs");
    }
    profile::ProfileBuilder builder;
    QualityLog quality;
    ReadOptions options;
    options.all_frames = true;
    const base::Result<TraceEvents> events =
        read_trace_events(*source, builder, quality, progress, options);
    if (!events) return events.error();
    const std::optional<int64_t> shift_ns = shift_of(*events, profile);
    if (!shift_ns || events->frames != profile::python_frame_count(profile) ||
        source->has_changed()) {
      return is_another_file(profile, "its events differ");
    }
    progress.begin_stage("Arranging Python frames");
    return frames_of(*events, *shift_ns, builder);
  } catch (const base::Stopped&) {
    return progress.stop_reason().value_or(canceled(profile.source.path));
  }
}

}  // namespace dlview::import::pytorch
