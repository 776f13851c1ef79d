// What the details pane says of rows of operators, modules, Python functions and collectives.
#include "ui/views/details/row_details.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "import/pytorch/event_sketch.h"
#include "report/views/views.h"
#include "support/python_frames_sketch.h"
#include "support/sketched_run.h"
#include "ui/table/open_rows.h"
#include "ui/views/tables/looks.h"

namespace dlview::ui {
namespace {

using profile::Row;
using testing::EventSketch;
using testing::FrameSketch;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::SketchedRun;

// "Operator aten::linear", then a line for each fact and text.
std::string text_of(const DetailsContent& content) {
  std::string all = content.kind + " " + content.name;
  for (const DetailsContent::Fact& fact : content.facts)
    all += "\n" + fact.label + ": " + fact.value;
  for (const DetailsContent::Text& text : content.texts)
    all += "\n" + text.title + "= " + text.text;
  return all;
}

class RowDetails : public ::testing::Test {
 protected:
  void SetUp() override {
    EventSketch sketch;
    sketch.module("Net_0", 10, 900);
    sketch.module("Linear_0", 20, 400);
    sketch.op("aten::linear", 30, 330).inputs = sketch.inputs("[[2,3]]", "[\"float\"]");
    sketch.op("aten::addmm", 40, 300);
    sketch.launch("gemm", 50);
    sketch.op("record_param_comms", 500, 600);
    dlview::import::pytorch::CollectiveEvent collective;
    collective.host_event = 2;
    collective.name = sketch.builder.intern("allreduce");
    collective.data_type = sketch.builder.intern("Float");
    collective.group_ranks = sketch.builder.intern("[0, 1]");
    collective.in_elements = collective.out_elements = 1024;
    collective.group_size = 2;
    sketch.events.collectives.push_back(collective);
    sketch.launch("ncclDevKernel_AllReduce_Sum_f32_RING_LL", 510);
    run_.emplace(std::move(sketch));
    FrameSketch frames({{100, 100}});
    const Row main = frames.frame("train.py(1): main", 0, 2000);
    frames.frame("model.py(7): forward", 15, 495, main);
    frames_ = std::make_shared<const profile::PythonFrames>(std::move(frames).finish());
  }

  // Of the row of the view whose name is that; `tree` = the columns of a tree.
  std::string details(std::string_view view, const TableLook& look, std::string_view name,
                      const TreeColumns& tree = {}) {
    const auto profile = std::shared_ptr<const profile::Profile>(
        std::shared_ptr<const profile::Profile>(), &run_->profile());
    const auto aggregation = std::make_shared<const aggregate::Aggregation>(run_->whole());
    report::ViewArguments arguments;
    arguments.python_frames = frames_;
    auto table = report::make_view(view, *profile, *aggregation, arguments);
    EXPECT_TRUE(table.ok()) << view;
    TableData data{profile, aggregation, std::move(*table)};
    if (!tree.level.empty())
      data.tree = std::make_shared<const RowTree>(tree_by_level(data.table, tree));
    for (std::size_t row = 0; row < data.table.row_count; ++row) {
      if (text_of_cell(data.table, row, look.row_name) != name) continue;
      return text_of(prepare_row_details(data, row, look));
    }
    return "no row";
  }
  const profile::Profile& profile() const { return run_->profile(); }

  std::optional<SketchedRun> run_;
  std::shared_ptr<const profile::PythonFrames> frames_;
};

TEST_F(RowDetails, OfOperatorsHaveAllColumns) {
  const std::string text = details("torch_ops", operators_look(profile()), "aten::linear");
  EXPECT_THAT(text, HasSubstr("Operator aten::linear\n"));
  EXPECT_THAT(text, HasSubstr("\nTotal GPU time: 10\u202fns"));
  EXPECT_THAT(text, HasSubstr("\nSelf CPU time: 40\u202fns"));
  EXPECT_THAT(text, HasSubstr("\nCalls: 1"));
  EXPECT_THAT(text, HasSubstr("\nKind: op"));
  EXPECT_THAT(text, HasSubstr(": yes")) << "eligible";
}

TEST_F(RowDetails, OfOperatorsHaveShapesAndStacksBelow) {
  const std::string by_shape =
      details("torch_op_shapes", operator_shapes_look(profile()), "aten::linear");
  EXPECT_THAT(by_shape, HasSubstr("= [[2,3]]"));
  EXPECT_THAT(by_shape, Not(HasSubstr("Call="))) << "it has no more than the other columns";
  EXPECT_THAT(details("torch_op_stacks", operator_stacks_look(profile()), "aten::linear"),
              HasSubstr("\nCall stack= train.py(1): main > model.py(7): forward"));
  EXPECT_THAT(details("torch_op_tree", operator_tree_look(profile()), "aten::addmm",
                      {"depth", "torch_op_path"}),
              HasSubstr("\nPath= aten::linear > aten::addmm"));
}

TEST_F(RowDetails, OfModulesHavePathAndTimes) {
  const std::string text =
      details("modules", modules_look(profile()), "Linear_0", {"depth", "module_path"});
  EXPECT_THAT(text, HasSubstr("Module Linear_0\n"));
  EXPECT_THAT(text, HasSubstr("\nForward: 10\u202fns"));
  EXPECT_THAT(text, HasSubstr("\nClass= Linear"));
  EXPECT_THAT(text, HasSubstr("\nPath= /Net_0/Linear_0"));
  EXPECT_THAT(details("module_classes", module_classes_look(profile()), "Linear"),
              HasSubstr("Class of modules Linear\n"));
}

TEST_F(RowDetails, OfFramesHaveTheCallStack) {
  EXPECT_THAT(details("stacks", stacks_look(), "model.py(7): forward"),
              HasSubstr("Python function model.py(7): forward\nSelf wall time: 480\u202fns"));
  EXPECT_THAT(
      details("stack_tree", stack_tree_look(), "model.py(7): forward", {"level", "call_stack"}),
      HasSubstr("\nCall stack= train.py(1): main > model.py(7): forward"));
}

TEST_F(RowDetails, OfCollectivesHaveGroupAndBandwidth) {
  const std::string sum = details("collectives", collectives_look(profile()), "AllReduce");
  EXPECT_THAT(sum, HasSubstr("Collective AllReduce\n"));
  EXPECT_THAT(sum, HasSubstr("\nRanks: 2"));
  EXPECT_THAT(sum, HasSubstr("\nBus bandwidth: "));
  EXPECT_THAT(details("collective_calls", collective_calls_look(profile()), "AllReduce"),
              HasSubstr("= [0, 1]"));
}

}  // namespace
}  // namespace dlview::ui
