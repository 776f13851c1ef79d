// The Dashboard under the mouse: menus that copy, links that open the details pane.
#include <string>
#include <string_view>

#include <gtest/gtest.h>
#include <imgui.h>

#include "aggregate/aggregator.h"
#include "aggregate/rules/rule_index.h"
#include "report/budget/budget_file.h"
#include "support/imgui_frames.h"
#include "support/sketch.h"
#include "ui/idle_host.h"
#include "ui/table/tables.h"
#include "ui/views/dashboard/dashboard.h"
#include "ui/widgets/canvas.h"

namespace dlview::ui {
namespace {

class CopyingHost : public testing::IdleHost {
 public:
  void select(const aggregate::Selection& selection) override { selected = selection; }
  void show(ViewId view) override { shown = view; }
  void run_command(std::string_view id) override { command = id; }
  void copy_text(const std::string& text) override { copied = text; }
  void show_overlay(Overlay overlay) override { shown_overlay = overlay; }
  void show_table(ViewId view, const workspace::TableState& state) override {
    shown = view;
    table = state;
  }

  std::string copied, command;
  aggregate::Selection selected;
  ViewId shown = ViewId::dashboard;
  Overlay shown_overlay = Overlay::none;
  workspace::TableState table;
};

// The view alone in a window; frames are built, never drawn.
class DashboardClicks : public ::testing::Test {
 protected:
  DashboardClicks() : context_(ImGui::CreateContext()) {
    testing::set_up_frames(1600, 1200);
    look_.scale = 1;
    look_.fonts = bake_fonts(*ImGui::GetIO().Fonts, 1);
    apply_style(look_);
    // Of 1000 ns the eligible conv runs for 300 without Tensor Cores, the linear layer for 100 with
    // them, and a copy for 50.
    testing::Sketch sketch;
    const auto conv = sketch.instance(sketch.op("net/conv", "conv2d", true), 0, 500);
    sketch.kernel(conv, 100, 400, 0, "sgemm");
    const auto linear = sketch.instance(sketch.op("net/linear", "linear", true), 500, 1000);
    sketch.kernel(linear, 500, 600, 0, "xmma", true);
    sketch.copy(linear, 700, 750);
    auto facts = std::make_shared<profile::Profile>(*sketch.finish());
    facts->source.format = "DLProf 1.8.0";
    model_.profile = facts;
    model_.aggregation = std::make_shared<const aggregate::Aggregation>(
        aggregate::make_cpu_aggregator(model_.profile)->aggregate({}));
    draw();
    draw();
  }
  ~DashboardClicks() override { ImGui::DestroyContext(context_); }

  void draw() {
    inspector_.begin_frame();
    testing::begin_frame();
    ImGui::SetNextWindowPos({0, 0});
    ImGui::SetNextWindowSize({1600, 1200});
    ImGui::Begin("test", nullptr, ImGuiWindowFlags_NoDecoration);
    Frame frame{look_, model_, host_, inspector_};
    view_.draw(frame, {0, 0, 1600, 1200}, background_);
    ImGui::End();
    ImGui::EndFrame();
  }
  void click(const std::string& item, int button = ImGuiMouseButton_Left) {
    const auto found = inspector_.items().find(item);
    ASSERT_NE(found, inspector_.items().end()) << item;
    const ItemRect& rect = found->second;
    ImGuiIO& io = ImGui::GetIO();
    io.MousePos = {(rect.left + rect.right) / 2, (rect.top + rect.bottom) / 2};
    draw();
    io.MouseDown[button] = true;
    draw();
    io.MouseDown[button] = false;
    for (int i = 0; i < 2; ++i) draw();
  }
  void hit(ImGuiKey key) {
    testing::press_key(key, true);
    draw();
    testing::press_key(key, false);
    draw();
  }
  std::string value(const std::string& name) const {
    const auto found = inspector_.values().find(name);
    return found == inspector_.values().end() ? "" : found->second;
  }

  ImGuiContext* context_;
  Look look_;
  Model model_;
  CopyingHost host_;
  Inspector inspector_;
  base::Scheduler scheduler_;
  Background background_{scheduler_};
  DashboardView view_;
};

TEST_F(DashboardClicks, ARightClickCopiesValueDefinitionAndSql) {
  const std::string entry = "dashboard/kernel_time/legend/memory";
  click(entry, ImGuiMouseButton_Right);
  click("copy/value");
  EXPECT_EQ(host_.copied, "50\u202fns · 11.111111%");
  click(entry, ImGuiMouseButton_Right);
  click("copy/definition");
  EXPECT_TRUE(host_.copied.starts_with("Memory GPU time: Sum of the durations")) << host_.copied;
  click(entry, ImGuiMouseButton_Right);
  click("copy/sql");
  EXPECT_TRUE(host_.copied.starts_with("-- Memory GPU time, iterations 0 to 0\nWITH "))
      << host_.copied;
}

TEST_F(DashboardClicks, NumbersBecomeBudgetsThatAreKept) {
  for (const std::string id : {"memory", "other_kernels", "tensor_core_kernels"}) {
    click("dashboard/breakdown/" + id, ImGuiMouseButton_Right);
    click("copy/budget");
    const auto file = report::budget::parse_budget_file(host_.copied, "budget.toml");
    ASSERT_TRUE(file) << host_.copied << base::to_text(file.error());
    EXPECT_NE(host_.copied.find("metric = \"breakdown_" + id), std::string::npos) << host_.copied;
    // The value itself is the limit: kept, and broken by one less.
    const aggregate::Selection& selection = model_.aggregation->selection;
    report::budget::Meter meter(model_.profile, selection);
    ASSERT_EQ(file->budgets.size(), 1U);
    const report::budget::Budget& budget = file->budgets.front();
    const auto measured = meter.measure(*budget.metric, budget.of, budget.only);
    ASSERT_TRUE(measured.is_known()) << measured.unknown;
    EXPECT_EQ(budget.at_most, measured.value);
  }
}

// Their value is that of a filter: it may get no worse than the baseline.
TEST_F(DashboardClicks, FilteredPartsMakeLearnedBudgets) {
  click("dashboard/kernel_time/legend/tensor_core_kernels", ImGuiMouseButton_Right);
  click("copy/budget");
  const auto file = report::budget::parse_budget_file(host_.copied, "budget.toml");
  ASSERT_TRUE(file) << host_.copied << base::to_text(file.error());
  ASSERT_EQ(file->budgets.size(), 1U);
  EXPECT_NE(host_.copied.find("worse_by_at_most = \"learned\""), std::string::npos);
  EXPECT_NE(host_.copied.find("only = [\"tensor_core"), std::string::npos) << host_.copied;
  EXPECT_EQ(file->budgets.front().only.size(), 1U);
}

TEST_F(DashboardClicks, ArrowKeysAndEnterChooseFromAMenu) {
  const std::string entry = "dashboard/kernel_time/legend/memory";
  click(entry, ImGuiMouseButton_Right);
  hit(ImGuiKey_Enter);
  EXPECT_EQ(host_.copied, "");  // nothing is lit yet
  hit(ImGuiKey_DownArrow);
  hit(ImGuiKey_DownArrow);
  hit(ImGuiKey_Enter);
  EXPECT_TRUE(host_.copied.starts_with("Memory GPU time: Sum of the durations")) << host_.copied;
  host_.copied = "";
  hit(ImGuiKey_Enter);
  EXPECT_EQ(host_.copied, "");  // the menu is closed
  click(entry, ImGuiMouseButton_Right);
  hit(ImGuiKey_UpArrow);
  hit(ImGuiKey_Home);
  hit(ImGuiKey_Enter);
  EXPECT_TRUE(host_.copied.starts_with("50")) << host_.copied;
}

TEST_F(DashboardClicks, ArrowKeysPassOverWhatCannotBeChosen) {
  click("dashboard/breakdown/io", ImGuiMouseButton_Right);
  hit(ImGuiKey_End);
  hit(ImGuiKey_Enter);
  EXPECT_TRUE(host_.copied.starts_with("I/O")) << host_.copied;  // the definition, not the SQL
}

TEST_F(DashboardClicks, ANumberWithoutSqlSaysSo) {
  click("dashboard/breakdown/io", ImGuiMouseButton_Right);
  host_.copied = "untouched";
  click("copy/sql");
  EXPECT_EQ(host_.copied, "untouched");
}

TEST_F(DashboardClicks, AFindingOpensTheOpsItSpeaksOf) {
  ASSERT_EQ(value("dashboard/advice/1/problem"), "1 eligible op runs without Tensor Cores");
  click("dashboard/advice/1/action");
  EXPECT_EQ(host_.shown, ViewId::ops);
  EXPECT_EQ(host_.table.table, "ops");
  const std::vector<report::ColumnFilter> missing{{"tc_eligible", "1"}, {"using_tc", "0"}};
  EXPECT_EQ(host_.table.query.filters, missing);
}

TEST_F(DashboardClicks, GaugeAndCrossOpenOpsWithoutTensorCores) {
  for (const char* opener :
       {"dashboard/tensor_core_efficiency/legend/not_using",
        "dashboard/tensor_core_efficiency/not_using", "dashboard/top_ops/0/why"}) {
    EXPECT_EQ(value("details/ops/0/name"), "");
    click(opener);
    EXPECT_EQ(value("details/ops/0/name"), "net/conv") << opener;
    const bool lists_kernels = std::string_view(opener).find("not_using") != std::string_view::npos;
    EXPECT_EQ(value("details/missed_kernels/0/name") != "", lists_kernels) << opener;
    click("details/close");
  }
}

TEST_F(DashboardClicks, TheGaugeFiltersToTensorCoreKernels) {
  click("dashboard/tensor_core_efficiency/using");
  const std::vector<aggregate::Filter> expected{
      {.kind = aggregate::FilterKind::tensor_core, .number = 1}};
  EXPECT_EQ(host_.selected.filters, expected);
}

TEST_F(DashboardClicks, OnlyALegendOfMoreThanTwoPartsHidesThem) {
  EXPECT_EQ(inspector_.items().count("dashboard/tensor_core_efficiency/legend/using"), 0u);
  EXPECT_EQ(inspector_.items().count("dashboard/kernel_time/legend/memory"), 1u);
}

TEST_F(DashboardClicks, AStepOfTheWaterfallFilters) {
  click("dashboard/breakdown/tensor_core_kernels");
  const std::vector<aggregate::Filter> expected{
      {.kind = aggregate::FilterKind::tensor_core, .number = 1}};
  EXPECT_EQ(host_.selected.filters, expected);
}

TEST_F(DashboardClicks, TheArrowUnfoldsAFinding) {
  EXPECT_EQ(inspector_.items().count("dashboard/advice/2/page"), 0U);
  click("dashboard/advice/2/unfold");
  EXPECT_EQ(inspector_.items().count("dashboard/advice/2/page"), 1U);
  click("dashboard/advice/2/unfold");
  EXPECT_EQ(inspector_.items().count("dashboard/advice/2/page"), 0U);
  click("dashboard/advice/2/folded");
  EXPECT_EQ(inspector_.items().count("dashboard/advice/2/page"), 1U);
}

TEST_F(DashboardClicks, ChecksWithoutFindingAreListedOnRequest) {
  const std::string first = value("dashboard/advice/checks/0");
  EXPECT_NE(first, "");
  const ItemRect folded = inspector_.items().at("dashboard/top_ops/0/open");
  click("dashboard/advice/checks");
  EXPECT_GT(inspector_.items().at("dashboard/top_ops/0/open").top, folded.top);
  click("dashboard/advice/checks");
  EXPECT_EQ(inspector_.items().at("dashboard/top_ops/0/open").top, folded.top);
}

TEST_F(DashboardClicks, ARunThatIsNotSplitShowsUtilizationOverTime) {
  EXPECT_EQ(value("dashboard/busy/0"), "") << "the index is not there yet";
  model_.rules = std::make_shared<const aggregate::RuleIndex>(*model_.profile);
  draw();
  draw();
  EXPECT_EQ(value("dashboard/busy/0"), "0%");
  EXPECT_EQ(value("dashboard/busy/8"), "100%");
  EXPECT_NE(value("dashboard/busy/29"), "");
  EXPECT_EQ(value("dashboard/busy/30"), "") << "30 slices, as the finding has";
  click("dashboard/busy");
  const auto request = view_.take_timeline_request();
  ASSERT_TRUE(request && request->stretch);
  EXPECT_LT(request->stretch->length_ns, 100);
}

TEST_F(DashboardClicks, TheButtonSplitsAtTheBestMarker) {
  EXPECT_EQ(value("dashboard/split"), "");
  aggregate::KeyOpCandidate candidate;
  candidate.kind = aggregate::KeyKind::range;
  candidate.op = profile::OpIndex{profile::kNoRow};
  candidate.name = candidate.key = "step";
  candidate.score = 0.974;
  model_.key_ops =
      std::make_shared<const std::vector<aggregate::KeyOpCandidate>>(std::vector{candidate});
  draw();
  EXPECT_EQ(value("dashboard/split"), "Split at step (97%)");
  click("dashboard/split");
  EXPECT_EQ(host_.selected.cut.key_op, "step");
}

TEST_F(DashboardClicks, HoveringAnOpTellsWhatItIs) {
  const ItemRect row = inspector_.items().at("dashboard/top_ops/0/why");
  ImGui::GetIO().MousePos = {row.left + 5, row.top + 5};
  draw();
  draw();
  EXPECT_EQ(value("op_card/name"), "net/conv");
  EXPECT_EQ(value("op_card/facts"), "conv2d · 1 call");
}

}  // namespace
}  // namespace dlview::ui
