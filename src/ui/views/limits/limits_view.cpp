#include "ui/views/limits/limits_view.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/units.h"
#include "report/limits/roofline_svg.h"
#include "ui/pages.h"
#include "ui/views/limits/why_no_marks.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/menu.h"
#include "ui/widgets/panel.h"
#include "ui/widgets/tooltip.h"

namespace dlview::ui {
namespace {

using aggregate::LimitRow;
using aggregate::LimitsBy;
using report::LimitRule;

}  // namespace

bool has_limits(const profile::Profile& profile) {
  return profile.kernels.size() > 0 || profile.counters != nullptr;
}

LimitsView::LimitsView() : table_(limits_look()) {}

void LimitsView::set_table(const workspace::TableState& state) {
  if (state.table == kLimitChoice) choice_ = parse_limit_choice(state.selected);
  if (state.table == kLimitPane) {
    const auto pane = std::ranges::find(kLimitPanes, state.selected, &Segment::id);
    if (pane != kLimitPanes.end()) pane_ = static_cast<LimitPane>(pane - kLimitPanes.begin());
  }
  if (state.table == table_.model().look().id) table_.set(state);
}

std::vector<workspace::TableState> LimitsView::table_states() {
  std::vector<workspace::TableState> states;
  if (choice_ != LimitChoice{}) states.push_back({kLimitChoice, {}, to_text(choice_)});
  if (pane_ != LimitPane::quadrants) {
    states.push_back(
        {kLimitPane, {}, std::string(kLimitPanes[static_cast<std::size_t>(pane_)].id)});
  }
  if (table_.is_changed()) states.push_back(table_.state());
  return states;
}

std::optional<uint32_t> LimitsView::chosen_row() const {
  if (!data() || !table_.model().rows() || table_.model().rows()->data != data()->table) {
    return std::nullopt;
  }
  const auto row = table_.model().selected_row();
  return row ? std::optional(static_cast<uint32_t>(*row)) : std::nullopt;
}

std::vector<uint32_t> LimitsView::selected_rows() const {
  std::vector<uint32_t> rows;
  const auto& shown = table_.model().rows();
  if (!data() || !shown || shown->data != data()->table) return rows;
  for (const auto& [first, last] : table_.model().marks().runs()) {
    for (std::size_t place = first; place <= last && place < shown->rows.size(); ++place) {
      rows.push_back(shown->rows[place]);
    }
  }
  return rows;
}

PlotSelection LimitsView::selection() const {
  PlotSelection selection;
  selection.hovered = hovered_;
  const auto& shown = table_.model().rows();
  if (!data() || !shown || shown->data != data()->table) return selection;
  const std::size_t count = data()->rows().size();
  for (const uint32_t row : selected_rows()) {
    selection.selected.resize(count);
    selection.selected[row] = true;
  }
  if (shown->rows.size() < count) {
    selection.shown.resize(count);
    for (const uint32_t row : shown->rows) selection.shown[row] = true;
  }
  selection.chosen = chosen_row();
  return selection;
}

void LimitsView::select_rows(std::span<const uint32_t> rows) {
  const auto& shown = table_.model().rows();
  if (!shown) return;
  table_.model().deselect();
  bool is_first = true;
  for (std::size_t place = 0; place < shown->rows.size(); ++place) {
    if (std::ranges::find(rows, shown->rows[place]) == rows.end()) continue;
    table_.model().select_place(place,
                                is_first ? TableModel::Extend::no : TableModel::Extend::by_this);
    is_first = false;
  }
  table_.reveal_selected();
}

void LimitsView::obey(const PlotGesture& gesture) {
  TableModel& model = table_.model();
  if (!model.rows() || !data() || model.rows()->data != data()->table) return;
  if (gesture.clicked) {
    const auto& rows = model.rows()->rows;
    const auto found = std::ranges::find(rows, *gesture.clicked);
    if (found != rows.end()) {
      model.select_place(static_cast<std::size_t>(found - rows.begin()),
                         gesture.adds ? TableModel::Extend::by_this : TableModel::Extend::no);
      table_.reveal_selected();
    }
  }
  if (gesture.boxed) select_rows(*gesture.boxed);
  if (gesture.deselects) model.deselect();
  if (gesture.walks != 0) {
    model.move_selection(gesture.walks, false);
    table_.reveal_selected();
  }
}

void LimitsView::open_chosen(Host& host) const {
  const auto row = chosen_row();
  if (!row) return;
  const LimitRow& its = data()->rows()[*row];
  const profile::Profile& profile = *data()->profile;
  if (its.op != profile::kNoRow) {
    host.show_table(ViewId::ops, {"ops", {}, std::string(profile.text(profile.ops.id[its.op]))});
  } else if (its.kernel != profile::kNoText) {
    host.show_table(ViewId::kernels, {"kernel_names", {}, std::string(its.name)});
  } else if (its.group != profile::kNoRow) {
    host.show_table(ViewId::groups, {"groups", {}, std::string(its.name)});
  }
}

void LimitsView::show_in_timeline(Tables& tables) {
  if (!table_.can_place_selected()) return;
  tables.focused = table_.model().look().id;
  tables.wants_timeline = true;
}

void LimitsView::pin(bool on) {
  pinned_in_ = on ? data_.get() : nullptr;
  pinned_ = on ? chosen_row() : std::nullopt;
}

void LimitsView::take_command(Frame& frame, Tables& tables) {
  if (!tables.command) return;
  switch (*tables.command) {
    case TableCommand::limits_fit:
      roofline_chart_.fit();
      break;
    case TableCommand::limits_timeline:
      show_in_timeline(tables);
      break;
    case TableCommand::limits_open:
      open_chosen(frame.host);
      break;
    case TableCommand::limits_by_op:
      choice_.by = LimitsBy::op;
      break;
    case TableCommand::limits_by_kernel:
      choice_.by = LimitsBy::kernel;
      break;
    case TableCommand::limits_by_shape:
      choice_.by = LimitsBy::shape;
      break;
    case TableCommand::limits_by_group:
      choice_.by = LimitsBy::group;
      break;
    case TableCommand::limits_rule:
      choice_.rule =
          static_cast<LimitRule>((static_cast<int>(choice_.rule) + 1) % report::kLimitRules);
      break;
    case TableCommand::limits_all_roofs:
      choice_.shows_all_roofs = !choice_.shows_all_roofs;
      break;
    case TableCommand::limits_evidence:
      shows_evidence_ = !shows_evidence_;
      break;
    case TableCommand::limits_pin:
      pin(!pinned_ && chosen_row());
      break;
    case TableCommand::limits_copy_shapes:
      if (data()) {
        std::vector<uint32_t> rows = selected_rows();
        for (uint32_t row = 0; rows.empty() && row < data()->rows().size(); ++row) {
          rows.push_back(row);
        }
        frame.host.copy_text(shapes_csv(*data(), rows));
      }
      break;
    case TableCommand::limits_save_svg:
      if (data()) {
        frame.host.save_text(
            "roofline", "svg",
            report::roofline_svg(roofline_, data()->rows(), limits_head_line(*data(), choice_)));
      }
      break;
    case TableCommand::limits_save_png:
      saves_picture_ = true;
      break;
    default:
      return;
  }
  tables.command.reset();
}

// What was selected in another table since, if its row is here.
void LimitsView::take_chosen(const Model& model, Tables& tables) {
  const ChosenRow& chosen = tables.chosen;
  const std::string now = chosen.table + " " + chosen.key;
  if (now == seen_chosen_ || chosen.table.empty() || chosen.profile.lock() != model.profile) return;
  seen_chosen_ = now;
  if (chosen.table == table_.model().look().id) return;
  if (const auto row = data()->row_of(chosen.key)) {
    table_.model().select((*data()->keys)[*row]);
    table_.reveal_selected();
    return;
  }
  // In rows of another kind.
  const bool is_op = chosen.table == "ops", is_kernel = chosen.table == "kernel_names",
             is_group = chosen.table == "groups";
  if (!is_op && !is_kernel && !is_group) return;
  choice_.by = is_op ? LimitsBy::op : is_kernel ? LimitsBy::kernel : LimitsBy::group;
  table_.model().select(chosen.key);
  table_.reveal_selected();
}

void LimitsView::want_data(Frame& frame, Tables& tables) {
  const Model& model = frame.model;
  const bool is_quick = model.selection.filters.empty() || has_few_events(*model.profile);
  if (test_rows_) {
    data_.want({model.aggregation, nullptr, to_text(choice_)}, true, tables.background,
               [&](const base::Progress&) {
                 return make_limit_data(model.profile, model.aggregation, nullptr, choice_,
                                        *test_rows_, *test_rows_);
               });
  } else if (model.limits) {
    data_.want({model.aggregation, model.limits, to_text(choice_)}, is_quick, tables.background,
               [profile = model.profile, aggregation = model.aggregation, limits = model.limits,
                choice = choice_](const base::Progress&) {
                 return make_limit_data(profile, aggregation, limits, choice);
               });
  }
  if (pane_ != LimitPane::quadrants && model.limits) {
    use_.want({model.aggregation, model.limits, ""}, is_quick, tables.background,
              [profile = model.profile, aggregation = model.aggregation,
               limits = model.limits](const base::Progress&) {
                return std::make_shared<const report::OperatorReport>(
                    report::make_operator_report(*profile, *aggregation, *limits, "", SIZE_MAX));
              });
  }
  const auto& made = data_.get();
  if (!made || (prepared_for_ == made && prepared_rule_ == choice_.rule)) return;
  prepared_for_ = made;
  prepared_rule_ = choice_.rule;
  roofline_ = report::prepare_roofline(made->rows(), made->peaks, choice_.rule);
  quadrants_ = report::prepare_quadrants(
      made->rows(), choice_.rule,
      made->index ? made->index->thresholds() : aggregate::LimitThresholds());
}

}  // namespace dlview::ui
