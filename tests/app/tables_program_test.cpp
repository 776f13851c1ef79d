// The table views of the real program on a generated run, by command ids and input events.

#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <imgui.h>

#include "app/run_support.h"
#include "workspace/state_string.h"

namespace dlview::app {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class TablesOfProgram : public RunTest {
 protected:
  std::string showing(const std::string& table) {
    return state()["values"].value(table + "/showing", "(none)");
  }
};

TEST_F(TablesOfProgram, EveryViewShowsRowsAndItsCommandOpensIt) {
  const std::pair<const char*, const char*> views[] = {{"op_types", "op_types"},
                                                       {"groups", "groups"},
                                                       {"ops", "ops"},
                                                       {"op_shapes", "op_shapes"},
                                                       {"kernels", "kernel_names"},
                                                       {"launches", "launches"},
                                                       {"by_iteration", "iterations_table"},
                                                       {"by_op", "by_op_iterations"},
                                                       {"gpus", "devices"}};
  for (const auto& [view, table] : views) {
    must(fmt::format("command view.{}", view));
    EXPECT_EQ(state()["view"], view);
    EXPECT_TRUE(has_item(fmt::format("{}/rows/0", table))) << view;
  }
  must("command view.system");
  EXPECT_TRUE(has_value("system/stored/1"));
  EXPECT_THAT(value("system/Command line"), StartsWith("dlview generate"));
}

TEST_F(TablesOfProgram, TabsOpenTheViewLastShown) {
  must("key Ctrl+4");
  EXPECT_EQ(state()["view"], "ops");
  must("click-item view/op_types");
  EXPECT_EQ(state()["view"], "op_types");
  must("key Ctrl+5\nclick-item view/launches\nkey Ctrl+4");
  EXPECT_EQ(state()["view"], "op_types");
  must("click-item nav/kernels");
  EXPECT_EQ(state()["view"], "launches");
  must("command view.cuda_summary\nkey Ctrl+1");
  EXPECT_EQ(state()["view"], "dashboard");
  EXPECT_FALSE(has_item("view/launches")) << "one view has no switch";
  must("command tab.kernels");
  EXPECT_EQ(state()["view"], "cuda_summary");
}

TEST_F(TablesOfProgram, TabKeysFollowTheirOrder) {
  const char* const views[] = {"dashboard", "iterations", "timeline", "ops",
                               "kernels",   "gpus",       "system"};
  for (std::size_t i = 0; i < std::size(views); ++i) {
    must(fmt::format("key Ctrl+{}", i + 1));
    EXPECT_EQ(state()["view"], views[i]);
  }
}

TEST_F(TablesOfProgram, NarrowSwitchIsAMenu) {
  must("size 400 700\nkey Ctrl+5\nclick-item view/menu\nclick-item menu/view.by_op");
  EXPECT_EQ(state()["view"], "by_op");
}

// Their titles stay where they are in every view.
TEST_F(TablesOfProgram, MenusKeepTheirPlaces) {
  must("command view.dashboard");
  const Json file = item("nav/file"), table = item("nav/table");
  for (const char* view : {"timeline", "ops", "system"}) {
    must(fmt::format("command view.{}", view));
    EXPECT_EQ(item("nav/file"), file) << view;
    EXPECT_EQ(item("nav/table"), table) << view;
  }
}

TEST_F(TablesOfProgram, AClickOnATitleSortsAndShiftAddsAKey) {
  must("command view.ops\nclick-item ops/head/op_node_type");
  EXPECT_EQ(value("ops/sort/op_node_type"), "ascending");
  must("hold Shift\nclick-item ops/head/gpu_time\nrelease Shift");
  EXPECT_EQ(value("ops/sort/gpu_time"), "2descending");
  EXPECT_THAT(showing("ops"), HasSubstr("sorted by Op type, then by GPU time"));
}

TEST_F(TablesOfProgram, OpNamesHaveMoreRoomThanStackTraces) {
  must("size 2200 900\ncommand view.ops");
  const auto width = [this](const char* column) {
    const Json head = item(std::string("ops/head/") + column);
    return head[2].get<double>() - head[0].get<double>();
  };
  EXPECT_GT(width("op_node_name"), 1.5 * width("stack_trace"));
}

TEST_F(TablesOfProgram, ADoubleClickResetsADraggedEdge) {
  must("command view.by_iteration\nclick-item iterations_table/rows/0");
  const double before = item("by_iteration/edge_1")[1];
  must("drag-item by_iteration/edge_1 0 60");
  EXPECT_EQ(item("by_iteration/edge_1")[1], before + 60);
  must("drag-item by_iteration/edge_1 0 -3000");
  EXPECT_LT(item("by_iteration/edge_1")[1], before);
  EXPECT_TRUE(has_item("iterations_table/rows/0")) << "a table keeps a row";
  must("double-click-item by_iteration/edge_1");
  EXPECT_EQ(item("by_iteration/edge_1")[1], before);
}

TEST_F(TablesOfProgram, TablesWithoutContentYieldTheirSpace) {
  const std::pair<std::string, std::string> tables[] = {{"by_op", "by_op_iterations"},
                                                        {"by_iteration", "iterations_table"}};
  for (const std::pair<std::string, std::string>& pair : tables) {
    const auto& [view, table] = pair;
    must("command view." + view + "\nkey Escape");
    const auto height = [this, rows_of = pair.second] {
      const Json rows = item(rows_of + "/rows");
      return rows[3].get<double>() - rows[1].get<double>();
    };
    const double before = height();
    must("click-item " + table + "/rows/7");
    EXPECT_LT(height(), before / 2) << view;
    EXPECT_TRUE(has_item(table + "/rows/7")) << view << ": what was clicked stays visible";
  }
}

TEST_F(TablesOfProgram, FiltersAndSearchNarrowAndTheLabelTells) {
  must("command view.ops");
  const std::string all = showing("ops");
  must("click-item ops/funnel/tc_eligible\nframes 2\ntype 1");
  EXPECT_NE(showing("ops"), all);
  EXPECT_EQ(cell("ops", 0, "tc_eligible"), "1");
  must("command table.reset");
  EXPECT_EQ(showing("ops"), all);
  must("command table.search\nframes 2\ntype zzz_no_such_op");
  EXPECT_THAT(showing("ops"), StartsWith("Showing 0 of "));
}

TEST_F(TablesOfProgram, ASelectedOpFillsTheKernelsAndTheDetails) {
  must("command view.ops\nclick-item ops/head/kernel_calls\nclick-item ops/rows/0");
  const std::string name = value("details/name");
  EXPECT_FALSE(name.empty());
  EXPECT_EQ(value("kernels/subject"), name);
  EXPECT_TRUE(has_item("kernels/rows/0"));
  must("key Down");
  EXPECT_NE(value("details/name"), name);
}

TEST_F(TablesOfProgram, TheKeyboardGoesFromTableToTable) {
  must(
      "command view.ops\nclick-item ops/head/kernel_calls\nclick-item ops/rows/0\nkey F6\nkey "
      "Down");
  EXPECT_EQ(value("details/name"), cell("kernels", 0, "kernel_name"));
  must("key F6\nkey Down");
  EXPECT_EQ(value("kernels/subject"), value("details/name"));
  must("key Home\nkey Enter\nkey End");
  EXPECT_NE(value("kernels/subject"), value("details/name"));
}

TEST_F(TablesOfProgram, AFirstRowFillsTheTablesBelow) {
  const std::pair<const char*, const char*> lower[] = {{"op_types", "type_ops"},
                                                       {"ops", "kernels"},
                                                       {"by_iteration", "iteration_kernels"},
                                                       {"by_op", "iteration_op_kernels"}};
  for (const auto& [view, table] : lower) {
    must(fmt::format("command view.{}\nframes 4", view));
    EXPECT_TRUE(has_item(fmt::format("{}/rows", table))) << view;
    EXPECT_FALSE(has_value("details/name")) << view << ": nobody asked for the details";
  }
}

TEST_F(TablesOfProgram, TheDefaultRowIsNotInTheStateString) {
  must("command view.ops\nframes 4");
  EXPECT_THAT(state()["state_string"].get<std::string>(), ::testing::Not(HasSubstr("row.ops")));
  must("key Enter\nframes 2");
  EXPECT_TRUE(has_value("details/name")) << "Enter opens the details";
  EXPECT_THAT(state()["state_string"].get<std::string>(), HasSubstr("row.ops"));
}

TEST_F(TablesOfProgram, EscapeClearsTheSelectionAfterOverlays) {
  must("command view.ops\nclick-item ops/rows/0\nkey Ctrl+K\nkey Escape");
  EXPECT_TRUE(has_value("details/name"));
  must("click-item ops/columns\nkey Escape");
  EXPECT_TRUE(has_value("details/name"));
  must("key Escape");
  EXPECT_FALSE(has_value("details/name"));
  EXPECT_FALSE(state()["commands"]["view.close"]);
}

TEST_F(TablesOfProgram, EnterOpensAndClosesAGroup) {
  must("command view.groups\nclick-item groups/collapse\nclick-item groups/rows/0");
  const std::string closed = showing("groups");
  must("key Enter");
  EXPECT_NE(showing("groups"), closed);
  must("key Enter");
  EXPECT_EQ(showing("groups"), closed);
}

TEST_F(TablesOfProgram, TheSelectionSurvivesAChangeOfTheRange) {
  must("command view.ops\nclick-item ops/rows/1");
  const std::string name = value("details/name");
  const std::string before = value("details/calls");
  must("command range.all");
  EXPECT_EQ(value("details/name"), name);
  must("click-item strip/steady");
  EXPECT_EQ(value("details/name"), name);
  EXPECT_NE(value("details/calls"), before);
}

TEST_F(TablesOfProgram, IterationOpAndKernelsAreLinked) {
  must("command view.by_op\nclick-item by_op_iterations/rows/1");
  EXPECT_THAT(value("iteration_ops/subject"), HasSubstr(cell("by_op_iterations", 1, "iter_value")));
  must("click-item iteration_ops/rows/0");
  EXPECT_TRUE(has_item("iteration_op_kernels/rows/0"));
}

TEST_F(TablesOfProgram, TheLegendOfTheGpusSaysWhatWasNotRecorded) {
  must("command view.gpus");
  EXPECT_EQ(value("gpus/legend/CPU"), "CPU");
  EXPECT_EQ(value("gpus/legend/I/O"), "I/O (not recorded)");
}

TEST_F(TablesOfProgram, GroupsOpenAndClose) {
  must("command view.groups");
  const std::string few = showing("groups");
  must("click-item groups/expand");
  EXPECT_NE(showing("groups"), few);
  must("click-item groups/collapse");
  EXPECT_NE(showing("groups"), few);
  must("click-item groups/open/0");
  EXPECT_TRUE(has_item("groups/rows/1"));
}

TEST_F(TablesOfProgram, MarkedRowsAreCopiedAsTabSeparatedText) {
  must("command view.ops\nclick-item ops/rows/0\nhold Shift\nclick-item ops/rows/2\nrelease Shift");
  must("command table.copy");
  const std::string text = ImGui::GetClipboardText();
  EXPECT_EQ(std::ranges::count(text, '\n'), 4);
  EXPECT_THAT(text, HasSubstr("Op Name\tGPU Time (ns)\tShare of GPU Time (%)"));
}

TEST_F(TablesOfProgram, EveryDigitIsShownOnDemand) {
  must("command view.ops");
  EXPECT_THAT(cell("ops", 0, "gpu_time"), ::testing::ContainsRegex("[mnµ]?s$"));
  must("command table.digits");
  EXPECT_THAT(cell("ops", 0, "gpu_time"), ::testing::MatchesRegex("[0-9].*[0-9]"));
}

TEST_F(TablesOfProgram, PagesShowSoManyRows) {
  must("command view.ops\nclick-item ops/pages/10");
  EXPECT_THAT(showing("ops"), StartsWith("Showing 1 to 10 of "));
  must("click-item ops/pages/next");
  EXPECT_THAT(showing("ops"), StartsWith("Showing 11 to 20 of "));
  EXPECT_TRUE(has_item("ops/rows/10"));
  EXPECT_FALSE(has_item("ops/rows/9"));
}

TEST_F(TablesOfProgram, ColumnsAreHiddenFromTheMenu) {
  must(
      "command view.ops\nclick-item ops/columns\nclick-item menu/ops/columns_cpu_time\nkey Escape");
  EXPECT_EQ(cell("ops", 0, "cpu_time"), "(none)");
  EXPECT_NE(cell("ops", 0, "gpu_time"), "(none)");
}

TEST_F(TablesOfProgram, TheRowsOnScreenAreSavedInTheirOrder) {
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder_.path());
  must("command view.ops\nclick-item ops/funnel/tc_eligible\nframes 2\ntype 1\nkey Enter");
  must("click-item ops/export\nclick-item menu/ops/export_csv");
  std::filesystem::current_path(before);
  EXPECT_THAT(state()["notice"].get<std::string>(), StartsWith("Saved "));
  std::vector<std::string> lines;
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
    if (entry.path().extension() != ".csv") continue;
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);) lines.push_back(line);
  }
  ASSERT_GT(lines.size(), 1u);
  EXPECT_THAT(lines[0],
              StartsWith("op_node_name,gpu_time,gpu_time_share,gpu_time_per_iteration,cpu_time,"));
}

TEST_F(TablesOfProgram, AStateRestoresFiltersSortingSelection) {
  must("command view.ops\nclick-item ops/head/op_node_name\nclick-item ops/funnel/tc_eligible");
  must("frames 2\ntype 1\nclick-item ops/rows/1");
  const Json before = state();
  const auto request = workspace::parse_state(before["state_string"].get<std::string>());
  ASSERT_TRUE(request.ok()) << base::to_text(request.error());
  must("command view.dashboard");
  open(workspace::file_request(path_, *request, workspace::EngineChoice::automatic));
  EXPECT_EQ(state()["view"], "ops");
  EXPECT_EQ(state()["state_string"], before["state_string"]);
  for (const char* name : {"ops/showing", "details/name", "ops/rows/0/op_node_name"}) {
    EXPECT_EQ(value(name), before["values"][name].get<std::string>()) << name;
  }
}

TEST_F(TablesOfProgram, ACellNarrowsEverythingAndItsChipTakesThatOff) {
  must("command view.op_types\nclick-item op_types/rows/0");
  const std::string type = cell("op_types", 0, "op_node_type");
  const Json before = state()["aggregation"]["kernel_launches"];
  choose_in("op_types", 0, "op_node_type", "everything");
  EXPECT_EQ(value("chips/0"), type);
  EXPECT_THAT(value("chips/rest"), HasSubstr("kernel time"));
  EXPECT_THAT(showing("op_types"), StartsWith("Showing 1 op type"));
  EXPECT_NE(state()["aggregation"]["kernel_launches"], before);
  must("click-item chips/0");
  EXPECT_FALSE(has_value("chips/0"));
  EXPECT_EQ(state()["aggregation"]["kernel_launches"], before);
}

}  // namespace
}  // namespace dlview::app
