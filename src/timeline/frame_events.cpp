#include "timeline/frame_events.h"

#include <map>
#include <utility>

#include "aggregate/frames_by_thread.h"
#include "base/stop_point.h"
#include "timeline/free_lines.h"

namespace dlview::timeline {
namespace {

using profile::kNoRow;
using profile::PythonFrames;
using profile::Row;

// Frames that run into the next one by more have lost their caller.
constexpr int64_t kMostCutNs = 1'000'000;
constexpr std::size_t kRowsBetweenStops = 4096;

bool is_module(std::string_view name) {
  return name.starts_with(profile::kModulePrefix);
}

// The lines of one thread.
class FrameLines {
 public:
  FrameLines(const PythonFrames& frames, base::LargeVector<uint32_t>& cut_ns)
      : frames_(frames), cut_ns_(cut_ns) {}

  // In order of start. Returns its line: `from` or one below.
  uint32_t put(Row row, std::size_t from) {
    const int64_t start_ns = frames_.start_ns[row];
    const int64_t stop_ns = std::max(start_ns, frames_.end_ns[row]);
    uint32_t line = static_cast<uint32_t>(from);
    if (runs_into(from, start_ns, stop_ns)) {
      cut_ns_[lines_[from].back()] = static_cast<uint32_t>(free_.until_ns(from) - start_ns);
      free_.take_until(from, stop_ns);
    } else {
      line = free_.take(start_ns, stop_ns, from);
    }
    if (line >= lines_.size()) lines_.resize(line + 1);
    lines_[line].push_back(row);
    return line;
  }
  std::vector<std::vector<Row>> finish() {
    std::erase_if(lines_, [](const std::vector<Row>& line) { return line.empty(); });
    return std::move(lines_);
  }

 private:
  // Whether the last frame of a line, but for its end, lies before another one.
  bool runs_into(std::size_t line, int64_t start_ns, int64_t stop_ns) const {
    const int64_t until_ns = free_.until_ns(line);
    if (until_ns <= start_ns || until_ns >= stop_ns || until_ns - start_ns > kMostCutNs) {
      return false;
    }
    return until_ns - start_ns <= start_ns - frames_.start_ns[lines_[line].back()];
  }

  const PythonFrames& frames_;
  base::LargeVector<uint32_t>& cut_ns_;
  FreeLines free_;
  std::vector<std::vector<Row>> lines_;
};

}  // namespace

FrameEvents::FrameEvents(std::shared_ptr<const PythonFrames> frames, aggregate::FrameTimes times,
                         base::LargeVector<uint32_t> cut_ns)
    : frames_(std::move(frames)), times_(std::move(times)), cut_ns_(std::move(cut_ns)) {}

Row FrameEvents::caller(Row row) const {
  Row each = frames_->caller[row];
  while (each != kNoRow && is_module(name(each))) each = frames_->caller[each];
  return each;
}

Row FrameEvents::module_around(Row row) const {
  const Row around = frames_->caller[row];
  return around != kNoRow && is_module(name(around)) ? around : kNoRow;
}

PutFrames put_on_lines(const profile::Profile& profile,
                       std::shared_ptr<const PythonFrames> frames) {
  const aggregate::FramesByThread by_thread(*frames);
  base::LargeVector<uint32_t> cut_ns(frames->size()), line_of(frames->size());
  std::vector<bool> is_module_name;
  for (profile::StringId name = 0; name < frames->names.size(); ++name) {
    is_module_name.push_back(is_module(frames->names[name]));
  }
  // The line below a frame; below that of a module, which has none, the line that it would have.
  const auto line_below = [&](Row row) -> uint32_t {
    if (row == kNoRow) return 0;
    return line_of[row] + (is_module_name[frames->name[row]] ? 0 : 1);
  };
  // A frame may start before its caller: until that has its line, its depth counts.
  for (std::size_t row = 0; row < frames->size(); ++row) {
    line_of[row] = line_below(frames->caller[row]);
  }
  std::map<aggregate::ThreadKey, FrameLines> lines;
  std::size_t seen = 0;
  by_thread.for_each([&](const aggregate::ThreadKey& thread, Row row) {
    if (++seen % kRowsBetweenStops == 0) base::stop_point();
    line_of[row] = line_below(frames->caller[row]);
    if (is_module_name[frames->name[row]]) return;
    FrameLines& of_thread = lines.try_emplace(thread, *frames, cut_ns).first->second;
    line_of[row] = of_thread.put(row, line_of[row]);
  });
  PutFrames put;
  for (auto& [thread, of_thread] : lines) {
    put.threads.push_back({{thread.first, thread.second}, of_thread.finish()});
  }
  aggregate::FrameTimes times = aggregate::frame_times(profile, *frames, by_thread);
  put.events =
      std::make_shared<const FrameEvents>(std::move(frames), std::move(times), std::move(cut_ns));
  return put;
}

}  // namespace dlview::timeline
