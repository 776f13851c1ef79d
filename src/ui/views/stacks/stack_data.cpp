#include "ui/views/stacks/stack_data.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "base/units.h"
#include "report/views/views.h"
#include "ui/table/open_rows.h"
#include "ui/text.h"

namespace dlview::ui {
namespace {

using report::ColumnId;
using report::Table;

constexpr std::string_view kLevels = "levels=", kCutoff = "cutoff=";
constexpr std::string_view kBuiltIn = "built-in", kOtherFiles = "other files";
constexpr std::size_t kMostHues = 8;  // more can hardly be told apart

std::optional<uint32_t> number_behind(std::string_view word, std::string_view key) {
  uint32_t number = 0;
  if (!word.starts_with(key)) return std::nullopt;
  const char* const end = word.data() + word.size();
  const auto [rest, error] = std::from_chars(word.data() + key.size(), end, number);
  return error == std::errc() && rest == end ? std::optional(number) : std::nullopt;
}

std::vector<int64_t> values_of(const Table& table, ColumnId column) {
  const auto cells = cells_of(table, column);
  std::vector<int64_t> values(table.row_count);
  for (std::size_t row = 0; row < values.size(); ++row) {
    values[row] = std::get<int64_t>(cells(row));
  }
  return values;
}

// Those of most self time, the first few with a hue.
std::vector<StackData::Package> rank_packages(const Table& functions) {
  const auto frames = cells_of(functions, "frame");
  const std::vector<int64_t> self = values_of(functions, "cpu_time_self");
  std::map<std::string, int64_t, std::less<>> times;
  for (std::size_t row = 0; row < self.size(); ++row) {
    times[std::string(package_of(report::to_text(frames(row))))] += self[row];
  }
  std::vector<std::pair<std::string, int64_t>> ranked(times.begin(), times.end());
  std::ranges::stable_sort(ranked, std::ranges::greater(),
                           &std::pair<std::string, int64_t>::second);
  std::vector<std::string_view> with_hue;
  for (const auto& [name, time] : ranked) {
    if (name != kBuiltIn && with_hue.size() < kMostHues) with_hue.push_back(name);
  }
  const std::vector<uint8_t> hues = choose_hues(with_hue);
  std::vector<StackData::Package> packages;
  for (const auto& [name, time] : ranked) {
    const auto found = std::ranges::find(with_hue, name);
    packages.push_back({name, {}});
    if (found != with_hue.end()) {
      packages.back().hue = hues[static_cast<std::size_t>(found - with_hue.begin())];
    }
  }
  return packages;
}

// By row: the place of the frame's package.
std::vector<uint32_t> packages_of(const Table& tree,
                                  const std::vector<StackData::Package>& packages) {
  const auto frames = cells_of(tree, "frame");
  std::map<std::string_view, uint32_t> places;
  for (uint32_t place = 0; place < packages.size(); ++place) places[packages[place].name] = place;
  std::vector<uint32_t> of_rows(tree.row_count);
  for (std::size_t row = 0; row < of_rows.size(); ++row) {
    of_rows[row] = places.at(package_of(report::to_text(frames(row))));
  }
  return of_rows;
}

// "Wall time 1.28 ms (self 12 µs)".
std::string times_text(std::string_view what, int64_t total_ns, int64_t self_ns) {
  return fmt::format("{} {} (self {})", what, base::format_duration(total_ns),
                     base::format_duration(self_ns));
}

std::shared_ptr<TreeContent> content_of(const std::shared_ptr<const TableData>& tree,
                                        ColumnId value, const StackData& data) {
  const Table& table = tree->table;
  auto content = std::make_shared<TreeContent>();
  content->tree = ValueTree(tree->tree->parent, values_of(table, value));
  content->whole = "All frames";
  content->noun = "frames";
  content->name = [tree, frames = cells_of(table, "frame")](uint32_t row) {
    return report::to_text(frames(row));
  };
  content->short_name = [frames = cells_of(table, "frame")](uint32_t row) {
    return std::string(function_of(report::to_text(frames(row))));
  };
  content->value_text = [](int64_t ns) { return base::format_duration(ns); };
  content->full_text = base::format_ns;
  std::vector<uint32_t> places = packages_of(table, data.packages);
  content->color = [packages = data.packages, places = std::move(places)](const Palette& palette,
                                                                          uint32_t row) {
    return package_color(palette, packages[places[row]]);
  };
  content->details = [tree](uint32_t row) -> std::vector<TooltipText> {
    const auto number = [&](ColumnId column) {
      return std::get<int64_t>(cell_in(tree->table, row, column));
    };
    return {{TooltipStyle::note,
             times_text("Wall time", number("cpu_time_total"), number("cpu_time_self"))},
            {TooltipStyle::note,
             times_text("GPU time", number("gpu_time_total"), number("gpu_time_self"))},
            {TooltipStyle::note, base::counted(number("frame_calls"), "calls")}};
  };
  content->menu = [tree](CopyMenu& menu, uint32_t row) {
    menu.item("call_stack", "Copy call stack",
              [&] { return report::to_text(cell_in(tree->table, row, "call_stack")); });
  };
  return content;
}

}  // namespace

std::string to_text(const StackChoice& choice) {
  const StackChoice usual;
  std::string text;
  const auto add = [&text](bool differs, const std::string& word) {
    if (!differs) return;
    if (!text.empty()) text += ' ';
    text += word;
  };
  add(choice.style == StackStyle::sunburst, "sunburst");
  add(choice.style == StackStyle::table, "table");
  add(choice.measure == StackMeasure::gpu, "gpu");
  add(choice.levels != usual.levels, fmt::format("{}{}", kLevels, choice.levels));
  add(choice.per_mille != usual.per_mille, fmt::format("{}{}", kCutoff, choice.per_mille));
  add(choice.hides_internal, "hide_internal");
  return text;
}

StackChoice parse_stack_choice(std::string_view text) {
  StackChoice choice;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    if (word == "sunburst") choice.style = StackStyle::sunburst;
    if (word == "table") choice.style = StackStyle::table;
    if (word == "gpu") choice.measure = StackMeasure::gpu;
    if (word == "hide_internal") choice.hides_internal = true;
    if (const auto levels = number_behind(word, kLevels)) choice.levels = *levels;
    if (const auto cutoff = number_behind(word, kCutoff)) choice.per_mille = *cutoff;
  }
  return choice;
}

std::string_view package_of(std::string_view frame) {
  if (frame.starts_with("nn.Module: ")) return "nn.Module";
  if (frame.starts_with("<built-in ")) return kBuiltIn;
  const std::string_view path = frame.substr(0, frame.find('('));
  const std::size_t folder = path.find_first_of("/\\");
  return folder == std::string_view::npos || folder == 0 ? kOtherFiles : path.substr(0, folder);
}

std::string_view function_of(std::string_view frame) {
  frame = profile::bare_function(frame);
  const std::size_t colon = frame.find(": ");
  return colon == std::string_view::npos ? frame : frame.substr(colon + 2);
}

Color package_color(const Palette& palette, const StackData::Package& package) {
  return package.hue ? palette.hues[*package.hue] : palette.outside;
}

StackData make_stack_data(const std::shared_ptr<const profile::Profile>& profile,
                          const std::shared_ptr<const aggregate::Aggregation>& aggregation,
                          const std::shared_ptr<const profile::PythonFrames>& frames,
                          bool hides_internal) {
  report::ViewArguments arguments;
  arguments.python_frames = frames;
  arguments.hides_internal_frames = hides_internal;
  const auto table_data = [&](std::string_view view) {
    auto table = report::make_view(view, *profile, *aggregation, arguments);
    const auto made = std::make_shared<TableData>(
        TableData{profile, aggregation, table ? std::move(*table) : Table()});
    made->python_frames = frames;
    return made;
  };
  StackData data;
  data.functions = table_data("stacks");
  const auto tree = table_data("stack_tree");
  tree->tree = std::make_shared<const RowTree>(tree_by_level(tree->table, {"level", "call_stack"}));
  data.tree = tree;
  data.packages = rank_packages(data.functions->table);
  data.by_cpu = content_of(tree, "cpu_time_total", data);
  data.by_gpu = content_of(tree, "gpu_time_total", data);
  return data;
}

}  // namespace dlview::ui
