#include "import/pytorch/trace_texts.h"

#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "import/pytorch/event_sketch.h"

namespace dlview::import::pytorch {
namespace {

using testing::EventSketch;

TEST(OpNames, AreThoseOfOps) {
  EXPECT_EQ(op_name("aten::add", false, false), "aten::add");
  EXPECT_EQ(op_name("my.lib::op", false, false), "my.lib::op");
  EXPECT_EQ(op_name("torch::autograd::AccumulateGrad", false, false),
            "torch::autograd::AccumulateGrad");
  EXPECT_EQ(op_name("AddmmBackward0", true, false), "AddmmBackward0");
  EXPECT_EQ(op_name(std::string(EventSketch::kEvaluate) + "MulBackward0", false, false),
            "MulBackward0");
  EXPECT_EQ(op_name("triton_poi_fused_add_0", false, true), "triton_poi_fused_add_0");
}

TEST(OpNames, AreNotThoseOfRanges) {
  EXPECT_EQ(op_name("AddmmBackward0", false, false), std::nullopt);
  EXPECT_EQ(op_name("record_param_comms", false, false), std::nullopt);
  EXPECT_EQ(op_name("Torch-Compiled Region: 0/1", true, false), std::nullopt);
  EXPECT_EQ(op_name("CompiledFunctionBackward", true, false), std::nullopt);
  EXPECT_EQ(
      op_name(std::string(EventSketch::kEvaluate) + "CheckpointFunctionBackward", true, false),
      std::nullopt);
  EXPECT_EQ(op_name("## a::b ##", false, false), std::nullopt);
  EXPECT_EQ(op_name("9lives::x", false, false), std::nullopt);
  EXPECT_EQ(op_name("a.::b", false, false), std::nullopt);
}

TEST(OpTypes, EndBehindTheLastColons) {
  EXPECT_EQ(op_type("aten::addmm"), "addmm");
  EXPECT_EQ(op_type("AddmmBackward0"), "AddmmBackward");
  EXPECT_EQ(op_type("aten::conv2d"), "conv2d");
}

TEST(TraceCopies, SayTheirKindsInTheirNames) {
  using profile::CopyKind;
  using profile::MemoryKind;
  EXPECT_EQ(memory_kinds_of("Memcpy HtoD (Pageable -> Device)"),
            (MemoryKinds{CopyKind::host_to_device, MemoryKind::pageable, MemoryKind::device}));
  EXPECT_EQ(memory_kinds_of("Memcpy DtoH (Device -> Pinned)"),
            (MemoryKinds{CopyKind::device_to_host, MemoryKind::device, MemoryKind::pinned}));
  EXPECT_EQ(memory_kinds_of("Memcpy HtoD (Host -> Device)"),
            (MemoryKinds{CopyKind::host_to_device, MemoryKind::not_recorded, MemoryKind::device}));
  EXPECT_EQ(memory_kinds_of("Memcpy PtoP (Device -> Device)").copy, CopyKind::peer_to_peer);
  EXPECT_EQ(memory_kinds_of("Memset (Device)").target, MemoryKind::device);
  EXPECT_EQ(memory_kinds_of("CopyDeviceToHost"), MemoryKinds());
  // Level Zero
  const std::string copy = "zeCommandListAppendMemoryCopy";
  EXPECT_EQ(memory_kinds_of(copy + "(M2D)"),
            (MemoryKinds{CopyKind::host_to_device, MemoryKind::pageable, MemoryKind::device}));
  EXPECT_EQ(memory_kinds_of(copy + "(D2H)"),
            (MemoryKinds{CopyKind::device_to_host, MemoryKind::device, MemoryKind::pinned}));
  EXPECT_EQ(memory_kinds_of(copy + "(D2D - P2P)").copy, CopyKind::peer_to_peer);
  EXPECT_EQ(memory_kinds_of(copy + "(H2M)").copy, CopyKind::host_to_host);
  EXPECT_EQ(memory_kinds_of(copy + "(S2D)"),
            (MemoryKinds{CopyKind::unknown, MemoryKind::managed, MemoryKind::device}));
  EXPECT_EQ(memory_kinds_of(copy).source, MemoryKind::not_recorded);
  EXPECT_EQ(memory_kinds_of("Memcpy M2D (MEMORY -> DEVICE)"),
            (MemoryKinds{CopyKind::host_to_device, MemoryKind::pageable, MemoryKind::device}));
  EXPECT_EQ(memory_kinds_of("Memcpy D2M (DEVICE -> MEMORY)").copy, CopyKind::device_to_host);
  EXPECT_EQ(memory_kinds_of("Memcpy D2D - P2P (DEVICE -> DEVICE)").copy, CopyKind::peer_to_peer);
}

}  // namespace
}  // namespace dlview::import::pytorch
