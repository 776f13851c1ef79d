#include "timeline/stream_role.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/units.h"
#include "profile/builder.h"
#include "support/sketch.h"
#include "timeline/lanes_support.h"

namespace dlview::timeline {
namespace {

StreamTimes times_of(const std::vector<std::pair<StreamWork, int64_t>>& work) {
  StreamTimes times = {};
  for (const auto& [kind, ns] : work) times[static_cast<std::size_t>(kind)] += ns;
  return times;
}

std::string role(const std::vector<std::pair<StreamWork, int64_t>>& work) {
  return stream_role(times_of(work), "NCCL");
}

TEST(StreamRole, IsTheWorkThatTakesMost) {
  EXPECT_EQ(role({{StreamWork::communication, 80}, {StreamWork::in_device, 20}}), "NCCL");
  EXPECT_EQ(role({{StreamWork::to_device, 90}, {StreamWork::kernels, 10}}), "H2D copies");
  EXPECT_EQ(role({{StreamWork::to_host, 5}}), "D2H copies");
  EXPECT_EQ(role({{StreamWork::between_devices, 5}}), "P2P copies");
  EXPECT_EQ(role({{StreamWork::memsets, 5}}), "memsets");
  EXPECT_EQ(role({{StreamWork::kernels, 1000}, {StreamWork::to_device, 249}}), "kernels");
}

TEST(StreamRole, IsNoneJustBelowTheShare) {
  EXPECT_EQ(role({{StreamWork::communication, 799}, {StreamWork::kernels, 201}}), "");
  EXPECT_EQ(role({{StreamWork::communication, 800}, {StreamWork::kernels, 200}}), "NCCL");
  EXPECT_EQ(role({{StreamWork::kernels, 50}, {StreamWork::to_device, 50}}), "");
}

TEST(StreamRole, OfCopiesInAllDirectionsIsCopies) {
  EXPECT_EQ(role({{StreamWork::to_device, 50}, {StreamWork::to_host, 50}}), "copies");
  EXPECT_EQ(
      role({{StreamWork::to_device, 40}, {StreamWork::to_host, 39}, {StreamWork::kernels, 21}}),
      "");
  EXPECT_EQ(role({{StreamWork::to_device, 50}, {StreamWork::memsets, 50}}), "");
}

TEST(StreamRole, IsNoneWithoutTime) {
  EXPECT_EQ(role({}), "");
}

TEST(StreamRole, NamesTheLibraryOfItsKernels) {
  testing::Sketch sketch;
  const auto instance = sketch.instance(sketch.op("net/sync"), 0, 1);
  sketch.kernel(instance, 0, 1000, 0, "ncclDevKernel_AllReduce_Sum_f32_RING_LL");
  sketch.kernel(instance, 1000, 1100, 0, "sgemm");
  const Events events(sketch.finish());
  EXPECT_EQ(stream_role({{EventKind::kernel, 0}, {EventKind::kernel, 1}}, events), "NCCL");
  EXPECT_EQ(stream_role({{EventKind::kernel, 1}}, events), "kernels");
}

TEST(SizeText, HasDirectionAndSize) {
  profile::ProfileBuilder builder;
  builder.add_device({});
  profile::OpRow op;
  op.id = op.name = builder.intern("copy");
  profile::OpInstanceRow instance;
  instance.op = builder.add_op(op);
  instance.thread = builder.intern_thread({1, 1});
  const profile::Row copy = builder.add_instance(instance);
  const auto add = [&](profile::MemoryOpKind kind, profile::CopyKind copy_kind, int64_t bytes) {
    profile::MemoryOpRow row;
    row.instance = copy;
    row.kind = kind;
    row.copy_kind = copy_kind;
    row.bytes = bytes;
    builder.add_memory_op(row);
  };
  add(profile::MemoryOpKind::memcpy, profile::CopyKind::host_to_device, 3 << 20);
  add(profile::MemoryOpKind::memcpy, profile::CopyKind::array_to_array, 512);
  add(profile::MemoryOpKind::memset, profile::CopyKind::unknown, 2048);
  const Events events(std::make_shared<const profile::Profile>(std::move(builder).finish()));
  std::vector<std::string> texts;
  for (profile::MemoryOpIndex row{0}; row < 3; ++row) texts.push_back(events.size_text(row));
  std::ranges::sort(texts);
  EXPECT_EQ(texts, (std::vector<std::string>{"H2D " + base::format_bytes(3 << 20),
                                             "memcpy " + base::format_bytes(512),
                                             "memset " + base::format_bytes(2048)}));
}

}  // namespace
}  // namespace dlview::timeline
