#include "ui/views/tables/modules.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "aggregate/modules.h"
#include "base/units.h"
#include "profile/recorded.h"
#include "ui/pages.h"
#include "ui/views/tables/looks.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/panel.h"

namespace dlview::ui {
namespace {

int64_t ns_of_row(const report::Table& table, std::size_t row, report::ColumnId column) {
  const report::Cell cell = cell_in(table, row, column);
  const auto* ns = std::get_if<int64_t>(&cell);
  return ns == nullptr ? 0 : std::max<int64_t>(0, *ns);
}

}  // namespace

std::shared_ptr<const TreeContent> module_content(const std::shared_ptr<const TableData>& modules,
                                                  report::ColumnId value) {
  const report::Table& table = modules->table;
  std::vector<int64_t> values;
  for (std::size_t row = 0; row < table.row_count; ++row) {
    values.push_back(ns_of_row(table, row, value));
  }
  auto content = std::make_shared<TreeContent>();
  content->tree = ValueTree(modules->tree->parent, std::move(values));
  content->whole = "All modules";
  content->noun = "modules";
  content->name = [modules](uint32_t row) { return text_of_cell(modules->table, row, "module"); };
  // Modules of a class have one color.
  std::map<std::string, std::size_t> classes;
  std::vector<std::size_t> hues;
  for (std::size_t row = 0; row < table.row_count; ++row) {
    const std::size_t next = classes.size();
    hues.push_back(classes.emplace(text_of_cell(table, row, "module_class"), next).first->second %
                   kHueCount);
  }
  content->color = [hues = std::move(hues)](const Palette& palette, uint32_t row) {
    return palette.hues[hues[row]];
  };
  content->value_text = [](int64_t ns) { return base::format_duration(ns); };
  content->full_text = base::format_ns;
  content->details = [modules](uint32_t row) -> std::vector<TooltipText> {
    const auto time = [&](report::ColumnId column) {
      return base::format_duration(ns_of_row(modules->table, row, column));
    };
    return {{TooltipStyle::note, "Calls: " + text_of_cell(modules->table, row, "module_calls")},
            {TooltipStyle::note, "GPU time forward: " + time("module_gpu_forward")},
            {TooltipStyle::note, "GPU time backward: " + time("module_gpu_backward")},
            {TooltipStyle::note, "CPU time: " + time("module_cpu_total")}};
  };
  return content;
}

ModulesView::ModulesView(const profile::Profile& profile)
    : has_modules_(aggregate::has_modules(profile)),
      by_gpu_(profile::tells_of(profile, profile::Evidence::gpu_work)),
      stack_("modules/tables", {1, 1, 0.8f}),
      modules_(modules_look(profile)),
      classes_(module_classes_look(profile)) {}

void ModulesView::draw_tables(Frame& frame, const Box& box, Tables& tables) {
  if (!has_modules_) {
    return draw_error_card(
        frame, box, "modules/none",
        {"No modules recorded", frame.model.file_name + " has no frames of nn.Module.",
         "Record with torch.profiler.profile(with_stack=True)."},
        {});
  }
  const auto data = modules_data_.get(frame.model, tables.background);
  const Box rest = pane_.draw(frame, box, this->tables(), tables.focused);
  // A shallow tree leaves the room to the tables.
  const float height = chart_.icicle_height(frame);
  const std::vector<float> most(height > 0 ? 1 : 0, around_chart_ + height);
  const auto boxes = stack_.draw(frame, rest, 0, most);
  draw_chart(frame, boxes[0], data);
  draw_modules(frame, boxes[1], data, tables);
  classes_.draw(frame, boxes[2], classes_data_.get(frame.model, tables.background), tables);
}

void ModulesView::draw_modules(Frame& frame, const Box& box,
                               const std::shared_ptr<const TableData>& data, Tables& tables) {
  if (data && std::exchange(opens_first_, false)) open_.open_first(*data->tree);
  modules_.draw(frame, box, data ? open_.apply(data) : nullptr, tables);
  if (const auto row = modules_.model().take_turned()) open_.turn(*row);
}

void ModulesView::draw_chart(Frame& frame, const Box& box,
                             const std::shared_ptr<const TableData>& data) {
  constexpr std::array<Segment, 2> kMeasures{{{"gpu", "GPU time"}, {"cpu", "CPU time"}}};
  fill(box, frame.palette().panel, frame.px(kRounding));
  outline(box, frame.palette().line, frame.px(kRounding));
  const float padding = frame.px(kPadding);
  const Area area{box.left + padding, box.top + frame.px(10), box.width() - 2 * padding};
  const float middle = area.top + (frame.px(kControlHeight) - font_size(frame.fonts().strong)) / 2;
  draw_heading(
      frame, {area.left, middle, area.width},
      {by_gpu_ ? "GPU time by module" : "CPU time by module",
       by_gpu_ ? aggregate::MetricId("module_gpu_time") : aggregate::MetricId("module_cpu_time"),
       "", ""});
  const Area body = area.below(area.top + frame.px(kControlHeight) + frame.px(2));
  float left = area.right() - segments_width(frame, kMeasures);
  const float top = area.top;
  if (const auto chosen =
          draw_segments(frame, "modules/measure", left, top, kMeasures, by_gpu_ ? 0 : 1)) {
    by_gpu_ = *chosen == 0;
  }
  for (const bool open : {false, true}) {
    const std::string_view label = open ? "Expand all" : "Collapse all";
    left -= button_width(frame, label) + frame.px(8);
    const std::string_view name = open ? "modules/expand" : "modules/collapse";
    if (draw_button(frame, name, left, top, label)) open_.set_all(open);
  }
  if (!data) {
    draw_text(frame.fonts().text, body.left, body.top, frame.palette().dim,
              modules_.model().look().prompt);
    return;
  }
  if (charted_ != data || charted_by_gpu_ != by_gpu_) {
    charted_ = data;
    charted_by_gpu_ = by_gpu_;
    content_ = module_content(data, by_gpu_ ? report::ColumnId("module_gpu_total")
                                            : report::ColumnId("module_cpu_total"));
  }
  if (content_->tree.value(ValueTree::kTop) == 0) {
    draw_text(frame.fonts().text, body.left, body.top, frame.palette().dim,
              modules_.model().look().when_none);
    return;
  }
  const Box chart{body.left, body.top + frame.px(6), body.right(), box.bottom - padding};
  around_chart_ = box.height() - chart.height();
  const auto node =
      chart_.draw(frame, chart, content_, {.search = modules_.model().query().search});
  if (!node) return;
  open_.reveal(*node);
  modules_.model().select(text_of_cell(data->table, *node, "module_path"));
  modules_.reveal_selected();
}

}  // namespace dlview::ui
