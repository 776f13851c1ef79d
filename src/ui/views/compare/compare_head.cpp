// The head of the view Compare, what stands in its place while there is nothing to compare, and
// what a right click on an op offers.
#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "base/units.h"
#include "ui/chart/navigation.h"
#include "ui/pages.h"
#include "ui/views/compare/compare_view.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/menu.h"
#include "ui/widgets/tooltip.h"
#include "workspace/profile_facts.h"

namespace dlview::ui {
namespace {

using aggregate::Comparison;
using profile::OpIndex;

constexpr float kHeadPadding = 8, kHeadLine = 30;
constexpr float kLongestName = 220;
constexpr float kVerdictShare = 0.1f, kMostVerdictLines = 5;  // of the height
constexpr std::string_view kTimelines = "Show timelines";

std::string side_facts(const CompareSide& side) {
  if (!side.run->profile || !side.run->aggregation) return "";
  const std::string gpus = workspace::gpus_text(*side.run->profile);
  const std::string iterations = fmt::format(
      "{} {}", side.range.size() == 1 ? "iteration" : "iterations", range_text(side.range));
  return gpus.empty() ? iterations : fmt::format("{} · {}", gpus, iterations);
}

std::string percent_text(const aggregate::MatchShare& share) {
  return base::format_percent(100 * share.rate());
}

const aggregate::MatchShare& gpu_or_cpu(const aggregate::MatchRate& rate) {
  return rate.gpu.all_ns > 0 ? rate.gpu : rate.cpu;
}

// The longest in the range, of equal ones the first.
std::optional<profile::InstanceIndex> longest_instance(const workspace::RunModel& run, OpIndex op) {
  const auto& instances = run.profile->instances;
  const auto& iterations = run.aggregation->iteration_table->iterations.rows;
  const aggregate::IterationRange range = current_range(run);
  const int64_t start_ns = iterations[static_cast<std::size_t>(range.first)].start_ns;
  const int64_t stop_ns = iterations[static_cast<std::size_t>(range.last)].stop_ns;
  std::optional<profile::InstanceIndex> longest;
  int64_t longest_ns = -1;
  for (profile::InstanceIndex i{0}; i < instances.size(); ++i) {
    if (instances.op[i] != op) continue;
    if (instances.cpu_start_ns[i] < start_ns || instances.cpu_start_ns[i] >= stop_ns) continue;
    const int64_t length_ns = instances.cpu_stop_ns[i] - instances.cpu_start_ns[i];
    if (length_ns <= longest_ns) continue;
    longest = i;
    longest_ns = length_ns;
  }
  return longest;
}

}  // namespace

void CompareView::draw_alone(Frame& frame, const Box& box) {
  const base::Error nothing{
      "Compare with another profile",
      "This view shows in what two runs differ: which parts, ops and kernels, and whether the "
      "difference is more than noise.",
      "Open a second profile, or drop its file onto the window."};
  draw_error_card(frame, box, "compare/alone", nothing, {{"Compare with…", "file.compare"}});
}

void CompareView::draw_waiting(Frame& frame, const Box& box) {
  const workspace::RunModel& other = frame.model.compared_run->run;
  if (other.error) {
    return draw_error_card(frame, box, "compare/error", *other.error,
                           {{"Compare with…", "file.compare"}});
  }
  const base::Progress::Snapshot progress =
      other.loading.value_or(base::Progress::Snapshot{.stage = "Matching ops and kernels…"});
  if (draw_progress_card(frame, box, "compare/loading", other.loading ? "Opening" : "Comparing",
                         frame.model.compared_run->name, progress)) {
    frame.host.show(ViewId::dashboard);
  }
}

void CompareView::offer_files(Frame& frame, std::vector<MenuItem>& items) const {
  const Model& model = frame.model;
  for (std::size_t r = 0; r < model.runs.size(); ++r) {
    if (r == model.active_run || model.runs[r].name.empty()) continue;
    MenuItem item{fmt::format("compare_run.{}", r), model.runs[r].name, "open", model.runs[r].path};
    item.chosen = model.runs[r].name == model.compared_run->name;
    item.run = [&host = frame.host, r] { host.compare_with_run(r); };
    items.push_back(std::move(item));
  }
  constexpr std::size_t kMostRecent = 8;
  for (std::size_t f = 0; model.recent && f < std::min(model.recent->size(), kMostRecent); ++f) {
    const workspace::RecentFile& file = (*model.recent)[f];
    if (!file.exists) continue;
    const std::string name = file.path.substr(file.path.find_last_of('/') + 1);
    MenuItem item{fmt::format("compare_recent.{}", f), name, "recent", file.path};
    item.run = [&host = frame.host, path = file.path] { host.compare_with_file(path); };
    items.push_back(std::move(item));
  }
  MenuItem item{"compare_other", "Other file…"};
  item.run = [&host = frame.host] { host.choose_file(FileUse::compare); };
  items.push_back(std::move(item));
}

void CompareView::draw_side(Frame& frame, const Box& line, const CompareSide& side, bool is_after) {
  const Fonts& fonts = frame.fonts();
  const Palette& colors = frame.palette();
  const std::string_view word = is_after ? "After" : "Before";
  const float half = frame.px(4), middle = std::round((line.top + line.bottom) / 2);
  fill({line.left, middle - half, line.left + 2 * half, middle + half},
       run_colors(colors)[is_after ? 1 : 0], frame.px(2));
  const float text_top = std::round(middle - font_size(fonts.text) / 2);
  float x = line.left + frame.px(14);
  draw_text(fonts.text, x, text_top, colors.dim, word);
  x += text_width(fonts.text, "Before") + frame.px(10);
  const bool is_active = is_after == active_is_after_;
  std::vector<MenuItem> items;
  if (is_active) {
    for (std::size_t r = 0; r < frame.model.runs.size(); ++r) {
      MenuItem item{fmt::format("run.{}", r), frame.model.runs[r].name, "",
                    frame.model.runs[r].path};
      item.chosen = r == frame.model.active_run;
      item.run = [&host = frame.host, r] { host.show_run(r); };
      items.push_back(std::move(item));
    }
  } else {
    offer_files(frame, items);
  }
  const std::string path = fmt::format("compare/{}", is_after ? "after" : "before");
  const std::string facts = side_facts(side);
  const ImFont* font = fonts.text;
  const float room = line.right - x - menu_button_width(frame, "") - frame.px(10) -
                     std::min(text_width(font, facts), frame.px(kLongestName));
  const std::string name =
      cut_text(side.name, std::max(room, frame.px(60)), CutAt::middle,
               [font](std::string_view text) { return text_width(font, text); });
  const float button = x + menu_button_width(frame, name);
  draw_menu(frame, path + "/menu", name, button, std::round(middle - frame.px(kControlHeight) / 2),
            items);
  x = button + frame.px(10);
  draw_text_cut(frame, font, x, text_top, line.right - x, colors.dim, facts, CutAt::end);
  frame.inspector.record_value(path + "/name", side.name);
  frame.inspector.record_value(path + "/facts", facts);
}

float CompareView::draw_verdict(Frame& frame, const Box& line, std::size_t most_lines) {
  const Fonts& fonts = frame.fonts();
  const Palette& colors = frame.palette();
  const Comparison* compared = comparison();
  const float text_top = line.top + std::round((line.height() - font_size(fonts.strong)) / 2);
  if (compared == nullptr) {
    draw_text(fonts.text, line.left, text_top, colors.dim, "Comparing…");
    return line.bottom;
  }
  const std::string &verdict = data_.get()->verdict, &changes = data_.get()->changes;
  // Above a second line chips stand a little higher, clear of its text.
  const bool is_long =
      text_width(fonts.strong, verdict) + text_width(fonts.text, changes) > line.width() * 0.8f;
  const float chip_middle =
      std::round((line.top + line.bottom) / 2) - (is_long ? frame.px(3) : 0.0f);
  float right = line.right;
  const auto chip = [&](std::string_view name, const std::string& label, Color color,
                        const std::vector<TooltipText>& explained, std::size_t opened_table) {
    const float width = text_width(fonts.small, label) + 2 * frame.px(9);
    const Box box{right - width, chip_middle - frame.px(10), right, chip_middle + frame.px(10)};
    const Hit hit = hit_area(frame, name, box);
    fill(box, hit.hovered ? lit_surface(colors) : colors.raised, frame.px(10));
    draw_text_in(fonts.small, box, color, label, true);
    frame.inspector.record_value(name, label);
    if (hit.hovered) show_text_tooltip(frame, explained);
    if (hit.clicked) shown_table_ = opened_table;
    right = box.left - frame.px(8);
  };
  const aggregate::MatchShare& before = gpu_or_cpu(compared->rate_before);
  const aggregate::MatchShare& after = gpu_or_cpu(compared->rate_after);
  const bool is_gpu = compared->rate_before.gpu.all_ns > 0;
  chip("compare/matched", fmt::format("{} / {} matched", percent_text(before), percent_text(after)),
       colors.dim,
       {{TooltipStyle::heading, "Matched ops"},
        {TooltipStyle::text,
         fmt::format("Ops with a partner take {} of the {} time before, and {} "
                     "of that after.",
                     percent_text(before), is_gpu ? "GPU" : "CPU", percent_text(after))},
        {TooltipStyle::note, "Click for the list of ops"}},
       2);
  const auto& reasons = compared->comparability.reasons;
  if (!reasons.empty()) {
    std::vector<TooltipText> lines{{TooltipStyle::heading, "Read with care"}};
    for (const aggregate::Reason& reason : reasons) {
      lines.push_back({TooltipStyle::text, reason.text});
    }
    lines.push_back({TooltipStyle::note, "Click for the list of checks"});
    chip("compare/reasons", base::counted(static_cast<int64_t>(reasons.size()), "cautions"),
         colors.attention, lines, 3);
  }
  const bool has_filters = !frame.model.selection.filters.empty() ||
                           !frame.model.compared_run->run.selection.filters.empty();
  if (has_filters) {
    chip("compare/filters", "without filters", colors.attention,
         {{TooltipStyle::text, "Filters do not apply here: both runs are compared as a whole."}},
         shown_table_);
  }
  frame.inspector.record_value("compare/verdict", verdict);
  frame.inspector.record_value("compare/changes", changes);
  const auto measure_in = [](const ImFont* font) {
    return [font](std::string_view text) { return text_width(font, text); };
  };
  const float room = right - line.left - frame.px(12), gap = frame.px(12);
  const float all = line.right - line.left;
  const MeasureText strong = measure_in(fonts.strong);
  // Chips stand beside the first line only.
  std::vector<std::string> said = wrap_prose(verdict, room, strong);
  if (said.size() > 1 && most_lines > 1) {
    const std::string rest = verdict.substr(std::min(said.front().size() + 1, verdict.size()));
    said.resize(1);
    const auto others = wrap_prose(rest, all, most_lines - 1, strong);
    said.insert(said.end(), others.begin(), others.end());
  }
  float bottom =
      draw_lines(frame, fonts.strong, {line.left, text_top, room}, colors.text, said, verdict);
  if (!changes.empty()) {
    // Behind the verdict where it fits whole, else below it.
    const float beside = line.left + text_width(fonts.strong, said.back()) + gap;
    const float free = said.size() > 1 ? line.right : line.left + room;
    const bool fits = text_width(fonts.text, changes) <= free - beside;
    if (fits) {
      draw_text(fonts.text, beside, bottom - line_height(fonts.strong), colors.dim, changes);
    } else if (said.size() < most_lines) {
      bottom = draw_lines(
          frame, fonts.text, {line.left, bottom, all}, colors.dim,
          wrap_prose(changes, all, most_lines - said.size(), measure_in(fonts.text)), changes);
    }
  }
  return std::max(line.bottom, bottom + text_top - line.top);
}

float CompareView::draw_head(Frame& frame, const Box& box) {
  const float gap = frame.px(kGap), height = frame.px(kHeadLine);
  const float top = box.top + frame.px(kHeadPadding);
  const float left = box.left + gap + frame.px(2);
  const float timelines = button_width(frame, kTimelines);
  const float control_top = top + std::round((height - frame.px(kControlHeight)) / 2);
  const bool is_open = before_.run->aggregation && after_.run->aggregation;
  if (draw_button(frame, "compare/timelines", box.right - gap - timelines, control_top, kTimelines,
                  ButtonKind::plain, is_open)) {
    frame.host.show_compared_timelines();
  }
  const float right = box.right - gap - timelines - frame.px(12);
  const float swap = button_width(frame, "Swap");
  const float half = std::round((right - left - swap - 2 * frame.px(12)) / 2);
  draw_side(frame, {left, top, left + half, top + height}, before_, false);
  const float button = left + half + frame.px(12);
  if (draw_button(frame, "compare/swap", button, control_top, "Swap")) {
    frame.host.swap_compared_runs();
  }
  const float after = button + swap + frame.px(12);
  draw_side(frame, {after, top, right, top + height}, after_, true);
  const float second = top + height + frame.px(2);
  // Long sentences take more lines where charts and table have room left.
  const float lines = box.height() * kVerdictShare / line_height(frame.fonts().strong);
  const float bottom =
      draw_verdict(frame, {left, second, box.right - gap, second + height},
                   static_cast<std::size_t>(std::clamp(lines, 2.0f, kMostVerdictLines)));
  horizontal_line(box.left, box.right, bottom + frame.px(3), frame.palette().line);
  return bottom + frame.px(4);
}

void CompareView::show_in_timeline(Host& host, OpIndex op, const workspace::RunModel& run) const {
  const auto instance = longest_instance(run, op);
  if (!instance) return host.notify("This op does not begin in the range.");
  host.show_in_run(run.run, {.window = {}, .iteration = {}, .instance = *instance});
}

void CompareView::offer(CopyMenu& menu, Host& host, const TableData& data, std::size_t row) {
  const CompareData* shown = data_.get().get();
  if (shown == nullptr) return;
  const bool is_ops = &data == shown->ops.get();
  if (!is_ops && &data != shown->matching.get()) return;
  const aggregate::RunPair& runs = *shown->comparison->runs;
  const OpIndex before = is_ops ? shown->op_rows[row].before : shown->match_rows[row].before;
  const OpIndex after = is_ops ? shown->op_rows[row].after : shown->match_rows[row].after;
  const bool has_before = before != profile::kNoRow, has_after = after != profile::kNoRow;
  if (is_ops) {
    const ChangedOp op = shown->op_rows[row];
    menu.action("open", "Open in the waterfall", [this, op] { open({op.part, op}); });
  }
  const profile::Profile& profile_before = *runs.before().profile;
  const profile::Profile& profile_after = *runs.after().profile;
  if (has_before) {
    menu.action("timeline_before", "Show in Timeline of the run before",
                [&] { show_in_timeline(host, before, *before_.run); });
  }
  if (has_after) {
    menu.action("timeline_after", "Show in Timeline of the run after",
                [&] { show_in_timeline(host, after, *after_.run); });
  }
  const auto id = [](const profile::Profile& profile, OpIndex op) {
    return std::string(profile.text(profile.ops.id[op]));
  };
  if (has_before && has_after) {
    const std::pair made{id(profile_before, before), id(profile_after, after)};
    if (std::ranges::find(pairs_, made) != pairs_.end()) {
      menu.action("unpair", "Undo this pair", [&] { std::erase(pairs_, made); });
    }
  }
  if (half_pair_) {
    const bool wants_after = half_pair_->before != profile::kNoRow;
    if (wants_after ? !has_after : !has_before) return;
    const OpIndex old_op = wants_after ? half_pair_->before : before;
    const OpIndex new_op = wants_after ? after : half_pair_->after;
    menu.action("pair", fmt::format("Pair with {}", half_pair_->name), [&] {
      const std::pair pair{id(profile_before, old_op), id(profile_after, new_op)};
      std::erase_if(pairs_, [&](const auto& other) {
        return other.first == pair.first || other.second == pair.second;
      });
      pairs_.push_back(pair);
      half_pair_.reset();
    });
    return;
  }
  if (has_before) {
    menu.action("pair_before", "Pair the op before with…", [&] {
      half_pair_ = {before, OpIndex(), runs.before().labels.text(before)};
    });
  }
  if (has_after) {
    menu.action("pair_after", "Pair the op after with…", [&] {
      half_pair_ = {OpIndex(), after, runs.after().labels.text(after)};
    });
  }
}

}  // namespace dlview::ui
