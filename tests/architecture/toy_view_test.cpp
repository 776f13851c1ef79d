// A new view is one class and one entry in the registry: this one lists the names of the GPUs.

#include <algorithm>
#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/program_commands.h"
#include "app/program_support.h"
#include "support/random_profile.h"
#include "ui/table/data_table.h"
#include "ui/view.h"
#include "ui/views/tables/table_view.h"
#include "workspace/state_string.h"

namespace dlview {
namespace {

ui::TableLook toy_look() {
  return {.id = "toy_gpus",
          .title = "GPUs",
          .noun = "GPUs",
          .key = "gpu_name",
          .when_none = "No GPUs recorded.",
          .columns = {{.id = "gpu_name", .share = 1}}};
}

class ToyView : public ui::TableView {
 public:
  std::vector<ui::DataTable*> tables() override { return {&table_}; }

 private:
  void draw_tables(ui::Frame& frame, const ui::Box& box, ui::Tables& tables) override {
    table_.draw(frame, box, data_.get(frame.model), tables);
  }

  ui::ViewData data_{"gpu_names"};
  ui::DataTable table_{toy_look()};
};

bool has_devices(const profile::Profile& profile) {
  return !profile.devices.empty();
}

const ui::TabId kToyTab = ui::add_tab(
    {.name = "toy", .title = "Toy", .shortcut = "", .help = "Show toys.", .exists = has_devices});

const ui::ViewId kToyView = *ui::add_view(
    {.tab = kToyTab,
     .name = "toy",
     .title = "Toy",
     .shortcut = "Ctrl+Shift+Y",
     .help = "Lists the names of the GPUs.",
     .make = [](const profile::Profile&) { return std::unique_ptr<ui::View>(new ToyView); },
     .has_tables = true});

bool has_many_devices(const profile::Profile& profile) {
  return profile.devices.size() > 100;
}

// Of the same tab, for profiles that these tests do not have.
const ui::ViewId kAbsentView = [] {
  ui::ViewInfo view = ui::info(kToyView);
  view.name = "absent_toy";
  view.shortcut = "";
  view.exists = has_many_devices;
  return *ui::add_view(view);
}();

class ToyViewOfProgram : public app::ProgramTest {
 protected:
  void SetUp() override {
    app::ProgramTest::SetUp();
    if (offscreen_) open(workspace::random_request());
  }
};

TEST_F(ToyViewOfProgram, IsShownByItsKeyAndItsTab) {
  ASSERT_TRUE(play("key Ctrl+Shift+Y").ok());
  EXPECT_EQ(program().view(), kToyView);
  EXPECT_EQ(value("nav/tab"), "Toy");
  EXPECT_TRUE(state()["items"].contains("toy_gpus/rows/0"));
  program().show(ui::ViewId::dashboard);
  offscreen_->draw_until_settled();
  EXPECT_FALSE(state()["items"].contains("toy_gpus/rows/0"));
  const char* const tab = state()["items"].contains("nav/toy") ? "click-item nav/toy"
                                                               : "click-item nav/more\n"
                                                                 "click-item menu/view.toy";
  ASSERT_TRUE(play(tab).ok());
  EXPECT_EQ(program().view(), kToyView);
}

TEST_F(ToyViewOfProgram, ItsTableObeysTheTableMenu) {
  ASSERT_TRUE(play("command view.toy\nclick-item toy_gpus/rows/0").ok());
  EXPECT_TRUE(state()["commands"]["table.copy"]);
  EXPECT_TRUE(state()["commands"]["view.close"]);
  ASSERT_TRUE(play("command view.close").ok());
  EXPECT_FALSE(state()["commands"]["view.close"]);
}

TEST_F(ToyViewOfProgram, TheStateStringNamesItAndItsTable) {
  ASSERT_TRUE(play("command view.toy\nclick-item toy_gpus/rows/0").ok());
  const auto request = workspace::parse_state(program().state_string());
  ASSERT_TRUE(request.ok()) << base::to_text(request.error());
  EXPECT_EQ(request->view, "toy");
  ASSERT_EQ(request->tables.size(), 1u);
  EXPECT_EQ(request->tables[0].table, "toy_gpus");
}

TEST(ToyView, IsKnownToTheCommandLineAndTheDocuments) {
  const auto view = ui::parse_view("toy");
  ASSERT_TRUE(view.ok());
  EXPECT_EQ(*view, kToyView);
  EXPECT_THAT(app::commands_as_markdown(),
              ::testing::HasSubstr("| Ctrl+Shift+Y | Toy | Lists the names of the GPUs. | "
                                   "`view.toy` |"));
}

TEST(Views, SayWhetherTheyHaveTables) {
  const profile::Profile profile = testing::random_profile({.seed = 5});
  for (const ui::ViewInfo& view : ui::views()) {
    // The CUDA summary has one when a report has been chosen.
    if (view.id == ui::ViewId::cuda_summary || !ui::is_view_of(profile, view.id)) continue;
    EXPECT_EQ(!view.make(profile)->tables().empty(), view.has_tables) << view.name;
  }
}

TEST(Tabs, HaveViewsInOneRow) {
  for (const ui::TabInfo& tab : ui::tabs()) {
    EXPECT_EQ(&ui::info(tab.id), &tab) << tab.name;
    ASSERT_FALSE(ui::views_of(tab.id).empty()) << tab.name;
    const auto count = std::ranges::count(ui::views(), tab.id, &ui::ViewInfo::tab);
    EXPECT_EQ(std::ssize(ui::views_of(tab.id)), count) << tab.name;
  }
}

TEST(Views, AreRefusedOutOfOrder) {
  const std::size_t count = ui::views().size();
  ui::ViewInfo view = ui::info(kToyView);
  view.name = "late";
  view.tab = ui::TabId::ops;
  EXPECT_FALSE(ui::add_view(view).ok()) << "behind the views of later tabs";
  view.tab = kToyTab;
  view.name = "toy";
  EXPECT_FALSE(ui::add_view(view).ok()) << "a name that is taken";
  EXPECT_EQ(ui::views().size(), count);
}

TEST_F(ToyViewOfProgram, ItsTabExistsWhileItsDataDo) {
  EXPECT_EQ(state()["items"].contains("nav/toy") || state()["items"].contains("nav/more"), true);
  profile::Profile without =
      testing::random_profile({.kernel_devices = 0, .copy_devices = 0, .idle_devices = 0});
  EXPECT_FALSE(ui::info(kToyTab).exists(without));
}

TEST_F(ToyViewOfProgram, AViewWithoutDataIsNotOffered) {
  const profile::Profile& profile = *program().session().profile();
  EXPECT_FALSE(ui::is_view_of(profile, kAbsentView));
  EXPECT_EQ(ui::nearest_view(profile, kAbsentView), kToyView);
  EXPECT_THAT(ui::view_names(&profile), ::testing::Not(::testing::HasSubstr("absent_toy")));
  EXPECT_THAT(ui::view_names(), ::testing::HasSubstr("absent_toy"));
  program().show(kAbsentView);
  offscreen_->draw_until_settled();
  EXPECT_EQ(program().view(), kToyView);
  EXPECT_EQ(value("view/shown"), "toy");
  EXPECT_FALSE(state()["items"].contains("view/absent_toy")) << "no switch for one view";
  EXPECT_FALSE(state()["commands"]["view.absent_toy"]);
  EXPECT_TRUE(state()["commands"]["view.toy"]);
}

TEST_F(ToyViewOfProgram, AViewWithDataIsOffered) {
  profile::Profile with = testing::random_profile({.seed = 5});
  with.devices.resize(101);
  EXPECT_TRUE(ui::is_view_of(with, kAbsentView));
  EXPECT_EQ(ui::views_of(kToyTab, with).size(), 2u);
}

TEST(Views, ExistFirstInTheirTabs) {
  for (const ui::TabInfo& tab : ui::tabs()) {
    EXPECT_EQ(ui::views_of(tab.id).front().exists, nullptr) << tab.name;
  }
}

TEST(Views, StandInTheOrderOfTheirIds) {
  for (std::size_t i = 0; i < ui::views().size(); ++i) {
    EXPECT_EQ(static_cast<std::size_t>(ui::views()[i].id), i) << ui::views()[i].name;
  }
}

}  // namespace
}  // namespace dlview
