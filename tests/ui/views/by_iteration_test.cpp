// Kernels by Iteration on Dear ImGui alone.

#include <gtest/gtest.h>

#include "ui/view_fixture.h"
#include "ui/views/tables/drill_down.h"

namespace dlview::ui {
namespace {

class ByIterationTest : public testing::ViewFixture {
 protected:
  ByIterationTest() {
    open(testing::run_of_twenty_steps(), "train/step");
    view_.emplace(*model.profile);
    draw = [this](Frame& frame, const Box& box, BarLayer& bars) {
      view_->draw(frame, box, {bars, tables_});
    };
    frames(3);
  }
  DataTable& iterations() { return *view_->tables()[0]; }
  DataTable& kernels() { return *view_->tables()[1]; }
  void select_range(const aggregate::IterationRange& range) {
    aggregate::Selection selection = model.selection;
    selection.range = range;
    host.select(selection);
    frames(2);
  }
  void save(const DataTable& table) {
    click(table.model().look().id + "/export");
    frames(3);
    click("menu/" + table.model().look().id + "/export_csv");
    frames(2);
  }

  base::Scheduler scheduler_;
  Tables tables_{scheduler_};
  std::optional<ByIterationView> view_;
};

TEST_F(ByIterationTest, ExportsAnUnchangedTableWithTheNewRange) {
  iterations().model().select("4");
  frames(3);
  ASSERT_TRUE(kernels().model().rows());
  const auto before = kernels().model().rows()->data;
  select_range({2, 7});
  ASSERT_EQ(kernels().model().rows()->data, before);
  save(kernels());
  ASSERT_TRUE(host.exported);
  EXPECT_EQ(host.exported->selection.range, (aggregate::IterationRange{2, 7}));
  select_range({3, 9});
  save(iterations());
  EXPECT_EQ(host.exported->selection.range, (aggregate::IterationRange{3, 9}));
}

}  // namespace
}  // namespace dlview::ui
