// Places of rows that stand for host events, Python frames, collectives and memory events of a
// PyTorch trace.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "aggregate/collectives.h"
#include "aggregate/host_events.h"
#include "aggregate/modules.h"
#include "aggregate/op_stacks.h"
#include "aggregate/step_names.h"
#include "base/intervals.h"
#include "base/stop_point.h"
#include "profile/python_frames.h"
#include "report/columns.h"
#include "ui/views/tables/row_places.h"

namespace dlview::ui {
namespace {

using aggregate::kBetweenFrames;
using profile::EventForest;
using profile::kNoRow;
using profile::Row;
using report::ColumnId;
using timeline::Request;

bool has_column(const TableData& data, ColumnId column) {
  return find_column(data.table, column) != kNoColumn;
}

Request place_of_time(int64_t start_ns, int64_t stop_ns) {
  return {.window = {}, .iteration = {}, .stretch = timeline::window_between(start_ns, stop_ns)};
}

// Finds the longest stretch, of equal ones the first.
class LongestTime {
 public:
  void add(int64_t start_ns, int64_t stop_ns) {
    const int64_t length_ns = stop_ns - start_ns;
    const int64_t longest_ns = time_ ? time_->stop_ns - time_->start_ns : -1;
    if (length_ns > longest_ns || (length_ns == longest_ns && start_ns < time_->start_ns)) {
      time_ = {start_ns, stop_ns};
    }
  }
  std::optional<Request> place() const {
    if (!time_) return std::nullopt;
    return place_of_time(time_->start_ns, time_->stop_ns);
  }

 private:
  std::optional<base::Interval> time_;
};

// Takes the names of an event and of those around it from the end of a path.
class PathEnd {
 public:
  PathEnd(std::string_view path, std::string_view divider) : rest_(path), divider_(divider) {}

  // False where the path does not end so.
  bool take(std::string_view name) {
    if (!is_first_) {
      if (!rest_.ends_with(divider_)) return false;
      rest_.remove_suffix(divider_.size());
    }
    is_first_ = false;
    if (!rest_.ends_with(name)) return false;
    rest_.remove_suffix(name.size());
    return true;
  }
  bool is_empty() const { return rest_.empty(); }

 private:
  std::string_view rest_, divider_;
  bool is_first_ = true;
};

// Of the events of the range for which `is_of_row(place)` holds.
template <typename IsOfRow>
std::optional<Request> longest_event(const TableData& data, const EventForest& events,
                                     const IsOfRow& is_of_row) {
  const aggregate::HostTimeOfRange range(*data.aggregation);
  LongestTime longest;
  for (std::size_t place = 0; place < events.size(); ++place) {
    if (place % aggregate::kEventsBetweenStops == 0) base::stop_point();
    const EventForest::Event& event = events[place];
    if (range.contains(event.start_ns) && is_of_row(place)) {
      longest.add(event.start_ns, event.stop_ns);
    }
  }
  return longest.place();
}

}  // namespace

std::optional<Request> place_of_operator(const TableData& data, std::size_t row) {
  const profile::Profile& profile = *data.profile;
  if (!profile.trace) return std::nullopt;
  const profile::TraceNvtx& table = profile.trace->nvtx;
  const EventForest events = aggregate::forest_of_events(profile, aggregate::is_op_or_annotation);
  const auto name = profile.strings.find(text_of_cell(data.table, row, "torch_op"));
  const std::string shapes = text_of_cell(data.table, row, "input_shapes");
  const std::string stack = text_of_cell(data.table, row, "call_stack");
  const std::string path = text_of_cell(data.table, row, "torch_op_path");
  const bool by_shapes = has_column(data, "input_shapes"), by_path = !path.empty();
  std::optional<aggregate::OpStacks> stacks;
  if (has_column(data, "call_stack")) stacks.emplace(profile, data.python_frames.get());
  const auto has_shapes = [&](Row event) {
    const profile::StringId text =
        event < table.input_shapes.size() ? table.input_shapes[event] : profile::kNoText;
    return text == profile::kNoText ? shapes.empty() : profile.text(text) == shapes;
  };
  const auto has_stack = [&](Row event) {
    const uint32_t number = stacks->of(event);
    return number == aggregate::OpStacks::kNone ? stack.empty() : stacks->text(number) == stack;
  };
  const auto has_path = [&](Row place) {
    PathEnd end(path, kBetweenFrames);
    for (; place != kNoRow; place = events.parent(place)) {
      const std::string_view each = profile.text(table.text[events[place].row]);
      if (!aggregate::is_profiler_step(each) && !end.take(each)) return false;
    }
    return end.is_empty();
  };
  return longest_event(data, events, [&](std::size_t place) {
    const Row event = events[place].row;
    return table.text[event] == name && (!by_shapes || has_shapes(event)) &&
           (!stacks || has_stack(event)) && (!by_path || has_path(static_cast<Row>(place)));
  });
}

std::optional<Request> place_of_module(const TableData& data, std::size_t row) {
  const profile::Profile& profile = *data.profile;
  const EventForest events = aggregate::forest_of_events(
      profile, [](profile::HostEventKind kind) { return kind == profile::HostEventKind::module; });
  const auto name_of = [&](Row place) {
    return aggregate::name_of_module(profile.text(profile.trace->nvtx.text[events[place].row]));
  };
  const std::string module_class = text_of_cell(data.table, row, "module_class");
  const std::string path = text_of_cell(data.table, row, "module_path");
  const bool by_path = has_column(data, "module_path");
  return longest_event(data, events, [&](std::size_t at) {
    auto place = static_cast<Row>(at);
    if (!by_path) return aggregate::class_of_module(name_of(place)) == module_class;
    PathEnd end(path, "/");
    for (; place != kNoRow; place = events.parent(place)) {
      if (!end.take(name_of(place))) return false;
    }
    return end.take("") && end.is_empty();  // each name has a "/" before it
  });
}

std::optional<Request> place_of_frame(const TableData& data, std::size_t row) {
  if (!data.python_frames) return std::nullopt;
  const profile::PythonFrames& frames = *data.python_frames;
  const std::string name = text_of_cell(data.table, row, "frame");
  const std::string stack = text_of_cell(data.table, row, "call_stack");
  // A table leaves out internal frames, or has them.
  const auto has_stack = [&](Row frame, bool with_internal) {
    PathEnd end(stack, kBetweenFrames);
    for (; frame != kNoRow; frame = frames.caller[frame]) {
      const std::string_view each = frames.names[frames.name[frame]];
      if (!with_internal && profile::is_internal_frame(each)) continue;
      if (!end.take(each)) return false;
    }
    return end.is_empty();
  };
  const aggregate::HostTimeOfRange range(*data.aggregation);
  LongestTime longest;
  for (Row frame = 0; frame < frames.size(); ++frame) {
    if (frame % aggregate::kEventsBetweenStops == 0) base::stop_point();
    if (!range.contains(frames.start_ns[frame]) || frames.names[frames.name[frame]] != name) {
      continue;
    }
    if (stack.empty() || has_stack(frame, true) || has_stack(frame, false)) {
      longest.add(frames.start_ns[frame], frames.end_ns[frame]);
    }
  }
  return longest.place();
}

std::optional<Request> place_of_collective(const TableData& data, std::size_t row) {
  const profile::Profile& profile = *data.profile;
  const std::vector<aggregate::CollectiveCall> calls =
      aggregate::collective_calls(profile, *data.aggregation);
  const aggregate::CollectiveCall* longest = nullptr;
  const bool is_call = has_column(data, "iter_value");
  const std::string key = text_of_cell(data.table, row, "collective_key");
  for (const aggregate::CollectiveCall& call : calls) {
    const bool is_of_row = is_call ? std::to_string(Row{call.row}) == key
                                   : to_text(aggregate::collective_kind(profile, call)) == key;
    if (is_of_row && (!longest || call.gpu_ns > longest->gpu_ns)) longest = &call;
  }
  if (longest == nullptr) return std::nullopt;
  if (longest->first_kernel != kNoRow) {
    return Request{.window = {}, .iteration = {}, .kernel = longest->first_kernel};
  }
  return place_of_time(longest->start_ns, longest->start_ns + longest->host_ns.value_or(0));
}

std::optional<Request> place_of_memory_event(const TableData& data, std::size_t row) {
  const report::Cell time = cell_in(data.table, row, "memory_events.time");
  const report::Cell lifetime = cell_in(data.table, row, "lifetime");
  const auto* start_ns = std::get_if<int64_t>(&time);
  if (start_ns == nullptr) return std::nullopt;
  const auto* length_ns = std::get_if<int64_t>(&lifetime);
  return place_of_time(*start_ns, *start_ns + (length_ns == nullptr ? 0 : *length_ns));
}

std::optional<Request> place_of_peak(const TableData& data, std::size_t row) {
  const report::Cell time = cell_in(data.table, row, "peak_time");
  const auto* ns = std::get_if<int64_t>(&time);
  if (ns == nullptr) return std::nullopt;
  return place_of_time(*ns, *ns);
}

}  // namespace dlview::ui
