// The tables of collectives and of memory, of a made trace.

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/views/views.h"
#include "support/sketched_run.h"

namespace dlview::report {
namespace {

using dlview::import::pytorch::AllocationEvent;
using dlview::import::pytorch::CollectiveEvent;
using ::testing::ElementsAre;
using testing::EventSketch;
using testing::SketchedRun;

// The cells of some columns, a line for each row.
std::vector<std::string> lines_of(const SketchedRun& trace, std::string_view view,
                                  const std::vector<std::string>& columns) {
  const aggregate::Aggregation whole = trace.whole();
  const auto table = make_view(view, trace.profile(), whole);
  EXPECT_TRUE(table) << view;
  std::vector<std::string> lines;
  for (std::size_t row = 0; table && row < table->row_count; ++row) {
    std::string line;
    for (const std::string& id : columns) {
      for (const Column& column : table->columns) {
        if (column.id != id) continue;
        line += (line.empty() ? "" : "|") + to_text(column.cell(row));
      }
    }
    lines.push_back(line);
  }
  return lines;
}

AllocationEvent& add_memory(EventSketch& sketch, int64_t time_ns, int64_t bytes, int64_t address,
                            int64_t total) {
  AllocationEvent event;
  event.time_ns = EventSketch::kOrigin + time_ns;
  event.bytes = bytes;
  event.address = address;
  event.total_allocated = total;
  event.total_reserved = 1000;
  event.device_type = 1;
  event.device = 0;
  sketch.events.allocations.push_back(event);
  return sketch.events.allocations.back();
}

SketchedRun trace_with_memory() {
  EventSketch sketch;
  sketch.module("Net_0", 0, 500);
  sketch.op("aten::mm", 10, 100);
  sketch.op("aten::relu", 200, 300);
  add_memory(sketch, 20, 100, 0x10, 350);
  add_memory(sketch, 250, 50, 0x20, 400);
  add_memory(sketch, 280, -100, 0x10, 300);
  return SketchedRun(std::move(sketch));
}

TEST(MemoryViews, SayWhoHoldsThePeak) {
  const SketchedRun trace = trace_with_memory();
  EXPECT_THAT(lines_of(trace, "memory_peak",
                       {"op_node_name", "memory_device", "blocks", "held_bytes", "held_share"}),
              ElementsAre("/Net_0/aten::mm|cuda:0|1|100|25.0", "/Net_0/aten::relu|cuda:0|1|50|12.5",
                          "Allocated before the capture|cuda:0||250|62.5"));
  EXPECT_THAT(lines_of(trace, "memory_peak_groups", {"module_path", "blocks", "held_bytes"}),
              ElementsAre("/Net_0|2|150", "Allocated before the capture||250"));
}

TEST(MemoryViews, AddUpDevicesOpsAndEvents) {
  const SketchedRun trace = trace_with_memory();
  EXPECT_THAT(lines_of(trace, "memory_devices",
                       {"memory_device", "peak_allocated", "peak_reserved", "peak_time",
                        "allocations", "allocated_bytes", "frees", "freed_bytes"}),
              ElementsAre("cuda:0|400|1000|250|2|150|1|100"));
  EXPECT_THAT(lines_of(trace, "memory_ops",
                       {"op_node_name", "allocated_bytes", "freed_bytes", "net_bytes"}),
              ElementsAre("/Net_0/aten::mm|100|0|100", "/Net_0/aten::relu|50|100|-50"));
  EXPECT_THAT(
      lines_of(trace, "memory_events", {"time", "bytes", "total_allocated", "lifetime", "address"}),
      ElementsAre("20|100|350|260|0x10", "250|50|400||0x20", "280|-100|300||0x10"));
}

TEST(MemoryViews, AreEmptyWithoutEvents) {
  EventSketch sketch;
  sketch.op("aten::mm", 10, 100);
  const SketchedRun trace(std::move(sketch));
  for (const char* view : {"memory_devices", "memory_ops", "memory_events", "memory_peak",
                           "memory_peak_groups", "collectives", "collective_calls"}) {
    EXPECT_THAT(lines_of(trace, view, {}), ::testing::IsEmpty()) << view;
  }
}

TEST(CommunicationViews, ListCollectivesAndCalls) {
  EventSketch sketch;
  sketch.op("record_param_comms", 0, 100);
  CollectiveEvent event;
  event.host_event = 0;
  event.name = sketch.builder.intern("allreduce");
  event.data_type = sketch.builder.intern("Half");
  event.group_name = sketch.builder.intern("0");
  event.group_description = sketch.builder.intern("default_pg");
  event.in_elements = event.out_elements = 1000;
  event.group_size = 4;
  sketch.events.collectives.push_back(event);
  sketch.launch("ncclDevKernel_AllReduce_Sum_f16_RING_LL(Args)", 10);
  sketch.call("cudaLaunchKernel", 200, 202, 77);
  sketch.kernel("gemm", 1014, 1100, 77);  // hides 6 of the 10 ns
  const SketchedRun trace(std::move(sketch));
  EXPECT_THAT(lines_of(trace, "collectives",
                       {"collective", "data_type", "process_group", "group_size", "message_bytes",
                        "calls", "gpu_time", "exposed_time", "exposed_share", "algorithm_bandwidth",
                        "bus_bandwidth"}),
              ElementsAre("AllReduce|Half|default_pg (0)|4|2000|1|10|4|40.0|200000000000.0|"
                          "300000000000.0"));
  EXPECT_THAT(
      lines_of(trace, "collective_calls",
               {"iter_value", "start", "collective", "host_time", "gpu_time", "exposed_share"}),
      ElementsAre("0|0|AllReduce|100|10|40.0"));
}

}  // namespace
}  // namespace dlview::report
