// The tables of modules and operators of PyTorch traces.
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/table.h"
#include "report/views/views.h"
#include "support/sketched_run.h"

namespace dlview::report {
namespace {

using ::testing::ElementsAre;
using testing::EventSketch;
using testing::SketchedRun;

// The cells of these columns, a line for each row.
std::vector<std::string> lines_of_view(const SketchedRun& run, std::string_view view,
                                       const std::vector<std::string_view>& columns) {
  const aggregate::Aggregation whole = run.whole();
  const auto table = make_view(view, run.profile(), whole);
  EXPECT_TRUE(table) << view;
  std::vector<std::string> lines;
  for (std::size_t row = 0; table && row < table->row_count; ++row) {
    std::string line;
    for (const std::string_view id : columns) {
      for (std::size_t column = 0; column < table->columns.size(); ++column) {
        if (table->columns[column].id != id) continue;
        line += (line.empty() ? "" : "|") + to_text(table->cell(row, column));
      }
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

SketchedRun run_of_modules() {
  EventSketch sketch;
  for (const int64_t start : {0, 1000}) {
    sketch.module("Net_0", start, start + 900);
    sketch.module("Linear_0", start + 100, start + 200);
    sketch.forward("aten::linear", start + 110, start + 190, 7);
    sketch.launch("gemm", start + 120);
    sketch.module("ReLU_0", start + 300, start + 400);
  }
  // Only in the second call: it is found after Linear_0 and ReLU_0.
  sketch.module("Linear_1", 1500, 1600);
  sketch.module("Loss_0", 2000, 2100);
  sketch.backward("AddmmBackward0", 2200, 2300, 7, EventSketch::kAutograd);
  sketch.launch("gemm_b", 2210, EventSketch::kAutograd);
  return SketchedRun(std::move(sketch));
}

TEST(TorchViews, ListModulesParentsFirst) {
  EXPECT_THAT(
      lines_of_view(
          run_of_modules(), "modules",
          {"module_path", "module_parent", "depth", "module", "module_class", "module_calls"}),
      ElementsAre("/Net_0||0|Net_0|Net|2", "/Net_0/Linear_0|/Net_0|1|Linear_0|Linear|2",
                  "/Net_0/ReLU_0|/Net_0|1|ReLU_0|ReLU|2",
                  "/Net_0/Linear_1|/Net_0|1|Linear_1|Linear|1", "/Loss_0||0|Loss_0|Loss|1"));
}

TEST(TorchViews, HaveTheTimesOfModules) {
  const std::vector<std::string_view> times{
      "module_class",        "module_ops",      "module_gpu_total", "module_gpu_forward",
      "module_gpu_backward", "module_gpu_self", "module_cpu_total", "module_cpu_self"};
  EXPECT_THAT(lines_of_view(run_of_modules(), "module_classes", times),
              ElementsAre("Net|2|30|20|10|0|1800|1300", "Linear|2|30|20|10|30|300|300",
                          "ReLU|0|0|0|0|0|200|200", "Loss|0|0|0|0|0|100|100"));
}

SketchedRun run_of_operators() {
  EventSketch sketch;
  const uint32_t shapes = sketch.inputs("[[2,3]]", "[\"float\"]");
  sketch.annotation("step", 0, 500);
  sketch.op("aten::linear", 100, 300).inputs = shapes;
  sketch.op("aten::addmm", 120, 220);
  sketch.launch("ampere_fp16_s16816gemm_fp16_128x128_ldg8_f2f_stages_32x5_tn", 130);
  sketch.launch("ampere_sgemm_128x64_tn", 250);
  sketch.op("aten::empty", 320, 330);
  return SketchedRun(std::move(sketch));
}

TEST(TorchViews, ListOperatorsOfEveryLevel) {
  EXPECT_THAT(
      lines_of_view(run_of_operators(), "torch_ops",
                    {"torch_op", "torch_op_kind", "torch_op_calls", "torch_op_cpu_self",
                     "torch_op_cpu_total", "torch_op_api_self", "torch_op_gpu_self",
                     "torch_op_gpu_total", "tc_eligible", "torch_op_tc_self", "torch_op_tc_total"}),
      ElementsAre("step|annotation|1|290|500|0|0|20|no||50.0",
                  "aten::linear|op|1|100|200|2|10|20|yes|0.0|50.0",
                  "aten::addmm|op|1|100|100|2|10|10|yes|100.0|100.0",
                  "aten::empty|op|1|10|10|0|0|0|no||"));
}

// The share is that of the known GPU time: "my_own_kernel" is left out.
TEST(TorchViews, ShareTensorCoresOfKnownUse) {
  EventSketch sketch;
  sketch.op("aten::linear", 100, 300);
  sketch.op("aten::addmm", 120, 220);
  sketch.launch("ampere_fp16_s16816gemm_fp16_128x128_ldg8_f2f_stages_32x5_tn", 130);
  sketch.launch("my_own_kernel", 250);
  sketch.op("aten::mm", 320, 330);
  sketch.launch("my_own_kernel", 322);
  EXPECT_THAT(lines_of_view(SketchedRun(std::move(sketch)), "torch_ops",
                            {"torch_op", "torch_op_gpu_self", "torch_op_gpu_total",
                             "torch_op_tc_self", "torch_op_tc_total"}),
              ElementsAre("aten::linear|10|20||100.0", "aten::addmm|10|10|100.0|100.0",
                          "aten::mm|10|10||"));
}

TEST(TorchViews, DivideOperatorsByShapes) {
  EXPECT_THAT(
      lines_of_view(run_of_operators(), "torch_op_shapes",
                    {"torch_op", "input_shapes", "torch_op_gpu_total"}),
      ElementsAre("step||20", "aten::linear|[[2,3]]|20", "aten::addmm||10", "aten::empty||0"));
}

TEST(TorchViews, DivideOperatorsByCallStack) {
  EventSketch sketch;
  sketch.op("aten::add", 100, 300).call_stack =
      sketch.builder.intern("model.py(7): forward;<built-in f>;train.py(1): main");
  sketch.op("aten::add", 400, 450);
  const SketchedRun run(std::move(sketch));
  EXPECT_THAT(lines_of_view(run, "torch_op_stacks",
                            {"torch_op", "call_stack", "torch_op_cpu_total", "torch_op_call"}),
              ElementsAre("aten::add|train.py(1): main > model.py(7): forward|200|aten::add "
                          "train.py(1): main > model.py(7): forward",
                          "aten::add||50|aten::add "));
}

TEST(TorchViews, ListOuterOpsBeforeInnerOnes) {
  EXPECT_THAT(lines_of_view(run_of_operators(), "torch_op_tree",
                            {"torch_op_path", "torch_op_parent", "depth", "torch_op",
                             "torch_op_kind", "torch_op_cpu_self", "torch_op_gpu_total"}),
              ElementsAre("step||0|step|annotation|290|20",
                          "step > aten::linear|step|1|aten::linear|op|100|20",
                          "step > aten::linear > aten::addmm|step > aten::linear|2|aten::addmm|op|"
                          "100|10",
                          "step > aten::empty|step|1|aten::empty|op|10|0"));
}

TEST(TorchViews, HaveNoGpuTimesWithoutGpuActivity) {
  EventSketch sketch;
  sketch.module("Net_0", 0, 500);
  sketch.op("aten::add", 100, 300);
  const SketchedRun run(std::move(sketch));
  EXPECT_THAT(lines_of_view(run, "modules", {"module", "module_gpu_total", "module_cpu_total"}),
              ElementsAre("Net_0||500"));
  EXPECT_THAT(lines_of_view(run, "torch_ops",
                            {"torch_op", "torch_op_api_self", "torch_op_gpu_self",
                             "torch_op_gpu_total", "torch_op_cpu_total"}),
              ElementsAre("aten::add||||200"));
}

}  // namespace
}  // namespace dlview::report
