// Where rows of operators, modules, Python frames, collectives and memory lie in the Timeline.
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include "import/pytorch/event_sketch.h"
#include "report/views/views.h"
#include "support/python_frames_sketch.h"
#include "support/sketched_run.h"
#include "ui/views/tables/row_places.h"

namespace dlview::ui {
namespace {

using profile::Row;
using testing::EventSketch;
using testing::FrameSketch;
using testing::SketchedRun;
using timeline::Request;
using Place = std::optional<std::pair<int64_t, int64_t>>;  // start and end, ns

class EventPlaces : public ::testing::Test {
 protected:
  void SetUp() override {
    EventSketch sketch;
    const auto shapes = [&](std::string_view text) { return sketch.inputs(text, "[\"float\"]"); };
    for (const int64_t start : {0, 1000}) {
      sketch.annotation("ProfilerStep#" + std::to_string(start / 1000), start, start + 1000);
      sketch.module("Net_0", start + 10, start + 500);
      sketch.module("Linear_0", start + 20, start + 200);
      sketch.op("aten::linear", start + 30, start + 130).inputs = shapes("[[2,3]]");
      sketch.op("aten::addmm", start + 40, start + 100);
      sketch.op("aten::linear", start + 300, start + 450).inputs = shapes("[[9,3]]");
      // The longest one, in no other op.
      sketch.op("aten::addmm", start + 600, start + 800).call_stack =
          sketch.builder.intern("loss.py(3): loss;train.py(1): main");
    }
    sketch.op("aten::addmm", 1900, 1950).call_stack =
        sketch.builder.intern("loss.py(3): loss;train.py(1): main");
    dlview::import::pytorch::AllocationEvent allocation;
    allocation.device_type = 1;
    allocation.device = 0;
    allocation.time_ns = EventSketch::kOrigin + 50;
    allocation.bytes = 512;
    allocation.address = 4096;
    sketch.events.allocations.push_back(allocation);
    allocation.time_ns += 70;
    allocation.bytes = -512;
    sketch.events.allocations.push_back(allocation);
    run_.emplace(std::move(sketch), "ProfilerStep");
    FrameSketch frames({{100, 100}});
    const Row main = frames.frame("train.py(1): main", 0, 2000);
    const Row step = frames.frame("<built-in step>", 5, 990, main);
    frames.frame("model.py(7): forward", 15, 495, step);
    frames.frame("model.py(7): forward", 1500, 1900, main);
    frames_ = std::make_shared<const profile::PythonFrames>(std::move(frames).finish());
  }

  // Of the row of the view whose column `key` has that text.
  std::optional<Request> request(std::string_view view, report::ColumnId key, std::string_view text,
                                 const PlaceOfRow& place) {
    const auto profile = std::shared_ptr<const profile::Profile>(
        std::shared_ptr<const profile::Profile>(), &run_->profile());
    const auto aggregation = std::make_shared<const aggregate::Aggregation>(run_->range({0, 0}));
    report::ViewArguments arguments;
    arguments.python_frames = frames_;
    arguments.hides_internal_frames = hides_internal_;
    auto table = report::make_view(view, *profile, *aggregation, arguments);
    EXPECT_TRUE(table.ok()) << view;
    TableData data{profile, aggregation, std::move(*table)};
    data.python_frames = frames_;
    for (std::size_t row = 0; row < data.table.row_count; ++row) {
      if (report::to_text(cell_in(data.table, row, key)) == text) return place(data, row);
    }
    ADD_FAILURE() << view << " has no row " << text;
    return std::nullopt;
  }
  Place place_of(std::string_view view, report::ColumnId key, std::string_view text,
                 const PlaceOfRow& place) {
    const auto found = request(view, key, text, place);
    if (!found || !found->stretch) return std::nullopt;
    return std::pair(found->stretch->start_ns, found->stretch->stop_ns());
  }

  std::optional<SketchedRun> run_;
  std::shared_ptr<const profile::PythonFrames> frames_;
  bool hides_internal_ = false;
};

TEST_F(EventPlaces, OfOperatorsAreTheirLongestEvents) {
  const auto of = [this](std::string_view view, report::ColumnId key, std::string_view text) {
    return place_of(view, key, text, place_of_operator);
  };
  EXPECT_EQ(of("torch_ops", "torch_op", "aten::addmm"), Place({600, 800}));
  EXPECT_EQ(of("torch_ops", "torch_op", "aten::linear"), Place({300, 450}));
  EXPECT_EQ(of("torch_op_shapes", "torch_op_call", "aten::linear [[2,3]]"), Place({30, 130}));
  EXPECT_EQ(of("torch_op_shapes", "torch_op_call", "aten::addmm "), Place({600, 800}));
  EXPECT_EQ(
      of("torch_op_stacks", "torch_op_call", "aten::addmm train.py(1): main > loss.py(3): loss"),
      Place({600, 800}));
  EXPECT_EQ(of("torch_op_stacks", "torch_op_call",
               "aten::addmm train.py(1): main > model.py(7): forward"),
            Place({40, 100}));
  EXPECT_EQ(of("torch_op_tree", "torch_op_path", "aten::linear > aten::addmm"), Place({40, 100}));
  EXPECT_EQ(of("torch_op_tree", "torch_op_path", "aten::addmm"), Place({600, 800}));
}

TEST_F(EventPlaces, OfModulesAreTheirLongestCalls) {
  EXPECT_EQ(place_of("modules", "module_path", "/Net_0/Linear_0", place_of_module),
            Place({20, 200}));
  EXPECT_EQ(place_of("module_classes", "module_class", "Net", place_of_module), Place({10, 500}));
}

TEST_F(EventPlaces, OfFramesAreTheirLongestCalls) {
  for (const bool hides_internal : {false, true}) {
    hides_internal_ = hides_internal;
    const std::string path = hides_internal
                                 ? "train.py(1): main > model.py(7): forward"
                                 : "train.py(1): main > <built-in step> > model.py(7): forward";
    EXPECT_EQ(place_of("stack_tree", "call_stack", path, place_of_frame), Place({15, 495}));
    EXPECT_EQ(place_of("stacks", "frame", "train.py(1): main", place_of_frame), Place({0, 2000}));
  }
}

TEST_F(EventPlaces, OfMemoryAreLifetimesAndPeaks) {
  EXPECT_EQ(place_of("memory_events", "bytes", "512", place_of_memory_event), Place({50, 120}));
  const Place peak = place_of("memory_peak", "held_bytes", "512", place_of_peak);
  ASSERT_TRUE(peak);
  EXPECT_EQ(peak->first, 50);
}

TEST_F(EventPlaces, OfCollectivesAreTheirFirstKernels) {
  EventSketch sketch;
  for (const int64_t start : {0, 100}) {
    sketch.op("record_param_comms", start, start + 50);
    dlview::import::pytorch::CollectiveEvent event;
    event.host_event = static_cast<uint32_t>(sketch.events.host.size() - 1);
    event.name = sketch.builder.intern("allreduce");
    sketch.events.collectives.push_back(event);
    sketch.call("cudaLaunchKernel", start + 10, start + 12, start + 1);
    sketch.kernel("ncclDevKernel_AllReduce_Sum_bf16_RING_LL(Args)", 1000 + 5 * start,
                  1100 + 6 * start, start + 1);
  }
  run_.emplace(std::move(sketch));
  const auto call = request("collective_calls", "collective_key", "0", place_of_collective);
  ASSERT_TRUE(call && call->kernel);
  EXPECT_EQ(run_->profile().kernels.gpu_start_ns[*call->kernel], 1000);
  const auto kind = request("collectives", "collective", "AllReduce", place_of_collective);
  ASSERT_TRUE(kind && kind->kernel);
  EXPECT_EQ(run_->profile().kernels.gpu_start_ns[*kind->kernel], 1500) << "the longest";
}

}  // namespace
}  // namespace dlview::ui
