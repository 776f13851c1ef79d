// What stands on screen for a part of the run filters everything to it: slices, rows, boxes, names.

#include <map>
#include <string>

#include <gmock/gmock.h>

#include "aggregate/group_tree.h"
#include "app/run_support.h"
#include "workspace/state_string.h"

namespace dlview::app {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class CrossFilterOfProgram : public RunTest {
 protected:
  const profile::Profile& profile() { return *program().session().profile(); }
  Json numbers() { return state()["aggregation"]; }
  // A state string with a row of a table selected.
  void open_at(const std::string& text) {
    const auto request = workspace::parse_state(text);
    ASSERT_TRUE(request.ok()) << base::to_text(request.error());
    open(workspace::file_request(path_, *request, workspace::EngineChoice::automatic));
    ASSERT_EQ(state()["state"], "open");
  }
  // Two ops of one name.
  std::pair<profile::Row, profile::Row> namesakes() {
    std::map<profile::StringId, profile::Row> first;
    for (profile::Row op = 0; op < profile().ops.size(); ++op) {
      const auto [found, is_new] = first.emplace(profile().ops.name[op], op);
      if (!is_new) return {found->second, op};
    }
    ADD_FAILURE() << "every op has a name of its own";
    return {};
  }
  std::string id_of(profile::Row op) { return std::string(profile().text(profile().ops.id[op])); }
};

TEST_F(CrossFilterOfProgram, ASliceTogglesItsFilter) {
  const Json before = numbers();
  for (const char* bar : {"breakdown", "kernel_time"}) {
    const std::string slice = fmt::format("dashboard/{}/other_kernels", bar);
    EXPECT_THAT(tooltip_at(slice), EndsWith("Click to filter all views"));
    must("click-item " + slice);
    EXPECT_EQ(filters(), (Json{"tensor_core=0"})) << bar;
    EXPECT_EQ(numbers()["breakdown_ns"][0], 0) << "no time with Tensor Cores";
    EXPECT_LT(numbers()["kernel_launches"], before["kernel_launches"]);
    EXPECT_THAT(value("chips/rest"), HasSubstr(" launches · "));
    EXPECT_THAT(tooltip_at(slice), EndsWith("Click to remove this filter"));
    must("click-item " + slice);
    EXPECT_EQ(numbers(), before);
  }
}

TEST_F(CrossFilterOfProgram, ASliceThatNoFilterKeepsSaysSoAndStays) {
  for (const char* slice : {"kernel_time/memory"}) {
    const std::string item = fmt::format("dashboard/{}", slice);
    EXPECT_THAT(tooltip_at(item), EndsWith("No filter matches this part alone"));
    must("click-item " + item);
    EXPECT_EQ(filters(), Json::array()) << slice;
  }
}

TEST_F(CrossFilterOfProgram, LegendEntriesHideByClickAndFilterByMenu) {
  must("click-item dashboard/kernel_time/legend/other_kernels");
  EXPECT_EQ(filters(), Json::array());
  EXPECT_THAT(tooltip_at("dashboard/kernel_time/legend/other_kernels"),
              EndsWith("Click to show this part"));
  choose("dashboard/kernel_time/legend/other_kernels", "everything");
  EXPECT_EQ(filters(), (Json{"tensor_core=0"}));
}

TEST_F(CrossFilterOfProgram, TheBarOfAGpuFiltersEverythingToIt) {
  must("command view.gpus\nclick-item gpus/bars/1");
  EXPECT_EQ(filters(), (Json{"device=1"}));
  must("command view.dashboard");
  EXPECT_EQ(value("dashboard/utilization/GPU 0"), "filtered out");
  EXPECT_EQ(value("dashboard/utilization/GPU 1"), value("dashboard/utilization/1 of 8"));
  must("command view.gpus\nclick-item gpus/bars/1");
  EXPECT_EQ(filters(), Json::array());
}

TEST_F(CrossFilterOfProgram, ARowOfTheDashboardFiltersFromItsMenu) {
  must("size 1280 1200");
  const std::string op = "dashboard/top_ops/1";
  choose(op, "everything");
  ASSERT_EQ(filters().size(), 1u);
  EXPECT_THAT(filters()[0].get<std::string>(), StartsWith("op="));
  EXPECT_EQ(numbers()["ops"], 1);
  must("click-item chips/clear");
  choose(op + "/direction", "everything");
  EXPECT_THAT(filters()[0].get<std::string>(), StartsWith("direction="));
  choose(op + "/type", "everything");
  EXPECT_EQ(filters().size(), 2u);
  must("click-item chips/clear\ncommand view.kernel_details");
  const std::string kernel = value("details/top_kernels/0/name");
  choose("details/top_kernels/0/name", "everything");
  EXPECT_EQ(filters(), (Json{"kernel=" + kernel}));
  EXPECT_FALSE(has_value("details/top_kernels/1/name"));
}

TEST_F(CrossFilterOfProgram, AFlagInATableFilters) {
  must("command view.ops");
  choose_in("ops", 0, "tc_eligible", "everything");
  EXPECT_EQ(filters(), (Json{"eligible=" + cell("ops", 0, "tc_eligible")}));
}

TEST_F(CrossFilterOfProgram, FiltersToAGroupFromTreeAndIcicle) {
  must("command view.groups\nclick-item groups/rows/2");
  const std::string group = value("details/name");
  ASSERT_THAT(group, EndsWith("/"));
  const int64_t ops = numbers()["ops"];
  const std::string share = value("details/share");
  choose_in("groups", 2, "row_trimmed_name", "everything");
  EXPECT_EQ(filters(), (Json{"group=" + group}));
  EXPECT_EQ(value("chips/0"), group);
  EXPECT_LT(numbers()["ops"], ops);
  EXPECT_EQ(value("details/share"), share) << "of all ops, whatever the filters";
  const std::string text = state()["state_string"];
  choose("groups/icicle/" + group, "everything");
  EXPECT_EQ(filters(), Json::array()) << "chosen again";
  EXPECT_EQ(numbers()["ops"], ops);
  choose("groups/icicle/" + group, "everything");
  EXPECT_EQ(state()["state_string"], text);
  open_at(text);
  EXPECT_EQ(filters(), (Json{"group=" + group}));
}

TEST_F(CrossFilterOfProgram, GroupsTellTheirDirections) {
  must("command view.groups\nclick-item groups/expand");
  EXPECT_EQ(cell("groups", 0, "direction"), "fprop, bprop");
  must("click-item groups/funnel/direction\nframes 2\ntype /^bprop$/\nkey Enter");
  int ops = 0;
  const Json shown = state()["values"];
  for (int row = 0; shown.contains(fmt::format("groups/rows/{}/direction", row)); ++row) {
    EXPECT_THAT(cell("groups", row, "direction"), HasSubstr("bprop")) << row;
    ops += cell("groups", row, "direction") == "bprop" ? 1 : 0;
  }
  EXPECT_GT(ops, 0);
}

TEST_F(CrossFilterOfProgram, ASelectedGroupIsToldWhole) {
  must("command view.groups\nclick-item groups/rows/2");
  const std::string group = value("details/name");
  const auto& aggregation = *program().session().aggregation();
  const profile::Row row = aggregate::find_group(profile(), *aggregation.group_tree, group);
  const auto ops = aggregate::ops_below(*aggregation.group_tree, row);
  EXPECT_LE(std::stoul(value("details/ops")), ops.size());
  EXPECT_THAT(value("details/share"), EndsWith("of all ops' GPU time"));
  EXPECT_THAT(value("details/directions"), HasSubstr(" fprop"));
  EXPECT_THAT(value("details/durations"), HasSubstr("median "));
  EXPECT_TRUE(has_value("details/times/gpu_time"));
  const std::string op = value("details/ops/0");
  must("click-item details/ops/0");
  EXPECT_EQ(state()["view"], "ops");
  EXPECT_EQ(value("details/name"), group + op);
}

TEST_F(CrossFilterOfProgram, OpsOfOneNameAreToldApartByTheirIds) {
  const auto [one, other] = namesakes();
  for (const profile::Row op : {one, other}) {
    open_at("view=ops,row.ops=" + id_of(op));
    EXPECT_EQ(value("details/id"), id_of(op));
    choose("details/name", "everything");
    EXPECT_EQ(filters(), (Json{"op=" + id_of(op)}));
    EXPECT_EQ(numbers()["ops"], 1);
    EXPECT_EQ(cell("ops", 0, "op_node_name"), profile().text(profile().ops.name[op]));
    EXPECT_THAT(value("chips/0"), EndsWith(" · " + id_of(op)));
  }
}

TEST_F(CrossFilterOfProgram, FiltersToTheOpThatLaunchedAKernel) {
  must("command view.by_iteration\nclick-item iterations_table/rows/3");
  choose_in("iteration_kernels", 0, "op_node_name", "everything");
  EXPECT_EQ(numbers()["ops"], 1);
  EXPECT_THAT(filters()[0].get<std::string>(), Not(HasSubstr("/"))) << "an id, no name";
}

TEST_F(CrossFilterOfProgram, ExplainsGpuTimeOfAnOpWithoutKernels) {
  open_at("view=ops,range=5:20,row.ops=TO_1");
  EXPECT_THAT(value("kernels/why_none"), HasSubstr("memcpys from host to device"));
  EXPECT_FALSE(has_item("kernels/rows/0"));
  open_at("view=ops,range=5:20,only=tensor_core:1,row.ops=TO_1");
  EXPECT_THAT(value("kernels/why_none"), HasSubstr("does not run in this range"));
}

TEST_F(CrossFilterOfProgram, TablesWithoutRowsTellOfTheFilters) {
  const std::string nothing = ",only=device:0,only=time:1:2";
  for (const char* view : {"op_types", "groups", "ops"}) {
    open_at(fmt::format("view={},range=5:20{}", view, nothing));
    EXPECT_EQ(value(fmt::format("{}/why_none", view).c_str()),
              "No ops match the filters. Clear filters.");
  }
}

TEST_F(CrossFilterOfProgram, ManyChipsWrapAndKeepTheirFigures) {
  std::string text = "view=ops";
  for (profile::Row op = 0; op < 8; ++op) text += ",only=op:" + id_of(op);
  open_at(text);
  const Json first = item("chips/0");
  const Json last = item("chips/7");
  EXPECT_GT(last[1], first[1]);
  EXPECT_LE(last[2], item("chips/clear")[0]);
  EXPECT_THAT(value("chips/rest"), HasSubstr("kernel time"));
}

}  // namespace
}  // namespace dlview::app
