#include "ui/views/tables/ops.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "ui/view_fixture.h"
#include "ui/views/tables/drill_down.h"
#include "ui/views/tables/looks.h"

namespace dlview::ui {
namespace {

class OpsTest : public testing::ViewFixture {
 protected:
  // An eligible op of one call, with this kernel.
  void show(std::string_view kernel) {
    testing::Sketch sketch;
    sketch.kernel(sketch.instance(sketch.op("linear", "linear", true), 0, 10), 10, 20, 0, kernel);
    auto profile = std::make_shared<profile::Profile>(*sketch.finish());
    profile->source.by_tensor_core_rules = true;
    open(profile, "");
    view_.emplace(*profile);
    draw = [this](Frame& frame, const Box& box, BarLayer& bars) {
      view_->draw(frame, box, {bars, tables_});
    };
    frames(3);
  }

  base::Scheduler scheduler_;
  Tables tables_{scheduler_};
  std::optional<OpsView> view_;
};

TEST_F(OpsTest, TheUseOfTensorCoresIsAskedOfTheRules) {
  show("volta_sgemm_128x64_nn");
  EXPECT_EQ(value("ops/rows/0/using_tc"), "0");
  show("my_own_kernel");
  EXPECT_EQ(value("ops/rows/0/using_tc"), "?");
}

TEST_F(OpsTest, EachTableHasRoomForARow) {
  BoxStack stack("stack", {1.7f, 1.0f});
  std::vector<Box> boxes;
  for (const float height : {270.0f, 300.0f, 330.0f, 700.0f}) {
    draw = [&](Frame& frame, const Box&, BarLayer&) {
      boxes = stack.draw(frame, {0, 0, 640, height}, 0, std::array{200.0f});
    };
    frames(1);
    ASSERT_EQ(boxes.size(), 2U);
    EXPECT_GE(boxes[0].height(), 120) << height;
    EXPECT_GE(boxes[1].height(), 120) << height;
    EXPECT_LE(boxes[0].height(), 200) << height;
    EXPECT_EQ(boxes[1].top - boxes[0].bottom, boxes[0].top) << "one gap";
    EXPECT_EQ(boxes[1].bottom, height - boxes[0].top);
  }
}

TEST_F(OpsTest, SaysHowToRecordInputShapes) {
  show("my_own_kernel");
  auto profile = std::make_shared<profile::Profile>(*model.profile);
  EXPECT_EQ(op_shapes_look(*profile).note,
            "Input shapes not recorded: nsys profile --pytorch=autograd-shapes-nvtx");
  profile->trace.emplace().capture.recorder = profile::Recorder::pytorch_profiler;
  EXPECT_EQ(op_shapes_look(*profile).note,
            "Input shapes not recorded: torch.profiler.profile(record_shapes=True)");
  profile->instances.input_shapes = std::vector<profile::StringId>{profile->ops.name[0]};
  EXPECT_EQ(op_shapes_look(*profile).note, "");
}

TEST_F(OpsTest, CrossEligibleOpsInBothTables) {
  testing::Sketch sketch;
  sketch.kernel(sketch.instance(sketch.op("missed", "linear", true), 0, 10), 0, 8);
  sketch.kernel(sketch.instance(sketch.op("relu", "relu"), 10, 20), 10, 18);
  const auto profile = sketch.finish();
  const aggregate::Aggregation aggregation =
      aggregate::make_cpu_aggregator(profile)->aggregate({{}, {0, 0}, {}});
  for (const auto& [view, look] : {std::pair("op_nodes", ops_look(*profile)),
                                   std::pair("op_shapes", op_shapes_look(*profile))}) {
    const report::Table table = *report::make_view(view, *profile, aggregation);
    const auto uses = std::ranges::find(look.columns, "using_tc", &ColumnLook::id);
    ASSERT_NE(uses, look.columns.end()) << view;
    ASSERT_TRUE(uses->attention) << view;
    for (std::size_t row = 0; row < table.row_count; ++row) {
      const bool is_missed =
          report::to_text(table.cell(row, find_column(table, "op_node_name"))) == "missed";
      EXPECT_EQ(uses->attention(table, row), is_missed) << view << " row " << row;
    }
  }
}

TEST_F(OpsTest, OpsOfATypeSayTheSame) {
  show("my_own_kernel");
  OpTypesView types(*model.profile);
  draw = [&](Frame& frame, const Box& box, BarLayer& bars) {
    types.draw(frame, box, {bars, tables_});
  };
  frames(3);
  EXPECT_EQ(value("type_ops/rows/0/using_tc"), "?");
}

}  // namespace
}  // namespace dlview::ui
