// Budgets: what `dlview budget check` says of the run, as rows with bars. They follow [run] of the
// budget file, or the range of the window.
#pragma once

#include <memory>
#include <optional>
#include <tuple>
#include <vector>

#include "ui/background.h"
#include "ui/view.h"
#include "ui/views/budgets/budget_rows.h"
#include "ui/widgets/canvas.h"

namespace dlview::ui {

class BudgetsView : public View {
 public:
  void draw(Frame& frame, const Box& box, const ViewTools& tools) override;
  void set_table(const workspace::TableState& state) override;
  std::vector<workspace::TableState> table_states() override;

  // A table that stands for the choice of the range in a state; its selected row is "selected".
  static constexpr const char* kRangeState = "budgets_range";

 private:
  using Key =
      std::tuple<std::shared_ptr<const workspace::LoadedBudgets>,
                 std::shared_ptr<const profile::Profile>, std::optional<aggregate::Selection>>;

  void judge(const Model& model, Background& background);
  float draw_head(Frame& frame, const Box& box, const workspace::LoadedBudgets& budgets);
  float draw_notes(Frame& frame, const Area& area, const workspace::LoadedBudgets& budgets) const;
  void draw_rows(Frame& frame, const Box& box);
  void go_to(Host& host, const Model& model, const BudgetPlace& place) const;

  bool uses_selected_range_ = false;
  Late<Key, workspace::JudgedBudgets> judged_;
  std::shared_ptr<const workspace::JudgedBudgets> prepared_for_;
  std::vector<BudgetRow> rows_;
};

}  // namespace dlview::ui
