#include "workspace/state_string.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "base/parse.h"
#include "timeline/time_text.h"
#include "workspace/file_names.h"

namespace dlview::workspace {
std::string encoded(std::string_view text) {
  std::string encoded;
  for (const unsigned char letter : text) {
    const bool plain =
        std::isalnum(letter) != 0 ||
        std::string_view("_-./:").find(static_cast<char>(letter)) != std::string_view::npos;
    encoded += plain ? std::string(1, static_cast<char>(letter)) : fmt::format("%{:02X}", letter);
  }
  return encoded;
}

namespace {

// Nothing when a % is not followed by two hexadecimal digits.
std::optional<std::string> decode(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    unsigned value = 0;
    const std::string_view digits = text.substr(i + 1, 2);
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    if (digits.size() != 2 || error != std::errc{} || end != digits.data() + 2) return std::nullopt;
    decoded += static_cast<char>(value);
    i += 2;
  }
  return decoded;
}

base::Error not_a_state(std::string_view part) {
  return {fmt::format("Invalid --state: \"{}\"", part), "",
          "Use File > Copy state in the window. Valid parts: file=, view=, range=, cut=, key-op=, "
          "clock=, split-by=, stored=, only=, iteration=, against=, with=, with-range=, with-as=, "
          "budget=, baseline=, capture=, time=, colours=, side-by-side=, tensor-cores=, and for "
          "tables sort.TABLE=, "
          "filter.TABLE=, search.TABLE= "
          "and row.TABLE="};
}

TableState& table_of(SelectionRequest& request, std::string_view table) {
  const auto found = std::ranges::find(request.tables, table, &TableState::table);
  if (found != request.tables.end()) return *found;
  return request.tables.emplace_back(TableState{std::string(table)});
}

// "sort.ops", "filter.ops", "search.ops", "row.ops".
base::Status read_table_part(std::string_view name, const std::string& value, std::string_view part,
                             SelectionRequest& request) {
  const std::size_t dot = name.find('.');
  if (dot == std::string_view::npos) return not_a_state(part);
  const std::string_view what = name.substr(0, dot);
  const auto table = [&]() -> TableState& { return table_of(request, name.substr(dot + 1)); };
  if (what == "sort") {
    const auto sort = report::parse_sort(value);
    if (!sort) return sort.error();
    table().query.sort = *sort;
  } else if (what == "filter") {
    const auto filter = report::parse_column_filter(value);
    if (!filter) return filter.error();
    table().query.filters.push_back(*filter);
  } else if (what == "search") {
    table().query.search = value;
  } else if (what == "row") {
    table().selected = value;
  } else {
    return not_a_state(part);
  }
  return base::Success{};
}

std::string table_parts(const TableState& table) {
  const auto part = [&](std::string_view what, const std::string& value) {
    return value.empty() ? "" : fmt::format(",{}.{}={}", what, table.table, encoded(value));
  };
  std::string text = part("sort", report::to_text(table.query.sort));
  for (const report::ColumnFilter& filter : table.query.filters) {
    text += part("filter", report::to_text(filter));
  }
  return text + part("search", table.query.search) + part("row", table.selected);
}

// "with", "with-range", "with-as".
base::Status read_other_file(std::string_view name, const std::string& value, std::string_view part,
                             SelectionRequest& request) {
  if (!request.with) request.with.emplace();
  if (name == "with") {
    request.with->path = value;
  } else if (name == "with-range") {
    const auto range = parse_iterations(value);
    if (!range) return range.error();
    request.with->range = *range;
  } else if (name == "with-as" && (value == "before" || value == "after")) {
    request.with->is_before = value == "before";
  } else {
    return not_a_state(part);
  }
  return base::Success{};
}

base::Status read_part(std::string_view part, SelectionRequest& request) {
  const std::size_t equals = part.find('=');
  if (equals == std::string_view::npos) return not_a_state(part);
  const std::string_view name = part.substr(0, equals);
  const std::optional<std::string> value = decode(part.substr(equals + 1));
  if (!value) return not_a_state(part);
  if (name == "file") {
    request.file = *value;
  } else if (name == "view") {
    request.view = *value;
  } else if (name == "range") {
    const auto range = parse_iterations(*value);
    if (!range) return range.error();
    request.iterations = *range;
  } else if (name == "cut") {
    const auto cut = parse_cut(*value);
    if (!cut) return cut.error();
    request.cut = *cut;
  } else if (name == "key-op") {
    request.key_op = *value;
  } else if (name == "clock") {
    const auto clock = parse_clock(*value);
    if (!clock) return clock.error();
    request.clock = *clock;
  } else if (name == "split-by") {
    const auto split_by = parse_split_by(*value);
    if (!split_by) return split_by.error();
    request.split_by = *split_by;
  } else if (name == "stored") {
    const std::optional<int64_t> index = base::parse_natural(*value);
    if (!index) return not_a_state(part);
    request.stored_index = static_cast<std::size_t>(*index);
  } else if (name == "iteration" || name == "against") {
    const std::optional<int64_t> iteration = base::parse_natural(*value);
    if (!iteration) return not_a_state(part);
    (name == "iteration" ? request.compared.iteration : request.compared.baseline) = iteration;
  } else if (name.starts_with("with")) {
    return read_other_file(name, *value, part, request);
  } else if (name == "budget" || name == "baseline") {
    (name == "budget" ? request.shared.budgets.budget : request.shared.budgets.baseline) = *value;
  } else if (name == "capture") {
    request.shared.captures.push_back(*value);
  } else if (name == "time") {
    const auto window = timeline::parse_window(*value);
    if (!window) return window.error();
    request.timeline.window = *window;
  } else if (name == "colours") {
    const auto& all = timeline::kColors;
    const auto found = std::ranges::find(all, *value, &timeline::ColorByInfo::name);
    if (found == all.end()) return not_a_state(part);
    request.timeline.colors = found->by;
  } else if (name == "python-frames") {
    if (*value != "yes") return not_a_state(part);
    request.timeline.python_frames = true;
  } else if (name == "side-by-side") {
    if (*value != "yes") return not_a_state(part);
    request.timeline.side_by_side = true;
  } else if (name == "tensor-cores") {
    const auto present = parse_tensor_cores(*value);
    if (!present) return present.error();
    request.present_rules = *present;
  } else if (name == "only") {
    const std::size_t colon = value->find(':');
    if (colon == std::string::npos) return not_a_state(part);
    const auto filter = aggregate::parse_filter(value->substr(0, colon), value->substr(colon + 1));
    if (!filter) return filter.error();
    request.filters.push_back(*filter);
  } else {
    return read_table_part(name, *value, part, request);
  }
  return base::Success{};
}

}  // namespace

std::string state_string(std::string_view view, const aggregate::Selection& selection,
                         const std::vector<TableState>& tables, const IterationPair& compared,
                         bool present_rules, const timeline::Request& timeline,
                         const std::optional<OtherFile>& with, const SharedFiles& shared) {
  const aggregate::Cut& cut = selection.cut;
  std::string text = fmt::format("view={},range={}:{},cut={}", encoded(view), selection.range.first,
                                 selection.range.last, to_text(cut.kind));
  if (cut.kind == aggregate::CutKind::stored) {
    text += fmt::format(",stored={}", cut.stored_index);
  } else {
    text += ",key-op=" + encoded(cut.key_op);
    if (cut.clock) text += ",clock=" + to_text(*cut.clock);
    if (cut.split_by == aggregate::SplitBy::gpu) text += ",split-by=gpu";
  }
  for (const aggregate::Filter& filter : selection.filters) {
    text += fmt::format(",only={}:{}", to_text(filter.kind), encoded(value_text(filter)));
  }
  if (compared.iteration) text += fmt::format(",iteration={}", *compared.iteration);
  if (compared.baseline) text += fmt::format(",against={}", *compared.baseline);
  if (with) {
    text += ",with=" + encoded(with->path);
    if (with->range)
      text += fmt::format(",with-range={}:{}", with->range->first, with->range->last);
    if (with->is_before) text += ",with-as=before";
  }
  if (!shared.budgets.budget.empty()) text += ",budget=" + encoded(shared.budgets.budget);
  if (!shared.budgets.baseline.empty()) text += ",baseline=" + encoded(shared.budgets.baseline);
  for (const std::string& capture : shared.captures) text += ",capture=" + encoded(capture);
  if (const auto& window = timeline.window) {
    text += fmt::format(",time={}:{}", window->start_ns, window->stop_ns());
  }
  if (timeline.colors) text += fmt::format(",colours={}", info(*timeline.colors).name);
  if (timeline.python_frames) text += ",python-frames=yes";
  if (timeline.side_by_side) text += ",side-by-side=yes";
  if (present_rules) text += ",tensor-cores=present";
  for (const TableState& table : tables) text += table_parts(table);
  return text;
}

base::Result<SelectionRequest> parse_state(std::string_view text) {
  SelectionRequest request;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    DLVIEW_TRY(read_part(text.substr(0, comma), request));
    text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
  }
  if (request.with && request.with->path.empty()) return not_a_state("with=");
  // States without it are split by the host, as those of earlier versions are.
  if (request.key_op && !request.split_by) request.split_by = aggregate::SplitBy::host;
  return request;
}

base::Status check_state_file(const SelectionRequest& request, std::string_view path) {
  if (request.file.empty()) return base::Success{};
  const std::string name = name_of_file(path);
  if (name == request.file) return base::Success{};
  return base::Error{"The --state value belongs to another file",
                     fmt::format("It contains file={}", request.file),
                     fmt::format("Remove file= from --state to apply it to {}", name)};
}

SelectionRequest request_of(const aggregate::Selection& selection) {
  SelectionRequest request;
  request.iterations = selection.range;
  request.filters = selection.filters;
  request.cut = selection.cut.kind;
  if (selection.cut.kind == aggregate::CutKind::stored) {
    request.stored_index = selection.cut.stored_index;
  } else {
    request.key_op = selection.cut.key_op;
    request.clock = selection.cut.clock;
    request.split_by = selection.cut.split_by;
  }
  return request;
}

}  // namespace dlview::workspace
