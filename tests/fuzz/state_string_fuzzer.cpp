// State strings and the small texts of the command line: what is read is written as a text that
// reads as the same.
#include <string>

#include <fmt/format.h>

#include "app/chord.h"
#include "fuzz/fuzz.h"
#include "timeline/time_text.h"
#include "ui/view.h"
#include "workspace/filter_values.h"
#include "workspace/selection_request.h"
#include "workspace/state_string.h"

namespace dlview::fuzz {
namespace {

using namespace workspace;

aggregate::Selection selection_of(const SelectionRequest& request) {
  aggregate::Selection selection;
  selection.cut.kind = request.stored_index ? aggregate::CutKind::stored
                                            : request.cut.value_or(aggregate::CutKind::start);
  selection.cut.key_op = request.key_op.value_or("");
  selection.cut.stored_index = request.stored_index.value_or(0);
  selection.cut.clock = request.clock;
  selection.range = request.iterations.value_or(aggregate::IterationRange{});
  selection.filters = request.filters;
  return selection;
}

std::string text_of(const SelectionRequest& request) {
  return state_string(request.view.value_or("dashboard"), selection_of(request), request.tables,
                      request.compared, request.present_rules, request.timeline);
}

void check_state(std::string_view text) {
  auto request = parse_state(text);
  if (!request) return;
  const std::string state = text_of(*request);
  auto again = parse_state(state);
  require(again.ok(), "a state that was read is written as none", state);
  const std::string second = text_of(*again);
  require(second == state, "a state reads as another one", state + '\n' + second);
  require(again->filters == request->filters && again->compared == request->compared &&
              again->timeline == request->timeline &&
              again->present_rules == request->present_rules,
          "a state loses a part", state);
  if (!request->stored_index && selection_of(*request).cut.kind != aggregate::CutKind::stored) {
    require(again->key_op == request->key_op.value_or("") && again->clock == request->clock,
            "a state loses its cut", state);
  }
  const SelectionRequest chosen = request_of(selection_of(*request));
  require(
      selection_of(chosen) ==
          [&] {
            aggregate::Selection selection = selection_of(*request);
            // A stored cut knows no key op of its own, nor a clock.
            if (selection.cut.kind == aggregate::CutKind::stored) {
              selection.cut.key_op.clear();
              selection.cut.clock.reset();
            }
            return selection;
          }(),
      "a selection is requested as another one", state);
}

void check_only(std::string_view text) {
  const auto filter = parse_only(text);
  if (!filter) return;
  const std::string written = aggregate::to_text(*filter);
  const auto again = parse_only(written);
  require(again.ok() && *again == *filter, "a filter reads as another one", written);
}

void check_small_texts(std::string_view text) {
  if (const auto view = ui::parse_view(text)) {
    require(*ui::parse_view(ui::info(*view).name) == *view, "a view reads as another one", text);
  }
  if (auto range = parse_iterations(text)) {
    const auto again = parse_iterations(fmt::format("{}:{}", range->first, range->last));
    require(again.ok() && *again == *range, "iterations read as others", text);
  }
  if (const auto clock = parse_clock(text)) {
    const auto again = parse_clock(to_text(*clock));
    require(again.ok() && *again == *clock, "a clock reads as another one", text);
  }
  if (const auto time = timeline::parse_time(text)) {
    require(timeline::parse_time(fmt::format("{}ns", *time)) == *time,
            "a time reads as another one", text);
    static_cast<void>(timeline::time_text(*time));
  }
  if (auto window = timeline::parse_window(text)) {
    require(window->length_ns > 0, "a window has no length", text);
    static_cast<void>(timeline::span_text(*window));
  }
  if (const auto chord = app::parse_chord(text)) {
    require(normalized(app::normalized(*chord)) == app::normalized(*chord),
            "a key is normalized twice", text);
  }
}

}  // namespace
}  // namespace dlview::fuzz

int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  dlview::fuzz::check_state(text);
  dlview::fuzz::check_only(text);
  dlview::fuzz::check_small_texts(text);
  return 0;
}
