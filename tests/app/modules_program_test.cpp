// The views of modules and operators in the real program, of a generated PyTorch trace.
#include <algorithm>
#include <string>
#include <string_view>

#include <gmock/gmock.h>

#include "app/trace_support.h"
#include "report/views/views.h"
#include "ui/table/open_rows.h"
#include "ui/views/tables/modules.h"

namespace dlview::app {
namespace {

using ::testing::HasSubstr;

class ModulesProgram : public TraceProgramTest {
 protected:
  report::Table table(std::string_view name) {
    const workspace::Session& session = program().session();
    return *report::make_view(name, *session.profile(), *session.aggregation());
  }
  // The text of `key` in the row with the largest number in `column`.
  std::string largest(const report::Table& table, report::ColumnId key, report::ColumnId column) {
    const report::Column& numbers = table.columns[ui::find_column(table, column)];
    const report::Column& keys = table.columns[ui::find_column(table, key)];
    std::size_t best = 0;
    for (std::size_t row = 1; row < table.row_count; ++row) {
      const auto ns = [&](std::size_t i) { return std::get<int64_t>(numbers.cell(i)); };
      if (ns(row) > ns(best)) best = row;
    }
    return report::to_text(keys.cell(best));
  }
};

TEST_F(ModulesProgram, ShowsTheModuleThatCostsMostFirst) {
  open_trace(true);
  ASSERT_TRUE(play("command view.modules").ok());
  EXPECT_EQ(value("modules/rows/0/module"),
            largest(table("modules"), "module", "module_gpu_total"));
  EXPECT_EQ(value("module_classes/rows/0/module_class"),
            largest(table("module_classes"), "module_class", "module_gpu_total"));
  EXPECT_TRUE(state()["items"].contains("modules/chart"));
}

TEST_F(ModulesProgram, TheTableOpensAndClosesModules) {
  open_trace(true);
  ASSERT_TRUE(play("command view.modules").ok());
  const auto rows = [&] { return value("modules/showing"); };
  const std::string first = rows();
  EXPECT_TRUE(state()["items"].contains("modules/open/0"));
  ASSERT_TRUE(play("click-item modules/collapse").ok());
  const std::string closed = rows();
  EXPECT_NE(closed, first) << "the first levels were open";
  ASSERT_TRUE(play("click-item modules/open/0").ok());
  EXPECT_NE(rows(), closed);
  ASSERT_TRUE(play("click-item modules/expand").ok());
  const std::string all = std::to_string(table("modules").row_count);
  EXPECT_THAT(rows(), HasSubstr("Showing " + all + " modules"));
}

TEST_F(ModulesProgram, ASelectedRowShowsItsDetails) {
  open_trace(true);
  const auto has_details = [&] { return state()["values"].contains("details/name"); };
  ASSERT_TRUE(play("command view.modules").ok());
  EXPECT_FALSE(has_details()) << "nothing is selected";
  const std::string name = value("modules/rows/1/module");
  ASSERT_TRUE(play("click-item modules/rows/1").ok());
  EXPECT_EQ(value("details/name"), name);
  EXPECT_THAT(value("details/module_calls"), ::testing::MatchesRegex("[0-9,]+"));
  EXPECT_THAT(value("details/Path"), HasSubstr("/" + name));
  ASSERT_TRUE(play("click-item module_classes/rows/0").ok());
  EXPECT_EQ(value("details/name"), value("module_classes/rows/0/module_class"));
  ASSERT_TRUE(play("click-item details/close").ok());
  EXPECT_FALSE(has_details()) << "closed until something else is selected";
  ASSERT_TRUE(play("click-item module_classes/rows/1").ok());
  EXPECT_TRUE(has_details());

  ASSERT_TRUE(play("command view.operators\nclick-item torch_ops/rows/2").ok());
  EXPECT_EQ(value("details/name"), value("torch_ops/rows/2/torch_op"));
  ASSERT_TRUE(play("click-item operators/by/torch_op_stacks").ok());
  EXPECT_FALSE(has_details()) << "each table has its own";
  ASSERT_TRUE(play("command view.stacks\nclick-item stacks/rows/0").ok());
  EXPECT_EQ(value("details/name"), value("stacks/rows/0/frame"));
}

TEST_F(ModulesProgram, TheChartNestsAsTheTableDoes) {
  open_trace(true);
  const auto data = std::make_shared<ui::TableData>();
  data->table = table("modules");
  data->tree =
      std::make_shared<const ui::RowTree>(ui::tree_by_level(data->table, {"depth", "module_path"}));
  const auto content = ui::module_content(data, "module_gpu_total");
  ASSERT_EQ(content->tree.size(), data->table.row_count);
  ASSERT_GT(content->tree.size(), 5U);
  const auto text = [&](report::ColumnId id, std::size_t row) {
    return report::to_text(data->table.columns[ui::find_column(data->table, id)].cell(row));
  };
  for (uint32_t row = 0; row < content->tree.size(); ++row) {
    const uint32_t parent = content->tree.parent(row);
    EXPECT_EQ(parent == ui::ValueTree::kTop ? "" : text("module_path", parent),
              text("module_parent", row));
    EXPECT_EQ(std::to_string(content->tree.value(row)), text("module_gpu_total", row));
  }
}

TEST_F(ModulesProgram, AClickOnTheChartSelectsTheRow) {
  open_trace(true);
  ASSERT_TRUE(play("command view.modules\nclick-item modules/measure/cpu").ok());
  std::string focus;
  for (int i = 0; i < 60 && focus != "modules/chart"; ++i) {
    ASSERT_TRUE(play("key Tab").ok());
    focus = state()["values"].value("focus", "");
  }
  ASSERT_EQ(focus, "modules/chart");
  ASSERT_TRUE(play("key Down\nkey Down").ok());
  EXPECT_THAT(program().state_string(), HasSubstr("row.modules="));
}

TEST_F(ModulesProgram, ShowsTheOperatorWithMostSelfTimeFirst) {
  open_trace(false);
  ASSERT_TRUE(play("command view.operators").ok());
  EXPECT_EQ(value("torch_ops/rows/0/torch_op"),
            largest(table("torch_ops"), "torch_op", "torch_op_gpu_self"));
  ASSERT_TRUE(play("click-item operators/by/torch_op_shapes").ok());
  EXPECT_EQ(value("torch_op_shapes/rows/0/torch_op"),
            largest(table("torch_op_shapes"), "torch_op", "torch_op_gpu_self"));
  EXPECT_THAT(program().state_string(), HasSubstr("row.operator_view=torch_op_shapes"));
}

TEST_F(ModulesProgram, ReadsFramesForOperatorsByCallStack) {
  open_trace(true);
  ASSERT_TRUE(play("command view.operators").ok());
  EXPECT_FALSE(has_frames());
  ASSERT_TRUE(play("click-item operators/by/torch_op_stacks").ok());
  EXPECT_TRUE(has_frames());
  // Ops of the backward pass begin in no frame.
  const Json values = state()["values"];
  EXPECT_TRUE(std::ranges::any_of(values.items(), [](const auto& entry) {
    return entry.key().starts_with("torch_op_stacks/rows/") &&
           entry.value().dump().find(" > ") != std::string::npos;
  }));
}

TEST_F(ModulesProgram, OpensTheOperatorTree) {
  open_trace(false);
  ASSERT_TRUE(play("command view.operators\nclick-item operators/by/torch_op_tree").ok());
  const report::Table tree = table("torch_op_tree");
  const auto rows = [&] { return value("torch_op_tree/showing"); };
  const std::string closed = rows();
  ASSERT_TRUE(play("click-item operators/expand").ok());
  EXPECT_NE(rows(), closed);
  EXPECT_THAT(rows(), HasSubstr(std::to_string(tree.row_count)));
  ASSERT_TRUE(play("click-item operators/collapse").ok());
  EXPECT_EQ(rows(), closed);
}

TEST_F(ModulesProgram, SaysWhatRecordsModules) {
  open_trace(false);
  ASSERT_TRUE(play("command view.modules").ok());
  EXPECT_THAT(value("modules/none/advice"), HasSubstr("with_stack=True"));
}

TEST_F(ModulesProgram, ExistForPytorchTracesOnly) {
  open(workspace::random_request());
  for (const char* command : {"view.modules", "view.operators", "view.stacks", "view.memory"}) {
    EXPECT_FALSE(state()["commands"][command]) << command;
  }
  EXPECT_TRUE(state()["commands"]["view.ops"]);
}

}  // namespace
}  // namespace dlview::app
